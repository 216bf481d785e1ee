"""`--program`: the functions that jobs are taken up again and replayed with, found in modules and files.

What is named is imported, so it runs: it is the user's own code, as `python FILE` would run it. The directory that the
command runs in, and that of a file, can be imported from.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])
_HOW = "MODULE:NAME, MODULE, FILE.py:NAME or FILE.py"


def program_option(function: _F) -> _F:
    """Add `--program`, which may be given several times."""
    return click.option(
        "--program",
        "programs",
        multiple=True,
        metavar="MODULE:NAME",
        help="A program to play jobs with, in a module or a .py file; without NAME all in it. May be repeated.",
    )(function)


def load(wanted: Sequence[str]) -> list[Callable[..., Any]]:
    """The functions that `--program` names, each once; wrong usage where there is none."""
    found: list[Callable[..., Any]] = []
    for text in wanted:
        found += [function for function in _named(text) if function not in found]
    return found


def _named(text: str) -> list[Callable[..., Any]]:
    from mace.core.errors import InvalidInput
    from mace.core.programs import registered

    where, name = _split(text)
    module = _file(text, Path(where)) if where.endswith(".py") else _module(text, where)
    if not name:
        functions = [value for value in vars(module).values() if hasattr(value, "__mace_program__")]
        if not functions:
            raise _wrong(text, "has no program; put @mace.program(name, version) above a function")
        return functions
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part, None)
    if value is None:
        raise _wrong(text, f"has no {name}")
    try:
        return [registered(value).function]
    except InvalidInput as error:
        raise _wrong(text, f"names no program: {error}") from None


def _split(text: str) -> tuple[str, str]:
    """Where the program lies and how it is called; a colon may also stand in a path."""
    where, colon, name = text.rpartition(":")
    if colon and all(part.isidentifier() for part in name.split(".")):
        return where, name
    return text, ""


def _module(text: str, name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise _wrong(text, f"must be {_HOW}")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise _wrong(text, f"module {error.name} was not found") from None
        raise _raised(text, error) from None
    except Exception as error:
        raise _raised(text, error) from None


def _file(text: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise _wrong(text, f"file {path} was not found")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = f"mace_program_{path.stem}"
    spec = spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise _wrong(text, "cannot be imported")
    module = module_from_spec(spec)
    sys.modules[name] = module  # what looks for the module of a class while it is made finds it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _raised(text, error) from None
    return module


def _raised(text: str, error: Exception) -> click.BadParameter:
    return _wrong(text, f"raised {type(error).__name__} when it was imported: {error}")


def _wrong(text: str, why: str) -> click.BadParameter:
    from mace.interfaces.cli import output

    return click.BadParameter(output.clean(f"{text} {why}"), param_hint="'--program'")
