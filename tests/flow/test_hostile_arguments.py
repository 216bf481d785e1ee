"""Every verb of the table with every hostile argument: refused in its own words, and nothing is half done."""

import ast
import asyncio
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import apsw
import pytest

import governed
from mace.core.errors import InvalidInput, LogInvalid, MaceError
from mace.core.programs import program
from mace.engine import arguments
from mace.engine import groups as groups_package
from mace.engine.arguments import marker_of
from mace.engine.groups.base import Group
from mace.engine.programs.handle import Job
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS, Verb
from mace.governance import canaries

LONG = "x" * 10_000_000
MEGRAM = {"space": "tool:shell", "entity": "path:/srv", "content": "use rsync", "state": "accept"}


def nested(levels: int, kind: str = "list") -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value] if kind == "list" else {"a": value}
    return value


def endless() -> Any:
    """A list that has itself as its member."""
    value: list[Any] = []
    value.append(value)
    return value


HOSTILE: dict[str, Any] = {
    "a million numbers": list(range(1_000_000)),
    "an object of a million numbers": {"a": list(range(1_000_000))},
    "100,000 lists in lists": nested(100_000),
    "100,000 objects in objects": nested(100_000, "object"),
    "an object of 100,000 lists": {"a": nested(100_000), "final_answer": nested(100_000)},
    "lists beyond the limit": nested(201),
    "lists that orjson takes": nested(230),
    "lists that orjson does not take": nested(400),
    "a list of itself": endless(),
    "lines of 100,000 lists": ["[" * 100_000 + "]" * 100_000],
    "lines of 900 lists": [b"[" * 900 + b"]" * 900],
    "lines of 900 lists in an object": ['{"key": "world/fact/a/b", "value": ' + "[" * 900 + "]" * 900 + "}"],
    "text of 100,000 lists": "[" * 100_000 + "]" * 100_000,
    "lone surrogate": "a\ud800b",
    "NUL": "a\x00b",
    "ten million characters": LONG,
    "empty": "",
    "number": 7,
    "bytes": b"a\xff",
    "list of a surrogate": ["\udfff"],
    "object of a surrogate": {"a": "\ud800"},
    "nothing": None,
}
# Refusals of these are part of the record: a checkpoint, a quarantine, a refusal that is raised.
LEAVES_A_TRACE = {"prove_inclusion", "write_reflective_log", "sem_list", "recalled"}

KEY = "user/profile/user_bob/favorite_food"
NAMES = [row.name for row in VERBS if not row.planned]


def bound(m: Any, name: str) -> Callable[..., Any]:
    """The verb of a row: `sem_get`, or `accounts.create` of a group."""
    for part in name.split("."):
        m = getattr(m, part)
    found: Callable[..., Any] = m
    return found


def groups() -> dict[str, type[Group]]:
    for module in pkgutil.iter_modules(groups_package.__path__, f"{groups_package.__name__}."):
        importlib.import_module(module.name)
    return {kind.__name__.removesuffix("Group").lower(): kind for kind in Group.__subclasses__()}


def method(name: str) -> Callable[..., Any]:
    """The same, without an open MACE."""
    group, _, verb = name.rpartition(".")
    found: Callable[..., Any] = getattr(groups()[group] if group else Mace, verb)
    return found


def cases() -> Iterator[tuple[str, str, str]]:
    for verb in NAMES:
        for name, parameter in inspect.signature(method(verb)).parameters.items():
            if name == "self":
                continue
            for kind, value in HOSTILE.items():
                if not (value is None and parameter.default is None):
                    yield verb, name, kind


@program("adds")
def _adds(job: Job, given: Any) -> Any:
    return job.call("add", given, lambda request: 4)


async def _awaited(answer: Any) -> Any:
    return await answer


def _drawn(answer: Any) -> Any:
    """What a verb came to, where it is told only when it is asked for."""
    if inspect.isgenerator(answer):
        return list(answer)
    if inspect.isawaitable(answer):
        return asyncio.run(_awaited(answer))
    if isinstance(answer, AbstractContextManager):
        with answer:
            return None
    return answer


class Stage:
    """A small world in which every verb could work, if its arguments were good."""

    def __init__(self, root: Path) -> None:
        self.house = governed.House(root)
        m = self.m = self.house.m
        m.sem_put(KEY, "tea", "user")
        self.job = m.ask("what is 2 + 2?", "bob")
        self.consent = m.grant_consent("bob", "You may keep my phone number.")
        self.house.account("root", "admin")
        code = m.accounts.issue_identity_proof("bob")["proof"]
        for number in range(6):
            m.experience.write({**MEGRAM, "content": f"lesson {number}"}, "solver")  # type: ignore[typeddict-item]
        m.experience.dream()
        self.dsr = m.request_dsr("bob", "delete", code, [KEY])
        self.incident = m.incidents.report("somebody tried the door")
        m.checkpoint()
        self.good: dict[str, Any] = {
            "change_id": m.experience.changes()[0]["change_id"],
            "content": "it failed",
            "entity": "path:/srv",
            "job_ids": [m.ask("what is 2+2?")["job_id"]],
            "words": ["canaryword"],
            "megram": {**MEGRAM},
            "megram_id": m.experience.query_recent("tool:shell", "path:/srv")[0]["id"],
            "rule_id": m.experience.query_c("tool:shell", "path:/srv")[0]["id"],
            "space": "tool:shell",
            "actor": "owner",
            "author": "owner",
            "changes": {"a": 1},
            "consent_id": self.consent["consent_id"],
            "consent_text": "You may keep it.",
            "dsr_id": self.dsr["dsr_id"],
            "effect": "note",
            "entity_id_raw": "Bob",
            "entity_type": "profile",
            "attribute_raw": "food",
            "entry_id": self.incident["evidence_id"],
            "id": self.incident["evidence_id"],
            "of": "recent_logs",
            "event_id": m.events("system")[0]["event_id"],
            "incident_id": self.incident["incident_id"],
            "job_id": self.job["job_id"],
            "key": KEY,
            "kind": "export",
            "lines": [],
            "log_id": self.job["log_id"],
            "member": "owner",
            "messages": "The tram was late.",
            "module_id": "math_agent",
            "name": "root",
            "new_size": 2,
            "old_size": 1,
            "patch": {"audit_tags": ["seen"]},
            "payload": {},
            "prefix": "user",
            "program": _adds,
            "input": {"a": 2},
            "question": "What is 2 + 2?",
            "answer": "4",
            "question_id": "00" * 16,
            "private_key": "00" * 32,
            "proof": "AAAA-BBBB-CCCC-DDDD",
            "public_key": "00" * 32,
            "purpose": "to look",
            "quarantine_id": "00" * 16,
            "query": "Was the tram late?",
            "records": "Ivo likes tea.",
            "store": str(root / "notes.jsonl"),
            "reason": "a test",
            "receipt": m.recall("bob", "tea")["receipt"],
            "request": {},
            "request_id": self.dsr["request_id"],
            "roles": ["viewer"],
            "rule": "a rule",
            "scope": "job",
            "source": "user",
            "statement": "looked",
            "stream": self.job["job_id"],
            "text": "what is 2 + 2?",
            "token_id": "nothing",
            "user_id": "bob",
            "value": "tea",
            "vote": "abstain",
        }

        self.admin = self.house.showing("root", prove=True)
        self._watch = apsw.Connection(str(self.house.place.file))

    def commits(self) -> int:
        """A number that changes with every commit of anybody else."""
        return int(self._watch.pragma("data_version"))

    def arguments(self, verb: str) -> dict[str, Any]:
        given = {}
        for name, parameter in inspect.signature(method(verb)).parameters.items():
            if name != "self" and parameter.default is inspect.Parameter.empty:
                assert name in self.good, f"give {verb} a good {name} in this table"
                given[name] = self.good[name]
        return given


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("hostile"))
    yield made
    found = made.m.verify()
    assert found["ok"], found
    assert all(job["status"] == "closed" for job in made.m.jobs.list(limit=10_000)["items"])
    made.house.close()


@pytest.mark.parametrize(("verb", "name", "kind"), list(cases()))
def test_no_argument_breaks_a_verb(stage: Stage, verb: str, name: str, kind: str):
    hostile = HOSTILE[kind]
    given = {**stage.arguments(verb), name: hostile}
    call = bound(stage.m, verb)
    before = stage.commits()
    try:
        answer = call(**given)
        answer = _drawn(answer)
    except MaceError as error:
        told = f"{error} {error.details}"
        assert len(told) < 2_000
        assert isinstance(error.user_message, str)
        told.encode()  # what a refusal says can be shown
        if verb not in LEAVES_A_TRACE:
            assert stage.commits() == before, "a refusal that raises does nothing"
    else:
        if isinstance(answer, dict) and answer.get("error_code"):
            assert answer["user_message"] is not None


@pytest.mark.parametrize(("verb", "name", "kind"), list(cases()))
def test_no_argument_of_somebody_else_breaks_a_verb(stage: Stage, verb: str, name: str, kind: str):
    """The same for a caller of whom the policy is asked, who may do nearly everything."""
    given = {**stage.arguments(verb), name: HOSTILE[kind]}
    try:
        _drawn(bound(stage.admin, verb)(**given))
    except MaceError as error:
        told = f"{error} {error.details}"
        assert len(told) < 2_000
        told.encode()


@pytest.mark.parametrize("caller", ["owner", "admin"])
@pytest.mark.parametrize("verb", NAMES)
def test_wrong_usage_is_a_type_error_as_anywhere(stage: Stage, verb: str, caller: str):
    m = stage.m if caller == "owner" else stage.admin
    before = stage.commits()
    for given in (((), {"no_such_argument": 1}), ((None,) * 20, {})):
        with pytest.raises((TypeError, MaceError)):
            _drawn(bound(m, verb)(*given[0], **given[1]))
    assert stage.commits() == before


# Limits


def parameters() -> Iterator[tuple[str, str, Any]]:
    for verb in NAMES:
        hints = get_type_hints(method(verb), include_extras=True)
        for name in inspect.signature(method(verb)).parameters:
            if name != "self":
                yield verb, name, hints[name]


CALLABLE = get_origin(Callable[[], None])
NO_LIMIT_NEEDED = (bool, timedelta)  # of one size
LOOKED_AT_BY_THE_VERB = [
    (verb, name) for verb, name, hint in parameters() if isinstance(marker_of(hint), arguments.ByVerb)
]


@pytest.mark.parametrize(("verb", "name", "hint"), list(parameters()))
def test_every_parameter_has_a_limit(verb: str, name: str, hint: Any):
    """The reference names a number, or the verb looks itself; a choice and a flag need none."""
    marker = marker_of(hint)
    if marker is None:
        kinds = [hint, *get_args(hint)]
        assert any(get_origin(part) in (Literal, CALLABLE) or part in NO_LIMIT_NEEDED for part in kinds)
    elif not isinstance(marker, arguments.ByVerb | arguments.When):
        assert any(character.isdigit() for character in marker.told()), "the reference tells the limit"


@pytest.mark.parametrize("kind", ["text", "object", "list", "lists"])
@pytest.mark.parametrize(("verb", "name"), LOOKED_AT_BY_THE_VERB)
def test_what_a_verb_looks_at_itself_has_a_limit_too(stage: Stage, verb: str, name: str, kind: str):
    huge = {"text": LONG, "object": {"a": LONG}, "list": [LONG], "lists": nested(100_000)}[kind]
    given = {**stage.arguments(verb), name: huge}
    if verb == "experience.write" and name == "megram":
        given["source"] = "solver"
    try:
        answer = _drawn(bound(stage.m, verb)(**given))
    except MaceError as error:
        assert error.code in ("INVALID_INPUT", "PERMISSION_DENIED")
    else:
        nothing = verb == "sem_resolve_alias" and answer is None  # what is no phrase stands for nothing
        assert nothing or (answer.get("error") or answer)["error_code"] in ("INVALID_INPUT", "PERMISSION_DENIED")


REFUSED = {
    "detect_and_handle": (arguments.MAX_SEARCHED_BYTES, lambda m, value: m.detect_and_handle(value)),
    "incidents.report": (
        arguments.MAX_JSON_BYTES,
        lambda m, value: m.incidents.report("a test", evidence={"a": value}),
    ),
    "write_reflective_log": (8 * 1024 * 1024, lambda m, value: m.write_reflective_log({"final_answer": value})),
}


@pytest.mark.parametrize("verb", REFUSED)
def test_a_refusal_names_the_limit_and_does_nothing(stage: Stage, verb: str):
    limit, call = REFUSED[verb]
    before = stage.commits()
    for value, told in (
        ("x" * limit, str(limit)),
        (list(range(10_001)), "more than 10000 values"),
        (nested(201), "nested deeper than 200"),
    ):
        with pytest.raises(InvalidInput, match=told) as caught:
            call(stage.m, value)
        assert not isinstance(caught.value, LogInvalid)
    assert stage.commits() == before


def test_what_is_at_the_limit_is_taken(stage: Stage):
    assert stage.m.detect_and_handle("x" * (arguments.MAX_SEARCHED_BYTES - 2))["status"] == "allowed"
    assert stage.m.detect_and_handle(list(range(9_999)))["status"] == "allowed"
    assert stage.m.detect_and_handle(nested(200))["status"] == "allowed"
    key = "world/fact/deep/value"
    assert stage.m.sem_put(key, nested(200), "system_admin")["success"]
    assert stage.m.sem_get(key)["value"] == nested(200)
    told = stage.m.sem_put(key, nested(201), "system_admin")
    assert told["error_code"] == "INVALID_INPUT"
    assert "nested deeper than 200" in told["error"]["developer_message"]
    assert stage.m.sem_put(key, 1, "system_admin", meta={"a": nested(200)})["error_code"] == "INVALID_INPUT"


def test_lines_of_an_import_have_limits(stage: Stage):
    good = '{"key": "world/fact/limits/value", "value": 1}'
    long = '{"key": "world/fact/limits/other", "value": "' + "x" * 1_000_000 + '"}'
    deep = '{"key": "world/fact/limits/other", "value": ' + "[" * 201 + "]" * 201 + "}"
    answer = stage.m.import_facts([good, long, deep], "system_admin")
    assert answer["imported"] == 1
    reasons = [item["reason"] for item in answer["refused"]]
    assert "1000000" in reasons[0]
    assert "nested deeper than 200" in reasons[1]
    for line in (b"x" * 1_000_001, b"[" * 900 + b"]" * 900):
        with pytest.raises(InvalidInput, match="line 1"):
            stage.m.experience.import_lines([line], "system_admin")


# The table itself


def test_every_row_has_a_method_and_every_method_a_row():
    owners = {"": Mace, **groups()}
    decorated = {
        f"{prefix}.{name}".lstrip("."): found.row
        for prefix, owner in owners.items()
        for name, found in inspect.getmembers_static(owner, inspect.isfunction)
        if hasattr(found, "row")
    }
    assert decorated == {row.name: row for row in VERBS if not row.planned}
    public = {
        f"{prefix}.{name}".lstrip(".")
        for prefix, owner in owners.items()
        for name, _ in inspect.getmembers_static(owner, inspect.isfunction)
        if not name.startswith("_")
    }
    unasked = {"owner", "authenticate", "on_behalf_of", "acting_as", "raise_for", "close"}  # who calls, and how it ends
    assert public - decorated.keys() == unasked
    assert len({row.name for row in VERBS}) == len(VERBS)


@pytest.mark.parametrize("name", NAMES)
def test_a_verb_says_what_it_does_and_of_what_types(name: str):
    verb = method(name)
    assert len((verb.__doc__ or "").strip()) > 10
    hints = get_type_hints(verb, include_extras=True)
    assert set(hints) == {*inspect.signature(verb).parameters} - {"self"} | {"return"}
    row = next(row for row in VERBS if row.name == name)
    for argument in (row.by, row.speaker):
        assert not argument or argument in hints, "the row names an argument of the verb"
    assert row.same_as in ("", *NAMES)
    assert row.action or row.same_as


@pytest.mark.parametrize("row", [row for row in VERBS if not row.planned], ids=lambda row: row.name)
def test_the_example_of_a_verb_runs(stage: Stage, row: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    code = compile(row.example, row.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert f"m.{row.name}(" in row.example
    monkeypatch.chdir(tmp_path)
    for file in ("facts.jsonl", "megrams.jsonl", "notes.jsonl"):
        (tmp_path / file).touch()
    with (tmp_path / "out").open("wb") as file:
        names = {**stage.good, "m": stage.m, "answer": stage.job, "proof": stage.good["proof"], "key": "00" * 32}
        names |= {"public_key": "00" * 32, "text": governed.policy_text(), "file": file, "payload": {}}
        try:
            told = eval(code, names)
            if told is not None:
                asyncio.run(told)
        except MaceError as error:
            assert error.code != "SERVICE_UNAVAILABLE"  # it may be about something that is not there


def test_the_words_that_are_searched_for_have_the_limit_that_the_reference_tells(stage: Stage):
    assert arguments.MAX_CANARIES == canaries.MOST_WORDS
    words = [f"canary-{number}" for number in range(arguments.MAX_CANARIES + 1)]
    with pytest.raises(InvalidInput, match="words has 101 members, at most 100 are allowed"):
        stage.m.forensics.search(words, purpose="a test")
    for wanted in (words[:-1], ["212-555-0198"]):  # what is planted may be personal: it is repeated nowhere
        assert stage.m.forensics.search(wanted, purpose="a test")["rows"] > 0
    reference = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    assert "`words` at most 100 members" in reference
