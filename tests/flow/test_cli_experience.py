"""Experience through the command line: shown, listed, moved, dreamt over, rolled back, on every engine.

All instants are given; nothing here depends on the day it runs. What strangers wrote into tags and words must not reach
the terminal, and what is personal must not reach a screen.
"""

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers
from mace.interfaces.cli import health, main
from mace.interfaces.cli.health import Check
from mace.providers.frozen import FrozenClock
from mace.providers.second_factor import Totp

_MAY = datetime(2026, 5, 1, 9, tzinfo=UTC)
_NOW, _JUNE = "2026-05-20T12:00:00Z", "2026-06-11T12:00:00Z"
_GOOD = ("tool:shell", "path:deploy.sh")
_BAD = ("tool:http_get", "path:https://mirror.example/list")
_SMALL = ("tool:glob", "path:*.csv")
_HOSTILE = ("tool:\u202eevil\u200f", "path:\x9b31m" + "y" * 1012)  # a C1 escape, and as long as a tag may be


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Ran]
_AUDITORS_READ = """
@id("auditors-read-experience")
permit (principal, action in [Action::"experience_read"], resource) when { principal.roles.contains("auditor") };
"""


def _day(day: float) -> str:
    return (_MAY + timedelta(days=day)).isoformat()


def _live(place: places.Place, *lived: tuple[tuple[str, str], float, str, str]) -> None:
    with place.open() as mace:
        for (space, entity), day, state, content in lived:
            megram = {"space": space, "entity": entity, "content": content, "state": state, "created_at": _day(day)}
            assert mace.experience.write(megram, "solver")["success"]


_WEEKS = [
    *[(_GOOD, day, "accept", f"check first, then run: {day}") for day in range(0, 20, 2)],
    *[(_BAD, day, "abandon", "refused") for day in (12, 15)],
    (_SMALL, 14, "refine", "deeper"),
]


@pytest.fixture
def cli(place: places.Place, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Iterator[Cli]:
    yield _command_line(place, monkeypatch, capfdbinary)


def _command_line(place: places.Place, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> Cli:
    """The command line of whoever runs the node, as an admin unless a test says otherwise."""
    for name in ("location", "checkpoint_dir", "user"):
        monkeypatch.setenv(f"MACE_{name.upper()}", getattr(place.settings, name))
    monkeypatch.setenv("MACE_CHECKPOINT_INTERVAL_MS", "0")
    monkeypatch.delenv("TERM", raising=False)

    def run(*arguments: str, role: str = "admin") -> Ran:
        capfdbinary.readouterr()
        code = main([*arguments, "--as", role])
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return run


def _rule(cli: Cli) -> dict[str, Any]:
    made = cli("dream", "--now", _NOW, "--json").value
    assert len(made["promoted"]) == 1
    return made["promoted"][0]


# One pair


def test_show_tells_what_how_and_why(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    value = cli("experience", "show", *_GOOD, "--now", _NOW, "-n", "2", "--json").value
    assert value["action"] == "Exploit"
    assert value["attention"] == pytest.approx(
        sum(0.9 * 2.718281828459045 ** (-0.05 * (19.125 - d)) for d in range(0, 20, 2))
    )
    assert value["known"]
    assert [item["content"] for item in value["recent"]] == ["check first, then run: 18", "check first, then run: 16"]
    assert value["history"]["megrams"] == 10
    assert len(value["history"]["points"]) == 60
    assert value["history"]["points"][-1]["attention"] == pytest.approx(value["attention"])
    assert value["now"] == "2026-05-20T12:00:00.000000Z"
    text = cli("experience", "show", *_GOOD, "--now", _NOW, "-n", "2").out
    for part in (
        "tool:shell path:deploy.sh",
        "Exploit: it went well",
        "attention",
        "+5.65",
        "2026-05-01",
        "2026-05-20",
    ):
        assert part in text
    assert re.search(r"1 day +0\.85 +M +accept +check first, then run: 18", text)
    assert "⣿" in text
    against = cli("experience", "show", *_BAD, "--now", _NOW).out
    assert "Avoid: it went badly" in against
    assert re.search(r"decision +0 │", against), "the curve of a decision hangs below zero"


def test_a_pair_nobody_knows_is_ignored_and_near_ones_are_named(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    ran = cli("experience", "show", "tool:shell", "path:deploy.sj", "--now", _NOW, "--json")
    assert (ran.code, ran.value["known"], ran.value["action"]) == (0, False, "Ignore")
    assert ran.value["near"][0] == {"space": _GOOD[0], "entity": _GOOD[1]}
    told = cli("experience", "show", "tool:shell", "path:deploy.sj", "--now", _NOW)
    assert told.code == 0
    assert "No experience recorded" in told.out
    assert "mace experience show tool:shell path:deploy.sh" in told.out
    personal = cli("experience", "show", "tool:mail", "ann.smith@gmail.com")
    assert (personal.code, "ann.smith" in personal.out) == (0, False)


def test_recall_is_about_people_and_says_where_experience_is_shown(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    ran = cli("recall", *_GOOD)
    assert ran.code == 2
    assert "mace experience show SPACE ENTITY" in ran.err
    assert "mace experience show SPACE" in cli("recall", "--help").out


def test_rules_are_listed_and_one_is_taken_back(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    assert cli("experience", "rules").out == "No rules.\n"
    assert "words by    extract" in cli("dream", "--now", _NOW).out
    (rule,) = cli("experience", "rules", "--json").value["rules"]
    assert (rule["space"], rule["entity"], rule["sigma"]) == (*_GOOD, 1.0)
    told = cli("experience", "rules", "--search", "DEPLOY", "--limit", "1").out
    assert rule["content"] in told
    assert f"{rule['id']}  tool:shell path:deploy.sh" in told
    assert "+ Best practice for tool:shell / path:deploy.sh: (1) check first" in told
    assert cli("experience", "rules", "--search", "mirror").out == "No rules.\n"
    assert cli("experience", "rules", "--after", rule["id"], "--json").value["rules"] == []
    episode = cli("experience", "show", *_GOOD, "--now", _NOW, "--json").value["recent"][0]["id"]
    done = cli("experience", "retract", episode)
    assert done.code == 0
    assert rule["id"] in done.out
    assert cli("experience", "retract", episode, "--json").value["was_retracted"]
    assert cli("experience", "show", *_GOOD, "--now", _NOW, "--json").value["history"]["megrams"] == 9
    assert cli("experience", "retract", rule["id"]).code == 0
    assert cli("experience", "rules", "--json").value["rules"] == []
    missing = cli("experience", "retract", "no-such-megram", "--json")
    assert (missing.code, missing.value["error_code"]) == (1, "NOT_FOUND")
    assert cli("log", "verify").code == 0


def test_pairs_are_found_by_part_of_a_tag(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    found = cli("experience", "list", "--search", "Deploy", "--now", _NOW, "--json").value
    assert [(item["space"], item["entity"]) for item in found["strongest"]] == [_GOOD]
    assert found["pairs"] == 1
    assert "No pairs." in cli("experience", "list", "--search", "nothing like it").out


def test_looking_is_not_recalling(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    _rule(cli)
    shown = cli("experience", "show", *_GOOD, "--now", "2026-09-01T00:00:00Z", "--json").value
    assert [rule["sigma"] for rule in shown["rules"]] == [1.0]
    lines = [json.loads(line) for line in cli("experience", "export").out.splitlines()[1:]]
    assert {line["last_recalled_at"] for line in lines} == {None}
    text = cli("experience", "show", *_GOOD, "--now", _NOW).out
    assert "+ Best practice for tool:shell / path:deploy.sh" in text
    assert shown["rules"][0]["id"] in text


def test_words_that_a_person_allowed_stay_off_the_screen(place: places.Place, cli: Cli):
    with place.open() as mace:
        consent = mace.grant_consent("ann", "You may keep my address.", "persistent", expires_at="2035-01-01T00:00:00Z")
        megram = {
            "space": "tool:mail",
            "entity": "env:local",
            "content": "wrote to ann.smith@gmail.com",
            "state": "accept",
        }
        answer = mace.experience.write(megram, "solver", user_id="ann", consent_id=consent["consent_id"])
        assert answer["success"], answer
    for arguments in (
        ("experience", "show", "tool:mail", "env:local"),
        ("experience", "show", "tool:mail", "env:local", "--json"),
    ):
        ran = cli(*arguments)
        assert ran.code == 0
        assert "wrote to [redacted]" in ran.out
        assert "ann.smith" not in ran.out + ran.err


def test_a_solvers_record_is_shown_by_its_summary(place: places.Place, cli: Cli):
    record = '{"approach":"mirror","gap":"no answer","steps":[],"summary":"tried the mirror"}'
    _live(place, (_BAD, 0, "abandon", record), (_BAD, 1, "abandon", '{"other":1}'), (_BAD, 2, "abandon", ""))
    text = cli("experience", "show", *_BAD, "--now", _NOW).out
    assert "tried the mirror; no answer" in text
    assert '{"other":1}' in text
    assert "(no words are left)" in text


# Listing


def test_the_strongest_and_what_is_forgotten_next(place: places.Place, cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MACE_PERSONA", "a careful clerk")
    place.open().close()
    empty = cli("experience")
    assert (empty.code, "No pairs." in empty.out) == (0, True)
    _live(place, *_WEEKS)
    value = cli("experience", "list", "--now", _NOW, "--json").value
    assert [item["space"] for item in value["strongest"]] == ["tool:shell", "tool:http_get", "tool:glob"]
    assert [item["space"] for item in value["fading"]] == ["tool:glob", "tool:http_get", "tool:shell"]
    assert (value["pairs"], value["megrams"], value["store"]) == (3, {"M": 13}, place.kind)
    fades = datetime.fromisoformat(value["fading"][1]["fades_at"])
    near, past = ((fades + timedelta(hours=hours)).isoformat() for hours in (-1, 1))
    assert cli("experience", "show", *_BAD, "--now", near, "--json").value["attention"] >= 0.1
    assert cli("experience", "show", *_BAD, "--now", past, "--json").value["attention"] < 0.1
    text = cli("experience", "list", "--now", _NOW, "--limit", "1").out
    assert re.search(r"Exploit +5\.65 +\+5\.65 +10 +0 +tool:shell path:deploy\.sh", text)
    assert "with the next dream" in text
    assert "tool:http_get" not in text
    assert "a careful clerk" in text
    assert cli("experience", "--json").value.keys() == value.keys()
    for end in ("9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z"):  # as far as a calendar goes
        assert [cli(*line, "--now", end).code for line in (("experience", "list"), ("experience", "show", *_GOOD))] == [
            0,
            0,
        ]
        assert cli("dream", "--dry-run", "--now", end).code == 0


def test_what_strangers_wrote_does_not_reach_the_terminal(place: places.Place, cli: Cli):
    words = "\x1b]0;owned\x07\x1b[2J red \u202e back \u2028 line\r\nGood news"
    assert len(_HOSTILE[1]) <= 1024
    _live(place, *[(_HOSTILE, day, "accept", words) for day in range(10, 20)], *_WEEKS)
    seen = []
    for arguments in (
        ("experience", "show", *_HOSTILE, "--now", _NOW),
        ("experience", "show", "tool:evil", "path:" + "y" * 1000, "--now", _NOW),
        ("experience", "list", "--now", _NOW),
        ("dream", "--dry-run", "--now", _NOW),
        ("dream", "--now", _NOW),
        ("experience", "show", *_HOSTILE, "--now", _NOW),
        ("dream", "--changes"),
    ):
        ran = cli(*arguments)
        assert ran.code == 0, ran.err
        seen.append(ran.out + ran.err)
    for text in seen:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u202a-\u202e]", text)
        assert "\nGood news" not in text
    change = next(item for item in cli("dream", "--changes", "--json").value["changes"] if "evil" in item["space"])
    undone = cli("dream", "--roll-back", change["change_id"])
    assert (undone.code, "\u202e" in undone.out, "\\u202eevil" in undone.out) == (0, False, True)


# Moving


def test_everything_moves_with_its_life(
    place: places.Place,
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: Any,
):
    _live(place, *_WEEKS)
    rule = _rule(cli)
    with place.open() as mace:
        rule_id = mace.experience.query_c(*_GOOD, _NOW)[0]["id"]  # recalled, this time
    file = tmp_path / "away.jsonl"
    told = cli("experience", "export", "-o", str(file), "--json").value
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert told["megrams"] == 13 == len(file.read_bytes().splitlines()) - 1
    assert told["bytes"] == file.stat().st_size
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert lines[0] == {"format": "mace-experience/1"}
    (moved,) = [line for line in lines[1:] if line["level"] == "C"]
    assert (moved["id"], moved["content"]) == (rule_id, rule["content"])
    assert moved["last_recalled_at"] == "2026-05-20T12:00:00.000000Z"
    assert sum(line["marked"] for line in lines[1:]) == 10

    other = places.SqlitePlace(tmp_path / "elsewhere")
    other.open().close()
    there = _command_line(other, monkeypatch, capfdbinary)
    assert there("experience", "import", str(file), "--json").value == {
        "imported": 13,
        "already_here": 0,
        "redacted": 0,
    }
    again = there("experience", "import", str(file))
    assert (again.code, again.out) == (0, "0 imported, 13 already here.\n")
    there("experience", "export", "-o", str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
    assert there("dream", "--dry-run", "--now", _NOW, "--json").value["promoted"] == []


def test_an_export_is_never_overwritten_by_accident(place: places.Place, cli: Cli, tmp_path: Path):
    _live(place, *_WEEKS)
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("precious")
    link.symlink_to(file)
    assert cli("experience", "export", "-o", str(file), "--json").value["error_code"] == "CONFLICT"
    assert cli("experience", "export", "-o", str(link), "--force", "--json").value["error_code"] == "INVALID_INPUT"
    assert cli("experience", "export", "-o", str(tmp_path / "no" / "file")).code == 1
    assert file.read_text() == "precious"
    file.chmod(0o644)
    assert cli("experience", "export", "-o", str(file), "--force").code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.part-*"))
    if place.kind == "sqlite":
        inside = cli("experience", "export", "-o", str(place.folder / "export"), "--json")
        assert inside.value["error_code"] == "INVALID_INPUT"
    piped = cli("experience", "export", "--json")
    assert piped.out.encode() == file.read_bytes()
    assert json.loads(piped.err)["megrams"] == 13


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", '{"format":"other"}', '{"format":"mace-experience/1"}\n{"id":"x"}'],
)
def test_a_wrong_file_is_refused_whole(place: places.Place, cli: Cli, tmp_path: Path, text: str):
    _live(place, (_SMALL, 0, "refine", "x"))
    good = cli("experience", "export").out
    (tmp_path / "file").write_text(text or good.replace('"created_at":"2026-05-01', '"created_at":"2026-05-02'))
    ran = cli("experience", "import", str(tmp_path / "file"), "--json")
    assert (ran.code, ran.value["error_code"]) == (1, "INVALID_INPUT")
    assert cli("experience", "--json").value["megrams"] == {"M": 1}


def test_what_is_personal_in_an_import_is_cut_out(place: places.Place, cli: Cli, tmp_path: Path):
    _live(place, (_SMALL, 0, "refine", "words"))
    line = cli("experience", "export").out.replace('"content":"words"', '"content":"mail ann.smith@gmail.com"')
    head, megram = line.splitlines()
    changed = json.loads(megram)
    changed["id"] = changed["id"][:-4] + "0000"
    (tmp_path / "file").write_text(f"{head}\n{json.dumps(changed)}\n")
    ran = cli("experience", "import", str(tmp_path / "file"))
    assert ran.out == "1 imported, 0 already here.\nPersonal data was cut out of 1 contents.\n"
    assert "ann.smith" not in cli("experience", "export").out


# Dreaming


def test_a_dry_run_is_a_diff_and_changes_nothing(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    before = place.content()
    ran = cli("dream", "--dry-run", "--now", _NOW)
    assert place.content() == before
    assert ran.code == 0
    for part in (
        "+ rule  tool:shell path:deploy.sh",
        "sigma       +1",
        "attention 5.65, decision +5.65",
        "attention 5.6513 >= 5.0 and decision 5.6513 >= 3.0",
        "0.85  2026-05-19  accept  check first, then run: 18",
        "and 4 more",
        "- forgotten  tool:glob 'path:*.csv'",
        "attention 0.0077 is below 0.1",
    ):
        assert part in ran.out, part
    assert "Nothing was changed." in ran.err
    value = cli("dream", "--dry-run", "--now", _NOW, "--json").value
    assert value["dry_run"]
    assert all("change_id" not in item for kind in ("promoted", "demoted", "forgotten") for item in value[kind])
    assert value["promoted"][0]["evidence_hash"] in ran.out
    assert cli("dream", "--changes").out == "No changes.\n"


def test_a_dream_its_doubt_and_the_way_back(place: places.Place, cli: Cli):
    _live(place, *_WEEKS)
    made = _rule(cli)
    assert "Nothing is due." in cli("dream", "--now", _NOW).out
    rule_id = cli("experience", "show", *_GOOD, "--now", _NOW, "--json").value["rules"][0]["id"]
    with place.open(clock=FrozenClock(datetime(2026, 6, 11, 9, tzinfo=UTC))) as mace:
        for _ in range(3):
            mace.experience.record_negative_feedback(rule_id, "it has no check any more")
    dreamt = cli("dream", "--now", _JUNE)
    assert "~ demoted  tool:shell path:deploy.sh" in dreamt.out
    assert f"rule        {rule_id}" in dreamt.out
    listed = cli("dream", "--changes", "--json").value["changes"]
    assert [item["kind"] for item in listed] == ["demotion", "forgetting", "promotion"]
    first = next(item for item in listed if item["kind"] == "promotion")
    assert first["change_id"] == made["change_id"]
    early = cli("dream", "--roll-back", first["change_id"], "--json")
    assert (early.code, early.value["error_code"]) == (1, "CONFLICT")
    done = cli("dream", "--roll-back", listed[0]["change_id"])
    assert done.out == "Rolled back: the demotion of tool:shell path:deploy.sh.\n"
    assert [rule["id"] for rule in cli("experience", "show", *_GOOD, "--json").value["rules"]] == [rule_id]
    twice = cli("dream", "--roll-back", listed[0]["change_id"], "--json")
    assert (twice.code, twice.value["error_code"]) == (1, "CONFLICT")
    assert cli("dream", "--now", _JUNE, "--json").value["demoted"] == []
    assert len(cli("dream", "--changes", "--limit", "2", "--json").value["changes"]) == 2
    assert "rolled back" in cli("dream", "--changes").out
    assert cli("log", "verify").code == 0


def test_what_cannot_be_distilled_is_said(place: places.Place, cli: Cli, monkeypatch: pytest.MonkeyPatch):
    _live(place, *_WEEKS[:10])
    with OpenAiServer(answers("I would rather not.")) as server:
        for name, value in (("MODEL", "m"), ("URL", server.url), ("NEEDS_KEY", "false")):
            monkeypatch.setenv(f"MACE_LLM_{name}", value)
        ran = cli("dream", "--now", _NOW, "--json")
        assert (ran.code, ran.value["error_code"]) == (1, "SERVICE_UNAVAILABLE")
        assert ran.value["failed"][0]["entity"] == _GOOD[1]
        _live(place, *_WEEKS[10:], (_GOOD, 18.5, "accept", "once more"))
        partly = cli("dream", "--now", _NOW)
        assert partly.code == 0, "what could be done was done"
        assert "! no rule  tool:shell path:deploy.sh" in partly.out
        assert "- forgotten  tool:glob" in partly.out
    assert cli("experience", "show", *_GOOD, "--now", _NOW, "--json").value["history"]["megrams"] == 11


# Who may, and what is wrong usage


@pytest.mark.parametrize(
    ("arguments", "role"),
    [
        (("experience", "show", *_GOOD), "user"),
        (("experience", "list"), "viewer"),
        (("experience", "show", *_GOOD), "user"),
        (("experience", "rules"), "viewer"),
        (("experience", "retract", "x"), "operator"),
        (("experience", "export"), "operator"),
        (("experience", "import", "-"), "operator"),
        (("dream",), "auditor"),
        (("dream", "--dry-run"), "user"),
        (("dream", "--changes"), "user"),
        (("dream", "--roll-back", "x"), "operator"),
    ],
)
def test_not_everybody_may(place: places.Place, cli: Cli, arguments: tuple[str, ...], role: str):
    _live(place, *_WEEKS[:1])
    ran = cli(*arguments, "--json", role=role)
    assert (ran.code, ran.value["error_code"]) == (1, "PERMISSION_DENIED")


@pytest.mark.parametrize("verb", ["export", "import", "roll-back"])
def test_an_admins_account_needs_its_second_factor(place: places.Place, cli: Cli, tmp_path: Path, verb: str):
    _live(place, *_WEEKS)
    change = _rule(cli)["change_id"]
    (tmp_path / "in").write_text(cli("experience", "export").out)
    with place.open() as mace:
        mace.accounts.create("root", ["admin"])
        secret = mace.accounts.enrol_second_factor("root")["secret"]
    line = {
        "export": ("experience", "export", "-o", str(tmp_path / "out")),
        "import": ("experience", "import", str(tmp_path / "in")),
        "roll-back": ("dream", "--roll-back", change),
    }[verb]
    without = cli(*line, "--user", "root", "--json")
    assert (without.code, without.value["error_code"]) == (1, "AUTH_ERROR")
    assert not (tmp_path / "out").exists()
    code = Totp().code_at(secret, datetime.now(UTC))
    assert cli(*line, "--user", "root", "--totp", code, "--json").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("experience", "show", "tool:shell"),
        ("experience", "show", "tool:shell", " "),
        ("experience", "show", "tool:shell", "a\x1bb"),
        ("experience", "show", "tool:shell", "a\udc80b"),
        ("experience", "show", "x" * 1025, "a"),
        ("experience", "show", *_GOOD, "--now", "yesterday"),
        ("experience", "show", *_GOOD, "--now", "2026-05-01T00:00:00"),
        ("experience", "show", *_GOOD, "-n", "-1"),
        ("experience", "list", "--limit", "0"),
        ("experience", "list", "--search", ""),
        ("experience", "show", "tool:shell"),
        ("experience", "show", "tool:shell", "a\x1bb"),
        ("experience", "rules", "--limit", "0"),
        ("experience", "rules", "--search", "a\udc80b"),
        ("experience", "retract"),
        ("experience", "retract", "a\udc80b"),
        ("experience", "nonsense"),
        ("experience", "import", "/no/such/file"),
        ("dream", "--dry-run", "--changes"),
        ("dream", "--roll-back", "a\udc80b"),
        ("dream", "--roll-back", "x", "--now", _NOW),
        ("dream", "extra"),
    ],
)
def test_wrong_usage_is_said(
    mace_home: places.SqlitePlace,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: Any,
    arguments: tuple[str, ...],
):
    mace_home.open().close()
    ran = _command_line(mace_home, monkeypatch, capfdbinary)(*arguments)
    assert ran.code == 2
    assert "Usage: mace" in ran.err
    assert ran.out == ""


def test_a_change_that_is_not_there_is_not_found(place: places.Place, cli: Cli):
    place.open().close()
    ran = cli("dream", "--roll-back", "no-such-change", "--json")
    assert (ran.code, ran.value["error_code"]) == (1, "NOT_FOUND")


# Catching up, and the doctor


def test_what_a_dead_process_left_is_seen(
    mace_home: places.SqlitePlace,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: Any,
):
    with mace_home.open() as m:  # a policy that lets those read who write nothing
        packaged = resources.files("mace.governance.policy").joinpath("mace.cedar").read_text("utf-8")
        request = m.approvals.propose_policy(packaged + _AUDITORS_READ)["request_id"]
        assert m.approvals.vote(request, "approve")["status"] == "approved"
    cli = _command_line(mace_home, monkeypatch, capfdbinary)
    left = (
        "import os, mace\n"
        "m = mace.open()\n"
        "m._parts.experience.close()\n"  # no background work: what is written now stays on the ledger alone
        "m.experience.write({'space': 'a', 'entity': 'b', 'content': 'c', 'state': 'accept'}, 'solver')\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", left], check=True, env=dict(os.environ))
    checks = {item["name"]: item for item in cli("doctor", "--json").value["checks"]}
    assert (checks["experience"]["state"], "behind" in checks["experience"]["detail"]) == ("warn", True)
    stale = cli("experience", "show", "a", "b", role="auditor")
    assert (stale.code, "No experience recorded" in stale.out, "behind the ledger" in stale.err) == (0, True, True)
    assert cli("experience", "show", "a", "b", "--json").value["known"]
    told = cli("doctor", "--json").value
    checks = {item["name"]: item for item in told["checks"]}
    assert checks["experience"] == {"name": "experience", "state": "ok", "detail": "sqlite, megrams: 1 M", "hint": ""}
    assert told["mace"]["experience"]["megrams"] == {"M": 1}


@pytest.mark.parametrize(
    ("about", "state", "says"),
    [
        ({"kind": "sqlite", "megrams": {}, "behind": False}, "ok", "none yet"),
        (
            {"kind": "leveldb", "megrams": {"C": 2, "K": 1, "M": 18}, "behind": False},
            "ok",
            "leveldb, megrams: 18 M, 1 K, 2 C",
        ),
        ({"kind": "postgres", "megrams": {"M": 3}, "behind": True}, "warn", "behind the ledger"),
    ],
)
def test_the_doctors_line(about: dict[str, Any], state: str, says: str):
    check: Check = health.experience(about)
    assert check.name == "experience"
    assert (check.state, says in check.detail) == (state, True)
    assert bool(check.hint) == (state == "warn")


def test_a_store_that_another_process_holds_is_no_end(
    mace_home: places.SqlitePlace,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: Any,
):
    plyvel = pytest.importorskip("plyvel")
    mace_home.open().close()
    cli = _command_line(mace_home, monkeypatch, capfdbinary)
    monkeypatch.setenv("MACE_EXPERIENCE_STORE", "leveldb")
    assert cli("experience", "--json").value["store"] == "leveldb"
    holder = plyvel.DB(str(mace_home.folder / "experience.leveldb"))
    try:
        told = cli("doctor", "--json")
        checks = {item["name"]: item["state"] for item in told.value["checks"]}
        assert (told.code, checks["experience"], checks["store"]) == (0, "warn", "ok")
        ran = cli("experience", "--json")
        assert ran.code == 1
        assert "process" in ran.value["developer_message"]
    finally:
        holder.close()
