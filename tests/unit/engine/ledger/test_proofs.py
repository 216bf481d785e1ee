"""Checkpoints and proofs on real stores: what a stranger can check with the public key alone."""

import base64
from concurrent.futures import ThreadPoolExecutor

import pytest

from attacks import append
from mace.core.errors import InvalidInput, NotFound
from mace.ledger.checkpoint import open_note, parse_verifier_key
from mace.ledger.tree import check_consistency, check_inclusion, root_of
from mace.providers.keys import check_ed25519
from mace.wiring.doors import verify_export
from places import Place, SqlitePlace


def opened(note: str, verifier_key: str) -> tuple[int, bytes]:
    """The size and root of a checkpoint, as somebody reads it who holds only the public key."""
    name, public_key = parse_verifier_key(verifier_key)
    checkpoint = open_note(note, name.removeprefix("mace/"), public_key, check_ed25519)
    return checkpoint.size, checkpoint.root


def test_a_checkpoint_is_the_root_of_all_events(place: Place):
    with place.open() as mace:
        append(mace, "job", 700)
        size, root = opened(mace.checkpoint(), mace.public_key())
        hashes = mace._parts.world.store.read(lambda tx: tx.events.hashes(0, 10_000))
        assert size == len(hashes) == 702
        assert root == root_of(hashes)
        tiles = mace._parts.world.store.read(lambda tx: tx.tiles.scan_all())
        assert [tile[:2] for tile in tiles] == [(1, 0), (1, 1)]
        assert tiles[1][2] == root_of(hashes[256:512])


def test_a_checkpoint_without_new_events_is_the_same_note(place: Place):
    with place.open() as mace:
        first = mace.checkpoint()
        assert mace.checkpoint() == first
        append(mace, "job")
        second = mace.checkpoint()
        assert second != first
    with place.open() as mace:
        assert mace.checkpoint() == second
    history = (place.shelf / "history.notes").read_text()
    assert history == f"{first}\x1e{second}\x1e"
    assert (place.shelf / "latest.note").read_text() == second


def test_closing_publishes_the_last_events(place: Place):
    with place.open() as mace:
        append(mace, "job", 5)
        size = mace.describe()["events"]
        key = mace.public_key()
    assert opened((place.shelf / "latest.note").read_text(), key)[0] == size


def test_every_event_can_be_proved_to_a_stranger(place: Place):
    with place.open() as mace:
        events = append(mace, "job", 300)
        for event in (events[0], events[254], events[255], events[299]):
            proof = mace.prove_inclusion(event.event_id.hex())
            size, root = opened(proof["checkpoint"], mace.public_key())
            assert proof["tree_size"] == size
            steps = [bytes.fromhex(step) for step in proof["proof"]]
            assert check_inclusion(event.hash, proof["leaf_index"], size, steps, root)
            assert proof["body"].encode() == event.body
            assert proof["event"]["hash"] == event.hash.hex()
            assert proof["others_with_this_id"] == []


def test_a_later_checkpoint_can_be_proved_to_continue_an_earlier_one(place: Place):
    with place.open() as mace:
        heads = []
        for _ in range(4):
            append(mace, "job", 130)
            heads.append(opened(mace.checkpoint(), mace.public_key()))
        for old_size, old_root in heads:
            for new_size, new_root in heads:
                if old_size > new_size:
                    with pytest.raises(InvalidInput):
                        mace.prove_consistency(old_size, new_size)
                    continue
                proof = mace.prove_consistency(old_size, new_size)
                assert (proof["old_root"], proof["new_root"]) == (old_root.hex(), new_root.hex())
                steps = [bytes.fromhex(step) for step in proof["proof"]]
                assert check_consistency(old_size, new_size, steps, old_root, new_root)


@pytest.mark.parametrize("event_id", ["", "x", "0" * 63, None, 7])
def test_a_proof_needs_an_id(mace_home: SqlitePlace, event_id: object):
    with mace_home.open() as mace, pytest.raises((InvalidInput, NotFound)):
        mace.prove_inclusion(event_id)  # type: ignore[arg-type]


def test_there_is_no_proof_of_what_is_not_there(mace_home: SqlitePlace):
    with mace_home.open() as mace:
        with pytest.raises(NotFound):
            mace.prove_inclusion("00" * 32)
        for sizes in ((-1, 1), (0, 99), (True, 1), ("0", 1), (0.0, 1)):
            with pytest.raises(InvalidInput):
                mace.prove_consistency(*sizes)  # type: ignore[arg-type]


def test_two_events_with_one_id_are_both_told(mace_home: SqlitePlace):
    """Plain concatenation: `job-1` at 15 and `job-11` at 5 with the same type."""
    with mace_home.open() as mace:
        first = append(mace, "job-1", 15)[-1]
        second = append(mace, "job-11", 5)[-1]
        assert first.event_id == second.event_id
        found = mace.event(first.event_id.hex())
        assert [event["job_seed"] for event in found] == ["job-1", "job-11"]
        assert [event["job_seed"] for event in mace.event(first.event_id.hex(), "job-11")] == ["job-11"]
        assert mace.event(first.event_id.hex(), "job-2") == []
        proof = mace.prove_inclusion(first.event_id.hex())
        assert len(proof["others_with_this_id"]) == 1


def test_an_export_is_checked_without_server_key_or_database(place: Place):
    with place.open() as mace:
        append(mace, "job", 2500)
        note, key = mace.checkpoint(), mace.public_key()
        lines = list(mace.export())
    found = verify_export(lines, note, key)
    assert found["ok"] is True
    assert found["events"] == found["covered_by_checkpoint"] == 2502
    lines[1700] = lines[1700].replace(b'"n":', b'"m":')
    found = verify_export(lines, note, key)
    assert found["ok"] is False
    assert [finding["where"]["position"] for finding in found["findings"]] == [1699]


def test_checkpoints_published_at_once_agree(place: Place):
    with place.open() as first, place.open() as second:

        def work(number: int) -> list[str]:
            mace = (first, second)[number % 2]
            return [(append(mace, f"job {number}"), mace.checkpoint())[1] for _ in range(8)]

        with ThreadPoolExecutor(4) as pool:
            notes = [note for notes in pool.map(work, range(4)) for note in notes]
        roots: dict[int, set[bytes]] = {}
        for note in notes:
            size, root = opened(note, first.public_key())
            roots.setdefault(size, set()).add(root)
        assert all(len(found) == 1 for found in roots.values())
        assert first.verify()["ok"] is True


def test_the_public_key_is_in_the_formats_own_form(mace_home: SqlitePlace):
    with mace_home.open() as mace:
        name, _, encoded = mace.public_key().split("+", 2)
        assert name == f"mace/{mace.describe()['log_name']}"
        assert len(base64.b64decode(encoded)) == 33
