"""What looking at other people's things leaves on the record, and what is looked up before a refusal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from access_stage import CALLS, FACT, MEGRAM, PREFIX, Stage
from access_table import ROLES, TABLE, Whose
from mace.core.caller import Caller
from mace.core.errors import MaceError, PermissionDenied
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS, Verb

OWNED = [row for row in VERBS if not row.planned and row.thing not in ("nobody", "everybody")]
WHO = ["registry.get"]  # which person the caller is
# Its own event, with the purpose that was given, and no second one.
WITH_PURPOSE = {"forensics.read_log": "reflective_log", "forensics.read_event": "event"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("record"))
    yield made
    made.close()


def accesses(m: Mace) -> list[dict[str, Any]]:
    return [event["payload"] for event in m.events("system") if event["event_type"] == "admin_access_event"]


def left_by(stage: Stage, row: Verb, by: Caller, whose: Whose) -> list[dict[str, Any]]:
    before = len(accesses(stage.m))
    CALLS[row.name](stage, stage.m.acting_as(by), whose)
    return accesses(stage.m)[before:]


# On the record


@pytest.mark.parametrize("role", ["auditor", "admin"])
def test_other_peoples_things_are_on_the_record_and_ones_own_are_not(stage: Stage, role: str):
    by, looked = stage.by_token(role, factor=True), 0
    for row in OWNED:
        if "x" not in TABLE[row.name].cells[role].letters:
            continue
        looked += 1
        (told,) = left_by(stage, row, by, "x")
        assert told["actor"] == by.name, row.name
        assert told["what"] == WITH_PURPOSE.get(row.name, row.action), row.name
        if row.name not in WITH_PURPOSE:
            assert left_by(stage, row, by, "o") == [], row.name
    assert looked >= 5


def test_a_list_of_everybodys_is_on_the_record_once(stage: Stage):
    for row in VERBS:
        if row.name == "recent_logs":
            (told,) = left_by(stage, row, stage.by_token("auditor", factor=True), "x")
            assert told["purpose"] == "recent_logs"
            with pytest.raises(PermissionDenied) as refused:
                stage.m.acting_as(stage.by_token("auditor", factor=False)).recent_logs()
            assert refused.value.details["needs"] == "second_factor"
        if row.name in ("jobs.list", "jobs.logs"):
            (told,) = left_by(stage, row, stage.by_token("auditor", "c", factor=True), "c")
            assert (told["purpose"], told["which"]) == (row.name, "everybody's")
        if row.name == "jobs.list":
            assert left_by(stage, row, stage.by_token("agent", "c", factor=True), "c") == []


def test_the_owner_looks_without_a_trace_but_for_exports_and_what_is_unredacted(stage: Stage):
    m, before = stage.m, len(accesses(stage.m))
    for key, prefix in zip(FACT.values(), PREFIX.values(), strict=True):
        m.sem_get(key)
        m.sem_list(prefix, "system_admin")
    narrowed = m.acting_as(m.owner("zoe", roles=["auditor"]))
    narrowed.read_reflective_log(stage.things["x"].log)
    assert accesses(m)[before:] == []
    m.forensics.read_log(stage.things["x"].log, purpose="case 7")
    m.forensics.read_event(stage.things["x"].event, purpose="case 7")
    m.forensics.read_quarantine(stage.quarantine, purpose="case 7")
    m.forensics.read(stage.entry, stage.private, purpose="case 7")
    left = accesses(m)[before:]
    assert [item["what"] for item in left] == ["reflective_log", "event", "quarantine", "forensic_entry"]
    assert {(item["actor"], item["purpose"]) for item in left} == {("owner", "case 7")}


TRACED = {"sem_history", "consents", "dsr", "recalled"}  # whole texts of a person, history and papers included
UNTRACED = {
    *("sem_get", "sem_list", "jobs.list", "jobs.logs", "jobs.log", "read_reflective_log", "amendments", "recent_logs"),
    *("event", "events", "job"),
}


def test_the_owner_leaves_a_trace_where_a_verb_shows_all_that_a_person_wrote(stage: Stage):
    """Every verb that reads what has an owner is on one of the two lists, or shows nothing of anybody."""
    reads = {row.name: row for row in VERBS if row.does == "reads" and row.thing != "nobody" and not row.planned}
    assert {name for name, row in reads.items() if row.traced} == TRACED
    assert set(reads) - TRACED - UNTRACED == {"sem_resolve_alias", "replay", "export"}
    for by in (stage.m.caller, stage.m.owner("zoe"), stage.m.owner("zoe", roles=["admin"])):
        for name in sorted(TRACED):
            (told,) = left_by(stage, reads[name], by, "x")
            assert (told["actor"], told["what"], told["purpose"]) == (by.name, reads[name].action, name)
            assert "user_bob" in told["which"] or told["which"] == stage.things["x"].dsr
        for name in sorted(UNTRACED - {"sem_list"}):
            assert left_by(stage, reads[name], by, "x") == [], name
    assert left_by(stage, reads["sem_history"], stage.m.caller, "c") == []  # nobody's
    with pytest.raises(MaceError):
        stage.m.dsr("5" * 36)
    assert accesses(stage.m)[-1]["which"] != "5" * 36


def test_a_person_s_own_reads_leave_none(stage: Stage):
    ana = stage.m.on_behalf_of("ana")
    for row in OWNED:
        if row.does == "reads" and "o" in TABLE[row.name].cells["user"].letters:
            assert left_by(stage, row, ana, "o") == [], row.name


def test_the_words_of_others_in_experience_are_for_an_admin_with_a_code_alone(stage: Stage):
    pair = {"space": "tool:bike", "entity": "path:shed"}
    for who, words in (("ana", "ana fell"), ("bob", "bob fell"), (None, "it rained")):
        assert stage.m.experience.write({**MEGRAM, **pair, "content": words}, "solver", user_id=who)["success"]

    def seen(by: Caller) -> set[str]:
        m = stage.m.acting_as(by)
        found = m.experience.query_recent(pair["space"], pair["entity"])
        assert len(found) == 3  # they count for everybody
        return {item["content"] for item in found} - {""}

    before = len(accesses(stage.m))
    everything = {"ana fell", "bob fell", "it rained"}
    assert seen(stage.m.caller) == everything
    for factor in (True, False):
        assert seen(stage.by_token("agent", factor=factor)) == {"ana fell", "it rained"}
        assert seen(stage.by_token("agent", "c", factor=factor)) == {"it rained"}
    assert seen(stage.by_token("admin", "c", factor=False)) == {"it rained"}
    assert accesses(stage.m)[before:] == []
    assert seen(stage.by_token("admin", "c", factor=True)) == everything
    (told,) = accesses(stage.m)[before:]
    assert (told["purpose"], told["which"]) == ("experience.query_recent", "others' words")


def test_the_words_of_others_in_rules_are_kept_back_too(stage: Stage):
    for number in range(6):
        megram = {**MEGRAM, "space": "tool:boat", "entity": "path:pond", "content": f"bob sailed {number}"}
        stage.m.experience.write(megram, "solver", user_id="bob")
    assert stage.m.experience.dream()["promoted"]
    agent = stage.m.acting_as(stage.by_token("agent", factor=True))
    assert [item["content"] for item in agent.experience.query_c("tool:boat", "path:pond")] == [""]
    assert [item["content"] for item in agent.experience.rules(search="tool:boat")] == [""]
    assert "bob sailed" in stage.m.experience.query_c("tool:boat", "path:pond")[0]["content"]


def test_exports_of_what_people_wrote_are_on_the_record(stage: Stage):
    def exports() -> int:
        return len(stage.m._parts.world.store.read(lambda tx: tx.events.of_type("EXPERIENCE_EXPORTED")))

    for by in (stage.m.caller, stage.by_token("admin", factor=True)):
        before = exports()
        list(stage.m.acting_as(by).experience.export())
        assert exports() > before


# Lists show what their reader may see


def test_lists_hold_what_their_reader_may_see(stage: Stage):
    jobs = {whose: stage.things[whose].job for whose in ("o", "c", "x")}
    logs = {whose: stage.things[whose].log for whose in ("o", "c", "x")}

    def listed(by: Caller, **options: Any) -> set[str]:
        shown = {item["job_id"] for item in stage.m.acting_as(by).jobs.list(limit=1000, **options)["items"]}
        return {whose for whose, job in jobs.items() if job in shown}

    def recent(by: Caller) -> set[str]:
        shown = {item["log_id"] for item in stage.m.acting_as(by).recent_logs(limit=1000)}
        return {whose for whose, log in logs.items() if log in shown}

    assert listed(stage.m.caller) == recent(stage.m.caller) == {"o", "c", "x"}
    assert listed(stage.by_token("user", factor=True)) == {"o"}
    assert listed(stage.by_token("agent", factor=True)) == {"o"}
    assert listed(stage.by_token("agent", "c", factor=True)) == {"c"}
    with pytest.raises(PermissionDenied):  # half a list would mislead
        listed(stage.by_token("auditor", "c", factor=False))
    assert listed(stage.by_token("auditor", "c", factor=True)) == {"o", "c", "x"}
    assert listed(stage.by_token("auditor", factor=True), person="bob") == {"x"}
    assert recent(stage.by_token("auditor", factor=True)) == {"o", "c", "x"}


def test_a_viewer_who_is_a_person_sees_what_is_nobodys(stage: Stage):
    viewer = stage.m.acting_as(stage.by_token("viewer", factor=False))
    assert viewer.caller.person is not None
    assert viewer.sem_resolve_alias("pi") == stage.m.sem_resolve_alias("pi")


def test_an_account_is_made_for_whom_it_is_made(stage: Stage):
    admin = stage.m.acting_as(stage.by_token("admin", factor=True))
    assert admin.caller.person is not None
    assert not admin.accounts.create("nobodys_viewer", ["viewer"])["person"]
    assert admin.accounts.create("bobs_viewer", ["viewer"], user_id="bob")["person"] == "user_bob"


# Before anything is looked up


class Watched:
    """A store that notes which things are read in it; tokens, accounts and policies are no things."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.read_things: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def read(self, look: Callable[[Any], Any]) -> Any:
        return self._store.read(lambda tx: look(_Part(tx, "", self.read_things)))


class _Part:
    """A transaction or a part of it, which notes each call."""

    _THINGS = ("jobs", "logs", "events", "facts", "vault", "registry", "aliases")
    _KINDS = ("consent", "dsr_request", "approval", "incident", "quarantine", "forensic_entry")

    def __init__(self, inner: Any, name: str, noted: list[str]) -> None:
        self._inner, self._name, self._noted = inner, name, noted

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not self._name:
            return _Part(found, name, self._noted) if not callable(found) else found

        def call(*given: Any, **named: Any) -> Any:
            if name in ("about", "about_under"):
                is_thing = given[0].partition("/")[0] in self._KINDS
            else:
                is_thing = self._name in self._THINGS or (self._name == "records" and given[0] in self._KINDS)
            if is_thing:
                self._noted.append(f"{self._name}.{name}")
            return found(*given, **named)

        return call


@contextmanager
def watched(m: Mace) -> Iterator[Watched]:
    world = m._parts.world
    watching = Watched(world.store)
    object.__setattr__(world, "store", watching)
    try:
        yield watching
    finally:
        object.__setattr__(world, "store", watching._store)


def things_read(stage: Stage, row: Verb, by: Caller, whose: Whose) -> list[str]:
    view = stage.m.acting_as(by)
    with watched(stage.m) as watching:
        try:
            CALLS[row.name](stage, view, whose)
        except MaceError as error:
            assert error.code in ("PERMISSION_DENIED", "NOT_FOUND"), row.name
    return watching.read_things


# Here the stage itself reads to make something for the call.
MAKES = {
    *("request_dsr", "sem_delete", "approvals.vote", "experience.retract", "experience.roll_back"),
    *("resume", "cancel", "jobs.answer", "recalled"),
}


@pytest.mark.parametrize("role", ROLES)
def test_what_one_may_never_do_is_refused_before_anything_is_looked_up(stage: Stage, role: str):
    by, refused = stage.by_token(role, factor=True), 0
    for row in VERBS:
        if row.planned or row.same_as or row.name in MAKES or TABLE[row.name].cells[role].letters:
            continue
        refused += 1
        assert things_read(stage, row, by, "x" if row.thing != "nobody" else "c") in ([], WHO), row.name
    assert (refused > 0) == (role != "admin")


def test_the_watch_sees_what_is_read(stage: Stage):
    row = next(row for row in OWNED if row.name == "read_reflective_log")
    assert things_read(stage, row, stage.by_token("user", factor=False), "o")


@pytest.mark.parametrize("role", ["user", "agent", "auditor"])
def test_as_much_is_looked_up_for_what_is_not_yours_as_for_what_does_not_exist(stage: Stage, role: str):
    by, compared = stage.by_token(role, factor=False), 0
    for row in OWNED:
        said = TABLE[row.name].cells[role].says(row, "x", factor=False)
        if row.name in MAKES or said == "allowed" or not TABLE[row.name].cells[role].letters:
            continue
        compared += 1
        theirs, gone = (things_read(stage, row, by, whose) for whose in ("x", "gone"))
        assert len(theirs) == len(gone), (row.name, theirs, gone)
    assert compared > 3


def test_a_refusal_names_no_second_factor_where_it_would_not_help(stage: Stage):
    """The policy forbids without one before it permits anything; that a user may never do it is what counts."""
    for role in ("viewer", "user", "operator"):
        m = stage.m.acting_as(stage.by_token(role, factor=False))
        with pytest.raises(MaceError) as refused:
            m.accounts.create("mine", ["admin"])
        assert "needs" not in refused.value.details
