"""Many texts looked at as one: what is found stays the same, and what is remembered is names, never values."""

import base64
import random
from typing import Any

import pytest

from mace.governance.detectors import detect, detect_json, engine, gates, nested
from mace.governance.detectors.scope import Scope
from mace.governance.detectors.view import View, fold_name
from unit.governance.detectors.test_gates import VALUES, WORDS

KEYS = (
    "id", "name", "label", "value", "content", "role", "phone", "part_1", "part_2", "address", "card", "email", "notes",
    "count", "faceEmbedding", "ssn", "items", "password", "diagnosis", "jane@example.org", "電話", "score", "x",
)  # fmt: skip
PLAIN = (
    "user",
    "gpt-4o-mini",
    "a wall shelf of oak",
    "searchItems",
    "2026-11-15T10:20:30Z",
    "stop",
    "ok",
    "v1.2.3",
    "10:20",
)


def _made(rng: random.Random, depth: int = 0) -> Any:
    """Return a nested value of texts, numbers and names, most of them plain."""
    kind = rng.random()
    if depth < 4 and kind < 0.3:
        return {rng.choice(KEYS): _made(rng, depth + 1) for _ in range(rng.randint(0, 6))}
    if depth < 4 and kind < 0.45:
        return [_made(rng, depth + 1) for _ in range(rng.randint(0, 6))]
    if kind < 0.55:
        return rng.choice([True, None, 7, 4111111111111111, 415555, 1.5, 0.25, -3, 2e30, 1_700_000_000])
    if kind < 0.6:
        return "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 6)))
    if kind < 0.8:
        return rng.choice(PLAIN)
    return " ".join(rng.choice(rng.choice((VALUES, WORDS))) for _ in range(rng.randint(1, 3)))


@pytest.mark.parametrize("seed", range(4))
def test_looking_at_all_texts_first_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch):
    rng = random.Random(seed)
    values = [_made(rng) for _ in range(400)]
    with_it = [detect_json(value, "request") for value in values]
    monkeypatch.setattr(nested, "_FEW", 10**9)
    nested._KEYS.clear()
    assert with_it == [detect_json(value, "request") for value in values]
    assert sum(map(len, with_it)) > 200  # else the values would prove nothing


def test_a_scope_rules_out_what_concerns_no_rule():
    scope = Scope(["a wall shelf", "see you", "call me on 0171 2345678", "shelf"])
    assert scope.rules_out("a wall shelf")
    assert scope.rules_out("shelf")
    assert not scope.rules_out("call me on 0171 2345678")
    assert not scope.rules_out("caf\u00e9")  # what is not in ASCII is read by itself
    assert not scope.rules_out("a &#98; c")


def _plain_numbers(rng: random.Random) -> str:
    day = f"{rng.randint(1900, 2099)}-{rng.randint(1, 12):02}-{rng.randint(1, 31):02}"
    time = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}"
    return rng.choice(
        (
            str(rng.randrange(10 ** rng.randint(1, 13))),
            f"{rng.uniform(-999, 999):.{rng.randint(1, 14)}f}",
            f"{rng.random():.{rng.randint(1, 17)}f}",
            f"{rng.random() / 1000:.{rng.randint(18, 25)}f}",
            day,
            f"{day}T{time}Z",
            f"{day} {time[:5]}",
            f"{day}T{time}.{rng.randrange(10**6):06}+0{rng.randint(0, 9)}:00",
        )
    )


def test_nothing_is_found_in_plain_numbers_and_moments():
    """They are left unread, so every rule, ungated, must agree."""
    rng = random.Random(11)
    fields = (None, "count", "created_at", "total", "request_items_updated")
    assert not any(gates.called_by(fold_name(field)) for field in fields if field)
    for _ in range(3_000):
        text, field = _plain_numbers(rng), rng.choice(fields)
        assert gates.is_plain(text), text
        view = View(text, field)
        assert [hit for find, _ in engine.finds_of(view.version) for hit in find(view)] == [], (text, field)
        assert engine._hidden(view, field, {}) == []


@pytest.mark.parametrize(
    "text", ["01712345678", "4111111111111111", "501812.123456", "123-45-6789", "1.2.3.4", "2026-13-01", "+1", "1 2"]
)
def test_other_numbers_are_read(text: str):
    assert not gates.is_plain(text)


def test_a_plain_number_is_read_where_its_name_calls_a_rule():
    assert not detect("4155552671", "count")
    assert [found.type for found in detect("4155552671", "phone")] == ["phone"]
    assert [item.path for item in detect_json({"phone": 4155552671, "count": 4155552671})] == [("phone",)]
    assert [found.type for found in detect("1979-03-14", "birth_date")] == ["birth_date"]


def test_names_are_remembered_and_values_are_not():
    detect_json({"zorbl_name": "a very special value", "Zorbl 17": "zorbl-value", "rows": [{"zorbl_b": "q w e"}] * 5})
    assert {"zorbl_name", "zorbl_b", "rows"} <= nested._KEYS
    assert not {"a very special value", "Zorbl 17", "zorbl-value", "q w e"} & nested._KEYS


def test_of_clean_texts_a_digest_is_remembered_that_says_what_was_asked():
    """What was clean inside another text may still hold something in base64 when it is read by itself."""
    coded = base64.b64encode(b"call me on 415-555-2671 ok").decode()
    engine._CLEAN.clear()
    assert detect(coded, "note", inside=True) == []
    assert [found.type for found in detect(coded, "note")] == ["phone"]
    assert engine._CLEAN
    assert all(type(kept) is bytes and len(kept) == 16 for kept in engine._CLEAN)
