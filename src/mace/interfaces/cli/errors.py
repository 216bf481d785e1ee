"""The one place where a failure becomes an exit code and an envelope.

0 done, 1 refused or failed (the standard envelope: JSON on standard output, or its messages on standard error),
2 wrong usage, 130 interrupted. A verb that answers with an envelope raises `Refusal`; everything else is looked up in
the table of `core.errors`, never worded here.
"""

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import click

from mace.interfaces.cli.session import Session

INTERRUPTED = 130
_FOR_DEVELOPERS = ("LLM_SERVICE_DOWN", "ROUTER_NO_MATCH")  # hashes and reasons that --json has


class Refusal(Exception):
    """A verb said no, or found something wrong: its envelope, and what else belongs into the answer."""

    def __init__(
        self, envelope: Mapping[str, Any], value: Mapping[str, Any] | None = None, text: Sequence[str] = ()
    ) -> None:
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
        told = error if isinstance(error, Refusal) else _told(error)
        _print(told, session)
        if not isinstance(error, Refusal) and told.envelope["meta"].get("bug"):
            traceback.print_exception(error)
    except BrokenPipeError:
        _let_go_of_stdout()
    except OSError as second:  # standard output itself is full or gone
        _let_go_of_stdout()
        click.echo(f"cannot write the answer: {second.strerror}", err=True)
    return 1


def _told(error: Exception) -> Refusal:
    from mace.wiring.doors import envelope_of

    return Refusal(envelope_of(error))


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
    code, meta = told.envelope["error_code"], told.envelope["meta"]
    said = meta.get("said") if code == "LLM_SERVICE_DOWN" else None
    message = said or told.envelope["user_message"] or code
    click.echo(output.style(output.clean(message), "bad"), err=True, color=output.colour())
    if code not in _FOR_DEVELOPERS:
        click.echo(output.clean(told.envelope["developer_message"]), err=True)
    for line in _more(told.envelope["meta"]):
        click.echo(output.clean(line), err=True)


def _more(meta: Mapping[str, Any]) -> list[str]:
    """What else a person can use: which policy refused, who decides instead, what to add."""
    text = []
    if meta.get("policy_id"):
        none = " (nothing allows this)" if meta["policy_id"] == "default-deny" else ""
        text.append(f"Policy: {meta['policy_id']}{none}")
    if meta.get("needs") == "second_factor":
        text.append(
            "Hint: a second factor is needed; act as an account with --user NAME and --totp CODE (- asks for it)"
        )
    if meta.get("request_id"):
        text.append(f"To decide: mace approve vote {meta['request_id']} yes|no|abstain")
    text += [f"Hint: {meta[name]}" for name in ("remedy", "hint") if meta.get(name)]
    return text


def _let_go_of_stdout() -> None:
    """Keep Python from complaining at exit about a pipe that is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)
    os.close(nowhere)
