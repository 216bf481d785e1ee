"""Context for callers who are not the owner: from what the settings list, whatever else the process can read."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import places
from mace.core import canon
from mace.engine.context.confined import lies_in
from mace.engine.runtime import Mace


@pytest.mark.parametrize(
    ("path", "roots", "lies"),
    [
        ("/srv/a.jsonl", ["/srv"], True),
        ("/srv/a.jsonl", ["/srv/a.jsonl"], True),
        ("/srv/deep/er/a.jsonl", ["/opt", "/srv"], True),
        ("/srv2/a.jsonl", ["/srv"], False),
        ("/srv/a.jsonl", ["/srv/a.json"], False),
        ("/srv", ["/srv/a.jsonl"], False),
        ("/srv/a.jsonl", [], False),
    ],
)
def test_what_lies_in_a_place(path: str, roots: list[str], lies: bool):
    assert lies_in(path, roots) is lies


def _line(text: str) -> str:
    return json.dumps({"memory_id": text, "text": text}) + "\n"


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Mace]:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "team.jsonl").write_text(_line("the team meets"))
    (tmp_path / "quoted.jsonl").write_text(_line("the quoted store"))
    (tmp_path / "private.jsonl").write_text(_line("the private diary"))
    (shared / "way_out.jsonl").symlink_to(tmp_path / "private.jsonl")
    (tmp_path / "way_in.jsonl").symlink_to(shared / "team.jsonl")
    (shared / "trust.json").write_text(json.dumps({"records": []}))
    place = places.SqlitePlace(tmp_path / "store")
    place.settings = replace(place.settings, context_stores=str(tmp_path / "quoted.jsonl"), context_roots=str(shared))
    with place.open() as opened:
        yield opened


def request(*paths: str | Path, **more: Any) -> Any:
    return {"query": "the", "store_paths": [str(path) for path in paths], "budget": {"max_excerpt_tokens": 100}, **more}


def others(m: Mace) -> list[Mace]:
    """Everybody whom the policy lets read context and who is not the owner."""
    found = [m.acting_as(m.on_behalf_of("ana")), m.acting_as(m.owner("ana", roles=["agent"]))]
    for role in ("user", "agent", "admin"):
        m.accounts.create(f"{role}_account", [role], user_id="ana")  # type: ignore[list-item]
        found.append(m.acting_as(m.authenticate(m.accounts.issue_token(f"{role}_account")["token"])))
    return found


def test_others_read_what_is_listed(m: Mace, tmp_path: Path):
    for view in others(m):
        for path in ("shared/team.jsonl", "quoted.jsonl", "shared/../shared/team.jsonl", "way_in.jsonl"):
            package = view.memory_read(request(tmp_path / path))
            assert "package_hash" in package, (view.caller, path, package)


REFUSED = (
    "private.jsonl",
    "shared/way_out.jsonl",
    "shared/../private.jsonl",
    "store/keys.json",
    "store/mace.db",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/dev/stdin",
    "shared",
)


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_not_listed_answers_as_what_does_not_exist(m: Mace, tmp_path: Path, path: str):
    def told(answer: Any, named: str) -> str:
        said = {name: value for name, value in dict(answer).items() if name not in ("meta", "timestamp")}
        reason = answer["meta"].get("reason")
        return canon.dumps([said, reason]).decode().replace(named, "PATH")

    gone = tmp_path / "no_such.jsonl"
    for view in others(m):
        for verb in (view.memory_read, view.memory_explain):
            wanted = str(tmp_path / path)
            answer = verb(request(wanted))
            assert answer["error_code"] == "INVALID_INPUT", answer
            assert "diary" not in str(answer)
            if path != "shared":  # a folder that is listed is known to be one
                assert told(answer, wanted) == told(verb(request(gone)), str(gone))
            beside = verb(request(tmp_path / "shared/team.jsonl", wanted))  # nor beside one that is
            assert beside["error_code"] == "INVALID_INPUT"


def test_a_trust_snapshot_is_confined_too(m: Mace, tmp_path: Path):
    view = m.acting_as(m.on_behalf_of("ana"))
    for path in ("/etc/passwd", tmp_path / "private.jsonl", tmp_path / "no_such.json"):
        answer: Any = view.memory_read(
            request(tmp_path / "quoted.jsonl", trust_filter={"trust_snapshot_path": str(path)})
        )
        assert answer["error_code"] == "INVALID_INPUT"
        assert answer["meta"]["reason"] == "trust_filter.trust_snapshot_path does not exist"


def test_the_owner_reads_what_they_name(m: Mace, tmp_path: Path):
    assert "package_hash" in m.memory_read(request(tmp_path / "private.jsonl"))


def test_without_a_list_others_read_nothing(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text(_line("the diary"))
    with places.SqlitePlace(tmp_path / "store").open() as m:
        answer: Any = m.acting_as(m.on_behalf_of("ana")).memory_read(request(tmp_path / "a.jsonl"))
        assert answer["error_code"] == "INVALID_INPUT"
