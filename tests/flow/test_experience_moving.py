"""Export and import: everything with its lifecycle, between all adapters, the same bytes; and what is refused."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import lived
from lived import ENTITY, SPACE, days_on, write
from mace.core.errors import InvalidInput
from mace.engine.runtime import Mace
from mace.storage.experience_in_store import InStore
from mace.storage.inmemory import InMemoryStore

Opening = Callable[[str], Mace]


@pytest.fixture
def at(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opening]:
    """Opens a MACE of its own on an adapter, each time it is called."""
    with ExitStack() as open_places:
        made = iter(range(100))

        def opening(adapter: str) -> Mace:
            place = lived.place_for(adapter, tmp_path / str(next(made)), request)
            return open_places.enter_context(lived.opened(place))

        yield opening


def lived_through(m: Mace) -> None:
    """Rules that stand, fell and were undone, marks, recalls, and pairs with odd names."""
    write(m, "accept", 6, age_days=2)
    m.experience.dream()
    m.experience.query_c(SPACE, ENTITY)
    write(m, "abandon", 9, content='Ünïcode \u2028 and "quotes"')
    m.experience.dream()
    write(m, "abandon", 6, entity="path:undone")
    m.experience.dream()
    m.experience.roll_back(m.experience.changes()[0]["change_id"])
    write(m, "refine", 3, space="tool:读", entity="path:%3A:😀")
    rule = m.experience.query_c(SPACE, ENTITY, days_on(1))[0]
    m.experience.record_negative_feedback(rule["id"], "no")
    m.experience.write({"space": SPACE, "entity": "path:silent", "content": "", "state": "success"}, "system_admin")


def megrams_in(lines: list[bytes]) -> int:
    return sum(b'"level"' in line for line in lines)


def imported(m: Mace, lines: list[bytes]) -> dict[str, Any]:
    return m.experience.import_lines(lines, "system_admin")


@pytest.mark.parametrize("there", lived.ADAPTERS)
@pytest.mark.parametrize("here", lived.ADAPTERS)
def test_there_and_back_again_gives_the_same_bytes(at: Opening, here: str, there: str):
    first, second = at(here), at(there)
    lived_through(first)
    lines = list(first.experience.export())
    assert lines == list(first.experience.export())
    assert imported(second, lines) == {"imported": megrams_in(lines), "already_here": 0, "redacted": 0}
    assert list(second.experience.export()) == lines
    for pair in first.experience.pairs(now=days_on(3)):
        asked = second.experience.query_mk(pair["space"], pair["entity"], days_on(3))
        assert asked["attention"] == pytest.approx(pair["attention"], abs=1e-9)
        assert asked["decision"] == pytest.approx(pair["decision"], abs=1e-9)
        rules, others = (m.experience.query_c(pair["space"], pair["entity"], days_on(3)) for m in (first, second))
        assert rules == others
        recent = [m.experience.query_recent(pair["space"], pair["entity"], 99, days_on(3)) for m in (first, second)]
        assert recent[0] == recent[1]
    lived.assert_follows_from_the_ledger(second)
    assert second.verify()["ok"]


def test_a_second_import_adds_nothing(at: Opening):
    first, second = at("sqlite"), at("sqlite")
    lived_through(first)
    lines = list(first.experience.export())
    imported(second, lines)
    rows, again = lived.held(second), imported(second, lines)
    assert again == {"imported": 0, "already_here": megrams_in(lines), "redacted": 0}
    after = lived.held(second)
    assert {name: after[name] for name in ("megrams", "retired", "pairs")} == {
        name: rows[name] for name in ("megrams", "retired", "pairs")
    }
    assert list(second.experience.export()) == lines


def test_marks_and_retirements_move_along(at: Opening):
    """What was made into a rule there is not made into one again here."""
    first, second = at("sqlite"), at("sqlite")
    write(first, "accept", 8)
    first.experience.dream()
    imported(second, list(first.experience.export()))
    assert second.experience.dream()["promoted"] == []
    assert len(second.experience.query_c(SPACE, ENTITY)) == 1
    write(second, "accept", 6)
    assert len(second.experience.dream()["promoted"]) == 1


def test_two_that_lived_apart_are_joined(at: Opening):
    first, second = at("sqlite"), at("sqlite")
    write(first, "accept", 3)
    write(second, "abandon", 3)
    imported(second, list(first.experience.export()))
    assert len(lived.of_pair(second)) == 6
    lived.assert_sums_right(second)


def test_what_was_forgotten_comes_back_by_an_import_that_names_it(at: Opening):
    """An admin hands these very lines in: that is as explicit as a roll-back. Catching up alone never does it."""
    m = at("sqlite")
    write(m, "accept", 3)
    lines = list(m.experience.export())
    m.experience.dream(days_on(90))
    assert lived.of_pair(m) == []
    assert lived.projected_anew(m)["megrams"] == []
    assert imported(m, lines)["imported"] == 3
    lived.assert_follows_from_the_ledger(m)


def test_an_export_is_on_the_record(at: Opening):
    m = at("sqlite")
    write(m)
    lines = list(m.experience.export())
    newest, *_ = m._parts.world.store.read(lambda tx: tx.events.of_type("EXPERIENCE_EXPORTED"))
    payload = json.loads(newest.body)["payload"]
    assert (payload["actor"], payload["megrams"]) == ("owner", 1)
    assert payload["sha256"] == sha256(b"".join(lines)).hexdigest()


def test_whoever_stops_before_the_last_line_is_on_the_record_too(at: Opening):
    m = at("sqlite")
    write(m)
    lines = m.experience.export()
    next(lines)
    assert b"lesson" in next(lines)
    assert "EXPERIENCE_EXPORTED" in lived.types(m)


def test_what_is_held_moves_along(at: Opening):
    """Somebody did not want this rule: it is not made there either, until something new happens."""
    first, second = at("sqlite"), at("sqlite")
    write(first, "accept", 6)
    first.experience.dream()
    first.experience.roll_back(first.experience.changes()[0]["change_id"])
    imported(second, list(first.experience.export()))
    assert second.experience.dream()["promoted"] == []
    write(second, "refine")
    assert len(second.experience.dream()["promoted"]) == 1


# Refusals


def changed(line: bytes, **changes: Any) -> bytes:
    return json.dumps({**json.loads(line), **changes}).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"id": "short"},
        {"id": "0" * 16 + "-" + "0" * 16},  # not its created_at
        {"level": "T"},
        {"level": "C"},
        {"level": ""},
        {"level": 5, "state": "constraint", "f": 1, "sigma": -1, "k": 0},
        {"level": "C", "state": "constraint", "f": 1, "sigma": 1, "k": 0},
        {"level": None},
        {"state": "ready"},
        {"state": "abandon"},  # not these numbers
        {"f": 2.0},
        {"f": 0.8},
        {"f": "0.9"},
        {"f": True},
        {"sigma": -1.0},
        {"k": 0.1},
        {"k": 0.2},
        {"space": ""},
        {"entity": "ann.smith@gmail.com"},
        {"content": 5},
        {"content": "x" * 8001},
        {"marked": 1},
        {"retired": True},
        {"persons": ["a b@c"]},
        {"persons": "bob"},
        {"created_at": "yesterday"},
        {"last_recalled_at": "yesterday"},
        {"more": 1},
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_written(at: Opening, change: dict[str, Any]):
    m = at("sqlite")
    write(m, "accept", 3)
    lines = list(m.experience.export())
    other = at("sqlite")
    events = lived.types(other)
    with pytest.raises(InvalidInput, match="line 3"):
        imported(other, [lines[0], lines[1], changed(lines[2], **change), lines[3]])
    assert lived.types(other) == events
    assert other.experience.describe()["megrams"] == {}


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([b"no"], "line 1"),
        ([b"{}"], "line 1"),
        ([b'{"format": "mace-experience/2"}'], "line 1"),
        ([b'{"format": "mace-experience/1"}', b"{"], "line 2"),
        ([b'{"format": "mace-experience/1"}', b"", b"[]"], "line 3"),
        ([b'{"format": "mace-experience/1"}', b'{"f": NaN}'], "line 2"),
        ([b'{"format": "mace-experience/1"}', b"\xff"], "line 2"),
    ],
)
def test_what_is_no_export_is_refused(at: Opening, lines: list[bytes], named: str):
    with pytest.raises(InvalidInput, match=named):
        imported(at("sqlite"), lines)


def test_a_file_without_its_head_is_refused_whatever_stands_before_it(at: Opening):
    m = at("sqlite")
    write(m)
    line = list(m.experience.export())[1]
    for lines in ([line], [b"\n", line], []):
        with pytest.raises(InvalidInput, match="line 1"):
            imported(at("sqlite"), lines)


def test_a_line_that_stands_twice_is_named(at: Opening):
    m = at("sqlite")
    write(m)
    lines = list(m.experience.export())
    with pytest.raises(InvalidInput, match="line 3"):
        imported(at("sqlite"), [*lines, lines[1]])


def test_personal_data_in_a_file_is_cut_out_and_said_to_be(at: Opening):
    m = at("sqlite")
    write(m)
    lines = list(m.experience.export())
    other = at("sqlite")
    answer = imported(other, [lines[0], changed(lines[1], content="write to ann.smith@gmail.com")])
    assert answer["redacted"] == 1
    assert other.experience.query_recent(SPACE, ENTITY, 1)[0]["content"] == "write to [redacted]"


def test_in_memory_too(at: Opening):
    """The reference adapter: the ledger of one that lived, projected into it, gives the same rows."""
    m = at("sqlite")
    lived_through(m)
    assert lived.projected_anew(m) == lived.held(m)
    assert InStore(InMemoryStore()).read(lambda x: x.counts()) == {}


def test_a_megram_that_was_imported_into_an_older_copy_and_is_written_again_counts_once(
    request: pytest.FixtureRequest, tmp_path: Path
):
    """A backup is put back, an export fills the gap, and the job that was lost is done again: the same Megram."""
    place = lived.place_for("sqlite", tmp_path / "copied", request)
    lived.opened(place).close()
    backup = place.save()
    with lived.opened(place) as m:
        written = write(m, "accept", 1, job_seed="the job")
        lines = list(m.experience.export())
    place.restore(backup)
    shutil.rmtree(place.settings.checkpoint_dir)  # they would tell of the roll-back, which is another matter
    with lived.opened(place) as m:
        imported(m, lines)
        assert write(m, "accept", 1, job_seed="the job") == written
        write(m, "success", 2)
        assert len(lived.of_pair(m)) == 3
        lived.assert_sums_right(m)
        m.experience.dream(days_on(90))
        m.experience.roll_back(m.experience.changes()[0]["change_id"])
        assert len(lived.of_pair(m)) == 3
