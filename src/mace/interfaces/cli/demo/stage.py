"""The stage of the demo: runs real commands in this process, shows what they print and holds them to what was said.

A chapter is `Chapter(name, title, [step, ...])`; a step is `Step(title, say, do)` where `do(stage)` calls
`stage.mace(...)` for a command, `stage.shell(...)` for what an outsider does, and `stage.expect(...)` for each promise.
Steps hand values on through `stage.memo`.
"""

import io
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.errors import INTERRUPTED, run
from mace.interfaces.cli.session import Session

_INDENT = 4
_MAX_LINES = 24


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    say: str  # one or two sentences: what happens here and why it matters
    do: Callable[["Stage"], None]


@dataclass(frozen=True, slots=True)
class Chapter:
    name: str  # as in `mace demo NAME`
    title: str
    steps: Sequence[Step]
    needs: Sequence["Chapter"] = ()  # played before it, unseen


@dataclass(frozen=True, slots=True)
class Outcome:
    exit_code: int
    value: Any  # what --json would have printed
    text: str


class _Screen(io.TextIOWrapper):
    """Catches what a command prints; looks like the terminal the demo itself prints to."""

    indent = _INDENT

    def __init__(self, buffer: io.BytesIO, terminal: bool) -> None:
        super().__init__(buffer, encoding="utf-8", write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


class Stage:
    def __init__(self, folder: Path, *, silent: bool = False) -> None:
        self.folder = folder
        self.location = folder / "my-agent"
        self.elsewhere = folder / "elsewhere"
        self.memo: dict[str, Any] = {}
        self.expectations: list[dict[str, Any]] = []
        self._silent = silent
        self._where = ""
        self.environ = self._environment()

    def _environment(self) -> Mapping[str, str]:
        """Nothing of the real environment reaches the demo, and nothing of the demo lands outside its folder."""
        (self.folder / "mace.toml").write_text("# the demo needs no settings\n")
        held = {
            "HOME": str(self.folder / "home"),
            "MACE_CHECKPOINT_DIR": str(self.elsewhere),
            "MACE_CONFIG": str(self.folder / "mace.toml"),
            "MACE_LOCATION": str(self.location),
            "USER": "demo",
        }
        exported = [f"export {name}={shlex.quote(value)}" for name, value in held.items() if name.startswith("MACE_")]
        (self.folder / "environment").write_text("\n".join(exported) + "\n")
        return held

    @property
    def ok(self) -> bool:
        return bool(self.expectations) and all(item["held"] for item in self.expectations)

    def play(self, chapter: Chapter) -> bool:
        """Run a chapter; say whether everything in it held. A step that raises ends it."""
        before = len(self.expectations)
        for needed in chapter.needs:
            with self._unseen():
                if not self.play(needed):
                    return False
        self.print("\n" + output.style(chapter.title, "title"))
        for number, step in enumerate(chapter.steps, 1):
            self._where = f"{chapter.title}: {step.title}"
            self.print(f"\n{output.style(f'{number}. {step.title}', 'title')}\n   {step.say}\n")
            try:
                step.do(self)
            except Exception as error:
                self.expect(f"no fault in this step ({type(error).__name__}: {error})", False)
                break
        return all(item["held"] for item in self.expectations[before:])

    @contextmanager
    def _unseen(self) -> Iterator[None]:
        held, self._silent = self._silent, True
        try:
            yield
        finally:
            self._silent = held

    def mace(
        self,
        *arguments: str,
        exit_code: int = 0,
        environ: Mapping[str, str] | None = None,
        show: bool = True,
        lines: int = _MAX_LINES,
    ) -> Outcome:
        """Run `mace ARGUMENTS`, show it with its first lines of output, and expect this exit code."""
        if show:
            self.print(f"   {output.style('$ ' + shlex.join(['mace', *arguments]), 'command')}")
        session = Session(environ=self.environ if environ is None else environ)
        with self._caught() as caught:
            code = run(arguments, session)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        outcome = Outcome(code, session.shown[-1] if session.shown else None, caught.getvalue().decode())
        if show:
            self.lines(outcome.text, lines)
        if code != exit_code:
            self.expect(f"`mace {shlex.join(arguments)}` ends with {exit_code}, not {code}", False)
        return outcome

    @contextmanager
    def _caught(self) -> Iterator[io.BytesIO]:
        buffer = io.BytesIO()
        held = sys.stdout, sys.stderr
        sys.stdout = _Screen(buffer, held[0].isatty())
        sys.stderr = _Screen(buffer, False)
        try:
            yield buffer
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            sys.stdout.detach()
            sys.stderr.detach()
            sys.stdout, sys.stderr = held

    def shell(self, equivalent: str) -> None:
        """Show what an outsider would type; the step then does it."""
        self.print(f"   {output.style('$ ' + equivalent, 'command')}")

    def lines(self, text: str, most: int = _MAX_LINES) -> None:
        held = text.rstrip("\n").split("\n") if text.strip() else []
        for line in held[:most]:
            self.print(f"{' ' * _INDENT}{line}".rstrip())
        if len(held) > most:
            self.print(output.style(f"{' ' * _INDENT}... ({len(held) - most} more lines)", "dim"))

    def expect(self, what: str, held: bool) -> None:
        """Note whether a promise was kept, and show it."""
        self.expectations.append({"where": self._where, "what": what, "held": bool(held)})
        mark = output.style("✓", "good") if held else output.style("✗", "bad")
        self.print(f"   {mark} {what}")

    def print(self, text: str) -> None:
        if not self._silent:
            click.echo(text, color=output.colour())
