"""A stranger's check of a proof: true ones pass, and every single change is refused."""

import copy
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import places
from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput
from mace.engine.offline import proofs
from mace.ledger import tree
from mace.ledger.checkpoint import Checkpoint, origin_of, sign, verifier_key
from mace.providers.forensic_box import HpkeBox
from mace.providers.frozen import CountingEntropy
from mace.providers.keys import KeyFile
from mace.wiring import doors

_BODIES = [canon.dumps({"event_id": f"{n:064x}", "payload": {"n": n}}) for n in range(7)]
_LEAVES = [sha256(body).digest() for body in _BODIES]


def _keys(folder: Path, name: str) -> KeyFile:
    return KeyFile.open(folder / name, CountingEntropy(name))


def _note(keys: KeyFile, size: int) -> str:
    head = Checkpoint(origin_of(keys.log_name, 0), size, tree.root_of(_LEAVES[:size]))
    return sign(head, keys.public_key(), keys.sign_note)


def _tree() -> tree.Tree:
    return tree.Tree(7, lambda start, stop: _LEAVES[start:stop], lambda level, index: None)


def _inclusion(keys: KeyFile) -> dict[str, Any]:
    return {
        "format": proofs.FORMAT,
        "kind": "inclusion",
        "body": _BODIES[3].decode(),
        "event": {"payload": "a lie that nobody believes"},
        "leaf_index": 3,
        "tree_size": 7,
        "proof": [step.hex() for step in _tree().inclusion(3)],
        "checkpoint": _note(keys, 7),
    }


def _consistency() -> dict[str, Any]:
    steps = [step.hex() for step in _tree().consistency(3)]
    return {"format": proofs.FORMAT, "kind": "consistency", "old_size": 3, "new_size": 7, "proof": steps}


def _public(keys: KeyFile) -> str:
    return verifier_key(keys.log_name, keys.public_key())


def test_a_true_inclusion_shows_the_event_that_was_hashed(tmp_path: Path):
    keys = _keys(tmp_path, "a")
    verdict = doors.check_proof(_inclusion(keys), _public(keys), [])
    assert verdict["ok"]
    assert verdict["proved"]["payload"] == {"n": 3}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda proof: proof.update(body=proof["body"].replace("3", "4")),
        lambda proof: proof.update(leaf_index=2),
        lambda proof: proof.update(proof=proof["proof"][:-1]),
        lambda proof: proof.update(proof=[*proof["proof"], "00" * 32]),
        lambda proof: proof.update(checkpoint=proof["checkpoint"].replace("\n7\n", "\n6\n")),
        lambda proof: proof.update(checkpoint=proof["checkpoint"][:-6] + "AAAA=\n"),
    ],
)
def test_any_change_to_a_proof_is_refused(tmp_path: Path, spoil: Callable[[dict[str, Any]], None]):
    keys = _keys(tmp_path, "a")
    proof = copy.deepcopy(_inclusion(keys))
    spoil(proof)
    assert not doors.check_proof(proof, _public(keys), [])["ok"]


def test_another_logs_key_is_refused(tmp_path: Path):
    keys, other = _keys(tmp_path, "a"), _keys(tmp_path, "b")
    assert not doors.check_proof(_inclusion(keys), _public(other), [])["ok"]


def test_consistency_is_between_two_checkpoints_that_the_stranger_holds(tmp_path: Path):
    keys = _keys(tmp_path, "a")
    assert doors.check_proof(_consistency(), _public(keys), [_note(keys, 3), _note(keys, 7)])["ok"]
    assert not doors.check_proof(_consistency(), _public(keys), [_note(keys, 2), _note(keys, 7)])["ok"]
    with pytest.raises(InvalidInput):
        doors.check_proof(_consistency(), _public(keys), [_note(keys, 7)])


@pytest.mark.parametrize(
    "proof",
    [
        None,
        [],
        {},
        {"format": "mace-proof/2"},
        {"format": proofs.FORMAT, "kind": "other"},
        {"format": proofs.FORMAT, "kind": "inclusion"},
        {"format": proofs.FORMAT, "kind": "inclusion", "checkpoint": 7},
        {"format": proofs.FORMAT, "kind": "consistency", "proof": ["zz"]},
    ],
)
def test_what_is_no_proof_is_said_to_be_none(tmp_path: Path, proof: Any):
    keys = _keys(tmp_path, "a")
    with pytest.raises(InvalidInput):
        doors.check_proof(proof, _public(keys), [_note(keys, 3), _note(keys, 7)])


@pytest.mark.parametrize("key", ["", "nonsense", "a+b+c", "mace/x+00000000+AAAA"])
def test_what_is_no_key_is_said_to_be_none(tmp_path: Path, key: str):
    with pytest.raises(InvalidInput):
        doors.check_proof(_inclusion(_keys(tmp_path, "a")), key, [])


def test_a_note_is_read_without_being_checked(tmp_path: Path):
    head = proofs.read_note(_note(_keys(tmp_path, "a"), 3))
    assert (head.size, head.root) == (3, tree.root_of(_LEAVES[:3]))
    with pytest.raises(InvalidInput):
        proofs.read_note("a letter")


def test_an_export_is_told_from_another_file_and_from_another_log(mace_home: places.SqlitePlace, tmp_path: Path):
    with mace_home.open() as m:
        m.sem_put("world/fact/water/boiling_point", "100", "system")
        note, key, lines = m.checkpoint(), m.public_key(), list(m.export())
    assert doors.verify_export(lines, note, key)["ok"]
    with pytest.raises(InvalidInput, match="not an exported log"):
        doors.verify_export([b"a letter\n"], note, key)
    with pytest.raises(IntegrityFailure, match="another log"):
        doors.verify_export(lines, _note(_keys(tmp_path, "a"), 3), key)


def test_a_forensic_key_pair_belongs_together():
    private, public = doors.make_forensic_key()
    assert HpkeBox().belongs(private, public)
    assert doors.make_forensic_key()[0] != private
