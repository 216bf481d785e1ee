"""When is a thing well? One pure judgement per line of `mace doctor`, with its limits."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mace.interfaces.cli.location import Found

if TYPE_CHECKING:
    from mace.wiring.language import Probed

_GIB = 1 << 30
_LITTLE_BYTES, _TOO_LITTLE_BYTES = _GIB, 64 << 20
_SAFE_SQLITE = (3, 51, 3)  # earlier ones have a reported WAL-reset fault that can lose committed writes
_EARLIEST = 1_767_225_600  # 2026-01-01: before that no version of MACE was made
_CLOCK_SLACK_S = 300


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: str  # ok, warn, fail
    detail: str
    hint: str = ""

    def shown(self) -> dict[str, str]:
        return asdict(self)


def python(version: tuple[int, ...]) -> Check:
    text = ".".join(map(str, version))
    if version < (3, 11):
        return Check("python", "fail", text, "MACE needs Python 3.11 or newer")
    return Check("python", "ok", text)


def engine(probed: "Probed") -> Check:
    """How a language engine did that was asked one word."""
    where = f" at {probed['url']}" if probed["url"] else ""
    name, asked = f"engine {probed['engine']}", f"{probed['model']}{where}"
    if not probed["ok"]:
        return Check(name, "fail", f"{asked}: {probed['error']}", probed["remedy"] or "")
    counted = f"{probed['input_tokens']} tokens in, {probed['output_tokens']} out"
    return Check(name, "ok", f"{asked}: answered in {probed['time_ms']} ms, {counted}")


def no_engine() -> Check:
    return Check(
        "engine",
        "warn",
        "no language engine is configured: nothing was asked",
        "set llm_model (MACE_LLM_MODEL) and, for a server of your own, llm_url (MACE_LLM_URL)",
    )


def nothing_there(found: Found, place: str) -> Check:
    hints = {
        Found.NOTHING: f"make one with: mace init {place}",
        Found.FOREIGN: "name another directory with -C, or make one with: mace init DIR",
        Found.NOT_A_FOLDER: "name a directory with -C",
        Found.KEYLESS: "bring the key file back, or name it with keys_file",
    }
    return Check("store", "fail", f"no MACE store at {place}: {found.value}", hints[found])


def hint_for(code: str) -> str:
    return {
        "INTEGRITY_FAILURE": "run: mace log verify",
        "PRECONDITION_FAILED": "the text above says what to change",
        "SERVICE_UNAVAILABLE": "is the disk mounted, the server running, the address right?",
        "NOT_FOUND": "make one with: mace init",
    }.get(code, "")


def store(about: Mapping[str, Any]) -> Check:
    numbers = tuple(int(part) for part in re.findall(r"\d+", about["engine"]))
    if about["kind"] == "sqlite" and numbers < _SAFE_SQLITE:
        return Check(
            "store", "warn", about["engine"], "this SQLite can lose a committed write under WAL; install a newer apsw"
        )
    if about["kind"] == "postgres" and about["durability"] not in ("on", "remote_apply", "remote_write", "local"):
        return Check(
            "store",
            "fail",
            f"{about['engine']}, synchronous_commit = {about['durability']}",
            "a commit is not durable when it is acknowledged; set synchronous_commit = on",
        )
    return Check("store", "ok", f"{about['engine']}, {about['durability']}")


def damage(details: Sequence[str]) -> Check:
    """What a quick look at the store itself found: its pages and its schema."""
    if not details:
        return Check("file", "ok", "pages and schema are sound")
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return Check("file", "fail", f"{details[0]}{more}", "run: mace log verify; then restore a backup")


def key_mode(mode: int, path: str) -> Check:
    if mode & 0o077:
        return Check("keys", "fail", f"{path} has mode {mode:04o}: others can read it", f"run: chmod 600 {path}")
    return Check("keys", "ok", f"{path} (mode {mode:04o})")


def folder(warning: str | None, place: str) -> Check:
    if warning is not None:
        return Check("folder", "warn", warning.partition("; ")[0], f"run: chmod 700 {place}")
    return Check("folder", "ok", f"{place} is for its owner alone")


def spill(waiting: int, path: str, outage: Mapping[str, Any] | None = None) -> Check:
    """What waits for the store, and how bad the outage is that it tells of."""
    if outage is not None and outage["severity"] in ("error", "critical"):
        failed = f"{outage['failures']} writes failed since {outage['since'][:19]}"
        state = "fail" if outage["severity"] == "critical" else "warn"
        hint = f"{waiting} failures wait in {path}; they are written to the ledger with the next write that works"
        return Check(
            "spill", state, f"{outage['severity']}: the store was down and no write has worked since: {failed}", hint
        )
    if waiting:
        return Check(
            "spill", "warn", f"{waiting} failures wait in {path}", "they are written to the ledger with the next write"
        )
    return Check("spill", "ok", "nothing waits")


def forensic_key(number: int | None, *, shared: bool) -> Check:
    """Whether erased data can come back, and evidence is closed to this node; a `shared` store erases only then."""
    if number is None:
        without = "nothing can be erased before one is set" if shared else "what is erased cannot be restored"
        detail = f"none: {without}, and evidence lies under this node's own keys"
        return Check("forensic key", "warn", detail, "mace admin forensic-key FILE makes one")
    return Check("forensic key", "ok", f"number {number}")


def names(unclear: Sequence[str]) -> Check:
    if unclear:
        shown = ", ".join(unclear)
        hint = "look at each with: mace fact list; store what is right under its own name and delete the other"
        return Check("names", "warn", f"it cannot be told whose these are: {shown}", hint)
    return Check("names", "ok", "every stored name has one owner")


def incidents(halting: int) -> Check:
    if halting:
        return Check("incidents", "warn", f"{halting} halt replays", "look at them with: mace incident list")
    return Check("incidents", "ok", "none halts replays")


def experience(about: Mapping[str, Any]) -> Check:
    detail = f"{about['kind']}, megrams: {levels(about['megrams'])}"
    if about["behind"]:
        return Check("experience", "warn", f"{detail}, behind the ledger", "it catches up with: mace experience list")
    return Check("experience", "ok", detail)


def levels(counts: dict[str, int]) -> str:
    """How many Megrams there are of each level: `18 M, 1 K, 2 C`."""
    return ", ".join(f"{counts[level]} {level}" for level in ("M", "K", "C") if counts.get(level)) or "none yet"


def shelf(
    folder: Path,
    nearest: Path,
    data: Path | None,
    newest: int | None,
    state: str = "here",
    was_in: str | None = None,
    events: int | None = None,
) -> Check:
    """The shelf: there, writable, outside the data, the one that was used before, and not ahead of the log."""
    if newest is not None and events is not None and newest > events:
        return Check(
            "checkpoints",
            "fail",
            f"the newest covers {newest} events, the log has {events}: its tail was cut, or an older copy was put back",
            "run mace log verify",
        )
    if state in ("empty", "moved"):
        gone = f"no checkpoint is left in {folder}" if state == "empty" else f"{folder} is not {was_in}, which is gone"
        return Check(
            "checkpoints",
            "fail",
            f"{gone}: a cut tail of the log would not be seen",
            "bring the checkpoints back, or set checkpoint_dir to where they are; mace log verify tells more",
        )
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Check(
            "checkpoints", "fail", f"{folder} cannot be written", "set checkpoint_dir to a folder you can write to"
        )
    kept = "none kept yet" if newest is None else f"the newest covers {newest} events"
    if data is not None and folder.absolute().is_relative_to(data.absolute()):
        return Check(
            "checkpoints",
            "warn",
            f"{folder} lies inside the data: {kept}",
            "whoever rolls the data back rolls these back too; set checkpoint_dir to a place elsewhere",
        )
    if state == "followed":
        return Check(
            "checkpoints",
            "warn",
            f"{folder}, before that {was_in}: {kept}",
            "the log goes on here with the next checkpoint",
        )
    return Check("checkpoints", "ok", f"{folder}: {kept}")


def disk(free_bytes: int, folder: str) -> Check:
    detail = f"{free_bytes / _GIB:.1f} GiB free at {folder}"
    if free_bytes < _TOO_LITTLE_BYTES:
        return Check("disk", "fail", detail, "make room: writes will be refused with STORAGE_FULL")
    if free_bytes < _LITTLE_BYTES:
        return Check("disk", "warn", detail, "make room soon")
    return Check("disk", "ok", detail)


def clock(now_s: float, touched_s: float | None) -> Check:
    if now_s < _EARLIEST:
        return Check("clock", "fail", "the clock is earlier than the release of this version", "set the clock")
    if touched_s is not None and now_s < touched_s - _CLOCK_SLACK_S:
        return Check(
            "clock",
            "warn",
            f"the clock is {touched_s - now_s:.0f} s behind the data's last change",
            "has it been set back? timestamps of new facts would lose against older ones",
        )
    return Check("clock", "ok", "later than everything stored" if touched_s else "plausible")
