"""The one place that prints: aligned text for people, JSON for programs, progress on a terminal only.

Results go to standard output, everything about them to standard error. Whatever came from a log, a model or a stranger
is cleaned first: a control character in it must not reach the terminal. Colour is for terminals and obeys NO_COLOR.
"""

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

import click

from mace.interfaces.cli.session import Session

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
_LOGGERS = ("mace", "psycopg.pool")
_heard = False


def colour() -> bool | None:
    """False when the person asked for none, else None: click then looks whether it writes to a terminal."""
    return False if os.environ.get("NO_COLOR") else None  # noqa: TID251 - the terminal's wish


def style(text: str, look: str) -> str:
    """Colour a text by what it means."""
    looks: dict[str, dict[str, Any]] = {
        "good": {"fg": "green"},
        "bad": {"fg": "red", "bold": True},
        "warn": {"fg": "yellow"},
        "dim": {"dim": True},
        "title": {"bold": True},
        "command": {"fg": "cyan"},
    }
    return click.style(text, **looks[look])


def clean(value: Any, newlines: bool = False) -> str:
    """Return the text of a value with control and direction characters made visible."""
    text = value if isinstance(value, str) else _compact(value)
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if (character == "\n" and newlines) or not (unicodedata.category(character)[0] == "C" or character in _BIDI)
        else "\t".expandtabs(4)
        if character == "\t"
        else character.encode("unicode_escape").decode()
        for character in text
    )


def _compact(value: Any) -> str:
    from mace.core import canon

    try:
        return canon.dumps(value).decode()
    except canon.NotCanonical:
        return str(value)


def line(text: str = "") -> None:
    """A line of the result, for people."""
    click.echo(text, color=colour())


def note(session: Session, text: str) -> None:
    """A line about the result: a hint, a next step. Not for programs, not when quiet."""
    if not session.json and not session.quiet:
        click.echo(text, err=True, color=colour())


def show(session: Session, value: Any, text: str | Iterable[str]) -> None:
    """Print the result: its value for programs, its text for people."""
    session.shown.append(value)
    if session.json:
        print_json(value)
        return
    for part in [text] if isinstance(text, str) else text:
        line(part)


def print_json(value: Any, *, err: bool = False) -> None:
    """One JSON document in UTF-8, whatever the locale says."""
    import orjson

    stream = sys.stderr if err else sys.stdout
    stream.flush()
    stream.buffer.write(orjson.dumps(value, None, orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    stream.buffer.flush()


def width_of(text: str) -> int:
    """Columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def cut(text: str, width: int) -> str:
    """Shorten a text to so many columns, saying so with an ellipsis."""
    if width_of(text) <= width:
        return text
    kept, used = [], 0
    for character in text:
        used += width_of(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def screen_columns() -> int:
    """How wide a line may be: the terminal's width, and no limit in a pipe. The demo shows lines indented."""
    if not sys.stdout.isatty():
        return 10_000
    return shutil.get_terminal_size().columns - int(getattr(sys.stdout, "indent", 0))


def counted(number: int, thing: str) -> str:
    """`1 event`, `2 events`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], indent: int = 0) -> list[str]:
    """Aligned columns; the last one is cut to the terminal's width, less what the caller puts before each line."""
    cells = [[clean(value) for value in row] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(header, *cells, strict=True)]
    room = max(10, screen_columns() - indent - sum(widths[:-1]) - 2 * (len(widths) - 1))
    shown = [style(_joined(header, widths, room), "title")]
    return shown + [_joined(row, widths, room) for row in cells]


def _joined(row: Sequence[str], widths: Sequence[int], room: int) -> str:
    padded = [text + " " * (width - width_of(text)) for text, width in zip(row[:-1], widths, strict=False)]
    return "  ".join([*padded, cut(row[-1], room)]).rstrip()


def fields(pairs: Iterable[tuple[str, Any]], indent: str = "  ") -> list[str]:
    """`name  value` lines with the values aligned; long texts keep their line ends under their own column."""
    known = [(clean(name), clean(value, newlines=True)) for name, value in pairs]
    width = max((width_of(name) for name, _ in known), default=0)
    under = "\n" + indent + " " * (width + 2)
    return [
        f"{indent}{style(name + ' ' * (width - width_of(name)), 'dim')}  {value.replace(chr(10), under)}"
        for name, value in known
    ]


class Progress:
    """A bar on standard error while something long runs; silent in a pipe, for programs and when quiet."""

    def __init__(self, session: Session, label: str) -> None:
        self._wanted = sys.stderr.isatty() and not session.json and not session.quiet
        self._label = label
        self._bar: Any = None
        self._done = 0

    def __enter__(self) -> "Progress":
        return self

    def __call__(self, done: int, total: int) -> None:
        if not self._wanted:
            return
        if self._bar is None:
            self._bar = click.progressbar(length=total, label=self._label, file=sys.stderr)
            self._bar.__enter__()
        self._bar.update(done - self._done)
        self._done = done

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, trace)


def hear_warnings(session: Session) -> None:
    """Let what MACE and its database driver log reach standard error in the form of every other line there, once."""
    import logging

    global _heard
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.ERROR if session.quiet else logging.WARNING)
    if _heard:
        return
    _heard = True
    said: set[str] = set()

    class _Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = clean(" ".join(record.getMessage().split()))
            if text not in said:  # a pool that tries to connect says the same thing each time
                said.add(text)
                click.echo(f"{style('warning', 'warn')}: {text}", err=True, color=colour())

    handler = _Handler()
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.propagate = False


def warn_of(text: str | None) -> None:
    """A warning on standard error, like those that MACE itself gives; nothing for None."""
    import logging

    if text is not None:
        logging.getLogger("mace").warning("%s", text)


def tell_left_out(count: int, what: str) -> None:
    """Say on standard error that a list is not whole, also with --quiet and --json."""
    if count:
        said = f"1 {what} was left out: it is" if count == 1 else f"{count} {what}s were left out: they are"
        print(f"{said} not what was signed; run mace log verify", file=sys.stderr)


def hear_no_warnings() -> None:
    import logging

    logging.getLogger("mace").setLevel(logging.ERROR)
