"""What is not mathematics, not clear or not feasible is declined: `declines.txt`, one `text ⇒ kind` a line."""

import subprocess
import sys
from pathlib import Path

import pytest

from mace.agents.mathematics import Declined, answer, immediate, read

HERE = Path(__file__).parent
TABLE = [
    (line.rpartition(" ⇒ ")[0], line.rpartition(" ⇒ ")[2])
    for line in (HERE / "declines.txt").read_text("utf-8").splitlines()
]
# These are read; that there is nothing to say about them shows only in the worker.
SEEN_ONLY_WHEN_COMPUTED = {
    "sinx",
    "sum of k from k=10 to 1",
    "sum of k from k=1/2 to 3",
    "expand (x+1)^1000",
    "sum of sin(k^2) from k=1 to 50000",
}


@pytest.mark.parametrize(("text", "kind"), TABLE, ids=[text for text, _ in TABLE])
def test_it_is_declined(text: str, kind: str):
    outcome = answer(text)
    assert isinstance(outcome, Declined), outcome
    assert outcome.kind == kind


def test_a_reason_never_repeats_what_was_written():
    reasons = {outcome.reason for text, _ in TABLE if isinstance(outcome := immediate(text), Declined)}
    assert len(reasons) < 40  # fixed sentences, not one per text
    for secret in ("xyzzy4711", "tell bob 4711 + secretword"):
        outcome = answer(secret)
        assert isinstance(outcome, Declined)
        assert "xyzzy" not in outcome.reason
        assert "secretword" not in outcome.reason


def test_reading_declining_and_fractions_need_no_computer_algebra():
    questions = [text for text, kind in TABLE if kind != "no_result" and text not in SEEN_ONLY_WHEN_COMPUTED]
    questions += ["12 + 30", "15% of 80", "5 ft 3 in in cm", "is 3 > 2", "2^100", "gcd of 12 and 18"]
    program = (
        "import sys\n"
        "from mace.agents.mathematics import immediate, read\n"
        f"for text in {questions!r}: assert immediate(text) is not None, text\n"
        "read('integrate x^2 dx')\n"
        "assert immediate('integrate x^2 dx') is None\n"
        "assert 'sympy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": ":".join(sys.path)})


@pytest.mark.parametrize("text", ["what is F-16", "is x > 2", "solve x + y = 3", "who was born on 12-05-1990"])
def test_the_common_misroutings_never_reach_the_worker(text: str):
    assert isinstance(read(text), Declined)
    assert immediate(text) == read(text)


def test_every_lead_in_and_tail_leaves_the_question_as_it_is():
    for before in (
        "",
        "What is ",
        "what's ",
        "Calculate ",
        "compute ",
        "how much is ",
        "Please tell me what is ",
        "Hey, ",
    ):
        for behind in ("", "?", ".", " = ?", " =", " please?", ", thanks"):
            outcome = answer(f"{before}12 + 30{behind}")
            assert not isinstance(outcome, Declined), (before, behind)
            assert outcome.text == "12 + 30 = 42"


@pytest.mark.parametrize("word", ["banana", "today", "approximately", "zyx", "and", "the", "my"])
@pytest.mark.parametrize(
    "question",
    ["12 + 30", "15% of 80", "solve x^2 = 4", "integrate x^2 dx", "limit of sin(x)/x as x -> 0", "5 km in miles"],
)
def test_one_word_left_over_declines_the_whole(question: str, word: str):
    assert isinstance(answer(f"{question} {word}"), Declined)
    middle = question.replace(" ", f" {word} ", 1)
    if word not in ("and", "the"):  # "solve the x^2 = 4" is fine
        assert isinstance(answer(middle), Declined)
