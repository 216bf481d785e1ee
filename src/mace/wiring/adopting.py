"""`mace init --adopt`: settings that decide where trust is leave the file beside the data for the user's own file.

The user's own file is written first: after a crash in between both say the same, and adopting again goes on. What the
own file says differently already is refused, because nobody but the user knows which of the two is meant. Nothing
else is believed: a shelf that a foreign hand named is found by `verify`, which knows where the shelf was.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mace import settings as settings_module
from mace.core.errors import Conflict, ServiceUnavailable
from mace.providers.files import make_private_folder, write_whole
from mace.settings import Beside, Settings

_PATHS = ("checkpoint_dir", "context_cache_dir", "keys_file", "location", "person_keys_file")


@dataclass(frozen=True, slots=True)
class Adopted:
    """One setting that was moved."""

    name: str
    value: Any  # as it may be shown
    source: str
    target: str


def adopt(location: str | None = None, environ: Mapping[str, str] | None = None) -> list[Adopted]:
    """Move what decides out of the files in the location and the current directory; say what was moved."""
    place = _place(location, environ)
    found = [item for item in settings_module.beside(place, environ) if item.decisive]
    if not found:
        return []
    own = settings_module.own_file(environ)
    moved: dict[str, tuple[Any, Path]] = {}
    for item in found:
        for name, value in item.decisive.items():
            if name in moved and moved[name][0] != _absolute(name, value):
                raise Conflict(f"{name} stands in {moved[name][1]} and in {item.file} with two values; remove one")
            moved[name] = (_absolute(name, value), item.file)
    held = settings_module.own_values(place, environ)
    for name, (value, file) in moved.items():
        if name in held and _absolute(name, held[name]) != value:
            raise Conflict(f"{name} in {file} differs from the one in {own}; remove one of them")
    new = {name: value for name, (value, _) in moved.items() if name not in held}
    try:
        if new:
            make_private_folder(own.parent)
            write_whole(own, _added(own, place, new).encode())
        for item in found:
            _strip(item)
    except OSError as error:
        raise ServiceUnavailable(f"cannot write settings: {error.strerror} ({error.filename or own})") from None
    shown = replace(Settings(), **{name: value for name, (value, _) in moved.items()}).shown()
    return [Adopted(name, shown[name], str(file), str(own)) for name, (_, file) in sorted(moved.items())]


def _place(location: str | None, environ: Mapping[str, str] | None) -> str:
    """The location; if nobody but a file in the current directory names one, that one: it is what shall be adopted."""
    place = settings_module.location_of(location, environ)
    said = (item.decisive["location"] for item in settings_module.beside(place, environ) if "location" in item.decisive)
    if location or settings_module.names_location(environ):
        return place
    return next((str(_absolute("location", value)) for value in said), place)


def _absolute(name: str, value: Any) -> Any:
    """A path means the same wherever the next command is run."""
    if name not in _PATHS or not value or "://" in value:
        return value
    return str(Path(value).absolute())


def _added(own: Path, place: str, new: Mapping[str, Any]) -> str:
    """The text of the own file with these settings: the location for all, everything else for this store alone."""
    text = own.read_text("utf-8") if own.is_file() else ""
    general = [f"{name} = {_toml(new[name])}\n" for name in ("location",) if name in new]
    lines = [f"{name} = {_toml(value)}\n" for name, value in sorted(new.items()) if name != "location"]
    header = _header(text, place)
    if lines and header is not None:
        text = text[:header] + "".join(lines) + text[header:]
    elif lines:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        text = f"{text}{gap}[store.{_toml(_name(place))}]\n{''.join(lines)}"
    text = "".join(general) + text
    try:
        tomllib.loads(text)
    except ValueError:
        raise Conflict(f"{own} cannot be extended; add {', '.join(sorted(new))} by hand") from None
    return text


def _name(place: str) -> str:
    return settings_module.without_user(place) if "://" in place else str(Path(place).resolve())


def _header(text: str, place: str) -> int | None:
    """Where the lines of this store's table begin in the own file, if it has one."""
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if line.lstrip().startswith("[store."):
            try:
                names = tomllib.loads(line)["store"]
            except ValueError:
                continue
            if any(settings_module.is_store(name, place) for name in names):
                return at if line.endswith("\n") else None
    return None


def _strip(item: Beside) -> None:
    """Take the decisive settings out of a file and leave the rest; a file of nothing else goes."""
    lines = item.file.read_text("utf-8").splitlines(keepends=True)
    kept = "".join(line for line in lines if line.partition("=")[0].strip() not in item.decisive)
    if _says(kept) != dict(item.harmless):  # a value of several lines
        kept = "".join(f"{name} = {_toml(value)}\n" for name, value in item.harmless.items())
    if kept.strip():
        write_whole(item.file, kept.encode())
    else:
        item.file.unlink()


def _says(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
