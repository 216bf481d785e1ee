"""Every method of a store of experience and its edge, on every adapter."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from experience_samples import HOSTILE_TAGS, START_US, change, megram, megram_id, pair
from mace.core.errors import ServiceUnavailable
from mace.storage.experience_keys import pair_digest
from mace.storage.experience_ports import NEVER, Experience, ExperienceStore, MegramRow
from mace.storage.ports import Exists
from store_samples import ODD_BYTES


def ids(rows: list[MegramRow]) -> list[str]:
    return [row.megram_id for row in rows]


def test_an_empty_store(experience: ExperienceStore):
    def look(x: Experience) -> None:
        assert x.cursor() == -1
        assert x.get("a") is None
        assert x.of_pair("s", "e") == x.rules("s", "e") == x.scan() == x.pairs() == x.due(NEVER) == x.changes() == []
        assert x.counts() == x.retired_by(["a"]) == x.recalled_us(["a"]) == x.retired_by([]) == x.recalled_us([]) == {}
        assert x.pair("s", "e") is None
        assert x.change("a") is None

    experience.read(look)
    experience.write(look)


def test_the_cursor_moves_both_ways(experience: ExperienceStore):
    for position in (0, 7, 2**40, 3, -1):
        experience.write(lambda x, to=position: x.move_cursor(to))
        assert experience.read(lambda x: x.cursor()) == position


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"level": "K", "f": 0.1 + 0.2, "sigma": -1.0, "k": 5e-324},
        {"level": "C", "f": 1.0, "sigma": -1.0, "k": 0.0, "marked": True},
        {"f": 1e300, "sigma": 1e-7, "key_refs": ()},
        {"key_refs": ('a"b', "日本語", "x" * 500), "state": "negative_feedback"},
        {"place": 2**53 - 1, "created_us": 253_402_300_799_999_999},
        {"created_us": -62_135_596_800_000_000},
    ],
    ids=range(7),
)
def test_a_row_comes_back_as_it_was_added(experience: ExperienceStore, changes: dict[str, Any]):
    row = megram(1, **changes)
    experience.write(lambda x: x.add([row]))
    found = experience.read(lambda x: x.get(row.megram_id))
    assert found == row
    assert type(found.marked) is bool
    assert [type(value) for value in (found.f, found.sigma, found.k)] == [float] * 3
    assert experience.read(lambda x: x.scan()) == [row]


def test_content_is_kept_byte_for_byte(experience: ExperienceStore):
    rows = [megram(number, content=data) for number, data in enumerate(ODD_BYTES)]
    experience.write(lambda x: x.add(rows))
    assert experience.read(lambda x: [x.get(row.megram_id) for row in rows]) == rows


def test_an_id_that_is_taken(experience: ExperienceStore):
    experience.write(lambda x: x.add([megram(1)]))
    with pytest.raises(Exists):
        experience.write(lambda x: x.add([megram(2), megram(1, content=b"other")]))
    with pytest.raises(Exists):
        experience.write(lambda x: x.add([megram(3), megram(4), megram(3)]))
    assert experience.read(lambda x: x.scan()) == [megram(1)]
    experience.write(lambda x: x.remove(megram_id(1)))
    experience.write(lambda x: x.add([megram(1, content=b"other")]))
    assert experience.read(lambda x: x.scan()) == [megram(1, content=b"other")]


def test_of_pair_is_newest_first_and_over_both_levels(experience: ExperienceStore):
    levels = "MKMCMKCM"
    rows = [megram(number, level=level) for number, level in enumerate(levels)]
    others = [megram(100, space="s2"), megram(101, entity="e2"), megram(102, space="e", entity="s")]
    experience.write(lambda x: x.add([*reversed(rows), *others]))
    expected = [megram_id(number) for number in (7, 5, 4, 2, 1, 0)]

    def look(x: Experience) -> None:
        assert ids(x.of_pair("s", "e")) == expected
        for limit in range(8):
            assert ids(x.of_pair("s", "e", limit=limit)) == expected[:limit]
        assert ids(x.of_pair("s", "e", megram_id(5))) == expected[2:]
        assert ids(x.of_pair("s", "e", megram_id(6))) == expected[1:]  # of another level: a place like any other
        assert ids(x.of_pair("s", "e", megram_id(5) + "0", 2)) == expected[1:3]
        assert x.of_pair("s", "e", megram_id(0)) == []
        assert x.of_pair("s", "nobody") == []

    experience.read(look)
    experience.write(look)


def test_paging_through_a_pair_meets_each_row_once(experience: ExperienceStore):
    rows = [megram(number, level="MMK"[number % 3]) for number in range(50)]
    experience.write(lambda x: x.add(rows))
    seen: list[str] = []
    last = ""
    while page := experience.read(lambda x, before=last: x.of_pair("s", "e", before, 7)):
        seen += ids(page)
        last = seen[-1]
    assert seen == [row.megram_id for row in reversed(rows)]


def test_rules_are_those_that_stand_newest_first(experience: ExperienceStore):
    rows = [megram(number, level="C") for number in range(4)]
    experience.write(lambda x: x.add([*rows, megram(9), megram(8, level="K"), megram(10, entity="o", level="C")]))
    assert experience.read(lambda x: x.rules("s", "e")) == rows[::-1]
    experience.write(lambda x: x.retire(megram_id(2), "change-1"))
    assert experience.read(lambda x: x.rules("s", "e")) == [rows[3], rows[1], rows[0]]
    experience.write(lambda x: x.retire(megram_id(2), "change-2"))
    assert experience.read(lambda x: x.retired_by([megram_id(n) for n in range(4)])) == {megram_id(2): "change-2"}
    experience.write(lambda x: x.retire(megram_id(2), ""))
    experience.write(lambda x: x.retire(megram_id(1), ""))  # it was not
    assert experience.read(lambda x: x.rules("s", "e")) == rows[::-1]
    assert experience.read(lambda x: x.retired_by([megram_id(2)])) == {}


def test_scan_and_counts(experience: ExperienceStore):
    rows = [megram(number, level="MKC"[number % 3], space=f"s{number % 2}") for number in range(10)]
    experience.write(lambda x: x.add(rows[::-1]))

    def look(x: Experience) -> None:
        assert x.scan() == rows
        assert x.scan(megram_id(3)) == rows[4:]
        assert x.scan(megram_id(3), 2) == rows[4:6]
        assert x.scan(megram_id(9)) == []
        assert x.counts() == {"C": 3, "K": 3, "M": 4}

    experience.read(look)
    experience.write(lambda x: [x.remove(row.megram_id) for row in rows if row.level == "K"])
    assert experience.read(lambda x: x.counts()) == {"C": 3, "M": 4}


def test_what_is_about_a_row_goes_with_it(experience: ExperienceStore):
    def fill(x: Experience) -> None:
        x.add([megram(1), megram(2, level="C"), megram(3)])
        x.recall([megram_id(1), megram_id(2), megram_id(3)], START_US)
        x.retire(megram_id(2), "change-1")

    experience.write(fill)
    experience.write(lambda x: [x.remove(megram_id(number)) for number in (1, 2, 77)])

    def look(x: Experience) -> None:
        assert x.scan() == [megram(3)]
        assert x.recalled_us([megram_id(number) for number in (1, 2, 3)]) == {megram_id(3): START_US}
        assert x.retired_by([megram_id(2)]) == {}

    experience.read(look)
    experience.write(lambda x: x.add([megram(2, level="C")]))
    assert ids(experience.read(lambda x: x.rules("s", "e"))) == [megram_id(2)]


def test_forgetting_leaves_the_rules_and_the_others(experience: ExperienceStore):
    rows = [megram(number, level=level) for number, level in enumerate("MKCMC")]
    other = megram(9, entity="other")

    def fill(x: Experience) -> None:
        x.add([*rows, other])
        x.recall([row.megram_id for row in [*rows, other]], START_US)
        x.retire(megram_id(4), "change-1")
        x.retire(megram_id(1), "change-2")
        x.put_pairs([pair("s", "e", 5)])

    experience.write(fill)
    assert experience.write(lambda x: x.forget("s", "e")) == 3
    assert experience.write(lambda x: x.forget("s", "e")) == 0
    assert experience.write(lambda x: x.forget("nobody", "e")) == 0

    def look(x: Experience) -> None:
        assert x.of_pair("s", "e") == []
        assert x.scan() == [rows[2], rows[4], other]
        assert x.rules("s", "e") == [rows[2]]
        assert set(x.recalled_us([row.megram_id for row in rows])) == {megram_id(2), megram_id(4)}
        assert x.retired_by([megram_id(1), megram_id(4)]) == {megram_id(4): "change-1"}
        assert x.pair("s", "e") == pair("s", "e", 5)
        assert x.of_pair("s", "other") == [other]

    experience.read(look)


def test_recall_never_moves_backwards(experience: ExperienceStore):
    many = [megram_id(number) for number in range(40)]
    experience.write(lambda x: x.recall(many[:20], START_US + 5))
    experience.write(lambda x: x.recall(many[10:30], START_US))
    experience.write(lambda x: x.recall([many[0], many[0]], START_US + 5))
    experience.write(lambda x: x.recall([], START_US + 9))
    found = experience.read(lambda x: x.recalled_us(many))
    assert found == {one: START_US + (5 if number < 20 else 0) for number, one in enumerate(many[:30])}
    experience.write(lambda x: x.recall(many[5:6], START_US + 6))
    assert experience.read(lambda x: x.recalled_us([many[5], many[5], many[35]])) == {many[5]: START_US + 6}


def test_pairs_are_replaced(experience: ExperienceStore):
    experience.write(lambda x: x.put_pairs([pair("s", "e", 5), pair("s", "f", 1, b"")]))
    experience.write(lambda x: x.put_pairs([pair("s", "e", NEVER, bytes(range(256)))]))
    experience.write(lambda x: x.put_pairs([]))

    def look(x: Experience) -> None:
        assert x.pair("s", "e") == pair("s", "e", NEVER, bytes(range(256)))
        assert x.pair("s", "f") == pair("s", "f", 1, b"")
        assert [row.entity for row in x.pairs()] == ["e", "f"]
        assert [row.entity for row in x.due(10)] == ["f"]

    experience.read(look)


def test_one_pair_put_twice_in_a_unit_is_what_came_last(experience: ExperienceStore):
    experience.write(lambda x: x.put_pairs([pair("s", "e", 5), pair("s", "e", 6, b"last")]))
    assert experience.read(lambda x: (x.pairs(), x.due(5), x.due(6))) == (
        [pair("s", "e", 6, b"last")],
        [],
        [pair("s", "e", 6, b"last")],
    )


def test_due_is_earliest_first(experience: ExperienceStore):
    rows = [pair("s", str(number), due) for number, due in enumerate([5, 0, 3, NEVER, 0, 2**40, 5])]
    experience.write(lambda x: x.put_pairs(rows))
    order = sorted(rows, key=lambda row: (row.due_us, pair_digest(row.space, row.entity)))

    def look(x: Experience) -> None:
        assert x.due(NEVER) == order
        assert x.due(2**41) == order[:6]
        assert x.due(5) == order[:5]
        assert x.due(4) == order[:3]
        assert x.due(0) == order[:2]
        assert x.due(0, 1) == order[:1]
        assert x.due(-1) == []

    experience.read(look)
    experience.write(lambda x: x.put_pairs([replace(row, due_us=NEVER) for row in x.due(5)]))
    assert experience.read(lambda x: x.due(5)) == []
    assert len(experience.read(lambda x: x.due(2**41))) == 1


def test_changes(experience: ExperienceStore):
    rows = [change("b", 4), change("a", 7, kind="forgetting", body=b""), change("d", 4), change("c", 1)]
    for row in rows:
        experience.write(lambda x, row=row: x.put_change(row))
    experience.write(lambda x: x.put_change(replace(rows[0], undone_by="e")))
    expected = [rows[1], rows[2], replace(rows[0], undone_by="e"), rows[3]]

    def look(x: Experience) -> None:
        assert x.changes() == expected
        assert x.changes(2) == expected[:2]
        assert x.change("b") == expected[2]
        assert x.change("x") is None

    experience.read(look)


def test_hostile_tags_are_kept_apart(experience: ExperienceStore):
    tags = list(product(HOSTILE_TAGS, HOSTILE_TAGS[:8])) + [(one, one) for one in HOSTILE_TAGS[8:]]
    episodes = [megram(number, *tag) for number, tag in enumerate(tags)]
    rules = [megram(number + 10_000, *tag, level="C") for number, tag in enumerate(tags)]

    def fill(x: Experience) -> None:
        x.add(episodes + rules)
        x.put_pairs([pair(*tag, number) for number, tag in enumerate(tags)])
        x.put_change(change("c", 1, space=HOSTILE_TAGS[-2], entity=HOSTILE_TAGS[3]))

    experience.write(fill)

    def look(x: Experience) -> None:
        for number, tag in enumerate(tags):
            assert x.of_pair(*tag) == [episodes[number]]
            assert x.rules(*tag) == [rules[number]]
            assert x.pair(*tag) == pair(*tag, number)
        assert x.of_pair("a:b", "zzz") == x.of_pair("a", "b:zzz") == []
        by_bytes = sorted(tags, key=lambda tag: (tag[0].encode(), tag[1].encode()))
        found = [(row.space, row.entity) for row in x.pairs()]
        assert found == by_bytes
        for start in range(0, len(by_bytes), 17):
            page = x.pairs(by_bytes[start], 5)
            assert [(row.space, row.entity) for row in page] == by_bytes[start + 1 : start + 6]
        assert [row.due_us for row in x.due(NEVER)] == list(range(len(tags)))
        assert x.changes()[0].space == HOSTILE_TAGS[-2]

    experience.read(look)
    assert experience.write(lambda x: x.forget("a", "a:b")) == 1
    assert len(experience.read(lambda x: x.scan(limit=100_000))) == 2 * len(tags) - 1


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.move_cursor(1),
        lambda x: x.add([megram(1)]),
        lambda x: x.retire("a", "b"),
        lambda x: x.recall(["a"], START_US),
        lambda x: x.put_pairs([pair("s", "e")]),
        lambda x: x.put_change(change("a", 1)),
    ],
    ids=["cursor", "add", "retire", "recall", "pair", "change"],
)
def test_a_read_cannot_write(experience: ExperienceStore, write: Callable[[Experience], None]):
    with pytest.raises((RuntimeError, ServiceUnavailable)):
        experience.read(write)
    test_an_empty_store(experience)
    experience.write(write)


def test_a_store_describes_itself(experience: ExperienceStore):
    about = experience.describe()
    assert {"kind", "place"} <= set(about)
    assert all(isinstance(value, str) and value for value in about.values())


def test_a_retirement_may_outlive_its_row(experience: ExperienceStore):
    """What was taken back is known by it, whether its row is there, is removed, is forgotten or comes again."""
    gone, kept = megram(1), megram(2)

    def unit(x: Experience) -> None:
        x.add([gone, kept])
        x.remove(gone.megram_id)
        x.retire(gone.megram_id, "retracted")
        x.retire("never there", "retracted")

    experience.write(unit)
    ids = [gone.megram_id, kept.megram_id, "never there"]
    known = {gone.megram_id: "retracted", "never there": "retracted"}
    assert experience.read(lambda x: x.retired_by(ids)) == known
    assert experience.write(lambda x: x.forget(kept.space, kept.entity)) == 1
    assert experience.read(lambda x: x.retired_by(ids)) == known
    experience.write(lambda x: x.retire("never there", "another"))
    assert experience.read(lambda x: x.retired_by(ids)) == {**known, "never there": "another"}


def test_everything_can_be_listed_and_cleared_but_recalls(experience: ExperienceStore):
    rows = [megram(number, level="C" if number == 3 else "M") for number in range(1, 6)]

    def fill(x: Experience) -> None:
        x.add(rows)
        for number in (1, 3):
            x.retire(megram_id(number), f"c{number}")
        x.recall([megram_id(2), megram_id(3)], START_US)
        x.put_pairs([pair("s", "e", 5), pair("", "", NEVER, b"note")])
        x.put_change(change("c2", 8))
        x.put_change(change("c1", 9))
        x.move_cursor(9)

    def look(x: Experience) -> None:
        assert x.retirements() == [(megram_id(1), "c1"), (megram_id(3), "c3")]
        assert x.retirements(megram_id(1), 1) == [(megram_id(3), "c3")]
        assert x.recalls() == [(megram_id(2), START_US), (megram_id(3), START_US)]
        assert x.recalls(megram_id(2)) == [(megram_id(3), START_US)]
        assert [row.change_id for row in x.all_changes()] == ["c1", "c2"]
        assert [row.change_id for row in x.all_changes("c1", 1)] == ["c2"]
        assert [row.entity for row in x.pairs()] == ["e"]  # a note under no tags is not a pair
        assert x.pair("", "") == pair("", "", NEVER, b"note")
        assert (x.has_rows("s", "e"), x.has_rows("s", "other")) == (True, False)
        assert x.strays() == []

    experience.write(fill)
    experience.read(look)
    experience.write(look)
    while experience.write(lambda x: x.clear(2)):
        assert experience.read(lambda x: (x.cursor(), x.pair("", ""))) == (-1, None)

    def empty(x: Experience) -> None:
        assert x.scan() == x.retirements() == x.all_changes() == x.pairs() == x.changes() == x.strays() == []
        assert x.counts() == {}
        assert not x.has_rows("s", "e")
        assert x.recalls() == [(megram_id(2), START_US), (megram_id(3), START_US)]

    experience.read(empty)
    experience.write(lambda x: x.unrecall([megram_id(2), megram_id(9)]))
    assert experience.read(lambda x: x.recalls()) == [(megram_id(3), START_US)]
    experience.write(fill)
