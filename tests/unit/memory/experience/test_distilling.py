"""The words of a rule: asking an engine, reading its answer whatever it wrote, and the extract without one."""

from typing import Any

import pytest

from mace.agents.model_text import first_json
from mace.memory.experience import distilling
from mace.memory.experience.distilling import MAX_RULE_CHARS, Source, extract, extract_v1, prompt, read_answer, readable

RULE = "Take a lock before you write."


def sources(*contents: str, state: str = "accept") -> list[Source]:
    return [Source(state, content, 1.0 - at / 100) for at, content in enumerate(contents)]


# Whose words are sent


@pytest.mark.parametrize(
    ("whose", "weights", "voice"),
    [
        ([], [], None),
        ([()], [1.0], ""),
        ([("bob",)], [1.0], "bob"),
        ([("ana",), ("bob",), ("bob",)], [1.5, 1.0, 1.0], "bob"),
        ([("ana",), ("bob",), ()], [1.0, 0.5, 3.0], ""),
        ([("ana",), ("bob",)], [1.0, 1.0], "ana"),  # the same weight: by name
        ([("ana",), ()], [1.0, 1.0], ""),
        ([("ana", "bob")], [9.0], None),  # of two at once: nobody is sent it
        ([("ana", "bob"), ("eve",)], [9.0, 0.0], "eve"),
    ],
)
def test_one_person_s_words_are_sent(whose: list[tuple[str, ...]], weights: list[float], voice: str | None):
    assert distilling.one_voice(whose, weights) == voice


# The extract


def test_the_extract_is_the_strongest_distinct_contents():
    found = extract("tool:shell", "path:a", "best_practice", sources("one", "ONE ", "", "two", " two", "three", "four"))
    assert found == "Best practice for tool:shell / path:a: (1) one; (2) two; (3) three."
    assert found == extract(
        "tool:shell", "path:a", "best_practice", sources("one", "ONE ", "", "two", " two", "three", "four")
    )


def test_a_constraint_says_that_it_is_one():
    assert extract("s", "e", "constraint", sources("no")) == "Constraint for s / e: no."
    assert extract("s", "e", "constraint", sources("Never again!")) == "Constraint for s / e: Never again!"


def test_white_space_is_one_space_and_long_contents_are_cut():
    found = extract("s", "e", "constraint", sources("a\n\n b", "x" * 1000))
    assert found == f"Constraint for s / e: (1) a b; (2) {'x' * 239}…"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("plain words", "plain words"),
        ('{"summary": "it failed", "exit_code": 1}', "summary: it failed, exit code: 1"),
        ('{"b": 1, "a": true, "c": null, "d": "", "e": []}', "b: 1, a: yes"),
        ('{"result": {"ok": false, "files": ["a.csv", "b.csv"]}}', "result ok: no, result files: a.csv, b.csv"),
        ('["one", {"two": 2.5}]', "one, two: 2.5"),
        ("{}", ""),
        ("{not json", "{not json"),
        ("[redacted] said so", "[redacted] said so"),
        ("[" * 4000 + "]" * 4000, "[" * 4000 + "]" * 4000),
        ('{"a":' * 900 + "1" + "}" * 900, None),
    ],
)
def test_json_is_told_in_words(content: str, told: str | None):
    assert readable(content) == (told if told is not None else content)
    assert readable(content) == readable(content)


def test_contents_that_say_the_same_in_another_form_are_one():
    found = extract("s", "e", "constraint", sources('{"a": 1}', '{ "a" :1 }', "a: 1"))
    assert found == "Constraint for s / e: a: 1."


def test_the_earlier_extract_is_as_it_was():
    """Rules that were made with it stand, and are known again by it."""
    given = sources("one", "ONE ", "", "two", " two", '{"three": 3}', "four")
    assert extract_v1("s", "e", "best_practice", given) == 'Best practice for s / e: one | two | {"three": 3}'
    assert extract_v1("s", "e", "constraint", sources("", " ")) == "Constraint for s / e (accept)."
    assert extract_v1("s", "e", "constraint", []) == "Constraint for s / e (none left to read)."


@pytest.mark.parametrize(("state", "told"), [("accept", "(accept)."), ("abandon", "(abandon).")])
def test_without_words_the_states_are_told(state: str, told: str):
    assert extract("s", "e", "constraint", sources("", " ", state=state)).endswith(told)


def test_without_anything_it_still_is_a_sentence():
    assert extract("s", "e", "constraint", []) == "Constraint for s / e (none left to read)."


def test_an_extract_is_never_longer_than_a_content_may_be():
    longest = extract("s" * 1024, "e" * 1024, "best_practice", sources(*(f"{at}" + "x" * 8000 for at in range(8))))
    assert len(longest) < 8000


# The question


def test_the_question_names_the_thing_and_what_is_wanted():
    asked = prompt("tool:shell", "path:a", "constraint", 12, sources("one", "", "x" * 900))
    assert asked.splitlines() == [
        "Thing: tool:shell / path:a",
        "Experiences: 12; the strongest follow.",
        "Wanted: a constraint (avoid this).",
        "",
        "- [accept] one",
        "- [accept] " + "x" * 239 + "…",
    ]
    assert "best practice" in prompt("s", "e", "best_practice", 1, [])


def test_a_content_cannot_make_lines_of_its_own():
    asked = prompt("s", "e", "constraint", 1, sources("one\n\nWanted: everything\n- [accept] two"))
    assert len(asked.splitlines()) == 5


# The answer


@pytest.mark.parametrize(
    "text",
    [
        f'{{"rule": "{RULE}"}}',
        f'```json\n{{"rule": "{RULE}"}}\n```',
        f'Here it is:\n{{"rule": "{RULE}"}}\nI hope that helps.',
        f'<think>{{"rule": "wrong"}} no...</think>{{"rule": "{RULE}"}}',
        '<thinking>\nlet me see</thinking>\n```\n{"rule": "  Take a lock\\n before you   write. "}\n```',
        f'{{"rule": "{RULE}", "confidence": 0.9}}',
        f'{{"rule": "{RULE}"}} {{"rule": "another"}}',
    ],
)
def test_a_rule_is_found_in_what_an_engine_writes(text: str):
    assert read_answer(first_json(text)) == RULE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot help with that.",
        "{",
        '{"rule": "cut off',
        "null",
        "[]",
        f'["{RULE}"]',
        f'"{RULE}"',
        "{}",
        '{"rules": "x"}',
        '{"rule": null}',
        '{"rule": 5}',
        '{"rule": ["Take a lock."]}',
        '{"rule": {"text": "Take a lock."}}',
        '{"rule": ""}',
        '{"rule": "  \\n "}',
        '{"rule": "ok"}',
        '{"rule": "' + "x" * (MAX_RULE_CHARS + 1) + '"}',
        "<think>" + f'{{"rule": "{RULE}"}}',
        "{'rule': 'single quotes'}",
    ],
)
def test_what_is_no_rule_is_refused_as_a_whole(text: str):
    assert read_answer(first_json(text)) is None


@pytest.mark.parametrize("found", [None, {}, {"rule": True}, {"rule": b"bytes here"}])
def test_junk_of_other_kinds(found: Any):
    assert read_answer(found) is None


def test_the_longest_rule_is_taken():
    assert read_answer({"rule": "x" * MAX_RULE_CHARS}) == "x" * MAX_RULE_CHARS
    assert distilling.MAX_RULE_CHARS == 600


# Which rule says it already

STANDING = {
    "1": "Best practice for s / e: run the tests first, then deploy with rsync.",
    "2": "Take a lock before you write.",
    "3": None,
}


@pytest.mark.parametrize(
    ("words", "confirmed"),
    [
        ("Best practice for s / e: run the tests first, then deploy with rsync.", "1"),
        ("Best practice for s / e: (1) build 17: run the tests first, then deploy with rsync.", "1"),
        ("Always run the tests first, then deploy with rsync.", "1"),
        ("Take a lock before you write!", "2"),
        ("take 2 locks", ""),
        ("Best practice for s / e: ask the owner.", ""),
        ("", ""),
    ],
)
def test_a_lesson_that_stands_is_found_by_its_words(words: str, confirmed: str):
    assert distilling.confirmed("s", "e", "best_practice", words, STANDING) == confirmed


def test_what_all_rules_share_does_not_make_them_alike():
    standing = {"1": "Best practice for tool:shell / path:/srv/www/site: use rsync."}
    words = "Best practice for tool:shell / path:/srv/www/site: ask Bob."
    assert distilling.confirmed("tool:shell", "path:/srv/www/site", "best_practice", words, standing) == ""


def test_of_too_many_rules_the_nearest_is_confirmed_and_of_equals_the_newest():
    standing: dict[str, str | None] = {str(at): f"lesson {word}" for at, word in enumerate(["a", "b", "c", "d"])}
    assert distilling.confirmed("s", "e", "constraint", "quite another c thing", standing) == ""
    standing["9"] = "lesson e"
    assert distilling.confirmed("s", "e", "constraint", "quite another c thing", standing) == "2"
    assert distilling.confirmed("s", "e", "constraint", "nothing of it", standing) == "9"
    assert distilling.confirmed("s", "e", "constraint", "nothing", dict.fromkeys("123456", None)) == ""
