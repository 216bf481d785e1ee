"""Chapter: questions. A fact is remembered, recalled in other words, a card number refused, an answer played again."""

import apsw

from mace.interfaces.cli.demo import ledger
from mace.interfaces.cli.demo.stage import Chapter, Stage, Step

_ANA = ("--user", "ana")


def _remember(stage: Stage) -> None:
    told = stage.mace("ask", "Remember my favorite colour is teal", *_ANA)
    stage.expect("it says what it stored", told.value["answer"] is not None)
    asked = stage.mace("ask", "What's my favourite color?", *_ANA)
    stage.expect("the fact comes back in other words", "teal" in asked.value["text"])
    other = stage.mace("ask", "What is my favorite color?", "--user", "bo", show=False, exit_code=1)
    stage.expect("somebody else is told nothing", other.value["error_code"] == "SEM_NOT_FOUND")
    stage.memo["job"] = asked.value["job_id"]


def _refuse(stage: Stage) -> None:
    refused = stage.mace("ask", "Remember my card is 4111 1111 1111 1111", *_ANA, exit_code=1)
    stage.expect("a card number is refused before anyone reads it", refused.value["error_code"] == "PRIVACY_BLOCKED")
    raw = b"".join(path.read_bytes() for path in stage.location.rglob("*") if path.is_file())
    stage.expect("and is nowhere in the files", b"4111 1111 1111 1111" not in raw and b"4111111111111111" not in raw)


def _compute(stage: Stage) -> None:
    integral = stage.mace("ask", "Integrate x^2 from 0 to 3")
    stage.expect("an integral is computed, not guessed", "9" in (integral.value["answer"] or ""))
    fact = stage.mace("ask", "What is Ohm's law?")
    stage.expect("a known fact is quoted with its key", fact.value["evidence"][0]["ref"].startswith("world/fact/"))
    unknown = stage.mace("ask", "What is the flumph coefficient?", exit_code=1)
    stage.expect("what it does not know, it says so", unknown.value["answer"] is None)


def _replay(stage: Stage) -> None:
    job = stage.memo["job"]
    stage.mace("log", "show", job)
    played = stage.mace("replay", job)
    stage.expect("deciding again gives the same bytes", played.value["result"] == "MATCH")
    every = stage.mace("replay", "--last", "8", show=False)
    stage.expect("so does every other question", every.value["matched"] == len(every.value["replays"]))


def _tamper(stage: Stage) -> None:
    job = stage.memo["job"]
    stage.shell("sqlite3 my-agent/mace.db   # past the triggers: change one letter of one event of that job")
    database = apsw.Connection(str(stage.location / "mace.db"))
    try:
        named = "select sql from sqlite_master where type = 'trigger' and name = 'events_keep_update'"
        trigger = str(database.execute(named).get)
        database.execute("drop trigger events_keep_update")
        database.execute(
            "update events set body = cast(replace(cast(body as text), 'profile_agent', 'profile_agenT') as blob)"
            " where stream = ?",
            (job,),
        )
        database.execute(trigger)
    finally:
        database.close()
    refused = stage.mace("replay", job, exit_code=1)
    stage.expect("a tampered answer is not played again", refused.value["result"] == "INTEGRITY_FAILURE")
    halted = stage.mace("replay", job, show=False, exit_code=1)
    stage.expect("and stays halted until a person has looked", halted.value["result"] == "REPLAY_HALTED")


def _make_good(stage: Stage) -> None:
    found = stage.mace("incident", "list", show=False).value["incidents"]
    halting = [item["incident_id"] for item in found if item["halting"]]
    stage.mace("log", "verify", "-q", exit_code=1, show=False)
    stage.mace("log", "attest", "--statement", "Events of one job were changed on disk; its answer is not trusted.")
    for incident in halting:
        stage.mace("log", "unhalt", incident)
    stage.expect("the log is good again", stage.mace("log", "verify").value["ok"])


CHAPTER = Chapter(
    "questions",
    "Questions that can be played again",
    [
        Step("A fact is remembered", "Exactly, under one key, sealed under its person's own key.", _remember),
        Step("A card number is refused", "Detected by pattern and checksum; no model, no network.", _refuse),
        Step("Computed, known, or not known", "Every answer names where it comes from.", _compute),
        Step("The answer is decided again", "From the record alone: same code, recorded inputs, every byte.", _replay),
        Step("A tampered one is refused", "One byte of one event is enough.", _tamper),
        Step("The log is made good", "An admin says what is known; the halt is lifted.", _make_good),
    ],
    needs=[ledger.OPENED],
)
