"""Read the named statements; `?` becomes what the engine's driver wants."""

from functools import cache
from importlib import resources

from mace.core.canon import sha256_hex

_FILES = ("statements.sql", "experience.sql")


@cache
def load(placeholder: str = "?") -> dict[str, str]:
    """Return every statement by its name, from all the files there are."""
    found: dict[str, str] = {}
    folder = resources.files("mace.storage.sql")
    text = "\n".join(folder.joinpath(name).read_text("utf-8") for name in _FILES)
    for part in text.split("-- name: ")[1:]:
        name, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if line.strip() and not line.startswith("--")]
        found[name.strip()] = "\n".join(lines).replace("?", placeholder)
    return found


@cache
def migrations(package: str) -> list[tuple[int, str, str, str]]:
    """Return (number, name, sha256, text) of the package's migrations, in order."""
    folder = resources.files(package).joinpath("migrations")
    files = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    found = []
    for name in files:
        text = folder.joinpath(name).read_text("utf-8")
        found.append((int(name[:4]), name, sha256_hex(text), text))
    return found


@cache
def shape_of_today(package: str, name: str) -> str:
    """What brings the tables of a step that was run in an earlier wording to today's shape; empty where they are."""
    text = resources.files(package).joinpath("migrations", "earlier", name)
    return text.read_text("utf-8") if text.is_file() else ""
