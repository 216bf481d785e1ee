"""What keeps a log honest is attacked: checkpoints kept elsewhere, the words of admins, the counter of PostgreSQL."""

import base64
import json
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import attacks
import places
from mace.core import canon
from mace.core.errors import IntegrityFailure
from mace.engine.runtime import Mace
from mace.ledger import checkpoint
from mace.ledger.checkpoint import Checkpoint
from mace.ledger.tree import check_consistency, check_inclusion
from payloads import log_payload

END = b"\x1e"


def log_name(place: places.Place) -> str:
    name: str = json.loads((place.folder / "keys.json").read_text())["log_name"]
    return name


def forged(place: places.Place, size: int, *, epoch: int = 0) -> bytes:
    """A note of this log by another key that claims to be ours."""
    keys = json.loads((place.folder / "keys.json").read_text())
    ours = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(keys["checkpoint_seed"])).public_key().public_bytes_raw()
    theirs = Ed25519PrivateKey.from_private_bytes(b"t" * 32)
    head = Checkpoint(checkpoint.origin_of(keys["log_name"], epoch), size, b"\x07" * 32)
    return checkpoint.sign(head, ours, theirs.sign).encode()


NOTES = {
    "one that is larger": lambda place: forged(place, 10**6),
    "one that is smaller": lambda place: forged(place, 3),
    "one of a later epoch": lambda place: forged(place, 10**6, epoch=3),
    "garbage": lambda place: b"garbage",
    "bytes that are no text": lambda place: b"\xff\xfe\x00\n\n" * 10,
    "nothing": lambda place: b"",
    "a good one whose size was changed": lambda place: _latest(place).replace(b"\n", b"\n9", 1),
    "one of another log": lambda place: _latest(place).replace(log_name(place).encode(), b"0" * 64),
}


def _latest(place: places.Place) -> bytes:
    return (place.shelf / "latest.note").read_bytes()


@pytest.mark.parametrize("note", NOTES)
def test_a_forged_note_among_those_that_were_kept(built: places.Place, note: str):
    with (built.shelf / "history.notes").open("ab") as history:
        history.write(NOTES[note](built) + END)
    with built.open() as mace:
        attacks.append(mace, "more")
        with pytest.raises(IntegrityFailure, match="not valid"):
            mace.checkpoint()
    attacks.assert_found(built, [("CHECKPOINT_FORGED", {"table": "checkpoints"})], new_epoch=False)


@pytest.mark.parametrize("note", [name for name in NOTES if name != "nothing"])
def test_a_forged_note_in_the_file_of_the_newest(built: places.Place, note: str):
    (built.shelf / "latest.note").write_bytes(NOTES[note](built))
    attacks.assert_found(built, [("CHECKPOINT_FORGED", {"table": "checkpoints"})], new_epoch=False)
    assert b"\n\n" in _latest(built)


@pytest.mark.parametrize("kept", [1, 20, 200])
def test_a_note_that_a_power_cut_tore_was_never_kept(built: places.Place, kept: int):
    history = built.shelf / "history.notes"
    with built.open() as mace:
        mace.write_reflective_log(log_payload("more"))
    whole = history.read_bytes()
    last = whole.rstrip(END).rpartition(END)[2]
    history.write_bytes(whole[: -len(last) - 1] + last[:kept])
    (built.shelf / "latest.note").write_bytes(whole.rstrip(END).rpartition(END)[0].rpartition(END)[2])
    with built.open() as mace:
        assert mace.verify()["ok"] is True
        mace.write_reflective_log(log_payload("and more"))
    assert last[:kept] + b"mace/" not in history.read_bytes()
    with built.open() as mace:
        assert mace.verify()["ok"] is True


def test_without_the_newest_note_the_history_still_shows_a_cut(built: places.Place):
    with built.sql() as sql:
        sql("delete from events where position >= 200")
        if built.kind == "postgres":
            sql("update ledger_head set size = 200")
    (built.shelf / "latest.note").unlink()
    with built.open() as mace:
        attacks.assert_checkpoint_refused(mace)
        attacks.assert_names(mace.verify(), [("LOG_CUT", {})])


def test_without_the_history_the_newest_note_still_shows_a_cut(built: places.Place):
    with built.sql() as sql:
        sql("delete from events where position >= 200")
        sql("delete from records where kind = 'checkpoint'")
        if built.kind == "postgres":
            sql("update ledger_head set size = 200")
    (built.shelf / "history.notes").unlink()
    with built.open(read_only=True) as mace:
        attacks.assert_names(mace.verify(), [("LOG_CUT", {})])


def test_without_any_shelf_the_notes_in_the_database_still_show_it(built: places.Place):
    with built.sql() as sql:
        body = sql("select body from events where position = 60")[0][0]
        digest = sha256(body + b" ").digest()
        sql("update events set hash = ? where position = 60", (digest,))
    for file in built.shelf.iterdir():
        file.unlink()
    with built.open(read_only=True) as mace:
        attacks.assert_names(mace.verify(), [("TREE_MISMATCH", {}), ("CONTENT_CHANGED", {"position": 60})])


def _attested(place: places.Place) -> Mace:
    """A log in which something was found and answered for."""
    with place.sql() as sql:
        sql("update events set body = ? where position = 30", (b"{}",))
    mace = place.open()
    attacks.assert_answered_for(mace, mace.verify()["incident_id"])
    return mace


def test_a_deleted_attestation_takes_its_word_with_it(built: places.Place):
    _attested(built).close()
    with built.sql() as sql:
        sql("delete from records where kind = 'attestation'")
    with built.open() as mace:
        result = mace.verify()
        assert result["ok"] is False
        attacks.assert_names(
            result, [("RECORD_MISSING", {"kind": "attestation"}), ("CONTENT_CHANGED", {"position": 30})]
        )
        assert not any(finding["attested"] for finding in result["findings"])
        events = mace.describe()["events"]
        assert mace.verify()["findings"] == result["findings"]
        assert mace.describe()["events"] == events
        mace.attest("ana", "it was there before")
        assert mace.verify()["ok"] is True


@pytest.mark.parametrize("column", ["body", "signature", "record_key", "parent"])
def test_a_changed_attestation_counts_for_nothing(built: places.Place, column: str):
    _attested(built).close()
    with built.sql() as sql:
        value = sql(f"select {column} from records where kind = 'attestation'")[0][0]
        sql(f"update records set {column} = ? where kind = 'attestation'", (attacks.changed(value),))
    with built.open() as mace:
        result = mace.verify()
        assert result["ok"] is False
        assert not any(finding["attested"] for finding in result["findings"])


def test_an_attestation_that_nobody_signed_covers_nothing(built: places.Place):
    with built.sql() as sql:
        sql("update events set body = ? where position = 30", (b"{}",))
    with built.open(read_only=True) as mace:
        ids = [finding["finding_id"] for finding in mace.verify()["findings"]]
    content = {"finding_ids": ids, "lost_leaves": [], "epoch": None, "continued_from": None, "seal": "00" * 64}
    with built.sql() as sql:
        sql(
            "insert into records (kind, record_key, parent, body, signature) values (?, 'x', '', ?, 'k1:0')",
            ("attestation", canon.dumps(content)),
        )
    expected = [("CONTENT_CHANGED", {"position": 30}), ("RECORD_CHANGED", {"kind": "attestation", "key": "x"})]
    attacks.assert_found(built, expected)


@pytest.mark.parametrize("kind", ["unhalt", "incident_ack"])
def test_nobody_lifts_a_halt_by_inserting_a_row(built: places.Place, kind: str):
    with built.sql() as sql:
        sql("update events set body = ? where position = 30", (b"{}",))
    with built.open() as mace:
        incident_id = mace.verify()["incident_id"]
    with built.sql() as sql:
        sql(
            "insert into records (kind, record_key, parent, body, signature) values (?, ?, ?, ?, 'k1:0')",
            (kind, f"{incident_id}/0", incident_id, canon.dumps({"incident_id": incident_id, "actor": "nobody"})),
        )
    with built.open() as mace:
        (incident,) = mace.incidents.list()
        assert incident["halting"] is True
        assert incident["acknowledged"] is None
        assert attacks.acknowledge(mace, incident_id)["acknowledged"]["actor"] == "ana"
        mace.attest("ana", "looked at it")
        assert attacks.lift(mace, incident_id)["halting"] is False


def test_nobody_lets_a_halt_go_by_changing_its_incident(built: places.Place):
    with built.sql() as sql:
        sql("update events set body = ? where position = 30", (b"{}",))
    with built.open() as mace:
        incident_id = mace.verify()["incident_id"]
    with built.sql() as sql:
        sql("update records set body = ? where kind = 'incident'", (b"{}",))
    with built.open() as mace:
        (incident,) = mace.incidents.list()
        assert (incident["incident_id"], incident["halting"], incident["halts"]) == (incident_id, True, ["*"])


@pytest.mark.parametrize("size", [0, 7, 250])
def test_the_count_of_positions_set_back(built: places.Place, size: int):
    """PostgreSQL only. No two events may share a place because of it."""
    if built.kind != "postgres":
        return
    with built.sql() as sql:
        sql("update ledger_head set size = ?", (size,))
    with built.open() as mace:
        before = mace.verify()
        assert before["ok"] is True
        attacks.append(mace, "more", 3)
        assert mace.verify()["ok"] is True
        assert mace.describe()["events"] == before["events"] + 4  # with the stream's beginning


def test_the_count_of_positions_gone(built: places.Place):
    if built.kind != "postgres":
        return
    with built.sql() as sql:
        sql("delete from ledger_head")
    with built.open() as mace:
        attacks.append(mace, "more", 3)
        assert mace.verify()["ok"] is True


def test_the_count_of_positions_set_forward(built: places.Place):
    if built.kind != "postgres":
        return
    with built.sql() as sql:
        size = sql("select size from ledger_head")[0][0]
        sql("update ledger_head set size = size + 5")
    attacks.assert_found(built, [("ROW_MISSING", {"table": "events", "position": size, "count": 5})])


def test_a_database_of_another_log_is_refused(built: places.Place, tmp_path: Path):
    """Other keys, other database: nothing is written into it, nothing is believed."""
    keys = built.folder / "keys.json"
    content = json.loads(keys.read_text())
    content["log_name"] = "1" * 64
    content["hmac"] = [{"id": "k1", "key": "22" * 32}]
    keys.write_text(json.dumps(content))
    before = built.content()
    with pytest.raises(IntegrityFailure, match="another log"):
        built.open()
    with pytest.raises(IntegrityFailure, match="another log"):
        built.open(read_only=True)
    assert built.content() == before


def test_a_proof_for_a_stranger_holds_after_everything(built: places.Place):
    """Inclusion and consistency can still be proved in the epoch that came after an attack."""
    with built.sql() as sql:
        sql("delete from events where position = ?", (sql("select max(position) from events")[0][0],))
    with built.open() as mace:
        attacks.assert_answered_for(mace, mace.verify()["incident_id"], new_epoch=True)
        (event,) = attacks.append(mace, "proved")
        proof = mace.prove_inclusion(event.event_id.hex())
        root = base64.b64decode(proof["checkpoint"].split("\n")[2])
        steps = [bytes.fromhex(step) for step in proof["proof"]]
        assert check_inclusion(event.hash, proof["leaf_index"], proof["tree_size"], steps, root)
        between = mace.prove_consistency(100, proof["tree_size"])
        assert between["new_root"] == root.hex()
        steps = [bytes.fromhex(step) for step in between["proof"]]
        old_root = bytes.fromhex(between["old_root"])
        assert check_consistency(100, proof["tree_size"], steps, old_root, root)
