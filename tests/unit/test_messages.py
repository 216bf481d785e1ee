"""Messages and help texts are plain: which argument, what is wrong with it, what would be right.

They are read from the source, not from runs, so that those of rare failures are looked at too. An interpolated value
reads as `{}`. This cannot tell a good message from a bad one; it keeps out the ways in which they were bad before.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import mace
from mace.interfaces.cli import app

_SOURCE = Path(mace.__file__).parent

# A message that begins like this states a rule as if it described the input ("a key is a text").
_BEGINNINGS = re.compile(
    r"an? [\w '-]{1,40}? (?:is|are|has|holds|lives|needs)\b|there (?:is|are)\b|it (?:is|was)\b", re.IGNORECASE
)
_PHRASES = (  # what it says instead
    "lone surrogate",  # unpaired surrogates
    "in plain sight",  # stored unencrypted
    "stands on the ledger",
    "holds no",  # must not contain
    "not hold ",
    "lived through",  # past outcomes, experience
    "is a text",  # must be a string, must be a str
    "be a text",
    "be text",
    "instant with its",  # a time with a time zone
    "name somebody",
    "somebody who has proved",
    "or the like",
    "more than nothing",
    "switched on",
    "taken away",  # erased
    "no plain file",  # is not a regular file
    "tombstone over",  # delete
    "stands for",
    "so many",  # number of, at most N
    "twice is once",  # idempotent
    "whose office",  # for operators and admins
    "whoever decides",
    "by nobody",
    "for nobody",
    "the mace lies",  # store location
    "signed word",
    "when it was so",
    "is a mace",  # a MACE store
    "are taken",
)


def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in sorted(_SOURCE.rglob("*.py"))}


def _errors(trees: dict[Path, ast.Module]) -> frozenset[str]:
    """The names of `MaceError`, of what click refuses with, and of every class made from these, in whatever file."""
    names = {"MaceError", "UsageError", "BadParameter"}
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while True:
        found = {one.name for one in classes if any(_last(base) in names for base in one.bases)}
        if found <= names:
            return frozenset(names)
        names |= found


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _texts(node: ast.expr) -> Iterator[str]:
    """What a message can read: both branches of a choice, sums joined, interpolated values as `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.BinOp):
        yield "".join([*_texts(node.left), *_texts(node.right)])


def _messages() -> list[tuple[str, str]]:
    """(place, message) of every literal that an error is made with, keyword arguments included."""
    trees = _trees()
    errors = _errors(trees)
    found = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _last(node.func) in errors:
                for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
                    found += [(f"{path.relative_to(_SOURCE)}:{part.lineno}", text) for text in _texts(part)]
    return found


def _helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """(command, text) of a command's help, its options' helps and, for a group, its table and its commands."""
    yield name, command.help or ""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield f"{name} {parameter.opts[-1]}", parameter.help or ""
    if isinstance(command, app.LazyGroup):
        for below, (_, line) in command._table.items():
            yield f"{name} {below}, in the list", line
            lazy = command.get_command(click.Context(command), below)
            assert lazy is not None
            yield from _helps(lazy, f"{name} {below}")


def _wrong(text: str) -> list[str]:
    found = [phrase for phrase in _PHRASES if phrase in text.lower()]
    begun = _BEGINNINGS.match(text)
    return found + ([begun.group()] if begun else [])


def test_no_error_states_a_rule_as_if_it_described_the_input():
    messages = _messages()
    assert len(messages) > 250  # it really reads them
    bad = [(place, text, _wrong(text)) for place, text in messages if _wrong(text)]
    assert bad == []


def test_no_help_text_is_a_riddle():
    helps = list(_helps(app.root, "mace"))
    assert len(helps) > 400
    assert [(name, text, _wrong(text)) for name, text in helps if _wrong(text)] == []
    assert [name for name, text in helps if not text.strip()] == []


@pytest.mark.parametrize(
    "text",
    [
        "a question is a text",
        "user_id holds no NUL and no lone surrogate",
        "there is an account ana",
        "an event_id is 64 hex characters",
        "a token lives for more than nothing and at most a year",
        "a statement must not hold personal data: it stands on the ledger in plain sight",
        "What was lived through with something, and what that advises.",
        "It is empty.",
    ],
)
def test_what_was_wrong_is_found(text: str):
    assert _wrong(text)


@pytest.mark.parametrize(
    "text",
    [
        "user_id must not contain NUL or unpaired surrogates",
        "text must be a str, got {}",
        "account {} already exists",
        "the job is still running; retry when it has closed",
    ],
)
def test_what_is_right_passes(text: str):
    assert _wrong(text) == []
