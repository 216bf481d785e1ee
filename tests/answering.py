"""A small world in which every verb has something to answer about: for tests of what the answers are."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

import places
from governed import parts_of
from mace.core.errors import LogInvalid
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox
from mace.providers.frozen import FrozenClock
from payloads import log_payload

RECORDS = [
    {"memory_id": "a", "text": "The invoice of May was paid on 2 June.", "tags": ["invoice"]},
    {"memory_id": "b", "text": "The staging database lies in Frankfurt.", "tags": ["infra"]},
    {"memory_id": "c", "text": "Lunch is at noon."},
]
PHONE, CARD = "212-555-0198", "4111 1111 1111 1111"


@contextmanager
def store_down(place: places.SqlitePlace) -> Iterator[None]:
    """Somebody else has the database and does not let go."""
    other = apsw.Connection(str(place.file))
    other.execute("begin immediate")
    try:
        yield
    finally:
        other.execute("rollback")
        other.close()


class Stage:
    """An open embedded MACE `m`, and ways to give it what a verb needs; each way may be gone twice."""

    def __init__(self, root: Path, clock: FrozenClock, **options: Any) -> None:
        self.place = places.SqlitePlace(root)
        self.place.settings = replace(self.place.settings, busy_timeout_ms=1, dream_settle_ms=3_600_000)
        self.clock = clock
        self.m: Mace = self.place.open(clock=clock, **options)
        self.closed: Mace = places.SqlitePlace(root / "closed").open(clock=clock)
        parts_of(self.closed).world.store.close()  # the store under it is gone
        self.store = root / "store.jsonl"
        self.store.write_text("\n".join(map(json.dumps, RECORDS)) + "\nnot json\n")
        self.private, self.public = HpkeBox().generate()
        self.m.forensics.set_key(self.public)
        self._numbers = count(1)
        self.bob: Mace = self.m.acting_as(self.m.on_behalf_of("bob"))
        self.viewer: Mace = self.m.acting_as(self.m.owner("vi", roles=["viewer"]))

    def name(self, kind: str) -> str:
        """A name that nobody has yet."""
        return f"{kind}_{next(self._numbers)}"

    # Questions and logs

    def job(self) -> str:
        return str(self.m.ask("What is 2 + 2?")["job_id"])

    def stream(self) -> str:
        """The stream of a write: a job that is no question, so that nobody misses its replay."""
        self.m.sem_put("world/fact/a/stream", self.name("value"), "system")
        return str(self.m.sem_history("world/fact/a/stream")[-1]["job_id"])

    def log(self) -> str:
        return str(self.m.ask("What is 2 + 2?")["log_id"])

    def own_log(self, **changes: Any) -> str:
        return self.m.write_reflective_log(log_payload(self.name("log"), **changes))

    def personal_log(self) -> str:
        output = {**log_payload()["agent_outputs"][0], "text": f"call {PHONE}", "reasoning_trace": [f"saw {PHONE}"]}
        vote = {"council_agent_id": "one", "scores": {}, "approve": False, "note": f"holds {PHONE}"}
        return self.own_log(agent_outputs=[output], council_votes=[vote], final_answer=f"call {PHONE}")

    def long_log(self) -> str:
        return self.own_log(agent_outputs=[{**log_payload()["agent_outputs"][0], "text": "x" * 20_000}])

    def quarantined(self) -> str:
        with pytest.raises(LogInvalid) as refused:
            self.m.write_reflective_log({"log_id": self.name("nonsense")})
        return refused.value.quarantine_id

    def event_id(self, event_type: str = "JOB_CLOSED") -> str:
        events = self.m.events(self.job())
        return str(next(event["event_id"] for event in events if event["event_type"] == event_type))

    def context(self, **changes: Any) -> dict[str, Any]:
        budget = {"max_excerpt_tokens": 12, "per_item_max_excerpt_tokens": 10}
        return {"query": "staging database", "store_paths": [str(self.store)], "budget": budget, **changes}

    def notes(self, *lines: str) -> str:
        """A store with these lines."""
        path = self.store.parent / f"{self.name('notes')}.jsonl"
        path.write_text("".join(f"{line}\n" for line in lines))
        return str(path)

    # People

    def consent(self, user_id: str, scope: str = "persistent", **options: Any) -> str:
        until = None if scope == "job" else "2035-01-01T00:00:00Z"
        words = self.name("you may keep it")
        return str(self.m.grant_consent(user_id, words, scope, expires_at=until, **options)["consent_id"])

    def person(self) -> str:
        """Somebody with a fact, a consent, an answered question and a piece of experience."""
        who = self.name("person")
        self.m.sem_put(f"user/profile/user_{who}/favorite_food", "tea", "user", notes="said so", user_id=who)
        self.m.ask("What is my favorite food?", who)
        self.consent(who)
        self.m.experience.write(self.megram(), "solver", user_id=who)
        return who

    def proof(self, who: str) -> str:
        return str(self.m.accounts.issue_identity_proof(who)["proof"])

    def deletion(self, **options: Any) -> dict[str, Any]:
        who = self.person()
        return self.m.request_dsr(who, "delete", self.proof(who), **options)

    def export(self) -> dict[str, Any]:
        who = self.person()
        return self.m.request_dsr(who, "export", self.proof(who))

    def erased(self) -> str:
        asked = self.deletion()
        self.m.vote(asked["request_id"], "owner", "approve")
        return str(asked["dsr_id"])

    # Approvals, incidents, accounts

    def review(self) -> str:
        return str(self.m.request_review(self.job())["request_id"])

    def promotion(self) -> dict[str, Any]:
        """A write of what is highly sensitive, with consent: it waits for approval."""
        who = self.name("person")
        key = f"user/profile/user_{who}/card"
        return self.m.sem_put(key, CARD, "user", user_id=who, consent_id=self.consent(who))

    def violation(self) -> dict[str, Any]:
        return self.m.incidents.report_violation("creative_agent", "wrote where it may not", evidence={"key": "value"})

    def incident(self, **options: Any) -> str:
        return str(self.m.incidents.report(self.name("somebody tried the door"), **options)["incident_id"])

    def policy(self) -> str:
        from governed import policy_text

        return policy_text() + f"\n// {self.name('edition')}\n"

    def account(self, *roles: str) -> str:
        name = self.name("account")
        self.m.accounts.create(name, list(roles or ("user",)))
        return name

    # Experience

    def megram(self, state: str = "accept", **changes: Any) -> dict[str, Any]:
        return {"space": "tool:shell", "entity": "path:/srv", "content": "use rsync", "state": state, **changes}

    def lived(self, state: str = "accept", times: int = 6, entity: str | None = None) -> str:
        entity = entity or self.name("path")
        for number in range(times):
            told = self.m.experience.write(self.megram(state, entity=entity, content=f"lesson {number}"), "solver")
            assert told["success"]
        return entity

    def ruled(self) -> str:
        entity = self.lived()
        self.m.experience.dream()
        return entity

    def overruled(self) -> dict[str, Any]:
        """A dream in which a rule goes and another comes."""
        entity = self.ruled()
        self.lived("abandon", 9, entity)
        return self.m.experience.dream()

    def forgotten(self) -> dict[str, Any]:
        self.lived("refine", 1)
        return self.m.experience.dream("2027-01-01T00:00:00Z")

    def rule(self) -> str:
        return str(self.m.experience.query_c("tool:shell", self.ruled())[0]["id"])

    # What goes wrong

    def write_while_down(self) -> dict[str, Any]:
        with store_down(self.place):
            return self.m.sem_put("world/fact/lost/thing", self.name("value"), "system")

    def appended_while_down(self) -> dict[str, Any]:
        store = self.notes()
        with store_down(self.place):
            return cast(dict[str, Any], self.m.context.append(store, "tea"))

    def queued(self) -> Mace:
        self.write_while_down()
        assert self.m.sem_put("world/fact/other/thing", self.name("value"), "system")["success"]  # brings it in
        return self.m

    def close(self) -> None:
        self.m.close()


class Broken:
    """A MACE of which something was changed behind its back."""

    def __init__(self, root: Path, clock: FrozenClock, *statements: str, **options: Any) -> None:
        self.place = place = places.SqlitePlace(root)
        place.settings = replace(place.settings, busy_timeout_ms=1)
        with place.open(clock=clock) as m:
            m.sem_put("user/profile/user_bob/favorite_food", "tea", "user")
            self.job: str = m.ask("What is my favorite food?", "bob")["job_id"]
        with place.sql() as sql:
            for statement in statements:
                sql(statement)
        self.m: Mace = place.open(clock=clock, **options)

    def store_down(self) -> AbstractContextManager[None]:
        return store_down(self.place)

    def close(self) -> None:
        self.m.close()


__all__ = ["CARD", "PHONE", "Broken", "Stage"]
