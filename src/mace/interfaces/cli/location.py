"""What lies at a location, before anything is opened: opening makes what is missing, which no typo should do."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mace.settings import Settings


class Found(Enum):
    NOTHING = "nothing is there yet"
    MACE = "a MACE store"
    KEYLESS = "a MACE store whose keys are missing"
    FOREIGN = "other files"
    NOT_A_FOLDER = "a file"


def keys_path(settings: "Settings") -> Path:
    """Where the keys of an embedded directory lie."""
    return Path(settings.keys_file) if settings.keys_file else Path(settings.location) / "keys.json"


def look(settings: "Settings") -> Found:
    """Say what an embedded location holds."""
    folder = Path(settings.location)
    keys = keys_path(settings)
    if not folder.exists():
        return Found.NOTHING
    if not folder.is_dir():
        return Found.NOT_A_FOLDER
    if (folder / "mace.db").exists():
        return Found.MACE if keys.exists() else Found.KEYLESS
    if (folder / "keys.json").exists():
        return Found.MACE  # an init that was interrupted
    others = [item.name for item in folder.iterdir() if item.name not in ("mace.toml", keys.name)]
    return Found.FOREIGN if others else Found.NOTHING


def open_to_others(settings: "Settings") -> str | None:
    """Say that others on this machine can look into an embedded location; its mode stays as it was chosen."""
    import stat

    if settings.is_postgres:
        return None
    try:
        mode = stat.S_IMODE(Path(settings.location).stat().st_mode)
    except OSError:
        return None
    if not mode & 0o077:
        return None
    return f"{settings.location} has mode {mode:04o}: others can look into it; run: chmod 700 {settings.location}"


def must_be_there(settings: "Settings") -> None:
    """Refuse to open a directory that holds no MACE; a database says so itself."""
    from mace.core.errors import NotFound, PreconditionFailed

    if settings.is_postgres:
        return
    found = look(settings)
    if found is Found.KEYLESS:
        raise PreconditionFailed(missing_keys(settings))
    if found is not Found.MACE:
        raise NotFound(
            what=f"A MACE store at {settings.location}", hint=f"create one with: mace init {settings.location}"
        )


def missing_keys(settings: "Settings") -> str:
    return (
        f"{settings.location} contains a log but its keys are not at {keys_path(settings)}; "
        "restore the key file, or set keys_file to its path"
    )
