"""One run of the command line: where, for whom, as what, and how to print. Opens the MACE when a command asks for it.

On an embedded directory its owner is its admin. On a database shared by nodes nobody is one by default: `--as admin`
says so aloud, and the event is signed by the user's name either way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mace.engine.runtime import Mace
    from mace.settings import Settings

_ONLY_READ = ("viewer", "auditor")


@dataclass
class Session:
    location: str | None = None
    json: bool = False
    user: str | None = None
    role: str | None = None
    quiet: bool = False
    environ: Mapping[str, str] | None = None  # None: the real one; the demo brings its own
    shown: list[Any] = field(default_factory=list)  # what was printed, as values
    _settings: "Settings | None" = None

    @property
    def settings(self) -> "Settings":
        if self._settings is None:
            from mace import settings

            self._settings = settings.read(self.location, self.environ)
        return self._settings

    @property
    def place(self) -> str:
        """The location as it may be printed: a password in it is masked."""
        return str(self.settings.shown()["location"])

    @property
    def actor(self) -> str:
        return self.user or self.settings.user

    def must_be(self, action: str, *roles: str) -> None:
        """Refuse unless this run acts in one of these roles; the owner of a directory may do everything in it."""
        from mace.core.errors import PermissionDenied

        role = self.role or ("user" if self.settings.is_postgres else "owner")
        if role != "owner" and role not in roles:
            wanted = " or ".join(f"--as {name}" for name in roles)
            raise PermissionDenied(actor=f"{self.actor} as {role}", action=f"{action}; it needs {wanted}")

    def open(self, *, create: bool = False, read_only: bool = False) -> "Mace":
        """Open what lies at the location; making a new one is for `init`, and for whoever passes `create`."""
        from mace import wiring
        from mace.interfaces.cli import location, output

        output.hear_warnings(self)
        if not create:
            location.must_be_there(self.settings)
        return wiring.open_mace(settings=self.settings, read_only=read_only or self.role in _ONLY_READ)

    def open_to_write(self, action: str, *, create: bool = False) -> "Mace":
        self.must_be(action, "user", "agent", "operator", "admin", "council")
        return self.open(create=create)
