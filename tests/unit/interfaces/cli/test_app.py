"""The tree of commands: every one loads, has help, takes the shared options, and costs nothing before it is used."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest

from mace.interfaces.cli import app
from mace.interfaces.cli.session import Session


def _all(group: app.LazyGroup, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, app.LazyGroup):
            yield from _all(command, (*path, name))


_COMMANDS = dict(_all(app.root))


@pytest.mark.parametrize("path", _COMMANDS, ids=" ".join)
def test_every_command_has_help_and_the_shared_options(cli: Callable[..., Any], path: tuple[str, ...]):
    ran = cli(*path, "--help")
    assert ran.code == 0
    for option in ("--location", "--json", "--user", "--as", "--quiet"):
        assert option in ran.out
    assert _COMMANDS[path].help


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "-C", "/x", "--user", "u", "--as", "admin", "log", "show"],
        ["log", "--json", "-C", "/x", "--user", "u", "--as", "admin", "show"],
        ["log", "show", "--json", "-C", "/x", "--user", "u", "--as", "admin"],
        ["-C", "/overruled", "log", "show", "--json", "--location", "/x", "--user", "u", "--as", "admin"],
    ],
)
def test_shared_options_stand_before_or_after(arguments: list[str]):
    session = Session()
    with pytest.raises(LookupError):
        app.root.main(arguments, standalone_mode=False, obj=session)
    assert (session.location, session.json, session.user, session.role) == ("/x", True, "u", "admin")


def test_the_version_is_printed(cli: Callable[..., Any]):
    assert cli("--version").out.startswith("mace 0.")


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from mace.interfaces.cli import main; main(['--help']); main(['log', '--help']);"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & "
        "{'rich', 'sympy', 'cryptography', 'orjson', 'rfc8785', 'apsw', 'psycopg', 'numpy'}),"
        "sorted(name for name in sys.modules if name.startswith('mace.') and 'interfaces' not in name))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[] []"
