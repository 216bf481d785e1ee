"""The head of the index that SQLite keeps of its write-ahead log: it moves with every commit, of whatever process.

Whoever begins a transaction compares these bytes with those it saw last; `PRAGMA data_version` does nothing else, and
takes and gives back a lock on a file for it. They lie in memory that all processes share. Here they are only read:
SQLite says where they are, and their page is mapped a second time, so that it is there for as long as anybody looks,
also while the connection is closed. Where that cannot be had, as on other systems than Linux, SQLite has to be asked.
"""

import ctypes
import sys
from functools import cache
from typing import Any

import apsw

HEAD_BYTES = 48  # of the first copy, which is written last: then the commit counts
_BEGINNING = (3007000).to_bytes(4, sys.byteorder)  # the format of the index, the only one there ever was
_IS_MADE = 12  # the place of the byte that says so
_REGION_BYTES = 32768
_PAGE_BYTES = 4096
_MAY_MOVE = 1
_FAILED = ctypes.c_void_p(-1).value


class _Methods(ctypes.Structure):
    """The beginning of `sqlite3_io_methods`, as `sqlite3.h` gives it to every program."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("others", ctypes.c_void_p * 12),
        ("shm_map", ctypes.c_void_p),
    )


_ShmMap = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)
)


class IndexHead(ctypes.c_char * HEAD_BYTES):  # type: ignore[misc] # an array of bytes, made at run time
    """`raw` is what the bytes are now; the page goes when nobody holds this any more."""

    def __del__(self, address: Any = ctypes.addressof) -> None:
        unmap = self.__dict__.get("unmap")
        if unmap is not None:
            unmap(address(self), _PAGE_BYTES)


@cache
def _system() -> tuple[Any, Any] | None:
    """What maps a page a second time, and what takes a page away; None where there is no such thing."""
    if sys.platform != "linux":
        return None
    try:
        library = ctypes.CDLL(None)
        remap, unmap = library.mremap, library.munmap
    except (OSError, AttributeError):
        return None
    remap.restype = ctypes.c_void_p
    remap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    unmap.restype = ctypes.c_int
    unmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return remap, unmap


def head_of(connection: apsw.Connection) -> IndexHead | None:
    """The head of the index that a connection uses; None where it cannot be had.

    The connection has read before, and nobody uses it meanwhile. What is returned counts for as long as it stays open:
    when the last connection of all processes is closed the index goes, and the next one makes another.
    """
    system = _system()
    if system is None or connection.execute("pragma journal_mode").get != "wal":
        return None
    remap, unmap = system
    file = ctypes.c_void_p()
    try:
        connection.filecontrol("main", apsw.SQLITE_FCNTL_FILE_POINTER, ctypes.addressof(file))
    except apsw.Error:
        return None
    if not file.value:
        return None
    table = ctypes.c_void_p.from_address(file.value).value  # of what can be done with the file
    methods = None if not table else _Methods.from_address(table)
    if methods is None or methods.version < 2 or not methods.shm_map:
        return None
    at = ctypes.c_void_p()
    if _ShmMap(methods.shm_map)(file.value, 0, _REGION_BYTES, 0, ctypes.byref(at)) != apsw.SQLITE_OK or not at.value:
        return None
    page = remap(at.value, 0, _PAGE_BYTES, _MAY_MOVE)
    if page is None or page == _FAILED:
        return None
    head: IndexHead = IndexHead.from_address(page)
    head.unmap = unmap
    is_one = head.raw[:4] == _BEGINNING and head.raw[_IS_MADE] == 1
    return head if is_one else None
