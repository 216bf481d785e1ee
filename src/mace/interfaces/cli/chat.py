"""`mace chat`: questions one after another, in one conversation.

On a terminal with a prompt, arrows and history (in memory alone, unless a file is asked for); in a pipe one question a
line, without prompts and colours. Every line is a question, but for the few that begin with a slash.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from mace.interfaces.cli import options, output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.ask import decided, messages, sources
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import AskAnswer
    from mace.engine.runtime import Mace

_HELP = (
    ("/why", "why the last answer: route, reasoning, evidence, confidence, votes, job"),
    ("/facts", "what is stored about you"),
    ("/forget [CODE]", "have this conversation erased; CODE is your one-time proof of identity"),
    ("/help", "these lines"),
    ("/quit", "leave, as Ctrl+D does; Ctrl+C cancels the running question"),
)
_FACT_TOKENS = 4000


@command("chat")
@click.option(
    "--conversation", metavar="ID", type=options.stored_text, help="Conversation to begin or go on with (default: new)."
)
@click.option("--history", metavar="FILE", help="Keep what you typed in this file (default: nowhere).")
@click.pass_obj
def chat(session: Session, conversation: str | None, history: str | None) -> None:
    """Ask in a conversation: what was said before counts. Question and answer are remembered as turns of the user.

    /why, /facts, /forget, /help and /quit are commands. Ctrl+C cancels a question, Ctrl+D leaves. In a pipe every line
    is a question; with --json every answer is one line of JSON.

    \b
    mace chat --user ana
    mace chat --user ana --conversation trip
    printf 'What is my shoe size?\\n42\\n' | mace chat --user ana
    """
    from mace.wiring.doors import new_conversation

    if history is not None:
        options.must_be_outside(history, "a history", session.settings)
    with session.open("ask") as mace:
        talk = _Chat(session, mace, conversation or new_conversation())
        if talk.on_terminal and not session.json:
            output.note(
                session, f"Conversation {output.clean(talk.conversation)}. /help shows the commands, Ctrl+D leaves."
            )
        with _lines(talk.on_terminal, history) as lines:
            for line in lines:
                if not talk.said(line):
                    break


class _Chat:
    """One conversation at a terminal or in a pipe."""

    def __init__(self, session: Session, mace: "Mace", conversation: str) -> None:
        self._session = session
        self._mace = mace
        self._user = cast(str, session.speaker(mace))  # else it follows from the caller
        self._last: AskAnswer | None = None
        self.conversation = conversation
        self.on_terminal = sys.stdin.isatty() and sys.stdout.isatty()

    def said(self, line: str) -> bool:
        """Do what a line says; False to leave."""
        from mace.core.errors import MaceError

        text = line.strip()
        name, _, rest = text.partition(" ")
        if not text:
            return True
        if name == "/quit":
            return False
        try:
            if name.startswith("/"):
                self._do(name, rest.strip())
            else:
                self._ask(line)
        except MaceError as error:
            self._refused(error)
        except KeyboardInterrupt:
            click.echo("Cancelled.", err=True)
        sys.stdout.flush()
        return True

    def _do(self, name: str, rest: str) -> None:
        known = {"/why": self._why, "/facts": self._facts, "/help": self._help}
        if name == "/forget":
            self._forget(rest)
        elif name in known:
            known[name]()
        else:
            click.echo(f"There is no command {output.clean(name)}; /help shows them.", err=True)

    def _ask(self, text: str) -> None:
        result = self._mace.ask(text, self._user, conversation_id=self.conversation)
        self._last = result
        if self._session.json:
            self._print_json(result)
            return
        for message in messages(result):
            output.line(output.style(output.clean(message), "warn"))
        if result["answer"] is not None:
            output.line(output.clean(result["answer"], newlines=True))
        elif result["error"] is not None and result["error"]["error_code"] in ("INVALID_INPUT", "NOT_FOUND"):
            output.line(output.style(output.clean(result["error"]["developer_message"]), "dim"))

    def _print_json(self, value: object) -> None:
        import orjson

        self._session.shown.append(value)
        sys.stdout.flush()
        sys.stdout.buffer.write(orjson.dumps(value, None, orjson.OPT_APPEND_NEWLINE))
        sys.stdout.buffer.flush()

    def _refused(self, error: Exception) -> None:
        from mace.wiring.doors import envelope_of

        told = envelope_of(error)
        click.echo(output.style(output.clean(told["user_message"] or told["error_code"]), "bad"), err=True)
        click.echo(output.clean(told["developer_message"]), err=True)

    def _why(self) -> None:
        result = self._last
        if result is None:
            click.echo("Nothing was asked yet.", err=True)
            return
        log = None if result["log_id"] is None else self._mace.read_reflective_log(result["log_id"])
        if self._session.json:
            self._print_json({"answer": result, "log": log})
            return
        pairs = sources(result)
        if log is not None:
            pairs += decided(result, log)
        if result["error"] is not None:
            pairs.append(("told", f"{result['error']['error_code']}: {result['error']['developer_message']}"))
        for line in output.fields(pairs):
            output.line(line)

    def _facts(self) -> None:
        known = self._mace.recall(self._user, "me", _FACT_TOKENS, kinds=("fact",))
        if self._session.json:
            self._print_json(known)
            return
        for item in known["items"]:
            output.line(f"- {output.clean(item['text'])}")
        if not known["items"]:
            output.line("Nothing is stored about you.")

    def _forget(self, code: str) -> None:
        key = f"conversation/{self.conversation}"
        if not code:
            for line in (
                "To have this conversation erased you prove who you are, and an administrator approves it.",
                f"An administrator makes a one-time code: mace dsr proof {output.clean(self._session.actor)}",
                "Then say here: /forget CODE",
                f"or anywhere: mace dsr delete {output.clean(self._session.actor)} {output.clean(key)} --proof -",
            ):
                output.line(line)
            return
        asked = self._mace.request_dsr(self._user, "delete", code, keys=[key])
        if self._session.json:
            self._print_json(asked)
            return
        if not asked["success"]:
            output.line(output.style(output.clean(asked.get("user_message") or "Refused."), "bad"))
            return
        output.line(f"Requested: {asked['request_id']}. It is erased when an administrator approves it.")

    def _help(self) -> None:
        for line in output.fields(_HELP):
            output.line(line)


@contextmanager
def _lines(on_terminal: bool, history: str | None) -> Iterator[Iterator[str]]:
    """The lines that are typed, or that come through a pipe."""
    if not on_terminal:
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="surrogateescape")  # what is no text is refused as a question
        yield (line.removesuffix("\n") for line in sys.stdin)
        return
    try:
        import readline
    except ImportError:  # a Python without it: no arrows
        yield _typed()
        return
    readline.set_auto_history(True)
    if history is not None and Path(history).exists():
        readline.read_history_file(history)
    try:
        yield _typed()
    finally:
        if history is not None:
            before = os.umask(0o077)
            try:
                readline.write_history_file(history)
                Path(history).chmod(0o600)
            finally:
                os.umask(before)
        readline.clear_history()


def _typed() -> Iterator[str]:
    while True:
        try:
            yield input("> ")
        except KeyboardInterrupt:
            click.echo(" (Ctrl+D leaves)", err=True)
        except EOFError:
            click.echo()
            return
