"""Questions and their answers, word for word: `answers.txt` is the table, one `question ⇒ text` a line."""

from pathlib import Path

import pytest

from mace.agents.mathematics import Declined, MathAnswer, answer, outcome_of, to_dict
from mace.agents.mathematics.compute import run
from mace.core import canon

TABLE = [tuple(line.split(" ⇒ ")) for line in (Path(__file__).parent / "answers.txt").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("question", "text"), TABLE, ids=[question for question, _ in TABLE])
def test_a_question_has_its_answer(question: str, text: str):
    outcome = answer(question)
    assert isinstance(outcome, MathAnswer), outcome
    assert outcome.text == text
    assert outcome.value
    assert outcome.steps[0].startswith("Read as: ")
    assert all(outcome.steps)
    assert 0.5 < outcome.confidence < 1


@pytest.mark.parametrize(
    ("question", "value", "exact", "confidence"),
    [
        ("12 + 30", "42", True, 0.99),
        ("0.1 + 0.2", "3/10", True, 0.99),
        ("sqrt(8)", "2*sqrt(2)", True, 0.99),
        ("sin(0.5)", "0.4794255386", False, 0.9),
        ("solve x^2 = 4", "x = -2; x = 2", True, 0.99),
        ("solve x^5 - x - 1 = 0 for x", None, False, 0.9),
        ("solve cos(x) = x", "x = 0.7390851332", False, 0.7),
        ("integrate x^2 dx", "x^3/3 + C", True, 0.99),
        ("integrate e^(-x^2) from -infinity to infinity", "sqrt(pi)", True, 0.95),
        ("1/0", "undefined", True, 0.99),
        ("is 3 > 2", "true", True, 0.99),
        ("5 ft 3 in in cm", "8001/50 cm", True, 0.99),
        ("pi to 5 decimal places", "3.14159", False, 0.99),
    ],
)
def test_programs_get_a_value_and_how_sure_it_is(question: str, value: str | None, exact: bool, confidence: float):
    outcome = answer(question)
    assert isinstance(outcome, MathAnswer)
    assert value is None or outcome.value == value
    assert (outcome.exact, outcome.confidence) == (exact, confidence)


@pytest.mark.parametrize(
    "question", ["12 + 30", "integrate x^2 dx", "9^9^9^9", "1/2x", "well-known", "solve cos(x) = x"]
)
def test_an_outcome_survives_the_pipe_and_the_ledger(question: str):
    outcome = answer(question)
    recorded = canon.loads(canon.dumps(to_dict(outcome)))
    assert outcome_of(recorded) == outcome
    assert run(question) == to_dict(outcome)


def test_the_steps_tell_how_it_was_read_done_and_checked():
    outcome = answer("integrate x^2 dx")
    assert isinstance(outcome, MathAnswer)
    assert list(outcome.steps) == [
        "Read as: the antiderivative of x^2 with respect to x",
        "Integrated",
        "Checked: its derivative is the integrand again",
    ]


def test_other_letters_are_named_as_an_assumption():
    outcome = answer("solve a x^2 + b x + c = 0 for x")
    assert isinstance(outcome, MathAnswer)
    assert any("fixed numbers" in step for step in outcome.steps)


def test_a_disagreement_with_the_second_look_is_declined(monkeypatch: pytest.MonkeyPatch):
    import sympy

    monkeypatch.setattr(sympy, "integrate", lambda body, variable: variable**2)  # not the antiderivative of x^2
    outcome = answer("integrate x^2 dx")
    assert outcome == Declined("the result could not be confirmed", "no_result")


def test_a_library_that_raises_anything_is_a_decline(monkeypatch: pytest.MonkeyPatch):
    import sympy

    def broken(*_: object) -> None:
        raise AttributeError("deep inside")

    monkeypatch.setattr(sympy, "integrate", broken)
    outcome = answer("integrate x^2 dx")
    assert outcome == Declined("the computer-algebra library found no result", "no_result")
