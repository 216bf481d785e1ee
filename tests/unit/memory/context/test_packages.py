"""Whole packages: their order, what is dropped and why, trust, refusals, the receipt and the explanation."""

import copy
import hashlib
import json
import pickle
import time
from typing import Any

import orjson
import pytest
import rfc8785

from context_reference import context_package
from mace.memory import context
from mace.memory.context import Refusal
from mace.storage.jsonl import JsonlStores


@pytest.fixture
def stores(tmp_path):
    return JsonlStores(context, str(tmp_path / "cache"), time.time_ns, bytes(32))


def write(path, *records):
    path.write_text("".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in records))
    return str(path)


def record(memory_id, text, **more):
    return {"memory_id": memory_id, "text": text} | more


def ask(stores, paths, query="red apple", **more):
    request = {"query": query, "store_paths": paths, "budget": {"max_excerpt_tokens": 1000}} | more
    package = context.read(request, stores)
    if not isinstance(package, Refusal) and more.get("controller_version") != "phase7-v1":
        assert package.as_dict() == context_package(request)
    return package


def ids(package):
    return [item["memory_id"] for item in package.selected]


def test_order_is_score_then_newest_then_store_then_id_then_hash(tmp_path, stores):
    second = write(
        tmp_path / "b.jsonl",
        record("z", "red", ts_utc="2024-01-01T00:00:00Z"),
        record("late", "red", ts_utc="2024-01-03T00:00:00+01:00"),
        record("none", "red"),
        record("best", "red apple"),
        record("zero", "nothing", ts_utc="2025-01-01T00:00:00Z"),
    )
    first = write(
        tmp_path / "a.jsonl",
        record("y", "red", ts_utc="2024-01-01T00:00:00.000Z"),
        record("b", "red", ts_utc="2024-01-01T00:00:00Z"),
        record("a2", "red 2"),
        record("a2", "red 1"),
    )
    package = ask(stores, [second, first])
    same = [read["record_hash"] for read in package.selected if read["memory_id"] == "a2"]
    assert ids(package) == ["best", "late", "b", "y", "z", "a2", "a2", "none", "zero"]
    assert same == sorted(same)
    assert ask(stores, [first, second, first]).package_hash == package.package_hash


def test_dropped_lists_invalid_then_denied_then_the_rest(tmp_path, stores):
    path = write(
        tmp_path / "s.jsonl",
        record("m3", "red"),
        "not json",
        record("bad1", "x"),
        {"memory_id": "half"},
        record("m1", "red apple and more words than fit"),
        record("bad2", "red apple"),
        record("m2", "blue"),
    )
    trust = tmp_path / "trust.json"
    items = [
        {"memory_id": "bad2", "classification": "malicious", "seen_at": "ignored"},
        {"memory_id": "bad1", "classification": "malicious"},
        {"memory_id": "m2", "classification": "suspicious"},
        {"memory_id": "half", "classification": "malicious"},
    ]
    trust.write_text(json.dumps({"items": items, "version": 1}))
    package = ask(stores, [path], budget={"max_excerpt_tokens": 2}, trust_filter={"trust_snapshot_path": str(trust)})
    assert ids(package) == ["m1"]
    assert [(item["memory_id"], item["reason"]) for item in package.dropped] == [
        ("", "invalid_record_schema"),
        ("half", "invalid_record_schema"),
        ("bad1", "trust_denied"),
        ("bad2", "trust_denied"),
        ("m3", "budget_exhausted"),
        ("m2", "budget_exhausted"),
    ]
    assert package.dropped_summary() == {"invalid_record_schema": 2, "trust_denied": 2, "budget_exhausted": 2}


def test_a_record_hash_is_denied_alone_and_classifications_are_exact(tmp_path, stores):
    path = write(tmp_path / "s.jsonl", record("m", "red 1"), record("m", "red 2"), record("n", "red 3"))
    before = ask(stores, [path])
    bad = next(item["record_hash"] for item in before.selected if item["excerpt"] == "red 2")
    trust = tmp_path / "trust.json"

    def left(items, deny=None):
        trust.write_text(json.dumps({"items": items}))
        filters = {"trust_snapshot_path": str(trust)} | ({} if deny is None else {"deny_classifications": deny})
        return sorted(item["excerpt"] for item in ask(stores, [path], trust_filter=filters).selected)

    assert left([{"record_hash": bad, "classification": "malicious"}]) == ["red 1", "red 3"]
    assert left([{"memory_id": "m", "classification": "malicious"}]) == ["red 3"]
    assert left([{"memory_id": "M", "classification": "malicious"}]) == ["red 1", "red 2", "red 3"]
    assert left([{"memory_id": "m", "classification": "Malicious"}]) == ["red 1", "red 2", "red 3"]
    assert left([{"memory_id": "m", "classification": "bad"}], ["bad"]) == ["red 3"]
    assert left([{"memory_id": "m", "classification": "malicious"}], []) == ["red 1", "red 2", "red 3"]
    assert left([{"memory_id": "n", "record_hash": bad, "classification": "malicious"}]) == ["red 1"]


def test_many_marks_among_many_alike_ids(tmp_path, stores):
    names = [f"m-{number:07d}" for number in range(3000)] + ["", "é", 'q"uote', "a" * 300]
    path = write(tmp_path / "s.jsonl", *(record(name, "red") for name in names))
    trust = tmp_path / "trust.json"
    denied = [*names[5:2000:7], "", 'q"uote', "é", "absent"]
    trust.write_text(json.dumps({"items": [{"memory_id": name, "classification": "malicious"} for name in denied]}))
    package = ask(stores, [path], trust_filter={"trust_snapshot_path": str(trust)})
    assert package.dropped_summary()["trust_denied"] == len(denied) - 1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"items":{}}',
        '{"items":[1]}',
        '{"items":[{"memory_id":"m"}]}',
        '{"items":[{"classification":"malicious"}]}',
        '{"items":[{"memory_id":1,"classification":"malicious"}]}',
        '{"items":[{"memory_id":"m","classification":null}]}',
        '{"items":[{"memory_id":"m","classification":"x"},]}',
    ],
)
def test_a_malformed_trust_snapshot_is_refused(tmp_path, stores, content):
    path = write(tmp_path / "s.jsonl", record("m", "red"))
    trust = tmp_path / "trust.json"
    trust.write_text(content)
    refusal = ask(stores, [path], trust_filter={"trust_snapshot_path": str(trust)})
    assert refusal == Refusal("trust_filter.trust_snapshot_path", "is not a trust snapshot")


def test_stores_and_snapshots_that_are_not_there_are_refused_in_order(tmp_path, stores):
    good = write(tmp_path / "s.jsonl", record("m", "red"))
    missing, folder = str(tmp_path / "none.jsonl"), str(tmp_path)
    gone = {"trust_snapshot_path": str(tmp_path / "none.json")}
    assert ask(stores, [good, missing], trust_filter=gone) == Refusal("store_paths[1]", "does not exist")
    assert ask(stores, [folder]) == Refusal("store_paths[0]", "is not a file")
    assert ask(stores, ["a\0b"]) == Refusal("store_paths[0]", "does not exist")
    assert ask(stores, [""]) == Refusal("store_paths[0]", "is not a file")
    assert ask(stores, [good + "/x"]) == Refusal("store_paths[0]", "does not exist")
    assert ask(stores, [missing, folder]) == Refusal("store_paths[1]", "is not a file")  # sorted paths, not as given
    assert ask(stores, [good], trust_filter=gone) == Refusal("trust_filter.trust_snapshot_path", "does not exist")
    assert ask(stores, [good], trust_filter={"trust_snapshot_path": folder}) == Refusal(
        "trust_filter.trust_snapshot_path", "is not a file"
    )


def test_an_empty_store_gives_an_empty_package(tmp_path, stores):
    path = write(tmp_path / "s.jsonl")
    package = ask(stores, [path])
    assert package["selection"] == {"selected": [], "dropped": []}
    assert package.budget["remaining_excerpt_tokens"] == 1000


def test_candidates_without_a_match_fill_what_is_left(tmp_path, stores):
    path = write(tmp_path / "s.jsonl", *(record(f"m{n}", f"text {n}") for n in range(5)), record("hit", "apple"))
    package = ask(stores, [path], budget={"max_excerpt_tokens": 1000, "max_items": 4})
    assert ids(package) == ["hit", "m0", "m1", "m2"]
    assert [item["memory_id"] for item in package.dropped] == ["m3", "m4"]


def test_the_package_hash_is_of_everything_but_itself(tmp_path, stores):
    path = write(tmp_path / "s.jsonl", *(record(f"m{n}", "red " * n) for n in range(50)))
    package = ask(stores, [path], budget={"max_excerpt_tokens": 30})
    plain = dict(package)
    claimed = plain.pop("package_hash")
    assert claimed == hashlib.sha256(rfc8785.dumps(plain)).hexdigest()
    assert set(package) == {"query", "budget", "selection", "package_hash", "controller_version"}


def test_the_receipt_has_metadata_alone(tmp_path, stores):
    path = write(tmp_path / "s.jsonl", record("m", "red secret", tags=["private"]))
    receipt = ask(stores, [path], query="Red  APPLE").receipt()
    assert receipt["kind"] == "memory.read"
    assert set(receipt["data"]) == {"query_hash", "store_paths", "selected_count", "package_hash"}
    assert receipt["data"]["query_hash"] == hashlib.sha256(b"red apple").hexdigest()
    assert receipt["data"]["selected_count"] == 1
    assert "secret" not in json.dumps(receipt)


def test_the_explanation_says_what_made_each_score(tmp_path, stores):
    path = write(
        tmp_path / "s.jsonl",
        record("m1", "red", tags=["Apple"], ts_utc="2024-01-01T00:00:00Z"),
        record("m2", "apple pie"),
        "broken",
    )
    package = ask(
        stores,
        [path],
        scoring={"enable_recency_weight": True, "recency_half_life_days": 1},
        now_utc="2024-01-02T00:00:00Z",
        budget={"max_excerpt_tokens": 2},
    )
    said = context.explain(package)
    assert said["terms"] == ["red", "apple"]
    assert said["dropped"] == {"invalid_record_schema": 1, "trust_denied": 0, "budget_exhausted": 1}
    (item,) = said["selected"]
    assert (item["score"], item["terms"], item["tags"], item["recency_bonus"]) == (2.0, ["red"], ["apple"], 0.5)


def test_a_package_is_not_changed_by_its_reader(tmp_path, stores):
    path = write(tmp_path / "s.jsonl", record("m", "red"), record("n", "blue"))
    package = ask(stores, [path], budget={"max_excerpt_tokens": 1})
    package["selection"]["selected"][0]["excerpt"] = "changed"
    package["selection"]["dropped"].clear()
    package["budget"]["max_items"] = 0
    assert package.as_dict() == ask(stores, [path], budget={"max_excerpt_tokens": 1}).as_dict()


WAYS_TO_READ = {
    "dict": dict,
    "json": lambda package: json.loads(json.dumps(package)),
    "json, indented": lambda package: json.loads(json.dumps(package, indent=1, sort_keys=True)),
    "canonical json": lambda package: json.loads(rfc8785.dumps(package)),
    "unpacking": lambda package: {**package},
    "update": lambda package: {} | package,
    "union": lambda package: package | {},
    "items": lambda package: dict(package.items()),
    "values": lambda package: dict(zip(package, package.values(), strict=True)),
    "get": lambda package: {key: package.get(key) for key in package},
    "pop": lambda package: {key: package.pop(key) for key in list(package)},
    "popitem": lambda package: dict(package.popitem() for _ in range(len(package))),
    "setdefault": lambda package: {key: package.setdefault(key, "absent") for key in package},
    "copy": lambda package: package.copy(),
    "deep copy": copy.deepcopy,
    "pickle": lambda package: pickle.loads(pickle.dumps(package)),
    "itself": lambda package: package,
}


@pytest.mark.parametrize("way", WAYS_TO_READ)
def test_a_package_is_a_dict_whichever_way_it_is_read(tmp_path, stores, way):
    path = write(tmp_path / "s.jsonl", *(record(f"m{n}", "red " * n) for n in range(9)), "broken")
    request = {"query": "red", "store_paths": [path], "budget": {"max_excerpt_tokens": 20}}
    package = context.read(request, stores)
    assert isinstance(package, dict)
    assert WAYS_TO_READ[way](package) == context_package(request)


def _by_pydantic(kind):
    return lambda package: json.loads(pytest.importorskip("pydantic").TypeAdapter(kind).dump_json(package))


PAST_ITS_METHODS = {
    "orjson": lambda package: orjson.loads(orjson.dumps(package)),
    "orjson, sorted": lambda package: orjson.loads(orjson.dumps(package, option=orjson.OPT_SORT_KEYS)),
    "orjson, inside": lambda package: orjson.loads(orjson.dumps([{"answer": package}]))[0]["answer"],
    "pydantic": _by_pydantic(dict[str, Any]),
    "pydantic, of anything": _by_pydantic(Any),
    "pydantic, as python": lambda package: (
        pytest.importorskip("pydantic").TypeAdapter(Any).dump_python(package, mode="json")
    ),
    "pydantic, validated": lambda package: (
        pytest.importorskip("pydantic").TypeAdapter(dict[str, Any]).validate_python(package)
    ),
}


@pytest.mark.parametrize("way", PAST_ITS_METHODS)
def test_a_package_with_its_hash_is_plain_json_for_every_encoder(tmp_path, stores, way):
    path = write(tmp_path / "s.jsonl", *(record(f"m{n}", "red " * n) for n in range(9)), "broken")
    request = {"query": "red", "store_paths": [path], "budget": {"max_excerpt_tokens": 20}}
    for _ in range(50):  # what is built for an encoder is held while it writes
        package = context.read(request, stores)
        assert package.package_hash
        assert PAST_ITS_METHODS[way](package) == context_package(request)
    assert PAST_ITS_METHODS[way](package) == context_package(request)
    package["budget"] = {"mine": 1}
    assert PAST_ITS_METHODS[way](package)["budget"] == {"mine": 1}


def test_an_encoder_that_reads_past_the_package_fails_instead_of_writing_half_of_it(tmp_path, stores):
    path = write(tmp_path / "s.jsonl", record("m", "red"))
    request = {"query": "red", "store_paths": [path], "budget": {"max_excerpt_tokens": 20}}
    with pytest.raises(TypeError):
        orjson.dumps(context.read(request, stores))  # nobody has asked for its hash yet


def test_packages_differ_by_what_they_hold(tmp_path, stores):
    path = write(tmp_path / "s.jsonl", record("m", "red"))
    package, other = ask(stores, [path]), ask(stores, [path], budget={"max_excerpt_tokens": 1})
    assert package == ask(stores, [path])
    assert package != other
    del package["package_hash"]
    assert "package_hash" not in package
    assert package.get("package_hash", "gone") == "gone"
    assert package != ask(stores, [path])
