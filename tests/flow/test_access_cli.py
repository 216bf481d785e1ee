"""Who may do what on the command line: every role, every command that is a verb's, held against `docs/access.md`."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import click
import pytest

from access_stage import ENTITY, FACT, MEGRAM, MODULE, PERSON, PREFIX, SPACE, Stage
from access_table import ROLES, TABLE, Whose
from mace.engine.verbs import BY_NAME, VERBS, Verb
from mace.interfaces.cli import main
from mace.interfaces.cli.app import root
from payloads import log_payload

Words = Callable[[Stage, Whose], list[str]]

# Verbs whose commands can be about anybody's things, about a named person's, or about whoever runs them.
ANYBODYS: dict[str, Words] = {
    "replay": lambda s, w: ["replay", s.things[w].job],
    "job": lambda s, w: ["jobs", "show", s.things[w].job],
    "resume": lambda s, w: ["jobs", "resume", s.interrupted(PERSON[w]), "--program", "access_stage:_stops_once"],
    "cancel": lambda s, w: ["jobs", "cancel", s.interrupted(PERSON[w])],
    "jobs.answer": lambda s, w: ["jobs", "answer", *s.waiting(PERSON[w]), "yes"],
    "sem_get": lambda s, w: ["fact", "get", FACT[w]],
    "sem_put": lambda s, w: ["fact", "put", FACT[w], "3.14159"],
    "sem_delete": lambda s, w: ["fact", "delete", _spare_fact(s, w)],
    "sem_list": lambda s, w: ["fact", "list", PREFIX[w]],
    "sem_history": lambda s, w: ["fact", "history", FACT[w]],
    "read_reflective_log": lambda s, w: ["log", "show", s.things[w].log],
    "jobs.log": lambda s, w: ["log", "show", s.things[w].log],
    "update_reflective_log": lambda s, w: ["log", "annotate", s.things[w].log, "--feedback", "right"],
    "amend": lambda s, w: ["log", "amend", s.things[w].log, "--changes", '{"note": "checked"}'],
    "event": lambda s, w: ["log", "show", s.things[w].event],
    "events": lambda s, w: ["log", "show", s.things[w].job],
    "approvals.request_review": lambda s, w: ["approve", "review", s.things[w].job],
    "forensics.read_log": lambda s, w: ["log", "show", s.things[w].log, "--unredacted", "--purpose", "case 7"],
    "forensics.read_event": lambda s, w: ["log", "show", s.things[w].event, "--unredacted", "--purpose", "case 7"],
}
NAMED: dict[str, Words] = {
    "jobs.list": lambda s, w: ["jobs", "list", "--person", str(PERSON[w])],
    "jobs.logs": lambda s, w: ["log", "show", "--person", str(PERSON[w])],
    "grant_consent": lambda s, w: ["consent", "grant", str(PERSON[w]), "Keep my phone."],
    "revoke_consent": lambda s, w: ["consent", "revoke", s.things[w].consent],
    "consents": lambda s, w: ["consent", "list", str(PERSON[w])],
    "request_dsr": lambda s, w: ["dsr", "export", str(PERSON[w]), "--proof", s.proof(str(PERSON[w]))],
    "dsr": lambda s, w: ["dsr", "show", s.things[w].dsr],
}
WHO_RUNS_IT: dict[str, Words] = {
    "ask": lambda s, w: ["ask", "What is 2 + 2?"],
    "remember": lambda s, w: ["remember", "I like green tea."],
    "recall": lambda s, w: ["recall", "tea"],
    "key": lambda s, w: ["fact", "key", "world", "fact", "Ohm's law", "definition"],
    "sem_resolve_alias": lambda s, w: ["fact", "alias", "my birthday"],
    "detect_and_handle": lambda s, w: ["consent", "check", "two and two"],
}
SOMEBODYS = {"remember", "recall"}  # never nobody's: the owner names whose
NOBODYS: dict[str, Words] = {
    "sem_add_alias": lambda s, w: ["fact", "alias", "the number pi", FACT["c"]],
    "import_facts": lambda s, w: ["fact", "import", _file(s, {"key": "world/fact/e/value", "value": "2.7"})],
    "memory_read": lambda s, w: ["context", "read", "staging database", "--store", str(s.store_file)],
    "memory_explain": lambda s, w: ["context", "read", "staging database", "--store", str(s.store_file), "--explain"],
    "context.append": lambda s, w: ["context", "append", str(s.store_file), f"note {s.number()}"],
    "context.check": lambda s, w: ["context", "check", str(s.store_file)],
    "write_reflective_log": lambda s, w: [
        *("log", "write", _file(s, log_payload(f"cli{s.number()}"))),
        *(() if PERSON[w] is None else ("--about", str(PERSON[w]))),
    ],
    "quarantine_read": lambda s, w: ["admin", "quarantine", s.quarantine],
    "verify": lambda s, w: ["log", "verify"],
    "attest": lambda s, w: ["log", "attest", "--statement", "all is well"],
    "checkpoint": lambda s, w: ["log", "checkpoint"],
    "prove_inclusion": lambda s, w: ["log", "prove", s.things["c"].event],
    "prove_consistency": lambda s, w: ["log", "consistency", "1", "2"],
    "export": lambda s, w: ["log", "export", str(s.root / f"log{s.number()}")],
    "sweep": lambda s, w: ["sweep"],
    "rotate_key": lambda s, w: ["admin", "rotate-key"],
    "rotate_master_key": lambda s, w: ["admin", "rotate-master-key"],
    "approvals.list": lambda s, w: ["approve", "list"],
    "approvals.show": lambda s, w: ["approve", "show", s.review],
    "approvals.vote": lambda s, w: ["approve", "vote", _reviewed(s), "abstain"],
    "approvals.propose_policy": lambda s, w: ["approve", "policy", _policy(s)],
    "accounts.list": lambda s, w: ["account", "list"],
    "accounts.create": lambda s, w: ["account", "create", f"extra{s.number()}", "--role", "viewer"],
    "accounts.change": lambda s, w: ["account", "change", "spare", "--on"],
    "accounts.enrol_second_factor": lambda s, w: ["account", "enrol", "spare"],
    "accounts.issue_token": lambda s, w: ["account", "token", "spare"],
    "accounts.tokens": lambda s, w: ["account", "list", "spare"],
    "accounts.revoke_token": lambda s, w: ["account", "revoke", "spare", s.spare_token],
    "accounts.issue_identity_proof": lambda s, w: ["dsr", "proof", "ana"],
    "incidents.list": lambda s, w: ["incident", "list"],
    "incidents.show": lambda s, w: ["incident", "show", s.incident],
    "incidents.report": lambda s, w: ["incident", "report", "a lost key"],
    "incidents.report_violation": lambda s, w: ["incident", "violation", MODULE, "wrote a key"],
    "incidents.acknowledge": lambda s, w: ["incident", "ack", s.incident],
    "incidents.lift_halt": lambda s, w: ["log", "unhalt", s.incident],
    "forensics.set_key": lambda s, w: ["admin", "forensic-key", str(s.root / f"key{s.number()}")],
    "forensics.entries": lambda s, w: ["admin", "forensics", "list"],
    "forensics.read": lambda s, w: ["admin", "forensics", "read", s.entry, *_with_key(s)],
    "forensics.restore": lambda s, w: ["dsr", "restore", s.to_restore[0], *_with_key(s)],
    "forensics.request_purge": lambda s, w: ["dsr", "purge", s.erased],
    "forensics.search": lambda s, w: ["doctor", "--canary", "canaryword"],
    "jobs.request_erasure": lambda s, w: ["dsr", "delete-jobs", s.nobodys],
    "forensics.read_quarantine": lambda s, w: ["admin", "quarantine", s.quarantine, "--unredacted", "--purpose", "a"],
    "modules.list": lambda s, w: ["admin", "modules"],
    "modules.recover": lambda s, w: ["admin", "recover", MODULE],
    "modules.request_quarantine": lambda s, w: ["approve", "quarantine", MODULE],
    "modules.request_release": lambda s, w: ["approve", "release", MODULE],
    "modules.queued_writes": lambda s, w: ["admin", "queued"],
    "modules.retry_queued": lambda s, w: ["admin", "queued", "--retry"],
    "experience.retract": lambda s, w: ["experience", "retract", _megram(s)],
    "experience.query_mk": lambda s, w: ["experience", "show", SPACE, ENTITY],
    "experience.rules": lambda s, w: ["experience", "rules"],
    "experience.pairs": lambda s, w: ["experience", "list"],
    "experience.changes": lambda s, w: ["dream", "--changes"],
    "experience.dream": lambda s, w: ["dream", "--dry-run"],
    "experience.roll_back": lambda s, w: ["dream", "--roll-back", s.dreamed()],
    "experience.export": lambda s, w: ["experience", "export", "-o", str(s.root / f"experience{s.number()}")],
    "experience.import_lines": lambda s, w: ["experience", "import", _lines(s)],
    "experience.rebuild": lambda s, w: ["experience", "rebuild"],
}
COMMANDS = ANYBODYS | NAMED | WHO_RUNS_IT | NOBODYS
# Verbs without a command of their own: programs use them, or a command above shows what they give among other things.
WITHOUT = {
    *("load_starter_facts", "amendments", "public_key", "request_review", "describe", "left_out", "recent_logs"),
    *("experience.write", "experience.record_negative_feedback", "experience.query_c", "experience.query_recent"),
    *("experience.history", "experience.change", "experience.persona", "experience.describe", "experience.flush"),
    *("perform", "aperform", "recording", "record", "recalled", "context.read", "context.request"),
}
# Commands that are no verb's: they make a store, look at the node, or need none.
NO_VERB = {
    *("init", "join", "doctor", "demo", "detect", "dsr verify-receipt", "log verify-proof", "account key"),
    "account open",
}
SAME = {
    "chat": "ask",
    "dsr delete": "dsr export",
    "dsr rectify": "dsr export",
}  # the same verb by another command
OWN_ERRORS = {"attest": "INVALID_INPUT"}  # nothing to attest
# `mace log show` takes any id: to users, who read logs and no events, it is the id of a log that is not there.
HIDES = {("user", "event"), ("user", "events")}


def _file(s: Stage, value: Any) -> str:
    path = s.root / f"given{s.number()}.json"
    path.write_text(json.dumps(value) + "\n")
    return str(path)


def _policy(s: Stage) -> str:
    path = s.root / "nobody.cedar"
    path.write_text(
        '@id("a")\npermit (principal, action, resource) when { principal.roles.containsAny(["admin", "council"]) };'
    )
    return str(path)


def _lines(s: Stage) -> str:
    path = s.root / "experience.jsonl"
    path.write_bytes(b"".join(s.exported))
    return str(path)


def _with_key(s: Stage) -> list[str]:
    path = s.root / "private.key"
    path.write_text(s.private)
    return ["--key-file", str(path), "--purpose", "case 7"]


def _reviewed(s: Stage) -> str:
    return s.m.request_review(s.m.ask("What is 3 + 3?")["job_id"])["request_id"]


def _megram(s: Stage) -> str:
    """Of the agent that runs the command, too."""
    return s.m.experience.write({**MEGRAM, "space": f"tool:r{s.number()}"}, "agent:ana")["megram_id"]


def _spare_fact(s: Stage, whose: Whose) -> str:
    key = f"{PREFIX[whose]}/spare"
    assert s.m.sem_put(key, "6.28", "system_admin")["success"]
    return key


# Every verb and every command has its place


def _leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _leaves(found, (*path, name))
    else:
        yield " ".join(path)


def test_every_verb_has_its_command_or_is_named_as_one_without(stage: Stage):
    live = {row.name for row in VERBS if not row.planned and not row.same_as}
    assert set(COMMANDS) | WITHOUT == live and not set(COMMANDS) & WITHOUT
    leaves = set(_leaves(root))
    used = set()
    for words in COMMANDS.values():
        said = words(stage, "o")
        used.add(next(" ".join(said[:n]) for n in (3, 2, 1) if " ".join(said[:n]) in leaves))
    assert used | NO_VERB | set(SAME) == leaves
    assert set(SAME.values()) <= used


# Every role, every command


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("cli"), datetime.now(UTC))  # commands go by the clock on the wall
    yield made
    made.close()


@pytest.fixture
def ran(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., tuple[str, Any]]:
    """Run a command as somebody; what came of it in the words of the table, and what was printed."""
    monkeypatch.setenv("MACE_CHECKPOINT_DIR", stage.place.settings.checkpoint_dir)
    monkeypatch.setenv("MACE_DREAM_SETTLE_MS", "3600000")
    monkeypatch.setenv("MACE_CONTEXT_ROOTS", str(stage.root))

    def run(row: Verb, role: str, user: str, words: list[str]) -> tuple[str, Any]:
        capfdbinary.readouterr()
        at = stage.place.settings.location
        code = main([*words, "-C", at, "--json", "-q", "--as", role, "--user", user])
        out, err = capfdbinary.readouterr()
        if code == 0:
            return "allowed", out
        assert code == 1, (words, out, err)
        told = json.loads(out)
        return _named(row, told), told

    return run


def _named(row: Verb, told: dict[str, Any]) -> str:
    code: str = told["error_code"]
    if code == "PERMISSION_DENIED":
        return "factor" if told["meta"].get("needs") == "second_factor" else "denied"
    if code in ("NOT_FOUND", "SEM_NOT_FOUND"):
        return "hidden"
    return "allowed" if OWN_ERRORS.get(row.name) == code else code


def _whose_of(name: str) -> tuple[Whose, ...]:
    if BY_NAME[name].thing == "everybody":
        return ("x",)
    if name in ANYBODYS:
        return ("o", "c", "x")
    return ("o", "x") if name in NAMED else ("o",) if name in WHO_RUNS_IT else ("c",)


def _meant(role: str, user: str, name: str, whose: Whose) -> Whose:
    """Whose a thing is to whoever runs it: the other one's for bob; a role without a person owns nothing."""
    seen: dict[Whose, Whose] = {"o": "x", "x": "o"} if user == "bob" else {}
    if role in ("user", "agent") or whose == "c":
        return seen.get(whose, whose)
    return "c" if name in WHO_RUNS_IT.keys() - SOMEBODYS else "x"


def _differences(run: Any, stage: Stage, role: str, user: str, names: Any) -> list[tuple[Any, ...]]:
    found = []
    for name in names:
        row = BY_NAME[name]
        for whose in _whose_of(name):
            meant = "o" if name in WHO_RUNS_IT and role in ("user", "agent") else _meant(role, user, name, whose)
            expected = "hidden" if (role, name) in HIDES else TABLE[name].cells[role].says(row, meant, factor=True)
            words = COMMANDS[name](stage, whose)
            came, told = run(row, role, user, words)
            if came != expected:
                found.append((name, whose, expected, came, told, words))
    return found


@pytest.mark.parametrize("role", ROLES)
def test_a_command_meets_the_table(ran: Any, stage: Stage, role: str):
    found = _differences(ran, stage, role, "ana", COMMANDS)
    if role == "council":  # a seat is an account's
        assert [item[0] for item in found] == ["approvals.vote"]
        assert "only an admin may decide this" in str(found[0][4])
    else:
        assert found == []


@pytest.mark.parametrize("role", ["user", "agent"])
def test_to_bob_it_is_the_other_way_round(ran: Any, stage: Stage, role: str):
    assert _differences(ran, stage, role, "bob", ANYBODYS | NAMED | WHO_RUNS_IT) == []
