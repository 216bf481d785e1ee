"""The table of verbs: for each public verb its policy action, whose thing it is about, and how it fails.

Doors, the reference, and the tests of who may do what are made from it. `verb` binds a method to its row: arguments are
checked from the signature, the policy is asked for everybody but the owner of the store, and then the method runs. A
method without a row, or a row without a method, fails (rows marked `planned` have none yet).
"""

from collections.abc import Callable
from dataclasses import dataclass
from errno import EMFILE, ENFILE, ENOMEM
from functools import wraps
from inspect import Signature, isgeneratorfunction, signature
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast, get_type_hints

from mace.core.errors import Closed, ServiceUnavailable
from mace.engine.arguments import checks_of
from mace.governance.access import STRONG_ACTIONS

if TYPE_CHECKING:
    from mace.core.caller import Caller

F = TypeVar("F", bound=Callable[..., Any])

Does = Literal["reads", "changes"]
# How a failure comes back: raised, or in the answer (a fact, a write, a question, a bare envelope).
Fails = Literal["raises", "fact", "write", "question", "envelope", "remember", "recall"]
# Whose thing a verb is about: nobody's, everybody's at once, a person named by an argument (or by the name a key is
# made of; where a list names none, everybody's), or the owner of what an argument names.
ThingKind = Literal[
    "nobody",
    "everybody",
    "person",
    "listed",
    "name",
    "key",
    "prefix",
    "job",
    "stream",
    "log",
    "event",
    "consent",
    "dsr",
]
# Who besides an account with a second factor may do it on a server: its owner always, until there is an admin who can
# prove to be one, or never. In a directory its owner may always.
OnServer = Literal["owner", "until_admin", "account"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One row."""

    name: str  # `sem_get`, or `accounts.create` for a verb of a group
    action: str  # of the policy; of what it is a shorter form where `same_as` is set
    thing: ThingKind = "nobody"
    by: str = ""  # the argument that names the thing
    does: Does = "reads"
    fails: Fails = "raises"
    speaker: str = ""  # the argument that says who is speaking; it follows from the caller
    on_server: OnServer = "owner"
    traced: bool = False  # shows what a person wrote or was told: that the owner looked is on the record, too
    same_as: str = ""
    planned: bool = False
    example: str

    @property
    def in_own_name(self) -> bool:
        """Whether whoever does it answers for it themselves: an account is then needed to act under its name."""
        return self.on_server != "owner" or self.action in STRONG_ACTIONS


def _reads(name: str, action: str, example: str, thing: ThingKind = "nobody", by: str = "", **more: Any) -> Verb:
    return Verb(name=name, action=action, example=example, thing=thing, by=by, **more)


def _changes(name: str, action: str, example: str, thing: ThingKind = "nobody", by: str = "", **more: Any) -> Verb:
    return Verb(name=name, action=action, example=example, thing=thing, by=by, does="changes", **more)


def _later(name: str, action: str, thing: ThingKind = "nobody", by: str = "") -> Verb:
    return Verb(name=name, action=action, thing=thing, by=by, planned=True, example="")


PEOPLE = ("user_id", "person", "entity_id_raw")  # arguments that name somebody; the last one in scope `user`

_ACCOUNT: dict[str, Any] = {"on_server": "account"}
_FIRST: dict[str, Any] = {"on_server": "until_admin"}

VERBS: tuple[Verb, ...] = (
    # Questions and jobs
    _changes("ask", "ask", 'm.ask("What is my favorite food?", "ana")', "person", "user_id", fails="question"),
    _reads("replay", "replay", "m.replay(job_id)", "job", "job_id"),
    _changes("perform", "run", 'm.perform("support", "Where is my parcel?", "ana")', "person", "user_id"),
    _changes("aperform", "run", 'await m.aperform("support", "Where is my parcel?", "ana")', "person", "user_id"),
    _changes("resume", "run", "m.resume(job_id)", "job", "job_id"),
    _changes("cancel", "job_cancel", "m.cancel(job_id)", "job", "job_id"),
    _changes("recording", "log_write", 'm.recording("Where is my parcel?", "ana")', "person", "user_id"),
    _changes("record", "log_write", 'm.record("Where is my parcel?", "In Lyon.", "ana")', "person", "user_id"),
    _reads("job", "job_read", "m.job(job_id)", "job", "job_id"),
    _changes("jobs.answer", "job_answer", "m.jobs.answer(job_id, question_id, True)", "job", "job_id"),
    _reads("jobs.list", "job_read", "m.jobs.list(limit=10)", "listed", "person"),
    _reads("jobs.logs", "log_read", 'm.jobs.logs(program="support", error="any")', "listed", "person"),
    _reads("jobs.log", "log_read", 'm.jobs.log(answer["log_id"])', "log", "log_id"),
    _changes("jobs.request_erasure", "approval_request", "m.jobs.request_erasure([job_id])", **_ACCOUNT),
    # Facts
    _changes("key", "key", 'm.key("world", "fact", "Ohm\'s law", "definition")', "name", "user_id"),
    _reads("sem_get", "sem_get", 'm.sem_get("world/fact/pi/definition")', "key", "key", fails="fact"),
    _changes(
        "sem_put",
        "sem_put",
        'm.sem_put("user/profile/user_ana/favorite_food", "pizza", "user")',
        "key",
        "key",
        fails="write",
        speaker="source",
    ),
    _changes(
        "sem_delete",
        "sem_delete",
        'm.sem_delete("world/fact/pi/value", "system_admin")',
        "key",
        "key",
        fails="write",
        speaker="source",
    ),
    _reads("sem_list", "sem_list", 'm.sem_list("world/fact")', "prefix", "prefix", speaker="source"),
    _reads("sem_history", "history_read", 'm.sem_history("world/fact/pi/value")', "key", "key", traced=True),
    _reads("sem_resolve_alias", "alias_resolve", 'm.sem_resolve_alias("my birthday", "ana")', "person", "user_id"),
    _changes(
        "sem_add_alias",
        "alias_add",
        'm.sem_add_alias("the number pi", "world/fact/pi/value", "system_admin")',
        fails="write",
        speaker="source",
    ),
    _changes("import_facts", "fact_import", 'm.import_facts(open("facts.jsonl"), "system_admin")', speaker="source"),
    _changes("load_starter_facts", "fact_import", "m.load_starter_facts()"),
    # Memory of a person
    _changes("remember", "remember", 'm.remember("ana", "I moved to Lyon.")', "person", "user_id", fails="remember"),
    _changes(
        "recall", "recall", 'm.recall("ana", "Where did she move to?")["text"]', "person", "user_id", fails="recall"
    ),
    _reads("recalled", "recall", 'm.recalled("ana", receipt)["items"]', "person", "user_id", traced=True),
    # Context
    _reads(
        "memory_read",
        "memory_read",
        'm.memory_read({"query": "invoice", "store_paths": ["notes.jsonl"], "budget": {"max_excerpt_tokens": 200}})',
        fails="envelope",
    ),
    _reads(
        "memory_explain",
        "memory_read",
        'm.memory_explain({"query": "invoice", "store_paths": ["notes.jsonl"], "budget": {"max_excerpt_tokens": 200}})',
        fails="envelope",
    ),
    _reads("context.read", "memory_read", 'm.context.read("invoice")', fails="envelope"),
    _reads("context.request", "memory_read", 'm.memory_explain(m.context.request("invoice"))'),
    _changes("context.append", "context_append", 'm.context.append("notes.jsonl", "Ivo likes tea.")', fails="write"),
    _reads("context.check", "memory_read", 'm.context.check("notes.jsonl")["problems"]', fails="envelope"),
    # Reflective log
    _changes(
        "write_reflective_log", "log_write", 'm.write_reflective_log(payload, user_id="ana")', "person", "user_id"
    ),
    _reads("read_reflective_log", "log_read", 'm.read_reflective_log(answer["log_id"])', "log", "log_id"),
    _changes(
        "update_reflective_log",
        "log_feedback",
        'm.update_reflective_log(log_id, {"user_feedback": "right"})',
        "log",
        "log_id",
    ),
    _changes(
        "amend", "log_amend", 'm.amend(log_id, "owner", {"note": "checked"}, "note")', "log", "log_id", speaker="author"
    ),
    _reads("amendments", "log_read", "m.amendments(log_id)", "log", "log_id"),
    _reads("recent_logs", "log_read", "m.recent_logs(limit=5)", "everybody"),
    _reads("quarantine_read", "quarantine_read", "m.quarantine_read(quarantine_id)"),
    # Ledger
    _reads("event", "event_read", "m.event(event_id)", "event", "event_id"),
    _reads("events", "event_read", 'm.events("system")', "stream", "stream"),
    _changes("verify", "verify", 'm.verify()["ok"]'),
    _changes("attest", "attest", 'm.attest("owner", "restored from a backup")', speaker="actor", **_FIRST),
    _changes("checkpoint", "checkpoint_sign", "m.checkpoint()"),
    _reads("public_key", "checkpoint_read", "m.public_key()"),
    _reads("prove_inclusion", "proof_read", "m.prove_inclusion(event_id)"),
    _reads("prove_consistency", "proof_read", "m.prove_consistency(10, 20)"),
    _reads("export", "export_log", "for line in m.export(): file.write(line)", "everybody"),
    _changes("rotate_key", "key_rotate", "m.rotate_key()", **_FIRST),
    _changes("rotate_master_key", "key_rotate", "m.rotate_master_key()", **_FIRST),
    # Privacy
    _changes("detect_and_handle", "detect_and_handle", 'm.detect_and_handle("call 212-555-0198")', "person", "user_id"),
    _changes("grant_consent", "consent_grant", 'm.grant_consent("ana", "Keep my phone.")', "person", "user_id"),
    _changes("revoke_consent", "consent_revoke", "m.revoke_consent(consent_id)", "consent", "consent_id"),
    _reads("consents", "consent_read", 'm.consents("ana")', "person", "user_id", traced=True),
    _changes("request_dsr", "dsr_request", 'm.request_dsr("ana", "export", proof)', "person", "user_id", fails="write"),
    _reads("dsr", "dsr_read", "m.dsr(dsr_id)", "dsr", "dsr_id", traced=True),
    # Approvals, in their shorter forms too
    _changes("request_review", "review_request", 'm.request_review(answer["job_id"])', "job", "job_id"),
    _changes("vote", "", 'm.vote(request_id, "owner", "approve")', same_as="approvals.vote"),
    _changes(
        "acknowledge_incident", "", 'm.acknowledge_incident(incident_id, "owner")', same_as="incidents.acknowledge"
    ),
    _changes("lift_replay_halt", "", 'm.lift_replay_halt(incident_id, "owner")', same_as="incidents.lift_halt"),
    _reads("approvals.list", "approval_read", "m.approvals.list(only_open=True)"),
    _reads("approvals.show", "approval_read", "m.approvals.show(request_id)"),
    _changes("approvals.vote", "approval_vote", 'm.approvals.vote(request_id, "approve")', **_ACCOUNT),
    _changes("approvals.request_review", "review_request", "m.approvals.request_review(job_id)", "job", "job_id"),
    _changes("approvals.propose_policy", "policy_change", "m.approvals.propose_policy(text)", **_ACCOUNT),
    # Accounts
    _reads("accounts.list", "account_read", "m.accounts.list()"),
    _changes("accounts.create", "account_manage", 'm.accounts.create("root", ["admin"])', **_FIRST),
    _changes("accounts.change", "account_manage", 'm.accounts.change("root", active=False)', **_FIRST),
    _changes("accounts.enrol_second_factor", "account_manage", 'm.accounts.enrol_second_factor("root")', **_FIRST),
    _changes("accounts.issue_token", "token_issue", 'm.accounts.issue_token("root")["token"]', **_ACCOUNT),
    _reads("accounts.tokens", "token_read", 'm.accounts.tokens("root")'),
    _changes("accounts.revoke_token", "token_revoke", 'm.accounts.revoke_token("root", token_id)', **_ACCOUNT),
    _changes(
        "accounts.issue_identity_proof",
        "identity_proof_issue",
        'm.accounts.issue_identity_proof("ana")["proof"]',
        **_ACCOUNT,
    ),
    # Incidents
    _reads("incidents.list", "incident_read", "m.incidents.list()"),
    _reads("incidents.show", "incident_read", "m.incidents.show(incident_id)"),
    _changes("incidents.report", "incident_report", 'm.incidents.report("a stolen laptop")'),
    _changes(
        "incidents.report_violation", "incident_report", 'm.incidents.report_violation("math_agent", "wrote a key")'
    ),
    _changes("incidents.acknowledge", "incident_ack", "m.incidents.acknowledge(incident_id)", **_ACCOUNT),
    _changes("incidents.lift_halt", "lift_halt", "m.incidents.lift_halt(incident_id)", **_ACCOUNT),
    # The forensic store
    _changes("forensics.set_key", "forensic_key_set", "m.forensics.set_key(public_key)", **_ACCOUNT),
    _reads("forensics.entries", "forensic_list", "m.forensics.entries()"),
    _changes("forensics.read", "forensic_read", 'm.forensics.read(entry_id, key, purpose="case 7")', **_ACCOUNT),
    _changes("forensics.restore", "forensic_restore", 'm.forensics.restore(dsr_id, key, purpose="error")', **_ACCOUNT),
    _changes("forensics.request_purge", "approval_request", "m.forensics.request_purge(dsr_id)", **_ACCOUNT),
    _changes("forensics.search", "forensic_read", 'm.forensics.search(["canary-1"], purpose="test")', **_ACCOUNT),
    _changes(
        "forensics.read_log",
        "log_read_unredacted",
        'm.forensics.read_log(log_id, purpose="case 7")',
        "log",
        "log_id",
        **_ACCOUNT,
    ),
    _changes(
        "forensics.read_event",
        "event_read_unredacted",
        'm.forensics.read_event(event_id, purpose="case 7")',
        "event",
        "event_id",
        **_ACCOUNT,
    ),
    _changes(
        "forensics.read_quarantine",
        "quarantine_read_unredacted",
        'm.forensics.read_quarantine(quarantine_id, purpose="case 7")',
        **_ACCOUNT,
    ),
    # Modules
    _reads("modules.list", "health_read", "m.modules.list()"),
    _changes("modules.recover", "module_recover", 'm.modules.recover("math_agent")'),
    _changes("modules.request_quarantine", "approval_request", 'm.modules.request_quarantine("x")', **_ACCOUNT),
    _changes("modules.request_release", "approval_request", 'm.modules.request_release("x")', **_ACCOUNT),
    _reads("modules.queued_writes", "queue_read", "m.modules.queued_writes()"),
    _changes("modules.retry_queued", "queue_retry", "m.modules.retry_queued()"),
    # Life
    _reads("describe", "health_read", 'm.describe()["events"]'),
    _reads("left_out", "damage_read", 'm.left_out("approvals.list")["left_out"]'),
    _changes("sweep", "sweep", "m.sweep()"),
    # Experience
    _changes(
        "experience.write",
        "experience_write",
        'm.experience.write({"space": "shell", "entity": "env:local", "content": "...", "state": "accept"}, "solver")',
        "person",
        "user_id",
        fails="write",
        speaker="source",
    ),
    _changes(
        "experience.record_negative_feedback",
        "experience_write",
        'm.experience.record_negative_feedback(rule_id, "it failed on Windows")',
        "person",
        "user_id",
        fails="write",
        speaker="source",
    ),
    _changes(
        "experience.retract",
        "experience_retract",
        "m.experience.retract(megram_id)",
        fails="write",
        speaker="source",
    ),
    _reads("experience.query_mk", "experience_read", 'm.experience.query_mk("shell", "env:local")'),
    _reads("experience.query_c", "experience_read", 'm.experience.query_c("shell", "env:local")'),
    _reads("experience.query_recent", "experience_read", 'm.experience.query_recent("shell", "env:local", 5)'),
    _reads("experience.rules", "experience_read", 'm.experience.rules(search="shell")'),
    _reads("experience.pairs", "experience_read", "m.experience.pairs()"),
    _reads("experience.history", "experience_read", 'm.experience.history("shell", "env:local")'),
    _reads("experience.changes", "experience_read", "m.experience.changes(limit=10)"),
    _reads("experience.change", "experience_change_read", "m.experience.change(change_id)"),
    _reads("experience.persona", "experience_read", "m.experience.persona()"),
    _reads("experience.describe", "health_read", "m.experience.describe()"),
    _changes("experience.flush", "experience_read", "m.experience.flush()"),
    _changes("experience.dream", "experience_dream", "m.experience.dream(dry_run=True)"),
    _changes("experience.roll_back", "experience_roll_back", "m.experience.roll_back(change_id)", speaker="source"),
    _reads("experience.export", "experience_export", "for line in m.experience.export(): ..."),
    _changes(
        "experience.import_lines",
        "experience_import",
        'm.experience.import_lines(open("megrams.jsonl", "rb"))',
        speaker="source",
    ),
    _changes("experience.rebuild", "experience_rebuild", "m.experience.rebuild()"),
    # What comes later
    _later("run", "run", "person", "user_id"),
    _later("explain", "job_read", "job", "job_id"),
    _later("report", "report_read"),
    _later("audit", "audit_read"),
    _later("report_failure", "failure_report"),
    _later("metrics", "metrics_read"),
    _later("backup", "backup"),
    _later("restore", "restore"),
)
BY_NAME = {row.name: row for row in VERBS}
ACTIONS = frozenset(row.action for row in VERBS if row.action)

_NONE_LEFT = (EMFILE, ENFILE, ENOMEM)
_SAID_BY_LOADERS = ("Too many open files", "No file descriptors available", "Cannot allocate memory")


@dataclass(slots=True)
class Life:
    """Whether an open MACE still is; its views and groups share it."""

    is_over: bool = False


class Desk(Protocol):
    """Where the policy is asked: `engine/desk.py`."""

    def admit(self, row: Verb, caller: "Caller", arguments: dict[str, Any]) -> "Refused | None": ...
    def looked(self, row: Verb, caller: "Caller", arguments: dict[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal that a verb gives as its answer."""

    answer: Any


def verb(name: str) -> Callable[[F], F]:
    """Make a method the verb of this name: look at its arguments, ask whether the caller may, then run it."""
    row = BY_NAME[name]

    def bind(method: F) -> F:
        checks = checks_of(method, get_type_hints(method, include_extras=True))
        shape = signature(method)
        traced = row.traced
        in_own_name = row.in_own_name  # then a name that has become an account is looked at
        placed = [(at, name, checks[name]) for at, name in enumerate(list(shape.parameters)[1:]) if name in checks]
        people = [(at, name) for at, name in enumerate(list(shape.parameters)[1:]) if name in PEOPLE]
        run = _drawn(method) if isgeneratorfunction(method) else method  # what it runs into comes when it is drawn

        @wraps(method)
        def call(self: Any, *given: Any, **named: Any) -> Any:
            if self._life.is_over:
                raise Closed("this MACE is closed")
            try:
                for at, parameter, check in placed:
                    if at < len(given):
                        check(parameter, given[at])
                for parameter in named:
                    if parameter in checks:
                        checks[parameter](parameter, named[parameter])
                if people and self._user_ids.mode != "names":
                    given, named = _translated(people, self._user_ids.mode, given, named)
                if row.same_as or (self._is_owners and not (in_own_name and self._is_named)):
                    if traced:
                        self._desk.looked(row, self._caller, _arguments(shape, self, given, named))
                    return run(self, *given, **named)
                return _asked(run, row, shape, self, given, named)
            except (OSError, ImportError) as error:
                raise _too_little_left(error) from None

        call.row = row  # type: ignore[attr-defined]  # for those who walk the verbs
        return cast(F, call)

    return bind


def tells_what_is_short(method: F) -> F:
    """For what is no verb: that the process has no free descriptor or memory is told as verbs tell it."""

    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except (OSError, ImportError) as error:
            raise _too_little_left(error) from None

    return cast(F, call)


def _drawn(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        try:
            yield from method(*given, **named)
        except (OSError, ImportError) as error:
            raise _too_little_left(error) from None

    return call


def _too_little_left(error: OSError | ImportError) -> Exception:
    """What to raise when a part that is imported when it is needed found no free descriptor; anything else as it is."""
    if isinstance(error, OSError):
        why = error.strerror if error.errno in _NONE_LEFT else None
    else:  # a library that the system loads tells it in words alone
        why = next((words for words in _SAID_BY_LOADERS if words in str(error)), None)
    return error if why is None else ServiceUnavailable(f"the process has too little left: {why}")


def _asked(
    method: Callable[..., Any], row: Verb, shape: Signature, self: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    arguments = _arguments(shape, self, given, named)
    refused = self._desk.admit(row, self._caller, arguments)
    if refused is not None:
        return refused.answer
    keyword_only = {name for name, item in shape.parameters.items() if item.kind is item.KEYWORD_ONLY}
    positional = [value for name, value in arguments.items() if name not in keyword_only]
    return method(self, *positional, **{name: value for name, value in arguments.items() if name in keyword_only})


def _translated(
    people: list[tuple[int, str]], mode: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments that name a person, as everything behind the verbs knows them (`engine/kernel/user_ids.py`)."""
    from mace.engine.kernel.user_ids import translated

    scope = given[0] if given else named.get("scope")
    placed, said = list(given), dict(named)
    for at, name in people:
        if name == "entity_id_raw" and scope != "user":
            continue  # a thing's name
        keeps_slugs = name == "person"  # which a list of people's things shows
        if at < len(placed):
            placed[at] = translated(placed[at], mode, keeps_slugs=keeps_slugs)
        elif name in said:
            said[name] = translated(said[name], mode, keeps_slugs=keeps_slugs)
    return tuple(placed), said


def _arguments(shape: Signature, self: Any, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    bound = shape.bind(self, *given, **named)  # wrong usage is a TypeError here as anywhere
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    del arguments["self"]
    return arguments
