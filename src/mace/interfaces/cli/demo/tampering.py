"""Chapter: somebody reaches behind MACE's back. A byte is changed, then a whole database is rolled back."""

import shutil

import apsw

from mace.interfaces.cli.demo import ledger
from mace.interfaces.cli.demo.stage import Chapter, Stage, Step


def _change_a_byte(stage: Stage) -> None:
    database = apsw.Connection(str(stage.location / "mace.db"))
    ((position, body),) = database.execute(
        "select position, body from events where event_type = 'REFLECTIVE_LOG_WRITTEN' order by position limit 1"
    )
    changed = bytearray(body)
    at = body.index(b'"hash":"') + 8
    changed[at] = ord("1") if changed[at] == ord("0") else ord("0")
    named = "select sql from sqlite_master where type = 'trigger' and name = 'events_keep_update'"
    trigger = str(database.execute(named).get)
    stage.shell("sqlite3 my-agent/mace.db   # drop the trigger, change one byte, put the trigger back")
    database.execute("drop trigger events_keep_update")
    database.execute("update events set body = ? where position = ?", (bytes(changed), position))
    database.execute(trigger)
    database.close()
    stage.lines(f"byte {at} of the event at position {position} is now {chr(changed[at])!r}")
    stage.memo["position"] = position


def _name_it(stage: Stage) -> None:
    checked = stage.mace("log", "verify", exit_code=1).value
    findings = checked["findings"]
    stage.expect(
        f"verification names the row: position {stage.memo['position']}",
        [item["where"].get("position") for item in findings] == [stage.memo["position"]]
        and findings[0]["kind"] == "CONTENT_CHANGED",
    )
    entry = stage.mace("admin", "quarantine", findings[0]["finding_id"], show=False).value
    stage.expect("a copy of the row as found is in quarantine", bool(entry["payload"]["body"]))
    shown = stage.mace("incident", "show", checked["incident_id"], "-q").value
    stage.expect("an incident is open, and replays that need the row are halted", shown["halting"])
    before = stage.mace("log", "verify", "--read-only", exit_code=1, show=False).value
    again = stage.mace("log", "verify", exit_code=1, show=False).value
    after = stage.mace("log", "verify", "--read-only", exit_code=1, show=False).value
    stage.expect(
        "verifying again changes nothing more",
        before["events"] == after["events"] and again["incident_id"] == checked["incident_id"],
    )
    stage.memo["incident"] = checked["incident_id"]


def _stranger_sees_it(stage: Stage) -> None:
    stage.mace("log", "export", "tampered.jsonl", "-q", show=False)
    files = ["--checkpoint", "log.jsonl.checkpoint", "--public-key", "log.jsonl.pub"]
    checked = stage.mace("log", "verify", "tampered.jsonl", *files, exit_code=1).value
    stage.expect(
        "with an earlier checkpoint the stranger finds the same row",
        [item["where"].get("position") for item in checked["findings"]] == [stage.memo["position"]],
    )


def _go_on(stage: Stage) -> None:
    incident = stage.memo["incident"]
    stage.mace("incident", "ack", incident, show=False)
    stage.mace("log", "unhalt", incident, exit_code=1)
    stage.mace("log", "attest", "--statement", "A byte was changed on disk; compared with the export of this morning.")
    lifted = stage.mace("log", "unhalt", incident).value
    stage.expect("the halt is lifted only after an admin signed off the findings", lifted["halting"] is False)
    checked = stage.mace("log", "verify").value
    stage.expect("the log is good again, and the finding stays on the record", checked["ok"] and checked["findings"])


def _roll_back(stage: Stage) -> None:
    stage.shell("cp my-agent/mace.db old-copy.db")
    shutil.copy(stage.location / "mace.db", stage.folder / "old-copy.db")
    stage.mace("log", "amend", stage.memo["logs"][2], "--changes", '{"note": "the agent was told no"}')
    stage.shell("cp old-copy.db my-agent/mace.db   # as if it had never happened")
    for name in ("mace.db-wal", "mace.db-shm"):
        (stage.location / name).unlink(missing_ok=True)
    shutil.copy(stage.folder / "old-copy.db", stage.location / "mace.db")
    checked = stage.mace("log", "verify", exit_code=1).value
    kinds = [item["kind"] for item in checked["findings"] if not item["attested"]]
    stage.expect("the checkpoint kept elsewhere shows that events are gone", kinds == ["LOG_CUT"])
    attested = stage.mace("log", "attest", "--statement", "An old copy was put back by mistake.").value
    stage.mace("log", "unhalt", checked["incident_id"], show=False)
    checked = stage.mace("log", "verify", show=False).value
    stage.expect("the log goes on in a new epoch, named in every checkpoint", attested["epoch"] == 1 and checked["ok"])


CHAPTER = Chapter(
    "tampering",
    "A log that cannot be changed unseen",
    [
        Step("A byte is changed behind its back", "With a raw connection, past the triggers.", _change_a_byte),
        Step("Verification names the row", "It is quarantined and becomes an incident.", _name_it),
        Step("The stranger sees it, too", "An exported log is held to the checkpoint they kept.", _stranger_sees_it),
        Step("The log goes on", "Nothing is repaired in place: an admin says what is known.", _go_on),
        Step(
            "The whole database is rolled back",
            "No chain shows that; it can be seen back to the last checkpoint kept elsewhere.",
            _roll_back,
        ),
    ],
    needs=[ledger.CHAPTER],
)
