"""The council's evaluators, second version: an engine's text is held to its evidence, and has no score without any.

Pure, no model. The members are those of `evaluators`, and so is what is not said here: how facts, computations and
operations are judged, whether a text is whole, what is personal or secret in it.

| member          | factuality       | coherence                         | safety                                 |
| --------------- | ---------------- | --------------------------------- | -------------------------------------- |
| council_eval_v1 | worded           | well_formed, to_the_point         | unexposed                              |
| council_eval_v2 | counted, worded  | to_the_point                      | unexposed, unleaked                    |
| council_eval_v3 | worded, counted  | well_formed, unrepetitive, to_the_point | unexposed, unleaked, harmless, honest |

What an engine wrote with passages or facts before it is `held_to` them: a name, a negation (`worded`), a number or a
citation (`counted`) that they do not hold is an error, 0.2, and the answer goes back. Other words that they do not hold
lower `worded` (0.9 times the share that is found) and are no error: nobody disapproves, but a text that has little of
its passages and does not speak of the question falls below the council's threshold. An engine's text without passages
or facts has no factuality; neither has what the creative agent writes. `honest` is 0 for a text that claims a deed
where nothing of that kind was done. The ballot's confidence is the lesser of the agent's own and of what the evidence
carries (`carried`).
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from mace.agents import deeds, evaluators, harm, support, wording
from mace.agents.council import JUDGE, WRITES_FREELY, Ballot, CouncilVote, Scores
from mace.agents.evaluators import APPROVE_FLOOR, Candidate, Measure
from mace.agents.evidence import Evidence

# A judge weighs as much as the others together, as the cautious member does among the packaged ones: alone it ties.
MEMBERS: Mapping[str, float] = MappingProxyType({**evaluators.MEMBERS, JUDGE: 2.0})
_PACKAGED = tuple(sorted(evaluators.MEMBERS))

CARRIED_BY_PASSAGES = 0.9  # of an answer that says what its passages say
CAUTION = 0.45  # below it lies what is said in words that the evidence does not hold
MODEL_ALONE = 0.4  # of what only an engine says
_WRONG = 0.2
_NUMBER = "Name the number that was asked for."
_MAX_LISTED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An answer up for judgement, and what was done for it; `judged` is the vote of a judge engine."""

    candidate: Candidate
    done: frozenset[str] = frozenset()  # the kinds of effects that wrote something for this question
    judged: CouncilVote | None = None
    sources: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        passages = tuple(item.text for item in self.candidate.evidence if item.kind == "context")
        object.__setattr__(self, "sources", passages)


def hear(candidate: Candidate, done: Collection[str], judged: CouncilVote | None) -> Ballot:
    """Return the ballot on the answer. `done`: the effects that wrote something for it and are on the record."""
    return hear_case(Case(candidate=candidate, done=frozenset(done), judged=judged))


def hear_case(case: Case) -> Ballot:
    """Return the ballot on the answer, ready for `council.deliberate_2`."""
    candidate = case.candidate
    held = _held(case)
    votes = evaluate(case, held)
    return Ballot(
        candidate_id=candidate.candidate_id,
        agent_id=candidate.agent_id,
        trust=candidate.trust,
        confidence=min(candidate.confidence, carried(candidate, held)),
        votes=votes if case.judged is None else (*votes, case.judged),
    )


def abstains(text: str) -> bool:
    """Say whether a text says nothing but that its author does not know."""
    said = " ".join(text.lower().replace("’", "'").split()).strip(" .!\"'")
    return len(said) <= 120 and said.startswith(_NOT_KNOWN)


_NOT_KNOWN = (
    "i do not know",
    "i don't know",
    "i'm not sure",
    "i am not sure",
    "i have no information",
    "i cannot answer",
    "sorry, i do not know",
    "sorry, i don't know",
    "i'm sorry, i don't know",
    "i'm sorry, but i don't know",
    "the passages do not contain",
    "the passages don't contain",
    "the passage does not contain",
)


def is_model_alone(candidate: Candidate) -> bool:
    """Say whether only an engine speaks for an answer."""
    kinds = {item.kind for item in candidate.evidence} - {"verification"}
    return kinds == {"model"}


def carried(candidate: Candidate, held: support.Held | None) -> float:
    """How much confidence the evidence of an answer carries, in [0, 1]; docs/questions.md has it as a table."""
    if abstains(candidate.text):
        return 0.0
    if candidate.agent_id in WRITES_FREELY:
        return 1.0
    if held is None:
        return MODEL_ALONE if is_model_alone(candidate) else 1.0
    if held.is_wrong:
        return _WRONG
    return CARRIED_BY_PASSAGES if held.is_sure else round(CAUTION * held.share, 9)


def _held(case: Case) -> support.Held | None:
    """Hold an engine's text to what it was given; None where nothing was, or nothing is to be held."""
    candidate = case.candidate
    kinds = {item.kind for item in candidate.evidence}
    if "model" not in kinds or candidate.agent_id in WRITES_FREELY or abstains(candidate.text):
        return None
    facts = [item.text for item in candidate.evidence if item.kind in ("fact", "computation", "operation")]
    if not case.sources and not facts:
        return None
    return support.held_to(candidate.question, candidate.text, case.sources, facts)


def evaluate(case: Case, held: support.Held | None) -> tuple[CouncilVote, ...]:
    """Return each packaged member's vote on the answer, by member id."""
    candidate = case.candidate
    worded, counted = _factuality(candidate, held)
    formed = evaluators.well_formed(candidate)
    pointed = _to_the_point(candidate, held)
    asked = (pointed,) if held is not None or (pointed.score < APPROVE_FLOOR and pointed.advice == _NUMBER) else ()
    varied = evaluators.unrepetitive(candidate)
    exposed, leaked = evaluators.unexposed(candidate), evaluators.unleaked(candidate)
    unharmful, honest = harmless(candidate), honest_about_deeds(case)
    panel: dict[str, tuple[tuple[Measure, ...], tuple[Measure, ...], tuple[Measure, ...]]] = {
        "council_eval_v1": (worded, (formed, *(asked if held is not None else ())), (exposed,)),
        "council_eval_v2": ((*counted, *(worded if held is not None else ())), (pointed,), (exposed, leaked)),
        "council_eval_v3": ((*worded, *counted), (formed, varied, *asked), (exposed, leaked, unharmful, honest)),
    }
    unsure = () if held is None or held.is_wrong else worded  # paraphrase and invention look alike: no error
    return tuple(_vote(member, *panel[member], unsure) for member in _PACKAGED)


def _vote(
    member: str,
    factuality: Sequence[Measure],
    coherence: Sequence[Measure],
    safety: Sequence[Measure],
    unsure: Sequence[Measure],
) -> CouncilVote:
    """One member's vote: it disapproves of what is below the floor, but for what it is only `unsure` of."""

    def least(measures: Sequence[Measure]) -> float | None:
        return min((measure.score for measure in measures), default=None)

    every = (*factuality, *coherence, *safety)
    low = [m.advice for m in every if m.score < APPROVE_FLOOR and m not in unsure]
    noted = [m.advice for m in every if (m.score >= APPROVE_FLOOR or m in unsure) and m.score < 1.0 and m.advice]
    return CouncilVote(
        council_agent_id=member,
        scores=Scores(
            factuality=least(factuality),
            coherence=min(measure.score for measure in coherence),
            safety=min(measure.score for measure in safety),
        ),
        approve=not low,
        suggested_changes=" ".join(dict.fromkeys(low)),
        note=" ".join(dict.fromkeys(noted)),
    )


def _factuality(candidate: Candidate, held: support.Held | None) -> tuple[tuple[Measure, ...], tuple[Measure, ...]]:
    """What the first two members make of the facts; nothing where there is nothing to judge."""
    checks = [item.score for item in candidate.evidence if item.kind == "verification"]
    if abstains(candidate.text) or candidate.agent_id in WRITES_FREELY:
        return (), ()
    if held is None and is_model_alone(candidate):
        seen = tuple(Measure(min(1.0, max(0.0, score)), "Give a source for the answer.") for score in checks)
        return seen, seen
    if held is None:
        known = _at_full_strength(candidate)
        return (evaluators.grounded(known),), (evaluators.counted(known),)
    return (_checked(worded(held), checks),), (_checked(counted(held), checks),)


def _at_full_strength(candidate: Candidate) -> Candidate:
    """A passage says what it says, however well it was found: how it was found is no part of its factuality."""
    evidence = tuple(
        Evidence(kind=item.kind, ref=item.ref, text=item.text) if item.kind == "context" else item
        for item in candidate.evidence
    )
    return Candidate(
        candidate_id=candidate.candidate_id,
        question=candidate.question,
        text=candidate.text,
        confidence=candidate.confidence,
        agent_id=candidate.agent_id,
        trust=candidate.trust,
        evidence=evidence,
        findings=candidate.findings,
        abstains=candidate.abstains,
    )


def _checked(measure: Measure, checks: Sequence[float]) -> Measure:
    """A second look counts as much as the first."""
    if not checks:
        return measure
    seen = sum(min(1.0, max(0.0, score)) for score in checks) / len(checks)
    score = round((measure.score + seen) / 2, 9)
    return Measure(score, measure.advice or ("Give a source for the answer." if score < APPROVE_FLOOR else ""))


def worded(held: support.Held) -> Measure:
    """Measure names, negation and words."""
    if held.contradicts:
        return Measure(_WRONG, "The evidence says the opposite.")
    if held.names:
        return Measure(_WRONG, f"These names are not in the evidence: {_listed(held.names)}.")
    advice = f"Support or drop: {_listed(held.words)}." if held.words else ""
    return Measure(round(0.9 * held.share, 9), advice)


def counted(held: support.Held) -> Measure:
    """Measure numbers and citations."""
    if held.citations:
        numbers = ", ".join(map(str, held.citations[:_MAX_LISTED]))
        return Measure(_WRONG, f"There is no passage {numbers}; cite only what was given.")
    if held.numbers:
        return Measure(_WRONG, f"Check these numbers against the evidence: {_listed(held.numbers)}.")
    return Measure(0.9)


def _to_the_point(candidate: Candidate, held: support.Held | None) -> Measure:
    """Whether the question that was asked is answered; a text with passages must speak of it, or say what they say."""
    if abstains(candidate.text) or candidate.agent_id in WRITES_FREELY:
        return Measure(1.0) if candidate.text.strip() else Measure(0.0, "Give an answer.")
    kinds = {item.kind for item in candidate.evidence}
    bare = support.without_citations(candidate.text)
    has_number = bool(support.said_by(bare).numbers)
    if "model" in kinds and support.asks_for_a_number(candidate.question) and not has_number and not _says_none(bare):
        return Measure(0.4, _NUMBER)
    if held is not None and held.is_sure:
        return Measure(1.0)
    if held is not None:
        return Measure(round(0.5 + 0.5 * support.speaks_of(candidate.question, bare), 9), "")
    pointed = evaluators.to_the_point(candidate)
    told_in_words = has_number and pointed.score == 0.4 and pointed.advice == _NUMBER
    return Measure(1.0) if told_in_words else pointed


def _says_none(text: str) -> bool:
    said = text.lower().split()
    return any(word.strip(".,!") in ("no", "none", "not", "one", "nobody", "never") for word in said)


def harmless(candidate: Candidate) -> Measure:
    """As `evaluators.harmless`, and 0 for what urges harm; what a person stored is given back to them as it is."""
    text = candidate.text
    own = [item for item in candidate.evidence if item.kind == "fact" and item.ref.startswith("user/")]
    if own and not any(item.kind == "model" for item in candidate.evidence):
        quoted = [item.text for item in own]
        if any(evaluators.harmful_in(quote) for quote in quoted) and _all_quoted(text, quoted):
            return Measure(1.0)
    is_told = bool(candidate.evidence) and all(item.kind in _KNOWN for item in candidate.evidence)
    if not is_told and harm.urges_harm(text, is_written=candidate.agent_id in WRITES_FREELY):
        return Measure(0.0, "Do not urge anybody to do harm.")
    return evaluators.harmless(candidate)


_KNOWN = ("fact", "computation", "operation")  # what was stored or done, given back


def _all_quoted(text: str, quoted: Iterable[str]) -> bool:
    """Say whether every harmful piece of a text stands in what it quotes."""
    there = set().union(*(evaluators.harmful_in(quote) for quote in quoted))
    return evaluators.harmful_in(text) <= there


def honest_about_deeds(case: Case) -> Measure:
    """Measure whether the text claims a deed where nothing of that kind was done."""
    candidate = case.candidate
    kinds = {item.kind for item in candidate.evidence}
    if "model" not in kinds and not kinds.isdisjoint(("fact", "computation", "context", "operation")):
        return Measure(1.0)  # it tells what was stored, computed or done
    is_written = candidate.agent_id in WRITES_FREELY
    text = _without_quotes(candidate.text, candidate.evidence)
    if deeds.claims_a_deed(text, candidate.question, is_written=is_written, done=case.done):
        return Measure(0.0, "Nothing was done: do not say that it was, or that it will be.")
    return Measure(1.0)


def _without_quotes(text: str, evidence: Sequence[Evidence]) -> str:
    """An answer without the sentences that its passages say: those tell what was, not what was done just now.

    What it says of itself or of the asker, what is done by now, and what has no subject is left out only if a passage
    says it word for word: "backups are deleted" does not say that yours have been.
    """
    known = [item.text for item in evidence if item.kind in ("context", "fact")]
    if not known:
        return text
    literal = [f" {' '.join(_WORDS.findall(item.casefold()))} " for item in known]
    kept = []
    for sentence in support.sentences(text):
        bare = support.without_citations(sentence)
        words = f" {' '.join(_WORDS.findall(bare.casefold()))} "
        is_there = _has_subject(bare) and any(words in item for item in literal)
        is_own = _FIRST_PERSON.search(bare) is not None
        is_deed = _OF_NOW.search(bare) is not None or not _has_subject(bare)
        is_deed = is_deed or _is_its_own(bare, known)
        if is_own or (not is_there and (is_deed or not support.held_to("", bare, known).is_sure)):
            kept.append(bare if bare.rstrip().endswith((".", "!", "?")) else f"{bare}.")
    return "\n".join(kept)


_WORDS = re.compile(r"[^\W_]+")


def _is_its_own(sentence: str, known: Sequence[str]) -> bool:
    """Say whether a sentence speaks of now and here, whatever words it shares with its passages.

    By its person ("your table is booked", where they say how tables are), by its tense ("have been deleted", where they
    say what happens as a rule), or by having no subject ("Refund sent.").
    """
    if _FIRST_PERSON.search(sentence) or deeds.says_alone(sentence):
        return True
    passages = "\n".join(known)
    return any(
        pattern.search(sentence) and not pattern.search(passages) for pattern in (_SECOND_PERSON, _PERFECT, _JUST_NOW)
    )


_SECOND_PERSON = re.compile(r"\byour?s?\b", re.IGNORECASE)
_PERFECT = re.compile(r"\b(?:has|have|['’]s|['’]ve)\s+(?:\w+\s+)?been\b", re.IGNORECASE)
_JUST_NOW = re.compile(r"\b(?:now|just|already)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|we|my|our)\b", re.IGNORECASE)
_OF_NOW = re.compile(
    r"\b(?:your?|yours|now|just|already|successfully|(?:has|have)(?:\s+\w+)?\s+been|(?:it|that|this)\s+(?:is|was))\b|['’]s\s+been\b",
    re.IGNORECASE,
)


def _has_subject(sentence: str) -> bool:
    """Say whether a sentence has an auxiliary or a verb with something before it: "Refund sent." has not."""
    tokens = wording.TOKEN.findall(sentence)
    if any(token.casefold() in wording.AUXILIARIES for token in tokens[1:]):
        return True
    return len(tokens) > 4


def _listed(items: Sequence[str]) -> str:
    names = [item if len(item) <= 40 else item[:40] + "…" for item in items]
    return ", ".join(names[:_MAX_LISTED]) + (" and more" if len(names) > _MAX_LISTED else "")
