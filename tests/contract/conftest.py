"""The same tests for every store: in memory, SQLite, PostgreSQL. A new adapter adds one word here."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import services
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "open_store" in metafunc.fixturenames:
        kinds = DURABLE if metafunc.definition.get_closest_marker("durable") else ALL
        metafunc.parametrize("open_store", kinds, indirect=True)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "durable: a contract that only stores with a place can keep")


@pytest.fixture
def empty_database(databases: services.Databases) -> str:
    """The URL of a PostgreSQL database without tables."""
    return databases.empty()
