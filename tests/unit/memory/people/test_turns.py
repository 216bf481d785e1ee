"""Turns as they are given: what is read, and what is refused by its place and never by its words."""

from datetime import UTC, datetime

import pytest

from mace.core.errors import InvalidInput, WrongType
from mace.memory.people.turns import (
    MAIN,
    MAX_TURN_BYTES,
    MAX_TURNS,
    Turn,
    check_conversation,
    from_plain,
    read_messages,
    request_of,
)

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
AT = "2026-03-01T10:00:00.000000Z"


def test_a_text_is_one_turn_of_the_person() -> None:
    assert read_messages("I moved.", "c", NOW) == [Turn("user", "I moved.", AT, None, "c")]


def test_messages_keep_their_order_time_and_speaker() -> None:
    given = [
        {"role": "user", "content": "Hi", "at": "2026-02-01T12:00:00+02:00", "name": "Ana "},
        {"role": "assistant", "content": "Hello", "at": None, "name": None},
    ]
    first, second = read_messages(given, "c", NOW)
    assert (first.at, first.name, first.speaker) == ("2026-02-01T10:00:00.000000Z", "Ana", "Ana")
    assert (second.at, second.speaker) == (AT, "assistant")
    assert first.read_as == "Ana: Hi"
    assert from_plain(first.plain()) == first
    assert from_plain(second.plain()) == second


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([], "1 to 1000 turns"),
        ([{"role": "user", "content": "x"}] * (MAX_TURNS + 1), "1 to 1000 turns"),
        (["secret"], r"messages\[0\] must be an object"),
        ([{"role": "boss", "content": "secret"}], r"messages\[0\].role must be one of"),
        ([{"content": "secret"}], r"messages\[0\].role"),
        ([{"role": "user"}], r"messages\[0\].content is required"),
        ([{"role": "user", "content": 5}], r"messages\[0\].content must be a string"),
        ([{"role": "user", "content": " \n "}], r"messages\[0\].content must have words"),
        ([{"role": "user", "content": "s" * (MAX_TURN_BYTES + 1)}], "at most 1048576 bytes; it has 1048577"),
        ([{"role": "user", "content": "\ud800"}], "unpaired surrogates"),
        ([{"role": "user", "content": "a", "at": "yesterday"}], r"messages\[0\].at must be an RFC 3339 time"),
        ([{"role": "user", "content": "a", "at": "2026-03-01T10:00:00"}], r"messages\[0\].at"),
        ([{"role": "user", "content": "a", "at": 5}], r"messages\[0\].at"),
        ([{"role": "user", "content": "a", "name": "two\nlines"}], r"messages\[0\].name must be one line"),
        ([{"role": "user", "content": "a", "name": ""}], r"messages\[0\].name"),
        ([{"role": "user", "content": "a", "secret": 1}], r"messages\[0\] has 1 unknown field"),
        ([{"role": "user", "content": "a" * (1 << 20)}] * 9, "at most 8388608 bytes together"),
    ],
)
def test_what_is_wrong_is_named_by_its_place_and_not_by_its_words(messages: object, told: str) -> None:
    with pytest.raises(InvalidInput, match=told) as caught:
        read_messages(messages, "c", NOW)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("messages", [None, 5, b"hi", {"role": "user", "content": "x"}])
def test_another_type_is_a_broken_contract(messages: object) -> None:
    with pytest.raises(WrongType):
        read_messages(messages, "c", NOW)


def test_a_conversation_has_a_name_or_is_the_main_one() -> None:
    assert check_conversation(None) == MAIN
    assert check_conversation("c-1") == "c-1"
    for wrong in ("", "  ", "x" * 257, "\ud800"):
        with pytest.raises(InvalidInput):
            check_conversation(wrong)
    with pytest.raises(WrongType):
        check_conversation(7)


def test_a_request_is_the_same_whenever_it_is_made() -> None:
    assert request_of("Hi", "c") == request_of([{"role": "user", "content": "Hi", "at": None}], "c")
    assert request_of("Hi", "c") != request_of("Hi", "d")
    assert request_of("Hi", "c") != request_of([{"role": "user", "content": "Hi", "at": AT}], "c")
