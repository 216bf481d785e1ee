"""`mace demo`: the main jobs, offline, end to end, in a temporary directory, with real commands.

The demo is a list of chapters, one file each (`chapters.py`); a chapter is a list of steps. What a step shows is what
the command really printed, and every expectation is checked: the exit code is 0 only if all of them held.
"""

import tempfile
from contextlib import chdir
from pathlib import Path

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.app import command
from mace.interfaces.cli.session import Session


@command("demo")
@click.option("--keep", is_flag=True, help="Keep the directory to look around in it.")
@click.pass_obj
def demo(session: Session, keep: bool) -> None:
    """Show what MACE does, offline, in a temporary directory."""
    from mace.interfaces.cli.demo.chapters import CHAPTERS
    from mace.interfaces.cli.demo.stage import Stage
    from mace.interfaces.cli.errors import Refusal
    from mace.wiring.doors import make_envelope

    folder = Path(tempfile.mkdtemp(prefix="mace-demo-"))
    try:
        with chdir(folder):
            stage = Stage(folder, silent=session.json)
            for chapter in CHAPTERS:
                if not stage.play(chapter):
                    break
    finally:
        if not keep:
            _remove(folder)
    held = sum(item["held"] for item in stage.expectations)
    value = {
        "ok": stage.ok,
        "held": held,
        "expectations": stage.expectations,
        "directory": str(folder) if keep else None,
    }
    summary = f"{held} of {output.counted(len(stage.expectations), 'expectation')} held."
    text = ["", output.style(summary, "good" if stage.ok else "bad")]
    if keep:
        text += [f"Look around: cd {folder} && . ./environment"]
    if not stage.ok:
        missed = "; ".join(item["what"] for item in stage.expectations if not item["held"])
        raise Refusal(make_envelope("PRECONDITION_FAILED", {"reason": f"the demo expected: {missed}"}), value, text)
    output.show(session, value, text)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
