"""What is not found, or found by verification alone: each limit that the threat model tells of, tried out.

A limit that falls makes its test fail, and then the document is to be made better, too.
"""

import hmac
import json
import platform
import shutil
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import attacks
import governed
import lived
import places
from mace.core import canon
from mace.core.errors import AuthError, IntegrityFailure, PreconditionFailed
from mace.core.purposes import Purpose
from mace.ledger import records
from mace.memory.keys import identity_hash
from mace.providers.keys import derive

FOOD = "user/profile/user_bob/food"
CORPUS = Path(__file__).resolve().parents[1] / "replay" / "corpus" / "0001-questions.zip"


def kinds(place: places.Place) -> set[str]:
    with place.open(read_only=True) as mace:
        return {item["kind"] for item in mace.verify()["findings"]}


@pytest.fixture
def older(tmp_path: Path) -> places.SqlitePlace:
    """A store as an earlier version made it: the first key itself signed, and some rows no event named."""
    made = places.SqlitePlace(tmp_path)
    made.folder.mkdir(mode=0o700)
    with zipfile.ZipFile(CORPUS) as archive:
        archive.extractall(made.folder)
    (made.folder / "keys.json").chmod(0o600)
    return made


def test_a_row_without_a_signature_forged_before_rows_were_adopted(older: places.SqlitePlace):
    with older.sql() as sql:
        sql("insert into key_registry values (?, ?)", ("user/user_eve_x", identity_hash("eve.x")))
    with older.open() as mace:
        assert "ROWS_ADOPTED" in {event["event_type"] for event in mace.events("system")}
        assert mace.verify()["ok"]


def test_a_record_forged_with_the_first_key_before_keys_were_separated(older: places.SqlitePlace):
    key = bytes.fromhex(json.loads((older.folder / "keys.json").read_text())["hmac"][0]["key"])

    def sign(_purpose: Purpose, digest: bytes) -> str:
        return f"k1:{hmac.digest(key, digest, 'sha256').hex()}"  # what a user could have been told as a `pii_hash`

    account = {"at": "2026-01-01T00:00:00.000000Z", "by": "owner", "name": "mallory", "roles": ["admin"]}
    made = records.make("account", "mallory", account, sign)
    with older.sql() as sql:
        sql("insert into records values (?, ?, ?, ?, ?)", (made.kind, made.key, made.parent, made.body, made.signature))
    with older.open() as mace:
        assert "KEYS_SEPARATED" in {event["event_type"] for event in mace.events("system")}
        assert "mallory" in [account["name"] for account in mace.accounts.list()]
        assert mace.verify()["ok"]


@pytest.mark.parametrize(
    ("taken", "finding"),
    [
        (["events", "event_subjects", "records"], "ROW_MISSING"),
        (["events"], "ROW_MISSING"),
        (["event_subjects"], "SUBJECTS_CHANGED"),
        (["event_subjects", "records"], "SUBJECTS_CHANGED"),
    ],
    ids=["all of it", "the event alone", "its entry in the index alone", "its entry and its row"],
)
def test_an_event_or_its_entry_in_the_index_taken_away(
    place: places.Place, tmp_path: Path, taken: list[str], finding: str
):
    """Whoever takes the event of a decision undoes it; whoever takes what leads to it, until the next verification."""
    house = governed.House(tmp_path / "house", place=place)
    house.m = governed.owned(house.m)
    house.account("ana", "viewer")
    issued = house.m.accounts.issue_token("ana")
    house.m.accounts.revoke_token("ana", issued["token_id"])
    house.m.accounts.create("later", ["viewer"])
    with pytest.raises(AuthError):
        house.m.authenticate(issued["token"])
    with place.sql() as sql:
        ((position,),) = sql("select position from events where event_type = 'TOKEN_REVOKED'")
        for table in taken:
            if table == "records":
                sql("delete from records where kind = 'token_revoked'")
            else:
                sql(f"delete from {table} where position = ?", (position,))
    assert house.m.authenticate(issued["token"]).name == "ana"  # not seen when used
    expected = (finding, position)
    for read_only in (True, False):
        found = house.m.verify(read_only=read_only)
        assert expected in {(item["kind"], item["where"].get("position")) for item in found["findings"]}
        if read_only or finding == "ROW_MISSING":  # nothing was put right, or there is nothing that tells how
            assert house.m.authenticate(issued["token"]).name == "ana"
    if finding == "SUBJECTS_CHANGED":
        with pytest.raises(AuthError):
            house.m.authenticate(issued["token"])
        again = house.m.verify()
        assert "SUBJECTS_CHANGED" not in {item["kind"] for item in again["findings"]}
        incident_id = found["incident_id"]
        with pytest.raises(PreconditionFailed, match="attest the findings"):
            house.m.lift_replay_halt(incident_id, "owner")
        house.m.attest("owner", "Somebody had the database; the index was put right.")
        assert house.m.lift_replay_halt(incident_id, "owner")["halting"] is False
        with pytest.raises(AuthError):
            house.m.authenticate(issued["token"])
        assert house.m.verify()["ok"]
    house.close()


def test_an_index_that_is_put_right_still_leads_to_an_event_that_was_changed(place: places.Place, tmp_path: Path):
    """What a changed event decided is nobody's to say: the entry that leads to it must stay."""
    house = governed.House(tmp_path / "house", place=place)
    house.m = governed.owned(house.m)
    house.account("ana", "viewer")
    issued = house.m.accounts.issue_token("ana")
    house.m.accounts.revoke_token("ana", issued["token_id"])
    house.m.accounts.create("later", ["viewer"])
    with place.sql() as sql:
        ((position, body),) = sql("select position, body from events where event_type = 'TOKEN_REVOKED'")
        other = canon.dumps({**canon.loads(body), "payload": {}})
        sql("update events set body = ? where position = ?", (other, position))
        sql("delete from event_subjects where subject = 'account/later'")
        sql("insert into event_subjects (subject, position) values ('account/nobody', 0), ('account/nobody', 99999)")
    for _ in range(2):
        with pytest.raises(IntegrityFailure):
            house.m.authenticate(issued["token"])
        kinds = {item["kind"] for item in house.m.verify()["findings"]}
        assert "CONTENT_CHANGED" in kinds
    assert "SUBJECTS_CHANGED" not in kinds
    house.close()


def test_a_fact_rolled_back_together_with_the_index(place: places.Place):
    """The older value, which was signed for, is told again until the next verification."""
    key = "world/fact/oslo/population"
    with place.open() as mace:
        mace.sem_put(key, 600_000, "system_admin")
        mace.sem_put(key, 700_000, "system_admin")
        mace.sem_put("world/fact/oslo/country", "Norway", "system_admin")
    with place.sql() as sql:
        ((position,),) = sql("select max(position) from event_subjects where subject = ?", (f"sem_history/{key}",))
        sql("delete from event_subjects where position = ?", (position,))
        older = "(select {0} from sem_history where fact_key = facts.fact_key and version = 1)"
        columns = ("version", "content", "written_at")
        changes = ", ".join(f"{name} = {older.format(name)}" for name in columns)
        sql(f"update facts set {changes} where fact_key = ?", (key,))
    with place.open() as mace:
        assert mace.sem_get(key)["value"] == 600_000
        found = {item["kind"] for item in mace.verify()["findings"]}
        assert found >= {"SUBJECTS_CHANGED", "RECORD_CHANGED"}
        assert mace.sem_get(key)["error_code"] == "INTEGRITY_FAILURE"  # the newer event counts again


def test_a_tail_and_its_shelf_cut_together(built: places.Place, tmp_path: Path):
    """An older copy of everything but the keys is whole in itself; a checkpoint that somebody else holds denies it."""
    before, shelf, copied = built.save(), built.shelf, tmp_path / "shelf"
    shutil.copytree(shelf, copied)
    with built.open() as mace:
        attacks.append(mace, "cut off")
        elsewhere = mace.checkpoint()
    built.restore(before)
    shutil.rmtree(shelf)
    shutil.copytree(copied, shelf)
    assert kinds(built) == set()
    with shelf.joinpath("history.notes").open("ab") as history:
        history.write(elsewhere.encode() + b"\x1e")
    assert kinds(built) == {"LOG_CUT"}


def test_events_after_the_last_checkpoint_are_the_key_thiefs(place: places.Place):
    with place.open() as mace:
        mace.checkpoint()
        attacks.append(mace, "after it")
        held = json.loads((place.folder / "keys.json").read_text())["hmac"][-1]
        with place.sql() as sql:
            ((position, body),) = sql("select position, body from events order by position desc limit 1")
            made = canon.dumps({**canon.loads(body), "payload": {"n": "rewritten"}})
            digest = sha256(made).digest()
            mac = hmac.digest(derive(bytes.fromhex(held["key"]), Purpose.EVENT), digest, "sha256").hex()
            signed = (made, digest, f"{held['id']}.{Purpose.EVENT}:{mac}", position)
            sql("update events set body = ?, hash = ?, signature = ? where position = ?", signed)
        assert mace.verify()["ok"]


def test_whoever_copies_the_directory_with_its_keys_reads_and_signs(tmp_path: Path):
    place = places.SqlitePlace(tmp_path / "here")
    with place.open() as mace:
        mace.sem_put(FOOD, "soup", "user", user_id="bob")
    stolen = attacks.copy_of(place, tmp_path / "there")
    with stolen.open() as mace:
        assert mace.sem_get(FOOD)["value"] == "soup"
        mace.accounts.create("mallory", ["admin"])
        assert mace.verify()["ok"]  # signed like everything else, and on the record


def test_what_a_reader_of_the_file_sees(tmp_path: Path):
    """Values about the world and names of keys lie there in the clear; what belongs to a person does not."""
    place = places.SqlitePlace(tmp_path)
    with place.open() as mace:
        mace.sem_put("world/fact/tea/colour", "verdigris", "system")
        mace.sem_put(FOOD, "bouillabaisse", "user", user_id="bob")
    place.save()
    held = b"".join(file.read_bytes() for file in place.folder.iterdir() if file.is_file())
    assert b"verdigris" in held
    assert FOOD.encode() in held
    assert b"bouillabaisse" not in held


def test_two_copies_with_the_same_keys(built: places.Place, tmp_path: Path):
    """Each is right in itself; held against each other they differ."""
    other = attacks.copy_of(built, tmp_path / "other")
    with built.open() as mace:
        attacks.append(mace, "here")
    with other.open() as mace:
        attacks.append(mace, "there")
        note = mace.checkpoint()
    assert kinds(built) == kinds(other) == set()
    with built.shelf.joinpath("history.notes").open("ab") as history:
        history.write(note.encode() + b"\x1e")
    assert kinds(built) == {"TREE_MISMATCH"}


def test_a_write_ahead_log_removed_alone(tmp_path: Path):
    """What only it held is gone as if it had been cut off: the shelf shows it."""
    place = places.SqlitePlace(tmp_path / "here")
    with place.open() as mace:
        mace.sem_put("world/fact/tea/colour", "green", "system")
    with place.open() as mace:
        mace.sem_put("world/fact/tea/colour", "black", "system")
        mace.checkpoint()
        found = tmp_path / "found.db"
        shutil.copy(place.file, found)  # without the file beside it
    place.restore(found)
    with place.open(read_only=True) as mace:
        assert mace.sem_get("world/fact/tea/colour")["value"] == "green"
    assert "LOG_CUT" in kinds(place)


@pytest.mark.parametrize("adapter", ["sqlite", "postgres"])
def test_an_older_sum_of_experience_put_back(adapter: str, tmp_path: Path, request: pytest.FixtureRequest):
    """Its seal is good, for it was written by right: only verification, which projects again, sees that it is old."""
    place = lived.place_for(adapter, tmp_path, request)
    with lived.opened(place) as mace:
        lived.write(mace, "accept", 6)
        mace.experience.flush()
        before = mace.experience.query_mk(lived.SPACE, lived.ENTITY)
        with place.sql() as sql:
            names = ", ".join(place.columns("experience_pairs"))
            rows = sql(f"select {names} from experience_pairs where entity = ?", (lived.ENTITY,))
        lived.write(mace, "abandon", 6)
        mace.experience.flush()
        after = mace.experience.query_mk(lived.SPACE, lived.ENTITY)
        assert after != before
    with place.sql() as sql:
        sql("delete from experience_pairs where entity = ?", (lived.ENTITY,))
        for row in rows:
            sql(f"insert into experience_pairs ({names}) values ({', '.join('?' * len(row))})", row)
    with lived.opened(place, read_only=True) as mace:
        assert mace.experience.query_mk(lived.SPACE, lived.ENTITY) == before
        assert {item["kind"] for item in mace.verify()["findings"]} == {"PROJECTION_CHANGED"}
    with lived.opened(place) as mace:
        assert {item["kind"] for item in mace.verify()["findings"]} == {"PROJECTION_CHANGED"}
        assert mace.experience.query_mk(lived.SPACE, lived.ENTITY) == before  # found, and not yet made anew
        mace.experience.rebuild()
        assert mace.experience.query_mk(lived.SPACE, lived.ENTITY) == after


def test_a_process_that_holds_an_erased_key(tmp_path: Path):
    """It opened the key before the erasure: if the row is put back, it reads again; verification names that row."""
    place = places.SqlitePlace(tmp_path)
    with place.open() as mace, place.open() as other:
        mace.sem_put(FOOD, "soup", "user", user_id="bob")
        assert other.sem_history(FOOD)[0]["value"] == "soup"
        with place.sql() as sql:
            rows: list[Any] = sql(f"select ref, parent, wrapped from {places.ALL_KEYS} where ref like '%bob%'")
        governed.erase(mace, "bob")
        assert "soup" not in repr(other.sem_history(FOOD))
        with place.sql() as sql:
            places.put_back(sql, rows)
        assert other.sem_history(FOOD)[0]["value"] == "soup"
        assert "KEY_RETURNED" in {item["kind"] for item in other.verify()["findings"]}


def test_a_node_of_another_name_has_no_shelf_to_miss(built: places.Place, monkeypatch: pytest.MonkeyPatch):
    """On PostgreSQL the key file remembers a shelf for each host name; a directory has one, whatever the host."""
    shutil.rmtree(built.shelf)
    assert kinds(built) == {"SHELF_MOVED"}
    monkeypatch.setattr(platform, "node", lambda: "another-host")
    assert kinds(built) == (set() if built.kind == "postgres" else {"SHELF_MOVED"})


def test_what_is_no_event_is_not_compared_with_any(place: places.Place):
    """Heartbeats, counters, and when a rule was last asked for."""
    with lived.opened(place) as mace:
        lived.write(mace, "accept", 8)
        mace.experience.dream()
        assert mace.experience.query_c(lived.SPACE, lived.ENTITY, lived.NOW)
        mace.experience.flush()
    with place.sql() as sql:
        assert sql("select count(*) from megram_recalls") != [(0,)]
        sql("update megram_recalls set recalled_us = recalled_us - 1000000")
        sql("insert into holders values ('nobody', 'nowhere', 1, 'then', 'no clock', 1.0)")
        sql("insert into notes (name, value) values ('router_fallback_count', '7')")
    with lived.opened(place, read_only=True) as mace:
        found = mace.verify()
        assert found["ok"], found["findings"]
