"""Envelopes of failures that belong to no job: the table's words, fresh ids, and nothing lost."""

import errno
from datetime import UTC, datetime

import pytest

from mace.core import errors as table
from mace.engine.offline.envelopes import envelope_of, make_envelope
from mace.providers.frozen import CountingEntropy, FrozenClock
from mace.wiring import doors

CLOCK = FrozenClock(datetime(2026, 5, 1, 12, tzinfo=UTC))


def test_an_envelope_has_the_words_of_its_row_and_ids_of_its_own():
    entropy = CountingEntropy()
    first, second = (make_envelope("REPLAY_HALTED", {"job_id": "j"}, CLOCK, entropy) for _ in range(2))
    row = table.FAILURES["REPLAY_HALTED"]
    assert (first["status"], first["user_message"]) == (row.status, row.user_message)
    assert first["meta"]["job_id"] == "j"
    assert first["meta"]["timestamp"] == "2026-05-01T12:00:00.000Z"
    assert first["meta"]["query_id"] != second["meta"]["query_id"]
    assert make_envelope("REPLAY_HALTED", {"job_id": "j"}, CLOCK, CountingEntropy()) == first


def test_a_reason_the_template_has_no_place_for_is_not_lost():
    told = envelope_of(table.Erased("the key of this data is gone"), CLOCK, CountingEntropy())
    assert told["developer_message"].endswith("The key of this data is gone.")


@pytest.mark.parametrize(
    ("error", "code", "said", "bug"),
    [
        (table.InvalidInput("key is too long"), "INVALID_INPUT", "key is too long", False),
        (OSError(errno.ENOSPC, "No space left on device"), "STORAGE_FULL", "no space left", False),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "SERVICE_UNAVAILABLE", "(/x)", False),
        (RuntimeError("what a person wrote"), "SERVICE_UNAVAILABLE", "internal error: RuntimeError", True),
    ],
)
def test_every_exception_has_its_envelope(error: Exception, code: str, said: str, bug: bool):
    told = envelope_of(error, CLOCK, CountingEntropy())
    assert told["error_code"] == code
    assert said in told["developer_message"]
    assert told["meta"].get("bug", False) is bug
    assert "what a person wrote" not in repr(told)


def test_doors_get_the_systems_clock_and_randomness():
    first, second = doors.make_envelope("CONFLICT", {"reason": "x"}), doors.envelope_of(table.Conflict("x"))
    assert {**first, "meta": None} == {**second, "meta": None}
    assert first["meta"]["query_id"] != second["meta"]["query_id"]
    assert doors.now().tzinfo is UTC
    instant = datetime(2026, 5, 1, tzinfo=UTC)
    assert doors.clock_at(instant).now() == doors.clock_at(instant).now() == instant
