"""`mace demo`: the main jobs, offline, end to end, in a temporary directory, with real commands.

The demo is a list of chapters, one file each (`chapters.py`), each played in a directory of its own; a chapter is a
list of steps. What a step shows is what the command really printed, and every expectation is checked: the exit code is
0 only if all of them held.
"""

import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.interfaces.cli.demo.stage import Stage


# Here, so that help imports no chapter.
NAMES = ("agent", "ledger", "tampering", "questions", "memory", "erasure", "experience")
_ALL = "all"


@command("demo")
@click.argument("chapter", type=click.Choice([*NAMES, _ALL]), default=NAMES[0], metavar="[CHAPTER]")
@click.option("--keep", is_flag=True, help="Keep the directory to look around in it.")
@click.pass_obj
def demo(session: Session, chapter: str, keep: bool) -> None:
    """Show what MACE does, offline, in a temporary directory.

    \b
    agent        your own agent: runs, killed and resumed, audited, replayed (shown without CHAPTER)
    ledger       decisions are logged, and a stranger checks them
    tampering    a byte is changed, a database rolled back: verification names it
    questions    facts, refusals, answers that are decided again
    memory       what a user said is recalled for a prompt, corrected and erased
    erasure      a person is erased, the log still verifies
    experience   outcomes fade, become rules, and are doubted
    all          all of them
    """
    from mace.interfaces.cli.demo.stage import Stage
    from mace.interfaces.cli.errors import Refusal
    from mace.wiring.doors import make_envelope

    folder = Path(tempfile.mkdtemp(prefix="mace-demo-"))
    stages: list[Stage] = []
    try:
        for name in NAMES if chapter == _ALL else (chapter,):
            stages.append(_played(folder / name if chapter == _ALL else folder, name, silent=session.json))
            if not stages[-1].ok:
                break
    finally:
        if not keep:
            _remove(folder)
    expectations = [item for stage in stages for item in stage.expectations]
    ok, held = all(stage.ok for stage in stages), sum(item["held"] for item in expectations)
    value = {"ok": ok, "held": held, "expectations": expectations, "directory": str(folder) if keep else None}
    summary = f"{held} of {output.counted(len(expectations), 'expectation')} held."
    text = ["", output.style(summary, "good" if ok else "bad")]
    if keep:
        text += [f"Look around: cd {stage.folder} && . ./environment" for stage in stages]
    if not ok:
        missed = "; ".join(item["what"] for item in expectations if not item["held"])
        raise Refusal(make_envelope("PRECONDITION_FAILED", {"reason": f"the demo expected: {missed}"}), value, text)
    output.show(session, value, text)
    if chapter == NAMES[0]:
        output.note(session, f"More: mace demo CHAPTER ({', '.join(NAMES[1:])} or all)")


def _played(folder: Path, name: str, *, silent: bool) -> "Stage":
    """Play a chapter in a folder; what it imported from there is forgotten."""
    from mace.interfaces.cli.demo.chapters import CHAPTERS
    from mace.interfaces.cli.demo.stage import Stage

    folder.mkdir(exist_ok=True)
    path, modules = list(sys.path), set(sys.modules)
    stage = Stage(folder, silent=silent)
    try:
        with chdir(folder):
            stage.play(CHAPTERS[name])
    finally:
        sys.path[:] = path
        for new in set(sys.modules) - modules:
            if (getattr(sys.modules[new], "__file__", None) or "").startswith(str(folder.resolve())):
                del sys.modules[new]
    return stage


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
