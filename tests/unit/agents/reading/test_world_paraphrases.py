"""A frozen table of everyday questions: most find their fact, none finds another, and the traps find nothing."""

import pytest
from tests.unit.agents.reading.world_paraphrases import ASKED, STORED, TRAPS

from mace.agents.reading import world
from mace.memory.keys import fold_name, normalise

_BY_NAME = {fold_name(name): {normalise(a): v for a, v in facts.items()} for name, facts in STORED.items()}
_LEAST = 88  # of the hundred


def _answer(text: str) -> tuple[str, str] | None:
    """The subject and the attribute that answer a question, if all of the table is stored."""
    question = world.read_question(text)
    if question is None:
        return None
    found = [
        world.Found(name, f"world/fact/{fold_name(name)}", tuple(sorted(_BY_NAME[fold_name(name)])))
        for name in question.subjects
        if fold_name(name) in _BY_NAME
    ]
    choices, _ = world.choose(question, found)
    for choice in choices:
        slug = choice.key.split("/")[2]
        if world.fits(choice, _BY_NAME[slug][choice.attribute]):
            return slug, choice.attribute
    return None


def test_most_of_the_table_is_answered_and_none_of_it_from_another_fact():
    answers = {text: (_answer(text), (fold_name(subject), normalise(name))) for text, subject, name in ASKED}
    assert {text: got for text, (got, right) in answers.items() if got not in (None, right)} == {}
    assert len(answers) == 100
    assert sum(got == right for got, right in answers.values()) >= _LEAST


@pytest.mark.parametrize("text", TRAPS)
def test_a_trap_is_not_answered(text: str):
    assert _answer(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Which river runs dry in Hesk?",
        "Does the Nimbus 3 cost over 899 euros?",
        "Does the Nimbus 3 cost less than 899 euros?",
        "Does the Nimbus 3 not cost 899 euros?",
        "Did the Nimbus 3 cost 899 euros in 2020?",
        "Was Ostra founded by Lea Marchetti?",
        "Was the Nimbus 3 made by Falk?",
        "How many boats did Brack Ferries sink?",
        "How many employees did Ostra take over?",
        "How many employees does Ostra want?",
        "How big is the battery of the Nimbus 3?",
        "How long does the screen of the Nimbus 3 last?",
        "How many hours does the Nimbus 3 need to charge?",
        "Which town is the mayor of Hesk from?",
        "Which town is the founder of Quillmark Press in?",
        "Where is the mayor of Hesk?",
        "When is the Stellan Festival over?",
        "What does Ostra make?",
        "How do I get to the Torvald Museum?",
        "What do I pay for the Nimbus 3 each month?",
        "What warranty do competitors of the Nimbus 3 offer?",
        "What kind of river is Hesk?",
        "Give me the Nimbus 3",
    ],
)
def test_a_verb_or_a_noun_that_changes_the_question_gets_no_answer(text: str):
    assert _answer(text) is None


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Does the Nimbus 3 cost 899 euros?", "price"),
        ("Was the Nimbus 3 made by Ostra?", "manufacturer"),
        ("Is Ostra based in Graz?", "headquarters"),
        ("Which town does Ostra sit in?", "headquarters"),
        ("Give me the price of the Nimbus 3", "price"),
    ],
)
def test_the_verb_of_a_fact_may_be_used(text: str, attribute: str):
    got = _answer(text)
    assert got is not None
    assert got[1] == attribute


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What is the price of the Ox and of the Heron?", ("price of the Ox", "price of the Heron")),
        ("What is the price of the Ox and the Heron?", ("price of the Ox", "price of the Heron")),
        ("How much do the Ox and the Heron cost?", ("do the Ox cost", "do the Heron cost")),
        ("What's the price and weight of the Heron?", ("price of the Heron", "the weight of the Heron")),
        ("What are the Heron's price and weight?", ("Heron's price", "Heron's weight")),
        ("What is the price of the Ox? And how heavy is it?", ("price of the Ox", "how heavy is it")),
        ("How heavy and how expensive is the Ox?", ("heavy is the Ox", "expensive is the Ox")),
    ],
)
def test_a_text_may_be_two_questions(text: str, parts: tuple[str, str]):
    question = world.read(text)
    assert question is not None
    assert any(all(part in said for part, said in zip(parts, way, strict=True)) for way in question.parts)


@pytest.mark.parametrize("text", ["What is the price of the Ox?", "What is the total price of the Ox and the Heron?"])
def test_other_texts_are_one(text: str):
    question = world.read(text)
    assert question is not None
    assert question.parts == ()


def test_it_stands_for_the_subject_of_the_first_part():
    assert world.about("how heavy is it?", "Ox") == "how heavy is Ox?"
    assert world.about("what is its price?", "Ox") == "what is Ox's price?"
