"""The log through the command line, whole: written, shown, amended, exported, proved, changed behind its back, found.

What a stranger does runs in a process of its own with an empty home and only the files it was given.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from mace.interfaces.cli import main

_MAIN = "import sys; from mace.interfaces.cli import main; sys.exit(main())"


def _payload(number: int, answer: Any = "blue") -> dict[str, Any]:
    return {
        "log_id": f"00000000-0000-4000-8000-{number:012d}",
        "created_at": f"2026-01-01T00:00:{number:02d}Z",
        "source": "api",
        "query_id": f"q{number}",
        "query_text_hash": "a" * 64,
        "qcp_summary": {"depth_level": 1, "intent_tags": ["colour"], "urgency": "low"},
        "agents_invoked": ["logic_v1"],
        "agent_outputs": [
            {
                "agent_id": "logic_v1",
                "text": "blue \x1b[31m",
                "confidence": 0.91,
                "reasoning_trace": ["looked"],
                "tokens": 120,
                "time_ms": 470,
            }
        ],
        "council_votes": [{"council_agent_id": "c1", "scores": {"factuality": 0.92}, "approve": True, "note": "fine"}],
        "final_answer": answer,
        "final_confidence": 0.9,
        "repair_loops": 0,
        "cache_hit": False,
        "sem_snapshot_hash": "b" * 64,
        "runtime_metrics": {"total_time_ms": 3},
        "system_version": "mace-0.1.0",
    }


@pytest.fixture
def mace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Iterator[Callable[..., Any]]:
    """Run a command with --json in this process; the answer is (exit code, value)."""
    for name in [name for name in os.environ if name.startswith(("MACE_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USER", "ana")
    monkeypatch.setenv("MACE_LOCATION", str(tmp_path / "m"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, Any]:
        capfdbinary.readouterr()
        code = main([*arguments, "--json"])
        out = capfdbinary.readouterr().out
        return code, json.loads(out) if out else None

    assert run("init", "--bare")[0] == 0
    yield run


@pytest.fixture
def logs(mace: Callable[..., Any], tmp_path: Path) -> list[str]:
    written = []
    for number in range(3):
        (tmp_path / "log.json").write_text(json.dumps(_payload(number)))
        code, value = mace("log", "write", "log.json")
        assert code == 0
        written.append(value["log_id"])
    return written


def _behind_its_back(tmp_path: Path, statement: str) -> None:
    with closing(apsw.Connection(str(tmp_path / "m" / "mace.db"))) as database:
        triggers: list[Any] = list(database.execute("select name, sql from sqlite_master where type = 'trigger'"))
        for name, _ in triggers:
            database.execute(f"drop trigger {name}")
        database.execute(statement)
        for _, text in triggers:
            database.execute(text)


def _stranger(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Another machine: an empty home, no settings, and only what lies in the folder."""
    ran = subprocess.run(
        [sys.executable, "-c", _MAIN, *arguments, "--json"],
        cwd=folder,
        env={name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        | {"HOME": str(folder / "home")},
        capture_output=True,
        check=False,
    )
    assert not (folder / "home").exists(), "a stranger's check must leave nothing behind"
    return ran.returncode, json.loads(ran.stdout)


def test_what_is_written_is_shown(mace: Callable[..., Any], logs: list[str]):
    code, value = mace("log", "show")
    assert code == 0
    assert [item["log_id"] for item in value["logs"]] == list(reversed(logs))
    assert len(mace("log", "show", "--limit", "2")[1]["logs"]) == 2
    one = mace("log", "show", logs[1])[1]
    assert {name: one[name] for name in _payload(1)} == _payload(1)


def test_a_list_shows_person_question_and_program_and_can_be_filtered(mace: Callable[..., Any], capfdbinary: Any):
    for user, words in (("ana", "What is 2 + 2?"), ("bob", "What is 3 + 3?"), ("bob", "Write a poem about rain")):
        mace("ask", words, "--user", user)

    def listed(*options: str) -> list[tuple[Any, ...]]:
        code, value = mace("log", "show", *options)
        assert code == 0
        for item in value["logs"]:
            assert item["recorded_at"].endswith("Z")
            assert (item["kind"], item["program"], item["version"]) == ("ask", None, None)
        return [(item["person"], item["question"], item["error_code"]) for item in value["logs"]]

    four, six = ("user_ana", "What is 2 + 2?", None), ("user_bob", "What is 3 + 3?", None)
    poem = ("user_bob", "Write a poem about rain", "LLM_SERVICE_DOWN")
    assert listed() == [poem, six, four]
    assert listed("--person", "bob") == [poem, six]
    assert listed("--error") == listed("--error", "LLM_SERVICE_DOWN") == [poem]
    assert listed("--error", "PRIVACY_BLOCKED") == listed("--program", "support") == []
    assert listed("--since", "2026-01-01T00:00:00Z", "--until", "2999-01-01T00:00:00Z") == [poem, six, four]
    assert listed("--until", "2026-01-01T00:00:00Z") == []
    assert listed("--as", "user", "--user", "bob") == [poem, six]
    assert listed("--as", "auditor") == [(who, None, code) for who, _, code in (poem, six, four)]
    capfdbinary.readouterr()
    assert main(["log", "show", "--person", "bob"]) == 0
    text = capfdbinary.readouterr().out.decode()
    for part in ("RECORDED AT", "user_bob", "ask", "What is 3 + 3? -> 3 + 3 = 6", "rain -> (LLM_SERVICE_DOWN)"):
        assert part in text
    assert main(["log", "show", "--program", "support"]) == 0
    assert capfdbinary.readouterr().out.decode() == "No such reflective logs.\n"


def test_a_list_says_how_to_go_on(mace: Callable[..., Any], logs: list[str], capfdbinary: Any):
    first = mace("log", "show", "--limit", "2")[1]
    assert first["next_cursor"] == logs[1]
    rest = mace("log", "show", "--limit", "2", "--cursor", logs[1])[1]
    assert ([item["log_id"] for item in rest["logs"]], rest["next_cursor"]) == (logs[:1], None)
    capfdbinary.readouterr()
    assert main(["log", "show", "--limit", "2"]) == 0
    assert f"There are more: add --cursor {logs[1]}" in capfdbinary.readouterr().err.decode()
    assert main(["log", "show", "--limit", "3"]) == 0
    assert "There are more" not in capfdbinary.readouterr().err.decode()
    assert mace("log", "show", "--cursor", "no-such-log")[1]["error_code"] == "INVALID_INPUT"


@pytest.mark.parametrize("options", [["--person", "ana"], ["--error"], ["--program", "x", "--cursor", "y"]])
def test_filters_are_for_the_list(mace: Callable[..., Any], logs: list[str], options: list[str]):
    assert mace("log", "show", logs[0], *options)[0] == 2
    assert mace("log", "show", *options, "--unredacted", "--purpose", "case 7")[0] == 2


def test_one_log_shows_what_its_job_tells(mace: Callable[..., Any], capfdbinary: Any):
    asked = mace("ask", "Write a poem about rain")[1]
    log = mace("log", "show", "--limit", "1")[1]["logs"][0]
    assert log["job_id"] == asked["meta"]["query_id"]
    one = mace("log", "show", log["log_id"])[1]
    assert {name: one[name] for name in log} == log
    capfdbinary.readouterr()
    assert main(["log", "show", log["log_id"]]) == 0
    text = capfdbinary.readouterr().out.decode()
    for name, value in (
        ("recorded", log["recorded_at"]),
        ("person", "user_ana"),
        ("program", "ask"),
        ("question", "Write a poem about rain"),
        ("error", "LLM_SERVICE_DOWN"),
    ):
        assert any(line.split(None, 1) == [name, value] for line in text.splitlines()), (name, text)


@pytest.mark.parametrize("attack", ["update {} set final_confidence = 0.5", "delete from {}"])
def test_damaged_logs_are_said_to_be_left_out(
    mace: Callable[..., Any], logs: list[str], tmp_path: Path, capfdbinary: Any, attack: str
):
    assert mace("log", "show")[1]["left_out"] == 0
    _behind_its_back(tmp_path, f"{attack.format('reflective_log_stage0')} where log_id <> '{logs[0]}'")
    code, value = mace("log", "show")
    assert (code, [item["log_id"] for item in value["logs"]]) == (0, logs[:1])
    assert value["left_out"] == len(logs) - 1
    assert main(["log", "show"]) == 0
    told = f"{len(logs) - 1} logs were left out: they are not what was signed; run mace log verify"
    assert told in capfdbinary.readouterr().err.decode()
    _behind_its_back(tmp_path, attack.format("reflective_log_stage0"))
    assert main(["log", "show"]) != 0
    assert "No reflective logs yet" not in capfdbinary.readouterr().out.decode()


def test_a_log_is_readable_for_people(mace: Callable[..., Any], logs: list[str], capfdbinary: Any):
    assert main(["log", "show", logs[0]]) == 0
    text = capfdbinary.readouterr().out.decode()
    for part in (logs[0], "logic_v1", "because: looked", "c1", "approves: factuality 0.92", "notes: fine"):
        assert part in text
    assert "\x1b" not in text


def test_a_timeline_and_an_event_can_be_shown(mace: Callable[..., Any], logs: list[str], capfdbinary: Any):
    timeline = mace("log", "show", "system")[1]
    assert timeline["events_in_all"] == 1
    event = timeline["events"][0]
    assert event["event_type"] == "JOB_OPENED"
    assert mace("log", "show", event["event_id"])[1]["events"] == [event]
    assert main(["log", "show", "system"]) == 0
    assert "JOB_OPENED" in capfdbinary.readouterr().out.decode()


def test_what_is_not_there_is_not_found(mace: Callable[..., Any]):
    code, value = mace("log", "show", "no-such-thing")
    assert (code, value["error_code"]) == (1, "NOT_FOUND")


def test_a_broken_payload_is_refused_and_can_be_looked_at(mace: Callable[..., Any], tmp_path: Path):
    broken = {**_payload(1), "final_confidence": 2}
    (tmp_path / "log.json").write_text(json.dumps(broken))
    code, value = mace("log", "write", "log.json")
    assert (code, value["error_code"]) == (1, "LOG_INVALID")
    entry = mace("admin", "quarantine", value["meta"]["quarantine_id"])[1]
    assert entry["payload"] == broken


@pytest.mark.parametrize("levels", [202, 300, 900, 100_000])
def test_a_file_that_nests_too_deeply_is_told_so(mace: Callable[..., Any], tmp_path: Path, levels: int):
    (tmp_path / "log.json").write_text("[" * levels + "]" * levels)
    code, value = mace("log", "write", "log.json")
    assert (code, value["error_code"]) == (1, "INVALID_INPUT")
    assert "nested deeper than" in value["developer_message"]


def test_the_same_log_is_not_written_twice(mace: Callable[..., Any], logs: list[str]):
    code, value = mace("log", "write", "log.json")
    assert (code, value["error_code"]) == (1, "CONFLICT")


def test_an_amendment_stands_beside_its_log(mace: Callable[..., Any], logs: list[str], tmp_path: Path):
    (tmp_path / "changes.json").write_text('{"final_answer": "green"}')
    code, amendment = mace("log", "amend", logs[0], "--changes", "@changes.json", "--effect", "override_suggestion")
    assert code == 0
    assert (amendment["author"], amendment["effect"]) == ("ana", "override_suggestion")
    shown = mace("log", "show", logs[0])[1]
    assert shown["amendments"] == [amendment["amendment_id"]]
    assert shown["amendment_records"] == [amendment]
    assert shown["final_answer"] == "blue"


def test_annotations_are_appended(mace: Callable[..., Any], logs: list[str]):
    assert mace("log", "annotate", logs[0], "--feedback", "good", "--tag", "a", "--tag", "b")[0] == 0
    assert mace("log", "annotate", logs[0], "--feedback", "bad")[1]["user_feedback"] == ["good", "bad"]
    assert mace("log", "show", logs[0])[1]["audit_tags"] == ["a", "b"]
    assert mace("log", "annotate", logs[0])[0] == 2


def test_an_export_is_verified_by_a_stranger(mace: Callable[..., Any], logs: list[str], tmp_path: Path):
    away = tmp_path / "away"
    away.mkdir()
    code, value = mace("log", "export", "away/log.jsonl")
    assert code == 0
    assert {item.name for item in away.iterdir()} == {"log.jsonl", "log.jsonl.checkpoint", "log.jsonl.pub"}
    files = ("log.jsonl", "--checkpoint", "log.jsonl.checkpoint", "--public-key", "log.jsonl.pub")
    code, value = _stranger(away, "log", "verify", *files)
    assert (code, value["ok"], value["findings"]) == (0, True, [])
    assert value["events"] == value["covered_by_checkpoint"] == 7

    lines = (away / "log.jsonl").read_bytes().splitlines(keepends=True)
    for name, changed, kinds in (
        ("a changed byte", [*lines[:2], lines[2].replace(b"write_", b"wrote_"), *lines[3:]], {"CONTENT_CHANGED"}),
        ("two lines taken out", [*lines[:2], *lines[4:]], {"LOG_CUT", "ROW_MISSING"}),
        (
            "two lines swapped",
            [*lines[:2], lines[3], lines[2], *lines[4:]],
            {"ROW_MISSING", "TREE_MISMATCH", "ORDER_CHANGED"},
        ),
        ("a cut tail", lines[:-1], {"LOG_CUT", "ROW_MISSING"}),
    ):
        (away / "log.jsonl").write_bytes(b"".join(changed))
        code, value = _stranger(away, "log", "verify", *files)
        assert (code, value["ok"], value["error_code"]) == (1, False, "INTEGRITY_FAILURE"), name
        assert {item["kind"] for item in value["findings"]} & kinds, name


def test_an_export_is_not_overwritten_by_accident(mace: Callable[..., Any], tmp_path: Path):
    assert mace("log", "export", "log.jsonl")[0] == 0
    note = (tmp_path / "log.jsonl.checkpoint").read_bytes()
    assert mace("log", "export", "log.jsonl")[1]["error_code"] == "CONFLICT"
    assert (tmp_path / "log.jsonl.checkpoint").read_bytes() == note
    assert mace("log", "export", "log.jsonl", "--force")[0] == 0


def test_an_export_can_be_piped(mace: Callable[..., Any], logs: list[str], tmp_path: Path, capfdbinary: Any):
    capfdbinary.readouterr()
    assert main(["log", "export", "-", "--checkpoint", "note", "--public-key", "key"]) == 0
    (tmp_path / "piped.jsonl").write_bytes(capfdbinary.readouterr().out)
    code, value = mace("log", "verify", "piped.jsonl", "--checkpoint", "note", "--public-key", "key")
    assert (code, value["events"]) == (0, 7)


@pytest.mark.parametrize(
    "arguments",
    [
        ["log", "verify", "--checkpoint", "x"],
        ["log", "verify", "log.json"],
        ["log", "verify", "log.json", "--checkpoint", "x"],
        ["log", "verify", "no-such-file"],
    ],
)
def test_half_of_what_a_check_needs_is_wrong_usage(mace: Callable[..., Any], logs: list[str], arguments: list[str]):
    assert mace(*arguments)[0] == 2


def test_what_is_no_export_or_no_checkpoint_is_refused(mace: Callable[..., Any], logs: list[str], tmp_path: Path):
    mace("log", "export", "e")
    (tmp_path / "text").write_text("hello\n")
    assert mace("log", "verify", "text", "--checkpoint", "e.checkpoint", "--public-key", "e.pub")[1]["error_code"] == (
        "INVALID_INPUT"
    )
    for checkpoint, key in (("text", "e.pub"), ("e.checkpoint", "text")):
        code, value = mace("log", "verify", "e", "--checkpoint", checkpoint, "--public-key", key)
        assert (code, value["error_code"]) == (1, "INTEGRITY_FAILURE")


def test_one_event_is_proved_to_a_stranger(mace: Callable[..., Any], logs: list[str], tmp_path: Path):
    away = tmp_path / "away"
    away.mkdir()
    assert mace("log", "export", "log.jsonl", "--public-key", "away/key")[0] == 0
    event = mace("log", "show", "system")[1]["events"][0]
    assert mace("log", "prove", event["event_id"], "-o", "away/proof.json")[0] == 0
    code, value = _stranger(away, "log", "verify-proof", "proof.json", "--public-key", "key")
    assert (code, value["ok"]) == (0, True)
    assert value["proved"]["event_id"] == event["event_id"]
    proof = json.loads((away / "proof.json").read_text())
    (away / "proof.json").write_text(json.dumps({**proof, "body": proof["body"].replace("system", "sistem")}))
    code, value = _stranger(away, "log", "verify-proof", "proof.json", "--public-key", "key")
    assert (code, value["error_code"]) == (1, "INTEGRITY_FAILURE")
    assert mace("log", "prove", "00" * 32)[1]["error_code"] == "NOT_FOUND"
    assert mace("log", "prove", "nonsense")[1]["error_code"] == "INVALID_INPUT"


def test_that_the_log_only_grew_is_proved_to_a_stranger(mace: Callable[..., Any], logs: list[str], tmp_path: Path):
    old = mace("log", "checkpoint", "-o", "old.note")[1]["size"]
    mace("log", "amend", logs[0], "--changes", "{}")
    new = mace("log", "checkpoint", "-o", "new.note")[1]["size"]
    assert old < new
    mace("log", "export", "e")
    assert mace("log", "consistency", str(old), str(new), "-o", "grew.json")[0] == 0
    arguments = ["log", "verify-proof", "grew.json", "--public-key", "e.pub", "--checkpoint"]
    assert mace(*arguments, "old.note", "--checkpoint", "new.note")[1]["ok"]
    assert mace(*arguments, "new.note", "--checkpoint", "old.note")[0] == 1
    assert mace("log", "consistency", "2", "9999")[1]["error_code"] == "INVALID_INPUT"


def test_a_changed_byte_is_named_quarantined_and_becomes_an_incident(
    mace: Callable[..., Any], logs: list[str], tmp_path: Path
):
    assert mace("log", "verify")[0] == 0
    _behind_its_back(
        tmp_path, "update events set body = cast(replace(body, 'write_', 'wrote_') as blob) where position = 3"
    )
    code, seen = mace("log", "verify", "--read-only")
    assert (code, seen["incident_id"], seen["events"]) == (1, None, 7)
    code, found = mace("log", "verify")
    assert (code, found["error_code"], found["ok"]) == (1, "INTEGRITY_FAILURE", False)
    (finding,) = found["findings"]
    assert (finding["kind"], finding["where"]["position"]) == ("CONTENT_CHANGED", 3)
    assert b"wrote_" in bytes.fromhex(mace("admin", "quarantine", finding["finding_id"])[1]["payload"]["body"])
    (incident,) = mace("incident", "list")[1]["incidents"]
    assert incident["incident_id"] == found["incident_id"] == found["meta"]["incident_id"]
    assert mace("log", "verify")[1]["incident_id"] == found["incident_id"]
    assert mace("log", "verify", "--read-only")[1]["events"] == 7 + 4  # four events tell of it, once

    assert mace("log", "unhalt", incident["incident_id"])[1]["error_code"] == "PRECONDITION_FAILED"
    assert mace("incident", "ack", incident["incident_id"])[1]["acknowledged"]["actor"] == "ana"
    assert mace("log", "attest", "--statement", "seen")[1]["finding_ids"] == [finding["finding_id"]]
    assert mace("log", "unhalt", incident["incident_id"])[1]["halting"] is False
    code, value = mace("log", "verify")
    assert (code, value["findings"][0]["attested"]) == (0, True)


def _said(arguments: list[str], capfdbinary: Any) -> tuple[int, str]:
    capfdbinary.readouterr()
    code = main(arguments)
    return code, capfdbinary.readouterr().out.decode()


def test_what_was_attested_is_one_line_unless_all_is_asked_for(
    mace: Callable[..., Any], logs: list[str], tmp_path: Path, capfdbinary: Any
):
    _behind_its_back(tmp_path, "update reflective_log_stage0 set final_confidence = 1 where log_id like '%0001'")
    _behind_its_back(tmp_path, "update reflective_log_stage0 set final_confidence = 1 where log_id like '%0002'")
    assert mace("log", "attest", "--statement", "seen")[0] == 0
    count = len(mace("log", "verify")[1]["findings"])
    assert count > 1
    code, out = _said(["log", "verify"], capfdbinary)
    assert code == 0
    assert out.splitlines()[1:] == [f"{count} findings attested, --all lists them"]
    code, out = _said(["log", "verify", "--all"], capfdbinary)
    assert code == 0
    assert out.count("RECORD_CHANGED") == count
    assert "signed off by an admin" in out
    _behind_its_back(tmp_path, "update reflective_log_stage0 set final_confidence = 1 where log_id like '%0000'")
    code, out = _said(["log", "verify", "--read-only"], capfdbinary)
    assert code == 1
    assert f"{count} findings attested, --all lists them" in out
    assert out.count("signed off") == 0
    code, out = _said(["log", "verify", "--read-only", "--all"], capfdbinary)
    assert (code, out.count("signed off")) == (1, count)


def test_a_quick_verification_says_that_it_was_one(mace: Callable[..., Any], logs: list[str], capfdbinary: Any):
    assert mace("log", "verify")[1]["quick"] is False
    code, value = mace("log", "verify", "--quick")
    assert (code, value["ok"], value["quick"]) == (0, True, True)
    assert ", quick" in _said(["log", "verify", "--quick"], capfdbinary)[1]


def test_a_quick_verification_still_finds_a_changed_event(mace: Callable[..., Any], logs: list[str], tmp_path: Path):
    _behind_its_back(tmp_path, "update events set body = cast(replace(body, 'e', 'f') as blob) where position = 3")
    code, value = mace("log", "verify", "--quick", "--read-only")
    assert code == 1
    assert "CONTENT_CHANGED" in {item["kind"] for item in value["findings"]}


def test_an_export_is_not_verified_quickly(mace: Callable[..., Any], tmp_path: Path, capfdbinary: Any):
    assert mace("log", "export", "log.jsonl")[0] == 0
    files = ["--checkpoint", "log.jsonl.checkpoint", "--public-key", "log.jsonl.pub"]
    assert main(["log", "verify", "log.jsonl", *files, "--quick"]) == 2
    assert main(["log", "verify", "log.jsonl", *files, "--all"]) == 0


def test_lines_added_to_an_export_are_found(mace: Callable[..., Any], logs: list[str]):
    """Events that came later, appended behind the count of the first line."""
    assert mace("log", "export", "log.jsonl")[0] == 0
    assert mace("ask", "What is 7 * 6?")[0] == 0
    assert mace("log", "export", "later.jsonl")[0] == 0
    first, *rest = Path("later.jsonl").read_bytes().splitlines(keepends=True)
    old = Path("log.jsonl").read_bytes().splitlines(keepends=True)
    Path("log.jsonl").write_bytes(b"".join([old[0], *rest]))
    code, value = mace(
        "log", "verify", "log.jsonl", "--checkpoint", "later.jsonl.checkpoint", "--public-key", "log.jsonl.pub"
    )
    assert code == 1
    (found,) = value["findings"]
    assert (found["kind"], found["where"]["table"]) == ("COLUMN_MISMATCH", "export")
    assert (found["where"]["said"], found["where"]["found"]) == (len(old) - 1, len(rest))
    assert first != old[0]


def test_people_read_the_row_and_the_incident(
    mace: Callable[..., Any], logs: list[str], tmp_path: Path, capfdbinary: Any
):
    _behind_its_back(tmp_path, "update reflective_log_stage0 set final_confidence = 1 where log_id like '%0001'")
    capfdbinary.readouterr()
    assert main(["log", "verify"]) == 1
    out, err = (part.decode() for part in capfdbinary.readouterr())
    for part in ("NOT OK", "RECORD_CHANGED", "reflective_log_stage0", logs[1], "quarantine", "mace incident show"):
        assert part in out
    assert "I’m temporarily unable to trust my past data; ops team will check." in err


def test_an_auditor_reads_and_does_not_write(mace: Callable[..., Any], logs: list[str], tmp_path: Path):
    _behind_its_back(tmp_path, "delete from events where position = 2")
    code, value = mace("log", "verify", "--as", "auditor")
    assert (code, value["read_only"], value["incident_id"]) == (1, True, None)
    assert mace("incident", "list")[1]["incidents"] == []
    assert mace("log", "amend", logs[0], "--changes", "{}", "--as", "auditor")[1]["error_code"] == "PERMISSION_DENIED"


def test_two_command_lines_write_at_once(mace: Callable[..., Any], tmp_path: Path):
    writers = []
    for number in range(4):
        (tmp_path / f"{number}.json").write_text(json.dumps(_payload(number + 10)))
        writers.append(
            subprocess.Popen(
                [sys.executable, "-c", _MAIN, "log", "write", f"{number}.json"],
                cwd=tmp_path,
                stdout=subprocess.DEVNULL,
            )
        )
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert len(mace("log", "show")[1]["logs"]) == 4
    assert mace("log", "verify")[0] == 0


def test_the_same_on_postgresql(mace: Callable[..., Any], databases: Any, tmp_path: Path):
    here = ("-C", databases.new())
    (tmp_path / "log.json").write_text(json.dumps(_payload(1)))
    first = mace("init", "--bare", *here)[1]
    assert (first["created"], first["store"]["kind"]) == (True, "postgres")
    assert mace("init", *here)[1]["created"] is False
    admin = ("--as", "admin", *here)
    assert mace("log", "write", "log.json", *here)[1]["error_code"] == "PERMISSION_DENIED"
    log_id = mace("log", "write", "log.json", *admin)[1]["log_id"]
    assert mace("log", "show", log_id, *admin)[1]["final_answer"] == "blue"
    assert mace("log", "verify", *here)[1]["error_code"] == "PERMISSION_DENIED"
    assert mace("log", "verify", *admin)[1]["events"] == 5  # two of them: what was refused
    assert mace("log", "export", "pg.jsonl", *admin)[0] == 0
    files = ("--checkpoint", "pg.jsonl.checkpoint", "--public-key", "pg.jsonl.pub")
    assert mace("log", "verify", "pg.jsonl", *files)[1]["ok"]
    assert mace("admin", "rotate-key", *here)[1]["error_code"] == "PERMISSION_DENIED"
    assert mace("admin", "rotate-key", "--as", "admin", *here)[1]["key_id"] == "k2"
    code, value = mace("doctor", *here)
    assert (code, {item["name"] for item in value["checks"] if item["state"] != "ok"}) == (0, {"forensic key"})
