"""Secrets for one command: as an argument, which others on the machine can see, or in a way that nobody sees.

Every option `--x` that takes a secret also takes `-` (asked for without echo on a terminal, else a line of standard
input), has `--x-file FILE` beside it, and `MACE_X` in the environment. What would hurt: a secret in a message. So
nothing here repeats one, not even a wrong one.
"""

import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import click

_LONGEST = 64 << 10


def given(
    value: str | None, file: str | None, name: str, what: str, environ: Mapping[str, str] | None = None
) -> str | None:
    """The secret of an option in whichever way it was given, or None. An option wins over its variable."""
    if value is not None and file is not None:
        raise click.UsageError(f"--{name} and --{name}-file exclude each other")
    if file is not None:
        return _checked(_from_file(file), "standard input" if file == "-" else file)
    if value == "-":
        return _checked(asked(what), f"--{name}")
    if value is not None:
        return _checked(value, f"--{name}")
    from mace import settings

    found = settings.secret_of(name, environ)
    return None if found is None else _checked(found, f"MACE_{name.upper()}")


def needed(value: str | None, file: str | None, name: str, what: str, environ: Mapping[str, str] | None = None) -> str:
    """The secret of an option that must be given; on a terminal it is asked for."""
    found = given(value, file, name, what, environ)
    if found is not None:
        return found
    if sys.stdin.isatty():
        return _checked(asked(what), f"--{name}")
    variable = f"MACE_{name.upper()}"
    raise click.UsageError(
        f"Missing option '--{name}': give it, --{name}-file FILE, or {variable}; --{name} - asks for it"
    )


def asked(what: str) -> str:
    """Ask for a secret without showing it; what is no terminal gives a line of standard input."""
    if sys.stdin.isatty():
        answer: str = click.prompt(what, hide_input=True, err=True)
        return answer
    line = sys.stdin.buffer.readline(_LONGEST)
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise click.UsageError("standard input is not valid UTF-8") from None


def _from_file(name: str) -> str:
    from mace.interfaces.cli import files, output

    if name == "-":
        return files.read_text("-")
    text = files.read_text(name)
    if stat.S_IMODE(Path(name).stat().st_mode) & 0o077 and Path(name).is_file():
        output.warn_of(f"{name} holds a secret and others can read it; run: chmod 600 {name}")
    return text


def _checked(text: str, given_as: str) -> str:
    from mace.core.texts import is_encodable

    found = text.strip()
    if not found:
        raise click.UsageError(f"{given_as} is empty")
    if not is_encodable(found):
        raise click.UsageError(f"{given_as} must be valid UTF-8")
    return found
