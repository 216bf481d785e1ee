"""Always-replay: every question that a test asks, and every program it performs, is replayed after the run, in other
processes, and must match.

A plugin, loaded by `conftest`. It is on with `MACE_ALWAYS_REPLAY=1` (three hash seeds; `long`: twelve). It remembers in
which store a test asked, keeps a copy of that store when the test is over, and replays all copies in one batch per hash
seed at the end of the run. A test that breaks its store on purpose is marked `breaks_its_store`, and so is one whose
programs diverge on purpose. Agents and programs that a test made up on the spot cannot be found by another process:
their jobs are replayed at once, in this one.
"""

import functools
import itertools
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import services

_SWITCH, _KEPT = "MACE_ALWAYS_REPLAY", "MACE_TEST_ALWAYS_REPLAY"  # conftest clears MACE_*, but not MACE_TEST_*
if _SWITCH in os.environ:
    os.environ[_KEPT] = os.environ[_SWITCH]
_SERVICES = "MACE_TEST_SERVICES"
_TESTS = Path(__file__).resolve().parent.parent
HASH_SEEDS = {"1": 3, "long": 12}


def hash_seeds() -> int:
    """Under how many hash seeds replays run; 0: not at all."""
    return HASH_SEEDS.get(os.environ.get(_KEPT, "0"), 0)


@dataclass
class _Asked:
    settings: Any
    agents: Mapping[str, Any]
    jobs: list[str] = field(default_factory=list)
    programs: dict[tuple[str, str], Any] = field(default_factory=dict)  # by name and version


_asked: dict[str, _Asked] = {}  # of the test that is running, by location
_summary: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "breaks_its_store: damages its store on purpose; its questions are not replayed")
    if hash_seeds():
        _listen()


def _listen() -> None:
    """Note every MACE that is opened, and every question that it answered, and every program it came to the end of."""
    from mace import settings as settings_module
    from mace import wiring
    from mace.engine.runtime import Mace

    open_before, ask_before = wiring.open_mace, Mace.ask

    def open_mace(location: Any = None, **options: Any) -> Any:
        made = open_before(location, **options)
        settings = options.get("settings") or settings_module.read(None if location is None else str(location))
        made._noted = (settings, dict(options.get("agents") or {}))
        return made

    @functools.wraps(ask_before)  # its signature is read elsewhere
    def ask(self: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
        answer = ask_before(self, *arguments, **named)
        if answer["log_id"] is not None and hasattr(self, "_noted"):
            _note(*self._noted, answer["job_id"])
        return answer

    wiring.open_mace = open_mace  # type: ignore[assignment]
    Mace.ask = ask  # type: ignore[method-assign]
    _listen_to_programs(Mace)


def _listen_to_programs(mace: Any) -> None:
    perform_before, aperform_before, resume_before = mace.perform, mace.aperform, mace.resume

    def performed(self: Any, answer: dict[str, Any]) -> dict[str, Any]:
        if answer["log_id"] is not None and hasattr(self, "_noted"):
            name, version = answer["program"], answer["version"]
            function = self._parts.performing.programs.registry.get(name, version).function
            _note(*self._noted, answer["job_id"], (name, version), function)
        return answer

    @functools.wraps(perform_before)
    def perform(self: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
        return performed(self, perform_before(self, *arguments, **named))

    @functools.wraps(resume_before)
    def resume(self: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
        return performed(self, resume_before(self, *arguments, **named))

    @functools.wraps(aperform_before)
    def aperform(self: Any, *arguments: Any, **named: Any) -> Any:
        answer = aperform_before(self, *arguments, **named)

        async def told() -> dict[str, Any]:
            return performed(self, await answer)

        return told()

    mace.perform, mace.aperform, mace.resume = perform, aperform, resume


def _note(
    settings: Any, agents: Mapping[str, Any], job: str, program: tuple[str, str] | None = None, function: Any = None
) -> None:
    """Remember a job; where one program stands for two functions, each has a list of its own."""
    for number in itertools.count():
        about = f"{settings.location} {sorted(map(repr, agents.items()))} {number}"
        noted = _asked.setdefault(about, _Asked(settings, agents))
        if program is None or noted.programs.setdefault(program, function) is function:
            noted.jobs.append(job)
            return


@pytest.fixture(autouse=True)
def _remember_questions(request: pytest.FixtureRequest) -> Iterator[None]:
    for name in ("tmp_path", "_databases_end_with_their_test"):
        if name in request.fixturenames:
            request.getfixturevalue(name)  # what is kept from there goes after this ends
    _asked.clear()
    yield
    asked = list(_asked.values())
    _asked.clear()
    if request.node.get_closest_marker("breaks_its_store") is None:
        for noted in asked:
            _keep(request.node.nodeid, noted)


def _keep(test: str, noted: _Asked) -> None:
    names = {agent_id: _name_of(agent) for agent_id, agent in noted.agents.items()}
    named = {agent_id: name for agent_id, name in names.items() if name is not None}
    functions = [_name_of(function) for function in noted.programs.values()]
    goes_with_the_test = noted.settings.is_postgres and "MACE_TEST_POSTGRES_URL" in os.environ
    if len(named) < len(names) or None in functions or goes_with_the_test:
        from replay.batch import replay_all

        wrong = list(replay_all(noted.settings, noted.agents, noted.jobs, noted.programs))
        assert not wrong, wrong
        return
    folder = Path(os.environ[_SERVICES]) / "asked" / uuid.uuid4().hex
    folder.mkdir(parents=True)
    source = _data_folder(noted.settings)
    keys = Path(noted.settings.keys_file or source / "keys.json")
    for file in (source / "mace.db", source / "mace.db-wal", source / "people.db"):
        if file.exists():
            shutil.copy(file, folder / file.name)
    shutil.copy(keys, folder / "keys.json")
    location = noted.settings.location if noted.settings.is_postgres else ""
    services.keep_database(location)
    manifest = {"test": test, "location": location, "agents": named, "programs": functions, "jobs": noted.jobs}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def _data_folder(settings: Any) -> Path:
    from mace import wiring

    return wiring.data_folder(settings)


def _name_of(agent: Callable[..., Any]) -> str | None:
    """Under which name another process finds this agent or program, or None."""
    module, name = getattr(agent, "__module__", ""), getattr(agent, "__qualname__", "")
    found = getattr(sys.modules.get(module), name, None) is agent
    return f"{module}:{name}" if found and module.partition(".")[0] in ("mace", "replay") else None


def run_batches(folder: Path, seeds: int) -> list[str]:
    """Replay everything in a folder under that many hash seeds at once; return what went wrong, readable."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_TESTS), *sys.path])}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "replay.batch", str(folder)],
            env={**environment, "PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in range(1, seeds + 1)
    ]
    wrong = []
    for seed, process in enumerate(running, 1):
        said, complaint = process.communicate()
        try:
            found = json.loads(said)
        except ValueError:
            wrong.append(f"hash seed {seed}: the batch ended with {process.returncode}: {complaint.strip()[-2000:]}")
            continue
        wrong += [f"hash seed {seed}: {json.dumps(item)[:2000]}" for item in found]
    return wrong


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput") or not hash_seeds():
        return
    folder = Path(os.environ[_SERVICES]) / "asked"
    manifests = [json.loads(file.read_text()) for file in folder.glob("*/manifest.json")]
    if not manifests:
        return
    wrong = run_batches(folder, hash_seeds())
    questions = sum(len(manifest["jobs"]) for manifest in manifests)
    _summary.append(f"{questions} questions and programs in {len(manifests)} stores, {hash_seeds()} hash seeds: ")
    _summary[0] += f"{len(wrong)} did not match" if wrong else "all match"
    _summary.extend(wrong)
    if wrong:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _summary:
        terminalreporter.section("always replay", red=len(_summary) > 1, green=len(_summary) == 1)
        for line in _summary:
            terminalreporter.line(line)
