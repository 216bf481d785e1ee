"""A database that goes away: locked, stopped in the middle, cut off during COMMIT. Nothing is lost or silent."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import apsw
import psycopg
import pytest

import places
import services
from attacks import append
from mace.core.errors import Closed, InvalidInput, ServiceUnavailable
from mace.engine.runtime import Mace
from mace.storage.ports import Tx
from mace.storage.postgres import PostgresStore
from payloads import log_payload
from store_samples import append as append_to

UNAVAILABLE = "Something I depend on is not available right now. Try again later."


def events_of(mace: Mace, kind: str) -> list[dict[str, object]]:
    return [event["payload"] for event in mace.events("system") if event["event_type"] == kind]


def test_a_sqlite_that_somebody_holds_locked(mace_home: places.SqlitePlace):
    mace_home.settings = replace(mace_home.settings, busy_timeout_ms=20)
    with mace_home.open() as mace:
        mace.write_reflective_log(log_payload("before"))
        holder = apsw.Connection(str(mace_home.file))
        holder.execute("begin immediate")
        with pytest.raises(ServiceUnavailable) as raised:
            mace.write_reflective_log(log_payload("meanwhile"))
        assert raised.value.user_message == UNAVAILABLE
        assert raised.value.details["spilled"] is True
        assert mace.read_reflective_log(log_payload("before")["log_id"])["repair_loops"] == 1  # reading goes on
        assert mace.verify(read_only=True)["ok"] is True
        holder.execute("rollback")
        holder.close()
        mace.write_reflective_log(log_payload("meanwhile"))
        assert [entry["verb"] for entry in events_of(mace, "SERVICE_UNAVAILABLE")] == ["write_reflective_log"]
        assert mace.verify()["ok"] is True


def test_after_closing_nothing_is_spilled(place: places.Place):
    mace = place.open()
    mace.close()
    mace.close()
    with pytest.raises(Closed):
        mace.write_reflective_log(log_payload("late"))
    with place.open() as again:
        assert again.describe()["spilled_waiting"] == 0


def test_opened_for_reading_nothing_is_spilled(place: places.Place):
    place.open().close()
    before = place.content()
    with place.open(read_only=True) as mace:
        with pytest.raises(Closed):
            mace.write_reflective_log(log_payload("late"))
        with pytest.raises(Closed):
            mace.amend("x", "ana", "y", "note")
    assert place.content() == before
    with place.open() as again:
        assert again.describe()["spilled_waiting"] == 0


@pytest.fixture(scope="module")
def own_server() -> Iterator[services.OwnServer]:
    """A PostgreSQL that this module may stop as rudely as it likes."""
    server = services.OwnServer(Path(os.environ[services.FOLDER_VARIABLE]) / f"own-{os.getpid()}")
    server.create()
    yield server
    if server.is_running():
        server.stop()


@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_a_postgresql_stopped_in_the_middle(own_server: services.OwnServer, tmp_path: Path, mode: str):
    databases = services.Databases(own_server.url)
    place = places.PostgresPlace(tmp_path, databases)
    place.settings = replace(place.settings, postgres_connect_timeout_s=1)
    databases.close()
    mace = place.open()
    try:
        acknowledged = append(mace, "before", 5)
        own_server.stop(mode)
        with pytest.raises(ServiceUnavailable) as raised:
            mace.write_reflective_log(log_payload("meanwhile"))
        assert raised.value.user_message == UNAVAILABLE
        assert raised.value.details["spilled"] is True
        with pytest.raises(ServiceUnavailable):
            mace.read_reflective_log("x")
        with pytest.raises(ServiceUnavailable):
            place.open()  # also told at once when it is opened
        own_server.start()
        mace.write_reflective_log(log_payload("meanwhile"))
        assert len(events_of(mace, "SERVICE_UNAVAILABLE")) == 1
        assert events_of(mace, "SPILL_MERGED") == [{"entries": 1}]
        hashes = {event["hash"] for event in mace.events(acknowledged[0].stream)}
        assert {event.hash.hex() for event in acknowledged} <= hashes
        assert mace.verify()["ok"] is True
    finally:
        if not own_server.is_running():
            own_server.start()
        mace.close()


def _end_sessions(url: str, postgres_url: str) -> None:
    name = url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", (name,))


@pytest.mark.parametrize("boundary", ["after begin", "after unit", "after insert", "before commit"])
def test_a_session_ended_in_the_middle_of_a_unit(databases: services.Databases, postgres_url: str, boundary: str):
    url = databases.new()
    armed = threading.Event()

    def hook(name: str) -> None:
        if armed.is_set() and name == boundary:
            armed.clear()
            _end_sessions(url, postgres_url)

    store = PostgresStore(url, boundary=hook)
    try:
        store.write(lambda tx: append_to(tx, "a"))
        armed.set()
        with pytest.raises(ServiceUnavailable):
            store.write(lambda tx: append_to(tx, "a"))
        assert store.read(lambda tx: tx.events.size()) == 1
        store.write(lambda tx: append_to(tx, "a"))
        rows = store.read(lambda tx: tx.events.of_stream("a"))
        assert [row.sequence_index for row in rows] == [row.position for row in rows] == [0, 1]
    finally:
        store.close()


def test_a_unit_whose_own_statement_fails_does_not_hurt_the_connection(databases: services.Databases):
    store = PostgresStore(databases.new())

    def unit(tx: Tx) -> None:
        append_to(tx, "a")
        tx.notes.put("a", "no\x00text")

    try:
        for _ in range(20):
            with pytest.raises(InvalidInput):  # whoever gave the text is told, and nothing counts as broken
                store.write(unit)
        with pytest.raises(InvalidInput):
            store.read(lambda tx: tx.notes.get("no\x00text"))
        store.write(lambda tx: append_to(tx, "a"))
        assert store.read(lambda tx: tx.events.size()) == 1
    finally:
        store.close()


class _Proxy:
    """Stands between a client and the server; may swallow the answer to a COMMIT and hang up."""

    def __init__(self, folder: Path, server: str) -> None:
        self.cut = threading.Event()
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            lost = threading.Event()
            threading.Thread(target=self._pump, args=(client, server, lost, True), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, lost, False), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, lost: threading.Event, up: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if up and self.cut.is_set() and b"commit" in data.lower():
                    self.cut.clear()
                    lost.set()
                if not up and lost.is_set():
                    break  # the server has answered; nobody will hear it
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def proxied(databases: services.Databases, postgres_url: str, tmp_path: Path) -> Iterator[tuple[PostgresStore, _Proxy]]:
    if "host=/" not in postgres_url:
        services.cannot_run("a connection lost in COMMIT", "the server is not reached through a socket")
    url = databases.new()
    host = postgres_url.partition("host=")[2]
    proxy = _Proxy(tmp_path, f"{host}/.s.PGSQL.5432")
    store = PostgresStore(url.replace(f"host={host}", f"host={tmp_path}"))
    yield store, proxy
    store.close()
    proxy.close()


def test_a_commit_that_landed_though_its_answer_was_lost(proxied: tuple[PostgresStore, _Proxy]):
    store, proxy = proxied
    store.write(lambda tx: append_to(tx, "a"))
    proxy.cut.set()
    made = store.write(lambda tx: append_to(tx, "a"))  # looked up: it is there, so it is acknowledged
    assert not proxy.cut.is_set()
    assert [event.sequence_index for event in made] == [1]
    assert store.read(lambda tx: tx.events.size()) == 2


def test_a_commit_without_events_whose_answer_was_lost_is_not_called_done(proxied: tuple[PostgresStore, _Proxy]):
    store, proxy = proxied
    proxy.cut.set()
    with pytest.raises(ServiceUnavailable):
        store.write(lambda tx: tx.notes.put("a", "v"))


_CALLS: list[Callable[[Mace], object]] = [
    lambda mace: mace.write_reflective_log(log_payload("x")),
    lambda mace: mace.write_reflective_log({"log_id": "invalid"}),
    lambda mace: mace.amend("x", "ana", "y", "note"),
    lambda mace: mace.update_reflective_log("x", {"audit_tags": "y"}),
    lambda mace: mace.rotate_key(),
    lambda mace: mace.rotate_master_key(),
]


def test_every_verb_that_writes_tells_of_a_broken_store(mace_home: places.SqlitePlace):
    mace_home.settings = replace(mace_home.settings, busy_timeout_ms=0)
    with mace_home.open() as mace:
        holder = apsw.Connection(str(mace_home.file))
        holder.execute("begin immediate")
        for call in _CALLS:
            with pytest.raises(ServiceUnavailable):
                call(mace)
        holder.execute("rollback")
        holder.close()
        failed = [entry for entry in mace._parts.world.spill.entries() if entry["event_type"] != "ADMIN_ALERT"]
        assert len(failed) == len(_CALLS)  # and the alert that so many of them cause
        mace.write_reflective_log(log_payload("after"))
        assert len(events_of(mace, "SERVICE_UNAVAILABLE")) == len(_CALLS) + 1  # and that of the whole outage
        assert mace.verify()["ok"] is True
