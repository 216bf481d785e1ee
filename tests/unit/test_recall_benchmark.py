"""The dialogues of the recall benchmark are the frozen ones, and what was found of them is counted rightly."""

import pytest
from benchmarks.recall.dialogues import CLASSES, DIALOGUES, HASHES, fingerprint, make
from benchmarks.recall.score import fill, found, share, tokens, with_neighbours


@pytest.mark.parametrize("name", [name for name, _, _ in DIALOGUES])
def test_a_dialogue_is_the_frozen_one(name: str):
    dialogue = make(name)
    assert fingerprint(dialogue) == HASHES[name]
    assert 400 <= len(dialogue.turns) <= 1210
    ids = [turn.id for turn in dialogue.turns]
    assert len(set(ids)) == len(ids)
    assert [turn.at for turn in dialogue.turns] == sorted(turn.at for turn in dialogue.turns)
    for question in dialogue.questions:
        assert question.kind in CLASSES
        assert question.evidence
        assert all(group and set(group) <= set(ids) for group in question.evidence)


def test_there_are_enough_questions_of_every_class():
    kinds = [question.kind for name in HASHES for question in make(name).questions]
    assert len(kinds) >= 300
    assert min(kinds.count(kind) for kind in CLASSES) >= 50


TEXTS = ["Ana: It rains.", "Bo: Where is the key?", "Ana: Under the blue pot, as ever.", "Bo: Good night!", "Ana: Bye."]


@pytest.mark.parametrize(
    ("evidence", "taken", "hits", "part"),
    [
        ([["a"]], {"a"}, [True], 1.0),
        ([["a"]], set(), [False], 0.0),
        ([["a", "b"]], {"b"}, [True], 1.0),  # said twice: one of them will do
        ([["a"], ["b"]], {"a", "x"}, [True, False], 0.5),  # both are needed
        ([["a", "c"], ["b"], ["d"]], {"a", "c"}, [True, False, False], 1 / 3),  # twice the same counts once
    ],
)
def test_what_was_found_of_the_evidence(evidence: list[list[str]], taken: set[str], hits: list[bool], part: float):
    assert found(evidence, taken) == hits
    assert share(evidence, taken) == part


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("äöü", 2), ("日本", 2), ("a\nb", 1)]
)
def test_a_token_is_four_bytes_begun(text: str, count: int):
    assert tokens(text) == count


@pytest.mark.parametrize(("reach", "order"), [(0, [2, 0]), (1, [2, 3, 1, 0]), (2, [2, 3, 1, 4, 0])])
def test_neighbours_follow_the_turn_they_stand_beside(reach: int, order: list[int]):
    assert with_neighbours([2, 0], len(TEXTS), reach) == order


@pytest.mark.parametrize("budget", [0, 1, 5, 8, 9, 13, 14, 22, 23, 100])
def test_what_fits_is_within_the_budget_and_nothing_more_would_fit(budget: int):
    order = [2, 0, 1, 4, 3]
    taken = fill(order, TEXTS, budget)
    assert tokens("\n".join(TEXTS[at] for at in taken)) <= budget
    assert taken == [at for at in order if at in taken]
    for passed_over in set(order) - set(taken):
        before = [at for at in taken if order.index(at) < order.index(passed_over)]
        assert tokens("\n".join(TEXTS[at] for at in [*before, passed_over])) > budget


def test_a_hand_made_question_is_scored_by_what_a_budget_has_room_for():
    evidence = [["2"], ["1", "3"]]  # the answer, and one of two turns that ask for it
    order = [1, 4, 2]
    names = [{str(at) for at in fill(order, TEXTS, budget)} for budget in (5, 6, 9, 17)]
    assert [share(evidence, ids) for ids in names] == [0.0, 0.5, 0.5, 1.0]
