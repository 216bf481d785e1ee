"""Golden tests of semantic memory: T7 to T11, T24, T29, T31, T32 of stage 0, F-PRIV-01 and F-FAIL-02 of stage 1.

Failures are real ones: the database refuses the row, or is full. Messages are exact strings.
"""

import hmac
import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

import places
from fact_helpers import COLOR, OHM, at_noon, event_id, full, kept_bytes, refusing, stream_of, types
from mace.core import seeds
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock

pytestmark = [pytest.mark.stage0, pytest.mark.golden, pytest.mark.critical]

MISSING = "I don’t have that information stored yet. If you want, tell me and I’ll remember it."
WRITE_FAILED = "I tried to save that but my memory failed. I might not remember this next time."
BLOCKED = "I can’t store or repeat that kind of sensitive personal information."
FULL = "My memory is full right now; I can’t store new information."
DENIED = "You don’t have permission to do that."

SSN = "123-45-6789"


@pytest.fixture
def clock() -> FrozenClock:
    return at_noon()


@pytest.fixture
def mace(place: places.Place, clock: FrozenClock) -> Iterator[Mace]:
    with place.open(clock=clock) as opened:
        yield opened


def failed(answer: dict[str, Any], code: str, message: str, status: int, severity: str) -> dict[str, Any]:
    """Check the whole answer of a failure, envelope included, and return the envelope."""
    assert answer["success"] is False
    assert answer["applied"] is False
    assert (answer["error_code"], answer["user_message"]) == (code, message)
    envelope: dict[str, Any] = answer["error"]
    assert (envelope["error_code"], envelope["user_message"]) == (code, message)
    assert (envelope["status"], envelope["severity"]) == (status, severity)
    assert envelope["developer_message"]
    assert set(envelope["meta"]) >= {"query_id", "timestamp", "trace_id"}
    return envelope


def test_T7_SEM_FAV_COLOR(mace: Mace):
    payload = {"value": "blue", "source": "user", "timestamp": "2025-11-29T12:00:00Z"}
    assert mace.sem_put(COLOR, payload) == {"success": True, "applied": True, "error_code": None}
    assert mace.sem_get(COLOR) == {
        "exists": True,
        "value": "blue",
        "source": "user",
        "last_updated": "2025-11-29T12:00:00.000000Z",
        "meta": {},
    }


@pytest.mark.parametrize("key", [COLOR, OHM])
def test_T8_SEM_MISS_and_T24_ERR_SEM_NOT_FOUND_MSG(mace: Mace, key: str):
    size = mace.describe()["events"]
    assert mace.sem_get(key) == {
        "exists": False,
        "value": None,
        "source": None,
        "last_updated": None,
        "meta": {},
        "error_code": "SEM_NOT_FOUND",
        "user_message": MISSING,
    }
    assert mace.describe()["events"] == size  # a read alone writes nothing


def test_T9_SEM_OVERWRITE(mace: Mace):
    for value, timestamp in (("green", "2025-11-29T11:00:00Z"), ("red", "2025-11-29T11:00:01Z")):
        assert mace.sem_put(COLOR, value, "user", timestamp)["applied"] is True
    assert mace.sem_get(COLOR)["value"] == "red"


def test_T10_SEM_WRITE_FAIL(mace: Mace, place: places.Place):
    mace.sem_put(COLOR, "green", "user")
    with refusing(place):
        answer = mace.sem_put(COLOR, "red", "user")
    envelope = failed(answer, "SEM_WRITE_FAIL", WRITE_FAILED, 500, "warning")
    assert COLOR in envelope["developer_message"]
    assert mace.sem_get(COLOR)["value"] == "green"  # no silent success, and nothing was lost
    assert len(mace.sem_history(COLOR)) == 1
    assert types(mace, stream_of(answer)) == [
        "JOB_OPENED",
        "SERVICE_UNAVAILABLE",
        "RETRY_ATTEMPT",
        "MEMORY_WRITE_FAIL",
    ]
    assert mace.sem_put(COLOR, "blue", "user")["success"] is True  # it works again
    assert mace.sem_get(COLOR)["value"] == "blue"


def test_T11_SEM_EXACT_READ(mace: Mace):
    mace.sem_put(COLOR, "blue", "user")
    assert mace.sem_get("user/profile/user_tuff/favourite_colour")["exists"] is False
    assert mace.sem_get("user/profile/user_tuff/favorite_colo")["exists"] is False
    assert mace.sem_get("user/profile/user_tuf/favorite_color")["exists"] is False
    resolved = mace.sem_resolve_alias("favourite colour", user_id="tuff")
    assert resolved == COLOR
    assert mace.sem_get(resolved)["value"] == "blue"


@pytest.mark.parametrize(
    "value",
    [
        SSN,
        "My card is 4111 1111 1111 1111, it runs out in May",
        {"contact": {"mail": "ann.smith@gmail.com"}},
        ["call me on +49 170 1234567"],
        "IBAN DE89 3704 0044 0532 0130 00",
    ],
)
def test_T29_ERR_PRIVACY_BLOCKED(mace: Mace, value: Any):
    mace.sem_put(COLOR, "blue", "user")
    answer = mace.sem_put(COLOR, value, "user")
    failed(answer, "PRIVACY_BLOCKED", BLOCKED, 403, "warning")
    assert mace.sem_get(COLOR)["value"] == "blue"  # a blocked put leaves the key as it was
    assert len(mace.sem_history(COLOR)) == 1


def test_T31_STORAGE_FULL(mace: Mace, place: places.Place):
    mace.sem_put(OHM, "V = I R", "system")
    with full(place, mace):
        answer = mace.sem_put(OHM, "x" * 16_000, "system")
        failed(answer, "STORAGE_FULL", FULL, 507, "critical")
        assert mace.sem_get(OHM)["value"] == "V = I R"
    assert len(mace.sem_history(OHM)) == 1
    assert mace.sem_put(OHM, "x" * 16_000, "system")["success"] is True
    assert "STORAGE_FULL" in types(mace, stream_of(answer))  # from the spill file, if the store could not take it then
    alerts = [event["payload"]["code"] for event in mace.events("system") if event["event_type"] == "ADMIN_ALERT"]
    assert alerts == ["STORAGE_FULL"]  # critical: at once


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("sem_delete", (COLOR, "user")),
        ("sem_delete", (COLOR, "system")),
        ("sem_delete", (COLOR, "agent:logic_v1")),
        ("sem_put", ("mace/config/router/default_depth", 9, "user")),
        ("sem_put", ("world/fact/ohms_law/definition", "wrong", "agent:logic_v1")),
    ],
)
def test_T32_PERMISSION_DENIED(mace: Mace, verb: str, arguments: tuple[Any, ...]):
    mace.sem_put(COLOR, "blue", "user")
    answer = getattr(mace, verb)(*arguments)
    envelope = failed(answer, "PERMISSION_DENIED", DENIED, 403, "warning")
    assert arguments[-1] in envelope["developer_message"]
    assert types(mace, stream_of(answer)) == ["JOB_OPENED", "PERMISSION_DENIED"]
    assert mace.sem_get(COLOR)["value"] == "blue"
    assert mace.sem_get(arguments[0])["value"] in ("blue", None)


@pytest.mark.stage1
def test_F_PRIV_01_PII_redaction(mace: Mace, place: places.Place):
    answer = mace.sem_put("user/profile/user_tuff/note", SSN, "user", job_seed="seed-1")
    failed(answer, "PRIVACY_BLOCKED", BLOCKED, 403, "warning")
    stream = seeds.job_id("seed-1")
    opened, flagged, blocked = mace.events(stream)
    assert [opened["event_type"], flagged["event_type"], blocked["event_type"]] == [
        "JOB_OPENED",
        "PII_FLAGGED",
        "PRIVACY_BLOCKED",
    ]
    for index, event in enumerate((opened, flagged, blocked)):
        assert event["event_id"] == event_id("seed-1", index, event["event_type"])
    server_key = bytes.fromhex(json.loads((place.folder / "keys.json").read_bytes())["hmac"][0]["key"])
    assert flagged["payload"]["pii_hash"] == hmac.new(server_key, (SSN + "seed-1").encode(), sha256).hexdigest()
    assert flagged["payload"]["pii_type"] == "us_ssn"
    assert flagged["payload"]["sensitivity"] == "high"
    assert flagged["payload"]["redaction_reason"] == "PII_DETECTED"
    assert mace.sem_get("user/profile/user_tuff/note")["exists"] is False
    assert mace.sem_history("user/profile/user_tuff/note") == []
    assert mace.sem_list("", "system_admin") == []
    kept = kept_bytes(place)
    assert flagged["payload"]["pii_hash"].encode() in kept
    assert SSN.encode() not in kept
    assert SSN not in json.dumps(answer)


@pytest.mark.stage1
@pytest.mark.parametrize("seed", ["seed-1", "seed-2", "f" * 64])
def test_F_FAIL_02_memory_write_deterministic_retry_and_fail(
    mace: Mace, place: places.Place, clock: FrozenClock, seed: str
):
    with refusing(place):
        answer = mace.sem_put(COLOR, "blue", "user", job_seed=seed)
    failed(answer, "SEM_WRITE_FAIL", WRITE_FAILED, 500, "warning")
    delay = int(sha256(seed.encode()).hexdigest(), 16) % 100
    assert clock.paused_ms == [delay]
    events = mace.events(seeds.job_id(seed))
    assert [event["event_type"] for event in events] == [
        "JOB_OPENED",
        "SERVICE_UNAVAILABLE",
        "RETRY_ATTEMPT",
        "MEMORY_WRITE_FAIL",
    ]
    for index, event in enumerate(events):
        assert event["event_id"] == event_id(seed, index, event["event_type"])
        assert event["job_seed"] == seed
    assert events[2]["payload"] == {"key": COLOR, "attempt_index": 1, "delay_ms": delay}
    assert events[3]["payload"]["key"] == COLOR
    assert mace.sem_get(COLOR)["exists"] is False
    assert mace.verify()["ok"]
