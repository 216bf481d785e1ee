"""The council's decision: from votes to accept, repair, tie-break, deadlock or the end of repairs.

Pure, and one step at a time: `deliberate` says what comes next, the engine records that, does what it asks (a
repair, a verification), collects votes again and calls it with the state it was given. It ends after at most
`max_repair_loops` repairs, two tie-break steps and one last word. Votes come from `evaluators`; this file
neither reads answers nor knows how scores were found.

One hearing, in this order (the lead: best score, then highest trust, then first id):

1. Approved candidates (score at or above the threshold, more weight for than against): the one with the best
   score is accepted. Equal best scores are a tie.
2. Nobody approved, and the lead is rejected by weight with a suggestion: repair, or `REPAIR_LIMIT_EXCEEDED`.
3. All else (equal weight for and against, a score below the threshold, rejection without a suggestion):
   tie-break.

With one candidate a tie is equal weight for and against it. Tie-break 1 takes the output of the most trusted
agent: of the tied candidates the one of the most trusted agent; of tied votes those of the most trusted
council agent (a vote is its output). It cannot lift a score over the threshold. Tie-break 2 is one
verification of the chosen candidate; if it is not approved then, the council is deadlocked and a person is
asked. Weights, scores and thresholds are compared after rounding to nine decimals: an unrounded sum would let
a tie depend on the order of the votes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

_DECIMALS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class CouncilRules:
    """The numbers of the decision; part of every job's snapshot."""

    credential_threshold: float = 0.6
    min_confidence: float = 0.5
    max_repair_loops: int = 3
    safety_floor: float = 0.5  # an answer judged less safe is never shown as a best effort


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """One member's scores; `factuality` is None where nothing can be said of it."""

    factuality: float | None
    coherence: float
    safety: float

    def __post_init__(self) -> None:
        for score in self.given:
            if not 0.0 <= score <= 1.0:  # NaN fails too
                raise ValueError(f"a score outside [0, 1]: {score}")

    @property
    def given(self) -> tuple[float, ...]:
        known = () if self.factuality is None else (self.factuality,)
        return (*known, self.coherence, self.safety)

    @property
    def mean(self) -> float:
        return math.fsum(self.given) / len(self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class CouncilVote:
    """One member's vote on one answer, as the reflective log keeps it."""

    council_agent_id: str
    scores: Scores
    approve: bool
    suggested_changes: str = ""
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        scores = self.scores
        known = {} if scores.factuality is None else {"factuality": scores.factuality}
        return {
            "council_agent_id": self.council_agent_id,
            "scores": {**known, "coherence": scores.coherence, "safety": scores.safety},
            "approve": self.approve,
            "suggested_changes": self.suggested_changes,
            "note": self.note,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "CouncilVote":
        return CouncilVote(**{**data, "scores": Scores(**{"factuality": None, **data["scores"]})})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """All votes on one candidate answer; `candidate_id` is the caller's name for it (agent and round)."""

    candidate_id: str
    agent_id: str
    trust: float  # of the agent that wrote it
    confidence: float  # the agent's own
    votes: tuple[CouncilVote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one candidate stands after its votes were weighed."""

    candidate_id: str
    agent_id: str
    trust: float
    confidence: float
    score: float
    safety: float
    approving: float
    disapproving: float
    approved: bool
    suggestions: tuple[str, ...]  # of those who disapprove, by member id

    @property
    def tied(self) -> bool:
        return self.approving == self.disapproving

    def to_json(self) -> dict[str, Any]:
        return {
            "candidate_id": self.candidate_id,
            "agent_id": self.agent_id,
            "trust": self.trust,
            "confidence": self.confidence,
            "score": self.score,
            "safety": self.safety,
            "approving": self.approving,
            "disapproving": self.disapproving,
            "approved": self.approved,
        }


class Outcome(StrEnum):
    ACCEPT = "accept"
    REPAIR = "repair"
    TIE_BREAK = "tie_break"
    DEADLOCK = "deadlock"
    REPAIR_LIMIT = "repair_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The best answer seen so far that may be shown."""

    candidate_id: str
    score: float
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CouncilState:
    """Where a deliberation stands between two hearings."""

    repairs: int = 0
    tie_break: int = 0  # the last step taken: 0, 1 or 2
    chosen: str | None = None  # the candidate that tie-break 2 verifies
    best: Best | None = None

    def to_json(self) -> dict[str, Any]:
        best = self.best
        shown = best and {"candidate_id": best.candidate_id, "score": best.score, "confidence": best.confidence}
        return {"repairs": self.repairs, "tie_break": self.tie_break, "chosen": self.chosen, "best": shown}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "CouncilState":
        best = data["best"]
        return CouncilState(**{**data, "best": None if best is None else Best(**best)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What comes next. `final` verdicts end the deliberation; the others name the candidate to work on.

    accept        `candidate_id` is the answer; `error_code` is None or LOW_CONFIDENCE.
    repair        ask its agent to change it as `suggestions` say, vote again.
    tie_break     step 1: nothing to do, call again with the same ballots; step 2: let the verification agent
                  check or mend `candidate_id` once, vote again (the same ballots if it could not).
    repair_limit  `candidate_id` is the best effort to show, flagged; None if none was safe enough.
    deadlock      there is no answer; a person can be asked.
    """

    outcome: Outcome
    state: CouncilState
    because: str
    standings: tuple[Standing, ...]
    candidate_id: str | None = None
    step: int | None = None
    suggestions: tuple[str, ...] = ()
    score: float = 0.0  # the council's, for the candidate named (or the lead)
    confidence: float = 0.0  # min(the agent's, the council's)
    error_code: str | None = None

    @property
    def final(self) -> bool:
        return self.outcome in (Outcome.ACCEPT, Outcome.DEADLOCK, Outcome.REPAIR_LIMIT)

    @property
    def human_review(self) -> bool:
        """Whether a person's review is offered."""
        return self.error_code is not None

    def to_json(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome.value,
            "step": self.step,
            "because": self.because,
            "candidate_id": self.candidate_id,
            "suggestions": list(self.suggestions),
            "score": self.score,
            "confidence": self.confidence,
            "error_code": self.error_code,
            "human_review": self.human_review,
            "standings": [standing.to_json() for standing in self.standings],
            "state": self.state.to_json(),
        }


def council_score(votes: Sequence[CouncilVote], trust: Mapping[str, float]) -> float:
    """Return the mean over the members, weighted by their trust, of the mean of each one's scores."""
    weights = _weights(votes, trust)
    total = math.fsum(weights)
    weighed = (weight * vote.scores.mean for weight, vote in zip(weights, votes, strict=True))
    return _rounded(math.fsum(weighed) / total)


def standing_of(ballot: Ballot, trust: Mapping[str, float], rules: CouncilRules) -> Standing:
    """Weigh the votes on one candidate; raise ValueError for votes that cannot be weighed."""
    if not (ballot.trust > 0 and 0.0 <= ballot.confidence <= 1.0):
        raise ValueError(f"impossible trust {ballot.trust} or confidence {ballot.confidence}")
    weights = _weights(ballot.votes, trust)
    votes = list(zip(weights, ballot.votes, strict=True))
    score = council_score(ballot.votes, trust)
    approving = _rounded(math.fsum(weight for weight, vote in votes if vote.approve))
    disapproving = _rounded(math.fsum(weight for weight, vote in votes if not vote.approve))
    against = sorted((vote for vote in ballot.votes if not vote.approve), key=lambda v: v.council_agent_id)
    changes = [vote.suggested_changes.strip() for vote in against]
    return Standing(
        candidate_id=ballot.candidate_id,
        agent_id=ballot.agent_id,
        trust=_rounded(ballot.trust),
        confidence=_rounded(ballot.confidence),
        score=score,
        safety=_rounded(math.fsum(w * vote.scores.safety for w, vote in votes) / math.fsum(weights)),
        approving=approving,
        disapproving=disapproving,
        approved=score >= rules.credential_threshold and approving > disapproving,
        suggestions=tuple(dict.fromkeys(change for change in changes if change)),
    )


def deliberate(
    state: CouncilState,
    ballots: Sequence[Ballot],
    trust: Mapping[str, float],
    rules: CouncilRules = CouncilRules(),  # noqa: B008 (frozen)
) -> Verdict:
    """Return what comes next, with the state to come back with. `trust` holds each member's weight."""
    if not ballots or len({ballot.candidate_id for ballot in ballots}) != len(ballots):
        raise ValueError("a hearing needs ballots on different candidates")
    by_id = sorted(ballots, key=lambda ballot: ballot.candidate_id)
    standings = tuple(standing_of(ballot, trust, rules) for ballot in by_id)
    state = replace(state, best=_better(state.best, standings, rules))
    hearing = _Hearing(state=state, ballots=ballots, standings=standings, trust=trust, rules=rules)
    match state.tie_break:
        case 0:
            return hearing.first()
        case 1:
            return hearing.by_trust()
        case _:
            return hearing.after_verification()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hearing:
    state: CouncilState
    ballots: Sequence[Ballot]
    standings: tuple[Standing, ...]
    trust: Mapping[str, float]
    rules: CouncilRules

    def first(self) -> Verdict:
        leaders = self._leaders()
        if len(leaders) == 1:
            return self._accept(leaders[0], "approved")
        if leaders:
            return self._tie_break(1, leaders[0], "equal scores at the top")
        lead = self._lead()
        if lead.tied:
            return self._tie_break(1, lead, "equal weight for and against")
        if lead.disapproving > lead.approving and lead.suggestions:
            return self._repair(lead)
        if lead.score < self.rules.credential_threshold:
            return self._tie_break(1, lead, "score below the threshold")
        return self._tie_break(1, lead, "rejected without a suggestion")

    def by_trust(self) -> Verdict:
        leaders = self._leaders()
        field = leaders or list(self.standings)
        most = max(standing.trust for standing in field)
        trusted = [standing for standing in field if standing.trust == most]
        chosen = max(trusted, key=lambda s: s.score)  # of equals the first id: `standings` are sorted
        if leaders and len(trusted) == 1:
            return self._accept(chosen, "output of the most trusted agent")
        good_enough = chosen.score >= self.rules.credential_threshold
        if chosen.tied and good_enough and self._most_trusted_members_approve(chosen):
            return self._accept(chosen, "vote of the most trusted council agent")
        return self._tie_break(2, chosen, "trust did not decide")

    def after_verification(self) -> Verdict:
        leaders = self._leaders()
        if leaders:
            named = [standing for standing in leaders if standing.candidate_id == self.state.chosen]
            return self._accept((named or leaders)[0], "approved after verification")
        return self._last(Outcome.DEADLOCK, "COUNCIL_DEADLOCK", "not approved after verification", None)

    def _leaders(self) -> list[Standing]:
        approved = [standing for standing in self.standings if standing.approved]
        best = max((standing.score for standing in approved), default=0.0)
        return [standing for standing in approved if standing.score == best]

    def _lead(self) -> Standing:
        return max(self.standings, key=lambda s: (s.score, s.trust))

    def _most_trusted_members_approve(self, chosen: Standing) -> bool:
        votes = next(ballot.votes for ballot in self.ballots if ballot.candidate_id == chosen.candidate_id)
        most = max(_rounded(self.trust[vote.council_agent_id]) for vote in votes)
        return all(vote.approve for vote in votes if _rounded(self.trust[vote.council_agent_id]) == most)

    def _accept(self, standing: Standing, because: str) -> Verdict:
        confidence = min(standing.confidence, standing.score)
        low = confidence < self.rules.min_confidence
        return Verdict(
            outcome=Outcome.ACCEPT,
            state=self.state,
            because=because,
            standings=self.standings,
            candidate_id=standing.candidate_id,
            score=standing.score,
            confidence=confidence,
            error_code="LOW_CONFIDENCE" if low else None,
        )

    def _repair(self, lead: Standing) -> Verdict:
        if self.state.repairs >= self.rules.max_repair_loops:
            best = self.state.best
            return self._last(
                Outcome.REPAIR_LIMIT,
                "REPAIR_LIMIT_EXCEEDED",
                "still rejected",
                best.candidate_id if best else None,
            )
        return Verdict(
            outcome=Outcome.REPAIR,
            state=replace(self.state, repairs=self.state.repairs + 1),
            because="rejected with suggestions",
            standings=self.standings,
            candidate_id=lead.candidate_id,
            suggestions=lead.suggestions,
            score=lead.score,
            confidence=min(lead.confidence, lead.score),
        )

    def _tie_break(self, step: int, standing: Standing, because: str) -> Verdict:
        return Verdict(
            outcome=Outcome.TIE_BREAK,
            state=replace(self.state, tie_break=step, chosen=standing.candidate_id if step == 2 else None),
            because=because,
            standings=self.standings,
            candidate_id=standing.candidate_id,
            step=step,
            suggestions=standing.suggestions,
            score=standing.score,
            confidence=min(standing.confidence, standing.score),
        )

    def _last(self, outcome: Outcome, error_code: str, because: str, answer: str | None) -> Verdict:
        best = self.state.best
        return Verdict(
            outcome=outcome,
            state=self.state,
            because=because,
            standings=self.standings,
            candidate_id=answer,
            score=self._lead().score,
            confidence=min(best.confidence, best.score) if best else 0.0,
            error_code=error_code,
        )


def deliberate_2(
    state: CouncilState,
    ballots: Sequence[Ballot],
    trust: Mapping[str, float],
    rules: CouncilRules = CouncilRules(),  # noqa: B008 (frozen)
) -> Verdict:
    """As `deliberate`, but harm is what the strictest member says it is, and nothing rejected looks sure.

    Safety is the minimum over the members: below `safety_floor` an answer is neither approved nor shown, whatever the
    weights; where it is 0 (a claim of a deed, a secret) it goes back while there is something to change. Facts
    that no member could judge are answered with `LOW_CONFIDENCE`, however low the threshold lies, unless what was
    asked for is no statement of fact. No answer has confidence 0, a best effort at most 0.2.
    """
    if not ballots or len({ballot.candidate_id for ballot in ballots}) != len(ballots):
        raise ValueError("a hearing needs ballots on different candidates")
    by_id = sorted(ballots, key=lambda ballot: ballot.candidate_id)
    standings = tuple(standing_of_2(ballot, trust, rules) for ballot in by_id)
    state = replace(state, best=_better(state.best, standings, rules))
    hearing = _StrictHearing(state=state, ballots=ballots, standings=standings, trust=trust, rules=rules)
    match state.tie_break:
        case 0:
            verdict = hearing.first()
        case 1:
            verdict = hearing.by_trust()
        case _:
            verdict = hearing.after_verification()
    return verdict


def standing_of_2(ballot: Ballot, trust: Mapping[str, float], rules: CouncilRules) -> Standing:
    """Weigh the votes on one candidate: its safety is the least that a member gave, and a judge can only lower it."""
    least = min((vote.scores.safety for vote in ballot.votes), default=0.0)
    every = standing_of(ballot, trust, rules)
    packaged = tuple(vote for vote in ballot.votes if vote.council_agent_id != JUDGE)
    alone = (
        every if len(packaged) in (0, len(ballot.votes)) else standing_of(replace(ballot, votes=packaged), trust, rules)
    )
    lower = min(every, alone, key=lambda s: (s.approved, s.approving - s.disapproving))
    return replace(
        lower,
        score=min(every.score, alone.score),
        safety=least,
        approved=every.approved and alone.approved and least >= rules.safety_floor,
        suggestions=every.suggestions,
    )


JUDGE = "council_judge"
WRITES_FREELY = frozenset({"creative_agent"})  # whose texts are no statements of fact
_REJECTED = 0.2  # the most that a rejected answer may carry


@dataclass(frozen=True, slots=True, kw_only=True)
class _StrictHearing(_Hearing):
    def first(self) -> Verdict:
        lead = self._lead()
        if not self._leaders() and lead.safety == 0.0 and lead.suggestions:
            return self._repair(lead)
        return _Hearing.first(self)

    def by_trust(self) -> Verdict:
        verdict = _Hearing.by_trust(self)
        chosen = next(item for item in self.standings if item.candidate_id == verdict.candidate_id)
        if verdict.outcome is Outcome.ACCEPT and chosen.safety < self.rules.safety_floor:
            return self._tie_break(2, chosen, "not safe enough")
        return verdict

    def _accept(self, standing: Standing, because: str) -> Verdict:
        verdict = _Hearing._accept(self, standing, because)
        votes = next(ballot.votes for ballot in self.ballots if ballot.candidate_id == standing.candidate_id)
        unjudged = any(vote.scores.factuality is None for vote in votes)
        if unjudged and standing.agent_id not in WRITES_FREELY:
            return replace(verdict, error_code="LOW_CONFIDENCE")
        return verdict

    def _last(self, outcome: Outcome, error_code: str, because: str, answer: str | None) -> Verdict:
        verdict = _Hearing._last(self, outcome, error_code, because, answer)
        return replace(verdict, confidence=0.0 if answer is None else min(verdict.confidence, _REJECTED))


def _better(best: Best | None, standings: Sequence[Standing], rules: CouncilRules) -> Best | None:
    """Return the best answer so far; of equal ones the later, since it has been repaired."""
    safe = [standing for standing in standings if standing.safety >= rules.safety_floor]
    if not safe:
        return best
    lead = max(safe, key=lambda s: (s.score, s.trust))
    if best is not None and best.score > lead.score:
        return best
    return Best(candidate_id=lead.candidate_id, score=lead.score, confidence=lead.confidence)


def always_again(before: str | None, text: str | None, has_model: bool, is_brought: bool) -> bool:
    """The first version: a repair was tried as often as the rules allow."""
    return True


def can_change(before: str | None, text: str | None, has_model: bool, is_brought: bool) -> bool:
    """Say whether another repair may change an answer: not if the last one did not, nor where an agent only quotes.

    `before` is the text that the last repair began with, None before the first. Of agents that somebody brought nobody
    knows what may change.
    """
    return is_brought or (has_model and before != text)


def _weights(votes: Sequence[CouncilVote], trust: Mapping[str, float]) -> list[float]:
    members = [vote.council_agent_id for vote in votes]
    if not members or len(set(members)) != len(members):
        raise ValueError("each member votes once, and at least one votes")
    weights = [trust[member] for member in members if member in trust]
    if len(weights) != len(members) or not all(0 < weight < math.inf for weight in weights):
        raise ValueError("a voting member without a positive weight")
    return weights


def _rounded(number: float) -> float:
    return round(number, _DECIMALS)
