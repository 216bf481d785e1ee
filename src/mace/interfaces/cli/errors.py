"""The one place where a failure becomes an exit code and an envelope.

0 done, 1 refused or failed (the standard envelope: JSON on standard output, or its messages on standard error),
2 wrong usage, 130 interrupted. A verb that answers with an envelope raises `Refusal`; everything else is looked up in
the table of `core.errors`, never worded here.
"""

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from mace.interfaces.cli.session import Session

INTERRUPTED = 130


class Refusal(Exception):
    """A verb said no, or found something wrong: its envelope, and what else belongs into the answer."""

    def __init__(self, envelope: dict[str, Any], value: dict[str, Any] | None = None, text: Sequence[str] = ()) -> None:
        super().__init__(envelope["error_code"])
        self.envelope = envelope
        self.value = value or {}
        self.text = text


def run(arguments: Sequence[str], session: Session) -> int:
    """Run a command line and return its exit code; nothing leaves here as an exception."""
    from mace.interfaces.cli import app

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show ’ must not end the program
    try:
        code = app.root.main(list(arguments), prog_name="mace", standalone_mode=False, obj=session)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.Abort:
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        _let_go_of_stdout()
        return 1
    except Exception as error:
        return _fail(error, session)


def _fail(error: Exception, session: Session) -> int:
    try:
        told = error if isinstance(error, Refusal) else Refusal(envelope_of(error))
        _print(told, session)
        if not isinstance(error, Refusal) and told.envelope["meta"].get("bug"):
            traceback.print_exception(error)
    except BrokenPipeError:
        _let_go_of_stdout()
    except OSError as second:  # standard output itself is full or gone
        _let_go_of_stdout()
        click.echo(f"cannot write the answer: {second.strerror}", err=True)
    return 1


def _print(told: Refusal, session: Session) -> None:
    from mace.interfaces.cli import output

    value = {**told.envelope, **told.value}
    session.shown.append(value)
    if session.json:
        output.print_json(value)
        return
    for text in told.text:
        output.line(text)
    sys.stdout.flush()
    message = told.envelope["user_message"] or told.envelope["error_code"]
    click.echo(output.style(output.clean(message), "bad"), err=True, color=output.colour())
    click.echo(output.clean(told.envelope["developer_message"]), err=True)
    if told.envelope["meta"].get("hint"):
        click.echo(f"Hint: {output.clean(told.envelope['meta']['hint'])}", err=True)


def envelope_of(error: Exception) -> dict[str, Any]:
    """The standard envelope of any exception."""
    from mace.core.errors import MaceError

    known = error if isinstance(error, MaceError) else _translated(error)
    details = dict(known.details)
    made = make_envelope(known.code, details)
    if str(known) and str(known).rstrip(".") not in made["developer_message"]:
        made["developer_message"] += f" {str(known)[0].upper()}{str(known)[1:].rstrip('.')}."
    return made


def make_envelope(code: str, details: dict[str, Any]) -> dict[str, Any]:
    """An envelope for a failure that belongs to no job: its ids are fresh."""
    from mace.core import seeds
    from mace.core.errors import envelope
    from mace.core.times import iso_ms
    from mace.providers.system import SystemClock, SystemEntropy

    seed = SystemEntropy().token(32).hex()
    return envelope(
        code,
        query_id=seeds.job_id(seed),
        trace_id=seeds.trace_id(seed),
        timestamp=iso_ms(SystemClock().now()),
        details=details,
    )


def _translated(error: Exception) -> Any:
    from mace.core.errors import ServiceUnavailable, StorageFull

    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StorageFull("no space left on the device")
        where = f" ({error.filename})" if error.filename else ""
        return ServiceUnavailable(f"{error.strerror or type(error).__name__}{where}")
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return ServiceUnavailable(f"internal error: {type(error).__name__} in {frame.name}", bug=True)


def _let_go_of_stdout() -> None:
    """Keep Python from complaining at exit about a pipe that is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)
    os.close(nowhere)
