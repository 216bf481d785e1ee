"""Lines of a store that answer a question as they stand."""

import pytest

from mace.agents.reading.passages import defines, exact_line, may_answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Who leads the depot?", "Q: Who leads the depot? A: Rui.", "Rui."),
        ("who is leading the depot", "Who leads the depot?\nRui.", "Rui."),
        ("Who leads the depot?", "Question: Who leads the depot?\nAnswer: Rui.\n\nMore follows.", "Rui."),
        ("Who leads the other depot?", "Q: Who leads the depot? A: Rui.", None),
        ("When is the depot led?", "Q: Who leads the depot? A: Rui.", None),
        ("Who does not lead the depot?", "Q: Who leads the depot? A: Rui.", None),
        ("Who leads the depot?", "Q: Who leads the depot?", None),
        ("Who leads the depot?", "Who leads the depot? Who knows?", None),
        ("What is Zorblax?", "Zorblax: a tool.", "Zorblax: a tool."),
        ("what's a zorblax", "- Zorblax – a tool.", "- Zorblax – a tool."),
        ("What is Zorblax made of?", "Zorblax: a tool.", None),
        ("Where is Zorblax?", "Zorblax: a tool.", None),
        ("What is Zorb?", "Zorblax: a tool.", None),
        ("What is Zorblax?", "Ann: I have a Zorblax.", None),
        ("My name is Ann", "Name: Ann.", None),
    ],
)
def test_a_line_answers_only_its_own_question(question: str, text: str, answer: str | None):
    assert exact_line(question, text) == answer


@pytest.mark.parametrize(
    ("question", "text", "is_about_it"),
    [
        ("What is a loom?", "A loom is a frame for weaving.", True),
        ("What is a loom?", "Weaving is old. Looms are frames. A loom is one.", True),
        ("What is a loom?", "Drumfold is the part of the loom that holds dye.", False),
        ("Who is Rui?", "Marta is the sister of Rui.", False),
        ("Who leads the depot?", "Marta leads the depot.", None),
        ("What does loom mean?", "A loom is a frame.", True),
        ("What is the price of the loom?", "The price of the loom is 5 euros.", True),
    ],
)
def test_what_a_thing_is_is_said_by_a_sentence_about_it(question: str, text: str, is_about_it: bool | None):
    assert defines(question, text) is is_about_it


@pytest.mark.parametrize(
    ("question", "text", "may"),
    [
        ("What is the weight of the Ox+?", "The Ox carries up to 120 kg in its box.", False),
        ("What is the weight of the Ox+?", "The weight of the Ox+ is 44 kg.", True),
        ("What is the weight of the Ox?", "The weight of the Ox+ is 44 kg.", False),
        ("What is the weight of the Ox?", "The Ox weighs 38 kg, the Ox+ 44 kg.", True),
        ("What colour is the Heron?", "The former colour of the Heron was mint.", False),
        ("What was the former colour of the Heron?", "The former colour of the Heron was mint.", True),
        ("What's the range of the Heron?", "A spare battery for the Heron costs 420 euros.", False),
        ("What's the range of the Heron?", "The Heron folds in half and fits into a car boot.", False),
        ("How heavy is the Heron?", "The Heron weighs 24 kg.", True),
        ("What is Velolease?", "Leasing is offered through the partner Velolease.", True),
        ("Who leads the depot in Aalst?", "The depot in Aalst is led by Nora Vermeulen.", True),
    ],
)
def test_a_passage_about_something_else_is_not_quoted(question: str, text: str, may: bool):
    assert may_answer(question, text) is may
