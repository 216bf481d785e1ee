"""Sealing: keys under keys, what erasure leaves, and rows that somebody moved or changed."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mace.core.errors import Erased, IntegrityFailure, KeyMissing
from mace.core.events import Origin
from mace.engine.kernel.vault import Vault
from mace.ledger import records
from mace.ledger.chain import link
from mace.providers.keys import KeyFile
from mace.providers.system import SystemEntropy
from mace.storage.inmemory import InMemoryStore
from mace.storage.ports import Tx


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile.open(tmp_path / "keys.json", SystemEntropy())


@pytest.fixture
def vault(keys: KeyFile) -> Vault:
    return Vault(keys)


def fresh(keys: KeyFile) -> Vault:
    """One that remembers nothing."""
    return Vault(keys)


def test_what_is_sealed_opens_with_its_key_and_its_context(store: InMemoryStore, vault: Vault, keys: KeyFile):
    sealed = store.write(lambda tx: vault.seal(tx, "job/1", "ana", b"plain", "here"))
    assert store.read(lambda tx: fresh(keys).unseal(tx, "job/1", sealed, "here")) == b"plain"
    assert store.read(lambda tx: tx.vault.keys_under("person/ana")) == ["job/1"]
    with pytest.raises(IntegrityFailure):
        store.read(lambda tx: vault.unseal(tx, "job/1", sealed, "elsewhere"))


def test_a_key_is_made_once(store: InMemoryStore, vault: Vault, keys: KeyFile):
    first = store.write(lambda tx: vault.data_key(tx, "job/1", "ana"))
    assert store.write(lambda tx: fresh(keys).data_key(tx, "job/1", "ana")) == first
    assert store.write(lambda tx: vault.data_key(tx, "job/2", "ana")) != first
    assert store.write(lambda tx: vault.data_key(tx, "job/3", None)) != first


def take_away(store: InMemoryStore, keys: KeyFile, *refs: str) -> None:
    """Drop keys of ana with the paper that says so."""

    def unit(tx: Tx) -> None:
        for ref in refs:
            tx.vault.drop_key(ref)
        paper = {"dsr_id": refs[0], "person": "ana", "keys_removed": list(refs), "facts": []}
        manifest = records.make("deletion_manifest", refs[0], paper, keys.sign, parent="ana")
        tx.records.add(manifest)
        origin = Origin("system", "seed", "trace", datetime(2026, 3, 1, tzinfo=UTC))
        payload = {"manifest": records.reference(manifest)}
        tx.events.append(link(tx.events.head("system"), origin, "DSR_ERASED", payload, "system", keys.sign))

    store.write(unit)


@pytest.mark.parametrize("dropped", ["job/1", "person/ana"])
def test_without_its_key_or_the_key_above_it_is_erased(store: InMemoryStore, vault: Vault, keys: KeyFile, dropped: str):
    sealed = store.write(lambda tx: vault.seal(tx, "job/1", "ana", b"plain", "here"))
    assert store.read(lambda tx: vault.unseal(tx, "job/1", sealed, "here")) == b"plain"
    take_away(store, keys, dropped)
    assert store.read(lambda tx: vault.unseal(tx, "job/1", sealed, "here")) is None
    with pytest.raises(Erased):
        store.read(lambda tx: vault.open_key(tx, "job/1"))


@pytest.mark.parametrize("dropped", ["job/1", "person/ana"])
def test_without_a_paper_it_is_lost_and_not_erased(store: InMemoryStore, vault: Vault, keys: KeyFile, dropped: str):
    sealed = store.write(lambda tx: vault.seal(tx, "job/1", "ana", b"plain", "here"))
    take_away(store, keys, "job/2")  # a paper about another key
    store.write(lambda tx: tx.vault.drop_key(dropped))
    with pytest.raises(KeyMissing, match=f"key {dropped} is missing"):
        store.read(lambda tx: vault.unseal(tx, "job/1", sealed, "here"))


def test_blobs(store: InMemoryStore, vault: Vault, keys: KeyFile):
    store.write(lambda tx: vault.put_blob(tx, "r", "job/1", "ana", b"long text"))
    assert store.read(lambda tx: fresh(keys).blob(tx, "r")) == b"long text"
    assert store.read(lambda tx: vault.blob(tx, "s")) is None
    held = store.read(lambda tx: tx.vault.blob("r"))
    assert held is not None
    assert b"long text" not in held[1]
    take_away(store, keys, "person/ana")
    assert store.read(lambda tx: fresh(keys).blob(tx, "r")) is None


def change(store: InMemoryStore, ref: str, *, to: str = "", parent: str | None = None, flip: int | None = None) -> None:
    """Change a row of keys behind everybody's back."""
    held_parent, stored = store.vault._keys.rows.pop(ref)
    if flip is not None:
        stored = stored[:flip] + bytes([stored[flip] ^ 1]) + stored[flip + 1 :]
    store.vault._keys.rows[to or ref] = (held_parent if parent is None else parent, stored)


@pytest.mark.parametrize(
    "changes",
    [
        {"flip": 0},
        {"flip": 20},
        {"flip": -1},
        {"parent": ""},
        {"parent": "person/bo"},
        {"parent": "nobody"},
        {"parent": "job/1"},
    ],
)
def test_a_changed_row_is_told_from_an_erased_one(
    store: InMemoryStore, vault: Vault, keys: KeyFile, changes: dict[str, object]
):
    sealed = store.write(lambda tx: vault.seal(tx, "job/1", "ana", b"plain", "here"))
    store.write(lambda tx: vault.data_key(tx, "job/2", "bo"))
    change(store, "job/1", **changes)  # type: ignore[arg-type]
    for opener in (vault, fresh(keys)):  # one remembers the opened key, the other does not
        with pytest.raises(IntegrityFailure, match="key job/1 was changed"):
            store.read(lambda tx, opener=opener: opener.open_key(tx, "job/1"))
        with pytest.raises(IntegrityFailure):
            store.read(lambda tx, opener=opener: opener.unseal(tx, "job/1", sealed, "here"))


def test_a_key_under_another_name_is_not_that_key(store: InMemoryStore, vault: Vault):
    store.write(lambda tx: vault.data_key(tx, "job/1", "ana"))
    change(store, "job/1", to="job/9")
    with pytest.raises(IntegrityFailure):
        store.read(lambda tx: vault.open_key(tx, "job/9"))
    (row,) = [row for row in store.read(lambda tx: tx.vault.scan_keys()) if row[0] == "job/9"]
    assert not vault.is_intact(*row)


def test_a_row_is_intact_also_when_it_cannot_be_opened(store: InMemoryStore, vault: Vault):
    store.write(lambda tx: vault.data_key(tx, "job/1", "ana"))
    store.write(lambda tx: tx.vault.drop_key("person/ana"))
    rows = store.read(lambda tx: tx.vault.scan_keys())
    assert [vault.is_intact(*row) for row in rows] == [True]


@pytest.mark.parametrize("stored", [b"", b"short", b"x" * 15, b"x" * 76])
def test_odd_rows_are_no_crash(store: InMemoryStore, vault: Vault, stored: bytes):
    store.write(lambda tx: tx.vault.add_key("job/1", "", stored))
    assert not vault.is_intact("job/1", "", stored)
    with pytest.raises(IntegrityFailure):
        store.read(lambda tx: vault.open_key(tx, "job/1"))


def test_evidence_can_be_sealed_whatever_happened_to_the_key_before(store: InMemoryStore, vault: Vault):
    def seal(content: bytes) -> str:
        def unit(tx: object) -> str:
            ref = vault.quarantine_key(tx)  # type: ignore[arg-type]
            vault.put_blob(tx, content.decode(), ref, None, content)  # type: ignore[arg-type]
            return ref

        return store.write(unit)

    first = seal(b"a")
    assert seal(b"b") == first
    change(store, first, flip=3)
    second = seal(b"c")
    assert second != first
    assert seal(b"d") == second
    assert store.read(lambda tx: [vault.blob(tx, name) for name in "cd"]) == [b"c", b"d"]
