"""What every test stands on: a home of its own, a PostgreSQL if it asks for one, and an honest end of the run."""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import places
import services

pytest_plugins = ["replay.always"]

_HOME_VARIABLES = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
_begun: list[Path] = []
_databases: list[services.Databases] = []


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_configure(config: pytest.Config) -> None:
    if not _is_worker(config):
        _begun.append(services.begin())
    home = Path(os.environ[services.FOLDER_VARIABLE]) / "home"
    for name in _HOME_VARIABLES:  # nothing of whoever runs the tests is read or written
        folder = home if name == "HOME" else home / name.lower()
        folder.mkdir(parents=True, exist_ok=True)
        os.environ[name] = str(folder)
    for name in [name for name in os.environ if name.startswith("MACE_") and not name.startswith("MACE_TEST_")]:
        del os.environ[name]


def pytest_unconfigure(config: pytest.Config) -> None:
    while _begun:
        services.end(_begun.pop())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what tests counted, and by name what could not run; workers' reports arrive here too."""
    passed = terminalreporter.stats.get("passed", [])
    told = sorted({str(value) for report in passed for name, value in report.user_properties if name == "told"})
    if told:
        terminalreporter.section("counted")
        for line in told:
            terminalreporter.line(line)
    lines = set()
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if services.NOT_RUN in reason:
            lines.add(reason.partition(services.NOT_RUN)[2])
    if lines:
        terminalreporter.section("not run")
        for line in sorted(lines):
            terminalreporter.line(line)


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """The URL of a running PostgreSQL."""
    return services.postgres_url()


@pytest.fixture(scope="session")
def databases(postgres_url: str) -> Iterator[services.Databases]:
    """Makes fresh databases on it."""
    made = services.Databases(postgres_url)
    _databases.append(made)
    yield made
    _databases.remove(made)
    made.close()


@pytest.fixture(autouse=True)
def _databases_end_with_their_test() -> Iterator[None]:
    """Those that a module's fixture made are older than any of its tests, and stay."""
    before = {databases: databases.made for databases in _databases}
    yield
    for databases in _databases:
        databases.leave(before.get(databases, 1))  # the first is the template


@pytest.fixture
def mace_home(tmp_path: Path) -> places.SqlitePlace:
    """An embedded directory with its own checkpoint folder; nothing is opened yet."""
    return places.SqlitePlace(tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> places.Place:
    """A place for a MACE on each engine; nothing is opened yet."""
    if request.param == "sqlite":
        return places.SqlitePlace(tmp_path)
    databases: services.Databases = request.getfixturevalue("databases")
    return places.PostgresPlace(tmp_path, databases)


@pytest.fixture(autouse=True)
def _logs_are_heard_again() -> Iterator[None]:
    """A command that ran in this process took the warnings for its own; the next test hears them again."""
    yield
    output = sys.modules.get("mace.interfaces.cli.output")
    if output is not None and output._heard:
        output._heard = False
        for name in output._LOGGERS:
            logger = logging.getLogger(name)
            logger.handlers.clear()
            logger.setLevel(logging.NOTSET)
            logger.propagate = True
