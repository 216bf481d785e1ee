"""The council's evaluators: what each member thinks of an answer, a stated function of answer and evidence.

Pure, no model, no order: evidence and findings may come in any order and give the same votes. The members
look with different eyes; each score is one of the measures below, or the least of several:

| member          | factuality        | coherence                 | safety                        |
| --------------- | ----------------- | ------------------------- | ----------------------------- |
| council_eval_v1 | grounded          | well_formed               | unexposed                     |
| council_eval_v2 | counted           | to_the_point              | unexposed, unleaked           |
| council_eval_v3 | grounded, counted | well_formed, unrepetitive | unexposed, unleaked, harmless |

`grounded`: of the content words that the answer adds to the question, the share found in the evidence,
between a floor (0.5 where exact evidence is quoted, 0.4 where a language engine wrote it, because framing and
paraphrase are no errors, else 0) and the strength of the best evidence. `counted`: the share of its numbers
found in the evidence (a rounded one counts), times that strength; 0 when a computed result is not shown.
Without evidence the strength is 0.2 and the answer is rejected; an answer that says it does not know claims
nothing. A verification is evidence of its own: factuality becomes the mean of it and its score. A member
approves when none of its scores is below 0.5.

Left to others: personal data is found by the privacy detector and passed in as findings; `council` weighs the
votes. What would hurt: a measure that is not linear in the text, because answers can be hostile.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from types import MappingProxyType
from typing import Literal, NamedTuple

from mace.agents.council import Ballot, CouncilVote, Scores
from mace.agents.evidence import Evidence

APPROVE_FLOOR = 0.5
# The cautious member weighs as much as the others together: alone it cannot reject, but forces a verification.
MEMBERS: Mapping[str, float] = MappingProxyType(
    {"council_eval_v1": 0.5, "council_eval_v2": 0.5, "council_eval_v3": 1.0}
)

# How much a kind of evidence can carry: read or computed exactly, retrieved, only said.
STRENGTH: Mapping[str, float] = MappingProxyType(
    {"fact": 1.0, "computation": 1.0, "operation": 1.0, "context": 0.9, "model": 0.6}
)
_EXACT = frozenset({"fact", "computation", "operation"})
_NO_EVIDENCE = 0.2
_PARAPHRASE_FLOOR = 0.4
_QUOTED_FLOOR = 0.5
_MAX_TEXT = 16_000  # the reflective log's limit for an answer
_ADVICE_GROUND = "Give a source for the answer."
_MAX_LISTED = 8  # words or numbers named in a suggestion

Sensitivity = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the privacy detector found in the answer; `covered` if consent allows it to be said."""

    pii_type: str
    sensitivity: Sensitivity
    covered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An answer up for judgement. `abstains`: it says that it does not know."""

    candidate_id: str
    question: str
    text: str
    confidence: float
    agent_id: str
    trust: float
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    abstains: bool = False


class Measure(NamedTuple):
    """A score in [0, 1] and, where it is low, what would raise it."""

    score: float
    advice: str = ""


def evaluate(candidate: Candidate, members: Iterable[str] = MEMBERS) -> tuple[CouncilVote, ...]:
    """Return each member's vote on the answer, by member id."""
    grounded_, counted_ = grounded(candidate), counted(candidate)
    formed, pointed, varied = well_formed(candidate), to_the_point(candidate), unrepetitive(candidate)
    exposed, leaked, harm = unexposed(candidate), unleaked(candidate), harmless(candidate)
    panel = {
        "council_eval_v1": ((grounded_,), (formed,), (exposed,)),
        "council_eval_v2": ((counted_,), (pointed,), (exposed, leaked)),
        "council_eval_v3": ((grounded_, counted_), (formed, varied), (exposed, leaked, harm)),
    }
    return tuple(_vote(member, *panel[member]) for member in sorted(members))


def hear(candidate: Candidate, members: Iterable[str] = MEMBERS) -> Ballot:
    """Return the ballot on the answer, ready for `council.deliberate`."""
    return Ballot(
        candidate_id=candidate.candidate_id,
        agent_id=candidate.agent_id,
        trust=candidate.trust,
        confidence=candidate.confidence,
        votes=evaluate(candidate, members),
    )


def _vote(
    member: str, factuality: Sequence[Measure], coherence: Sequence[Measure], safety: Sequence[Measure]
) -> CouncilVote:
    least = [min(measures, key=lambda measure: measure.score) for measures in (factuality, coherence, safety)]
    low = [m.advice for m in (*factuality, *coherence, *safety) if m.score < APPROVE_FLOOR]
    noted = [m.advice for m in least if APPROVE_FLOOR <= m.score < 1.0 and m.advice]
    return CouncilVote(
        council_agent_id=member,
        scores=Scores(factuality=least[0].score, coherence=least[1].score, safety=least[2].score),
        approve=not low,
        suggested_changes=" ".join(dict.fromkeys(low)),
        note=" ".join(dict.fromkeys(noted)),
    )


def grounded(candidate: Candidate) -> Measure:
    """Measure how much of what the answer adds to the question is found in its evidence."""
    if candidate.abstains:
        return Measure(1.0)
    strength = _strength(candidate.evidence)
    floor = _PARAPHRASE_FLOOR if any(item.kind == "model" for item in candidate.evidence) else 0.0
    floor = min(strength, _QUOTED_FLOOR if _quotes(candidate) else floor)
    known = _grounds(candidate.evidence)
    asked = set(_content_words(candidate.question))
    said = dict.fromkeys(_content_words(candidate.text))
    if not known:
        return _verified(Measure((floor + strength) / 2, _ADVICE_GROUND), candidate)
    added = [word for word in said if word not in asked]
    missing = [word for word in added or said if word not in known]
    share = 1 - len(missing) / len(added or said) if said else 1.0
    if not added:  # an echo of the question, or nothing but numbers: not much was claimed
        return _verified(Measure(strength * (1 + share) / 2), candidate)
    advice = f"Support or drop: {_listed(missing)}." if missing else ""
    return _verified(Measure(floor + (strength - floor) * share, advice), candidate)


def counted(candidate: Candidate) -> Measure:
    """Measure how many of the numbers the answer adds are in its evidence, and whether a result is shown.

    Without numbers it is the strength; a computation whose result the answer does not show counts as 0.
    """
    if candidate.abstains:
        return Measure(1.0)
    strength = _strength(candidate.evidence)
    grounds = [item for item in candidate.evidence if item.kind not in ("model", "verification")]
    shown = _results_shown(candidate)
    if shown and not any(shown):
        return _verified(Measure(0.0, "Show the result of the computation."), candidate)
    asked = _numbers(candidate.question)
    said = [number for number in _numbers(candidate.text) if number not in asked]
    if not said or not grounds:
        return _verified(Measure(strength), candidate)
    known = frozenset(number for item in grounds for number in _numbers(item.text))
    missing = _unfounded(said, known)
    share = (len(said) - len(missing)) / len(said)
    advice = f"Check these numbers against the evidence: {_listed(str(n) for n in missing)}."
    return _verified(Measure(strength * share, advice if missing else ""), candidate)


def _strength(evidence: Sequence[Evidence]) -> float:
    carried = [STRENGTH[item.kind] * _unit(item.score) for item in evidence if item.kind != "verification"]
    return max(carried, default=_NO_EVIDENCE)


def _quotes(candidate: Candidate) -> bool:
    """Say whether the answer holds an exact piece of evidence word for word, or a result sign for sign."""
    answer = f" {' '.join(_words(candidate.text))} "
    exact = (" ".join(_words(item.text)) for item in candidate.evidence if item.kind in _EXACT)
    return any(words and f" {words} " in answer for words in exact) or any(_results_shown(candidate))


def _results_shown(candidate: Candidate) -> list[bool]:
    answer = "".join(candidate.text.split())
    results = ("".join(item.text.split()) for item in candidate.evidence if item.kind == "computation")
    return [result in answer for result in results if result]


def _grounds(evidence: Sequence[Evidence]) -> frozenset[str]:
    """Return the words of all evidence that is not the engine's own, names of the sources included."""
    items = [item for item in evidence if item.kind not in ("model", "verification")]
    return frozenset(word for item in items for word in (*_words(item.text), *_words(item.ref)))


def _verified(measure: Measure, candidate: Candidate) -> Measure:
    checks = [_unit(item.score) for item in candidate.evidence if item.kind == "verification"]
    score = math.fsum((measure.score, math.fsum(checks) / len(checks))) / 2 if checks else measure.score
    advice = _ADVICE_GROUND if score < APPROVE_FLOOR and not measure.advice else measure.advice
    return Measure(round(score, 9), advice)


def well_formed(candidate: Candidate) -> Measure:
    """Measure whether the text is whole: not empty, not cut off, brackets and fences closed, not over-long.

    What it quotes word for word from exact evidence is not the answer's own and is left out.
    """
    text = candidate.text.strip()
    if not text:
        return Measure(0.0, "Give an answer.")
    if len(text) > _MAX_TEXT:
        return Measure(0.3, "Shorten the answer.")
    exact = {item.text.strip() for item in candidate.evidence if item.kind in _EXACT} - {""}
    for quoted in sorted(exact, key=lambda quoted: (-len(quoted), quoted)):
        text = text.replace(quoted, " quoted ").strip()
    if sum(map(text.count, "([{")) > sum(map(text.count, ")]}")) or text.count("```") % 2:
        return Measure(0.4, "Close what was opened.")
    if text[-1] in ",;:–—" or (text[-1].isalpha() and _words(text)[-1:] in (["and"], ["or"], ["the"])):
        return Measure(0.4, "Finish the last sentence.")
    return Measure(1.0)


def to_the_point(candidate: Candidate) -> Measure:
    """Measure the share of the question's content words that answer or sources speak of, from 0.4 upwards."""
    if not candidate.text.strip():
        return Measure(0.0, "Give an answer.")
    if candidate.abstains or any(item.kind in ("computation", "operation") for item in candidate.evidence):
        return Measure(1.0)  # it was done for this question; its words need not come back
    if _ASKS_FOR_A_NUMBER.search(candidate.question) and not _has_number(candidate.text):
        return Measure(0.4, "Name the number that was asked for.")
    asked = set(_content_words(candidate.question))
    if not asked:
        return Measure(1.0)
    spoken = set(_words(candidate.text)) | _grounds(candidate.evidence)
    share = len(asked & spoken) / len(asked)
    return Measure(round(0.4 + 0.6 * share, 9), "" if share == 1.0 else "Answer the question that was asked.")


def unrepetitive(candidate: Candidate) -> Measure:
    """Measure how many of the runs of three words differ; fewer than six in ten count against an engine's text."""
    words = _words(candidate.text)
    runs = list(zip(words, words[1:], words[2:], strict=False))
    kinds = {item.kind for item in candidate.evidence}
    exact = "model" not in kinds and not kinds.isdisjoint(_EXACT)  # 0.5 + 0.5 + 0.5 ...; a song that was stored
    if exact or len(runs) < 10:
        return Measure(1.0)
    share = len(set(runs)) / len(runs)
    return Measure(round(min(1.0, share / 0.6), 9), "Say it once." if share < 0.6 else "")


def unexposed(candidate: Candidate) -> Measure:
    """Measure what the privacy detector found and no consent covers: high 0, medium 0.4, low nothing."""
    open_findings = [finding for finding in candidate.findings if not finding.covered]
    types = _listed(sorted({finding.pii_type for finding in open_findings if finding.sensitivity != "low"}))
    if any(finding.sensitivity == "high" for finding in open_findings):
        return Measure(0.0, f"Remove sensitive data: {types}.")
    return Measure(0.4, f"Remove personal data: {types}.") if types else Measure(1.0)


def unleaked(candidate: Candidate) -> Measure:
    """Measure whether the text holds a secret: a private key, an access token, a password in a URL."""
    return Measure(0.0, "Remove the secret.") if _SECRET.search(candidate.text) else Measure(1.0)


def harmless(candidate: Candidate) -> Measure:
    """Measure whether the text would do damage if obeyed: 0.2, or 0.6 where the question itself names it."""
    done = {match.lastgroup for match in _DAMAGE.finditer(candidate.text)}
    if not done:
        return Measure(1.0)
    asked = {match.lastgroup for match in _DAMAGE.finditer(candidate.question)}
    return Measure(0.6 if done <= asked else 0.2, "Leave out commands that destroy or inject.")


def harmful_in(text: str) -> set[str]:
    """The harmful pieces of a text, as they stand there."""
    return {match.group() for match in _DAMAGE.finditer(text)}


_SECRET = re.compile(
    r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}"
    r"|\bsk-[A-Za-z0-9_-]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\beyJ[A-Za-z0-9_-]{10,1024}+\.eyJ[A-Za-z0-9_-]{10,1024}+\."
    r"|\b[a-z][a-z0-9+]{1,15}://[^\s/:@]{1,64}:[^\s/:@]{1,64}@"
)
_DAMAGE = re.compile(
    r"(?P<wipe>\brm\s{1,4}-[a-z]{0,4}[rf][a-z]{0,4}\s{1,4}[/~*.]|\bmkfs\b|\bdd\s{1,4}if=\S{1,64}\s{1,4}of=/dev/"
    r"|\bfind\b[^\n]{0,80}-delete\b)"
    r"|(?P<bomb>:\(\)\s{0,4}\{\s{0,4}:\|:&)"
    r"|(?P<pipe>\b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da)?sh\b)"
    r"|(?P<drop>\bdrop\s{1,4}(?:table|database)\b)"
    r"|(?P<script><script\b|javascript:)"
    r"|(?P<inject>\bignore (?:all |any )?(?:previous|prior|earlier) instructions\b)",
    re.IGNORECASE,
)
_WORD = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]"  # scripts without spaces
    r"|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_NUMBER = re.compile(r"(?<![\w.,)])[-−]?\d+(?:[.,]\d+)*+(?:[eE][+-]?\d{1,3})?")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ASKS_FOR_A_NUMBER = re.compile(r"\bhow (?:many|much|old|tall|far|long|fast|big)\b|\bwhat year\b", re.IGNORECASE)
_NUMBERS_IN_WORDS = "zero one two three four five six seven eight nine ten eleven twelve hundred thousand no"
_FUNCTION_WORDS = (
    "a about according again ago all also am an and answer any are as at based be because been being "
    "between both but by call called can could define definition did do does doing dont each explain for "
    "from give given had has have having he her here hi him his how i if in into is it its itself just know "
    "let like made make many mean meaning me more most much must my no nor not now of off on once only or other "
    "our out over own please remember remembered result said same save saved say see she should show so "
    "some source stated stored such tell than that the their them then there these they this those through "
    "to too under until up upon us use used very was we were what when where which while who whom whose why "
    "will with would yes you your 我 你 的 是 了 吗 "
)
_DECIMAL = Context(prec=64, rounding=ROUND_HALF_UP, traps=[InvalidOperation])


def _words(text: str) -> list[str]:
    """Return the words, folded so that plurals and British spellings meet."""
    flat = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "").replace("_", " ")
    return [_stem(word) for word in _WORD.findall(flat)]


def _stem(word: str) -> str:
    if len(word) > 5:
        word = word.replace("our", "or")
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word


_SMALL_WORDS = frozenset(_stem(word) for word in _FUNCTION_WORDS.split())
_NUMBER_WORDS = frozenset(_NUMBERS_IN_WORDS.split())


def _content_words(text: str) -> list[str]:
    return [word for word in _words(text) if word not in _SMALL_WORDS and not word.isdigit()]


def _numbers(text: str) -> dict[Decimal, None]:
    """Return the distinct numbers of a text, in order; thousands separators are dropped."""
    found: dict[Decimal, None] = {}
    for match in _NUMBER.finditer(unicodedata.normalize("NFKC", text)):
        digits = match.group().replace("−", "-")
        if _THOUSANDS.fullmatch(digits):
            digits = digits.replace(",", "")
        whole = _decimal(digits.replace(",", "."))
        parts = [whole] if whole is not None else map(_decimal, re.split(r"[.,]", digits.lstrip("-")))
        found.update((part, None) for part in parts if part is not None)
    return found


def _decimal(digits: str) -> Decimal | None:
    try:
        return _DECIMAL.create_decimal(digits)
    except InvalidOperation:
        return None


def _unfounded(said: Iterable[Decimal], known: frozenset[Decimal]) -> list[Decimal]:
    """Return the numbers that are neither known nor a known one rounded to the digits said (at least 3)."""
    rounded: dict[int, frozenset[Decimal]] = {}
    missing = []
    for number in said:
        _, digits, exponent = number.as_tuple()
        if number in known:
            continue
        if isinstance(exponent, int) and -12 <= exponent < 0 and len(digits) >= 3:
            if exponent not in rounded:
                rounded[exponent] = frozenset(_at_exponent(other, exponent) for other in known)
            if number in rounded[exponent]:
                continue
        missing.append(number)
    return missing


def _at_exponent(number: Decimal, exponent: int) -> Decimal:
    try:
        return number.quantize(Decimal((0, (1,), exponent)), context=_DECIMAL)
    except InvalidOperation:  # more digits than the context holds: it cannot be the same number
        return number


def _has_number(text: str) -> bool:
    return bool(_numbers(text)) or not _NUMBER_WORDS.isdisjoint(_words(text))


def _listed(items: Iterable[str]) -> str:
    names = [item if len(item) <= 40 else item[:40] + "…" for item in items]
    return ", ".join(names[:_MAX_LISTED]) + (" and more" if len(names) > _MAX_LISTED else "")


def _unit(score: float) -> float:
    if not math.isfinite(score):
        raise ValueError("score must be a finite number")
    return min(1.0, max(0.0, score))
