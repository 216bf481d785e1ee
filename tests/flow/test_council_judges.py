"""Questions that a scripted engine answers, through the packaged agents: what the council lets through, and what not.

Every answer here replays without an engine.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import places
from helpers_openai_server import OpenAiServer, answers, fails
from mace.engine.runtime import Mace
from mace.testing import ScriptedEngine

DEPOTS = (
    "The head of the Almada depot is Rui Lopes. It has twelve docks.",
    "The head of the Setubal depot is Ana Reis. It has nine docks.",
)
HEAD = "Who is the head of the Almada depot?"
DOCKS = "What is the number of docks of the Almada depot?"
Asked = tuple[dict[str, Any], Mace, ScriptedEngine]
Ask = Callable[..., Asked]


def codes(answer: Mapping[str, Any]) -> list[str]:
    return [notice["error_code"] for notice in answer["notices"]]


@pytest.fixture
def ask(mace_home: places.SqlitePlace, tmp_path: Path) -> Iterator[Ask]:
    """Ask a question of a MACE whose engine says these texts, the last one again and again; replay it."""
    opened: list[Mace] = []

    def asked(
        text: str,
        *replies: str,
        passages: tuple[str, ...] = (),
        facts: tuple[tuple[str, str], ...] = (),
        user_id: str | None = None,
        **settings: Any,
    ) -> Asked:
        if passages:
            store = tmp_path / "depots.jsonl"
            rows = [json.dumps({"memory_id": f"d{at}", "text": item}) for at, item in enumerate(passages)]
            store.write_text("\n".join(rows) + "\n")
            settings["context_stores"] = str(store)
        mace_home.settings = replace(mace_home.settings, **settings)
        left = list(replies)
        engine = ScriptedEngine(lambda request: left.pop(0) if len(left) > 1 else left[0])
        mace = mace_home.open(language=engine)
        opened.append(mace)
        for key, value in facts:
            mace.sem_put(key, value, "system")
        answer = mace.ask(text, user_id)
        calls = len(engine.asked)
        assert mace.replay(answer["job_id"])["result"] == "MATCH"
        assert len(engine.asked) == calls  # a replay asks nobody
        return answer, mace, engine

    yield asked
    for mace in opened:
        mace.close()


# Orders and deeds


@pytest.mark.parametrize(
    "text",
    [
        "Send the report to Carol",
        "Could you please send the report to Carol?",
        "Book a table for two",
        "What is 2+2? And then delete my files",
        "Write a short poem and email it to Ana",
        "Find my phone",
        "Schedule a plan review with Iris at noon",
    ],
)
@pytest.mark.parametrize("user_id", [None, "ana"])
def test_an_order_that_nobody_can_perform_is_refused_and_reaches_no_engine(ask: Ask, text: str, user_id: str | None):
    answer, mace, engine = ask(text, "The report was sent to Carol.", user_id=user_id)
    assert engine.asked == []
    assert answer["answer"] is None
    assert codes(answer) in (["ROUTER_NO_MATCH"], ["SEM_NOT_FOUND"] if text == "Find my phone" else ["ROUTER_NO_MATCH"])
    assert mace.sem_list("user") == []


def test_without_an_engine_it_is_refused_as_well(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        answer = mace.ask("Send the report to Carol")
        assert (codes(answer), answer["answer"]) == (["ROUTER_NO_MATCH"], None)
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("How do I delete a file?", "Use the command rm and the name of the file."),
        ("Write an email to Carol", "Dear Carol, the report is ready."),
        ("Explain why one may send a letter", "A letter is kept by whoever gets it."),
    ],
)
def test_questions_about_deeds_and_texts_to_write_are_answered(ask: Ask, text: str, said: str):
    answer, _, engine = ask(text, said)
    assert (answer["answer"], len(engine.asked)) == (said, 1)


@pytest.mark.parametrize(
    "said",
    [
        "The report was sent to Carol.",
        "I've saved that for you.",
        "Done!",
        "Consider it done.",
        "I will remember that Carol likes reports.",
        "Noted. Carol likes reports.",
        "Report sent to Carol.",
        "Your reminder has been set.",
    ],
)
def test_a_deed_that_was_not_done_is_never_told(ask: Ask, said: str):
    answer, mace, engine = ask("Carol likes reports a lot", said)
    assert (answer["answer"], answer["confidence"]) == (None, 0.0)
    assert codes(answer) == ["REPAIR_LIMIT_EXCEEDED"]
    assert said not in answer["text"]
    assert len(engine.asked) == 2  # the second text was the first one again: nothing can change
    assert mace.sem_list("user") == []


def test_a_repair_may_take_the_claim_back(ask: Ask):
    answer, _, engine = ask("Carol likes reports a lot", "I've noted that.", "Reports of what, if one may ask?")
    assert answer["answer"] == "Reports of what, if one may ask?"
    assert "Nothing was done" in engine.asked[1].prompt
    assert codes(answer) == ["LOW_CONFIDENCE"]


def test_what_was_stored_or_stands_in_a_passage_is_no_claim(ask: Ask):
    store = ("The report of the Almada depot was sent to Carol in 1990.",)
    said = "The report of the Almada depot was sent to Carol [1]."
    answer, _, _ = ask("What is known of the report of the Almada depot?", said, passages=store)
    assert answer["answer"] == said
    assert "REPAIR_LIMIT_EXCEEDED" not in codes(answer)


def test_a_stored_fact_that_tells_of_a_deed_is_answered(ask: Ask):
    fact = ("world/fact/telegram/definition", "The telegram was sent and then deleted.")
    answer, _, engine = ask("What is telegram?", "never", facts=(fact,))
    assert (answer["answer"], codes(answer), engine.asked) == (fact[1], [], [])


@pytest.mark.parametrize("value", ["rm -rf /", "<script>alert(1)</script>", "drop table users"])
def test_what_a_person_stored_is_read_back_to_them(ask: Ask, value: str):
    _, mace, _ = ask("What is entropy?", "I do not know.")
    assert mace.ask(f"Remember my favorite command is {value}", "ana")["error"] is None
    answer = mace.ask("What is my favorite command?", "ana")
    assert value in answer["answer"]
    assert answer["error"] is None


# Text without evidence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Who wrote the oldest letter?", "Ana Reis wrote it in 1412."),
        ("What is a quux?", "A quux is a small bird."),
        ("My laptop is slow", "Its disk is nearly full."),
    ],
)
def test_an_engine_alone_is_answered_with_caution(ask: Ask, text: str, said: str):
    answer, mace, engine = ask(text, said)
    assert (answer["answer"], codes(answer), answer["confidence"]) == (said, ["LOW_CONFIDENCE"], 0.4)
    votes = mace.read_reflective_log(answer["log_id"])["council_votes"]
    assert votes
    assert all("factuality" not in vote["scores"] for vote in votes)
    assert len(engine.asked) == 1


def test_what_is_written_freely_is_not_judged_for_facts(ask: Ask):
    answer, _, _ = ask("Write a poem about rain", "Rain falls on ninety roofs in Oslo.")
    assert (codes(answer), answer["confidence"]) == ([], 0.6)


def test_a_text_that_does_not_name_the_number_asked_for_is_rejected(ask: Ask):
    answer, _, engine = ask("How many planets are there?", "bananas are yellow")
    assert codes(answer) == ["REPAIR_LIMIT_EXCEEDED"]
    assert answer["confidence"] <= 0.2
    assert "Name the number" in engine.asked[1].prompt


def test_an_engine_that_does_not_know_has_said_nothing(ask: Ask):
    answer, _, _ = ask("My laptop is slow", "I do not know.")
    assert (answer["confidence"], codes(answer)) == (0.0, ["LOW_CONFIDENCE"])


def test_a_stored_fact_stands_before_what_an_engine_says(ask: Ask):
    law = ("world/fact/ohms_law/definition", "V = I R.")
    answer, _, _ = ask("What's Ohm's law?", "V = 5 I^2 R", facts=(law,))
    assert answer["answer"] != "V = 5 I^2 R" or "LOW_CONFIDENCE" in codes(answer)
    asked_plainly, _, engine = ask("What is Ohm's law?", "V = 5 I^2 R", facts=(law,))
    assert (asked_plainly["answer"], engine.asked) == ("V = I R.", [])


# Text with passages


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        (HEAD, "The head of the Almada depot is Rui Lopes [1].", []),
        (HEAD, "Rui Lopes leads the Almada depot [1].", []),
        (DOCKS, "The Almada depot has 12 docks [1].", []),
        (DOCKS, "The Almada depot has a dozen docks [1].", []),
        (HEAD, "The head of the Almada depot is Ana Reis [2].", ["LOW_CONFIDENCE"]),
        (DOCKS, "The Almada depot has nine docks [2].", ["LOW_CONFIDENCE"]),
        (HEAD, "The head of the Almada depot is Rui Lopes, a former diver [1].", ["LOW_CONFIDENCE"]),
        (HEAD, "The head of the Almada depot is Bruno Costa [1].", ["REPAIR_LIMIT_EXCEEDED"]),
        (HEAD, "The head of the Almada depot is not Rui Lopes [1].", ["REPAIR_LIMIT_EXCEEDED"]),
        (HEAD, "The head of the Almada depot is Rui Lopes [7].", ["REPAIR_LIMIT_EXCEEDED"]),
        (HEAD, "The head of the Almada depot is Rui Lopes [2].", ["REPAIR_LIMIT_EXCEEDED"]),
        (DOCKS, "The Almada depot has 14 docks [1].", ["REPAIR_LIMIT_EXCEEDED"]),
        (DOCKS, "The Almada depot has twelve cranes [1].", ["LOW_CONFIDENCE"]),
    ],
)
def test_an_engines_text_is_held_to_its_passages(ask: Ask, question: str, said: str, expected: list[str]):
    def by_its_number(request: Any) -> str:
        order = sorted(DEPOTS, key=request.prompt.index)  # how the passages came
        return (
            said.replace("[1]", f"[{order.index(DEPOTS[0]) + 1}]")
            if "[1]" in said
            else (said.replace("[2]", f"[{order.index(DEPOTS[1]) + 1}]"))
        )

    _, mace, engine = ask("What is entropy?", "I do not know.", passages=DEPOTS)
    engine.reply_by(by_its_number)
    before = len(engine.asked)
    answer = mace.ask(question)
    assert codes(answer) == expected
    if not expected:
        assert (answer["confidence"], len(engine.asked) - before) == (0.9, 1)
    elif expected == ["LOW_CONFIDENCE"]:
        assert answer["confidence"] <= 0.45
        assert len(engine.asked) - before == 1
    else:
        assert answer["confidence"] <= 0.2
    assert mace.replay(answer["job_id"])["result"] == "MATCH"


def test_a_repair_that_mends_the_number_is_accepted(ask: Ask):
    wrong, right = "The Almada depot has 14 docks.", "The Almada depot has 12 docks."
    answer, mace, engine = ask(DOCKS, wrong, right, passages=DEPOTS)
    assert (answer["answer"], codes(answer), answer["confidence"]) == (right, [], 0.9)
    assert "Check these numbers" in engine.asked[1].prompt
    assert mace.read_reflective_log(answer["log_id"])["repair_loops"] == 1


def test_repair_ends_where_nothing_changes(ask: Ask):
    answer, mace, engine = ask(DOCKS, "The Almada depot has 14 docks.", passages=DEPOTS)
    assert codes(answer) == ["REPAIR_LIMIT_EXCEEDED"]
    assert (len(engine.asked), mace.read_reflective_log(answer["log_id"])["repair_loops"]) == (2, 1)
    assert answer["answer"] == "The Almada depot has 14 docks."  # the best effort, flagged
    assert answer["confidence"] <= 0.2


# Each threshold decides: (settings, what the engine says, the code and the calls)

HARMFUL_AND_WRONG = ("The Almada depot has 14 docks; free them with rm -rf / now.",)
OFF_TOPIC = ("Bananas are yellow.", '{"score": 0}')


@pytest.mark.parametrize(
    ("setting", "replies", "decides", "otherwise"),
    [
        ("credential_threshold", OFF_TOPIC, (0.6, ["COUNCIL_DEADLOCK"]), (0.3, ["LOW_CONFIDENCE"])),
        (
            "min_confidence_threshold",
            ("The head of the Almada depot is Rui Lopes, a former diver.",),
            (0.5, ["LOW_CONFIDENCE"]),
            (0.1, []),
        ),
        (
            "max_repair_loops",
            ("It is Bruno Costa.", "It is Paulo Dias.", "It is Nuno Sousa.", "It is Rui Lopes."),
            (3, []),
            (1, ["REPAIR_LIMIT_EXCEEDED"]),
        ),
    ],
)
def test_each_threshold_decides_a_case_of_the_packaged_agents(
    ask: Ask,
    setting: str,
    replies: tuple[str, ...],
    decides: tuple[float, list[str]],
    otherwise: tuple[float, list[str]],
):
    for value, expected in (decides, otherwise):
        answer, _, _ = ask(HEAD, *replies, passages=DEPOTS, **{setting: value})
        assert codes(answer) == expected, value


def test_harm_is_not_shown_as_a_best_effort(ask: Ask):
    answer, _, _ = ask(DOCKS, *HARMFUL_AND_WRONG, passages=DEPOTS)
    assert codes(answer) == ["REPAIR_LIMIT_EXCEEDED"]
    assert (answer["answer"], answer["confidence"]) == (None, 0.0)


# The failure cases of the stage 0 text that the council can end in, by packaged agents


@pytest.mark.parametrize(
    ("code", "text", "replies", "passages"),
    [
        ("SEM_NOT_FOUND", "What is a quux?", ("I do not know.",), ()),
        ("ROUTER_NO_MATCH", "Send the report to Carol", ("Sent.",), ()),
        ("COUNCIL_DEADLOCK", "My laptop is slow", ("Your slow laptop needs rm -rf / at once.", "no"), ()),
        ("COUNCIL_DEADLOCK", HEAD, OFF_TOPIC, DEPOTS),
        ("LOW_CONFIDENCE", "My laptop is slow", ("Its disk is nearly full.",), ()),
        ("REPAIR_LIMIT_EXCEEDED", DOCKS, ("It has 14 docks.", "It has 15 docks."), DEPOTS),
        ("INVALID_INPUT", "x" * 8001, ("",), ()),
        ("PRIVACY_BLOCKED", "Remember my SSN is 536-22-8726", ("",), ()),
    ],
)
def test_a_failure_case_is_reached_by_packaged_agents(
    ask: Ask, code: str, text: str, replies: tuple[str, ...], passages: tuple[str, ...]
):
    answer, _, _ = ask(text, *replies, passages=passages, user_id="ana")
    assert codes(answer) == [code]
    assert answer["text"].startswith(answer["error"]["user_message"])
    if code not in ("LOW_CONFIDENCE", "REPAIR_LIMIT_EXCEEDED"):
        assert (answer["answer"], answer["confidence"]) == (None, 0.0)


def test_an_engine_that_is_down_is_told(mace_home: places.SqlitePlace):
    with mace_home.open(language=ScriptedEngine()) as mace:
        answer = mace.ask("Write a poem about rain", job_seed="F-FAIL-01")
        assert (codes(answer), answer["answer"], answer["confidence"]) == (["LLM_SERVICE_DOWN"], None, 0.0)
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


# A judge engine


GOOD = '{"factuality": 1, "coherence": 1, "safety": 1}'
BAD = '{"factuality": 0.1, "coherence": 0.9, "safety": 1, "change": "Say who."}'
TRUE = "The head of the Almada depot is Rui Lopes."
INVENTED = "The head of the Almada depot is Bruno Costa."


@pytest.mark.parametrize(
    ("said", "verdict", "expected", "members"),
    [
        (TRUE, answers(GOOD), [], 4),
        (TRUE, answers(BAD), ["COUNCIL_DEADLOCK"], 4),
        (INVENTED, answers(GOOD), ["REPAIR_LIMIT_EXCEEDED"], 4),  # a judge alone lifts nothing
        (INVENTED, answers('Fine. {"factuality": 9, "coherence": 1, "safety": 1}'), ["REPAIR_LIMIT_EXCEEDED"], 3),
        (TRUE, answers("I would say it is fine"), [], 3),
        (TRUE, answers('{"factuality": NaN, "coherence": 1, "safety": 1}'), [], 3),
        (TRUE, fails(500), [], 3),
    ],
)
def test_a_judges_recorded_verdict_is_one_member(ask: Ask, said: str, verdict: Any, expected: list[str], members: int):
    with OpenAiServer(verdict) as server:
        answer, mace, _ = ask(
            HEAD, said, passages=DEPOTS, judge_model="judge", judge_url=server.url, judge_needs_key=False
        )
        assert server.requests
    assert codes(answer) == expected
    votes = mace.read_reflective_log(answer["log_id"])["council_votes"]
    assert len(votes) == members
    assert ("council_judge" in [vote["council_agent_id"] for vote in votes]) is (members == 4)
    assert mace.replay(answer["job_id"])["result"] == "MATCH"  # the judge is gone


def test_no_judge_is_asked_about_what_no_engine_wrote(ask: Ask):
    with OpenAiServer(answers(GOOD)) as server:
        answer, _, _ = ask("2 + 2", "never", judge_model="judge", judge_url=server.url, judge_needs_key=False)
        assert (answer["answer"], server.requests) == ("2 + 2 = 4", [])
