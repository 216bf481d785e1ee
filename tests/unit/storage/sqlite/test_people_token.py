"""Keys that are kept apart, as units see them: what another process or an earlier unit let go is gone at once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mace.storage.ports import Tx
from mace.storage.sqlite.store import SqliteStore

REF, OTHER = "person/user_ann", "person/user_bob"


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    one, other = SqliteStore(tmp_path / "mace.db"), SqliteStore(tmp_path / "mace.db")
    yield one, other
    one.close()
    other.close()


def add(ref: str, wrapped: bytes) -> Callable[[Tx], None]:
    return lambda tx: tx.vault.add_key(ref, "", wrapped)


def drop(ref: str) -> Callable[[Tx], bool]:
    return lambda tx: tx.vault.drop_key(ref)


def held(store: SqliteStore, ref: str) -> tuple[str, bytes] | None:
    """As the next unit sees it, and the next read."""
    found = store.write(lambda tx: tx.vault.key(ref))
    assert store.read(lambda tx: tx.vault.key(ref)) == found
    return found


def test_a_key_that_another_process_lets_go_is_gone_for_the_next_unit(stores: tuple[SqliteStore, SqliteStore]):
    one, other = stores
    for store, elsewhere in (stores, stores[::-1], stores):
        store.write(add(REF, b"first"))
        assert held(one, REF) == held(other, REF) == ("", b"first")
        assert elsewhere.write(drop(REF))
        assert held(one, REF) is held(other, REF) is None


def test_a_key_that_this_process_lets_go_is_gone_for_the_next_unit(stores: tuple[SqliteStore, SqliteStore]):
    one, _ = stores
    one.write(add(OTHER, b"other"))
    for number in range(3):
        one.write(add(REF, b"%d" % number))
        assert held(one, REF) == ("", b"%d" % number)
        assert one.write(drop(REF))
        assert held(one, REF) is None
        one.scrub()
        assert held(one, OTHER) == ("", b"other")


def test_a_unit_that_fails_lets_nothing_go(stores: tuple[SqliteStore, SqliteStore]):
    one, _ = stores
    one.write(add(REF, b"first"))

    def fails(tx: Tx) -> None:
        assert tx.vault.drop_key(REF)
        assert tx.vault.key(REF) is None
        raise LookupError

    with pytest.raises(LookupError):
        one.write(fails)
    assert held(one, REF) == ("", b"first")
