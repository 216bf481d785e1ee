"""A MACE with its governance, and the people in it: for tests of who may do what, and of the parts behind the verbs."""

from dataclasses import replace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import places
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox
from mace.providers.frozen import CountingEntropy, FrozenClock
from mace.providers.second_factor import Totp
from mace.wiring.assemble import Assembly

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SERVER_KEY = bytes(range(32))


def policy_text() -> str:
    return resources.files("mace.governance.policy").joinpath("mace.cedar").read_text("utf-8")


def parts_of(m: Mace) -> Assembly:
    """What stands behind the verbs, for tests that look or reach into it."""
    assert isinstance(m._parts, Assembly)
    return m._parts


def as_server(m: Mace) -> Mace:
    """The same store as a server has it: whoever holds its keys does not govern it."""
    return _opened_as(m, embedded=False)


def owned(m: Mace) -> Mace:
    """The same store as a directory has it, whatever it lies on: its owner is its admin."""
    return m if parts_of(m).callers.embedded else _opened_as(m, embedded=True)


def _opened_as(m: Mace, *, embedded: bool) -> Mace:
    held = parts_of(m)
    parts = Assembly(held.world, replace(held.chosen, embedded=embedded))
    return Mace(parts, parts.callers.root, m._on_close, read_only=m._read_only)


class House:
    """An open MACE: the owner's `m`, its parts `g`, a clock to move, and codes for everyone enrolled.

    On a `place` of one's own it stands there; with `embedded=False` as a server, where the admin `root` governs.
    """

    def __init__(
        self,
        root: Path,
        *,
        embedded: bool = True,
        entropy: str = "house",
        server_key: bytes | None = None,
        place: places.Place | None = None,
    ) -> None:
        self.place = place or places.SqlitePlace(root)
        if server_key is not None:
            assert isinstance(self.place, places.SqlitePlace)
            with_server_key(self.place, server_key)
        self.clock = FrozenClock(START)
        self.entropy = CountingEntropy(entropy)
        self.m: Mace = self.place.open(clock=self.clock, entropy=self.entropy)
        if not embedded and parts_of(self.m).callers.embedded:
            self.m = as_server(self.m)
        self.box = HpkeBox()
        self.totp = Totp()
        self.secrets: dict[str, str] = {}

    @property
    def g(self) -> Assembly:
        return parts_of(self.m)

    @property
    def admin(self) -> Mace:
        """Whoever governs: the owner of a directory; on a server `root`, as soon as they can prove it."""
        return self.m if self.g.callers.embedded or "root" not in self.secrets else self.acting("root")

    def account(self, name: str, *roles: str, user_id: str | None = None) -> str:
        """An account with a second factor, made by the owner or, on a server, by the admin `root`."""
        self.admin.accounts.create(name, list(roles), user_id=user_id)  # type: ignore[arg-type]
        self.secrets[name] = self.admin.accounts.enrol_second_factor(name)["secret"]
        return name

    def council(self, *names: str) -> None:
        """A council of these; from the third on the council decides about itself, so they are seated by hand."""
        by = self.admin.caller.name
        for name in names:
            self.g.accounts.create(name, ["council"], by)
            self.secrets[name] = self.g.accounts.enrol(name, by)["secret"]

    def code(self, name: str) -> str:
        """The next code of somebody: time moves on, because none counts twice."""
        self.clock.move(seconds=30)
        return self.totp.code_at(self.secrets[name], self.clock.at)

    def acting(self, name: str) -> Mace:
        """The verbs of an account that proves itself with its next code."""
        return self.m.acting_as(self.m.owner(name, totp=self.code(name)))

    def showing(self, name: str, *, prove: bool = False, **limits: Any) -> Mace:
        """The verbs of whoever shows a fresh token of an account, with a code too if they prove themselves."""
        issued = self.g.bearers.issue(name, "owner", **limits)
        return self.m.acting_as(self.m.authenticate(issued["token"], self.code(name) if prove else None))

    def vote(self, request_id: str, name: str, vote: Any = "approve", **options: Any) -> Any:
        return self.m.vote(request_id, name, vote, self.code(name) if name in self.secrets else None, **options)

    def types(self, stream: str) -> list[str]:
        return [event["event_type"] for event in self.m.events(stream)]

    def system_types(self) -> list[str]:
        return self.types("system")

    def accesses(self) -> list[dict[str, Any]]:
        """What was put on the record about looks at others' things."""
        found = self.m.events("system")
        return [dict(event["payload"]) for event in found if event["event_type"] == "admin_access_event"]

    def close(self) -> None:
        self.m.close()


def with_server_key(place: places.SqlitePlace, key: bytes) -> None:
    """Give a place the known server key of the golden tests, before it is first opened."""
    from mace.core import canon
    from mace.providers.files import create_once

    folder = place.folder
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = {
        "format": "mace-keys/1",
        "log_name": "ab" * 32,
        "hmac": [{"id": "k1", "key": key.hex()}],
        "checkpoint_seed": "cd" * 32,
        "master": "ef" * 32,
    }
    create_once(folder / "keys.json", canon.dumps(content))


def with_forensic_key(m: Mace) -> None:
    owned(m).forensics.set_key(HpkeBox().generate()[1])


def erase(m: Mace, person: str) -> None:
    """Ask for a person's deletion and approve it."""
    m = owned(m)
    proof = m.accounts.issue_identity_proof(person)["proof"]
    asked = m.request_dsr(person, "delete", proof)
    assert asked["request_id"] is not None
    assert m.vote(asked["request_id"], "owner", "approve")["status"] == "approved"
