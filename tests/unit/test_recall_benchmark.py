"""The dialogues of the recall benchmark are the frozen ones, and what was found of them is counted rightly."""

import pytest
from benchmarks.recall.dialogues import CLASSES, DIALOGUES, HASHES, fingerprint, make


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
