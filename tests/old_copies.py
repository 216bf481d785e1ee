"""Old copies of parts of a store beside today's other parts, as backups are put back; and all that opens there."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import places
from mace.core.errors import MaceError
from mace.engine.facts.reads import sealed_as
from mace.engine.runtime import Mace

_ALL = 100_000


def restore_data_only(place: places.Place, saved: Any) -> None:
    """Put an older copy of the data back, and leave the keys that are kept apart as they are today."""
    if isinstance(place, places.SqlitePlace):
        place.restore(saved)
        return
    with place.sql() as sql:
        keys = sql("select ref, wrapped from mace_people.person_keys")
        master = sql("select only_row, master_id from mace_people.master")
    place.restore(saved)
    with place.sql() as sql:
        sql("delete from mace_people.person_keys")
        sql("delete from mace_people.master")
        for row in keys:
            sql("insert into mace_people.person_keys (ref, wrapped) values (?, ?)", row)
        for row in master:
            sql("insert into mace_people.master (only_row, master_id) values (?, ?)", row)


def save_everything(place: places.Place, keep: Path) -> Any:
    """A copy of the data and of the keys that are kept apart; nobody may have it open."""
    saved = place.save()
    if isinstance(place, places.SqlitePlace) and place.people.exists():
        shutil.copy(place.people, keep)
    return saved


def restore_everything(place: places.Place, saved: Any, kept: Path) -> None:
    """Put back what `save_everything` saved; the key file stays as it is."""
    place.restore(saved)
    if isinstance(place, places.SqlitePlace):
        shutil.copy(kept, place.people)


def whatever_opens(m: Mace) -> Iterator[bytes]:
    """Everything sealed that the node's own keys open, whatever the verbs would say about it."""
    keys, store = m._parts.world.keys, m._parts.world.store

    def rows(tx: Any) -> tuple[list[Any], list[Any], list[Any]]:
        return (
            tx.vault.scan_keys("", 100_000),
            tx.vault.scan_blobs("", 100_000),
            tx.facts.scan_history(("", 0), 100_000),
        )

    wrapped, blobs, history = store.read(rows)
    wrapped += store.read(lambda tx: tx.vault.misplaced("", _ALL))
    opened: dict[str, bytes] = {}
    for _ in range(2):  # people's first, then those below them
        for ref, parent, stored in wrapped:
            with suppress(MaceError):
                if not parent or parent in opened:
                    opened[ref] = keys.unwrap(ref, stored[:60], opened[parent] if parent else None)
    yield from opened.values()
    for ref, key_ref, sealed in blobs:
        with suppress(MaceError):
            if key_ref in opened:
                yield keys.unseal(opened[key_ref], sealed, f"blob/{ref}")
    for row in history:
        with suppress(MaceError):
            if not row.key_ref:
                yield row.content
            elif row.key_ref in opened:
                yield keys.unseal(opened[row.key_ref], row.content, sealed_as(row.key, row.version))


def shows(m: Mace, needle: str) -> bool:
    """Whether any of that has these words."""
    return any(needle.encode() in plain for plain in whatever_opens(m))
