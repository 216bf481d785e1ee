"""What the guarded commands share: unredacted reads, words from standard input, files for their owner's eyes.

A file that will hold a secret is made before anything is asked for: a proof of identity or a code that counts once must
not be used up for an answer that cannot be written. What would hurt: such a file readable by others, or overwriting.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from mace.core.texts import is_encodable

if TYPE_CHECKING:
    from mace.settings import Settings

_F = TypeVar("_F", bound=Callable[..., Any])


def stored_text(value: str) -> str:
    """The type of what is stored or looked up; what was typed is not repeated when it is no text."""
    if not is_encodable(value):
        raise click.BadParameter("must be valid UTF-8")
    return value


def unredacted_options(function: _F) -> _F:
    """Add `--unredacted` and `--purpose`."""
    why = "Why it is read unredacted; it is stored unencrypted on the ledger."
    shown = "For admins: as it was written, with personal data; leaves an admin_access_event. Needs --purpose."
    function = click.option("--purpose", metavar="TEXT", type=stored_text, help=why)(function)
    return click.option("--unredacted", is_flag=True, help=shown)(function)


def check_unredacted(unredacted: bool, purpose: str | None) -> str:
    """Return the purpose of an unredacted read; wrong usage where one goes without the other."""
    if unredacted != (purpose is not None):
        raise click.UsageError("--unredacted and --purpose must be given together")
    return purpose or ""


def words(text: str) -> str:
    """A text as given, or standard input for `-`: a command line is kept in a shell's history."""
    from mace.interfaces.cli import files

    return files.read_text("-").removesuffix("\n") if text == "-" else text


def forensic_key(file: str | None, environ: Mapping[str, str] | None) -> str | None:
    """The forensic private key: of a file, of standard input or a prompt for `-`, or of its variable."""
    from mace.interfaces.cli import secret

    if file == "-":
        return secret.given("-", None, "forensic_key", "Forensic private key", environ)
    return secret.given(None, file, "forensic_key", "Forensic private key", environ)


@contextmanager
def private_file(name: str) -> Iterator[BinaryIO]:
    """A new file with mode 0600; one that exists is refused, and nothing is left of it after a failure."""
    from mace.core.errors import Conflict, ServiceUnavailable

    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        number = os.open(name, flags, 0o600)
    except FileExistsError:
        raise Conflict(f"{name} already exists; choose another name") from None
    except OSError as error:
        raise ServiceUnavailable(f"cannot write {name}: {error.strerror}") from None
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def must_be_outside(name: str, what: str, settings: "Settings") -> None:
    """Refuse a place within the location: whoever has the node would have the key, and no erasure reaches an export."""
    from mace.core.errors import InvalidInput

    if not settings.is_postgres and Path(name).resolve().is_relative_to(Path(settings.location).resolve()):
        raise InvalidInput(f"{what} must not be written inside the store location; choose another place")
