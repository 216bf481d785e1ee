"""A MACE with its governance, and the people in it: for tests that build the parts themselves."""

from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import apsw

import places
from mace.engine.governing import Governance, GovernanceDeps
from mace.engine.kernel.gate import LazyGate
from mace.engine.runtime import Mace
from mace.providers.forensic_box import HpkeBox
from mace.providers.frozen import CountingEntropy, FrozenClock
from mace.providers.second_factor import Totp

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SERVER_KEY = bytes(range(32))


def policy_text() -> str:
    return resources.files("mace.governance.policy").joinpath("mace.cedar").read_text("utf-8")


class House:
    """An open embedded MACE: `m`, its governance `g`, a clock to move, and codes for everyone enrolled."""

    def __init__(
        self, root: Path, *, embedded: bool = True, entropy: str = "house", server_key: bytes | None = None
    ) -> None:
        self.place = places.SqlitePlace(root)
        if server_key is not None:
            with_server_key(self.place, server_key)
        self.clock = FrozenClock(START)
        self.entropy = CountingEntropy(entropy)
        self.m: Mace = self.place.open(clock=self.clock, entropy=self.entropy)
        self.box = HpkeBox()
        self.totp = Totp()
        self.secrets: dict[str, str] = {}
        self.g = governance_of(self.m, embedded=embedded, scrub=self._scrub)

    def _scrub(self) -> None:
        """Empty the write-ahead log into the database, as the store itself does where it can."""
        connection = apsw.Connection(str(self.place.file))
        connection.set_busy_timeout(5000)
        connection.execute("pragma wal_checkpoint(truncate)")
        connection.close()

    def account(self, name: str, *roles: str, user_id: str | None = None) -> str:
        """An account with a second factor, made by the owner or, later, by the admin `root`."""
        by, code = ("owner", None) if "root" not in self.secrets or self.g.accounts._embedded else ("root", "root")
        self.g.accounts.create(name, list(roles), by, code and self.code(code), user_id=user_id)
        self.secrets[name] = self.g.accounts.enrol(name, by, code and self.code(code))["secret"]
        return name

    def council(self, *names: str) -> None:
        for name in names:
            self.account(name, "council")

    def code(self, name: str) -> str:
        """The next code of somebody: time moves on, because none counts twice."""
        self.clock.move(seconds=30)
        return self.totp.code_at(self.secrets[name], self.clock.at)

    def vote(self, request_id: str, name: str, vote: str = "approve", **options: Any) -> dict[str, Any]:
        return self.g.approvals.vote(request_id, name, vote, self.code(name), **options)

    def types(self, stream: str) -> list[str]:
        return [event["event_type"] for event in self.m.events(stream)]

    def system_types(self) -> list[str]:
        return self.types("system")

    def close(self) -> None:
        self.m.close()


def governance_of(m: Mace, *, embedded: bool = True, scrub: Any = lambda: None) -> Governance:
    made = getattr(m, "_governance", None)
    if made is not None and made.accounts._embedded == embedded:
        return made
    chosen = GovernanceDeps(factor=Totp(), box=HpkeBox(), policy_text=policy_text(), embedded=embedded, scrub=scrub)
    g = Governance(m._world, m._recorder, m._vault, m._facts, m._failures, m._incidents, m._logs, m._proofs, chosen)
    m._facts.gate = LazyGate(lambda: g.gate)
    g.violations.knows = m._modules.knows
    m._questions.consents = g.consents
    m._questions.deletions = g.requests.deletions
    return g


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


__all__ = ["SERVER_KEY", "START", "House", "governance_of", "policy_text", "with_server_key"]


def with_forensic_key(m: Mace) -> None:
    from mace.providers.forensic_box import HpkeBox

    governance_of(m, embedded=True).forensics.set_key(HpkeBox().generate()[1], "owner")


def erase(m: Mace, person: str) -> None:
    """Ask for a person's deletion and approve it."""
    g = governance_of(m, embedded=True)
    proof = g.requests.issue_proof(person, "owner")["proof"]
    asked = g.requests.request(person, "delete", proof)
    assert g.approvals.vote(asked["request_id"], "owner", "approve")["status"] == "approved"
