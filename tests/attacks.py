"""What every attack on a log must come to: found, named, recorded, found again the same, and answered for in the end.

`base` is built once per engine and worker; every attack gets a copy of it. Nothing here asks MACE what it would accept:
changes go straight into the database or the files.
"""

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

import places
from mace.core.errors import IntegrityFailure, LogInvalid, PreconditionFailed
from mace.core.events import NewEvent
from mace.engine.runtime import Mace
from mace.storage.ports import Tx
from payloads import log_payload

BULK = 300  # events of one more job, so that a tile of 256 is complete


def build(place: places.Place) -> None:
    """A log with something in every table, several kept checkpoints, and a second key."""
    with place.open() as mace:
        ids = [mace.write_reflective_log(log_payload(str(number))) for number in range(3)]
        mace.checkpoint()
        mace.amend(ids[0], "ana", {"note": "first"}, "note")
        mace.amend(ids[0], "bo", {"note": "second"}, "revalidate")
        mace.update_reflective_log(ids[1], {"user_feedback": {"stars": 4}, "audit_tags": "checked"})
        mace.update_reflective_log(ids[1], {"user_feedback": {"stars": 5}})
        with pytest.raises(LogInvalid):
            mace.write_reflective_log({"log_id": "nonsense"})
        mace.rotate_key()
        mace.checkpoint()
        append(mace, "bulk", BULK)
        mace.write_reflective_log(log_payload("3"))
    with place.open() as mace:
        assert mace.verify() == {
            "ok": True,
            "events": mace.describe()["events"],
            "findings": [],
            "findings_in_all": 0,
            "incident_id": None,
            "read_only": False,
            "quick": False,
        }
        mace.write_reflective_log(log_payload("last"))


def append(mace: Mace, job_seed: str, count: int = 1) -> list[NewEvent]:
    """Append events to a job's stream in one unit, as a verb would."""
    recorder = mace._parts.recorder

    def unit(tx: Tx) -> list[NewEvent]:
        origin = recorder.open(tx, job_seed, {"verb": "test"})
        return [recorder.append(tx, origin, "SEM_PUT", {"n": number}) for number in range(count)]

    return mace._parts.world.store.write(unit)


def copy_of(place: places.Place, root: Path) -> places.Place:
    """The same MACE in another place: database, keys, spill file and checkpoints."""
    copied = place.twin(root)
    shutil.copytree(place.settings.checkpoint_dir, copied.settings.checkpoint_dir, dirs_exist_ok=True)
    copied.folder.mkdir(parents=True, exist_ok=True)
    for name in ("keys.json", "spill.bin"):
        shutil.copy(place.folder / name, copied.folder / name)
    keys = copied.folder / "keys.json"  # the copy remembers its own shelf
    keys.write_text(keys.read_text().replace(place.settings.checkpoint_dir, copied.settings.checkpoint_dir))
    return copied


def changed(value: Any) -> Any:
    """The value with as little changed as possible; JSON stays JSON, so that a typed column takes it."""
    if isinstance(value, bytes):
        middle = len(value) // 2
        return value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :] if value else b"\x01"
    if isinstance(value, float):
        return math.nextafter(value, 2.0)
    if isinstance(value, int):
        return value + 100_000 if value > 1 else 1 - value
    order = sorted(range(len(value)), key=lambda at: abs(at - len(value) // 2))
    for at in order:
        if value[at].isalnum():
            other = value[:at] + ("b" if value[at] == "a" else "a" if value[at].isalpha() else "7") + value[at + 1 :]
            if other != value and _same_kind(value, other):
                return other
    return value + "x"


def _same_kind(value: str, other: str) -> bool:
    if value[:1] not in ("{", "[", '"'):
        return True
    try:
        orjson.loads(other)
    except ValueError:
        return False
    return True


@dataclass
class Outcome:
    """What was expected, and what came of it."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    incident_id: str = ""
    epochs: int = 0


def _matches(finding: dict[str, Any], kind: str, where: dict[str, Any]) -> bool:
    return finding["kind"] == kind and all(finding["where"].get(name) == value for name, value in where.items())


def assert_names(result: dict[str, Any], expected: list[tuple[str, dict[str, Any]]]) -> None:
    for kind, where in expected:
        assert any(_matches(finding, kind, where) for finding in result["findings"]), (kind, where, result["findings"])


def _ids(result: dict[str, Any]) -> list[str]:
    return sorted(finding["finding_id"] for finding in result["findings"])


def assert_found_read_only(place: places.Place, expected: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """An auditor finds it and leaves no trace; return the ids."""
    before = place.content()
    with place.open(read_only=True) as mace:
        result = mace.verify(read_only=True)
        assert result["ok"] is False
        assert result["incident_id"] is None
        assert_names(result, expected)
        assert _ids(mace.verify()) == _ids(result)  # opened for reading, it cannot do otherwise
    assert place.content() == before
    return _ids(result)


def _of_type(mace: Mace, event_type: str) -> list[dict[str, Any]]:
    return [event for event in mace.events("system") if event["event_type"] == event_type]


def assert_found_and_recorded(mace: Mace, ids: list[str], expected: list[tuple[str, dict[str, Any]]]) -> str:
    """Verify, look at everything that must follow, verify again; return the incident's id."""
    before = {kind: len(_of_type(mace, kind)) for kind in RECORDED}
    result = mace.verify()
    assert result["ok"] is False
    assert "not_recorded" not in result
    assert_names(result, expected)
    assert _ids(result) == ids
    assert not any(finding["attested"] for finding in result["findings"])
    incident_id: str = result["incident_id"]

    grown = {kind: _of_type(mace, kind)[before[kind] :] for kind in RECORDED}
    failures = {event["payload"]["finding_id"]: event["payload"] for event in grown["INTEGRITY_FAILURE"]}
    assert sorted(failures) == ids
    assert [event["payload"]["incident_id"] for event in grown["INCIDENT_CREATED"]] == [incident_id]
    assert [event["payload"]["incident_id"] for event in grown["ADMIN_ALERT"]] == [incident_id]
    (halt,) = grown["FORCE_HALT_REPLAY"]
    assert halt["payload"]["incident_id"] == incident_id
    assert halt["payload"]["streams"]
    for finding in result["findings"]:
        kept = mace.quarantine_read(finding["finding_id"])
        assert kept["finding"]["where"] == finding["where"]
        assert failures[finding["finding_id"]]["kind"] == finding["kind"]
        if finding["kind"] in WITH_EVIDENCE:
            assert kept["payload"], finding
    (incident,) = [item for item in mace.incidents.list() if item["incident_id"] == incident_id]
    assert incident["halting"] is True
    assert incident["severity"] == "critical"
    assert incident["about"] == ids

    events = mace.describe()["events"]
    again = mace.verify()
    if any(finding["kind"] == "SUBJECTS_CHANGED" for finding in result["findings"]):
        assert set(_ids(again)) < set(ids)  # the index was put right, and what followed from it is gone
        return incident_id
    assert _ids(again) == ids
    assert again["incident_id"] == incident_id
    assert mace.describe()["events"] == events
    return incident_id


RECORDED = ("INTEGRITY_FAILURE", "INCIDENT_CREATED", "ADMIN_ALERT", "FORCE_HALT_REPLAY")
WITH_EVIDENCE = (
    "CONTENT_CHANGED",
    "BAD_SIGNATURE",
    "COLUMN_MISMATCH",
    "RECORD_CHANGED",
    "TILE_CHANGED",
    "KEY_UNREADABLE",
    "CHECKPOINT_FORGED",
    "SHELF_MOVED",
    "WRONG_LOG",
)


def lift(mace: Mace, incident_id: str) -> dict[str, Any]:
    """Lift a halt: as the owner of a directory, or else past the question of who may, which is not asked here."""
    if mace.describe()["store"]["kind"] == "sqlite":
        return mace.lift_replay_halt(incident_id, "ana")
    return mace._parts.world.store.write(
        lambda tx: mace._parts.incidents.lift_halt(tx, incident_id, "ana", mace._parts.proofs.attested(tx).findings)
    )


def acknowledge(mace: Mace, incident_id: str) -> dict[str, Any]:
    if mace.describe()["store"]["kind"] == "sqlite":
        return mace.acknowledge_incident(incident_id, "ana")
    return mace._parts.world.store.write(lambda tx: mace._parts.incidents.acknowledge(tx, incident_id, "ana"))


def assert_answered_for(mace: Mace, incident_id: str, *, new_epoch: bool | None = None) -> None:
    """An admin attests, the halt is lifted, the log is good again and publishes checkpoints again."""
    with pytest.raises(PreconditionFailed, match="attest the findings"):
        lift(mace, incident_id)
    attested = mace.attest("ana", "looked at it: a test did it")
    if new_epoch is not None:
        assert (attested["epoch"] is not None) is new_epoch
    assert lift(mace, incident_id)["halting"] is False
    assert [event["payload"]["incident_id"] for event in _of_type(mace, "REPLAY_UNHALTED")][-1] == incident_id
    result = mace.verify()
    assert result["ok"] is True, result
    assert all(finding["attested"] for finding in result["findings"])
    origin = mace.checkpoint().split("\n")[0]
    assert origin.endswith(f"/epoch-{attested['epoch']}") if attested["epoch"] is not None else "epoch" not in origin
    assert mace.verify()["ok"] is True


def assert_found(
    place: places.Place,
    expected: list[tuple[str, dict[str, Any]]],
    *,
    again: Callable[[places.Sql], Any] | None = None,
    new_epoch: bool | None = None,
) -> None:
    """The whole story of an attack; `again` attacks the same place once more after all was answered for."""
    ids = assert_found_read_only(place, expected)
    with place.open() as mace:
        incident_id = assert_found_and_recorded(mace, ids, expected)
        assert_answered_for(mace, incident_id, new_epoch=new_epoch)
        mace.write_reflective_log(log_payload("afterwards"))
    with place.open() as mace:
        result = mace.verify()
        assert result["ok"] is True, result
        mace.write_reflective_log(log_payload("and on"))
    with place.sql() as sql:
        if again is not None:
            again(sql)
        else:
            (last,) = sql("select max(position) from events")[0]
            body = sql("select body from events where position = ?", (last,))[0][0]
            sql("update events set body = ? where position = ?", (changed(body), last))
    with place.open(read_only=True) as mace:
        later = mace.verify()
        assert later["ok"] is False
        assert set(_ids(later)) - set(ids)


def assert_checkpoint_refused(mace: Mace) -> None:
    with pytest.raises(IntegrityFailure):
        mace.checkpoint()
