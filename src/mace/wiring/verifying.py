"""Verifying whatever is there: `mace.verify`, and behind it `mace log verify` and `mace doctor`.

A store is opened for writing, so that what is found goes on the record; where that is refused, for reading, as far as
it can be read; and where even that fails, the file, the key file and the events are looked at alone. Damage is always
an answer. An error is raised only where there is no store, where it cannot be reached or used, or where it is a whole
one of another version.
"""

from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from mace import wiring
from mace.core.answers import VerifyReport
from mace.core.errors import (
    Closed,
    IntegrityFailure,
    MaceError,
    NotFound,
    PreconditionFailed,
    ServiceUnavailable,
)
from mace.engine.ledger import damage as damaged
from mace.engine.runtime import Mace
from mace.ledger.findings import Finding, damage_found
from mace.providers.keys import KeyFile, KeysDamaged
from mace.providers.system import SystemEntropy
from mace.settings import Settings
from mace.storage.ports import Damage
from mace.storage.sql.migrate import OtherVersion

Progress = Callable[[int, int], None]
Look = Callable[[Mace], VerifyReport]


def verify(
    location: str | Path | None = None,
    *,
    settings: Settings | None = None,
    read_only: bool = False,
    quick: bool = False,
    progress: Progress | None = None,
) -> VerifyReport:
    """Verify the MACE at a location, whatever became of it: like `m.verify`, also where it does not open any more.

    Damage never raises; it is a finding, and everything else that can be read is checked. `not_recorded` says why
    findings could not be put on the record. A location without a store raises `NotFound`; nothing is made there.
    """
    chosen = wiring.chosen_settings(location, settings)
    return run(
        chosen,
        lambda mace: mace.verify(read_only=read_only, quick=quick, progress=progress),
        read_only=read_only,
        quick=quick,
    )


def run(settings: Settings, look: Look, *, read_only: bool, quick: bool, alone: bool = True) -> VerifyReport:
    """Let `look` verify the store, opened as far as it opens; `alone` looks at its files where it does not at all."""
    _refuse_no_store(settings)
    try:
        with wiring.open_mace(settings=settings, read_only=read_only) as mace:
            return look(mace)
    except Exception as error:
        refused = _damage_or_raise(error)
    try:
        with wiring.open_to_verify(settings) as mace:
            return _read_only(look(mace), refused, read_only=read_only)
    except Exception as error:
        _damage_or_raise(error)
        if not alone:
            raise refused from None
    return _read_only(_alone(settings, refused, quick=quick), refused, read_only=read_only)


def _damage_or_raise(error: Exception) -> Exception:
    """What damage may have caused; anything else is the caller's to know."""
    may_be = isinstance(error, IntegrityFailure | PreconditionFailed | ServiceUnavailable) or not isinstance(
        error, MaceError
    )
    if not may_be or isinstance(error, OtherVersion | Closed):
        raise error
    return error


def _refuse_no_store(settings: Settings) -> None:
    """Nothing is made where nothing is; and a store without its keys is not damaged: they are elsewhere."""
    if settings.is_postgres:
        wiring.require_driver(settings)
        return
    folder, keys = Path(settings.location), wiring.keys_path(settings)
    has_database = (folder / "mace.db").exists()
    if has_database and not keys.exists():
        raise wiring.lost_keys(settings, keys)
    if not has_database and not (folder / "keys.json").exists():
        raise NotFound(
            what=f"A MACE store at {settings.location}", hint=f"create one with: mace init {settings.location}"
        )


def _read_only(report: VerifyReport, refused: Exception, *, read_only: bool) -> VerifyReport:
    """A report of a store that did not open for use: it says so, and why nothing was recorded."""
    told: VerifyReport = {**report}
    if told["ok"] and not isinstance(refused, ServiceUnavailable):  # it did not open, and nobody found out why
        why = _not_opened("the store does not open for use", refused)
        told["findings"] = [*told["findings"], *_shown([why])]
        told["findings_in_all"] += 1
        told["ok"] = False
    if not read_only and told["findings"]:
        told["not_recorded"] = f"the store opens for reading only: {_words(refused)}"
    return told


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, MaceError) else type(error).__name__


def _not_opened(what: str, refused: Exception) -> Finding:
    return Finding("NOT_CHECKED", {"table": "*"}, f"{what}: {_words(refused)}")


def _shown(findings: list[Finding]) -> list[Any]:
    unique = {finding.finding_id: finding for finding in findings}
    return [{**finding.shown(), "attested": False} for finding in unique.values()]


def _alone(settings: Settings, refused: Exception, *, quick: bool) -> VerifyReport:
    """The key file, the file and its schema, and the events by their own hashes: all that can be told without keys."""
    found = [*_keys(settings)]
    events = 0
    try:
        store = wiring.store_to_verify(settings)
    except IntegrityFailure as error:
        found.append(damage_found(Damage("FILE_DAMAGED", {"table": "*", "page": 1}, str(error))))
    else:
        with closing(store):
            damage = store.inspect(quick=quick)
            found += map(damage_found, damage)
            events, of_events = damaged.without_keys(store, damage)
            found += of_events
    if not found:
        raise refused  # nothing is damaged: the store cannot be used, and the error says why
    found.append(_not_opened("signatures, and the rows beside the events, were not checked", refused))
    shown = _shown(found)
    report = {
        "ok": False,
        "events": events,
        "findings": shown,
        "findings_in_all": len(shown),
        "incident_id": None,
        "read_only": True,
        "quick": quick,
    }
    return cast(VerifyReport, report)


def _keys(settings: Settings) -> list[Finding]:
    path = wiring.keys_path(settings)
    try:
        KeyFile.open(path, SystemEntropy(), create=False)
    except KeysDamaged as error:
        digest = sha256(path.read_bytes()).hexdigest()
        return [Finding("KEY_FILE_DAMAGED", {"table": "keys", "file": str(path)}, str(error), {"sha256": digest})]
    except (MaceError, OSError):
        return []  # it cannot be read or must not be used: the refusal says so
    return []
