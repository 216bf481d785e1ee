"""The search for planted words finds them wherever any verb keeps words, and keeps nothing of them itself."""

import copy
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import canaries
import places
from access_stage import Stage
from governed import owned
from mace.core.errors import LogInvalid, MaceError
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS
from mace.providers.forensic_box import HpkeBox
from payloads import log_payload
from verb_samples import SAMPLES

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

# What keeps words under a key of the node, of a person or of a job, and by which argument.
KEEPS = {
    ("ask", "text"),
    ("sem_put", "value"),
    ("sem_put", "notes"),
    ("sem_put", "meta"),
    ("write_reflective_log", "payload"),
    ("update_reflective_log", "patch"),
    ("amend", "changes"),
    ("grant_consent", "consent_text"),
    ("experience.write", "megram"),
    ("experience.record_negative_feedback", "content"),
}
# What it keeps in plain.
PLAIN = {("incidents.report", "reason"), ("approvals.vote", "reason"), ("sem_add_alias", "text")}


def spelled(number: int) -> str:
    """A word of its own that nobody takes for anything personal."""
    return "quokka" + "".join("bdfgklmnprstvz"[int(digit, 14)] + "u" for digit in f"{number:04d}")


def planted(value: Any, word: str) -> Iterator[Any]:
    """The value with the word after one of its texts, each in turn."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from ({**value, name: changed} for changed in planted(item, word))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from ([*value[:at], changed, *value[at + 1 :]] for changed in planted(item, word))
    elif isinstance(value, str | bytes) and value[:1] in ("{", b"{"):
        yield from (json.dumps(changed) for changed in planted(json.loads(value), word))
    elif isinstance(value, str):
        yield f"{value} {word}"


def method(m: Mace, name: str) -> Any:
    found: Any = m
    for part in name.split("."):
        found = getattr(found, part)
    return found


def called(m: Mace, name: str, arguments: dict[str, Any]) -> None:
    try:
        answer = method(m, name)(**copy.copy(arguments))
        if isinstance(answer, Iterator):
            list(answer)
    except MaceError:
        pass  # it was refused: then nothing of it may be anywhere, or it is quarantined, and is found


def searched(m: Mace, words: list[str]) -> set[str]:
    found = set()
    for batch in (words[start : start + 100] for start in range(0, len(words), 100)):
        report = m.forensics.search(batch, purpose="where did they go")
        found |= {batch[item["word"] - 1] for item in report["findings"]}
    return found


@pytest.mark.breaks_its_store  # what it reports halts replays
def test_every_word_that_any_verb_keeps_is_found(tmp_path: Path):
    stage = Stage(tmp_path)
    given: dict[str, tuple[str, str]] = {}
    names = [row.name for row in VERBS if not row.planned and row.name not in ("forensics.search", "request_dsr")]
    try:
        with canaries.watching() as sealed:
            for group in (names, ["request_dsr"]):  # an export holds everything once more, so what is there comes first
                for name in group:
                    plant(stage, name, given)
                by_node = [(context, plain) for context, plain in sealed if not context.startswith("forensic/")]
                kept = {leak.canary for leak in canaries.in_watched(by_node, given)}
                kept |= {leak.canary for leak in canaries.in_rows(stage.place, given)}
                assert {given[word] for word in kept - searched(stage.m, list(given))} == set()
        assert {given[word] for word in kept} >= KEEPS | PLAIN
    finally:
        stage.close()


def plant(stage: Stage, name: str, given: dict[str, tuple[str, str]]) -> None:
    for parameter in SAMPLES[name](stage):
        for at, _ in enumerate(planted(SAMPLES[name](stage)[parameter], "x")):
            word = spelled(len(given))
            given[word] = (name, parameter)
            arguments = SAMPLES[name](stage)
            changed = next(islice(planted(arguments[parameter], word), at, None))
            called(stage.m, name, {**arguments, parameter: changed})


BESIDE = [
    ("amendment", lambda m, log, word: m.amend(log, "owner", {"note": word}, "note")),
    ("feedback", lambda m, log, word: m.update_reflective_log(log, {"user_feedback": word})),
    ("label", lambda m, log, word: m.update_reflective_log(log, {"ground_truth_label": word})),
    ("tags", lambda m, log, word: m.update_reflective_log(log, {"audit_tags": [word]})),
]


@pytest.mark.parametrize(("_", "write"), BESIDE, ids=[name for name, _ in BESIDE])
def test_what_stands_beside_a_log_is_found_under_its_person(_: str, write: Any, place: places.Place):
    with owned(place.open()) as m:
        write(m, m.ask("What is 2 + 2?", "bob")["log_id"], "zanzibarquokka")
        found = m.forensics.search(["zanzibarquokka"], purpose="test")["findings"]
    assert {(item["where"]["table"], item["sealed"], item["person"]) for item in found} == {
        ("records", True, "user_bob")
    }


def test_every_field_of_a_log_that_a_program_wrote_is_found(place: places.Place):
    with owned(place.open()) as m:
        m.write_reflective_log(log_payload("a", system_version="zanzibarquokka 2"), user_id="bob")
        found = m.forensics.search(["zanzibarquokka"], purpose="test")["findings"]
    assert [(item["where"]["row"].partition("/")[2], item["person"]) for item in found] == [
        ("system_version", "user_bob")
    ]


def test_rules_and_what_an_engine_was_asked_are_found(place: places.Place):
    with owned(place.open()) as m:
        for number in range(6):
            megram = {"space": "tool:x", "entity": "env:y", "content": f"lesson {number}", "state": "accept"}
            m.experience.write({**megram, "content": "zanzibarquokka works"}, "solver", user_id="bob")
        assert m.experience.dream()["promoted"]
        found = m.forensics.search(["zanzibarquokka"], purpose="test")["findings"]
        rule = m.experience.rules()[0]["id"]
    rows = {(item["where"]["table"], item["where"]["row"].rpartition("/")[2]) for item in found}
    assert {("events", rule), ("megrams", rule)} <= rows


def test_what_is_sealed_to_the_forensic_key_counts_as_unopened(place: places.Place):
    with owned(place.open()) as m:
        m.incidents.report_violation("creative_agent", "wrote", evidence={"seen": "zanzibarquokka"})
        before = m.forensics.search(["zanzibarquokka"], purpose="test")
        assert [item["where"]["table"] for item in before["findings"]] == ["vault_blobs"]
        m.forensics.set_key(HpkeBox().generate()[1])
        m.incidents.report_violation("creative_agent", "wrote", evidence={"seen": "tasmanwombat"})
        after = m.forensics.search(["tasmanwombat"], purpose="test")
    assert after["findings"] == []
    assert after["unopened"] == before["unopened"] + 1


def test_what_is_quarantined_is_found(place: places.Place):
    with owned(place.open()) as m:
        with pytest.raises(LogInvalid):
            m.write_reflective_log({"final_answer": "zanzibarquokka"})
        found = m.forensics.search(["zanzibarquokka"], purpose="test")["findings"]
    assert [item["where"]["table"] for item in found] == ["vault_blobs"]


@pytest.mark.parametrize("canary", [canaries.SSN, canaries.TOKEN, canaries.EMAIL, canaries.PHONE])
def test_personal_words_are_looked_for_and_kept_nowhere(canary: str, place: places.Place):
    with canaries.watching() as sealed, owned(place.open()) as m:
        assert m.forensics.search([canary], purpose="test")["findings"] == []
        assert canaries.everywhere(m, place, [canary]) == []
        with pytest.raises(MaceError) as refused:
            m.forensics.search([canary, "abc"], purpose="test")
        assert not canaries.in_answer(refused.value, [canary])
        with pytest.raises(MaceError) as refused:
            m.forensics.search([canary, "x" * 1001], purpose="test")
        assert not canaries.in_answer(refused.value, [canary])
        assert canaries.everywhere(m, place, [canary]) == []
    assert canaries.in_watched(sealed, [canary]) == []


def test_an_export_names_searches_that_opened_everything(place: places.Place):
    with owned(place.open()) as m:
        m.sem_put("user/profile/user_bob/food", "soup", "user")
        m.forensics.search(["zanzibarquokka"], purpose="to see")
        proof = m.accounts.issue_identity_proof("bob")["proof"]
        package = m.request_dsr("bob", "export", proof)["package"]
    assert package is not None
    looks = [(item["what"], item["purpose"]) for item in package["accesses"]]
    assert ("canary_search", "to see") in looks
