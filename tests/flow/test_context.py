"""Context as a verb: a package with its receipt on the ledger, envelopes for wrong requests, passages for answers."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

import canaries
from mace import wiring
from mace.core.errors import InvalidInput
from places import Place, SqlitePlace

CANARIES = (canaries.SSN, canaries.PHONE, canaries.TOKEN)

RECORDS = [
    {"memory_id": "a", "text": "The invoice of May was paid on 2 June.", "tags": ["invoice"]},
    {"memory_id": "b", "text": "The staging database lies in Frankfurt.", "tags": ["infra"]},
]


@pytest.fixture
def store(tmp_path: Path) -> str:
    path = tmp_path / "store.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)) + "\nnot json\n")
    return str(path)


def request(store: str, **changes: object) -> dict[str, object]:
    budget = {"max_excerpt_tokens": 20, "per_item_max_excerpt_tokens": 20}
    return {"query": "staging database", "store_paths": [store], "budget": budget, **changes}


def test_a_read_gives_the_package_and_leaves_a_receipt_without_content(mace_home: SqlitePlace, store: str) -> None:
    with mace_home.open() as mace:
        package = mace.memory_read(request(store))
        assert [item["memory_id"] for item in package["selection"]["selected"]] == ["b", "a"]
        (receipt,) = [event for event in _events(mace) if event["event_type"] == "MEMORY_READ"]
        assert receipt["payload"]["data"]["package_hash"] == package["package_hash"]
        assert "Frankfurt" not in json.dumps(receipt)


@pytest.mark.parametrize(
    ("query", "hashed"),
    [
        ("  Staging   database", "staging database"),
        (canaries.PHONE_SENTENCE, "call me at [redacted] tomorrow."),
        (canaries.SSN_SENTENCE, "my social security number is [redacted]."),
        (canaries.TOKEN, "[redacted]"),
    ],
)
def test_a_receipt_says_nothing_of_personal_data_in_a_query(place: Place, store: str, query: str, hashed: str) -> None:
    with place.open() as mace:
        package = mace.memory_read(request(store, query=query))
        assert package["query"]["raw"] == query  # it is the caller's own
        (receipt,) = [event for event in _events(mace) if event["event_type"] == "MEMORY_READ"]
        assert receipt["payload"]["data"]["query_hash"] == sha256(hashed.encode()).hexdigest()
        assert canaries.everywhere(mace, place, CANARIES) == []


def test_nor_in_the_path_of_a_store(place: Place, store: str) -> None:
    folder = Path(store).parent / "ana.zeisig@gmail.com"
    folder.mkdir()
    private = Path(store).rename(folder / "store.jsonl")
    with place.open() as mace:
        for _ in range(2):
            assert mace.memory_read(request(str(private)))["selection"]["selected"]
        read = [event["payload"]["data"] for event in _events(mace) if event["event_type"] == "MEMORY_READ"]
        named = [data["store_paths"] for data in read]
        assert named[0] == named[1]  # the same store is named alike
        assert re.fullmatch("x-[0-9a-f]{16}", named[0][0])
        assert canaries.everywhere(mace, place, ["ana.zeisig@gmail.com"]) == []


def test_the_answer_is_plain_json_for_encoders_that_read_past_a_dicts_methods(
    mace_home: SqlitePlace, store: str
) -> None:
    with mace_home.open() as mace:
        package = mace.memory_read(request(store))
        plain = json.loads(json.dumps(package))
        assert plain["selection"]["dropped"]
        assert orjson.loads(orjson.dumps(package)) == plain
        adapter = pytest.importorskip("pydantic").TypeAdapter(dict)
        assert json.loads(adapter.dump_json(package)) == plain


def test_the_same_package_from_every_process_and_cache(mace_home: SqlitePlace, store: str) -> None:
    hashes = set()
    for _ in range(2):
        with mace_home.open() as mace:
            hashes |= {mace.memory_read(request(store))["package_hash"] for _ in range(2)}
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"query": "  "}, "query"), ({"store_paths": ["/no/such/store"]}, "store_paths[0]"), ({"colour": 1}, "request")],
)
def test_a_wrong_request_gets_its_envelope_and_no_receipt(
    mace_home: SqlitePlace, store: str, changes: dict[str, object], field: str
) -> None:
    with mace_home.open() as mace:
        first = mace.memory_read(request(store, **changes))
        assert (first["error_code"], first["status"], first["meta"]["field"]) == ("INVALID_INPUT", 400, field)
        assert not [event for event in _events(mace) if event["event_type"] == "MEMORY_READ"]


def test_explain_says_what_made_each_score(mace_home: SqlitePlace, store: str) -> None:
    with mace_home.open() as mace:
        told = mace.memory_explain(request(store))
        assert told["selected"][0]["terms"] == ["staging", "database"]
        assert told["dropped"]["invalid_record_schema"] == 1


def test_a_question_is_answered_from_the_stores_and_played_again(mace_home: SqlitePlace, store: str) -> None:
    settings = replace(mace_home.settings, context_stores=store)
    with wiring.open_mace(settings=settings) as mace:
        answer = mace.ask("Where is the staging database")
        assert answer["answer"] == "The staging database lies in Frankfurt."
        assert answer["evidence"][0]["ref"] == "b"
        Path(store).write_text("")
        assert mace.replay(answer["job_id"])["result"] == "MATCH"


def _events(mace: object) -> list[dict[str, object]]:
    world = mace._parts.world  # type: ignore[attr-defined]
    rows = world.store.read(lambda tx: tx.events.scan(0, 1000))
    return [json.loads(row.body) | {"event_type": row.event_type} for row in rows]


NAMES = ("Zorblax", "Quillon", "Marfen", "Tessarine", "Obrix", "Vantrel", "Luminor", "Kesperon", "Drumfold", "Phellix")
DEPOT = (
    "Rui Lopes leads the Almada depot.",
    "The Almada depot opens at six in the morning.",
    "Ivo's usual cafe is Lumen on Mill Square.",
    "Q: What is the wifi name in Almada? A: depot-guest",
)


def _stored(path: Path, *lines: str) -> str:
    records = [{"memory_id": f"m{at}", "text": line, "ts_utc": "2026-01-01T00:00:00Z"} for at, line in enumerate(lines)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_a_question_finds_its_line_with_marks_and_small_words(mace_home: SqlitePlace, tmp_path: Path) -> None:
    lines = [f"{name}: a tool for the loom of shop {at}." for at, name in enumerate(NAMES)]
    store = _stored(tmp_path / "names.jsonl", *lines)
    with wiring.open_mace(settings=replace(mace_home.settings, context_stores=store)) as mace:
        for name, line in zip(NAMES, lines, strict=True):
            for question in (f"What is {name}?", f"what is {name.lower()}", f"What is {name}, please?"):
                answer = mace.ask(question, "ann")
                assert (answer["answer"], answer["notices"]) == (line, []), question
                assert mace.replay(answer["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("search Ivo's usual cafe", DEPOT[2]),
        ("Who leads the Almada depot?", DEPOT[0]),
        ("When does the Almada depot open?", DEPOT[1]),
        ("What is the wifi name in Almada?", "depot-guest"),
        ("When was the Almada depot founded?", None),
        ("What is the wifi name in Porto?", None),
        ("Who is the leader of the Porto depot?", None),
    ],
)
def test_a_line_answers_the_question_it_was_written_for(
    mace_home: SqlitePlace, tmp_path: Path, question: str, expected: str | None
) -> None:
    store = _stored(tmp_path / "depot.jsonl", *DEPOT)
    with wiring.open_mace(settings=replace(mace_home.settings, context_stores=store)) as mace:
        answer = mace.ask(question, "ann")
        if expected is None:
            assert answer["answer"] is None or answer["notices"][0]["error_code"] == "LOW_CONFIDENCE"
        else:
            assert (answer["answer"], answer["notices"]) == (expected, [])


def test_a_store_of_one_person_is_quoted_to_nobody_else(place: Place, tmp_path: Path) -> None:
    own = _stored(tmp_path / "ann.jsonl", "Ravenholt is the street where the spare key lies.")
    place.settings = replace(
        place.settings,
        context_stores_of=f"ann={own}",
        context_roots=str(tmp_path),
        context_cache_dir=str(tmp_path / "c"),
    )
    with place.open() as mace:
        told = mace.ask("What is Ravenholt?", "ann")
        assert told["answer"] == "Ravenholt is the street where the spare key lies."
        for other in ("bob", None):
            answer = mace.ask("What is Ravenholt?", other)
            assert answer["answer"] is None
            assert "spare key" not in json.dumps(mace.events(answer["job_id"]))
        assert mace.replay(told["job_id"])["result"] == "MATCH"
        bob = mace.acting_as(mace.on_behalf_of("bob"))
        refused = bob.context.read("Ravenholt", stores=[own])
        assert refused["error_code"] == "INVALID_INPUT"


@pytest.mark.parametrize("setting", ["/data/ann.jsonl", "=x.jsonl", "ann="])
def test_whose_a_store_is_must_be_said(mace_home: SqlitePlace, setting: str) -> None:
    with pytest.raises(InvalidInput, match="context_stores_of"):
        wiring.open_mace(settings=replace(mace_home.settings, context_stores_of=setting))
