"""Arguments of verbs: what a signature asks of them, and words that may not stand on the ledger in plain sight."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import pytest

import governed
import places
from mace.core.answers import Json, JsonInput
from mace.core.errors import InvalidInput, MaceError, NotFound, PermissionDenied, WrongType
from mace.engine.arguments import (
    MAX_CHARACTERS,
    MAX_WORDS,
    AnyJson,
    ByVerb,
    Count,
    Id,
    Ids,
    Instant,
    Line,
    Lines,
    Object,
    Progress,
    Text,
    Texts,
    Words,
    checks_of,
)
from mace.engine.runtime import Mace
from mace.engine.verbs import verb as verb_decorator

PHONE = "212-555-0198"


class Verbs:
    """Signatures as verbs have them; `checked` looks at arguments as `engine.verbs.verb` does."""

    def text(self, name: Line, reason: Line | None = None) -> None: ...

    def statement(self, statement: Words) -> None: ...

    def id(self, job_id: Id) -> None: ...

    def rest(
        self,
        limit: Count = 1,
        keys: Ids | None = None,
        roles: Annotated[Sequence[str], Texts(Text(64), ("user", "admin"))] = (),
        said: Annotated[dict[str, Json] | None, Object()] = None,
        value: Annotated[JsonInput, AnyJson()] = None,
        lines: Annotated[Iterable[str], Lines()] = (),
        life: timedelta | None = None,
        at: Instant | None = None,
        choice: Literal["one", "two"] = "one",
        progress: Progress | None = None,
        anything: Annotated[object, ByVerb("it is answered")] = None,
        *,
        flag: bool = False,
    ) -> None: ...


def checked(verb: str, arguments: dict[str, Any]) -> None:
    method = getattr(Verbs, verb)
    checks = checks_of(method, get_type_hints(method, include_extras=True))
    for name, value in arguments.items():
        if name in checks:
            checks[name](name, value)


@pytest.mark.parametrize(
    ("verb", "arguments", "error"),
    [
        ("text", {"name": "x"}, None),
        ("text", {"name": ""}, None),  # what a text may say is for the verb
        ("text", {"name": "x", "reason": None}, None),
        ("text", {"name": None}, WrongType),
        ("text", {"name": 7}, WrongType),
        ("text", {"name": b"x"}, WrongType),
        ("text", {"name": "x", "reason": ["x"]}, WrongType),
        ("rest", {"roles": ["user"]}, None),
        ("rest", {"roles": ("user", "admin")}, None),
        ("rest", {"roles": ["king"]}, InvalidInput),
        ("rest", {"roles": None}, WrongType),
        ("rest", {"value": ["a", {"b": None}]}, None),
        ("rest", {"value": {"a": object()}}, InvalidInput),
        ("rest", {"at": datetime(2026, 3, 1, tzinfo=UTC)}, None),
        ("rest", {"at": "2026-03-01T00:00:00Z"}, None),
        ("rest", {"at": 1772323200}, WrongType),
        ("rest", {"at": "\x00"}, InvalidInput),
        ("rest", {"choice": "two"}, None),
        ("rest", {"choice": "three"}, InvalidInput),
        ("rest", {"choice": 1}, WrongType),
        ("rest", {"choice": ["one"]}, WrongType),
        ("rest", {"progress": print}, None),
        ("rest", {"progress": "print"}, WrongType),
        ("text", {"name": "a\ud800"}, InvalidInput),
        ("text", {"name": "a\x00"}, InvalidInput),
        ("text", {"name": "x" * MAX_CHARACTERS}, None),
        ("text", {"name": "x" * (MAX_CHARACTERS + 1)}, InvalidInput),
        ("statement", {"statement": "x" * MAX_WORDS}, None),
        ("statement", {"statement": "x" * (MAX_WORDS + 1)}, InvalidInput),
        ("id", {"job_id": "3f" * 32}, None),
        ("id", {"job_id": "job-2026-03-01"}, None),
        ("id", {"job_id": "bob@example.org"}, InvalidInput),
        ("id", {"job_id": f"call {PHONE}"}, InvalidInput),
        ("rest", {"limit": 2**53 - 1}, None),
        ("rest", {"limit": True}, WrongType),
        ("rest", {"limit": 1.0}, WrongType),
        ("rest", {"limit": -1}, InvalidInput),
        ("rest", {"limit": 2**53}, InvalidInput),
        ("rest", {"keys": ["a"]}, None),
        ("rest", {"keys": "a"}, WrongType),
        ("rest", {"keys": [7]}, WrongType),
        ("rest", {"keys": ["\ud800"]}, InvalidInput),
        ("rest", {"keys": ["a"] * 10_001}, InvalidInput),
        ("rest", {"said": {"a": [1, None]}}, None),
        ("rest", {"said": [1]}, WrongType),
        ("rest", {"said": {"a": "\ud800"}}, InvalidInput),
        ("rest", {"said": {"a": float("nan")}}, InvalidInput),
        ("rest", {"said": {1: 2}}, InvalidInput),
        ("rest", {"lines": iter(["a"])}, None),
        ("rest", {"lines": "text"}, WrongType),
        ("rest", {"lines": 7}, WrongType),
        ("rest", {"life": timedelta(1)}, None),
        ("rest", {"life": 1}, WrongType),
        ("rest", {"flag": 1}, WrongType),
        ("rest", {"anything": "\ud800"}, None),
    ],
)
def test_what_a_signature_asks_for(verb: str, arguments: dict[str, Any], error: type[MaceError] | None):
    if error is None:
        checked(verb, arguments)
        return
    with pytest.raises(error) as refused:
        checked(verb, arguments)
    assert refused.value.code == "INVALID_INPUT"
    assert PHONE not in str(refused.value)


def test_a_wrong_type_is_both_kinds_of_error():
    with pytest.raises(TypeError):
        checked("text", {"name": 7})
    with pytest.raises(ValueError, match="name must be a str, got int"):
        checked("text", {"name": 7})


def _none(self: Any, name) -> None: ...  # type: ignore[no-untyped-def]
def _plain(self: Any, name: str) -> None: ...
def _several(self: Any, name: Line | int) -> None: ...
def _unmarked(self: Any, name: Annotated[str, "words"]) -> None: ...
def _any(self: Any, name: Any) -> None: ...
def _list(self: Any, name: list[str]) -> None: ...
def _rest_of(self: Any, *name: Line) -> None: ...
def _named(self: Any, **name: Line) -> None: ...


@pytest.mark.parametrize("verb", [_none, _plain, _several, _unmarked, _any, _list, _rest_of, _named])
def test_a_parameter_that_says_nothing_fails_when_its_verb_is_made(verb: Callable[..., Any]):
    with pytest.raises(TypeError, match="parameter name"):
        checks_of(verb, get_type_hints(verb, include_extras=True))
    with pytest.raises(TypeError, match="parameter name"):
        verb_decorator("ask")(verb)


def test_a_verb_without_a_row_fails_when_it_is_made():
    with pytest.raises(KeyError):
        verb_decorator("no_such_verb")


def test_a_verb_keeps_its_name_and_its_words():
    assert Mace.ask.__name__ == "ask"
    assert (Mace.ask.__doc__ or "").startswith("Answer a question")


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.acting_as(m.owner(PHONE)),
        lambda m: m.acting_as(m.owner("")),
        lambda m: m.acting_as(m.owner("ana@example.org")),
        lambda m: m.acting_as(m.on_behalf_of("ana@example.org")),
        lambda m: m.modules.recover(PHONE),
        lambda m: m.attest(PHONE, "looked"),
        lambda m: m.attest("ana", f"somebody called {PHONE}"),
        lambda m: m.attest("ana", " "),
        lambda m: m.sem_put("world/fact/a/b", "x", "system", job_seed=f"call {PHONE}"),
        lambda m: m.grant_consent("bob", "yes", job_seed="my ssn is 123-45-6789"),
        lambda m: m.ask("what is 2 + 2?", job_seed="ana@example.org"),
        lambda m: m.detect_and_handle("hi", job_seed="password: hunter2hunter2"),
        lambda m: m.incidents.report(f"{PHONE} called"),
        lambda m: m.approvals.propose_policy(f"{governed.policy_text()}\n// ask {PHONE}"),
        lambda m: m.key("world", "fact", "ana@example.org", "age"),
        lambda m: m.key("world", "fact", "a call", f"to {PHONE}"),
        lambda m: m.accounts.issue_token(PHONE),
        lambda m: m.accounts.enrol_second_factor(PHONE),
        lambda m: m.vote("my password is hunter2", "owner", "approve"),
    ],
)
def test_nothing_personal_stands_in_plain_sight(mace_home: places.SqlitePlace, call: Callable[[Mace], Any]):
    with mace_home.open() as m:
        before = m.describe()["events"]
        with pytest.raises(InvalidInput) as refused:
            call(m)
        assert m.describe()["events"] == before
        assert PHONE not in str(refused.value)


@pytest.mark.parametrize("source", ["a\ud800", "a\x00b", "x" * 5000, 5, b"x"])
def test_a_source_that_cannot_be_stored_is_not_even_refused_on_the_record(mace_home: places.SqlitePlace, source: Any):
    with mace_home.open() as m:
        before = m.describe()["events"]
        for call in (
            lambda: m.sem_delete("world/fact/a/b", source),
            lambda: m.sem_add_alias("tint", "world/fact/a/b", source),
            lambda: m.sem_list("world", source),
        ):
            with pytest.raises(InvalidInput) as refused:
                call()
            assert str(source) not in str(refused.value) or source == 5
        assert m.describe()["events"] == before


@pytest.mark.parametrize("source", [PHONE, "ana@example.org", "my password is hunter2"])
def test_who_was_refused_is_named_only_if_that_may_be_said(mace_home: places.SqlitePlace, source: str):
    with mace_home.open() as m:
        answers: list[Any] = [
            m.sem_delete("world/fact/a/b", source),
            m.sem_add_alias("tint", "world/fact/a/b", source),
        ]
        assert [answer["error_code"] for answer in answers] == ["PERMISSION_DENIED"] * 2
        with pytest.raises(PermissionDenied) as refused:
            m.sem_list("world", source)
        assert refused.value.details["actor"] == "[redacted]"
        assert source not in str(refused.value)
        assert {answer["error"]["meta"]["actor"] for answer in answers} == {"[redacted]"}
        with suppress(InvalidInput):  # of what cannot even be stored
            assert m.import_facts([b"{}"], source)["refused"]
        assert m.verify()["ok"]
    files = b"".join(file.read_bytes() for file in mace_home.folder.rglob("*") if file.is_file())
    assert source.encode("utf-8", "surrogatepass") not in files


@pytest.mark.parametrize("verb", ["request_quarantine", "request_release"])
def test_only_modules_that_there_are_are_asked_about(tmp_path: Path, verb: str):
    house = governed.House(tmp_path)
    with pytest.raises(NotFound, match="a module of this name"):
        getattr(house.m.modules, verb)("no_such_agent")
    assert house.m.approvals.list() == []
    house.m.sem_put("mace/config/agents/allowed_writes", ["scout"], "system_admin")
    house.m.incidents.report_violation("stranger", "wrote where it may not")
    for known in ("math_agent", "language_engine", "scout", "stranger"):
        assert getattr(house.m.modules, verb)(known)["status"] == "open"
    assert house.m.modules.recover("stranger")["status"] == "healthy"
    with pytest.raises(NotFound):
        house.m.modules.recover("no_such_agent")
    house.close()


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("Remember my email is ana@example.org", "PRIVACY_BLOCKED", "Privacy policy blocked data of type email."),
        ("Remember my nickname is [redacted]", "INVALID_INPUT", "stands for something that was taken out"),
    ],
)
def test_a_placeholder_is_told_by_what_it_stands_for(mace_home: places.SqlitePlace, text: str, code: str, told: str):
    with mace_home.open() as m:
        answer = m.ask(text, "bob")
        assert answer["error"]["error_code"] == code
        assert told in answer["error"]["developer_message"]
        assert m.replay(answer["job_id"])["result"] == "MATCH"
