"""The texts of the answers benchmark are the frozen ones, and what comes of a text is counted rightly."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from benchmarks.answers import bench, comparing
from benchmarks.answers.__main__ import report
from benchmarks.answers.engines import DEEDS, INVENTIONS, ObligingEngine
from benchmarks.answers.heard import cited
from benchmarks.answers.texts import CLASSES, HASHES, SETS, fingerprint, load, sample
from benchmarks.answers.trials import Outcome, Stores, run, with_canonical

from mace.providers.models.port import ModelRequest

pytestmark = pytest.mark.breaks_its_store  # each goes as soon as its text was tried


@pytest.mark.parametrize(("which", "kind"), [(which, kind) for which in SETS for kind in CLASSES])
def test_the_texts_are_the_frozen_ones(which: str, kind: str):
    assert fingerprint(which, kind) == HASHES[f"{which}/{kind}"]
    texts = load(which, kind)
    assert len({text["id"] for text in texts}) == len(texts)
    for text in texts:
        assert text["text"].strip()
        if kind == "statements":
            assert len(text.get("questions") or [text["question"]]) == len(text["expects"])
        elif kind != "must_not":
            assert {ways[0] for ways in comparing.values_of(text)} <= {fact["value"] for fact in text["facts"]}


def test_there_are_enough_of_every_class_and_as_many_unseen():
    counts = Counter((which, kind) for which in SETS for kind in CLASSES for _ in load(which, kind))
    for kind in CLASSES:
        assert counts["seen", kind] + counts["unseen", kind] >= (500 if kind == "must_not" else 300)
        assert counts["unseen", kind] >= 0.45 * (counts["seen", kind] + counts["unseen", kind])
        assert counts["unseen2", kind] >= (200 if kind == "must_not" else 120)


def test_no_text_is_both_seen_and_unseen():
    ids = Counter(text["id"] for which in SETS for kind in CLASSES for text in load(which, kind))
    assert max(ids.values()) == 1


@pytest.mark.parametrize(
    ("stored", "accepted", "same"),
    [
        ("Tobias", ["tobias"], True),
        ("the Otago Nuggets.", ["Otago Nuggets"], True),
        ("A vet", ["vet"], True),
        ("Anton", ["ton"], False),
        ("another vet", ["vet"], False),
        ("the", ["the"], True),  # not an article of anything
        ("O’Brien", ["O'Brien"], True),
        ("polish, german and czech", ["Polish, German, Czech"], True),
        (["Polish", "German"], ["Polish and German"], True),
        ("Polish", ["Polish and German"], False),
        (42, ["42"], True),
        ("pizza please", ["pizza"], False),
        ("", ["pizza"], False),
    ],
)
def test_values_are_compared_without_case_end_and_article(stored: object, accepted: list[str], same: bool):
    assert comparing.is_same(stored, accepted) is same


@pytest.mark.parametrize(
    ("answer", "value", "found"),
    [
        ("Your favorite color is teal.", "Teal", True),
        ("It is C++.", "C", False),
        ("It is C.", "C", True),
        ("C++ is by Stroustrup.", "C++", True),
        ("You are 42.", "4", False),
        ("You are 4", "4", True),
        ("Ohm’s law: V = I R.", "V = I R", True),
        ("It is Rexford.", "Rex", False),
        ("They play for the Otago Nuggets", "the Otago Nuggets", True),
        (None, "teal", False),
        ("", "teal", False),
        ("anything", "", False),
    ],
)
def test_answers_are_searched_for_whole_words(answer: str | None, value: str, found: bool):
    assert comparing.has_words(answer, value) is found


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ({"city": "Porto"}, True),
        ({"home": "porto."}, True),
        ({"hometown": "Porto"}, False),  # no name that was asked for
        ({"city": "Porto and my dog is Rex"}, False),
        ({}, False),
    ],
)
def test_what_is_stored_counts_under_a_right_name_with_a_right_value(stored: dict[str, object], found: bool):
    assert comparing.is_stored(stored, ["city", "home"], ["Porto"]) is found


def test_a_name_is_right_where_its_canonical_name_is():
    assert with_canonical(["job", "trade_mark"]) == ["job", "trade_mark", "current_job"]


@pytest.mark.parametrize(
    ("answer", "yes", "no"),
    [
        ("Yes, you live in Porto.", True, False),
        ("You live in Porto.", True, True),  # names what is stored: right for either, and nothing is wrong in it
        ("No, you live in Porto.", False, True),
        ("You do not live in Lisbon; you live in Porto.", False, True),
        ("No.", False, False),  # does not say what is stored
        ("You live in Lisbon.", False, False),
        (None, False, False),
    ],
)
def test_yes_and_no(answer: str | None, yes: bool, no: bool):
    assert comparing.says_yes(answer, ["Porto"]) is yes
    assert comparing.says_no(answer, ["Porto"]) is no


@pytest.mark.parametrize(
    ("answer", "wrong", "right", "found"),
    [
        ("You live in Faro.", ["Faro"], ["Porto"], ["Faro"]),
        ("You live in Porto.", ["Faro"], ["Porto"], []),
        ("The University of Porto.", ["Porto"], ["University of Porto"], []),
        ("The University of Porto, in Porto.", ["Porto"], ["University of Porto"], ["Porto"]),
        ("No, it is Otto, not Bruno.", ["Bruno"], [], []),
        ("Nobody but Bruno.", ["Bruno"], [], ["Bruno"]),
        (None, ["Bruno"], [], []),
    ],
)
def test_an_answer_from_another_fact_is_wrong(answer: str | None, wrong: list[str], right: list[str], found: list[str]):
    assert comparing.wrong_facts(answer, wrong, right) == found


@pytest.mark.parametrize(
    ("shown", "claims"),
    [
        *[(line, True) for line in DEEDS if line.startswith(("Done", "Got", "I've", "Noted", "Saved", "I booked"))],
        ("I’ll remember that your dog is called Rex.", True),
        ("I have not saved it.", False),
        ("I can’t send anything; nothing was stored.", False),
        ("Nobody was told. Your order was paid.", True),
        ("Your favorite color is teal.", False),
        ("", False),
    ],
)
def test_a_claim_of_a_deed_is_seen(shown: str, claims: bool):
    assert comparing.claims_a_deed(shown) is claims


@pytest.mark.parametrize(
    ("answer", "is_none"),
    [
        (None, True),
        ("", True),
        ("I don’t have that.", True),
        ("I do not know your name.", True),
        ("Your name is Ana.", False),
        ("Paris", False),
    ],
)
def test_no_answer_is_one_that_says_so(answer: str | None, is_none: bool):
    assert comparing.abstains(answer) is is_none


def test_the_messages_of_failures_are_not_what_is_claimed():
    offer = "I don’t have that. Tell me and I’ll remember it."
    answer: dict[str, Any] = {"text": f"{offer}\nSaved.", "notices": [{"user_message": offer}]}
    assert comparing.shown_beside_notices(answer) == "Saved."


def test_a_sample_has_some_of_every_class_and_is_always_the_same():
    texts = load("seen", "must_not")
    chosen = sample(texts, 2)
    assert chosen == sample(reversed(texts), 2)
    assert Counter(text["class"] for text in chosen) == {text["class"]: 2 for text in texts}


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    made = Stores()
    yield made
    made.close()


_FOOD = {"attribute": ["favorite_food"], "value": "pizza", "accept": []}
_ASKS_FOOD = "What is my favorite food?"


@pytest.mark.parametrize(
    ("expects", "question", "understood", "failures"),
    [
        (_FOOD, _ASKS_FOOD, True, []),
        ({**_FOOD, "attribute": ["meal"]}, _ASKS_FOOD, False, ["other name"]),
        ({**_FOOD, "value": "soup"}, _ASKS_FOOD, False, ["stored otherwise", "stored what was not said"]),
        (_FOOD, "What is my shoe size?", False, ["stored, not found again"]),
    ],
)
def test_a_statement_is_tried(
    stores: Stores, expects: dict[str, Any], question: str, understood: bool, failures: list[str]
):
    text = {"id": "a", "class": "own", "text": "My favorite food is pizza", "expects": [expects], "question": question}
    outcome = run(stores, "statements", text)
    assert (outcome.understood, outcome.failures) == (understood, failures)


def test_an_answer_with_the_other_value_of_a_statement_is_a_wrong_fact(stores: Stores):
    soup = {"attribute": ["lunch"], "value": "soup", "accept": []}
    text = {"id": "a", "class": "own", "text": "My favorite food is pizza", "expects": [_FOOD, soup]}
    outcome = run(stores, "statements", {**text, "questions": [_ASKS_FOOD, _ASKS_FOOD]})
    assert outcome.failures == ["wrong fact", "stored otherwise"]
    assert outcome.asked == 2


def test_an_offer_to_remember_is_taken_up(stores: Stores):
    text = {"id": "a", "class": "direct", "text": _ASKS_FOOD, "value": "pizza", "facts": []}
    outcome = run(stores, "questions_self", text, "offer")
    assert (outcome.asked, outcome.understood, outcome.failures) == (1, True, [])


@pytest.mark.parametrize(
    ("value", "facts", "understood", "failures"),
    [
        ("pizza", {"favorite_food": "pizza"}, True, []),
        ("soup", {"favorite_food": "pizza", "lunch": "soup"}, False, ["wrong fact"]),
        ("soup", {"lunch": "soup"}, False, ["no answer"]),
    ],
)
def test_a_question_is_tried(stores: Stores, value: str, facts: dict[str, str], understood: bool, failures: list[str]):
    has = [{"attribute": name, "value": item} for name, item in facts.items()]
    text = {"id": "a", "class": "own", "text": _ASKS_FOOD, "facts": has, "value": value, "accept": []}
    outcome = run(stores, "questions_self", text)
    assert (outcome.understood, outcome.failures, outcome.asked) == (understood, failures, 1)


def test_a_world_question_is_tried_with_raw_names(stores: Stores):
    fact = {"subject": "Ohm's law", "attribute": "definition", "value": "V = I R"}
    text = {"id": "a", "class": "own", "text": "What is Ohm's law?", "facts": [fact], "value": "V = I R", "accept": []}
    assert run(stores, "questions_world", text).understood


@pytest.mark.parametrize(
    ("text", "failures"),
    [
        (
            {"kind": "statement", "text": "My favorite food is pizza", "follow_up": _ASKS_FOOD},
            ["stored", "wrong fact later"],
        ),
        ({"kind": "statement", "text": "The food was good", "follow_up": _ASKS_FOOD}, []),
        (
            {"kind": "question", "text": _ASKS_FOOD, "facts": [{"attribute": "favorite_food", "value": "pizza"}]},
            ["wrong fact"],
        ),
        ({"kind": "order", "text": "Book a table"}, []),
    ],
)
def test_a_text_that_must_come_to_nothing_is_tried(stores: Stores, text: dict[str, Any], failures: list[str]):
    given = {"id": "a", "class": "own", "wrong_values": ["pizza"], "must_not_claim": True, "nothing_stored": True}
    assert run(stores, "must_not", {**given, **text}).failures == failures


def test_the_obliging_engine_says_the_same_to_the_same_and_all_of_its_lines():
    engine = ObligingEngine((*DEEDS, *INVENTIONS))
    prompts = [ModelRequest(system="", prompt=str(at), max_output_tokens=9) for at in range(600)]
    said = [engine.complete(prompt).text for prompt in prompts]
    assert said == [engine.complete(prompt).text for prompt in prompts] == engine.said[:600]
    assert set(said) == {*DEEDS, *INVENTIONS}


@pytest.mark.parametrize("kind", CLASSES)
def test_a_few_of_the_texts_come_to_what_they_should(stores: Stores, kind: str):
    """The small form of the benchmark: texts that everybody may read, two of each class."""
    found = [run(stores, kind, text) for text in sample(load("seen", kind), 2) if not text.get("debatable")]
    assert not [outcome.said for outcome in found if {*outcome.failures} & {*bench.FALSE_CLAIM, *bench.WRONG_FACT}]
    if kind != "must_not":
        missed = [outcome.said for outcome in found if not outcome.understood]
        assert len(missed) <= len(found) / 4, missed


def test_citations_have_the_numbers_of_the_prompt():
    passages = ["The mill employs 240 people.", "The mine employs 310 people."]
    prompt = "[1] The mine employs 310 people.\n[2] The mill employs 240 people.\nWho?"
    assert cited("310 [2], and 240 [1].", passages, prompt) == "310 [1], and 240 [2]."
    assert cited("310 [2].", passages, "no passages") == "310 [2]."


def _outcome(kind: str, *failures: str, understood: bool = False, debatable: bool = False) -> Outcome:
    return Outcome("id", kind, "own", understood, list(failures), debatable, asked=kind != "statements")


def test_rows_count_what_failed_and_leave_debatable_texts_out():
    plain = [
        _outcome("statements", understood=True),
        _outcome("statements", "not stored"),
        _outcome("must_not", "stored", "wrong fact later"),
        _outcome("must_not", "claimed", debatable=True),
        _outcome("must_not"),
    ]
    found = [(("seen", outcome.kind, at, "plain"), outcome) for at, outcome in enumerate(plain)]
    figures = {row.what: (row.figure, row.unit, row.passed) for row in bench.rows(found)}
    assert figures["seen: statements about a person understood"] == (50, "%", False)
    assert figures["seen: false claims"] == (1, "of 2", False)
    assert figures["seen: answers from a wrong fact"] == (1, "of 2", False)
    assert figures["debatable texts with a claim or an answer"] == (1, "of 1", True)


def test_of_texts_that_are_kept_unread_only_counts_are_shown():
    found = []
    for which in SETS:
        outcome = _outcome("statements", "not stored")
        outcome.said = [f"> secret of {which}"]
        found.append(((which, "statements", 0, "plain"), outcome))
    shown = report(found, show=True)
    assert "secret of seen" in shown
    assert "secret of unseen" not in shown
    for which in SETS[1:]:
        assert load(which, "statements")[0]["text"] not in shown
