"""One more node for a store in PostgreSQL: the first one writes an invitation, the new one takes it."""

from pathlib import Path
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict, MaceError, PreconditionFailed, ServiceUnavailable
from mace.providers import invitations
from mace.providers.files import create_once, write_whole
from mace.providers.keys import master_id_of
from mace.providers.system import SystemEntropy
from mace.settings import Settings
from mace.storage.ports import Tx
from mace.wiring import data_folder, open_mace


def keys_path(settings: Settings) -> Path:
    """Where this node's key file lies."""
    return Path(settings.keys_file) if settings.keys_file else data_folder(settings) / "keys.json"


def invite(settings: Settings, passphrase: str, by: str) -> bytes:
    """The keys of this store, sealed with a passphrase; that they left is on the record."""
    _must_be_shared(settings)
    invitations.check_passphrase(passphrase)
    if not keys_path(settings).exists():
        raise PreconditionFailed(f"key file {keys_path(settings)} not found; run --invite on a node of this store")
    with open_mace(settings=settings) as mace:
        recorder = mace._parts.recorder
        payload = {"actor": by, "what": "keys", "which": "all keys of the server", "purpose": "invite a node"}

        def unit(tx: Tx) -> None:
            recorder.append(tx, recorder.system(tx), "admin_access_event", payload, by)

        mace._parts.spilling.write("join", unit)
        return invitations.seal(keys_path(settings).read_bytes(), passphrase, SystemEntropy())


def join(settings: Settings, invitation: bytes, passphrase: str) -> dict[str, str]:
    """Become a node: put the keys of an invitation where this node looks for them, if they are those of its store."""
    _must_be_shared(settings)
    keys = invitations.unseal(invitation, passphrase)
    path = keys_path(settings)
    if path.exists() and canon.loads(path.read_bytes()).get("log_name") != canon.loads(keys)["log_name"]:
        raise Conflict(f"{path} holds the keys of another store; move it away first")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = create_once(path, keys)
        if not made:
            _take_master(settings, path, canon.loads(keys))
    except OSError as error:
        raise ServiceUnavailable(f"cannot write the key file {path}: {error.strerror}") from None
    try:
        with open_mace(settings=settings, read_only=True) as mace:
            about = mace.describe()
    except MaceError:
        if made:
            path.unlink(missing_ok=True)
        raise
    return {"keys_file": str(path), "log_name": about["log_name"]}


def _take_master(settings: Settings, path: Path, invited: dict[str, Any]) -> None:
    """A node that has its keys takes the master key of the invitation, if people's keys are wrapped by that one now."""
    held = canon.loads(path.read_bytes())
    if held["master"] == invited["master"]:
        return
    with open_mace(settings=settings, read_only=True) as mace:
        wanted = mace._parts.world.store.read(lambda tx: tx.vault.master())
    if master_id_of(bytes.fromhex(invited["master"])) != wanted:
        raise PreconditionFailed("the invitation is from before the master key was rotated; ask for a new one")
    kept = {name: value for name, value in held.items() if name != "next_master"}
    house = invited.get("house", invited["master"])
    write_whole(path, canon.dumps({**kept, "house": house, "master": invited["master"]}), wipe=True)


def _must_be_shared(settings: Settings) -> None:
    if not settings.is_postgres:
        raise PreconditionFailed("only a store in PostgreSQL has several nodes; a directory is shared by its processes")
