"""The papers name every command and every setting, and the README keeps its first promise."""

import json
import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

from mace.interfaces.cli import app
from mace.ledger import reflective
from mace.settings import Settings

_ROOT = Path(__file__).parents[4]


def _paths(group: click.Group, above: str = "mace") -> list[str]:
    found = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found += _paths(command, f"{above} {name}") if isinstance(command, click.Group) else [f"{above} {name}"]
    return found


@pytest.mark.parametrize("command", _paths(app.root))
def test_every_command_is_described(command: str):
    *above, name = command.split()
    headings = [line for line in (_ROOT / "docs" / "cli.md").read_text().splitlines() if line.startswith("### ")]
    assert any(" ".join(above) in line and name in line.replace(",", " ").split() for line in headings)


@pytest.mark.parametrize("setting", [item.name for item in fields(Settings)])
def test_every_setting_is_described(setting: str):
    assert f"| `{setting}` |" in (_ROOT / "docs" / "settings.md").read_text()


def test_the_first_command_stands_in_the_first_twenty_lines():
    text = (_ROOT / "README.md").read_text()
    assert "make demo" in "\n".join(text.splitlines()[:20])
    assert "make test" in text


def test_the_reflective_log_of_the_papers_is_a_valid_one():
    block = (_ROOT / "docs" / "ledger.md").read_text().split("```json\n")[1].split("```")[0]
    assert reflective.problems_of(json.loads(block)) == []


def test_every_page_that_is_linked_is_there():
    for page in [*_ROOT.glob("*.md"), *_ROOT.glob("docs/**/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"
