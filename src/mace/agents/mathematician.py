"""The mathematics agent of a question: reads and answers at once what it can, and asks for a worker for the rest."""

import re

from mace.agents import asking, mathematics
from mace.agents.asking import Asking, Decline, Reply, Task
from mace.agents.evidence import Evidence


def math_agent_1(task: Task) -> Asking:
    outcome = mathematics.immediate(task.text)
    if outcome is None:
        done = yield asking.compute(mathematics.WORKER_FUNCTION, mathematics.worker_arguments(task.text))
        if done.failed:
            return Reply(text=None, confidence=0.0, failed=done.failed, details=done.value)
        outcome = mathematics.outcome_of(done.value)
    if isinstance(outcome, mathematics.Declined):
        return Decline(outcome.reason)
    return Reply(
        text=outcome.text,
        confidence=outcome.confidence,
        evidence=(Evidence(kind="computation", ref="mathematics", text=outcome.text),),
        trace=outcome.steps,
    )


def math_agent(task: Task) -> Asking:
    """The same; but what surely is a computation is not passed on to others, who could only guess: it says why not."""
    text = _without_sum(task.text)
    outcome = mathematics.immediate(text)
    if outcome is None:
        done = yield asking.compute(mathematics.WORKER_FUNCTION, mathematics.worker_arguments(text))
        if done.failed:
            return Reply(text=None, confidence=0.0, failed=done.failed, details=done.value)
        outcome = mathematics.outcome_of(done.value)
    if isinstance(outcome, mathematics.Declined):
        reason = why_not(text, outcome)
        if reason is None:
            return Decline(outcome.reason)
        return Reply(text=None, confidence=0.0, failed="INVALID_INPUT", details={"reason": reason}, trace=(reason,))
    written = in_decimals if "." in text else str
    said = written(outcome.text)
    return Reply(
        text=said,
        confidence=outcome.confidence,
        evidence=(Evidence(kind="computation", ref="mathematics", text=said),),
        trace=tuple(map(written, outcome.steps)),
    )


# A fraction of long numbers is a decimal that somebody typed, or what came of one.
_FRACTION = re.compile(r"\((\d{1,400})/(\d{1,400})\)|(?<![\w./])(\d{1,400})/(\d{1,400})(?![\w./])")
_LONG = 12  # digits
_ENDS = re.compile(r"( = -?\d+\.\d+) ≈ -?[\d.]+\Z")
_GOES_ON = re.compile(r" = -?\d{12,}/\d{2,}( ≈ -?[\d.]+(?:e[+-]?\d+)?)\Z| = -?\d+/\d{12,}( ≈ -?[\d.]+(?:e[+-]?\d+)?)\Z")


def in_decimals(text: str) -> str:
    """Write the long fractions of a computation as the decimals that they are; what does not end is said about."""
    found = _ENDS.sub(r"\1", _FRACTION.sub(_decimal, text))
    return _GOES_ON.sub(lambda end: end[1] or end[2], found)


def _decimal(fraction: re.Match[str]) -> str:
    above, below = fraction[1] or fraction[3], fraction[2] or fraction[4]
    rest, places = int(below), 0
    if max(len(above), len(below)) < _LONG or rest == 0:
        return fraction[0]
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest, times = rest // prime, times + 1
        places = max(places, times)
    if rest != 1 or places == 0:
        return fraction[0]  # it does not end
    digits = str(int(above) * 10**places // int(below)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


# "sum 1+2+3" and "the sum of 1 + 2 + 3": the word says again what the signs say.
_SUM = re.compile(
    r"\s{0,20}(?:what(?: is|'s|’s) )?(?:calculate |compute )?(?:the )?sum(?: of)?:?\s{1,20}(?=[\d(][^a-z]*\Z)", re.I
)
_COMPUTES = re.compile(r"[\d)]\s{0,20}[+*×·÷^]\s{0,20}[\d(]")  # `-` and `/` also stand in dates and numbers of things
_FREE_WORDS = re.compile(r"\b(?:what|is|what's|calculate|compute|evaluate|how|much|please|the|of|result)\b", re.I)
_DECIMAL_COMMA = re.compile(r"(?<![\d,])\d+,(?:\d{1,2}|\d{4,})(?![\d,])")


def _without_sum(text: str) -> str:
    rest = _SUM.sub("", text, count=1)
    return rest if rest != text and "+" in rest else text


def why_not(text: str, declined: mathematics.Declined) -> str | None:
    """What is wrong with a computation that was declined; None for a text that may be something else."""
    if declined.kind in ("too_large", "ambiguous"):
        return declined.reason
    bare = _FREE_WORDS.sub(" ", text)
    if any(letter.isalpha() for letter in bare) or not _COMPUTES.search(bare):
        return None
    if _DECIMAL_COMMA.search(bare):
        return "a comma can be read in two ways; write decimals with a point, as in 1.5"
    return "it holds signs that are not part of a computation"
