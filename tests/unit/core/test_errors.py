"""The table of failures bound both ways to `tests/golden_messages.json`, which holds the texts' own words."""

import json
from pathlib import Path
from typing import Any

import pytest

from mace.core import errors
from mace.core.errors import FAILURES, Severity, developer_message, envelope

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[2] / "golden_messages.json").read_text("utf-8"))

FIFTEEN = (
    "SEM_NOT_FOUND",
    "SEM_WRITE_FAIL",
    "ROUTER_NO_MATCH",
    "AGENT_TIMEOUT",
    "AGENT_ERROR",
    "LLM_SERVICE_DOWN",
    "COUNCIL_DEADLOCK",
    "LOW_CONFIDENCE",
    "REPAIR_LIMIT_EXCEEDED",
    "INVALID_INPUT",
    "PRIVACY_BLOCKED",
    "CACHE_ERROR",
    "LOG_INVALID",
    "STORAGE_FULL",
    "PERMISSION_DENIED",
)


def test_the_table_has_exactly_the_golden_codes():
    assert list(FAILURES) == list(GOLDEN)


@pytest.mark.parametrize("code", sorted({*FAILURES, *GOLDEN}))
def test_every_code_says_what_the_texts_say(code: str):
    row = FAILURES[code]
    assert {"status": row.status, "severity": row.severity.value, "user_message": row.user_message} == GOLDEN[code]
    assert row.code == code


def test_the_fifteen_failure_cases_come_first_in_the_order_of_the_text():
    assert tuple(FAILURES)[:15] == FIFTEEN


@pytest.mark.parametrize("code", sorted(FAILURES))
def test_messages_are_typographic(code: str):
    message = FAILURES[code].user_message
    assert "'" not in message
    assert '"' not in message
    assert message == message.strip()
    assert message or code == "CACHE_ERROR"  # the one that a user never hears


@pytest.mark.parametrize("code", sorted(FAILURES))
def test_a_developer_message_never_fails_on_its_own_wording(code: str):
    bare = developer_message(code, {})
    assert bare.endswith(".")
    assert "{" not in bare
    details = dict.fromkeys(
        ("key", "reason", "agent_id", "actor", "what", "score", "action", "module_id", "quarantine_id"), "{odd}"
    )
    assert developer_message(code, details)


@pytest.mark.parametrize("code", sorted(FAILURES))
def test_the_envelope_is_the_standard_one(code: str):
    answer = envelope(
        code,
        query_id="q",
        trace_id="t",
        timestamp="2025-11-29T12:00:00.000Z",
        details={"key": "user/profile/user_tuff/favorite_color", "query_id": "not mine"},
    )
    assert list(answer) == ["error_code", "status", "severity", "user_message", "developer_message", "meta"]
    assert answer["error_code"] == code
    assert answer["status"] == GOLDEN[code]["status"]
    assert answer["severity"] == GOLDEN[code]["severity"]
    assert answer["user_message"] == GOLDEN[code]["user_message"]
    assert answer["meta"] == {
        "key": "user/profile/user_tuff/favorite_color",
        "query_id": "q",
        "timestamp": "2025-11-29T12:00:00.000Z",
        "trace_id": "t",
    }
    assert json.loads(json.dumps(answer)) == answer


def test_the_envelope_of_the_texts_own_example():
    answer = envelope(
        "SEM_NOT_FOUND",
        query_id="uuid",
        trace_id="trace-xxx",
        timestamp="2025-11-29T12:00:00Z",
        details={"key": "user/profile/user_tuff/favorite_color"},
    )
    assert answer["developer_message"] == ("SEM lookup for key user/profile/user_tuff/favorite_color returned empty.")
    assert answer["status"] == 400
    assert answer["severity"] == "info"


def _classes() -> list[type[errors.MaceError]]:
    found = [errors.MaceError]
    for kind in found:
        found.extend(kind.__subclasses__())
    return [kind for kind in found if kind.__module__ == "mace.core.errors"]


@pytest.mark.parametrize("kind", _classes(), ids=lambda kind: kind.__name__)
def test_every_exception_has_its_row(kind: type[errors.MaceError]):
    error = kind("why", "q-1") if kind is errors.LogInvalid else kind("why")
    assert kind.code in FAILURES
    assert error.user_message == FAILURES[kind.code].user_message
    assert str(error) == "why"
    assert error.details["reason"] == "why"


def test_an_exception_without_a_reason_speaks_the_developers_words():
    error = errors.NotFound(what="incident 7")
    assert str(error) == "incident 7 was not found."
    assert error.details == {"what": "incident 7"}


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [(errors.InvalidInput, ValueError), (errors.NotFound, LookupError), (errors.LogInvalid, ValueError)],
)
def test_broken_contracts_are_also_the_builtin_they_look_like(kind: type[Exception], builtin: type[Exception]):
    assert issubclass(kind, builtin)


def test_severities_are_the_four_of_the_text():
    assert [severity.value for severity in Severity] == ["info", "warning", "error", "critical"]
