"""An outage of the store, as the failures tell that wait for it: since when, how many, how severe, and when to alert.

Pure. It is judged while it lasts, by the thresholds of incidents, and again in the same way when it is over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mace.core.times import iso_us, parse_instant
from mace.governance import incidents

DOWN = "SERVICE_UNAVAILABLE"
SERVICE = "the store"
_ORDER = (incidents.WARNING, incidents.ERROR, incidents.CRITICAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """Failures of the store in a row: nothing was written between them."""

    since: datetime
    failures: int

    def severity(self, now: datetime) -> str:
        """How severe it is by now."""
        return incidents.severity(DOWN, down_ms=self.down_ms(now), count=self.failures)

    def down_ms(self, now: datetime) -> int:
        return max(0, (now - self.since) // timedelta(milliseconds=1))

    def failed_again(self) -> "Outage":
        return Outage(since=self.since, failures=self.failures + 1)

    def to_json(self, now: datetime) -> dict[str, Any]:
        return {"since": iso_us(self.since), "failures": self.failures, "severity": self.severity(now)}


def outage_in(entries: Iterable[Mapping[str, Any]]) -> Outage | None:
    """The outage that these waiting failures tell of, if they do."""
    times = [parse_instant(entry["at"]) for entry in entries if entry["event_type"] == DOWN and "at" in entry]
    return Outage(since=min(times), failures=len(times)) if times else None


def told_in(entries: Iterable[Mapping[str, Any]]) -> str:
    """The severity that admins were alerted of already; a warning, if of none."""
    told = [
        entry["severity"] for entry in entries if entry["event_type"] == "ADMIN_ALERT" and entry.get("about") == DOWN
    ]
    return max((item for item in told if item in _ORDER), key=_ORDER.index, default=incidents.WARNING)


def alert(outage: Outage, told: str, now: datetime) -> dict[str, Any] | None:
    """The payload of an `ADMIN_ALERT`, when it has become more severe than admins were told."""
    severity = outage.severity(now)
    if _ORDER.index(severity) <= _ORDER.index(told):
        return None
    return {"about": DOWN, "service": SERVICE, **outage.to_json(now)}
