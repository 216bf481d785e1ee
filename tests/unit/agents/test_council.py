"""The council's decision, step by step. Failure cases 7 (deadlock), 8 (low confidence), 9 (repair limit)."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mace.agents.council import (
    Ballot,
    CouncilRules,
    CouncilState,
    CouncilVote,
    Outcome,
    Scores,
    Verdict,
    council_score,
    deliberate,
)
from mace.core import canon
from mace.core.errors import FAILURES

TRUST = {"m1": 1.0, "m2": 1.0, "m3": 1.0}
EVEN = {"m1": 1.0, "m2": 0.5, "m3": 0.5}


def vote(member: str, level: float, approve: bool, suggestion: str = "", safety: float | None = None) -> CouncilVote:
    return CouncilVote(
        council_agent_id=member,
        scores=Scores(factuality=level, coherence=level, safety=level if safety is None else safety),
        approve=approve,
        suggested_changes=suggestion,
    )


def ballot(votes: Sequence[CouncilVote], name: str = "a/0", *, trust: float = 0.8, confidence: float = 0.9) -> Ballot:
    agent = name.split("/")[0]
    return Ballot(candidate_id=name, agent_id=agent, trust=trust, confidence=confidence, votes=tuple(votes))


def votes(pattern: str, level: float, suggestion: str = "", safety: float | None = None) -> list[CouncilVote]:
    """`++-` is two for and one against."""
    return [
        vote(f"m{number}", level, sign == "+", "" if sign == "+" else suggestion, safety)
        for number, sign in enumerate(pattern, start=1)
    ]


def drive(rounds: Sequence[Sequence[Ballot]], trust: dict[str, float] = TRUST) -> list[Verdict]:
    """Do what the verdicts ask, the way the engine does: a new round for a repair or a verification."""
    state, verdicts, waiting = CouncilState(), [], list(rounds)
    heard = waiting.pop(0)
    while True:
        verdict = deliberate(state, heard, trust)
        verdicts.append(verdict)
        # What was recorded is enough to go on from.
        state = CouncilState.from_json(canon.loads(canon.dumps(verdict.to_json()["state"])))
        assert state == verdict.state
        if verdict.final:
            return verdicts
        if verdict.outcome is Outcome.REPAIR or verdict.step == 2:
            heard = waiting.pop(0)


def names(verdicts: Sequence[Verdict]) -> list[str]:
    return [v.outcome.value + (f" {v.step}" if v.step else "") for v in verdicts]


@pytest.mark.parametrize(
    ("rounds", "trust", "course", "because"),
    [
        ([votes("+++", 0.9)], TRUST, ["accept"], "approved"),
        ([votes("++-", 0.6, "shorten")], TRUST, ["accept"], "approved"),
        ([votes("---", 0.9, "fix"), votes("+++", 0.9)], TRUST, ["repair", "accept"], "approved"),
        # A tie of votes, decided by the most trusted member.
        ([votes("+--", 0.9)], EVEN, ["tie_break 1", "accept"], "vote of the most trusted council agent"),
        # ... who is against: one verification decides.
        (
            [votes("-++", 0.9), votes("+++", 0.9)],
            EVEN,
            ["tie_break 1", "tie_break 2", "accept"],
            "approved after verification",
        ),
        (
            [votes("-++", 0.9), votes("-++", 0.9)],
            EVEN,
            ["tie_break 1", "tie_break 2", "deadlock"],
            "not approved after verification",
        ),
        # Two members, equally trusted and divided: trust cannot decide.
        (
            [votes("+-", 0.9), votes("+-", 0.9)],
            TRUST,
            ["tie_break 1", "tie_break 2", "deadlock"],
            "not approved after verification",
        ),
        # All for it, but below the threshold: trust cannot lift a score.
        (
            [votes("+++", 0.599999999), votes("+++", 0.599999999)],
            TRUST,
            ["tie_break 1", "tie_break 2", "deadlock"],
            "not approved after verification",
        ),
        (
            [votes("+++", 0.5), votes("+++", 0.6)],
            TRUST,
            ["tie_break 1", "tie_break 2", "accept"],
            "approved after verification",
        ),
        # Rejected, and nobody says what would help.
        (
            [votes("---", 0.9), votes("---", 0.9)],
            TRUST,
            ["tie_break 1", "tie_break 2", "deadlock"],
            "not approved after verification",
        ),
        # A repair that ends in a tie.
        (
            [votes("---", 0.9, "fix"), votes("+--", 0.9)],
            EVEN,
            ["repair", "tie_break 1", "accept"],
            "vote of the most trusted council agent",
        ),
        (
            [votes("---", 0.3, "fix")] * 4,
            TRUST,
            ["repair", "repair", "repair", "repair_limit"],
            "still rejected",
        ),
        (
            [*[votes("---", 0.3, "fix")] * 3, votes("+++", 0.7)],
            TRUST,
            ["repair", "repair", "repair", "accept"],
            "approved",
        ),
    ],
)
def test_one_candidate(rounds: list[list[CouncilVote]], trust: dict[str, float], course: list[str], because: str):
    heard = [[ballot(cast, f"a/{number}")] for number, cast in enumerate(rounds)]
    verdicts = drive(heard, trust)
    assert names(verdicts) == course
    assert verdicts[-1].because == because


def test_a_deadlock_offers_a_person_and_shows_no_answer():
    last = drive([[ballot(votes("+++", 0.4))], [ballot(votes("+++", 0.4))]])[-1]
    assert (last.outcome, last.error_code) == (Outcome.DEADLOCK, "COUNCIL_DEADLOCK")
    assert last.human_review
    assert last.candidate_id is None


def test_tie_break_two_names_whom_to_verify_and_what_was_missed():
    verdicts = drive([[ballot([vote("m1", 0.9, True), vote("m2", 0.9, False, "count again")])]] * 2)
    assert (verdicts[1].step, verdicts[1].candidate_id) == (2, "a/0")
    assert verdicts[1].suggestions == ("count again",)
    assert verdicts[1].state.chosen == "a/0"


@pytest.mark.parametrize(
    ("confidence", "level", "final", "code"),
    [
        (0.9, 0.8, 0.8, None),
        (0.7, 0.8, 0.7, None),
        (0.5, 0.8, 0.5, None),
        (0.499999999, 0.8, 0.499999999, "LOW_CONFIDENCE"),
        (0.1, 1.0, 0.1, "LOW_CONFIDENCE"),
    ],
)
def test_the_final_confidence_is_the_lesser_and_low_is_flagged(
    confidence: float, level: float, final: float, code: str | None
):
    verdict = deliberate(CouncilState(), [ballot(votes("+++", level), confidence=confidence)], TRUST)
    assert (verdict.outcome, verdict.confidence, verdict.error_code) == (Outcome.ACCEPT, final, code)
    assert verdict.human_review is (code is not None)


def test_the_repair_limit_shows_the_best_effort_of_all_rounds():
    levels = [0.3, 0.55, 0.4, 0.2]
    rounds = [[ballot(votes("---", level, f"fix {n}", 0.6), f"a/{n}")] for n, level in enumerate(levels)]
    verdicts = drive(rounds)
    assert [v.suggestions for v in verdicts[:3]] == [("fix 0",), ("fix 1",), ("fix 2",)]
    last = verdicts[-1]
    assert (last.outcome, last.error_code) == (Outcome.REPAIR_LIMIT, "REPAIR_LIMIT_EXCEEDED")
    assert (last.candidate_id, last.confidence, last.state.repairs) == ("a/1", round(1.7 / 3, 9), 3)
    assert last.human_review


def test_of_equal_efforts_the_last_is_shown():
    rounds = [[ballot(votes("---", 0.4, "fix", 0.9), f"a/{n}")] for n in range(4)]
    assert drive(rounds)[-1].candidate_id == "a/3"


def test_an_unsafe_effort_is_never_shown():
    unsafe = [vote(f"m{n}", 1.0, False, "remove the secret", safety=0.0) for n in (1, 2, 3)]
    last = drive([[ballot(unsafe, f"a/{n}")] for n in range(4)])[-1]
    assert (last.outcome, last.candidate_id, last.confidence) == (Outcome.REPAIR_LIMIT, None, 0.0)


@pytest.mark.parametrize("loops", [0, 1, 5])
def test_the_number_of_repairs_is_a_rule(loops: int):
    state, repairs = CouncilState(), 0
    rules = CouncilRules(max_repair_loops=loops)
    while (verdict := deliberate(state, [ballot(votes("---", 0.9, "fix"))], TRUST, rules)).outcome is Outcome.REPAIR:
        state, repairs = verdict.state, repairs + 1
    assert (verdict.outcome, repairs) == (Outcome.REPAIR_LIMIT, loops)


@pytest.mark.parametrize(
    ("candidates", "course", "answer"),
    [
        # The better score wins, whatever the trust.
        ([("a/0", 0.9, 0.7, "+++"), ("b/0", 0.2, 0.8, "+++")], ["accept"], "b/0"),
        # Equal scores: the most trusted agent's output.
        ([("a/0", 0.5, 0.8, "+++"), ("b/0", 0.9, 0.8, "+++")], ["tie_break 1", "accept"], "b/0"),
        # Equal scores and trust: verify one; here both still stand, and the verified one is the answer.
        (
            [("b/0", 0.9, 0.8, "+++"), ("a/0", 0.9, 0.8, "+++")],
            ["tie_break 1", "tie_break 2", "accept"],
            "a/0",
        ),
        # An approved candidate beats a better-scored one that was rejected.
        ([("a/0", 0.9, 0.7, "+++"), ("b/0", 0.9, 0.95, "---")], ["accept"], "a/0"),
        # Nobody good enough: the most trusted one is verified, and fails.
        (
            [("a/0", 0.9, 0.3, "+++"), ("b/0", 0.5, 0.5, "+++")],
            ["tie_break 1", "tie_break 2", "deadlock"],
            None,
        ),
    ],
)
def test_several_candidates(candidates: list[tuple[str, float, float, str]], course: list[str], answer: str | None):
    heard = [ballot(votes(pattern, level), name, trust=trust) for name, trust, level, pattern in candidates]
    verdicts = drive([heard, heard])
    assert names(verdicts) == course
    assert verdicts[-1].candidate_id == answer
    assert names(drive([heard[::-1], heard[::-1]])) == course


def test_the_most_trusted_of_several_is_verified():
    heard = [ballot(votes("+++", 0.5), "a/0", trust=0.5), ballot(votes("+++", 0.3), "b/0", trust=0.9)]
    assert drive([heard, heard])[1].candidate_id == "b/0"


def test_when_the_verified_one_of_two_equals_falls_the_other_is_the_answer():
    two = [ballot(votes("+++", 0.8), "a/0"), ballot(votes("+++", 0.8), "b/0")]
    refuted = [ballot(votes("---", 0.4), "a/0"), two[1]]
    assert drive([two, refuted])[-1].candidate_id == "b/0"


def test_the_score_is_weighted_by_trust():
    cast = [vote("m1", 1.0, True), vote("m2", 0.0, True)]
    assert council_score(cast, {"m1": 3.0, "m2": 1.0}) == 0.75
    assert council_score(cast, {"m1": 1.0, "m2": 1.0}) == 0.5
    mixed = CouncilVote(
        council_agent_id="m1", scores=Scores(factuality=0.92, coherence=0.88, safety=0.99), approve=True
    )
    assert council_score([mixed], TRUST) == 0.93


def test_a_sum_that_only_rounding_makes_even_is_a_tie():
    weights = {"m1": 0.1, "m2": 0.2, "m3": 0.3}  # 0.1 + 0.2 != 0.3 in floats
    assert names(drive([[ballot(votes("++-", 0.9))]] * 2, weights))[0] == "tie_break 1"
    assert deliberate(CouncilState(), [ballot([vote("m1", 0.6, True)])], {"m1": 0.1}).outcome is Outcome.ACCEPT


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.booleans(), st.sampled_from(["", "fix"])),
        min_size=1,
        max_size=5,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_votes_does_not_matter(cast: list[tuple[float, float, float, bool, str]], shuffler):
    trust = {f"m{n}": 0.1 + n / 7 for n in range(len(cast))}
    given_votes = [
        CouncilVote(
            council_agent_id=f"m{n}",
            scores=Scores(factuality=f, coherence=c, safety=s),
            approve=approve,
            suggested_changes=change,
        )
        for n, (f, c, s, approve, change) in enumerate(cast)
    ]
    shuffled = list(given_votes)
    shuffler.shuffle(shuffled)
    first, second = (deliberate(CouncilState(), [ballot(v)], trust).to_json() for v in (given_votes, shuffled))
    assert canon.dumps(first) == canon.dumps(second)


@given(st.lists(st.tuples(st.sampled_from(["+++", "++-", "+--", "---"]), st.floats(0, 1), st.booleans()), min_size=6))
def test_every_deliberation_ends(rounds: list[tuple[str, float, bool]]):
    heard = [[ballot(votes(p, level, "fix" if helps else ""), f"a/{n}")] for n, (p, level, helps) in enumerate(rounds)]
    for trust in (TRUST, EVEN):
        verdicts = drive(heard, trust)
        assert len(verdicts) <= 6
        assert verdicts[-1].final
        assert verdicts[-1].error_code is None or verdicts[-1].error_code in FAILURES


@pytest.mark.parametrize(
    "heard",
    [
        [],
        [ballot([])],
        [ballot(votes("+", 0.9)), ballot(votes("+", 0.9))],
        [ballot([vote("m1", 0.9, True), vote("m1", 0.9, True)])],
        [ballot([vote("stranger", 0.9, True)])],
        [ballot(votes("+", 0.9), trust=0.0)],
        [ballot(votes("+", 0.9), confidence=1.1)],
        [ballot(votes("+", 0.9), confidence=float("nan"))],
    ],
)
def test_what_cannot_be_weighed_is_refused(heard: list[Ballot]):
    with pytest.raises(ValueError, match=r"needs|votes|weight|impossible"):
        deliberate(CouncilState(), heard, TRUST)


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_a_member_needs_a_positive_weight(weight: float):
    with pytest.raises(ValueError, match="weight"):
        deliberate(CouncilState(), [ballot(votes("+", 0.9))], {"m1": weight})


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_score_lies_between_nothing_and_one(score: float):
    with pytest.raises(ValueError, match="score"):
        Scores(factuality=score, coherence=0.5, safety=0.5)


def test_a_vote_has_exactly_the_fields_of_the_reflective_log():
    cast = CouncilVote(
        council_agent_id="council_eval_v1",
        scores=Scores(factuality=0.92, coherence=0.88, safety=0.99),
        approve=True,
        suggested_changes="Shorten intro",
        note="missing numeric check",
    )
    assert cast.to_json() == {
        "council_agent_id": "council_eval_v1",
        "scores": {"factuality": 0.92, "coherence": 0.88, "safety": 0.99},
        "approve": True,
        "suggested_changes": "Shorten intro",
        "note": "missing numeric check",
    }
    assert CouncilVote.from_json(cast.to_json()) == cast
