"""Results that become requests pass the gate of each; that nothing was found in a value is remembered, no more."""

from pathlib import Path
from typing import Any

import mace
from mace.settings import Settings

_PLAIN = {"text": "the parcel waits at the depot", "figures": [1, 2.5]}
_MAIL = {"text": "write to jane.roe@example.org about the parcel"}
_CUT = {"text": "write to [redacted] about the parcel"}


def _settings(folder: Path) -> Settings:
    return Settings(location=str(folder / "m"), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0)


def _flags(m: Any, job_id: str) -> int:
    return sum(event["event_type"] == "PII_FLAGGED" for event in m.events(job_id))


def test_what_a_call_returned_is_given_to_the_next_as_it_was_recorded(tmp_path: Path):
    sent: list[Any] = []

    @mace.program("chain")
    def chain(job: Any, given: Any) -> Any:
        def made(request: Any, result: Any) -> Any:
            def send(request: Any) -> Any:
                sent.append(request)
                return result

            return job.call("step", request, send, idempotent=True)

        state = made(_PLAIN, _PLAIN)
        state = made(state, {**_PLAIN, "text": "another text"})
        state = made(state, _MAIL)
        assert state == _CUT
        assert job.withheld == ["email"]
        state = made(_MAIL, _MAIL)  # the program has it by itself: cut again, on both ways
        assert state == _CUT
        return state

    with mace.open(settings=_settings(tmp_path), programs=[chain]) as m:
        answer = m.perform(chain, "go", user_id="ana")
        assert answer["status"] == "closed", answer["error"]
        assert sent == [_PLAIN, _PLAIN, {**_PLAIN, "text": "another text"}, _CUT]
        assert _flags(m, answer["job_id"]) == 3
        assert m.replay(answer["job_id"])["result"] == "MATCH"
        assert m.verify()["ok"]


def test_what_consent_lets_stay_in_a_result_is_not_clean_for_a_request(tmp_path: Path):
    sent: list[Any] = []

    @mace.program("stays")
    def stays(job: Any, given: Any) -> Any:
        state = job.call("read", _PLAIN, lambda _request: _MAIL, idempotent=True)
        assert state == _MAIL
        job.call("send", state, lambda request: sent.append(request) or _PLAIN)  # type: ignore[func-returns-value]
        return state

    with mace.open(settings=_settings(tmp_path), programs=[stays]) as m:
        consent = m.grant_consent("ana", "Keep my mail.", "job", "stays-1")
        answer = m.perform(stays, "go", user_id="ana", job_seed="stays-1", consent_id=consent["consent_id"])
        assert answer["status"] == "closed", answer["error"]
        assert sent == [_CUT]
        assert m.replay(answer["job_id"])["result"] == "MATCH"
