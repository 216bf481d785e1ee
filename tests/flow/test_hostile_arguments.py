"""Every verb of the table with every hostile argument: refused in its own words, and nothing is half done."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import apsw
import pytest

import governed
from mace.core.errors import MaceError
from mace.engine import groups as groups_package
from mace.engine.groups.base import Group
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS, Verb

LONG = "x" * 10_000_000
MEGRAM = {"space": "tool:shell", "entity": "path:/srv", "content": "use rsync", "state": "accept"}
HOSTILE: dict[str, Any] = {
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
LEAVES_A_TRACE = {"prove_inclusion", "write_reflective_log", "sem_list"}

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
            "event_id": m.events("system")[0]["event_id"],
            "incident_id": self.incident["incident_id"],
            "job_id": self.job["job_id"],
            "key": KEY,
            "kind": "export",
            "lines": [],
            "log_id": self.job["log_id"],
            "member": "owner",
            "module_id": "math_agent",
            "name": "root",
            "new_size": 2,
            "old_size": 1,
            "patch": {"audit_tags": ["seen"]},
            "payload": {},
            "prefix": "user",
            "private_key": "00" * 32,
            "proof": "AAAA-BBBB-CCCC-DDDD",
            "public_key": "00" * 32,
            "purpose": "to look",
            "quarantine_id": "00" * 16,
            "reason": "a test",
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
        if inspect.isgenerator(answer):
            list(answer)
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
        answer = bound(stage.admin, verb)(**given)
        if inspect.isgenerator(answer):
            list(answer)
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
            answer = bound(m, verb)(*given[0], **given[1])
            if inspect.isgenerator(answer):
                list(answer)
    assert stage.commits() == before


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
    compile(row.example, row.name, "exec")
    assert f"m.{row.name}(" in row.example
    monkeypatch.chdir(tmp_path)
    for file in ("facts.jsonl", "megrams.jsonl", "notes.jsonl"):
        (tmp_path / file).touch()
    with (tmp_path / "out").open("wb") as file:
        names = {**stage.good, "m": stage.m, "answer": stage.job, "proof": stage.good["proof"], "key": "00" * 32}
        names |= {"public_key": "00" * 32, "text": governed.policy_text(), "file": file, "payload": {}}
        try:
            exec(row.example, names)
        except MaceError as error:
            assert error.code != "SERVICE_UNAVAILABLE"  # it may be about something that is not there
