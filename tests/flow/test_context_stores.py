"""Context stores as they are fed: records appended on the record and through the gate, stores checked, defaults set."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import canaries
import places
from mace.core import canon
from mace.core.errors import InvalidInput
from mace.engine.runtime import Mace
from mace.storage.jsonl import appending

ENDINGS = ("CONTEXT_APPEND_STARTED", "CONTEXT_APPENDED", "CONTEXT_APPEND_UNDONE")


def appends(m: Mace) -> list[dict[str, Any]]:
    """The events of appends, oldest first."""
    found = m._parts.world.store.read(lambda tx: tx.events.scan(0, 1_000_000))
    return [body for body in (canon.loads(event.body) for event in found) if body["event_type"] in ENDINGS]


def lines(store: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in store.read_text().splitlines()]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "notes.jsonl"


def test_a_record_is_written_read_and_on_the_record(place: places.Place, store: Path):
    with place.open() as m:
        first = m.context.append(str(store), "Ivo ordered tea.")
        more: Any = [
            {"memory_id": "x", "text": "Żółw\nand milk 😀", "tags": ["Drinks"], "refs": [{"url": "u"}]},
            "plain",
        ]
        second = m.context.append(str(store), more)
        assert first["success"] and second["success"]
        assert second["memory_ids"][0] == "x"
        held = lines(store)
        assert [line["memory_id"] for line in held] == [*first["memory_ids"], *second["memory_ids"]]
        assert [line["text"] for line in held] == ["Ivo ordered tea.", "Żółw\nand milk 😀", "plain"]
        assert m.context.check(str(store))["ok"]  # type: ignore[typeddict-item]
        package: Any = m.context.read("what did Ivo order", stores=[str(store)])
        assert package["selection"]["selected"][0]["excerpt"] == "Ivo ordered tea."
        events = appends(m)
        assert [event["event_type"] for event in events] == [*ENDINGS[:2]] * 2
        assert [event["payload"]["count"] for event in events] == [1, 1, 2, 2]
        assert {event["payload"]["store"] for event in events} == {str(store)}
        assert "tea" not in json.dumps(events)
        assert m.verify()["ok"]


def test_personal_data_is_cut_out_wherever_it_stands(place: places.Place, store: Path):
    with place.open() as m:
        record = {
            "text": f"{canaries.SSN_SENTENCE} {canaries.PHONE_SENTENCE}",
            "tags": [canaries.EMAIL],
            "refs": [{"of": canaries.PHONE_SENTENCE, canaries.EMAIL: 1}],
        }
        answer = m.context.append(str(store), cast(Any, record))
        assert answer["success"]
        assert answer["redacted"] == ["email", "phone", "us_ssn"]
        values = (canaries.SSN, canaries.PHONE, canaries.EMAIL)
        assert canaries.in_bytes(store.read_bytes(), values) == set()
        assert canaries.everywhere(m, place, values) == []
        assert b"[redacted]" in store.read_bytes()
        flagged = [json.loads(line) for line in m.export() if b"PII_FLAGGED" in line]
        assert len(flagged) >= 3


def test_an_id_or_a_key_that_is_personal_is_refused(mace_home: places.SqlitePlace, store: Path):
    with mace_home.open() as m:
        wrong = m.context.append(str(store), {"text": "a", "memory_id": canaries.EMAIL})
        assert wrong["error_code"] == "INVALID_INPUT"
        wrong = m.context.append(str(store), "a", idempotency_key=canaries.PHONE_SENTENCE)
        assert wrong["error_code"] == "INVALID_INPUT"
        assert not store.exists()
        assert canaries.everywhere(m, mace_home, (canaries.EMAIL, canaries.PHONE)) == []


def test_a_personal_path_is_named_by_its_keyed_hash(mace_home: places.SqlitePlace, tmp_path: Path):
    with mace_home.open() as m:
        path = tmp_path / f"{canaries.EMAIL}.jsonl"
        answer = m.context.append(str(path), "tea", idempotency_key="k")
        assert answer["store_path"] == str(path)
        assert m.context.append(str(path), "tea", idempotency_key="k") == answer
        assert m.context.append(str(path), "milk", idempotency_key="k")["error_code"] == "CONFLICT"
        assert canaries.in_events(m, (canaries.EMAIL,)) == []
        assert canaries.in_rows(mace_home, (canaries.EMAIL,)) == []


def test_the_same_key_appends_once_and_belongs_to_one_append(place: places.Place, store: Path):
    with place.open() as m:
        first = m.context.append(str(store), ["tea", "milk"], idempotency_key="k")
        assert m.context.append(str(store), ["tea", "milk"], idempotency_key="k") == first
        assert m.context.append(str(store), ["tea"], idempotency_key="k")["error_code"] == "CONFLICT"
        other = m.context.append(str(store.with_name("other.jsonl")), ["tea"], idempotency_key="k")
        assert other["success"]
        agent = m.acting_as(m.owner("scribe", roles=["agent"]))
        assert (
            agent.context.append(str(store), "tea", idempotency_key="k")["error_code"] == "INVALID_INPUT"
        )  # not listed
    with place.open() as m:
        assert m.context.append(str(store), ["tea", "milk"], idempotency_key="k") == first
        assert len(lines(store)) == 2
        assert m.verify()["ok"]


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b'{"memory_id": "a", "text": "to', "CONFLICT", "line 1) is no record"),
        (b'{"memory_id": "a", "text": "b"}\n{"memory_id": "b", "te', "CONFLICT", "line 2) is no record"),
        (b'{"memory_id": "a", "text": "b"}\nroot:x:0:0\n', "CONFLICT", "line 2) is no record"),
        (b"   ", "CONFLICT", "line 1) is no record"),
        (b"SQLite format 3\0" + bytes(100), "CONFLICT", "line 1) is no record"),
    ],
)
def test_nothing_is_glued_to_half_a_line_or_put_into_another_file(
    mace_home: places.SqlitePlace, store: Path, content: bytes, code: str, said: str
):
    store.write_bytes(content)
    with mace_home.open() as m:
        answer = m.context.append(str(store), "tea")
        assert (answer["success"], answer["error_code"]) == (False, code)
        assert said in answer["error"]["developer_message"]
        assert store.read_bytes() == content
        assert appends(m) == []


def test_a_whole_record_without_a_line_end_gets_one(mace_home: places.SqlitePlace, store: Path):
    store.write_bytes(b'{"memory_id": "a", "text": "by hand"}')
    with mace_home.open() as m:
        assert m.context.append(str(store), ["tea", "milk"])["success"]
        assert [line["text"] for line in lines(store)] == ["by hand", "tea", "milk"]
        assert m.context.check(str(store))["ok"]  # type: ignore[typeddict-item]


def test_windows_line_ends_and_blank_lines_are_kept(mace_home: places.SqlitePlace, store: Path):
    before = b'{"memory_id": "a", "text": "b"}\r\n\r\n'
    store.write_bytes(before)
    with mace_home.open() as m:
        assert m.context.append(str(store), "tea")["success"]
        assert store.read_bytes().startswith(before + b'{"memory_id":')


def test_the_file_may_be_refused_in_many_ways(mace_home: places.SqlitePlace, store: Path, tmp_path: Path):
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "empty").touch()
    store.write_text('{"memory_id": "a", "text": "b"}\n')
    store.chmod(0o444)
    wanted = {
        "notes.jsonl": "read-only",
        "folder.jsonl": "Is a directory",
        "pipe.jsonl": "Invalid argument",
        "empty": "its name does not end with .jsonl",
        "new": "No such file",
        "no/such/folder.jsonl": "No such file",
        "a\0b": "without NUL",
        "": "",
    }
    with mace_home.open() as m:
        for name, said in wanted.items():
            answer = m.context.append(f"{tmp_path}/{name}" if name else "", "tea")
            assert (answer["success"], answer["error_code"]) == (False, "INVALID_INPUT"), name
            assert said in answer["error"]["developer_message"], name
        for wrong in (5, None, b"x", Path("x")):
            assert m.context.append(cast(str, wrong), "tea")["error_code"] == "INVALID_INPUT"
        assert not (tmp_path / "new").exists()
        assert m.verify()["ok"]


def test_a_full_disk_is_told_and_leaves_nothing(
    mace_home: places.SqlitePlace, store: Path, monkeypatch: pytest.MonkeyPatch
):
    write = os.write

    def full(number: int, data: bytes) -> int:
        if len(data) > 3:
            return write(number, bytes(data[: len(data) - 3]))
        raise OSError(28, "No space left on device")

    with mace_home.open() as m:
        assert m.context.append(str(store), "tea")["success"]
        before = store.read_bytes()
        with monkeypatch.context() as patched:
            patched.setattr(appending.os, "write", full)
            answer = m.context.append(str(store), "milk", idempotency_key="k")
        assert answer["error_code"] == "STORAGE_FULL"
        assert store.read_bytes() == before
        assert [event["event_type"] for event in appends(m)] == [*ENDINGS[:2], ENDINGS[0], ENDINGS[2]]
        assert m.context.append(str(store), "milk", idempotency_key="k")["success"]
        assert [line["text"] for line in lines(store)] == ["tea", "milk"]


def test_many_threads_append_whole_calls(mace_home: places.SqlitePlace, store: Path):
    with mace_home.open() as m, ThreadPoolExecutor(4) as pool:
        calls = [[f"{call}/{place}" for place in range(3)] for call in range(24)]
        answers = list(pool.map(lambda texts: m.context.append(str(store), texts), calls))
        assert all(answer["success"] for answer in answers)
        texts = [line["text"] for line in lines(store)]
        assert sorted(texts) == sorted(text for call in calls for text in call)
        together = [texts[at : at + 3] for at in range(0, len(texts), 3)]
        assert sorted(together) == sorted(calls)
        assert len({line["memory_id"] for line in lines(store)}) == len(texts)


def test_a_check_agrees_with_what_a_package_drops(mace_home: places.SqlitePlace, store: Path):
    good, torn = b'{"memory_id": "%d", "text": "tea"}', b'{"memory_id": "%d", "te'
    store.write_bytes(b"\n".join((torn if at % 7 == 3 else good) % at for at in range(500)) + b"\r\n\n \nlast")
    told: list[tuple[int, int]] = []
    with mace_home.open() as m:
        found: Any = m.context.check(str(store), progress=lambda done, size: told.append((done, size)))
        package: Any = m.context.read("tea", stores=[str(store)])
        assert found["dropped"] == package.dropped_summary()["invalid_record_schema"] == 72
        assert (found["lines"], found["records"], found["blank"]) == (503, 429, 2)
        assert [item["line"] for item in found["problems"][:2]] == [4, 11]
        assert found["problems"][-1]["problem"] == "no_line_end"
        assert found["problems"][-1]["line"] == 503
        assert told[-1] == (store.stat().st_size, store.stat().st_size)


def test_a_check_of_what_is_no_store_is_an_envelope(mace_home: places.SqlitePlace, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with mace_home.open() as m:
        for path in (tmp_path, tmp_path / "pipe", tmp_path / "no", tmp_path / "pipe" / "x", Path("x" * 300)):
            assert cast(Any, m.context.check(str(path)))["error_code"] == "INVALID_INPUT", path


# Who may


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Mace]:
    (tmp_path / "shared").mkdir()
    (tmp_path / "private.jsonl").write_text('{"memory_id": "p", "text": "private"}\n')
    (tmp_path / "shared" / "way_out.jsonl").symlink_to(tmp_path / "private.jsonl")
    (tmp_path / "way_in.jsonl").symlink_to(tmp_path / "shared" / "team.jsonl")
    place = places.SqlitePlace(tmp_path / "place")
    listed = {"context_stores": str(tmp_path / "quoted.jsonl"), "context_roots": str(tmp_path / "shared")}
    place.settings = replace(place.settings, **listed)
    with place.open() as m:
        yield m


def test_others_append_only_to_what_is_listed(shared: Mace, tmp_path: Path):
    agent = shared.acting_as(shared.owner("scribe", roles=["agent"]))
    for name in ("shared/team.jsonl", "quoted.jsonl", "way_in.jsonl", "shared/../shared/team.jsonl"):
        assert agent.context.append(str(tmp_path / name), "tea")["success"], name
    assert len(lines(tmp_path / "shared" / "team.jsonl")) == 3
    told = set()
    for name in ("private.jsonl", "shared/way_out.jsonl", "nowhere.jsonl", "shared/../private.jsonl", "place/mace/x"):
        answer = agent.context.append(str(tmp_path / name), "tea")
        assert not answer["success"], name
        told.add((answer["error_code"], answer["error"]["developer_message"]))
        assert "error_code" in agent.context.check(str(tmp_path / name)), name
    assert len(told) == 1  # nobody learns which files there are
    assert len(lines(tmp_path / "private.jsonl")) == 1
    assert shared.context.append(str(tmp_path / "private.jsonl"), "by its owner")["success"]


def test_what_an_agent_appends_is_quoted_and_the_record_says_who(shared: Mace, tmp_path: Path):
    agent = shared.acting_as(shared.owner("scribe", roles=["agent"]))
    assert agent.context.append(str(tmp_path / "quoted.jsonl"), "A quux is a flightless bird of Atlantis.")["success"]
    told = shared.ask("What is a quux?", "ana")
    assert "flightless bird" in json.dumps(told)
    assert {event["signed_by"] for event in appends(shared)} == {"scribe"}


def test_a_link_that_is_changed_between_the_look_and_the_write_is_not_followed(
    shared: Mace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    agent = shared.acting_as(shared.owner("scribe", roles=["agent"]))
    way = tmp_path / "shared" / "way.jsonl"
    locked = appending._locked

    def switched(path: str, wait_s: float, may_make: bool) -> int:
        way.unlink(missing_ok=True)
        way.symlink_to(tmp_path / "private.jsonl")
        return locked(path, wait_s, may_make)

    monkeypatch.setattr(appending, "_locked", switched)
    assert not agent.context.append(str(way), "tea")["success"]
    assert len(lines(tmp_path / "private.jsonl")) == 1


def test_users_read_and_check_but_do_not_append(shared: Mace, tmp_path: Path):
    path = str(tmp_path / "shared" / "team.jsonl")
    shared.context.append(path, "the team meets")
    user = shared.acting_as(shared.on_behalf_of("ana"))
    assert user.context.append(path, "tea")["error_code"] == "PERMISSION_DENIED"
    assert user.context.check(path)["records"] == 1  # type: ignore[typeddict-item]
    assert "package_hash" in user.context.read("team", stores=[path])


# Settings


def test_a_query_takes_what_it_leaves_open_from_the_settings(shared: Mace, tmp_path: Path):
    shared.context.append(str(tmp_path / "quoted.jsonl"), ["tea " + "x" * 9000, "tea with milk"])
    package: Any = shared.context.read("tea")
    assert package["budget"]["per_item_max_excerpt_tokens"] == 500
    assert len(package["selection"]["selected"]) == 2  # a long record does not take it all
    request = shared.context.request("tea")
    assert shared.memory_read(request)["package_hash"] == package["package_hash"]  # type: ignore[typeddict-item]
    assert "selected" in shared.memory_explain(request)


def test_a_request_means_what_the_text_says_whatever_the_settings(tmp_path: Path):
    store = tmp_path / "notes.jsonl"
    place = places.SqlitePlace(tmp_path / "place")
    place.settings = replace(
        place.settings,
        context_stores=str(store),
        context_per_item_tokens=1,
        context_max_items=1,
        context_budget_tokens=1,
    )
    with place.open() as m:
        m.context.append(str(store), ["tea " * 50, "tea"])
        package: Any = m.memory_read(
            {"query": "tea", "store_paths": [str(store)], "budget": {"max_excerpt_tokens": 90}}
        )
        assert package["controller_version"] == "phase6-v1"
        assert package["budget"]["per_item_max_excerpt_tokens"] == 90
        assert package["budget"]["max_items"] == 50
        refused: Any = m.memory_read(cast(Any, {"query": "tea", "budget": {"max_excerpt_tokens": 90}}))
        assert refused["error_code"] == "INVALID_INPUT"
        refused = m.memory_read(cast(Any, {"query": "tea", "store_paths": [str(store)]}))
        assert refused["meta"]["field"] == "budget.max_excerpt_tokens"
        assert cast(Any, m.context.read("tea"))["budget"]["max_items"] == 1


def test_without_any_store_a_query_says_which_setting_is_missing(mace_home: places.SqlitePlace):
    with mace_home.open() as m, pytest.raises(InvalidInput, match="context_stores"):
        m.context.read("tea")


def test_a_scorer_that_is_none_stops_the_opening(tmp_path: Path):
    place = places.SqlitePlace(tmp_path)
    place.settings = replace(place.settings, context_scorer="phase8")
    with pytest.raises(InvalidInput, match="context_scorer"):
        place.open()
