"""Every public verb of `Mace` with every hostile argument: refused in its own words, and nothing is half done."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import governed
from mace.core.errors import MaceError
from mace.engine.runtime import Mace
from mace.governance.access import Principal, Resource

LONG = "x" * 10_000_000
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
LIFE = {"close", "sweep", "describe", "export", "load_starter_facts"}  # nothing is given to them, or all is at its end
# Refusals of these are part of the record.
LEAVES_A_TRACE = {"authorise", "prove_inclusion", "write_reflective_log"}  # a denial, a checkpoint, a quarantine

KEY = "user/profile/user_bob/favorite_food"


def verbs() -> list[str]:
    found = inspect.getmembers_static(Mace, inspect.isfunction)
    return [name for name, _ in found if not name.startswith("_") and name not in LIFE]


def cases() -> Iterator[tuple[str, str, str]]:
    for verb in verbs():
        for name, parameter in inspect.signature(getattr(Mace, verb)).parameters.items():
            if name in ("self", "progress"):
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
        code = m.issue_identity_proof("bob", "owner")["proof"]
        self.dsr = m.request_dsr("bob", "delete", code, [KEY])
        self.incident = m.report_security_incident("somebody tried the door")
        m.checkpoint()
        self.good: dict[str, Any] = {
            "account": "root",
            "action": "sem_get",
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
            "principal": Principal(name="x", roles=frozenset({"viewer"})),
            "private_key": "00" * 32,
            "proof": "AAAA-BBBB-CCCC-DDDD",
            "public_key": "00" * 32,
            "purpose": "to look",
            "quarantine_id": "00" * 16,
            "reason": "a test",
            "request": {},
            "request_id": self.dsr["request_id"],
            "resource": Resource("fact:world"),
            "roles": ["viewer"],
            "rule": "a rule",
            "scope": "job",
            "source": "user",
            "statement": "looked",
            "stream": self.job["job_id"],
            "text": "what is 2 + 2?",
            "token": "nothing",
            "token_id": "nothing",
            "user_id": "bob",
            "value": "tea",
            "vote": "abstain",
        }

        self._watch = apsw.Connection(str(self.house.place.file))

    def commits(self) -> int:
        """A number that changes with every commit of anybody else."""
        return int(self._watch.pragma("data_version"))

    def arguments(self, verb: str) -> dict[str, Any]:
        given = {}
        for name, parameter in inspect.signature(getattr(Mace, verb)).parameters.items():
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
    assert all(job["status"] == "closed" for job in made.m.jobs(10_000))
    made.house.close()


@pytest.mark.parametrize(("verb", "name", "kind"), list(cases()))
def test_no_argument_breaks_a_verb(stage: Stage, verb: str, name: str, kind: str):
    hostile = HOSTILE[kind]
    given = {**stage.arguments(verb), name: hostile}
    call: Callable[..., Any] = getattr(stage.m, verb)
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
