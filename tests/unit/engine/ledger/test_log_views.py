"""What the events of a job tell of its log, and which logs a list has: tables."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mace.core.errors import FAILURES
from mace.engine.ledger.log_views import ANY_ERROR, LogFilter, Story, story_of, words_of

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TEXT = "2026-03-01T12:00:00.000Z"
SECOND = timedelta(seconds=1)


def event(event_type: str, recorded_at: str | None = None, **payload: Any) -> dict[str, Any]:
    return {"event_type": event_type, "payload": payload, **({"recorded_at": recorded_at} if recorded_at else {})}


WRITTEN = event("REFLECTIVE_LOG_WRITTEN", TEXT, log_id="L")
SUPPORT = {"kind": "program", "person": "user_ana", "program": "support", "version": "2"}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], Story()),
        ([event("JOB_OPENED", verb="ask", job={"kind": "ask", "person": ""})], Story(kind="ask")),
        ([event("JOB_OPENED", verb="ask")], Story(kind="ask")),  # before events named the job
        ([event("JOB_OPENED", verb="write_reflective_log"), WRITTEN], Story(recorded_at=TEXT)),
        (
            [event("JOB_OPENED", verb="perform", job=SUPPORT), event("INPUT_RECEIVED", input_hash="h"), WRITTEN],
            Story(kind="program", program="support", version="2", recorded_at=TEXT, input_hash="h"),
        ),
        (
            [event("JOB_OPENED", verb="grant_consent"), event("JOB_BEGUN", verb="perform", job=SUPPORT)],
            Story(kind="program", program="support", version="2"),
        ),
        (
            [event("JOB_OPENED", job=SUPPORT), event("JOB_BEGUN", job={"kind": "ask", "person": ""})],
            Story(kind="program", program="support", version="2"),  # the first one counts
        ),
        ([event("REFLECTIVE_LOG_WRITTEN", TEXT, log_id="another")], Story()),
        ([event("REFLECTIVE_LOG_WRITTEN", None, log_id="L")], Story()),  # before times were recorded
        ([event("JOB_CLOSED", error_code="AGENT_ERROR")], Story(error_code="AGENT_ERROR")),
        ([event("JOB_CLOSED", error_code=None)], Story()),
        ([event("INPUT_RECEIVED", input_hash="1"), event("INPUT_RECEIVED", input_hash="2")], Story(input_hash="1")),
    ],
)
def test_events_tell_of_the_log(events: list[dict[str, Any]], expected: Story):
    assert story_of("L", events) == expected


@pytest.mark.parametrize(
    ("wanted", "story", "fits"),
    [
        (LogFilter(), Story(), True),
        (LogFilter(program="support"), Story(program="support"), True),
        (LogFilter(program="support"), Story(program="support2"), False),
        (LogFilter(program="support"), Story(kind="ask"), False),
        (LogFilter(error="AGENT_ERROR"), Story(error_code="AGENT_ERROR"), True),
        (LogFilter(error="AGENT_ERROR"), Story(error_code="LOW_CONFIDENCE"), False),
        (LogFilter(error="AGENT_ERROR"), Story(), False),
        (LogFilter(error=ANY_ERROR), Story(error_code="AGENT_ERROR"), True),
        (LogFilter(error=ANY_ERROR), Story(), False),
        (LogFilter(since=AT), Story(recorded_at=TEXT), True),
        (LogFilter(since=AT + SECOND), Story(recorded_at=TEXT), False),
        (LogFilter(until=AT), Story(recorded_at=TEXT), False),
        (LogFilter(until=AT + SECOND), Story(recorded_at=TEXT), True),
        (LogFilter(since=AT, until=AT + SECOND), Story(recorded_at=TEXT), True),
        (LogFilter(since=AT), Story(), False),  # an older one goes by its `created_at`, a day before
        (LogFilter(until=AT), Story(), True),
        (LogFilter(program="support", error=ANY_ERROR), Story(program="support"), False),
    ],
)
def test_a_list_has_what_fits(wanted: LogFilter, story: Story, fits: bool):
    assert wanted.fits(story, "2026-02-28T12:00:00Z") is fits


def test_any_is_no_code():
    assert ANY_ERROR not in FAILURES


@pytest.mark.parametrize(
    ("received", "words"),
    [
        ({"text": "What is 2 + 2?"}, "What is 2 + 2?"),
        ({"text": ""}, ""),
        ({"input": "Where is my parcel?"}, "Where is my parcel?"),
        ({"input": {"b": [1, None], "a": "x"}}, '{"a":"x","b":[1,null]}'),
        ({"input": None}, "null"),
    ],
)
def test_what_was_asked_is_a_text(received: dict[str, Any], words: str):
    assert words_of(received) == words
