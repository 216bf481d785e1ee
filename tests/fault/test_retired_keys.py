"""A key that leaked is rotated away, and then it signs nothing that counts: on one node and on several."""

import hmac
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import places
import services
from mace.core import canon
from mace.core.errors import IntegrityFailure, PermissionDenied
from mace.core.events import Head, NewEvent, Origin
from mace.core.purposes import Purpose
from mace.core.subjects import subjects_of
from mace.ledger import records
from mace.ledger.chain import link
from mace.providers.keys import derive

pytestmark = pytest.mark.breaks_its_store


def thief(place: places.Place, key_id: str) -> Callable[[Purpose, bytes], str]:
    """Whoever has one HMAC key of the server, and nothing else."""
    held = json.loads((place.folder / "keys.json").read_text())["hmac"]
    (secret,) = [bytes.fromhex(item["key"]) for item in held if item["id"] == key_id]
    return lambda purpose, digest: f"{key_id}.{purpose}:{hmac.digest(derive(secret, purpose), digest, 'sha256').hex()}"


def next_event(sql: places.Sql, event_type: str, payload: dict[str, Any], sign: Any) -> NewEvent:
    index, digest, body = sql(
        "select sequence_index, hash, body from events where stream = 'system' order by sequence_index desc limit 1"
    )[0]
    said = canon.loads(body)
    started = datetime.fromisoformat(said["timestamp_seeded"]).astimezone(UTC)
    origin = Origin("system", said["job_seed"], said["trace_id"], started)
    return link(Head(index, bytes(digest)), origin, event_type, payload, "owner", sign)


def append(place: places.Place, sql: places.Sql, event: NewEvent) -> int:
    size = int(sql("select max(position) + 1 from events")[0][0])
    row = (size, event.stream, event.sequence_index, event.event_id, event.event_type, event.body, event.hash)
    names = "position, stream, sequence_index, event_id, event_type, body, hash, signature"
    sql(f"insert into events ({names}) values (?, ?, ?, ?, ?, ?, ?, ?)", (*row, event.signature))
    if place.kind == "postgres":
        sql("update ledger_head set size = ?", (size + 1,))
    return size


def test_a_leaked_key_makes_no_admin_after_it_was_rotated(place: places.Place):
    with place.open() as mace:
        mace.accounts.create("ana", ["user"])
        mace.rotate_key()
        mace.rotate_key()
        assert mace.accounts.list()[0]["name"] == "ana"  # signed by the first key while it was in use
        assert mace.verify()["ok"]
    sign = thief(place, "k1")
    content = {"name": "eve", "roles": ["admin"], "person": "", "created_at": "2026-01-01T00:00:00Z", "by": "owner"}
    record = records.make("account", "eve", content, sign)
    with place.sql() as sql:
        sql(
            "insert into records (kind, record_key, parent, body, signature) values (?, ?, ?, ?, ?)",
            (record.kind, record.key, record.parent, record.body, record.signature),
        )
        payload = {"account": "eve", "roles": ["admin"], "person": "", "record": records.reference(record)}
        position = append(place, sql, next_event(sql, "ACCOUNT_CREATED", payload, sign))
        sql("insert into event_subjects (subject, position) values (?, ?)", ("account/eve", position))
    with place.open() as mace:
        assert [account["name"] for account in mace.accounts.list()] == ["ana"]
        for call in (lambda: mace.accounts.issue_token("eve"), lambda: mace.accounts.enrol_second_factor("eve")):
            with pytest.raises(
                IntegrityFailure if place.kind == "sqlite" else PermissionDenied
            ):  # eve may be the admin
                call()
        found = mace.verify()
        named = {(item["kind"], item["where"].get("key", item["where"].get("position"))) for item in found["findings"]}
        assert named == {("KEY_RETIRED", "eve"), ("KEY_RETIRED", position)}


def test_a_leaked_key_does_not_put_itself_back(place: places.Place):
    with place.open() as mace:
        mace.rotate_key()
    with place.sql() as sql:
        append(place, sql, next_event(sql, "KEY_ROTATED", {"key_id": "k1"}, thief(place, "k1")))
        sql("update ledger_head set key_number = 1")
    with place.open() as mace:
        mace.accounts.create("ana", ["user"])
        newest = mace.events("system")[-1]
        assert newest["signature"].startswith("k2.event:")
        assert [item["kind"] for item in mace.verify()["findings"]] == ["KEY_RETIRED"]


def test_a_list_of_older_rows_cannot_be_made_longer(place: places.Place):
    with place.open() as mace:
        mace.accounts.create("ana", ["user"])
        mace.rotate_key()
    sign = thief(place, "k1")
    content = {"name": "eve", "roles": ["admin"], "person": "", "created_at": "2026-01-01T00:00:00Z", "by": "owner"}
    record = records.make("account", "eve", content, sign)
    digest = records.digest_of(record.kind, record.key, record.parent, record.body).hex()[:32]
    with place.sql() as sql:
        body = canon.loads(sql("select body from records where kind = 'signed_rows'")[0][0])
        longer = records.make("signed_rows", "k1/", {**body, "digests": body["digests"] + digest}, sign)
        sql("update records set body = ?, signature = ? where kind = 'signed_rows'", (longer.body, longer.signature))
        sql(
            "insert into records (kind, record_key, parent, body, signature) values (?, ?, ?, ?, ?)",
            (record.kind, record.key, record.parent, record.body, record.signature),
        )
    with place.open(read_only=True) as mace:
        assert [item["name"] for item in mace.accounts.list()] == ["ana"]
        found = {(item["kind"], item["where"].get("key")) for item in mace.verify()["findings"]}
        assert found >= {("KEY_RETIRED", "k1/"), ("KEY_RETIRED", "eve")}
    with place.sql() as sql:  # an event of the leaked key that names the row is worth as little
        payload = {"account": "eve", "roles": ["admin"], "person": "", "record": records.reference(record)}
        position = append(place, sql, next_event(sql, "ACCOUNT_CREATED", payload, sign))
        for subject in subjects_of("ACCOUNT_CREATED", payload):
            sql("insert into event_subjects (subject, position) values (?, ?)", (subject, position))
    with place.open(read_only=True) as mace:
        assert [item["name"] for item in mace.accounts.list()] == ["ana"]


_WRITER = """
import sys
from mace.settings import Settings
from mace.wiring import open_mace

location, shelf, name, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
settings = Settings(location=location, checkpoint_dir=shelf, checkpoint_interval_ms=20, spill_bytes=65536, user="owner")
with open_mace(settings=settings) as mace:
    print("open", flush=True)
    sys.stdin.read(1)
    for number in range(count):
        if name == "rotate":
            mace.rotate_key()
        else:
            mace.sem_put(f"user/profile/user_{name}/note_{number % 7}", number, "user")
            mace.grant_consent(name, f"You may, for the {number}th time.")
            mace.detect_and_handle({"password": "hunter2" + name}, name)
"""


def run_together(jobs: list[tuple[places.Place, str, int]]) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, place.settings.location, place.settings.checkpoint_dir, name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for place, name, count in jobs
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "open\n", child.communicate()[1]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("g")
        child.stdin.flush()
    for child in children:
        _, err = child.communicate(timeout=120)
        assert child.returncode == 0, err


def assert_all_good(place: places.Place, rotations: int) -> None:
    with place.open() as mace:
        found = mace.verify()
        assert found["ok"], found["findings"][:3]
        assert mace.describe()["hmac_keys"] == [f"k{number}" for number in range(1, rotations + 2)]
        assert len(mace.consents("ana")) == len(mace.consents("bo")) == 25


def test_processes_write_while_another_rotates(mace_home: places.SqlitePlace):
    mace_home.open().close()
    run_together([(mace_home, "ana", 25), (mace_home, "bo", 25), (mace_home, "rotate", 8)])
    assert_all_good(mace_home, 8)


def second_node(first: places.PostgresPlace, root: Path, databases: services.Databases) -> places.PostgresPlace:
    """Another node of the same store with a key file of its own, as it was when the node joined."""
    other = places.PostgresPlace(root, databases, url=first.settings.location)
    other.settings = replace(other.settings, checkpoint_dir=str(root / "state" / "checkpoints"))
    other.folder.mkdir(parents=True, mode=0o700)
    copied = other.folder / "keys.json"
    copied.write_bytes((first.folder / "keys.json").read_bytes())
    copied.chmod(0o600)
    return other


def test_nodes_write_while_another_rotates(tmp_path: Path, databases: services.Databases):
    one = places.PostgresPlace(tmp_path / "one", databases)
    one.open().close()
    two = second_node(one, tmp_path / "two", databases)
    three = second_node(one, tmp_path / "three", databases)
    run_together([(one, "ana", 25), (two, "bo", 25), (three, "rotate", 8)])
    for node in (one, two, three):
        assert_all_good(node, 8)


def test_a_node_that_was_away_learns_the_keys_and_reports_no_forgery(tmp_path: Path, databases: services.Databases):
    one = places.PostgresPlace(tmp_path / "one", databases)
    with one.open() as mace:
        mace.accounts.create("ana", ["user"])
    two = second_node(one, tmp_path / "two", databases)
    with two.open() as there, one.open() as here:
        there.accounts.create("bo", ["user"])
        assert here.rotate_key() == "k2"
        assert there.verify(read_only=True)["ok"]
        assert [item["name"] for item in there.accounts.list()] == ["ana", "bo"]
        there.accounts.create("cy", ["user"])
        assert there.events("system")[-1]["signature"].startswith("k2.event:")
        assert there.rotate_key() == "k3"
        assert here.verify()["ok"]
    with two.open(read_only=True) as there:
        assert there.verify()["ok"]


@pytest.mark.parametrize("file_write", [True, False])
def test_a_rotation_that_did_not_reach_the_file_is_learnt_from_the_store(
    mace_home: places.SqlitePlace, file_write: bool
):
    mace_home.open().close()
    before = (mace_home.folder / "keys.json").read_bytes()
    with mace_home.open() as mace:
        mace.rotate_key()
        mace.accounts.create("ana", ["user"])
    if not file_write:
        (mace_home.folder / "keys.json").write_bytes(before)  # as after a crash between commit and file
    with mace_home.open() as mace:
        assert mace.verify()["ok"]
        mace.accounts.create("bo", ["user"])
        assert mace.events("system")[-1]["signature"].startswith("k2.event:")
        assert mace.verify()["ok"]


def test_an_older_copy_of_the_database_goes_on_with_the_newer_key(mace_home: places.SqlitePlace):
    with mace_home.open() as mace:
        mace.accounts.create("ana", ["user"])
    saved = mace_home.save()
    with mace_home.open() as mace:
        mace.rotate_key()
    mace_home.restore(saved)
    with mace_home.open() as mace:
        assert [item["name"] for item in mace.accounts.list()] == ["ana"]
        mace.accounts.create("bo", ["user"])
        assert [item["kind"] for item in mace.verify()["findings"]] in (["LOG_CUT"], ["TREE_MISMATCH"], [])
    with mace_home.open() as mace:
        assert [item["name"] for item in mace.accounts.list()] == ["ana", "bo"]
