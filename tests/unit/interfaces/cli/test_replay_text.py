"""The results of replays in words: what each means, and what to do about it."""

from typing import Any, get_args

import click
import pytest

from mace.core.answers import CallView, ReplayAnswer
from mace.core.answers.choices import ReplayResult
from mace.interfaces.cli import jobs, replay


def answer(result: str, **difference: Any) -> ReplayAnswer:
    made: Any = {"result": result, "job_id": "J", "first_difference": difference or None, "incident_id": None}
    return made  # type: ignore[no-any-return]


def test_every_result_has_a_meaning_and_all_but_a_match_something_to_do():
    results = set(get_args(ReplayResult))
    assert set(replay._MEANING) == results
    assert set(replay._TO_DO) == results - {"MATCH"}


@pytest.mark.parametrize(
    ("difference", "is_block"),
    [({"kind": "block", "known_kinds": ["ask"]}, True), ({"program": "errand", "version": "3"}, False), ({}, False)],
)
def test_only_a_block_needs_no_program(difference: dict[str, Any], is_block: bool):
    assert replay.is_block(answer("NO_PROGRAM", **difference)) is is_block
    assert not replay.is_block(answer("MATCH", **difference))


@pytest.mark.parametrize(
    ("state", "to_do"),
    [
        ("interrupted", "take it up again with mace jobs resume"),
        ("running", "wait for its end"),
        ("waiting", "wait for its end"),
        ("abandoned", "nothing is left to play"),
        ("cancelled", "nothing is left to play"),
    ],
)
def test_a_job_without_an_end_says_how_it_stands(state: str, to_do: str):
    meaning = f"the job is {state}: it has no end that could be compared"
    assert replay.told(answer("MISSING_PERSISTED_AGENT_OUTPUT"), state) == (meaning, to_do)


@pytest.mark.parametrize("result", ["NO_PROGRAM", "INPUT_ERASED", "REPLAY_DIVERGENCE"])
def test_a_refusal_says_what_is_the_matter_and_what_to_do(result: str):
    told = replay._refusal([answer(result)], 1, {"J": None})
    assert told["error_code"] == "CONFLICT" and told["meta"]["reason"].startswith(f"{result}: ")
    assert told["user_message"].casefold() == f"{replay._MEANING[result]}.".casefold()
    assert told["developer_message"] == f"{result}. To do: {replay._TO_DO[result]}."
    of_many = replay._refusal([answer(result)], 3, {"J": None})
    assert of_many["user_message"] == f"1 of 3 jobs were not replayed as they ran. Job J: {replay._MEANING[result]}."


def test_a_block_is_said_to_be_checked():
    first, second = map(click.unstyle, replay._text(answer("NO_PROGRAM", kind="block"), None))
    assert first == "CHECKED  J" and "its whole record was checked" in second


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("call send (1) failed: nobody knows", "call send (1) failed: nobody knows (unknown_result)"),
        ("call look (0) failed: it raised", "call look (0) failed: it raised"),  # that one did not fail
        ("no such key", "no such key"),
        (None, ""),
    ],
)
def test_a_failed_call_is_named_with_its_number_and_kind(reason: str | None, said: str):
    calls: list[CallView] = [
        {
            "number": number,
            "branch": "",
            "name": name,
            "state": "done",
            "idempotent": False,
            "attempts": 1,
            "started_at": "2026-03-01T12:00:00.000Z",
            "elapsed_ms": 1,
            "error": error,  # type: ignore[typeddict-item]
        }
        for number, name, error in ((0, "look", None), (1, "send", "unknown_result"))
    ]
    envelope: Any = {"meta": {"reason": reason}}
    assert jobs.why(envelope, calls) == said
