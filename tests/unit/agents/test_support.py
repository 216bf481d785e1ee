"""Whether a text says what its sources say: a table for each way to be right, wrong or unsure."""

import pytest

from mace.agents import council, support, wording
from mace.agents.council import Ballot, CouncilRules, CouncilState, CouncilVote, Outcome, Scores
from mace.agents.judging import MEMBERS

SURE = [
    ("The depot opened on 2022-09-14.", "When did the depot open?", "The depot opened on 14 September 2022."),
    ("The gate closes at 10 pm.", "When does the gate close?", "The gate closes at 22:00."),
    ("The gate opens at half past five.", "When does the gate open?", "It opens at 5:30."),
    ("The ticket costs $45.", "What does the ticket cost?", "The ticket costs forty-five dollars."),
    ("The grant covers 60% of the costs.", "What does the grant cover?", "It covers sixty percent of the costs."),
    ("The list has 1.2 million readers.", "How many readers has the list?", "The list has 1,200,000 readers."),
    ("Rui Lopes leads the depot.", "Who leads the depot?", "The depot is led by Rui Lopes."),
    ("Rui taught Ana to dive.", "Who taught Ana to dive?", "Ana was taught to dive by Rui."),
    ("The mill has no school.", "Has the mill a school?", "No."),
    ("Pets are not allowed in the hall.", "Are pets allowed in the hall?", "No, pets are not allowed in the hall."),
    ("The well is 40 metres deep and never ran dry.", "How deep is the well?", "The well is forty metres deep."),
]
UNSURE = [
    ("Anna defeated Maria in the final.", "Who won?", "Maria defeated Anna in the final."),
    ("Kofi reports to Linda.", "Who does Kofi report to?", "Linda reports to Kofi."),
    ("The ferry goes from Faro to Lagos.", "Where does the ferry go?", "The ferry goes from Lagos to Faro."),
    ("Mira is older than Tomas.", "Who is older?", "Tomas is older than Mira."),
    ("The well is dry in summer and full in winter.", "When is the well full?", "The well is full in summer."),
    ("The shop opens at nine and closes at five.", "When does the shop close?", "The shop closes at nine."),
    ("Interns earn 900 euros and trainees 950 euros.", "What do trainees earn?", "Trainees earn 900 euros."),
    ("Queen Ada was succeeded by her nephew Ido.", "Who succeeded Queen Ada?", "Queen Ada succeeded her nephew Ido."),
    ("Members may vote by post.", "How do members vote?", "Members must vote by post."),
    ("The bridge may open in 2030.", "When does the bridge open?", "The bridge opens in 2030."),
    ("The former head of the mill is Ana Reis.", "Who is the head of the mill?", "The head of the mill is Ana Reis."),
    ("The head of the mill was Ana Reis.", "Who is the head of the mill?", "The head of the mill is Ana Reis."),
    ("The lift carries at most 8 persons.", "How many persons does the lift carry?", "The lift carries 80 percent."),
    ("The grant covers 60 percent of the costs.", "What does the grant cover?", "The grant covers all of the costs."),
    ("The ward has 36 beds, nine of them new.", "How many beds has the ward?", "The ward has nine beds."),
    ("Tickets bought online can be returned, those bought at the door cannot.", "Can tickets be returned?",
     "Tickets bought at the door can be returned."),
    ("The head of the Setubal depot is Rui Lopes.", "Who is the head of the Almada depot?", "It is Rui Lopes."),
]  # fmt: skip
WRONG = [
    ("The depot has twelve docks.", "How many docks are there?", "The depot has 14 docks.", "numbers"),
    ("The cheese ripens for eighteen months.", "How long?", "The cheese ripens for eighteen days.", "numbers"),
    ("The lock is kept at 8 degrees.", "At what temperature?", "The lock is kept at -8 degrees.", "numbers"),
    ("Rui Lopes leads the depot.", "Who leads it?", "The depot is led by Bruno Costa.", "names"),
    ("Rui Lopes leads the depot.", "Who leads the depot?", "Rui Lopes does not lead the depot.", "contradicts"),
    ("Pets are not allowed in the hall.", "Are pets allowed in the hall?", "Yes.", "contradicts"),
    ("Rui Lopes leads the depot.", "Who leads the depot?", "Rui Lopes leads the depot [7].", "citations"),
]


@pytest.mark.parametrize(("source", "question", "text"), SURE)
def test_what_a_source_says_in_other_words_is_sure(source: str, question: str, text: str):
    assert support.held_to(question, text, [source]).is_sure


@pytest.mark.parametrize(("source", "question", "text"), UNSURE)
def test_other_roles_clauses_and_moods_are_not(source: str, question: str, text: str):
    assert not support.held_to(question, text, [source]).is_sure


@pytest.mark.parametrize(("source", "question", "text", "found"), WRONG)
def test_errors_are_named(source: str, question: str, text: str, found: str):
    held = support.held_to(question, text, [source])
    assert held.is_wrong
    assert getattr(held, found)


def test_a_citation_of_a_passage_that_does_not_say_it_is_an_error():
    sources = ["Rui Lopes leads the depot.", "The depot has twelve docks."]
    assert support.held_to("Who leads the depot?", "Rui Lopes leads the depot [1].", sources).is_sure
    assert support.held_to("Who leads the depot?", "Rui Lopes leads the depot [2].", sources).citations == (2,)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("see [1]", [1]), ("see [1, 3]", [1, 3]), ("as passage 2 says", [2]), ("see [passage 4].", [4]), ("none", [])],
)
def test_citations_are_no_numbers(text: str, numbers: list[int]):
    assert support.citations(text) == numbers
    assert support.said_by(support.without_citations(text)).numbers == ()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2021-03-05", "5 March 2021"),
        ("at 2 pm", "at 14:00"),
        ("12 am", "0:00"),
        ("€5", "5 euros"),
        ("5 km", "5 kilometers"),
        ("the 3rd", "the 3"),
        ("-4", "~4"),
        ("2-8", "2 8"),
    ],
)
def test_units_dates_and_times_are_written_one_way(text: str, plain: str):
    assert wording.plain(text) == plain


def test_what_is_judged_is_bounded():
    held = support.held_to("Who?", "Rui leads it. " * 500, ["Rui leads the depot and has 12 docks. " * 500])
    assert held.apart


# A judge's vote


def ballot(approves: bool, judge: Scores | None) -> Ballot:
    scores = Scores(factuality=0.9 if approves else 0.2, coherence=1.0, safety=1.0)
    votes = tuple(
        CouncilVote(council_agent_id=f"council_eval_v{at}", scores=scores, approve=approves, suggested_changes="x")
        for at in (1, 2, 3)
    )
    if judge is not None:
        votes += (
            CouncilVote(
                council_agent_id=council.JUDGE, scores=judge, approve=min(judge.given) >= 0.5, suggested_changes="y"
            ),
        )
    return Ballot(candidate_id="a/0", agent_id="generic_agent", trust=0.5, confidence=0.9, votes=votes)


@pytest.mark.parametrize(
    ("approves", "judge", "outcome"),
    [
        (True, None, Outcome.ACCEPT),
        (True, Scores(factuality=1.0, coherence=1.0, safety=1.0), Outcome.ACCEPT),
        (True, Scores(factuality=0.0, coherence=1.0, safety=1.0), Outcome.TIE_BREAK),
        (True, Scores(factuality=1.0, coherence=1.0, safety=0.1), Outcome.TIE_BREAK),
        (False, None, Outcome.REPAIR),
        (False, Scores(factuality=1.0, coherence=1.0, safety=1.0), Outcome.REPAIR),
    ],
)
def test_a_judge_lowers_and_never_lifts(approves: bool, judge: Scores | None, outcome: Outcome):
    verdict = council.deliberate_2(CouncilState(), [ballot(approves, judge)], MEMBERS, CouncilRules())
    assert verdict.outcome is outcome


HOUSE = "The Brenta tower was raised in 1902 by Clara Voss. It is not open to guests in autumn."
PUMP = "The warranty of the Lux pump is valid for two years unless the seal is broken."
MILL = "Before 2015 the mill was owned by the Hart family, since 2015 it has been owned by Nordmill."
BOAT = "The boat to Vik leaves at 7:40."


@pytest.mark.parametrize(
    ("question", "said", "source", "is_sure"),
    [
        ("Who raised the Brenta tower?", "Clara Voss raised the Brenta tower.", HOUSE, True),
        ("Who raised the Brenta tower?", "Clara Brenta raised the Voss tower.", HOUSE, False),
        ("Who raised the Brenta tower?", "The Brenta tower was raised for Clara Voss.", HOUSE, False),
        ("Is the Brenta tower open to guests in autumn?", "No.", HOUSE, True),
        ("Is the Brenta tower open to guests in autumn?", "The Brenta tower is not open to guests.", HOUSE, False),
        ("How long is the Lux pump's warranty valid?", "Two years unless the seal is broken.", PUMP, True),
        ("How long is the Lux pump's warranty valid?", "Two years if the seal is broken.", PUMP, False),
        ("How long is it valid?", "The warranty is valid unless the seal is broken for two years.", PUMP, False),
        ("Who owns the mill?", "The Hart family.", MILL, False),
        ("Who owned the mill before 2015?", "The Hart family.", MILL, True),
        ("When does the boat to Vik leave?", "It leaves at 7:40.", BOAT, True),
        ("When does the boat to Vik leave?", "It leaves Vik at 7:40.", BOAT, False),
        ("When are bills paid?", "The bills have been paid.", "Bills are paid on Fridays.", False),
    ],
)
def test_who_does_it_under_which_condition_and_whose_name_it_is(question: str, said: str, source: str, is_sure: bool):
    assert support.held_to(question, said, [source]).is_sure is is_sure


@pytest.mark.parametrize(
    ("question", "said", "source", "contradicts"),
    [
        ("Does it cover rust?", "Yes, it covers rust.", "It covers theft but not rust.", True),
        ("Does it cover rust?", "No, it covers theft but not rust.", "It covers theft but not rust.", False),
        ("Does it cover theft?", "Yes, it covers theft.", "It covers theft but not rust.", False),
        ("Does the pass include trains?", "Yes.", "The pass includes buses, not trains.", True),
        ("Does the pass include buses?", "Yes.", "The pass includes buses, not trains.", False),
        ("Is the bath open?", "No, it is closed.", "The bath is closed.", False),
    ],
)
def test_yes_and_no_are_held_to_what_is_denied(question: str, said: str, source: str, contradicts: bool):
    assert support.held_to(question, said, [source]).contradicts is contradicts
