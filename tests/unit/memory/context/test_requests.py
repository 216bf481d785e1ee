"""What a request may say: defaults, and for each wrong one the same refusal, in the order of the text."""

import pytest

from mace.memory.context.request import Refusal, parse_request

GOOD = {"query": "find this", "store_paths": ["a.jsonl"], "budget": {"max_excerpt_tokens": 100}}


def test_defaults_are_filled_in():
    request = parse_request(GOOD)
    assert request.budget.per_item_max_excerpt_tokens == 100
    assert request.budget.max_items == 50
    assert (request.recency, request.half_life_days, request.tag_overlap) == (False, 30, True)
    assert request.terms == ("find", "this")
    assert request.deny_classifications == ("malicious",)
    assert request.version == "phase6-v1"


def test_null_means_absent_everywhere():
    nulls = GOOD | {
        "budget": {"max_excerpt_tokens": 100, "per_item_max_excerpt_tokens": None, "max_items": None},
        "scoring": {"query_terms": None, "enable_tag_overlap": None, "recency_half_life_days": None},
        "trust_filter": None,
        "now_utc": None,
        "controller_version": None,
    }
    assert parse_request(nulls) == parse_request(GOOD)


def test_the_item_limit_is_clamped_to_the_whole():
    request = parse_request(
        GOOD | {"budget": {"max_excerpt_tokens": 10, "per_item_max_excerpt_tokens": 99, "max_items": 5000}}
    )
    assert request.budget.per_item_max_excerpt_tokens == 10
    assert request.budget.max_items == 5000


def budget(**fields):
    return {"budget": {"max_excerpt_tokens": 100} | fields}


def scoring(**fields):
    return {"scoring": fields}


def trust(**fields):
    return {"trust_filter": fields}


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"query": None}, "query", "is required"),
        ({"query": 5}, "query", "must be text"),
        ({"query": " \u2003\n"}, "query", "must not be empty"),
        ({"query": "\ud800"}, "query", "must not contain unpaired surrogates"),
        ({"store_paths": None}, "store_paths", "is required"),
        ({"store_paths": []}, "store_paths", "must not be empty"),
        ({"store_paths": "a.jsonl"}, "store_paths", "must be a list of text"),
        ({"store_paths": ["a", 1]}, "store_paths[1]", "must be text"),
        ({"budget": None}, "budget.max_excerpt_tokens", "is required"),
        ({"budget": []}, "budget", "must be an object"),
        ({"budget": {}}, "budget.max_excerpt_tokens", "is required"),
        (budget(max_excerpt_tokens=0), "budget.max_excerpt_tokens", "must be at least 1"),
        (budget(max_excerpt_tokens=-1), "budget.max_excerpt_tokens", "must be at least 1"),
        (budget(max_excerpt_tokens=True), "budget.max_excerpt_tokens", "must be a whole number"),
        (budget(max_excerpt_tokens=1.0), "budget.max_excerpt_tokens", "must be a whole number"),
        (budget(max_excerpt_tokens="9"), "budget.max_excerpt_tokens", "must be a whole number"),
        (budget(max_excerpt_tokens=2**53), "budget.max_excerpt_tokens", "must be at most 2^53-1"),
        (budget(per_item_max_excerpt_tokens=0), "budget.per_item_max_excerpt_tokens", "must be at least 1"),
        (budget(max_items=0), "budget.max_items", "must be at least 1"),
        (budget(max_items=False), "budget.max_items", "must be a whole number"),
        (budget(max_tokens=5), "budget", "has 1 unknown field(s)"),
        ({"scoring": "on"}, "scoring", "must be an object"),
        (scoring(enable_recency_weight=1), "scoring.enable_recency_weight", "must be true or false"),
        (scoring(recency_half_life_days=0), "scoring.recency_half_life_days", "must be at least 1"),
        (scoring(recency_half_life_days=1.5), "scoring.recency_half_life_days", "must be a whole number"),
        (scoring(enable_tag_overlap="yes"), "scoring.enable_tag_overlap", "must be true or false"),
        (scoring(query_terms="x"), "scoring.query_terms", "must be a list of text"),
        (scoring(query_terms=["x", None]), "scoring.query_terms[1]", "must be text"),
        (scoring(query_terms=["\udfff"]), "scoring.query_terms[0]", "must not contain unpaired surrogates"),
        (scoring(boost=2), "scoring", "has 1 unknown field(s)"),
        (trust(deny_classifications="malicious"), "trust_filter.deny_classifications", "must be a list of text"),
        (trust(deny_classifications=[1]), "trust_filter.deny_classifications[0]", "must be text"),
        (trust(trust_snapshot_path=1), "trust_filter.trust_snapshot_path", "must be text"),
        (trust(allow=1), "trust_filter", "has 1 unknown field(s)"),
        ({"now_utc": "today"}, "now_utc", "is not a timestamp"),
        ({"now_utc": 5}, "now_utc", "must be text"),
        ({"controller_version": "phase8-v1"}, "controller_version", "must be one of"),
        ({"querry": "x"}, "request", "has 1 unknown field(s)"),
        ({1: "x"}, "request", "has a field whose name is not text"),
    ],
)
def test_a_wrong_request_is_refused_by_its_first_fault(change, field, reason):
    refusal = parse_request(GOOD | change)
    assert isinstance(refusal, Refusal)
    assert refusal.field == field
    assert refusal.reason.startswith(reason)
    assert refusal.code == "INVALID_INPUT"
    assert parse_request(GOOD | change) == refusal


def test_a_request_that_is_no_object_is_refused():
    assert parse_request([]) == Refusal("request", "must be an object")


def test_faults_are_reported_in_the_order_of_the_text():
    wrong = {
        "query": "",
        "store_paths": [],
        "budget": {"max_excerpt_tokens": 0, "per_item_max_excerpt_tokens": 0, "max_items": 0},
        "scoring": {"enable_recency_weight": 1, "recency_half_life_days": 0, "enable_tag_overlap": 1, "query_terms": 1},
        "trust_filter": {"deny_classifications": 1, "trust_snapshot_path": 1},
        "now_utc": 1,
        "controller_version": 1,
    }
    right = {
        "query": "q",
        "store_paths": ["s"],
        "budget": {"max_excerpt_tokens": 1, "per_item_max_excerpt_tokens": 1, "max_items": 1},
        "scoring": {
            "enable_recency_weight": True,
            "recency_half_life_days": 1,
            "enable_tag_overlap": True,
            "query_terms": [],
        },
        "trust_filter": {"deny_classifications": [], "trust_snapshot_path": "t"},
        "now_utc": "2024-01-01T00:00:00Z",
        "controller_version": "phase6-v1",
    }
    seen = []
    for key, value in wrong.items():
        for inner in value if isinstance(value, dict) else [None]:
            seen.append(parse_request(wrong).field)
            if inner is None:
                wrong[key] = right[key]
            else:
                wrong[key][inner] = right[key][inner]
    assert seen == [
        "query",
        "store_paths",
        "budget.max_excerpt_tokens",
        "budget.per_item_max_excerpt_tokens",
        "budget.max_items",
        "scoring.enable_recency_weight",
        "scoring.recency_half_life_days",
        "scoring.enable_tag_overlap",
        "scoring.query_terms",
        "trust_filter.deny_classifications",
        "trust_filter.trust_snapshot_path",
        "now_utc",
        "controller_version",
    ]
