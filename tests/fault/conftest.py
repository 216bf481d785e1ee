"""A built log per engine and worker; every attack gets a copy."""

from pathlib import Path

import pytest

import attacks
import places
import services

_bases: dict[str, places.Place] = {}


@pytest.fixture(params=["sqlite", "postgres"])
def built(request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> places.Place:
    """A place with a log that has something in every table and kept checkpoints."""
    kind: str = request.param
    if kind not in _bases:
        root = tmp_path_factory.mktemp(f"base-{kind}")
        if kind == "sqlite":
            base: places.Place = places.SqlitePlace(root)
        else:
            databases: services.Databases = request.getfixturevalue("databases")
            base = places.PostgresPlace(root, databases)
        attacks.build(base)
        services.keep_database(base.settings.location)
        _bases[kind] = base
    return attacks.copy_of(_bases[kind], tmp_path / "copy")
