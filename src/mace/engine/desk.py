"""The one place where the policy is asked: who speaks, whose thing it is, whether they may.

Who speaks follows from the caller: an argument that names somebody else is refused. What a caller may never do is
refused before anything is looked up. What is not theirs and what does not exist answer alike. Somebody else's things
need a second factor, and reading them is on the record before they are shown. The owner of a directory holds its keys
and is asked for nothing; the owner of a server does not stand in for the accounts that govern it.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from mace.core import canon, seeds
from mace.core.caller import Caller
from mace.core.errors import (
    IntegrityFailure,
    InvalidInput,
    MaceError,
    NotFound,
    PermissionDenied,
    PreconditionFailed,
    WrongType,
    envelope,
)
from mace.core.times import iso_ms
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.journal import SystemJournal
from mace.engine.kernel.persons import person_of
from mace.engine.verbs import BY_NAME, Refused, Verb
from mace.governance.access import OTHERS, ROLES, Principal, Resource
from mace.memory import facts
from mace.memory.keys import SCOPES, user_of_key
from mace.memory.people.package import NOTHING_RECALLED
from mace.storage.ports import Tx

if TYPE_CHECKING:
    from mace.engine.governance.accounts import Accounts
    from mace.engine.governance.authority import Authority
    from mace.engine.governance.callers import Callers
    from mace.engine.kernel.job_ledger import JobLedger
    from mace.engine.kernel.recorder import Recorder
    from mace.engine.kernel.world import World
    from mace.engine.runtime import Mace

_PERSONAL = ("user_id", "person")  # arguments that name a person
_GONE = object()  # nothing of that name is there
_RECORDS_ITSELF = frozenset({"log_read_unredacted", "event_read_unredacted"})  # the look, with its purpose


class Desk:
    def __init__(
        self,
        world: "World",
        recorder: "Recorder",
        bound: Bound,
        callers: "Callers",
        accounts: "Callable[[], Accounts]",
        authority: "Callable[[], Authority]",
    ) -> None:
        self._world = world
        self._recorder = recorder
        self._bound = bound
        self._callers = callers
        self._accounts = accounts
        self._authority = authority

    def admit(self, row: Verb, caller: Caller, arguments: dict[str, Any]) -> Refused | None:
        """Let a caller use a verb; fill in who speaks; raise a refusal, or return it as the verb's own answer."""
        principal = self._callers.principal(caller)
        try:
            if caller.via == "owner" and not caller._is_account:
                self._on_server(row, caller)  # also in fewer roles: they give less, not more
            if principal.is_owner:
                if row.traced:
                    self.looked(row, caller, arguments)
                return None
            self._decide(row, caller, principal, arguments)
        except (PermissionDenied, NotFound, InvalidInput) as error:
            if row.fails == "raises" or isinstance(error, WrongType):
                raise
            if isinstance(error, InvalidInput) and row.fails != "question":  # a broken contract, for every caller
                raise
            return Refused(self._answer(row, error, arguments))
        return None

    def may(self, caller: Caller, action: str) -> bool:
        """Whether the policy lets a caller do this with what is nobody's; for verbs that show more to some."""
        principal = self._callers.principal(caller)
        return principal.is_owner or self._authority().decision(principal, action, Resource("nobody")).allowed

    def sees(self, caller: Caller, verb: str) -> Callable[[str], bool]:
        """Whose things a caller may be shown in a list of everybody's; that others' are among them is on the record."""
        row, principal, authority = BY_NAME[verb], self._callers.principal(caller), self._authority()
        if principal.is_owner:
            return lambda owner: True
        if authority.wants_factor(principal, row.action, Resource(row.thing, OTHERS)):  # half a list misleads
            others = Resource(row.thing, OTHERS)
            authority.refuse(principal, row.action, others, authority.decision(principal, row.action, others))
        may = {
            owner: authority.decision(principal, row.action, Resource(row.thing, owner)).allowed
            for owner in ("", principal.person, OTHERS)
        }
        if may[OTHERS]:
            self._accessed(row, caller, "everybody's")
        return lambda owner: may.get(owner, may[OTHERS])

    def reads_words(self, caller: Caller) -> Callable[[str], bool]:
        """Whose questions a caller may be shown, given whose log it is: one's own, and an admin's or owner's to read.

        Whoever only checks the record sees what was decided, not what was asked. That somebody else's log is looked at
        is on the record already, with the verb that shows it.
        """
        principal, authority = self._callers.principal(caller), self._authority()
        if principal.is_owner:
            return lambda owner: True
        return lambda owner: authority.decision(principal, "history_read", Resource("log", owner)).allowed

    def looked(self, row: Verb, caller: Caller, arguments: dict[str, Any]) -> None:
        """Put on the record that the owner is about to see what some person wrote."""
        owner = self._owner(row, Principal(name=caller.name, roles=frozenset(), is_owner=True), arguments)
        if owner and owner is not _GONE:
            self._accessed(row, caller, _which(row, arguments, str(owner)))

    def shows(self, caller: Caller, verb: str) -> Callable[[Sequence[Collection[str]]], list[bool]]:
        """Which of some texts a caller may be shown, each given by whose words it holds.

        Others' words need a second factor, and that they are among what is shown is on the record first.
        """
        row, principal, authority = BY_NAME[verb], self._callers.principal(caller), self._authority()
        if principal.is_owner:
            return lambda people: [True] * len(people)
        may_others = authority.decision(principal, row.action, Resource("experience", OTHERS)).allowed

        def chosen(people: Sequence[Collection[str]]) -> list[bool]:
            others = [any(person != principal.person for person in whose) for whose in people]
            if may_others and any(others):
                self._accessed(row, caller, "others' words")
            return [may_others or not is_others for is_others in others]

        return chosen

    def roles_that_may(self, action: str) -> list[str]:
        """The roles that the policy in force lets do this, with what is nobody's or their own, once they prove it."""
        found = []
        for role in ROLES:
            who = Principal(name=role, roles=frozenset({role}), person=role, second_factor=True)
            things = (Resource("nobody"), Resource("nobody", who.person))
            if any(self._authority().decision(who, action, thing).allowed for thing in things):
                found.append(role)
        return found

    def _on_server(self, row: Verb, caller: Caller) -> None:
        """On a server an account governs, not whoever holds its keys; until there is an admin, they make the first."""
        if row.on_server == "owner" or self._callers.embedded:
            return
        if row.on_server == "until_admin" and not self._world.store.read(self._accounts().can_prove):
            return
        raise PermissionDenied(actor=caller.name, action=f"{row.name} without an account that proves itself")

    def _decide(self, row: Verb, caller: Caller, principal: Principal, arguments: dict[str, Any]) -> None:
        authority = self._authority()
        kind = _kind(row, arguments)
        kinds = [Resource(kind, owner) for owner in _possible(row, principal)]
        decisions = [authority.decision(principal, row.action, kind) for kind in kinds]
        if not any(decision.allowed for decision in decisions):
            authority.refuse(principal, row.action, kinds[0], decisions[0])  # never, whatever it is about
        self._speak(row, caller, principal, arguments)
        owner = self._owner(row, principal, arguments)
        thing = Resource(kind, OTHERS if owner is _GONE else str(owner))
        decision = authority.decision(principal, row.action, thing)
        if decision.allowed:
            if row.speaker == "source" and arguments["source"] == "user":
                self._must_be_own(row, caller, principal, arguments)
            authority.allowed(principal, row.action, thing, decision)
            if thing.owner and thing.owner != principal.person and owner is not _GONE:
                self._accessed(row, caller, _which(row, arguments, thing.owner))
            return
        hides = row.thing in _FOUND or (row.thing == "key" and row.does == "reads")
        if hides and not authority.wants_factor(principal, row.action, thing):
            raise _missing(row, arguments)
        authority.refuse(principal, row.action, thing, decision)

    # Who speaks

    def _speak(self, row: Verb, caller: Caller, principal: Principal, arguments: dict[str, Any]) -> None:
        """Fill in who speaks, or refuse an argument that says somebody else does."""
        for name in _PERSONAL if row.thing != "nobody" else ():  # an account is made for whom it is made
            if name in arguments:
                arguments[name] = self._person(row, caller, principal, arguments[name])
        if not row.speaker:
            return
        own = _sources(caller, principal) if row.speaker == "source" else [caller.name]
        given = arguments[row.speaker]
        if given is None and own:
            of_key = arguments.get("key") if row.thing == "key" else None
            is_own = of_key is not None and user_of_key(of_key) == principal.person
            arguments[row.speaker] = "user" if is_own and "user" in own else own[0]
        elif given not in own:
            raise PermissionDenied(actor=caller.name, action=f"speak as another {row.speaker}")

    def _must_be_own(self, row: Verb, caller: Caller, principal: Principal, arguments: dict[str, Any]) -> None:
        """Whoever writes as a user writes for themselves, whatever else they may."""
        named = arguments.get("user_id")
        theirs = (
            named is None
            or self._world.store.read(lambda tx: person_of(self._world.slots, tx, named)) == principal.person
        )
        if not theirs or (row.thing == "key" and user_of_key(arguments["key"]) != principal.person):
            raise PermissionDenied(actor=caller.name, action="write as another user")

    def _person(self, row: Verb, caller: Caller, principal: Principal, given: str | None) -> str | None:
        """The person a verb is about: the caller, unless somebody who governs names another."""
        if given is None:
            own = Resource(row.thing, principal.person)
            if not self._authority().decision(principal, row.action, own).allowed:
                return None  # a viewer who is a person sees what is nobody's
            if caller.person and caller._user_id is None:
                raise PreconditionFailed(f"account {caller.name!r} does not say whose it is; make it anew")
            return caller._user_id
        if self._world.store.read(lambda tx: person_of(self._world.slots, tx, given)) == principal.person:
            return given
        others = self._authority().decision(principal, row.action, Resource(row.thing, OTHERS))
        if not others.allowed:
            self._authority().refuse(principal, row.action, Resource(row.thing, OTHERS), others)
        return given

    # Whose thing it is

    def _owner(self, row: Verb, principal: Principal, arguments: dict[str, Any]) -> object:
        """Whose thing a verb is about: a person, "" for nobody, `_GONE` where nothing is there."""
        value = arguments.get(row.by)
        if row.thing == "everybody":
            return OTHERS
        if row.thing == "name":
            return self._named(principal, arguments)
        if row.thing == "nobody" or value is None:
            return ""
        if row.thing == "key":
            return user_of_key(value) or ""
        if row.thing == "prefix":
            parts = value.split("/")
            is_personal = parts[0] in ("", "user")  # all keys, or all of people
            return parts[2] if is_personal and len(parts) > 2 else (OTHERS if is_personal else "")
        if row.thing in ("person", "listed"):
            return self._world.store.read(lambda tx: person_of(self._world.slots, tx, value))
        return self._world.store.read(lambda tx: _FOUND[row.thing](tx, self._recorder.jobs, self._bound, value))

    def _named(self, principal: Principal, arguments: dict[str, Any]) -> object:
        """Whose key is made of these words: that of the person they name, in scope `user`."""
        if arguments["scope"] != "user":
            return ""
        named = [arguments[name] for name in ("entity_id_raw", "user_id") if arguments[name] is not None]
        people = self._world.store.read(lambda tx: {person_of(self._world.slots, tx, name) for name in named})
        return principal.person if people <= {principal.person} else OTHERS

    # What is recorded, and how a refusal is told

    def _accessed(self, row: Verb, caller: Caller, which: str) -> None:
        """Put a look at somebody else's things on the record, before it happens; most of the owner's leave none."""
        is_owners = caller.via == "owner" and caller._step is None
        if (is_owners and not row.traced) or row.action in _RECORDS_ITSELF:
            return
        if row.name.startswith("forensics.") or (is_owners and self._world.read_only):
            return  # the first record themselves, with the purpose that was given; here nothing can be written
        payload = {"actor": caller.name, "what": row.action, "which": which, "purpose": row.name}
        journal = SystemJournal(self._recorder)
        self._world.store.write(lambda tx: journal.event(tx, "admin_access_event", payload, caller.name))

    def _answer(self, row: Verb, error: MaceError, arguments: dict[str, Any]) -> Any:
        seed = self._recorder.fresh_seed()
        told = envelope(
            error.code,
            query_id=seeds.job_id(seed),
            trace_id=seeds.trace_id(seed),
            timestamp=iso_ms(self._recorder.now_ms()),
            details=error.details,
        )
        said: dict[str, Any] = {"error_code": error.code, "user_message": told["user_message"], "error": told}
        if row.fails == "fact":
            if isinstance(error, NotFound):  # to the byte what a key that holds nothing answers
                return facts.not_found(with_version=bool(arguments.get("with_version")))
            return {**facts.missing(), **said}
        if row.fails == "envelope":
            return told
        if row.fails == "question":
            return {
                "job_id": told["meta"]["query_id"],
                "log_id": None,
                "query_id": arguments.get("query_id") or told["meta"]["query_id"],
                "text": told["user_message"],
                "answer": None,
                "agent_id": None,
                "route_reason": None,
                "route_trace": [],
                "confidence": 0.0,
                "evidence": [],
                "error": told,
                "notices": [told],
                "handoff": None,
            }
        if row.fails == "remember":
            talk = arguments.get("conversation_id") or ""
            kept: dict[str, Any] = {"success": False, "turn_ids": [], "redacted": [], "conversation_id": talk}
            return {**kept, "job_id": told["meta"]["query_id"], **said}
        if row.fails == "recall":
            return {**NOTHING_RECALLED, "items": [], **said}
        if row.action == "dsr_request":
            said |= {"dsr_id": None, "request_id": None, "kind": arguments["kind"], "status": "refused"}
        return {"success": False, "applied": False, **said}


def roles_that_may(mace: "Mace", action: str) -> list[str]:
    """Which roles the policy lets do this; for a door that tells a person what to ask for."""
    desk: Desk = mace._desk
    return desk.roles_that_may(action)


def _sources(caller: Caller, principal: Principal) -> list[str]:
    """The sources a caller may write as; the first is theirs when they name none."""
    found = []
    if "admin" in principal.roles:
        found.append("system_admin")
    if "agent" in principal.roles:
        found.append(f"agent:{caller.name}")
    if "user" in principal.roles and caller.person:
        found.append("user")
    return found


def _possible(row: Verb, principal: Principal) -> list[str]:
    """Whose things a verb can be about at all, for this caller."""
    if row.thing == "nobody":
        return [""]
    if row.thing == "everybody":
        return [OTHERS]
    return ["", OTHERS, principal.person] if principal.person else ["", OTHERS]


def _kind(row: Verb, arguments: dict[str, Any]) -> str:
    """What a policy calls the thing; facts by their scope."""
    if row.thing != "key":
        return row.thing
    key = arguments[row.by]
    if not isinstance(key, str):
        raise WrongType(f"{row.by} must be a str, got {type(key).__name__}")
    scope = key.partition("/")[0]
    return f"fact:{scope}" if scope in SCOPES else "fact"  # what is no key is told by the verb


def _which(row: Verb, arguments: dict[str, Any], owner: str) -> str:
    """What was looked at, as the record names it: a person as facts do, anything else by its id."""
    is_person = row.thing in ("person", "listed") and owner != OTHERS
    return owner if is_person else str(arguments.get(row.by))


def _missing(row: Verb, arguments: dict[str, Any]) -> NotFound:
    return NotFound(what=f"{row.thing} {arguments.get(row.by)}")


# As much is looked up for what is not there as for what is: how long it took must not tell one from the other.


def _of_job(jobs: "JobLedger", tx: Tx, stream: str) -> object:
    try:
        owner = jobs.owner(tx, stream)
    except IntegrityFailure:
        return OTHERS  # nobody can tell any more: then it is not the caller's
    return _GONE if owner is None else owner


def _of_stream(jobs: "JobLedger", tx: Tx, stream: str) -> object:
    owner, head = _of_job(jobs, tx, stream), tx.events.head(stream)
    if owner is not _GONE:
        return owner
    return _GONE if head is None else ""


def _of_event(jobs: "JobLedger", tx: Tx, event_id: str) -> object:
    try:
        found = tx.events.by_id(bytes.fromhex(event_id))
    except ValueError:
        return _GONE
    owners = {_of_stream(jobs, tx, stream) for stream in [row.stream for row in found] or [event_id]}
    people = sorted(str(owner) for owner in owners if owner not in ("", _GONE))
    if len(people) > 1:
        return OTHERS  # two events share this id, of two people
    return people[0] if people else ("" if found else _GONE)


def _of_log(jobs: "JobLedger", tx: Tx, log_id: str) -> object:
    """The person under whose job's key a log's texts are sealed."""
    columns = tx.logs.get(log_id)
    try:
        key_ref: str = canon.loads(columns["final_answer"].encode())["key"] if columns else f"job/{log_id}"
    except (ValueError, LookupError, TypeError, AttributeError):
        raise IntegrityFailure(f"reflective log {log_id} was changed; run verify") from None
    owner = _of_job(jobs, tx, key_ref.removeprefix("job/"))
    held = tx.vault.key(key_ref)
    if columns is None:
        return _GONE
    if owner is not _GONE:
        return owner
    return held[0].removeprefix("person/") if held is not None and held[0].startswith("person/") else ""


def _of_record(kind: str) -> "Found":
    def look(tx: Tx, _jobs: "JobLedger", bound: Bound, key: str) -> object:
        content = bound.record(tx, kind, key)
        if content is None:
            tx.records.get(kind, key)
            return _GONE
        return content["person"]

    return look


def _row(look: "Callable[[JobLedger, Tx, str], object]") -> "Found":
    return lambda tx, jobs, _bound, key: look(jobs, tx, key)


Found: TypeAlias = "Callable[[Tx, JobLedger, Bound, str], object]"

_FOUND: dict[str, Found] = {
    "job": _row(_of_job),
    "stream": _row(_of_stream),
    "event": _row(_of_event),
    "log": _row(_of_log),
    "consent": _of_record("consent"),
    "dsr": _of_record("dsr_request"),
}
