"""The agents as pure functions: what they ask for, and what they make of the answers."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from mace.agents import knowledge
from mace.agents.asking import Decline, Effect, Reply, Result, Task
from mace.agents.directory import AGENTS, TRUST
from mace.agents.evidence import Evidence
from mace.agents.profile import is_reply_1
from mace.agents.router import AGENTS as ROUTED
from mace.agents.rules import DECISIONS
from mace.agents.verification import verify_answer

KEY = "user/profile/user_ana/name"
MISS = Result({"key": KEY, "exists": False, "value": None, "version": 0, "value_hash": None})


def found(value: Any, key: str = KEY) -> Result:
    return Result({"key": key, "exists": True, "value": value, "version": 1, "value_hash": "h"})


def said(text: str, **changes: Any) -> Result:
    answer = {"text": text, "input_tokens": 7, "output_tokens": 3, "provider": "p", "model": "m"}
    return Result({**answer, **changes})


DOWN = Result({"reason": "p: server", "attempts": [{"kind": "server"}], "api_key_status": "ok"}, "LLM_SERVICE_DOWN")


def drive(steps: Any, *results: Result) -> tuple[Any, list[Effect]]:
    """Run an agent on these results; return what it handed back and what it asked for."""
    if not isinstance(steps, Generator):
        return steps, []
    effects: list[Effect] = []
    waiting = list(results)
    given: Result | None = None
    while True:
        try:
            effects.append(steps.send(given))  # type: ignore[arg-type]
        except StopIteration as stop:
            assert not waiting, "it did not ask for everything"
            return stop.value, effects
        given = waiting.pop(0)


def ask(agent: str, text: str, *results: Result, **task: Any) -> tuple[Any, list[Effect]]:
    return drive(AGENTS[agent](Task(text=text, **task)), *results)


def ask_first(agent: str, text: str, *results: Result, **task: Any) -> tuple[Any, list[Effect]]:
    """Ask the first version of an agent."""
    return drive(DECISIONS[agent][1](Task(text=text, **task)), *results)


def test_every_routed_agent_is_there_and_trusted():
    assert set(AGENTS) == set(ROUTED) - {"verification_agent"}  # that one is asked by the council only
    assert set(TRUST) == set(ROUTED)
    assert all(0 < trust <= 1 for trust in TRUST.values())


class TestProfile1:
    """As it was first: what was decided so is decided so again."""

    def test_reads(self):
        reply, [effect] = ask_first("profile_agent", "What is my name?", found("Ana"), user_id="ana")
        assert effect == Effect("read_profile", {"phrase": "name", "attribute": "name", "user_id": "ana"})
        assert (reply.text, reply.confidence, reply.failed) == ("Your name is Ana.", 1.0, None)
        assert reply.evidence == (Evidence(kind="fact", ref=KEY, text="name Ana"),)

    def test_a_miss_says_where_a_reply_belongs(self):
        reply, _ = ask_first("profile_agent", "What is my name?", MISS, user_id="ana")
        assert (reply.text, reply.failed, reply.expects_key, dict(reply.details)) == (
            None,
            "SEM_NOT_FOUND",
            KEY,
            {"key": KEY},
        )

    def test_who_am_i_is_the_name(self):
        reply, [effect] = ask_first("profile_agent", "Who am I?", found("Ana"), user_id="ana")
        assert (effect.request["attribute"], reply.text) == ("name", "Your name is Ana.")

    def test_writes(self):
        reply, [effect] = ask_first(
            "profile_agent", "My name is Ana", Result({"key": KEY, "applied": True}), user_id="ana"
        )
        assert effect.writes
        assert effect.request == {"phrase": "name", "attribute": "name", "value": "Ana", "user_id": "ana"}
        assert reply.text == "I’ll remember that your name is Ana."
        assert reply.evidence[0].kind == "operation"

    def test_never_says_saved_before_it_is(self):
        failed = Result({"key": KEY, "reason": "disk"}, "SEM_WRITE_FAIL")
        reply, _ = ask_first("profile_agent", "My name is Ana", failed, user_id="ana")
        assert (reply.text, reply.failed, reply.evidence) == (None, "SEM_WRITE_FAIL", ())

    @pytest.mark.parametrize("expected_key", [None, KEY])
    def test_redacted_data_is_not_stored(self, expected_key: str | None):
        reply, effects = ask_first("profile_agent", "My email is [redacted]", user_id="ana", expected_key=expected_key)
        assert (reply.failed, effects) == ("PRIVACY_BLOCKED", [])

    def test_forgetting_asks(self):
        opened = Result({"request_id": "r-1", "key": KEY})
        reply, [effect] = ask_first("profile_agent", "Forget my name", opened, user_id="ana")
        assert (effect.kind, effect.writes) == ("request_deletion", True)
        assert "r-1" in reply.text

    @pytest.mark.parametrize(
        ("text", "user_id"), [("What is my name?", None), ("my brother said his name is fine", "ana")]
    )
    def test_declines(self, text: str, user_id: str | None):
        reply, effects = ask_first("profile_agent", text, user_id=user_id)
        assert isinstance(reply, Decline) and effects == []

    @pytest.mark.parametrize(
        ("text", "is_one"),
        [
            ("12 May", True),
            ("It's blue.", True),
            ("My name is Ana", True),
            ("What is my name?", False),
            ("what is my name", False),
            ("really?  ", False),
            ("forget my name", False),
            ("Who am I", False),
        ],
    )
    def test_what_can_be_a_reply(self, text: str, is_one: bool):
        assert is_reply_1(text) is is_one

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("blue", "blue"),
            ("It's blue.", "blue"),
            ("it is blue", "blue"),
            ("They're blue and red.", "blue and red"),
            ("that is blue!", "blue!"),
            ("“blue”", "blue"),
            ("Its name is blue", "Its name is blue"),
            ("I think it is blue", "I think it is blue"),
            ("Washington D.C.", "Washington D.C."),
        ],
    )
    def test_a_reply_is_stored_as_it_was_said(self, text: str, value: str):
        done = Result({"key": KEY, "applied": True})
        _, [effect] = ask_first("profile_agent", text, done, user_id="ana", expected_key=KEY)
        assert effect == Effect("write_fact", {"key": KEY, "value": value, "user_id": "ana"}, writes=True)


class TestOperational:
    def test_nobody_to_remember_it_for(self):
        reply, effects = ask_first("operational_agent", "Remember my name is Ana")
        assert (reply.failed, effects) == ("INVALID_INPUT", [])

    @pytest.mark.parametrize("text", ["Remember my name is Ana", "remember that I live in Porto", "Delete my name"])
    def test_nobody_was_named_says_so(self, text: str):
        reply, effects = ask("operational_agent", text)
        assert (reply.text, reply.failed, effects) == (None, "USER_NOT_NAMED", [])

    def test_orders_about_memory_are_the_profiles(self):
        done = Result({"key": KEY, "applied": True})
        reply, [effect] = ask("operational_agent", "Save Ana as my name", done, user_id="ana")
        assert (effect.request["value"], reply.failed) == ("Ana", None)

    def test_what_needs_tools_is_declined(self):
        reply, effects = ask("operational_agent", "Delete all files", user_id="ana")
        assert isinstance(reply, Decline) and effects == []


NOWHERE = Result({"found": []})


def known(subject: str, entity: str, *attributes: str) -> Result:
    stored = {"subject": subject, "entity": entity, "attributes": list(attributes), "alias": None, "by_alias": False}
    return Result({"found": [stored]})


class TestKnowledge:
    FACT = "world/fact/ohms_law/definition"

    def test_facts_first(self):
        reply, [effect] = ask("knowledge_agent", "What is Ohm's law?", found("V = I R.", self.FACT))
        assert effect == Effect("read_knowledge", {"subject": "Ohm's law", "attribute": "definition"})
        assert (reply.text, reply.evidence[0].ref) == ("V = I R.", self.FACT)

    def test_in_other_words_too(self):
        stored = known("Ohm's law", "world/fact/ohms_law", "definition", "formula")
        reply, [find, read] = ask("knowledge_agent", "What does Ohm's law say?", stored, found("V = I R.", self.FACT))
        assert find.kind == "find_knowledge" and "Ohm's law" in find.request["subjects"]
        assert read == Effect("read_fact", {"key": self.FACT})
        assert (reply.text, reply.evidence[0].ref) == ("V = I R.", self.FACT)

    def test_a_bare_value_gets_its_name(self):
        stored = known("pi", "world/fact/pi", "definition", "value")
        reply, _ = ask("knowledge_agent", "What is the value of pi?", stored, found("3.14159", "world/fact/pi/value"))
        assert reply.text == "Pi, value: 3.14159"

    def test_then_context(self):
        passages = Result({"items": [{"ref": "m1", "text": "A quux is a bird.", "score": 0.8}]})
        reply, effects = ask("knowledge_agent", "What does quux mean?", NOWHERE, passages)
        assert [effect.kind for effect in effects] == ["find_knowledge", "read_context"]
        assert (reply.text, reply.confidence) == ("A quux is a bird.", 0.8)
        assert reply.evidence == (Evidence(kind="context", ref="m1", text="A quux is a bird.", score=0.8),)

    def test_then_the_engine_with_its_sources(self):
        passages = Result({"items": [{"ref": "m1", "text": "A quux is a bird.", "score": 0.8}]})
        results = (NOWHERE, passages, said("A quux is a bird [1]."))
        reply, effects = ask("knowledge_agent", "What does quux mean?", *results, has_engine=True)
        assert "[1] A quux is a bird." in effects[2].request["prompt"]
        assert [item.kind for item in reply.evidence] == ["context", "model"]
        assert reply.tokens == 10

    @pytest.mark.parametrize(
        ("results", "has_engine"),
        [
            ((NOWHERE, Result({"items": []})), False),
            ((NOWHERE, Result({}, "DATA_UNAVAILABLE")), False),
            ((NOWHERE, Result({"items": []}), said("I don’t know.")), True),
            ((NOWHERE, Result({"items": [{"ref": "m", "text": "t", "score": 0.5}]}), said("I do not know.")), True),
        ],
        ids=["nothing", "no context", "engine does not know", "engine finds nothing in passages"],
    )
    def test_else_it_does_not_know(self, results: tuple[Result, ...], has_engine: bool):
        reply, _ = ask("knowledge_agent", "What does quux mean?", *results, has_engine=has_engine)
        assert (reply.text, reply.failed) == (None, "SEM_NOT_FOUND")

    def test_an_attribute_that_is_not_stored_is_named(self):
        stored = known("pi", "world/fact/pi", "definition")
        reply, _ = ask("knowledge_agent", "Where is pi?", stored, Result({"items": []}))
        assert (reply.text, reply.failed, reply.details["key"]) == (None, "SEM_NOT_FOUND", "world/fact/pi/location")

    def test_a_value_of_another_kind_does_not_answer(self):
        stored = known("Ada", "world/fact/ada", "born")
        year = found("1815", "world/fact/ada/born")
        reply, _ = ask("knowledge_agent", "Where was Ada born?", stored, year, Result({"items": []}))
        assert (reply.text, reply.failed) == (None, "SEM_NOT_FOUND")

    def test_what_is_not_about_the_world_is_declined(self):
        reply, effects = ask("knowledge_agent", "What is my favorite tree?", Result({"items": []}))
        assert isinstance(reply, Decline) and [effect.kind for effect in effects] == ["read_context"]

    def test_for_the_fallback_an_engine_is_asked_only_with_passages(self):
        question = knowledge.world_question("How tall is a quux?")
        task = Task(text="How tall is a quux?", has_engine=True)
        reply, effects = drive(knowledge.answer_world(task, question), NOWHERE, Result({"items": []}))
        assert (reply, [effect.kind for effect in effects]) == (None, ["find_knowledge", "read_context"])
        reply, _ = drive(
            knowledge.answer_world(replace(task, has_engine=False), question), NOWHERE, Result({"items": []})
        )
        assert (reply.failed, reply.details["key"]) == ("SEM_NOT_FOUND", "world/fact/quux/height")

    def test_an_engine_that_is_down_might_have_known(self):
        reply, _ = ask("knowledge_agent", "What does quux mean?", NOWHERE, Result({"items": []}), DOWN, has_engine=True)
        assert (reply.text, reply.failed) == (None, "LLM_SERVICE_DOWN")

    def test_with_the_engine_down_a_passage_is_quoted_and_that_is_said(self):
        passages = Result({"items": [{"ref": "m", "text": "A quux is a bird.", "score": 0.5}]})
        reply, _ = ask("knowledge_agent", "What does quux mean?", NOWHERE, passages, DOWN, has_engine=True)
        assert (reply.text, reply.failed) == ("A quux is a bird.", "LLM_SERVICE_DOWN")

    def test_a_store_that_is_down_is_told_as_such(self):
        down = Result({"key": None, "reason": "gone"}, "DATA_UNAVAILABLE")
        reply, _ = ask("knowledge_agent", "What does quux mean?", down)
        assert reply.failed == "DATA_UNAVAILABLE"


class TestLanguage:
    @pytest.mark.parametrize("agent", ["creative_agent", "strategy_agent", "generic_agent"])
    def test_writes_with_an_engine(self, agent: str):
        reply, [effect] = ask(agent, "Do it", said("<think>hm</think>Done."), has_engine=True)
        assert effect.kind == "complete" and effect.request["prompt"] == "Do it"
        assert (reply.text, reply.tokens) == ("Done.", 10)
        assert reply.evidence[0].kind == "model" and reply.evidence[0].ref == "p/m"

    @pytest.mark.parametrize(
        ("agent", "results", "failed"),
        [
            ("creative_agent", (DOWN,), "LLM_SERVICE_DOWN"),
            ("strategy_agent", (DOWN,), "LLM_SERVICE_DOWN"),
            ("generic_agent", (), "ROUTER_NO_MATCH"),
        ],
    )
    def test_without_one_nothing_is_made_up(self, agent: str, results: tuple[Result, ...], failed: str):
        reply, _ = ask(agent, "Do it", *results)
        assert (reply.text, reply.failed) == (None, failed)

    def test_a_failed_engine_says_why(self):
        reply, _ = ask("creative_agent", "Do it", DOWN, has_engine=True)
        assert (reply.failed, reply.details["api_key_status"]) == ("LLM_SERVICE_DOWN", "ok")

    def test_empty_words_are_no_answer(self):
        reply, _ = ask("creative_agent", "Do it", said("<think>nothing else</think>"), has_engine=True)
        assert isinstance(reply, Decline)

    def test_repairs_say_what_is_to_be_changed(self):
        task = {"suggestions": ("Name a source.",), "previous": "Old.", "has_engine": True}
        _, [effect] = ask("creative_agent", "Do it", said("New."), **task)
        assert "Old." in effect.request["prompt"] and "- Name a source." in effect.request["prompt"]


class TestMathematics:
    def test_plain_arithmetic_needs_nobody(self):
        reply, effects = ask("math_agent", "12 + 30")
        assert (reply.text, effects) == ("12 + 30 = 42", [])
        assert reply.evidence[0].kind == "computation"

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("what is 0.4221165755827173 * 2", "0.4221165755827173*2 = 0.8442331511654346"),
            ("(0.4221165755827173 - 1) / 7", "(0.4221165755827173 - 1)/7 ≈ -0.08255477492"),
            ("1/3 + 0.123456789012345", "1/3 + 0.123456789012345 ≈ 0.4567901223"),
            ("123456789012/1024", "123456789012/1024 = 30864197253/256 = 120563270.51953125"),
            ("2/3", "2/3 ≈ 0.6666666667"),
        ],
    )
    def test_decimals_are_said_as_decimals(self, text: str, said: str):
        reply, _ = ask("math_agent", text)
        assert (reply.text, "/1000000" in " ".join(reply.trace)) == (said, False)

    def test_the_rest_is_for_a_worker(self):
        for failed in ("AGENT_TIMEOUT", "AGENT_ERROR"):
            reply, [effect] = ask("math_agent", "Integrate x^2 dx", Result({"agent_id": "math_agent"}, failed))
            assert (effect.kind, reply.failed) == ("compute", failed)

    @pytest.mark.parametrize(
        ("text", "answer"), [("sum 1+2+3", "1 + 2 + 3 = 6"), ("What's the sum of 4 + 5?", "4 + 5 = 9")]
    )
    def test_the_word_sum_may_say_what_the_signs_say(self, text: str, answer: str):
        reply, effects = ask("math_agent", text)
        assert (reply.text, effects) == (answer, [])

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("8/2(2+2)", "it can be read in two ways; parentheses would tell"),
            ("1,5 + 2", "a comma can be read in two ways; write decimals with a point, as in 1.5"),
            ("What is 3,14 * 2?", "a comma can be read in two ways; write decimals with a point, as in 1.5"),
            ("9^9^9^9", "the result would be too large"),
            ("2 + 3 $ 4", "it holds signs that are not part of a computation"),
        ],
    )
    def test_a_computation_that_is_not_done_says_why(self, text: str, reason: str):
        for has_engine in (False, True):
            reply, effects = ask("math_agent", text, has_engine=has_engine)
            assert (reply.failed, reply.details["reason"], effects) == ("INVALID_INPUT", reason, [])

    @pytest.mark.parametrize("text", ["12/05/2024", "+351 912 345 678", "2,5", "What is C++?", "line 4", "1-800"])
    def test_what_may_be_something_else_is_declined(self, text: str):
        reply, effects = ask("math_agent", text)
        assert isinstance(reply, Decline | Reply) and effects == []
        assert getattr(reply, "failed", None) is None

    def test_words_are_declined(self):
        reply, effects = ask("math_agent", "well-known things")
        assert isinstance(reply, Decline) and effects == []


class TestVerification:
    def check(self, evidence: tuple[Evidence, ...], *results: Result, answer: str = "Your name is Ana.", **task: Any):
        steps = verify_answer("Who am I?", answer, evidence, task.get("has_engine", False))
        return drive(steps, *results)

    FACT = (Evidence(kind="fact", ref=KEY, text="name Ana"),)
    MODEL = (Evidence(kind="model", ref="p/m", text="t"),)

    @pytest.mark.parametrize(
        ("result", "score"),
        [
            (found("Ana"), 1.0),
            (found("Bo"), 0.0),
            (MISS, 0.0),
        ],
        ids=["still so", "something else", "gone"],
    )
    def test_a_fact_is_read_again(self, result: Result, score: float):
        checked, [effect] = self.check(self.FACT, result)
        assert effect == Effect("read_fact", {"key": KEY})
        assert (checked.kind, checked.score) == ("verification", score)

    @pytest.mark.parametrize(("word", "score"), [("Yes.", 1.0), ("no", 0.0), ("<think>no?</think>yes", 1.0)])
    def test_an_engine_is_asked_yes_or_no(self, word: str, score: float):
        checked, _ = self.check(self.MODEL, said(word), has_engine=True)
        assert checked.score == score

    def test_there_may_be_nothing_to_look_at(self):
        assert self.check(self.MODEL) == (None, [])
        assert self.check(self.FACT, Result({}, "DATA_UNAVAILABLE"))[0] is None
        assert self.check(self.MODEL, DOWN, has_engine=True)[0] is None
        bad_key = (Evidence(kind="fact", ref="no key", text="t"),)
        assert self.check(bad_key) == (None, [])

    def test_a_computation_is_done_again(self):
        evidence = (Evidence(kind="computation", ref="mathematics", text="42"),)
        checked, [effect] = self.check(evidence, Result({}, "AGENT_TIMEOUT"), answer="42")
        assert (effect.kind, checked) == ("compute", None)


def test_agents_are_what_they_are_declared_to_be():
    """Whatever they are given, they hand back a reply, a decline, or steps to it; nothing is performed."""
    for agent in AGENTS.values():
        steps = agent(Task(text="Blorp the quux"))
        assert isinstance(steps, Generator | Reply | Decline)
