"""`--program`: which functions a module or a file gives, and what is said where it gives none."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from mace.core.programs import registered
from mace.interfaces.cli.programs import load

SOURCE = """
from mace.core.programs import program
from beside import GREETING

@program("greet", version="2")
def greet(job, input):
    return f"{GREETING} {input}"

@program("part")
def part(job, input):
    return job.answer("goodbye")

def plain(job, input):
    return input

class Agents:
    @staticmethod
    @program("inner", "1.5")
    def inner(job, input):
        return input
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory with programs, which is left as it was found."""
    known, path = set(sys.modules), list(sys.path)
    for place, name in ((tmp_path, "shop_agents.py"), (tmp_path / "else where", "agents:of-mine.py")):
        place.mkdir(exist_ok=True)
        (place / name).write_text(SOURCE)
        (place / "beside.py").write_text('GREETING = "hello"\n')
    (tmp_path / "empty_of_programs.py").write_text("def plain(job, input): ...\n")
    (tmp_path / "raises_at_once.py").write_text("raise ValueError('no luck')\n")
    (tmp_path / "misses_something.py").write_text("import no_such_thing_at_all\n")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - known:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["shop_agents:greet"], [("greet", "2")]),
        (["shop_agents"], [("greet", "2"), ("part", "1")]),
        (["shop_agents:Agents.inner"], [("inner", "1.5")]),
        (["shop_agents.py:part"], [("part", "1")]),
        (["./shop_agents.py"], [("greet", "2"), ("part", "1")]),
        (["else where/agents:of-mine.py"], [("greet", "2"), ("part", "1")]),
        (["else where/agents:of-mine.py:greet"], [("greet", "2")]),
        (["shop_agents:part", "shop_agents:greet", "shop_agents"], [("part", "1"), ("greet", "2")]),
        ([], []),
    ],
)
def test_programs_are_found(folder: Path, wanted: list[str], found: list[tuple[str, str]]):
    functions = load(wanted)
    assert [(registered(item).name, registered(item).version) for item in functions] == found


def test_a_function_of_a_file_is_the_one_that_stands_there(folder: Path):
    [greet] = load(["shop_agents.py:greet"])
    assert greet(None, "ana") == "hello ana"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("no_such_module:x", "module no_such_module was not found"),
        ("no_such_package.inner:x", "module no_such_package was not found"),
        ("shop_agents:nobody", "has no nobody"),
        ("shop_agents:Agents.nobody", "has no Agents.nobody"),
        ("shop_agents:plain", "names no program"),
        ("empty_of_programs", "has no program; put @mace.program(name, version) above a function"),
        ("nowhere.py", "file nowhere.py was not found"),
        ("not a module", "must be MODULE:NAME"),
        ("", "must be MODULE:NAME"),
        ("raises_at_once", "raised ValueError when it was imported: no luck"),
        ("raises_at_once.py", "raised ValueError when it was imported: no luck"),
        ("misses_something", "raised ModuleNotFoundError when it was imported: No module named 'no_such_thing_at_all'"),
    ],
)
def test_what_is_no_program_is_wrong_usage(folder: Path, wanted: str, said: str):
    with pytest.raises(click.BadParameter) as refused:
        load([wanted])
    assert said in str(refused.value)
