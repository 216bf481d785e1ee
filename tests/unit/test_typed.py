"""The checker of answers is checked itself: what fits passes, what does not is named by its path."""

from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict

import pytest

from mace.core.answers import Json, JsonInput
from typed import conforms


class Leaf(TypedDict):
    kind: Literal["a", "b"]
    size: NotRequired[int]


class Branch(Leaf):
    leaves: list[Leaf]
    by_name: dict[str, Leaf | None]


class Loose(TypedDict, total=False):
    name: Required[str]
    note: str


LEAF = {"kind": "a"}


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("x", str),
        (1, int),
        (1, float),
        (0.5, float),
        (True, bool),
        (None, None),
        (None, str | None),
        ("a", Literal["a", 1]),
        ("x", Annotated[str, "a mark"]),
        ([1, 2], list[int]),
        ((1, "x"), tuple[int, str]),
        ((1, 2, 3), tuple[int, ...]),
        ({"a": [None, True, 1, 0.5, "x", {"b": []}]}, Json),
        (({"a": (1, 2)},), JsonInput),
        (LEAF, Leaf),
        ({"kind": "b", "size": 3}, Leaf),
        ({"kind": "a", "leaves": [LEAF], "by_name": {"x": LEAF, "y": None}}, Branch),
        ({"name": "x"}, Loose),
        (LEAF, Leaf | Loose),
        ({"name": "x"}, Leaf | Loose),
    ],
)
def test_what_fits_passes(value: object, hint: Any) -> None:
    assert conforms(value, hint) == []


@pytest.mark.parametrize(
    ("value", "hint", "paths"),
    [
        (1, str, ["answer"]),
        (True, int, ["answer"]),
        (True, float, ["answer"]),
        ("1", float, ["answer"]),
        (0, None, ["answer"]),
        ("c", Literal["a", "b"], ["answer"]),
        (True, Literal[1], ["answer"]),
        ([1, "x", 2, None], list[int], ["answer[1]", "answer[3]"]),
        ((1,), list[int], ["answer"]),
        ((1, 2), tuple[int], ["answer"]),
        ([1], tuple[int], ["answer"]),
        ((1, "x"), tuple[int, ...], ["answer[1]"]),
        ({"a": [{1}]}, Json, ["answer['a'][0]"]),
        ({1: 2}, dict[str, int], ["answer (key)"]),
        ([], dict[str, int], ["answer"]),
        ([], Leaf, ["answer"]),
        ({}, Leaf, ["answer.kind"]),
        ({"kind": "a", "colour": 1}, Leaf, ["answer.colour"]),
        ({"kind": "a", "size": None}, Leaf, ["answer.size"]),
        ({"kind": "a", "leaves": [{"kind": "z"}], "by_name": {}}, Branch, ["answer.leaves[0].kind"]),
        ({"kind": "a", "leaves": [], "by_name": {"x": {}}}, Branch, ["answer.by_name['x'].kind"]),
        ({"note": 1}, Loose, ["answer.name", "answer.note"]),
        ({"kind": "z"}, Leaf | Loose, ["answer.kind"]),
    ],
)
def test_what_does_not_fit_is_named(value: object, hint: Any, paths: list[str]) -> None:
    assert [problem.partition(":")[0] for problem in conforms(value, hint)] == paths


@pytest.mark.parametrize("hint", [Any, list[Any], "no_such_name"])
def test_a_hint_that_checks_nothing_is_refused(hint: Any) -> None:
    with pytest.raises((TypeError, NameError)):
        conforms([1], hint)
