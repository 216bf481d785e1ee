"""The same tests for every store: in memory, SQLite, PostgreSQL. A new adapter adds one word here."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import experience_samples
import services
from mace.storage.experience_ports import ExperienceStore
from mace.storage.inmemory import InMemoryStore
from mace.storage.ports import Store
from mace.storage.postgres import PostgresStore
from mace.storage.sqlite import SqliteStore

ALL = ("memory", "sqlite", "postgres")
DURABLE = ("sqlite", "postgres")


@pytest.fixture
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Opens the store of the test's engine; a second call opens the same place a second time."""
    kind: str = request.param
    url = request.getfixturevalue("databases").new() if kind == "postgres" else ""
    opened: list[Store] = []

    def open_it(**options: object) -> Store:
        if kind == "memory":
            store: Store = InMemoryStore()
        elif kind == "sqlite":
            store = SqliteStore(tmp_path / "mace.db", **options)  # type: ignore[arg-type]
        else:
            store = PostgresStore(url, **options)  # type: ignore[arg-type]
        opened.append(store)
        return store

    yield open_it
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()


@pytest.fixture
def experience_place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The kind of a store of experience, and where it lies: a folder, or the URL of a database."""
    kind: str = request.param
    if kind == "leveldb":
        experience_samples.need_plyvel()
    return kind, request.getfixturevalue("databases").new() if kind == "postgres" else str(tmp_path)


@pytest.fixture
def open_experience(experience_place: tuple[str, str]) -> Iterator[Callable[[], ExperienceStore]]:
    """Opens that store; each call closes what the one before opened, and opens the same place again."""
    closings: list[Callable[[], None]] = []

    def close_all() -> None:
        while closings:
            closings.pop()()

    def open_it() -> ExperienceStore:
        close_all()
        opened, close = experience_samples.open_at(*experience_place)
        closings.append(close)
        return opened

    yield open_it
    close_all()


@pytest.fixture
def experience(open_experience: Callable[[], ExperienceStore]) -> ExperienceStore:
    return open_experience()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "open_store" in metafunc.fixturenames:
        kinds = DURABLE if metafunc.definition.get_closest_marker("durable") else ALL
        metafunc.parametrize("open_store", kinds, indirect=True)
    if "experience_place" in metafunc.fixturenames:
        durable = metafunc.definition.get_closest_marker("durable")
        metafunc.parametrize("experience_place", experience_samples.KINDS[1 if durable else 0 :], indirect=True)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "durable: a contract that only stores with a place can keep")


@pytest.fixture
def empty_database(databases: services.Databases) -> str:
    """The URL of a PostgreSQL database without tables."""
    return databases.empty()
