"""Approvals as they lie on the ledger: requests, signed votes, decisions, and what a decision sets in motion.

A request is an immutable record, so is each vote (one key per member: nobody votes twice) and the decision. Each counts
as far as its event says so: what was voted and decided stays so, whatever becomes of the rows. What follows from an
approval happens in the unit of the deciding vote, or the vote does not happen either.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mace.core import seeds
from mace.core.caller import Caller
from mace.core.errors import IntegrityFailure, InvalidInput, NotFound, PermissionDenied, PreconditionFailed
from mace.core.times import iso_us, parse_instant
from mace.engine.governance.accounts import Accounts
from mace.engine.governance.asked import Asked
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.journal import Journal, SystemJournal, VerbJournal
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.ledger.logs import LogVerbs
from mace.governance import approvals
from mace.governance.approvals import Alert, ApprovalRules, Kind, Request, Status, Vote
from mace.governance.erasure import VOTE
from mace.ledger import records
from mace.storage.ports import Record, Tx

# What a decision sets in motion, in the unit of the deciding vote and by whom; returns what the voter hears of it.
Carry = Callable[[Tx, Journal, dict[str, Any], str], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """What follows from a decision about one kind of request: in its unit, and once that is committed.

    `before` is done ahead of every vote on such a request, in a unit of its own. `takes` are the keys that an approval
    of a subject request would take away as things stand, for whoever votes.
    """

    before: Callable[[], None] | None = None
    approved: Carry | None = None
    rejected: Carry | None = None
    afterwards: Callable[[], None] | None = None
    takes: Callable[[Tx, dict[str, Any]], list[str]] | None = None


MAX_REASON = 200  # characters
_OF_SUBJECTS = ("erase", "rectify")  # a purge is an admin's idea
_ALERTED = "approval_alert"


class Approvals:
    """Approval requests: opens them, counts votes, and carries out what was approved."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        vault: Vault,
        bound: Bound,
        accounts: Accounts,
        rules: ApprovalRules,
        triggers: Callable[[], Mapping[Kind, Triggers]],
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._accounts = accounts
        self._rules = rules
        self._triggers = triggers  # one table, in wiring: asked for when something is decided

    # Asking

    def open(
        self,
        tx: Tx,
        journal: Journal,
        kind: Kind,
        requested_by: str,
        about: str,
        details: dict[str, Any],
        event_type: str = "APPROVAL_REQUESTED",
        request_id: str | None = None,
        papers: Sequence[Record] = (),
    ) -> dict[str, Any]:
        """Make a request, or return the open one that says the same about the same thing; its event names `papers`."""
        tx.lock(f"approval/{about}")
        earlier = self._bound.children(tx, "approval", about)
        for _, held in earlier:
            if held["kind"] == kind and held["details"] == details and self._status(tx, held) is Status.OPEN:
                return held
        now = self._world.clock.now()
        members = self._accounts.council(tx)
        content: dict[str, Any] = {
            "request_id": request_id or self._fresh_id(tx, f"{kind}/{about}", len(earlier)),
            "kind": kind.value,
            "requested_by": requested_by,
            "decided_by": approvals.who_decides(kind, len(members), self._rules),
            "members": members,
            "about": about,
            "details": details,
            "created_at": iso_us(now),
            "expires_at": iso_us(now + self._rules.expires_after),
        }
        record = records.make("approval", content["request_id"], content, self._world.keys.sign, parent=about)
        self._bound.add(tx, record)
        payload = {
            "request_id": content["request_id"],
            "kind": kind.value,
            "decided_by": content["decided_by"],
            **details,
            "record": records.reference(record),
        }
        if papers:
            payload["records"] = [records.reference(paper) for paper in papers]
        journal.event(tx, event_type, payload, signed_by=requested_by)
        return content

    def _fresh_id(self, tx: Tx, about: str, number: int) -> str:
        """An id that neither an event nor a row has taken."""
        while True:
            request_id = seeds.derived_uuid("approval", f"{about}/{number}")
            taken = tx.records.get("approval", request_id) is not None
            if not taken and not self._bound.happened(tx, "approval", request_id):
                return request_id
            number += 1

    def request(
        self,
        kind: Kind,
        about: str,
        details: dict[str, Any],
        by: str,
        *,
        job_seed: str | None = None,
    ) -> dict[str, Any]:
        """Ask for something that others decide; the parts that carry it out call this."""
        journal = self._journal("request_approval", job_seed)

        def unit(tx: Tx) -> dict[str, Any]:
            return self.shown(tx, self.open(tx, journal, kind, by, about, details))

        return self._world.store.write(unit)

    def decide_alone(
        self,
        kind: Kind,
        about: str,
        details: dict[str, Any],
        by: Caller,
    ) -> dict[str, Any]:
        """Ask and approve in one step where one admin suffices; else leave the request open for whoever decides it."""
        journal = self._journal("request_approval", None)

        def unit(tx: Tx) -> dict[str, Any]:
            held = self.open(tx, journal, kind, by.name, about, details)
            tx.lock(f"vote/{held['request_id']}")
            now = self._world.clock.now()
            voter = self._accounts.voter(tx, by)
            request = _request(held, self._person_of(tx, held))
            refused = approvals.refusal(request, self._votes(tx, held), voter, approvals.APPROVE, now)
            if refused is not None:
                return {**self.shown(tx, held), "result": {}}
            return self._take(tx, journal, held, by, approvals.APPROVE, None)

        return self._settled(self._world.store.write(unit))

    def _settled(self, answer: dict[str, Any]) -> dict[str, Any]:
        """What an approval leaves to do once it is committed."""
        follow = self._triggers().get(Kind(answer["kind"])) if answer["status"] == Status.APPROVED else None
        if follow is not None and follow.afterwards is not None:
            follow.afterwards()
        return answer

    def _journal(self, verb: str, job_seed: str | None) -> VerbJournal:
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        return VerbJournal(self._recorder, verb, seed)

    # Looking

    def get(self, request_id: str, *, asks: bool = False) -> dict[str, Any]:
        """Return one request with its votes; with `asks` also what it asks for, for whoever votes."""

        def look(tx: Tx) -> dict[str, Any]:
            held = self._held(tx, request_id)
            return {**self.shown(tx, held), **({"asks": self._asked().of(tx, held)} if asks else {})}

        return self._world.store.read(look)

    def all(self, *, only_open: bool = False, asks: bool = False) -> list[dict[str, Any]]:
        """Return all requests, or only those on which a vote still counts, late ones among them.

        What is damaged is left out, and `left_out` counts it.
        """

        def look(tx: Tx) -> list[dict[str, Any]]:
            asked = self._asked()
            found = []
            for _, held in self._bound.intact(tx, "approval"):
                with suppress(IntegrityFailure):
                    shown = self.shown(tx, held)
                    if not only_open or self._waits(tx, shown):
                        found.append({**shown, **({"asks": asked.of(tx, held)} if asks else {})})
            return sorted(found, key=lambda item: (item["created_at"], item["request_id"]))

        return self._world.store.read(look)

    def _asked(self) -> Asked:
        return Asked(self._bound, self._triggers().get(Kind.ERASURE, Triggers()).takes)

    def of_person(self, tx: Tx, person: str) -> list[dict[str, Any]]:
        """The requests about a person's data, with what was decided; one that nobody decided yet is `open`.

        For exports, so it does not depend on the clock; what is damaged is left out, and verification names it.
        """
        found = []
        for _, held in self._bound.intact(tx, "approval"):
            with suppress(IntegrityFailure):
                if self._person_of(tx, held) == person:
                    decided = self._bound.happened(tx, "approval_decision", held["request_id"])
                    status = self._status(tx, held) if decided else Status.OPEN
                    found.append({**held, "votes": self._cast(tx, held), "status": status.value})
        return found

    def left_out(self) -> int:
        """How many requests `all` leaves out because they, or votes on them, are not what was signed."""

        def look(tx: Tx) -> int:
            named, unread = self._bound.counted_names(tx, "approval")
            for item in named:
                held = self._bound.if_intact(tx, "approval", item)
                try:
                    if held is None:
                        unread += 1
                    else:
                        self.shown(tx, held)
                except IntegrityFailure:
                    unread += 1
            return unread

        return self._world.store.read(look)

    def _waits(self, tx: Tx, shown: dict[str, Any]) -> bool:
        if shown["status"] != Status.EXPIRED:
            return bool(shown["status"] == Status.OPEN)
        is_decided = self._bound.happened(tx, "approval_decision", shown["request_id"])
        return not is_decided and not approvals.has_lapsed(_request(shown), self._world.clock.now())

    def shown(self, tx: Tx, held: dict[str, Any]) -> dict[str, Any]:
        """Return a request as callers see it, with votes and status."""
        return {**held, "votes": self._cast(tx, held), "status": self._status(tx, held).value}

    def _held(self, tx: Tx, request_id: str) -> dict[str, Any]:
        content = self._bound.record(tx, "approval", request_id)
        if content is None:
            raise NotFound(what=f"approval request {request_id}")
        return content

    def _status(self, tx: Tx, held: dict[str, Any]) -> Status:
        decision = self._bound.named(tx, "approval_decision", held["request_id"])
        if decision is not None:
            content = self._bound.content(tx, "approval_decision", decision) or decision.payload
            return Status(content["status"])
        return approvals.outcome(_request(held), self._votes(tx, held), self._world.clock.now(), self._rules)

    def _cast(self, tx: Tx, held: dict[str, Any]) -> list[dict[str, Any]]:
        """The votes by member, each with its reason unless that was erased."""
        found = []
        for item in self._kept_votes(tx, held):
            reason = item.get("reason")
            if isinstance(reason, dict):
                reason = self._reason(tx, item, reason)
            told = {name: value for name, value in item.items() if name != "reason"}
            found.append(told if reason is None else {**told, "reason": reason})
        return found

    def _kept_votes(self, tx: Tx, held: dict[str, Any]) -> list[dict[str, Any]]:
        """The row of each vote, or what its event says where that row was lost and set aside."""
        found = []
        for item in self._bound.under(tx, "vote", held["request_id"]):
            told = {name: value for name, value in item.named.payload.items() if name != "record"}
            found.append(told if item.content is None else item.content)
        return found

    def _reason(self, tx: Tx, vote: dict[str, Any], held: dict[str, str]) -> str | None:
        """The reason of a vote that is sealed, or None after an erasure."""
        context = reason_context(f"{vote['request_id']}/{vote['member']}")
        plain = self._vault.unseal(tx, held["key"], base64.b64decode(held["sealed"]), context)
        return None if plain is None else plain.decode()

    def _seal_reason(self, tx: Tx, request: Request, member: str, reason: str) -> str | dict[str, str]:
        """A reason as it is kept: what is said about a person's request is theirs, and goes with them.

        About somebody who was erased, or nobody, it stays in plain.
        """
        person = request.person
        if not person or (not request.is_subjects and tx.vault.key(f"person/{person}") is None):
            return reason
        ref, context = f"{VOTE}{request.request_id}", reason_context(f"{request.request_id}/{member}")
        sealed = self._vault.seal(tx, ref, person, reason.encode(), context)
        return {"key": ref, "sealed": base64.b64encode(sealed).decode()}

    def _votes(self, tx: Tx, held: dict[str, Any]) -> list[Vote]:
        return [Vote(member=item["member"], vote=item["vote"]) for item in self._kept_votes(tx, held)]

    def approved(self, tx: Tx, kind: Kind, about: str) -> list[dict[str, Any]]:
        """The approved requests about something."""
        held = [content for _, content in self._bound.children(tx, "approval", about)]
        return [item for item in held if item["kind"] == kind and self._status(tx, item) is Status.APPROVED]

    # Deciding

    def vote(
        self,
        request_id: str,
        by: Caller,
        vote: str,
        *,
        reason: str | None = None,
        job_seed: str | None = None,
    ) -> dict[str, Any]:
        """Take a vote; the one that decides carries out what was asked for. Returns the request with its votes."""
        if reason is not None:
            check_words(reason, "reason", MAX_REASON)
        journal = self._journal("vote", job_seed)
        self._prepare(request_id)

        def unit(tx: Tx) -> dict[str, Any]:
            tx.lock(f"vote/{request_id}")
            held = self._held(tx, request_id)
            if self._bound.happened(tx, "approval_decision", request_id):
                raise PreconditionFailed("this request was decided already")
            return self._take(tx, journal, held, by, vote, reason)

        return self._settled(self._world.store.write(unit))

    def _prepare(self, request_id: str) -> None:
        """What must be done before anything is decided; where there is no such request the vote says so."""
        held = self._world.store.read(lambda tx: self._bound.record(tx, "approval", request_id))
        follow = None if held is None else self._triggers().get(Kind(held["kind"]))
        if follow is not None and follow.before is not None:
            follow.before()

    def _take(
        self, tx: Tx, journal: Journal, held: dict[str, Any], by: Caller, vote: str, reason: str | None
    ) -> dict[str, Any]:
        now = self._world.clock.now()
        request, votes = _request(held, self._person_of(tx, held)), self._votes(tx, held)
        refused = approvals.refusal(request, votes, self._accounts.voter(tx, by), vote, now)
        if refused is not None:
            if vote not in approvals.VOTES:
                raise InvalidInput(refused)
            if approvals.has_lapsed(request, now) or any(cast.member == by.name for cast in votes):
                raise PreconditionFailed(refused)
            raise PermissionDenied(actor=by.name, action=f"vote on {held['kind']}: {refused}")
        content = {
            "request_id": request.request_id,
            "member": by.name,
            "vote": vote,
            "as": "owner" if by._is_owner else request.decided_by,
            "totp_step": by._step,
            "at": iso_us(now),
            **({} if reason is None else {"reason": self._seal_reason(tx, request, by.name, reason)}),
        }
        key = f"{request.request_id}/{by.name}"
        record = records.make("vote", key, content, self._world.keys.sign, parent=request.request_id)
        self._bound.add(tx, record)
        is_sealed = isinstance(content.get("reason"), dict)
        told = {name: value for name, value in content.items() if name != "reason" or not is_sealed}
        payload = {**told, "record": records.reference(record)}
        journal.event(tx, "APPROVAL_VOTE", payload, signed_by=by.name)
        cast = [*votes, Vote(member=by.name, vote=vote)]
        status = approvals.outcome(request, cast, now, self._rules)
        result: dict[str, Any] = {}
        if status is not Status.OPEN:
            result = self._decide(tx, journal, held, status, by.name)
        return {**self.shown(tx, held), "result": result}

    def _decide(self, tx: Tx, journal: Journal, held: dict[str, Any], status: Status, by: str) -> dict[str, Any]:
        content = {"request_id": held["request_id"], "status": status.value, "at": iso_us(self._world.clock.now())}
        record = records.make(
            "approval_decision", held["request_id"], content, self._world.keys.sign, parent=held["request_id"]
        )
        self._bound.add(tx, record)
        payload = {
            "request_id": held["request_id"],
            "kind": held["kind"],
            "status": status.value,
            "record": records.reference(record),
        }
        journal.event(tx, "APPROVAL_DECIDED", payload, signed_by=by)
        follow = self._triggers().get(Kind(held["kind"]), Triggers())
        carry = follow.approved if status is Status.APPROVED else follow.rejected
        return {} if carry is None else carry(tx, journal, held, by)

    def expire(self) -> int:
        """Put down what nobody decided in time; for the sweep. Returns how many there were."""
        now = self._world.clock.now()

        def late(tx: Tx) -> list[dict[str, Any]]:
            held = [content for _, content in self._bound.intact(tx, "approval")]
            return [
                item
                for item in held
                if approvals.has_lapsed(_request(item), now)
                and not self._bound.happened(tx, "approval_decision", item["request_id"])
            ]

        def unit(tx: Tx) -> int:
            found = late(tx)
            journal = SystemJournal(self._recorder)
            for held in found:
                self._decide(tx, journal, held, Status.EXPIRED, "system")
            return len(found)

        return self._world.store.write(unit) if self._world.store.read(late) else 0

    def alert(self) -> int:
        """Tell admins of subject requests that nobody decides, before their deadline and once it has passed; for the
        sweep. Returns how many alerts there were.
        """
        now = self._world.clock.now()

        def due(tx: Tx) -> list[tuple[dict[str, Any], Alert]]:
            found = []
            for request_id, held in self._bound.intact(tx, "approval"):
                request = _request(held)
                if not request.is_subjects or self._bound.happened(tx, "approval_decision", request_id):
                    continue
                told = [alert for alert in Alert if self._bound.happened(tx, _ALERTED, _alert_key(request_id, alert))]
                alert = approvals.alert_due(request, now, self._rules, told)
                if alert is not None:
                    found.append((held, alert))
            return found

        def unit(tx: Tx) -> int:
            found = due(tx)
            journal = SystemJournal(self._recorder)
            for held, alert in found:
                self._alert(tx, journal, held, alert)
            return len(found)

        return self._world.store.write(unit) if self._world.store.read(due) else 0

    def _alert(self, tx: Tx, journal: Journal, held: dict[str, Any], alert: Alert) -> None:
        request_id = held["request_id"]
        content = {"request_id": request_id, "reason": alert.value, "expires_at": held["expires_at"]}
        key = _alert_key(request_id, alert)
        record = records.make(_ALERTED, key, content, self._world.keys.sign, parent=request_id)
        self._bound.add(tx, record)
        about = {"about": "SUBJECT_REQUEST", "severity": "error" if alert is Alert.LATE else "warning"}
        journal.event(tx, "ADMIN_ALERT", {**about, **content, "record": records.reference(record)})

    def _person_of(self, tx: Tx, held: dict[str, Any]) -> str:
        """Whose data a request is about, if anybody's."""
        details = held["details"]
        if details.get("person"):
            return str(details["person"])
        asked = self._bound.record(tx, "dsr_request", details["dsr_id"]) if "dsr_id" in details else None
        if asked is not None:
            return str(asked["person"])
        return (self._recorder.jobs.owner(tx, details["job_id"]) or "") if "job_id" in details else ""


class Reviews:
    """`request_review`: a person looks at an answer, and what they say becomes an amendment of its log."""

    def __init__(self, world: World, recorder: Recorder, approvals: Approvals, logs: LogVerbs) -> None:
        self._world = world
        self._recorder = recorder
        self._approvals = approvals
        self._logs = logs
        self.triggers = Triggers(
            approved=self._amend("approved", "note"), rejected=self._amend("rejected", "override_suggestion")
        )

    def request(self, job_id: str, requested_by: str, *, job_seed: str | None = None) -> dict[str, Any]:
        """Ask for a review of a closed job; anybody who may see the answer may ask."""
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        journal = VerbJournal(self._recorder, "request_review", seed)

        def unit(tx: Tx) -> dict[str, Any]:
            job = self._recorder.jobs.told(tx, job_id)
            if job is None or tx.logs.get(job.log_id) is None:
                raise NotFound(what=f"finished job {job_id}")
            details = {"job_id": job_id, "log_id": job.log_id}
            held = self._approvals.open(
                tx, journal, Kind.REVIEW, requested_by, f"review/{job_id}", details, "REVIEW_REQUESTED"
            )
            return self._approvals.shown(tx, held)

        return self._world.store.write(unit)

    def _amend(self, result: str, effect: str) -> Carry:
        def carry(tx: Tx, journal: Journal, held: dict[str, Any], by: str) -> dict[str, Any]:
            changes = {"review": result, "request_id": held["request_id"], "job_id": held["details"]["job_id"]}
            return {"amendment": self._logs.amend(tx, held["details"]["log_id"], by, changes, effect)}

        return carry


def _request(held: dict[str, Any], person: str = "") -> Request:
    return Request(
        person=person,
        request_id=held["request_id"],
        kind=Kind(held["kind"]),
        requested_by=held["requested_by"],
        decided_by=held["decided_by"],
        members=tuple(held["members"]),
        expires_at=parse_instant(held["expires_at"]),
        is_subjects=held["details"].get("action") in _OF_SUBJECTS,
    )


def reason_context(key: str) -> str:
    """What the reason of a vote is sealed as, by the key of the vote's record."""
    return f"reason/{key}"


def _alert_key(request_id: str, alert: Alert) -> str:
    return f"{request_id}/{alert.name.lower()}"
