"""What is taken out of a language engine's text."""

import pytest

from mace.agents.model_text import first_json, visible_text
from mace.core import canon


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("plain", "plain"),
        ("  \n plain \n", "plain"),
        ("<think>let me see</think>\n\nParis.", "Paris."),
        ("<THINK>let me see</Think>Paris.", "Paris."),
        ("<thinking>one</thinking>A<reasoning>two</reasoning>B", "AB"),
        ("<think>outer <think>inner</think> still</think>Paris.", "Paris."),
        ('<think type="deep">hm</think>Paris.', "Paris."),
        ("no opening tag, all thought</think>Paris.", "Paris."),
        ("<think>cut off in the middle of", ""),
        ("First line.\n<think>cut off", "First line."),
        ("The tag <think> opens a thought.", "The tag <think> opens a thought."),
        ("```text\nParis.\n```", "Paris."),
        ("```\nParis.\n```", "Paris."),
        ("```python\nprint(1)\n```", "```python\nprint(1)\n```"),
        ("```\na\n```\nand\n```\nb\n```", "```\na\n```\nand\n```\nb\n```"),
        ("```", "```"),
        ("", ""),
    ],
)
def test_the_reader_sees_no_reasoning_and_no_wrapping(written: str, read: str):
    assert visible_text(written) == read


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure! Here it is:\n{"a": 1}\nHope that helps.', {"a": 1}),
        ('```json\n{"a": {"b": [1, 2]}}\n```', {"a": {"b": [1, 2]}}),
        ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
        ('{"a": 1}{"b": 2}', {"a": 1}),
        ('{"a": 1}\n\n{"b": 2}', {"a": 1}),
        ('{} and {"a": 1}', {"a": 1}),
        ("{}", {}),
        ('for {x} use { and {"a": "}{"}', {"a": "}{"}),
        ('[{"a": 1}]', {"a": 1}),
        ('{"a": NaN} {"b": 1}', {"b": 1}),
        ('{"a": 1e999} {"b": 1}', {"b": 1}),
        # A part of an answer is not the answer.
        ('{"steps": [{"tool": "rm"}, {"tool": "ls"', None),
        ('{"plan": {"a": 1}, oops', None),
        ('{"plan": {"a": 1}, oops} {"b": 1}', {"b": 1}),
        ("{'a': {\"b\": 1}}", None),
        ("no object here", None),
        ("[1, 2]", None),
        ('{"a": "\\ud800"}', None),
        ('{"a": 12345678901234567890}', None),
        ("", None),
    ],
)
def test_the_first_whole_object_is_found_or_nothing(written: str, found: object):
    assert first_json(written) == found


@pytest.mark.parametrize(
    "hostile",
    [
        "{" * 200_000,
        '{"a":' * 60_000,
        '{"' * 100_000,
        '{x "' + '\\"' * 100_000,
        '{"a": "' + "\\" * 200_000,
        "<think " * 50_000,
        "<think>" * 50_000,
        "</think>" * 50_000,
    ],
)
def test_hostile_text_is_no_object_and_ends(hostile: str):
    assert first_json(hostile) is None


def test_what_is_found_can_be_recorded():
    found = first_json('{"n": 1.5, "s": "ü", "l": [true, null]}')
    assert canon.loads(canon.dumps(found)) == found
