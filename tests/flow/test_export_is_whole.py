"""An export holds everything of its person, wherever it lies, and nothing of others: the same state, the same bytes."""

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import governed
import payloads
import places
from canaries import SSN_SENTENCE
from fact_helpers import refusing
from mace.core import canon
from mace.core.programs import program
from mace.engine.programs.handle import Job
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
PEOPLE = {"bob": "quokka", "alice": "wombat"}


@pytest.fixture
def house(place: places.Place) -> Iterator[governed.House]:
    made = governed.House(place.folder.parent, place=place)
    made.m = governed.owned(made.m)
    made.g.world.clock.pause_ms = lambda _: None  # type: ignore[method-assign]
    made.account("root", "admin")
    yield made
    made.close()


class Person:
    """Somebody with a word of their own, which is planted through a verb with a number behind it."""

    def __init__(self, house: governed.House, name: str) -> None:
        self.house, self.m, self.name, self.animal = house, house.m, name, PEOPLE[name]
        self.planted: dict[str, list[str]] = {}
        self._log = ""

    def word(self, verb: str) -> str:
        said = self.planted.setdefault(verb, [])
        said.append(f"{self.animal}{sum(map(len, self.planted.values()))}x")
        return said[-1]

    @property
    def log(self) -> str:
        if not self._log:
            self._log = str(self.m.ask("What is 2 + 2?", self.name)["log_id"])
        return self._log

    def key(self, attribute: str) -> str:
        return f"user/profile/user_{self.name}/{attribute}"

    def put(self, m: Mace, attribute: str, **more: Any) -> Any:
        return m.sem_put(self.key(attribute), self.word("sem_put"), "user", user_id=self.name, **more)


def _fact(p: Person) -> None:
    p.put(p.m, "motto")
    word = p.word("sem_put")
    assert p.put(p.m, "motto", notes=word, meta={"why": p.word("sem_put")})["success"]


def _imported(p: Person) -> None:
    line = {"key": p.key("pet"), "value": p.word("import_facts")}
    assert p.m.import_facts([canon.dumps(line)], "system_admin")["imported"] == 1


def _ask(p: Person) -> None:
    p.m.ask(f"Remember my favorite animal is {p.word('ask')}", p.name)


def _experience(p: Person) -> None:
    megram = {"space": "tool:shell", "entity": "path:x", "content": p.word("experience.write"), "state": "accept"}
    assert p.m.experience.write(megram, "solver", user_id=p.name)["success"]


def _log(p: Person) -> None:
    def word() -> str:
        return p.word("write_reflective_log")

    output = payloads.log_payload()["agent_outputs"][0]
    outputs = [{**output, "text": f"{'y ' * 9000}{word()}", "reasoning_trace": ["first", word()]}]
    tags = {"depth_level": 1, "intent_tags": [word()], "urgency": "low"}
    payload = payloads.log_payload(p.name, agent_outputs=outputs, final_answer={"a": [word()]}, qcp_summary=tags)
    log_id = p.m.write_reflective_log({**payload, "runtime_metrics": {"note": word()}}, user_id=p.name)
    p.m.update_reflective_log(log_id, {"user_feedback": p.word("update_reflective_log")})


def _annotations(p: Person) -> None:
    p.m.update_reflective_log(p.log, {"user_feedback": {"said": p.word("update_reflective_log")}})
    label, tag = p.word("update_reflective_log"), p.word("update_reflective_log")
    p.m.update_reflective_log(p.log, {"ground_truth_label": label, "audit_tags": [tag]})


def _amendment(p: Person) -> None:
    p.m.amend(p.log, "kim", {"note": p.word("amend")}, "note")


def _consent(p: Person) -> None:
    until = p.house.clock.at.replace(year=2027)
    given = p.m.grant_consent(p.name, f"Keep what {p.word('grant_consent')} says.", "persistent", expires_at=until)
    answer = p.m.sem_put(p.key("id"), SSN_SENTENCE, "user", user_id=p.name, consent_id=given["consent_id"])
    assert answer["error"]["meta"]["request_id"] is not None  # which waits for an approval


def _deletion(p: Person) -> None:
    asked = p.m.request_dsr(p.name, "delete", p.m.accounts.issue_identity_proof(p.name)["proof"], [p.key("motto")])
    assert asked["request_id"] is not None
    p.house.acting("root").approvals.vote(asked["request_id"], "reject", reason=p.word("approvals.vote"))


def _access(p: Person) -> None:
    p.house.acting("root").forensics.read_log(p.log, purpose=p.word("forensics.read_log"))
    p.house.acting("root").sem_history(p.key("motto"))


def _turns(p: Person) -> None:
    said = [{"role": "user", "content": f"{p.word('remember')} sings", "name": p.word("remember")}]
    assert p.m.remember(p.name, said, conversation_id=p.word("remember"))["success"]  # type: ignore[arg-type]
    assert p.m.recall(p.name, p.planted["remember"][0])["items"]


def _account(p: Person) -> None:
    p.m.accounts.create(p.word("accounts.create"), ["user"], user_id=p.name)


def _waiting(p: Person) -> None:
    with p.house.place.open(clock=p.house.clock) as other:  # another process: this one does not know that it waits
        other._parts.world.clock.pause_ms = lambda _: None  # type: ignore[method-assign]
        with refusing(p.house.place):
            assert p.put(other, "wish")["queued"]


@program("speaks")
def _speaks(job: Job, given: Any) -> Any:
    said = job.call("say", {"word": given[1]}, lambda request: {"heard": given[2]})
    job.map(lambda branch, word: branch.call("say", {}, lambda request: word), given[3:5])
    return job.answer(f"{said} {given[5]}", value=given[6])


async def _spoken(p: Person, words: list[str]) -> Any:
    return await p.m.aperform(_speaks, words, p.name)


def _program(p: Person) -> None:
    assert p.m.perform(_speaks, [p.word("perform") for _ in range(7)], p.name)["status"] == "closed"
    assert asyncio.run(_spoken(p, [p.word("aperform") for _ in range(7)]))["status"] == "closed"
    with p.m.recording(f"What does {p.word('recording')} say?", p.name) as job:
        job.call("say", p.word("recording"), lambda request: p.word("recording"))
        job.answer(p.word("recording"))
    p.m.record(f"What does {p.word('record')} say?", p.word("record"), p.name)


PLANTS: list[Callable[[Person], None]] = [
    _fact,
    _imported,
    _ask,
    _experience,
    _log,
    _annotations,
    _amendment,
    _consent,
    _deletion,
    _access,
    _account,
    _turns,
    _program,
]
# Verbs that take nobody's words, or none that are about a person: what they are about instead.
NOT_ABOUT_A_PERSON = {
    "the world, or the store": {"key", "sem_delete", "sem_add_alias", "load_starter_facts", "experience.import_lines"},
    "nothing of it is stored": {"detect_and_handle", "recall"},
    "the same verb again": {"experience.record_negative_feedback", "vote", "forensics.read_event"},
    "an id": {"revoke_consent", "request_dsr", "request_review", "approvals.request_review", "experience.retract"},
}
_GOVERNING = ("accounts.", "incidents.", "forensics.", "modules.", "experience.", "approvals.")


def export_of(m: Mace, name: str) -> dict[str, Any]:
    answer = m.request_dsr(name, "export", m.accounts.issue_identity_proof(name)["proof"])
    package = dict(answer["package"])
    assert canon.sha256_hex(canon.dumps(package)) == answer["package_sha256"]
    return package


def test_every_word_is_in_the_export_of_its_person_and_in_no_other(house: governed.House):
    people = [Person(house, name) for name in PEOPLE]
    for person in people:
        for plant in PLANTS:
            plant(person)
    for person in people:
        _waiting(person)  # last: it goes to the spill file, and the next write may bring it in
    for person in people:
        told = canon.dumps(export_of(house.m, person.name)).decode()
        for verb, words in person.planted.items():
            assert [word for word in words if word not in told] == [], verb
        others = [animal for name, animal in PEOPLE.items() if name != person.name]
        assert [animal for animal in others if animal in told] == []
    assert house.m.verify()["findings"] == []


def test_every_verb_that_takes_words_is_tried(house: governed.House):
    person = Person(house, "bob")
    for plant in PLANTS:
        plant(person)
    excused = {name for names in NOT_ABOUT_A_PERSON.values() for name in names}
    tried = {name for name in person.planted if name != "forensics.read_log"}
    left = {
        row.name
        for row in VERBS
        if row.does == "changes" and not row.planned and not row.name.startswith(_GOVERNING) and not row.same_as
    }
    about_people = {row.name for row in VERBS if row.name in left and row.thing in ("person", "key", "log", "name")}
    assert about_people - tried - excused == set()


def test_what_each_part_says(house: governed.House):
    bob = Person(house, "bob")
    for plant in PLANTS:
        plant(bob)
    _waiting(bob)
    package = export_of(house.m, "bob")
    assert package["format"] == "mace-export/3"
    assert {row["key"]: row["current"] for row in package["facts"]}[bob.key("motto")] is True
    assert [row["version"] for row in package["facts"] if row["key"] == bob.key("motto")] == [1, 2]
    (waiting,) = package["queued_writes"]
    assert (waiting["key"], waiting["retried"]) == (bob.key("wish"), False)
    assert {item["kind"]: item["status"] for item in package["approvals"]} == {
        "promotion": "open",
        "erasure": "rejected",
    }
    (account,) = package["accounts"]
    (turn,) = package["turns"]
    first, name, talk = bob.planted["remember"]
    assert (turn["turn_id"], turn["content"], turn["name"]) == ("turn/user_bob/00000000", f"{first} sings", name)
    assert (turn["conversation_id"], turn["role"]) == (talk, "user")
    (recalled,) = package["recalls"]
    assert turn["turn_id"] in recalled["refs"] and recalled["tokens"] > 0
    assert (account["roles"], account["second_factor"]) == (["user"], False)
    looked = {(item["actor"], item["what"]) for item in package["accesses"]}
    assert looked == {("root", "reflective_log"), ("root", "history_read")}
    asked, given = [log for log in package["logs"] if log["log_id"] in (bob.log, payloads.log_payload("bob")["log_id"])]
    assert {asked["log_id"], given["log_id"]} == {bob.log, payloads.log_payload("bob")["log_id"]}
    with_amendment = asked if asked["log_id"] == bob.log else given
    assert [item["author"] for item in with_amendment["amendments"]] == ["kim"]


@program("branches")
def _branches(job: Job, given: Any) -> Any:
    with job.branch("outer") as outer:
        outer.map(lambda inner, word: [word, None], given)
    with job.branch("quiet"):
        pass
    try:
        job.map(lambda branch, word: {}[word], given[:1])
    except KeyError:
        return "caught"
    return "not caught"


def test_what_branches_returned_or_raised(house: governed.House):
    done = house.m.perform(_branches, ["quokka", "wombat"], "bob")
    (job,) = export_of(house.m, "bob")["jobs"]
    told = [(item["name"], item["status"], item["result"]) for item in job["branches"]]
    assert sorted(told, key=str) == [
        ("map", "failed", {"exception": "KeyError"}),
        ("outer", "closed", None),
        ("outer/map", "closed", ["quokka", None]),
        ("outer/map[1]", "closed", ["wombat", None]),
        ("quiet", "closed", None),
    ]
    ids = {item["branch"] for item in job["branches"]}
    assert len(ids) == 5 and {*house.m.job(done["job_id"])["branches"]} < ids
    assert not any("damaged" in item for item in job["branches"])


@pytest.mark.breaks_its_store
def test_a_branch_whose_result_is_gone_says_so(house: governed.House):
    house.m.perform(_branches, ["quokka", "wombat"], "bob")
    (job,) = export_of(house.m, "bob")["jobs"]
    lost = next(item["branch"] for item in job["branches"] if item["name"] == "outer/map[1]")
    with house.place.sql() as sql:
        sql("delete from vault_blobs where ref = ?", (f"result/{lost}",))
    (job,) = export_of(house.m, "bob")["jobs"]
    found = {item["name"]: item for item in job["branches"]}
    assert (found["outer/map[1]"]["result"], found["outer/map[1]"]["damaged"]) == (None, ["result"])
    assert found["outer/map"]["result"] == ["quokka", None]
    assert [name for name, item in found.items() if "damaged" in item] == ["outer/map[1]"]


def test_a_look_at_a_branch_is_a_look_at_the_job(house: governed.House):
    done = house.m.perform(_branches, ["quokka"], "bob")
    branch = house.m.job(done["job_id"])["branches"][0]
    house.acting("root").job(branch)
    house.acting("root").job(done["job_id"])
    told = [(item["what"], item["which"]) for item in export_of(house.m, "bob")["accesses"]]
    assert sorted(told) == sorted([("job_read", branch), ("job_read", done["job_id"])])


@program("stops")
def _stops(job: Job, given: Any) -> Any:
    with job.branch("inner") as branch:
        branch.call("stop", given, _stop)


def _stop(request: Any) -> Any:
    raise SystemExit


def test_a_job_that_was_cancelled_while_nobody_played_it_is_not_damaged(house: governed.House):
    with pytest.raises(SystemExit):
        house.m.perform(_stops, "quokka", "bob")
    (left,) = house.m.jobs.list(status="interrupted")["items"]
    house.m.cancel(left["job_id"])
    (job,) = export_of(house.m, "bob")["jobs"]
    (branch,) = job["branches"]
    assert (branch["name"], branch["status"], branch["result"]) == ("inner", "cancelled", None)
    assert (job["question"], job["answer"]) == ("quokka", None)
    assert "damaged" not in job and "damaged" not in branch


def test_the_same_state_gives_the_same_bytes(house: governed.House):
    bob = Person(house, "bob")
    for plant in PLANTS:
        plant(bob)
    _waiting(bob)
    first = canon.dumps(export_of(house.m, "bob"))
    assert canon.dumps(export_of(house.m, "bob")) == first
    with house.place.open(clock=house.clock) as other:
        assert governed.parts_of(other).spilling.merge() == 1  # it waits in the store from now on
        assert len(governed.owned(other).modules.queued_writes()) == 1
        house.clock.move(days=30)  # an open request has lapsed by now, which nobody has put down yet
        assert canon.dumps(export_of(governed.owned(other), "bob")) == first


def test_looks_at_what_is_theirs_or_everybodys_are_told_and_no_others(house: governed.House):
    bob, alice = Person(house, "bob"), Person(house, "alice")
    for person in (bob, alice):
        _fact(person)
    root = house.acting("root")
    for which in ("user", "user/profile", "user/profile/user_bob", "user/profile/user_alice", "world/fact"):
        root.sem_list(which)
    root.consents("alice")
    root.recent_logs(1)
    house.m.forensics.read_log(alice.log, purpose="about alice")
    told = [(item["what"], item["which"]) for item in export_of(house.m, "bob")["accesses"]]
    listed = [("sem_list", which) for which in ("user", "user/profile", "user/profile/user_bob")]
    assert sorted(told) == sorted([*listed, ("log_read", "None")])


def test_nothing_secret_is_in_it(house: governed.House):
    house.account("bobs", "user", user_id="bob")
    token = house.m.accounts.issue_token("bobs")
    told = canon.dumps(export_of(house.m, "bob")).decode()
    rows = house.g.world.store.read(lambda tx: [row.key for row in tx.records.scan("token")])
    assert rows
    for secret in (house.secrets["bobs"], token["token"], *rows):
        assert secret not in told


def test_after_an_erasure_nothing_is_left_to_export(house: governed.House):
    bob = Person(house, "bob")
    for plant in PLANTS:
        plant(bob)
    governed.erase(house.m, "bob")
    package = export_of(house.m, "bob")
    assert (package["facts"], package["jobs"], package["logs"], package["experience"]) == ([], [], [], [])
    told = canon.dumps(package).decode()
    erased = [word for verb, words in bob.planted.items() for word in words if verb not in ("accounts.create",)]
    kept = {*bob.planted["forensics.read_log"], *bob.planted["approvals.vote"]}  # the words of those who govern
    assert [word for word in erased if word in told and word not in kept] == []


def test_the_command_writes_one_readable_file(house: governed.House, tmp_path: Path):
    from click.testing import CliRunner

    from mace.interfaces.cli.dsr import export
    from mace.interfaces.cli.session import Session

    bob = Person(house, "bob")
    for plant in PLANTS:
        plant(bob)

    def run(*arguments: str) -> Any:
        code = house.m.accounts.issue_identity_proof("bob")["proof"]
        session = Session(_settings=house.place.settings, user="bob")
        return CliRunner().invoke(export, ["bob", "--proof", code, *arguments], obj=session)

    house.clock.at = datetime.now(UTC)  # the command has the clock of the computer
    file = tmp_path / "for bob.json"
    done = run("--out", str(file))
    assert done.exit_code == 0, done.output
    assert oct(file.stat().st_mode & 0o777) == "0o600"
    held = file.read_text()
    assert sha256(file.read_bytes()).hexdigest() in done.output
    assert [word for words in bob.planted.values() for word in words if word not in held] == []
    assert len(held.splitlines()) > 200  # a line for each value
    assert json.loads(held) == export_of(house.m, "bob")
    assert run("--out", str(tmp_path / "a"), "-o", str(tmp_path / "b")).exit_code == 2
    assert run("--out", str(file)).exit_code != 0  # it is there already
    again = tmp_path / "again.json"
    assert run("--out", str(again)).exit_code == 0
    assert again.read_bytes() == file.read_bytes()
