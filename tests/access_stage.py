"""A store with something of everybody's in it, and somebody in every role: for tests of who may do what.

ana is the person whose account acts, bob is somebody else, and some things are nobody's. What a call uses up is made
anew for it, by the owner. Time stands still but for second-factor codes.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import places
from access_table import ROLES, Whose
from mace.core import seeds
from mace.core.caller import Caller
from mace.core.errors import Conflict, LogInvalid, NotFound
from mace.core.programs import program
from mace.engine.programs.handle import Job
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox
from mace.providers.frozen import CountingEntropy, FrozenClock
from mace.providers.second_factor import Totp
from payloads import log_payload

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PERSON: dict[Whose, str | None] = {"o": "ana", "c": None, "x": "bob", "gone": "zed"}  # zed was never here
FACT: dict[Whose, str] = {
    "o": "user/profile/user_ana/favorite_food",
    "c": "world/fact/pi/value",
    "x": "user/profile/user_bob/favorite_food",
    "gone": "user/profile/user_zed/favorite_food",
}
PREFIX: dict[Whose, str] = {whose: key.rpartition("/")[0] for whose, key in FACT.items()}
MODULE, SPACE, ENTITY = "creative_agent", "tool:shell", "env:local"
MEGRAM = {"space": SPACE, "entity": ENTITY, "content": "it worked", "state": "accept"}


@dataclass(frozen=True)
class Thing:
    """The standing things of one person, or of nobody."""

    job: str
    log: str
    event: str
    consent: str = ""
    dsr: str = ""


NOTHING = Thing("1" * 36, "2" * 36, "3" * 64, "4" * 36, "5" * 36)


class Stage:
    """An open store, its owner's verbs `m`, and everybody's tokens."""

    def __init__(self, root: Path, start: datetime = START) -> None:
        self.place = places.SqlitePlace(root)
        self.place.settings = replace(self.place.settings, dream_settle_ms=3_600_000, context_roots=str(root))
        self.clock = FrozenClock(start)
        self.root = root
        self.m: Mace = self.place.open(clock=self.clock, entropy=CountingEntropy("access"))
        self.totp = Totp()
        self.secrets: dict[str, str] = {}
        self._waiting: dict[str | None, tuple[str, str]] = {}
        self._ends = ExitStack()
        self._count = 0
        self.made: list[str] = []  # jobs that were made for one call
        self.store_file = root / "notes.jsonl"
        self.store_file.write_text(json.dumps({"memory_id": "a", "text": "the staging database"}) + "\n")
        self.private, public = HpkeBox().generate()
        self.m.forensics.set_key(public)
        self._people()
        self._papers()
        self.tokens = {name: self._account(name, role, whose) for name, role, whose in _accounts()}
        for name in ("seat_b", "seat_c"):  # with these there is a council to decide
            self.m.accounts.create(name, ["council"])

    def number(self) -> int:
        self._count += 1
        return self._count

    # What is there

    def _people(self) -> None:
        m = self.m
        m.sem_put("mace/config/agents/allowed_writes", [*_writers()], "system_admin")
        self.things: dict[Whose, Thing] = {"gone": NOTHING}
        whose: Whose
        for whose in ("o", "c", "x"):
            assert m.sem_put(FACT[whose], "3.14159", "system_admin")["success"]
            self.things[whose] = self._things(PERSON[whose])

    def _things(self, who: str | None) -> Thing:
        m = self.m
        told = m.ask("What is 2 + 2?", who)
        assert told["error"] is None and told["log_id"], told
        event = m.events(told["job_id"])[0]["event_id"]
        if who is None:
            return Thing(told["job_id"], told["log_id"], event)
        return Thing(told["job_id"], told["log_id"], event, self.consent(who), self.dsr(who))

    def _papers(self) -> None:
        m = self.m
        self.incident = m.incidents.report("a stolen laptop", jobs=[m.ask("What is 1 + 1?")["job_id"]])["incident_id"]
        self.quarantine = self.quarantined()
        self.erased = self.erasure()
        self.nobodys = m.ask("what is 2+2?")["job_id"]
        self.to_restore = [self.erasure() for _ in range(4)]  # later the council would have to agree
        self.entry = next(item["entry_id"] for item in m.forensics.entries())
        self.review = m.request_review(self.things["c"].job)["request_id"]
        for number in range(6):
            m.experience.write({**MEGRAM, "content": f"lesson {number}"}, "solver")
        self.change = m.experience.dream()["promoted"][0]["change_id"]
        self.rule = m.experience.rules()[0]["id"]
        self.exported = list(m.experience.export())
        m.accounts.create("spare", ["viewer"])
        self.spare_token = m.accounts.issue_token("spare")["token_id"]

    # Made anew

    def consent(self, who: str) -> str:
        return self.m.grant_consent(who, "Keep my phone.")["consent_id"]

    def proof(self, who: str) -> str:
        return self.m.accounts.issue_identity_proof(who)["proof"]

    def dsr(self, who: str) -> str:
        return self.m.request_dsr(who, "export", self.proof(who))["dsr_id"]

    def erasure(self) -> str:
        """A person who was here and is erased; the id of their request."""
        who = f"eve{self.number()}"
        self.m.sem_put(f"user/profile/user_{who}/favorite_food", "pizza", "system_admin")
        asked = self.m.request_dsr(who, "delete", self.proof(who))
        decided = self.m.vote(asked["request_id"], "owner", "approve")
        assert decided["status"] == "approved", decided
        return asked["dsr_id"]

    def quarantined(self) -> str:
        try:
            self.m.write_reflective_log(log_payload(f"q{self.number()}", final_confidence="high"))
        except LogInvalid as error:
            return str(error.details["quarantine_id"])
        raise AssertionError("a bad payload was taken")

    def dreamed(self) -> str:
        """A change of the Dreamer that is the last of its pair."""
        space = f"tool:t{self.number()}"
        for number in range(6):
            self.m.experience.write({**MEGRAM, "space": space, "content": f"lesson {number}"}, "solver")
        return self.m.experience.dream()["promoted"][0]["change_id"]

    def request(self) -> dict[str, Any]:
        budget = {"max_excerpt_tokens": 20, "per_item_max_excerpt_tokens": 20}
        return {"query": "staging database", "store_paths": [str(self.store_file)], "budget": budget}

    def interrupted(self, who: str | None) -> str:
        """The job of a program that was stopped, and can be resumed."""
        seed = f"stopped{self.number()}"
        _STOPPED.discard(seed)  # another stage may have had it
        with suppress(KeyboardInterrupt):
            self.m.perform(_stops_once, {"seed": seed}, who, seed)
        self.made.append(seeds.job_id(seed))
        return self.made[-1]

    @contextmanager
    def asking(self, who: str | None) -> Iterator[tuple[str, str]]:
        """A job that waits for an answer: its id, and that of its question. It ends with the block."""
        seed = f"asks{self.number()}"
        thread = threading.Thread(target=self.m.perform, args=(_asks, {}, who, seed), daemon=True)
        thread.start()
        job_id = seeds.job_id(seed)
        self.made.append(job_id)
        try:
            while True:
                with suppress(NotFound):
                    waiting = self.m.job(job_id)["waiting_for"]
                    if waiting:
                        break
                thread.join(0.01)
            yield job_id, waiting[0]["question_id"]
        finally:
            with suppress(Conflict):
                self.m.cancel(job_id)
            thread.join()

    def waiting(self, who: str | None) -> tuple[str, str]:
        """A job that waits for an answer, the same until it has one; it ends with the stage."""
        held = self._waiting.get(who)
        answered = self.m._parts.performing.mailbox._answer
        if held is None or answered(*held) is not None:
            held = self._waiting[who] = self._ends.enter_context(self.asking(who))
        return held

    # Who is there

    def _account(self, name: str, role: str, whose: Whose) -> str:
        self.m.accounts.create(name, [role], user_id=PERSON[whose])
        self.secrets[name] = self.m.accounts.enrol_second_factor(name)["secret"]
        return self.m.accounts.issue_token(name)["token"]

    def code(self, name: str) -> str:
        self.clock.move(seconds=30)
        return self.totp.code_at(self.secrets[name], self.clock.at)

    def by_token(self, role: str, whose: Whose = "o", *, factor: bool) -> Caller:
        """Somebody in a role by their token, who is ana or nobody."""
        name = account_name(role, whose)
        return self.m.authenticate(self.tokens[name], self.code(name) if factor else None)

    def close(self) -> None:
        self._ends.close()
        self.m.close()


def account_name(role: str, whose: Whose) -> str:
    return f"{role}_of_{'ana' if whose == 'o' or role == 'council' else 'nobody'}"


def _accounts() -> Iterator[tuple[str, str, Whose]]:
    whose: Whose
    for role in ROLES:
        for whose in ("o", "c"):
            if role != "council" or whose == "o":
                yield account_name(role, whose), role, whose


def _writers() -> Iterator[str]:
    """The agents that may write: those with an account, and the owner in that role, named or not."""
    yield from ("ana", "bob", "owner", account_name("agent", "o"), account_name("agent", "c"))


_STOPPED: set[str] = set()


@program("stops_once")
def _stops_once(job: Job, given: Any) -> str:
    """Is stopped the first time it runs."""
    job.call("look", {}, lambda request: 1, idempotent=True)
    if given["seed"] not in _STOPPED:
        _STOPPED.add(given["seed"])
        raise KeyboardInterrupt
    return "done"


@program("asks")
def _asks(job: Job, given: Any) -> str:
    return "yes" if job.ask_person("May I?") else "no"


@program("adds")
def adds(job: Job, given: Any) -> Any:
    """A program that makes one call."""
    return job.call("add", given, lambda request: 4)


async def _performed(m: Mace, w: Whose) -> Any:
    return await m.aperform(adds, {"a": 2}, PERSON[w])


def _recorded(m: Mace, w: Whose) -> Any:
    with m.recording("What is 2 + 2?", PERSON[w]) as job:
        job.answer("4")
    return job.job_id


def _answered(s: Stage, m: Mace, w: Whose) -> Any:
    if w == "gone":
        return m.jobs.answer(NOTHING.job, NOTHING.dsr, True)
    with s.asking(PERSON[w]) as (job_id, question_id):
        return m.jobs.answer(job_id, question_id, True)


def _stopped(s: Stage, w: Whose) -> str:
    return NOTHING.job if w == "gone" else s.interrupted(PERSON[w])


# How each verb is called: as somebody, about whose thing, with what is used up made anew.

Call = Callable[[Stage, Mace, Whose], Any]


def _vote(s: Stage, m: Mace, whose: Whose) -> Any:
    """A review is one admin's to decide, a quarantine the council's."""
    if "council" in m.caller.roles:
        asked = s.m.modules.request_quarantine(MODULE)["request_id"]
    else:
        asked = s.m.request_review(s.m.ask("What is 3 + 3?")["job_id"])["request_id"]
    return m.approvals.vote(asked, "abstain")


def _restore(s: Stage, m: Mace, whose: Whose) -> Any:
    erased = s.to_restore.pop() if "admin" in m.caller.roles else s.erased
    return m.forensics.restore(erased, s.private, purpose="case 7")


def _retract(s: Stage, m: Mace, whose: Whose) -> Any:
    source = f"agent:{m.caller.name}" if "agent" in m.caller.roles else "solver"
    made = s.m.experience.write({**MEGRAM, "space": f"tool:r{s.number()}"}, source)
    return m.experience.retract(made["megram_id"])


CALLS: dict[str, Call] = {
    "ask": lambda s, m, w: m.ask("What is 2 + 2?", PERSON[w]),
    "replay": lambda s, m, w: m.replay(s.things[w].job),
    "perform": lambda s, m, w: m.perform(adds, {"a": 2}, PERSON[w]),
    "aperform": lambda s, m, w: asyncio.run(_performed(m, w)),
    "resume": lambda s, m, w: m.resume(_stopped(s, w)),
    "cancel": lambda s, m, w: m.cancel(_stopped(s, w)),
    "recording": lambda s, m, w: _recorded(m, w),
    "record": lambda s, m, w: m.record("What is 2 + 2?", "4", PERSON[w]),
    "job": lambda s, m, w: m.job(s.things[w].job),
    "jobs.answer": _answered,
    "jobs.list": lambda s, m, w: m.jobs.list(person=PERSON[w]),
    "jobs.logs": lambda s, m, w: m.jobs.logs(person=PERSON[w]),
    "jobs.log": lambda s, m, w: m.jobs.log(s.things[w].log),
    "key": lambda s, m, w: (
        m.key("world", "fact", "Ohm's law", "definition")
        if w == "c"
        else m.key("user", "profile", None, "city", PERSON[w])
    ),
    "sem_get": lambda s, m, w: m.sem_get(FACT[w]),
    "sem_put": lambda s, m, w: m.sem_put(FACT[w], "3.14159"),
    "sem_delete": lambda s, m, w: m.sem_delete(_spare_fact(s, w)),
    "sem_list": lambda s, m, w: m.sem_list(PREFIX[w]),
    "sem_history": lambda s, m, w: m.sem_history(FACT[w]),
    "sem_resolve_alias": lambda s, m, w: m.sem_resolve_alias("my birthday", PERSON[w]),
    "sem_add_alias": lambda s, m, w: m.sem_add_alias("the number pi", FACT["c"]),
    "import_facts": lambda s, m, w: m.import_facts([json.dumps({"key": "world/fact/e/value", "value": "2.7"})]),
    "load_starter_facts": lambda s, m, w: m.load_starter_facts(),
    "remember": lambda s, m, w: m.remember(str(PERSON[w]), "The tram was late."),
    "recall": lambda s, m, w: m.recall(str(PERSON[w]), "tram"),
    "recalled": lambda s, m, w: m.recalled(str(PERSON[w]), s.m.recall(str(PERSON[w]), "tram")["receipt"]),
    "memory_read": lambda s, m, w: m.memory_read(s.request()),
    "memory_explain": lambda s, m, w: m.memory_explain(s.request()),
    "context.read": lambda s, m, w: m.context.read("staging database", stores=[str(s.store_file)]),
    "context.request": lambda s, m, w: m.context.request("staging database", stores=[str(s.store_file)]),
    "context.append": lambda s, m, w: m.context.append(str(s.store_file), f"note {s.number()}"),
    "context.check": lambda s, m, w: m.context.check(str(s.store_file)),
    "write_reflective_log": lambda s, m, w: m.write_reflective_log(log_payload(f"w{s.number()}"), user_id=PERSON[w]),
    "read_reflective_log": lambda s, m, w: m.read_reflective_log(s.things[w].log),
    "update_reflective_log": lambda s, m, w: m.update_reflective_log(s.things[w].log, {"user_feedback": "right"}),
    "amend": lambda s, m, w: m.amend(s.things[w].log, m.caller.name, {"note": "checked"}, "note"),
    "amendments": lambda s, m, w: m.amendments(s.things[w].log),
    "left_out": lambda s, m, w: m.left_out("approvals.list"),
    "recent_logs": lambda s, m, w: m.recent_logs(limit=3),
    "quarantine_read": lambda s, m, w: m.quarantine_read(s.quarantine),
    "event": lambda s, m, w: m.event(s.things[w].event),
    "events": lambda s, m, w: m.events(s.things[w].job),
    "verify": lambda s, m, w: m.verify(read_only=True),
    "attest": lambda s, m, w: m.attest(m.caller.name, "all is well"),
    "checkpoint": lambda s, m, w: m.checkpoint(),
    "public_key": lambda s, m, w: m.public_key(),
    "prove_inclusion": lambda s, m, w: m.prove_inclusion(s.things["c"].event),
    "prove_consistency": lambda s, m, w: m.prove_consistency(1, 2),
    "export": lambda s, m, w: next(m.export()),
    "rotate_key": lambda s, m, w: m.rotate_key(),
    "rotate_master_key": lambda s, m, w: m.rotate_master_key(),
    "detect_and_handle": lambda s, m, w: m.detect_and_handle("two and two", PERSON[w]),
    "grant_consent": lambda s, m, w: m.grant_consent(str(PERSON[w]), "Keep my phone."),
    "revoke_consent": lambda s, m, w: m.revoke_consent(s.things[w].consent),
    "consents": lambda s, m, w: m.consents(str(PERSON[w])),
    "request_dsr": lambda s, m, w: m.request_dsr(str(PERSON[w]), "export", s.proof(str(PERSON[w]))),
    "dsr": lambda s, m, w: m.dsr(s.things[w].dsr),
    "request_review": lambda s, m, w: m.request_review(s.things[w].job),
    "approvals.list": lambda s, m, w: m.approvals.list(),
    "approvals.show": lambda s, m, w: m.approvals.show(s.review),
    "approvals.vote": _vote,
    "approvals.request_review": lambda s, m, w: m.approvals.request_review(s.things[w].job),
    "approvals.propose_policy": lambda s, m, w: m.approvals.propose_policy(
        '@id("a")\npermit (principal, action, resource) when { principal.roles.containsAny(["admin", "council"]) };'
    ),
    "accounts.list": lambda s, m, w: m.accounts.list(),
    "accounts.create": lambda s, m, w: m.accounts.create(f"extra{s.number()}", ["viewer"]),
    "accounts.change": lambda s, m, w: m.accounts.change("spare", active=True),
    "accounts.enrol_second_factor": lambda s, m, w: m.accounts.enrol_second_factor("spare"),
    "accounts.issue_token": lambda s, m, w: m.accounts.issue_token("spare"),
    "accounts.tokens": lambda s, m, w: m.accounts.tokens("spare"),
    "accounts.revoke_token": lambda s, m, w: m.accounts.revoke_token("spare", s.spare_token),
    "accounts.issue_identity_proof": lambda s, m, w: m.accounts.issue_identity_proof("ana"),
    "incidents.list": lambda s, m, w: m.incidents.list(),
    "incidents.show": lambda s, m, w: m.incidents.show(s.incident),
    "incidents.report": lambda s, m, w: m.incidents.report("a lost key"),
    "incidents.report_violation": lambda s, m, w: m.incidents.report_violation(MODULE, "wrote a key"),
    "incidents.acknowledge": lambda s, m, w: m.incidents.acknowledge(s.incident),
    "incidents.lift_halt": lambda s, m, w: m.incidents.lift_halt(s.incident),
    "forensics.set_key": lambda s, m, w: m.forensics.set_key(HpkeBox().generate()[1]),
    "forensics.entries": lambda s, m, w: m.forensics.entries(),
    "forensics.read": lambda s, m, w: m.forensics.read(s.entry, s.private, purpose="case 7"),
    "forensics.restore": _restore,
    "forensics.request_purge": lambda s, m, w: m.forensics.request_purge(s.erased),
    "forensics.search": lambda s, m, w: m.forensics.search(["canaryword"], purpose="case 7"),
    "jobs.request_erasure": lambda s, m, w: m.jobs.request_erasure([s.nobodys]),
    "forensics.read_log": lambda s, m, w: m.forensics.read_log(s.things[w].log, purpose="case 7"),
    "forensics.read_event": lambda s, m, w: m.forensics.read_event(s.things[w].event, purpose="case 7"),
    "forensics.read_quarantine": lambda s, m, w: m.forensics.read_quarantine(s.quarantine, purpose="case 7"),
    "modules.list": lambda s, m, w: m.modules.list(),
    "modules.recover": lambda s, m, w: m.modules.recover(MODULE),
    "modules.request_quarantine": lambda s, m, w: m.modules.request_quarantine(MODULE),
    "modules.request_release": lambda s, m, w: m.modules.request_release(MODULE),
    "modules.queued_writes": lambda s, m, w: m.modules.queued_writes(),
    "modules.retry_queued": lambda s, m, w: m.modules.retry_queued(),
    "describe": lambda s, m, w: m.describe(),
    "sweep": lambda s, m, w: m.sweep(),
    "experience.write": lambda s, m, w: m.experience.write(MEGRAM, user_id=PERSON[w]),
    "experience.record_negative_feedback": lambda s, m, w: m.experience.record_negative_feedback(
        s.rule, "it failed", user_id=PERSON[w]
    ),
    "experience.retract": _retract,
    "experience.query_mk": lambda s, m, w: m.experience.query_mk(SPACE, ENTITY),
    "experience.query_c": lambda s, m, w: m.experience.query_c(SPACE, ENTITY),
    "experience.query_recent": lambda s, m, w: m.experience.query_recent(SPACE, ENTITY),
    "experience.rules": lambda s, m, w: m.experience.rules(),
    "experience.pairs": lambda s, m, w: m.experience.pairs(),
    "experience.history": lambda s, m, w: m.experience.history(SPACE, ENTITY),
    "experience.changes": lambda s, m, w: m.experience.changes(),
    "experience.change": lambda s, m, w: m.experience.change(s.change),
    "experience.persona": lambda s, m, w: m.experience.persona(),
    "experience.describe": lambda s, m, w: m.experience.describe(),
    "experience.flush": lambda s, m, w: m.experience.flush(),
    "experience.dream": lambda s, m, w: m.experience.dream(dry_run=True),
    "experience.roll_back": lambda s, m, w: m.experience.roll_back(s.dreamed()),
    "experience.export": lambda s, m, w: list(m.experience.export()),
    "experience.import_lines": lambda s, m, w: m.experience.import_lines(s.exported),
    "experience.rebuild": lambda s, m, w: m.experience.rebuild(),
}


def _spare_fact(s: Stage, whose: Whose) -> str:
    key = f"{PREFIX[whose]}/spare"
    assert s.m.sem_put(key, "6.28", "system_admin")["success"]
    return key
