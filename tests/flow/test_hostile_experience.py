"""Every verb of experience with every hostile argument: refused in its own words, and nothing is half done."""

import inspect
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest

import lived
from lived import ENTITY, SPACE
from mace.core.errors import FAILURES, InvalidInput, MaceError, WrongType
from mace.engine.experience.service import ExperienceService
from mace.engine.runtime import Mace


class NoZone(tzinfo):
    """A zone that does not know its offset."""

    def utcoffset(self, _: datetime | None) -> timedelta | None:
        return None


HOSTILE: dict[str, Any] = {
    "unpaired surrogate": "a\ud800b",
    "NUL": "a\x00b",
    "ten million characters": "x" * 10_000_000,
    "ten million digits": "1" * 10_000_000,
    "empty": "",
    "white space": " \t\n",
    "number": 7,
    "negative": -1,
    "huge number": 10**5000,
    "float": 1.5,
    "not a number": float("nan"),
    "infinity": float("inf"),
    "true": True,
    "word for no": "no",
    "bytes": b"a\xff",
    "list of a surrogate": ["\udfff"],
    "list of numbers": [1, 2.5, None],
    "object of a surrogate": {"a": "\ud800"},
    "object with odd names": {10**5000: 1, ("a",): 2, None: 3},
    "set": {1},
    "object": object(),
    "function": len,
    "nothing": None,
    "naive instant": datetime(2026, 1, 1),
    "instant without an offset": datetime(2026, 1, 1, tzinfo=NoZone()),
    "first instant": datetime.min.replace(tzinfo=UTC),
    "last instant": datetime.max.replace(tzinfo=UTC),
    "personal": "canary.bird.77@gmail.com",
}
MEGRAM = {"space": SPACE, "entity": ENTITY, "content": "it worked", "state": "accept"}
GOOD: dict[str, Any] = {
    "megram": MEGRAM,
    "source": "system_admin",
    "space": SPACE,
    "entity": ENTITY,
    "content": "no",
    "lines": [],
}
REACHES_A_STORE = ("unpaired surrogate", "NUL", "ten million characters", "huge number", "negative")


def verbs() -> list[str]:
    found = inspect.getmembers_static(ExperienceService, inspect.isfunction)
    return [
        name
        for name, _ in found
        if not name.startswith("_") and name not in ("close", "export", "rebuild", "flush", "describe")
    ]


def cases() -> Iterator[tuple[str, str, str, str]]:
    """All on SQLite; on the others what a store could stumble over, if it got there."""
    for verb in verbs():
        for name, parameter in inspect.signature(getattr(ExperienceService, verb)).parameters.items():
            for kind, value in HOSTILE.items():
                if name not in ("self", "shows") and not (value is None and parameter.default is None):
                    yield "sqlite", verb, name, kind
                    if kind in REACHES_A_STORE:
                        yield "postgres", verb, name, kind
                        yield "leveldb", verb, name, kind


class Stage:
    """A small world in which every verb could work, if its arguments were good."""

    def __init__(self, m: Mace) -> None:
        self.m = m
        (self.megram_id, *_) = lived.write(m, "accept", 6)
        (change,) = m.experience.dream()["promoted"]
        self.good = {
            **GOOD,
            "megram_id": self.megram_id,
            "rule_id": m.experience.rules()[0]["id"],
            "change_id": change["change_id"],
        }

    def arguments(self, verb: str) -> dict[str, Any]:
        given = {}
        for name, parameter in inspect.signature(getattr(ExperienceService, verb)).parameters.items():
            if name != "self" and parameter.default is inspect.Parameter.empty:
                assert name in self.good, f"give {verb} a good {name} in this table"
                given[name] = self.good[name]
        return given

    def state(self) -> dict[str, Any]:
        return lived.held(self.m)


@pytest.fixture(scope="module", params=["sqlite"])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    root: Path = tmp_path_factory.mktemp("hostile")
    with lived.opened(lived.place_for(request.param, root, request)) as m:
        yield Stage(m)
        found = m.verify()
        assert found["ok"], found
        lived.assert_follows_from_the_ledger(m)


def ran(call: Callable[..., Any], given: dict[str, Any]) -> Any:
    answer = call(**given)
    return list(answer) if inspect.isgenerator(answer) else answer


@pytest.mark.parametrize(("stage", "verb", "name", "kind"), list(cases()), indirect=["stage"], scope="module")
def test_no_argument_breaks_a_verb(stage: Stage, verb: str, name: str, kind: str):
    given = {**stage.arguments(verb), name: HOSTILE[kind]}
    try:
        answer = ran(getattr(stage.m.experience, verb), given)
    except MaceError as error:
        told = f"{error} {error.details}"
        assert len(told) < 2_000
        told.encode()  # what a refusal says can be shown
        assert error.code in ("INVALID_INPUT", "NOT_FOUND", "PERMISSION_DENIED"), error
        assert "canary" not in told
    else:
        if isinstance(answer, dict) and answer.get("error_code"):
            assert answer["error_code"] in FAILURES
            assert answer["error_code"] not in ("SERVICE_UNAVAILABLE", "SEM_WRITE_FAIL"), answer
            assert "canary" not in repr(answer)
            repr(answer).encode()


@pytest.mark.parametrize("field", ["space", "entity", "content", "state", "created_at"])
@pytest.mark.parametrize("kind", [kind for kind in HOSTILE if kind not in ("personal",)])
def test_no_field_of_a_megram_breaks_a_write(stage: Stage, field: str, kind: str):
    answer = stage.m.experience.write({**MEGRAM, field: HOSTILE[kind]}, "solver")
    assert answer["success"] or answer["error_code"] == "INVALID_INPUT", answer
    repr(answer).encode()


@pytest.mark.parametrize(
    ("verb", "given", "told"),
    [
        ("changes", {"limit": "x"}, "limit must be an int, got str"),
        ("changes", {"limit": True}, "limit must be an int, got bool"),
        ("history", {"space": SPACE, "entity": ENTITY, "points": "x"}, "points must be an int, got str"),
        ("history", {"space": SPACE, "entity": ENTITY, "points": float("nan")}, "points must be an int, got float"),
        ("dream", {"dry_run": "no"}, "dry_run must be a bool, got str"),
        ("dream", {"dry_run": 1}, "dry_run must be a bool, got int"),
        ("query_recent", {"space": SPACE, "entity": ENTITY, "n": 1.0}, "n must be an int, got float"),
        ("rules", {"limit": 1.5}, "limit must be an int, got float"),
        ("rules", {"search": 5}, "search must be a str, got int"),
        ("pairs", {"search": b"x"}, "search must be a str, got bytes"),
        ("pairs", {"limit": "1"}, "limit must be an int, got str"),
        ("roll_back", {"change_id": 5}, "change_id must be a str, got int"),
        ("change", {"change_id": None}, "change_id must be a str, got NoneType"),
        (
            "import_lines",
            {"lines": "x", "source": "system_admin"},
            "lines must be an iterable of lines, got str",
        ),
        ("import_lines", {"lines": [5], "source": "system_admin"}, "line 1 must be a str or bytes, got int"),
        ("import_lines", {"lines": [], "source": "system_admin", "progress": 5}, "progress must be callable, got int"),
    ],
)
def test_a_wrong_type_is_told_with_its_name(stage: Stage, verb: str, given: dict[str, Any], told: str):
    before = stage.state()
    with pytest.raises(WrongType) as caught:
        ran(getattr(stage.m.experience, verb), given)
    assert str(caught.value) == told
    assert stage.state() == before


@pytest.mark.parametrize(
    ("verb", "given", "told"),
    [
        ("changes", {"limit": 0}, "limit must be from 1 to 100000"),
        ("changes", {"limit": 100_001}, "limit must be from 1 to 100000"),
        ("changes", {"limit": 10**30}, "limit must be from 0 to"),
        ("history", {"space": SPACE, "entity": ENTITY, "points": 1}, "points must be from 2 to 1000"),
        ("rules", {"search": ""}, "search must have 1 to 1024 characters"),
        ("pairs", {"search": "a\x01b"}, "no control characters"),
        ("pairs", {"search": "a\x00b"}, "search must not contain NUL"),
        ("roll_back", {"change_id": "x" * 65}, "change_id must have at most 64 characters"),
        ("roll_back", {"change_id": "\ud800"}, "unpaired surrogates"),
        ("retract", {"megram_id": "x" * 65}, "megram_id must have at most 64 characters"),
        ("query_mk", {"space": "", "entity": ENTITY}, "space must be a str of 1 to 1024 characters"),
        ("query_mk", {"space": SPACE, "entity": ENTITY, "now": "soon"}, "now must be a time with a time zone"),
    ],
)
def test_a_wrong_value_is_told_with_what_would_be_right(stage: Stage, verb: str, given: dict[str, Any], told: str):
    try:
        answer = ran(getattr(stage.m.experience, verb), given)
    except InvalidInput as error:
        assert told in str(error)
    else:
        assert told in answer["error"]["developer_message"]
