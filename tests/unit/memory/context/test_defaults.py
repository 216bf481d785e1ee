"""Requests that are made of a query and the settings."""

from typing import Any

import pytest

from mace.core.errors import InvalidInput
from mace.memory.context.defaults import ContextDefaults, whole_request
from mace.memory.context.request import Request, parse_request

SET = ContextDefaults(stores=("a", "b"), budget_tokens=400, per_item_tokens=0, max_items=7, scorer="phase7-v1")


@pytest.mark.parametrize(
    ("per_item_set", "given", "wanted"),
    [
        (0, {}, (400, 100, 7)),
        (30, {}, (400, 30, 7)),
        (9999, {}, (400, 400, 7)),
        (0, {"budget_tokens": 3}, (3, 1, 7)),
        (0, {"budget_tokens": 40, "max_items": 2}, (40, 10, 2)),
        (0, {"per_item_tokens": 400}, (400, 400, 7)),
        (30, {"budget_tokens": 20}, (20, 20, 7)),
        (30, {"per_item_tokens": 5}, (400, 5, 7)),
        (30, {"per_item_tokens": 0}, (400, 100, 7)),
    ],
)
def test_no_record_takes_the_whole_budget_unless_somebody_says_so(
    per_item_set: int, given: dict[str, Any], wanted: tuple[int, int, int]
):
    settings = ContextDefaults(
        stores=SET.stores, budget_tokens=400, per_item_tokens=per_item_set, max_items=7, scorer=SET.scorer
    )
    budget = whole_request(settings, "q", **given)["budget"]
    assert tuple(budget.values()) == wanted
    assert list(budget) == ["max_excerpt_tokens", "per_item_max_excerpt_tokens", "max_items"]


def test_what_is_given_wins_and_the_request_is_a_good_one():
    made = whole_request(SET, "tea", stores=["c"], now="2026-01-01T00:00:00Z", trust="t.json", scorer="phase6-v1")
    parsed = parse_request(made)
    assert isinstance(parsed, Request)
    assert (parsed.store_paths, parsed.version, parsed.recency) == (("c",), "phase6-v1", True)
    assert parsed.trust_snapshot_path == "t.json"
    usual = parse_request(whole_request(SET, "tea"))
    assert isinstance(usual, Request)
    assert (usual.store_paths, usual.version, usual.recency) == (("a", "b"), "phase7-v1", False)


@pytest.mark.parametrize("stores", [None, []])
def test_a_query_without_any_store_is_refused(stores: list[str] | None):
    with pytest.raises(InvalidInput, match="context_stores"):
        whole_request(ContextDefaults(), "tea", stores=stores)
