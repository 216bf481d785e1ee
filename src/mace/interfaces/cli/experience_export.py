"""What the commands about experience share: a way to look without touching, instants, ages, pairs and words as people
read them.

A person who looks is not the agent that recalls: looking opens for reading only, after the store has caught up with the
ledger. Words come sealed and may hold what is personal; nothing of that kind reaches a screen from here.
"""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mace.interfaces.cli import output
from mace.interfaces.cli.session import Session

if TYPE_CHECKING:
    from mace.core.answers import ExperienceDescription
    from mace.engine.groups.experience import ExperienceGroup

_F = TypeVar("_F", bound=Callable[..., Any])

_DAY_S = 86_400
_NO_WORDS = "(no words are left)"


def instant(value: str) -> datetime:
    """The type of `--now`."""
    from mace.core.errors import InvalidInput
    from mace.engine.experience import arguments

    try:
        return arguments.instant(value, "it")
    except InvalidInput as error:
        raise click.BadParameter(f"{error}, such as 2026-05-01T12:00:00Z") from None


def now_option(function: _F) -> _F:
    """Add `--now`."""
    told = "As of this instant; now by default."
    return click.option("--now", "at", type=instant, metavar="INSTANT", help=told)(function)


def search_option(function: _F) -> _F:
    """Add `--search`."""
    told = "Only pairs whose space or entity contains this."
    return click.option("--search", type=_part_of_a_tag, metavar="PART", help=told)(function)


def _part_of_a_tag(value: str) -> str:
    from mace.core.errors import InvalidInput
    from mace.engine.experience.arguments import search_words

    try:
        search_words(value)
    except InvalidInput as error:
        raise click.BadParameter(str(error)) from None
    return value


def now_or(at: datetime | None) -> datetime:
    """The instant that was asked for, or the clock's: one for everything that a command shows."""
    from mace.wiring import doors

    return doors.now() if at is None else at


@contextmanager
def looked_at(session: Session, verb: str = "experience.query_mk") -> "Iterator[ExperienceGroup]":
    """Experience for reading, with everything in it that was acknowledged before."""
    with session.open(verb, read_only=True) as mace:
        mace.experience.persona()  # who may not read is told so before anything else
        about = described(mace.experience)
        if about is not None and not about["behind"]:
            yield mace.experience
            return
        if session.code is not None:  # a code counts once, so it is opened once, and for writing
            mace.experience.flush()
            yield mace.experience
            return
    if session.only_reads:
        output.note(session, "The experience store is behind the ledger; a read-only run does not update it.")
    else:
        with session.open("experience.flush") as mace:
            mace.experience.flush()
    with session.open(verb, read_only=True) as mace:
        yield mace.experience


def described(experience: "ExperienceGroup") -> "ExperienceDescription | None":
    """What the store says about itself; None to those who may read what it holds and not how it is."""
    from mace.core.errors import PermissionDenied

    try:
        return experience.describe()
    except PermissionDenied:
        return None


def pair_text(space: str, entity: str) -> str:
    """A pair as it can be given to `mace experience show`."""
    return output.clean(shlex.join([space, entity]))


def words(content: str) -> str:
    """What a Megram says, in one line, with what is personal cut out; of a solver's record its summary."""
    found = _summary(content)
    return " ".join(without_personal_data(found).split()) if found.strip() else _NO_WORDS


def without_personal_data(text: str) -> str:
    from mace.engine.experience import contents

    return contents.without_personal_data(text) if text else text


def _summary(content: str) -> str:
    if not content.startswith("{"):
        return content
    from mace.core import canon

    try:
        held = canon.loads_once(content)
    except ValueError:
        return content
    told = [held[name] for name in ("summary", "gap") if isinstance(held.get(name), str) and held[name]]
    return "; ".join(told) or content


def signed(value: float) -> str:
    """A number with its sign; what rounds to nothing has none."""
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}"


def span(seconds: float) -> str:
    """How long, in the largest unit that fits: `5 minutes`, `3 days`, `2 years`."""
    for size, unit in ((365 * _DAY_S, "year"), (_DAY_S, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return output.counted(int(seconds // size), unit)
    return "under a minute"
