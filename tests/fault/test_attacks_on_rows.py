"""Rows deleted, swapped and inserted, tails cut, old copies restored, and what the stolen HMAC key is good for."""

import hmac
import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

import attacks
import places
from mace.core import canon, seeds
from mace.core.errors import PreconditionFailed
from mace.core.events import Head, NewEvent, Origin
from mace.core.purposes import Purpose
from mace.engine.ledger import verification
from mace.ledger import records, reflective
from mace.ledger.chain import link
from mace.ledger.findings import KINDS, changed_event
from mace.providers.keys import derive
from payloads import log_payload

EVENT = "position, stream, sequence_index, event_id, event_type, body, hash, signature"
BULK = seeds.job_id("bulk")


def size_of(sql: places.Sql) -> int:
    return int(sql("select max(position) + 1 from events")[0][0])


def set_count(place: places.Place, sql: places.Sql, size: int) -> None:
    """Whoever changes rows of events sets the count that PostgreSQL keeps beside them, too."""
    if place.kind == "postgres":
        sql("update ledger_head set size = ?", (size,))


@pytest.mark.parametrize(
    ("which", "stream_named"),
    [
        ("select 0", True),
        (f"select position from events where stream = '{BULK}' and sequence_index = 0", True),
        (f"select position from events where stream = '{BULK}' and sequence_index = 150", True),
        (f"select max(position) from events where stream = '{BULK}'", False),
    ],
    ids=["the first of the log", "the first of a stream", "in the middle", "the last of a stream"],
)
def test_a_deleted_row(built: places.Place, which: str, stream_named: bool):
    with built.sql() as sql:
        position = sql(which)[0][0]
        (stream, index) = sql("select stream, sequence_index from events where position = ?", (position,))[0]
        sql("delete from events where position = ?", (position,))
    expected: list[tuple[str, dict[str, Any]]] = [
        ("ROW_MISSING", {"table": "events", "position": position, "count": 1})
    ]
    if stream_named:
        expected.append(("ROW_MISSING", {"table": "events", "stream": stream, "sequence_index": index}))
    # The event after it names its hash, so its leaf is known and the tree goes on; the last of a stream has none.
    attacks.assert_found(built, expected, new_epoch=not stream_named)


def test_the_deleted_last_row_of_the_log(built: places.Place):
    with built.sql() as sql:
        size = size_of(sql)
        sql("delete from events where position = ?", (size - 1,))
    if built.kind == "sqlite":
        expected = ("LOG_CUT", {"table": "events", "checkpoint_size": size})
    else:  # the count that is kept beside the events still says how many there were
        expected = ("ROW_MISSING", {"table": "events", "position": size - 1, "count": 1})
    attacks.assert_found(built, [expected], new_epoch=True)


@pytest.mark.parametrize("gone", [range(20, 30), [3, 50, 51, 200]], ids=["in a row", "here and there"])
def test_several_deleted_rows(built: places.Place, gone: list[int]):
    with built.sql() as sql:
        for position in gone:
            sql("delete from events where position = ?", (position,))
    first = ("ROW_MISSING", {"table": "events", "position": min(gone)})
    attacks.assert_found(built, [first], new_epoch=True)


@pytest.mark.parametrize("behind", [1, 5, 60])
def test_a_cut_tail(built: places.Place, behind: int):
    """All traces of the last events are gone, as if they had never been; only the kept checkpoint knows of them."""
    with built.sql() as sql:
        size = size_of(sql)
        for (body,) in sql("select body from events where position >= ?", (size - behind,)):
            named = canon.loads(body)["payload"].get("record", {})
            if named.get("kind") == "reflective_log":
                sql("delete from reflective_log_stage0 where log_id = ?", (named["key"],))
            elif named:
                sql("delete from records where kind = ? and record_key = ?", (named["kind"], named["key"]))
        sql("delete from events where position >= ?", (size - behind,))
        sql("delete from tiles where (tile_index + 1) * 256 > ?", (size - behind,))
        set_count(built, sql, size - behind)
    attacks.assert_found(built, [("LOG_CUT", {"table": "events"})], new_epoch=True)


@pytest.mark.parametrize("columns", ["body", "body, hash, signature", "signature", "event_type"])
def test_two_rows_whose_content_was_swapped(built: places.Place, columns: str):
    with built.sql() as sql:
        names = columns.split(", ")
        rows = [sql(f"select {columns} from events where position = ?", (position,))[0] for position in (4, 60)]
        for position, row in ((4, rows[1]), (60, rows[0])):
            for name, value in zip(names, row, strict=True):
                sql(f"update events set {name} = ? where position = ?", (value, position))
    kind = {"body": "CONTENT_CHANGED", "signature": "BAD_SIGNATURE"}.get(columns, "COLUMN_MISMATCH")
    attacks.assert_found(built, [(kind, {"position": 4}), (kind, {"position": 60})])


@pytest.mark.parametrize(("one", "other"), [(100, 101), (30, 290), (2, 60)])
def test_two_rows_whose_positions_were_swapped(built: places.Place, one: int, other: int):
    with built.sql() as sql:
        streams = [sql("select stream from events where position = ?", (position,))[0][0] for position in (one, other)]
        for before, after in ((one, 10**6), (other, one), (10**6, other)):
            sql("update events set position = ? where position = ?", (after, before))
    expected: list[tuple[str, dict[str, Any]]] = [("TREE_MISMATCH", {"table": "events"})]
    if streams[0] == streams[1]:
        expected.append(("ORDER_CHANGED", {"table": "events", "position": one}))
    attacks.assert_found(built, expected, new_epoch=True)


def _follow(sql: places.Sql, stream: str, payload: dict[str, Any], sign: Any) -> NewEvent:
    """The event that would come next in a stream."""
    index, digest, body = sql(
        "select sequence_index, hash, body from events where stream = ? order by sequence_index desc limit 1", (stream,)
    )[0]
    said = canon.loads(body)
    started = datetime.fromisoformat(said["timestamp_seeded"])
    origin = Origin(stream, said["job_seed"], said["trace_id"], started.astimezone(UTC))
    return link(Head(index, digest), origin, "SEM_PUT", payload, "system", sign)


def _insert(place: places.Place, sql: places.Sql, event: NewEvent) -> int:
    position = size_of(sql)
    row = (
        position,
        event.stream,
        event.sequence_index,
        event.event_id,
        event.event_type,
        event.body,
        event.hash,
        event.signature,
    )
    sql(f"insert into events ({EVENT}) values (?, ?, ?, ?, ?, ?, ?, ?)", row)
    set_count(place, sql, position + 1)
    return position


@pytest.mark.parametrize("signature", ["", "k1:" + "0" * 64, "k9:" + "0" * 64, "nonsense", "k2"])
def test_a_row_with_a_valid_chain_but_no_key(built: places.Place, signature: str):
    with built.sql() as sql:
        position = _insert(built, sql, _follow(sql, BULK, {"forged": True}, lambda _purpose, _digest: signature))
    attacks.assert_found(built, [("BAD_SIGNATURE", {"table": "events", "position": position, "stream": BULK})])


def test_a_whole_stream_that_nobody_signed(built: places.Place):
    origin = Origin("forged", "forged seed", "0" * 32, datetime(2026, 1, 1, tzinfo=UTC))
    with built.sql() as sql:
        event = link(None, origin, "JOB_OPENED", {"started_at": "2026-01-01T00:00:00.000Z"}, "system", lambda *_: "x")
        position = _insert(built, sql, event)
    attacks.assert_found(built, [("BAD_SIGNATURE", {"position": position, "stream": "forged"})])


def test_a_restored_old_copy(built: places.Place):
    old = built.save()
    with built.open() as mace:
        mace.write_reflective_log(log_payload("after the copy"))
        size = mace.describe()["events"]
    built.restore(old)
    attacks.assert_found(built, [("LOG_CUT", {"table": "events", "checkpoint_size": size})], new_epoch=True)


@pytest.mark.parametrize("more", [1, 2, 5])
def test_a_restored_old_copy_that_went_on(built: places.Place, more: int):
    """It grows past the size of the newest checkpoint, and is still not the log that was signed."""
    old = built.save()
    with built.open() as mace:
        mace.write_reflective_log(log_payload("after the copy"))
        size = mace.describe()["events"]
    built.restore(old)
    with built.open() as mace:
        for number in range(more):
            mace.write_reflective_log(log_payload(f"instead {number}"))
        attacks.assert_checkpoint_refused(mace)
    kind = "LOG_CUT" if more < 1 else "TREE_MISMATCH"
    attacks.assert_found(built, [(kind, {"table": "events", "checkpoint_size": size})], new_epoch=True)


def test_a_copy_from_before_an_attestation_is_restored(built: places.Place):
    """The epoch that the attestation began is known to the shelf, so going back behind it shows."""
    old = built.save()
    with built.sql() as sql:
        sql("delete from events where position = ?", (size_of(sql) - 1,))
    with built.open() as mace:
        incident = mace.verify()["incident_id"]
        attacks.assert_answered_for(mace, incident, new_epoch=True)
    built.restore(old)
    with built.open() as mace:
        attacks.assert_checkpoint_refused(mace)
        assert mace.verify()["ok"] is False
        attacks.assert_answered_for(mace, mace.verify()["incident_id"], new_epoch=True)


class Thief:
    """Somebody with the HMAC keys, but not with the key of the checkpoints."""

    def __init__(self, place: places.Place) -> None:
        held = json.loads((place.folder / "keys.json").read_text())["hmac"]
        self._keys = {item["id"]: bytes.fromhex(item["key"]) for item in held}
        self._newest = held[-1]["id"]

    def sign(self, purpose: Purpose, digest: bytes, key_id: str | None = None) -> str:
        signer = key_id or self._newest
        return f"{signer}.{purpose}:{hmac.digest(derive(self._keys[signer], purpose), digest, 'sha256').hex()}"

    def rechain(self, sql: places.Sql, position: int) -> None:
        """Rewrite an event and make everything after it in its stream follow from it again."""
        stream, index = sql("select stream, sequence_index from events where position = ?", (position,))[0]
        later = sql(
            "select position, body, signature from events where stream = ? and sequence_index >= ? "
            "order by sequence_index",
            (stream, index),
        )
        before: str | None = None
        for place, body, signature in later:
            said = canon.loads(body)
            if before is None:
                said["payload"] = {**said["payload"], "rewritten": True}
            else:
                said["prev_hash"] = before
            made = canon.dumps(said)
            digest = sha256(made).digest()
            before = digest.hex()
            sql(
                "update events set body = ?, hash = ?, signature = ? where position = ?",
                (made, digest, self.sign(Purpose.EVENT, digest, signature.partition(".")[0]), place),
            )

    def record(self, sql: places.Sql, kind: str, key: str, content: dict[str, Any], parent: str = "") -> str:
        made = records.make(kind, key, content, self.sign, parent)
        sql(
            "insert into records (kind, record_key, parent, body, signature) values (?, ?, ?, ?, ?)",
            (made.kind, made.key, made.parent, made.body, made.signature),
        )
        return sha256(made.body).hexdigest()


@pytest.mark.parametrize("position", [20, 60, 310])
def test_a_log_rechained_and_resigned_with_the_stolen_key(built: places.Place, position: int):
    thief = Thief(built)
    with built.sql() as sql:
        thief.rechain(sql, position)
        sql("delete from tiles")  # derived: somebody careful builds them again, or leaves that to us
        sql("delete from records where kind = 'checkpoint'")
    attacks.assert_found(built, [("TREE_MISMATCH", {"table": "events"})], new_epoch=True)


def test_a_resigned_log_cannot_excuse_itself(built: places.Place):
    """The thief appends an attestation and a new epoch; without the checkpoints' key they count for nothing."""
    thief = Thief(built)
    with built.open(read_only=True) as mace:
        assert mace.verify()["ok"]
    with built.sql() as sql:
        thief.rechain(sql, 60)
        sql("delete from tiles")
        sql("delete from records where kind = 'checkpoint'")
    with built.open(read_only=True) as mace:
        ids = [finding["finding_id"] for finding in mace.verify()["findings"]]
    with built.sql() as sql:
        content = {
            "attestation_id": "x",
            "actor": "admin",
            "statement": "all is well",
            "finding_ids": ids,
            "lost_leaves": [],
            "at": "2026-01-01T00:00:00.000000Z",
            "epoch": 1,
            "continued_from": 0,
            "seal": "00" * 64,
        }
        digest = thief.record(sql, "attestation", "x", content)
        named = {"kind": "attestation", "key": "x", "hash": digest}
        _insert(built, sql, _follow(sql, "system", {"record": named, "finding_ids": ids}, thief.sign))
        _insert(built, sql, _follow(sql, "system", {"epoch": 1, "continued_from": 0}, thief.sign))
    with built.open() as mace:
        attacks.assert_checkpoint_refused(mace)
    attacks.assert_found(built, [("TREE_MISMATCH", {"table": "events"})], new_epoch=True)


def test_a_reflective_log_resigned_with_the_stolen_key(built: places.Place):
    log_id = seeds.log_id("2")
    thief = Thief(built)
    with built.sql() as sql:
        names = built.columns("reflective_log_stage0")
        row = sql(f"select {', '.join(names)} from reflective_log_stage0 where log_id = ?", (log_id,))[0]
        columns = {**dict(zip(names, row, strict=True)), "final_confidence": 1.0}
        signature = thief.sign(Purpose.LOG, sha256(reflective.signed_bytes(columns)).digest())
        sql(
            "update reflective_log_stage0 set final_confidence = 1.0, signature = ? where log_id = ?",
            (signature, log_id),
        )
    expected = ("RECORD_CHANGED", {"table": "reflective_log_stage0", "key": log_id})
    attacks.assert_found(built, [expected], new_epoch=False)


def test_a_deleted_reflective_log(built: places.Place):
    with built.sql() as sql:
        sql("delete from reflective_log_stage0 where log_id = ?", (seeds.log_id("2"),))
    expected = ("RECORD_MISSING", {"table": "reflective_log_stage0", "key": seeds.log_id("2")})
    attacks.assert_found(built, [expected], new_epoch=False)


@pytest.mark.parametrize("kind", ["sealed_amendment", "sealed_user_feedback", "quarantine"])
def test_a_deleted_record(built: places.Place, kind: str):
    with built.sql() as sql:
        key = sql("select min(record_key) from records where kind = ?", (kind,))[0][0]
        sql("delete from records where kind = ? and record_key = ?", (kind, key))
    expected = ("RECORD_MISSING", {"table": "records", "kind": kind, "key": key})
    attacks.assert_found(built, [expected], new_epoch=False)
    with built.open() as mace:  # what is numbered goes on behind the last one that is left
        mace.amend(seeds.log_id("0"), "cy", {"note": "third"}, "note")
        mace.update_reflective_log(seeds.log_id("1"), {"user_feedback": {"stars": 3}})


def test_a_reflective_log_that_nobody_signed(built: places.Place):
    with built.sql() as sql:
        names = built.columns("reflective_log_stage0")
        row = list(sql(f"select {', '.join(names)} from reflective_log_stage0 limit 1")[0])
        row[names.index("log_id")] = seeds.log_id("forged")
        sql(f"insert into reflective_log_stage0 values ({', '.join('?' * len(names))})", row)
    expected = ("RECORD_CHANGED", {"table": "reflective_log_stage0", "key": seeds.log_id("forged")})
    attacks.assert_found(built, [expected], new_epoch=False)


def test_a_tile_put_there_in_advance_is_not_believed(built: places.Place):
    """The next checkpoint would be signed over it if kept roots were believed as they are."""
    with built.sql() as sql:
        sql("insert into tiles values (1, 1, ?)", (b"\x00" * 32,))
    with built.open() as mace:
        attacks.append(mace, "more", 300)
        mace.checkpoint()
        assert mace.verify()["ok"] is True


def test_a_gap_as_wide_as_a_number_can_be(built: places.Place):
    """It is named at once; nobody can stand in for so many events, so a backup is asked for."""
    with built.sql() as sql:
        sql("update events set position = ? where position = 40", (10**15,))
        set_count(built, sql, 10**15 + 1)
    with built.open() as mace:
        result = mace.verify()
        assert result["ok"] is False
        attacks.assert_names(result, [("ROW_MISSING", {"table": "events", "position": 40, "count": 1})])
        assert result["incident_id"]
        with pytest.raises(PreconditionFailed, match="restore a backup"):
            mace.attest("ana", "what now")


def test_more_findings_than_can_be_listed(built: places.Place, monkeypatch: pytest.MonkeyPatch):
    """Every signature is bad: the first are listed, the rest is one more, and the word about all covers them all."""
    monkeypatch.setattr(verification, "MAX_FINDINGS", 20)
    with built.sql() as sql:
        sql("update events set signature = 'k1:none'")
    with built.open() as mace:
        result = mace.verify()
        assert result["ok"] is False
        assert len(result["findings"]) == 21
        assert result["findings"][-1]["kind"] == "MANY_MORE"
        assert result["findings_in_all"] >= result["events"]  # and rows that no good event names any more
        attacks.assert_answered_for(mace, result["incident_id"], new_epoch=False)
        folded = changed_event(
            "BAD_SIGNATURE", mace._parts.world.store.read(lambda tx: tx.events.scan(300, 1))[0], ""
        ).finding_id
        assert folded not in {item["finding_id"] for item in result["findings"]}
        assert folded in mace._parts.world.store.read(mace._parts.proofs.attested).findings, "each one by its id"
    with built.sql() as sql:
        sql("update events set signature = 'k1:other' where position = 300")
    with built.open(read_only=True) as mace:
        assert mace.verify()["ok"] is False


def test_every_kind_of_finding_has_its_meaning():
    assert all(meaning and meaning[0].islower() for meaning in KINDS.values())
