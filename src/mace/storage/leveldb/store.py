"""The folder itself: one process holds it, one unit at a time writes, reads see a snapshot, a unit is one synced batch.

A write that failed may leave half a record in LevelDB's log, behind which later ones would be lost; so the folder is
opened anew before anything else is written. LevelDB tells its failures as texts, which name files and never values.
"""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from mace.core.errors import (
    Closed,
    Conflict,
    IntegrityFailure,
    MaceError,
    PreconditionFailed,
    ServiceUnavailable,
    StorageFull,
)
from mace.storage.experience_ports import Experience
from mace.storage.leveldb.rows import LevelDbRows
from mace.storage.leveldb.view import View

T = TypeVar("T")

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OPTIONS = {
    "create_if_missing": True,
    "paranoid_checks": True,  # damage is said when the folder is opened, not passed over
    "bloom_filter_bits": 10,  # whether an id is taken is asked for every row, and it hardly ever is
    "write_buffer_size": 16 << 20,
    "lru_cache_size": 32 << 20,
}


def _package() -> Any:
    try:
        import plyvel
    except ImportError:
        raise PreconditionFailed("LevelDB needs an extra package: pip install 'mace-runtime[leveldb]'") from None
    return plyvel


class LevelDbExperience:
    def __init__(self, path: Path) -> None:
        self._plyvel = _package()
        self._path = path
        self._writing = threading.Lock()  # one unit at a time
        self._state = threading.Condition()  # over the four below
        self._db: Any = None
        self._users = 0  # while there are any, the database is not closed under them
        self._doubtful = False  # a write failed: open anew before the next
        self._closed = False
        with self._state:
            self._open()

    def write(self, unit: Callable[[Experience], T]) -> T:
        with self._writing:
            self._open_anew_after_a_failure()
            with self._held() as db:
                view = View(db, writable=True)
                result = unit(LevelDbRows(view))
                if view.changes:
                    self._commit(db, view.changes)
                return result

    def _commit(self, db: Any, changes: dict[bytes, bytes | None]) -> None:
        batch = db.write_batch(sync=True)
        for key, value in changes.items():
            if value is None:
                batch.delete(key)
            else:
                batch.put(key, value)
        try:
            batch.write()
        except BaseException:
            with self._state:
                self._doubtful = True
            raise

    def read(self, look: Callable[[Experience], T]) -> T:
        with self._held() as db, closing(db.snapshot()) as snapshot:
            return look(LevelDbRows(View(snapshot, writable=False)))

    @contextmanager
    def _held(self) -> Iterator[Any]:
        """The open database, which nobody closes meanwhile; what LevelDB says is translated."""
        with self._state:
            if self._closed:
                raise Closed("the store is closed")
            if self._db is None:
                self._open()
            db = self._db
            self._users += 1
        try:
            yield db
        except self._plyvel.Error as error:
            raise self._translate(error) from None
        finally:
            with self._state:
                self._users -= 1
                self._state.notify_all()

    def _open(self) -> None:
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._db = self._plyvel.DB(str(self._path), **_OPTIONS)
        except (self._plyvel.Error, OSError) as error:
            raise self._translate(error) from None

    def _open_anew_after_a_failure(self) -> None:
        with self._state:
            if self._doubtful and not self._closed:
                self._close_db()
                self._open()  # where it fails, whoever comes next tries again
                self._doubtful = False

    def _close_db(self) -> None:
        while self._users:
            self._state.wait()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _translate(self, error: Exception) -> MaceError:
        told = error.args[0] if error.args and isinstance(error.args[0], bytes) else str(error).encode()
        text = told.decode(errors="replace")
        if any(os.strerror(number) in text for number in _FULL):
            return StorageFull(f"the disk of {self._path} is full")
        if "LOCK" in text and ("already held" in text or os.strerror(errno.EAGAIN) in text):
            return Conflict(
                f"another process holds the experience in {self._path}: LevelDB serves one process at a time; "
                "close that one, or keep experience in the database, which processes share"
            )
        if isinstance(error, self._plyvel.CorruptionError):
            return IntegrityFailure(
                f"LevelDB found damage in {self._path} ({text}); move the folder away, and it is filled again "
                "from the ledger"
            )
        return ServiceUnavailable(f"LevelDB in {self._path}: {text}")

    def describe(self) -> dict[str, str]:
        return {
            "kind": "leveldb",
            "place": str(self._path),
            "engine": f"LevelDB {self._plyvel.__leveldb_version__}",
            "durability": "every unit synced",
        }

    def close(self) -> None:
        with self._writing, self._state:
            self._closed = True
            self._close_db()
