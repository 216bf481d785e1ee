"""The first 100 bytes of a database file: what stands there in every database of MACE, and how to put it back. Pure."""

from collections.abc import Iterable

from mace.storage.ports import Damage

HEADER = 100  # bytes
_PAGE_BYTES = 4096

# Where in the header, what stands there in every database of MACE, and what it is called.
_ALWAYS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"SQLite format 3\0", "the name of the format"),
    (20, b"\0", "the number of bytes kept free in each page"),
    (21, b"\x40\x20\x20", "the fractions of a payload"),
    (44, b"\0\0\0\x04", "the format of the schema"),
    (56, b"\0\0\0\x01", "the encoding of texts"),
    (72, bytes(20), "what is kept for later versions of SQLite"),
)
_SET_LATER = (44, 56)  # with the first table
# What MACE does not set, but whoever tends the file may: it counts only where SQLite does not read the file.
_USUALLY = (
    (52, b"\0\0\0\0", "the largest root page"),
    (64, b"\0\0\0\0", "the mode of vacuum"),
)


def unread_faults(header: bytes, size: int | None) -> list[Damage]:
    """What in the first bytes of a file that SQLite does not read may be the cause.

    With a `size` the number of pages is compared with it; not while a write-ahead log holds some of them.
    """
    found = [*header_faults(header, waits=size is None), *_faults(header, _USUALLY)]
    if not _page_bytes(header):
        found.append(_fault(16, "the size of a page is none", header[16:18]))
    if header[18:20] not in (b"\1\1", b"\2\2"):
        found.append(_fault(18, "the versions that may write and read are none", header[18:20]))
    counts = header[24:28] == header[92:96]  # else SQLite takes the size of the file
    pages = int.from_bytes(header[28:32], "big")
    if size is not None and counts and pages != size // (_page_bytes(header) or _PAGE_BYTES):
        found.append(_fault(28, "the number of pages is not that of the file", header[28:32]))
    return found


def header_faults(header: bytes, *, waits: bool = False) -> list[Damage]:
    """What in the first bytes of a file is not as in every database of MACE.

    While something `waits` in the write-ahead log, the file may still be from before its first table.
    """
    unset = {start for start in _SET_LATER if waits and header[start : start + 4] == bytes(4)}
    return _faults(header, (fixed for fixed in _ALWAYS if fixed[0] not in unset))


def _page_bytes(header: bytes) -> int | None:
    size = int.from_bytes(header[16:18], "big")
    size = 65_536 if size == 1 else size
    return size if size >= 512 and size & (size - 1) == 0 else None


def _faults(header: bytes, known: Iterable[tuple[int, bytes, str]]) -> list[Damage]:
    found = []
    for start, expected, name in known:
        held = header[start : start + len(expected)]
        if held != expected:
            at = next((at for at, byte in enumerate(expected) if held[at : at + 1] != bytes([byte])), 0)
            found.append(_fault(start + at, f"{name} is not that of a database of MACE", held))
    return found


def _fault(byte: int, what: str, held: bytes) -> Damage:
    where = {"table": "*", "page": 1, "byte": byte}
    return Damage("FILE_DAMAGED", where, f"page 1, byte {byte}: {what}", {"held": held.hex()}, hides_rows=False)


def good_header(header: bytes, size: int, *, with_wal: bool) -> bytes:
    """The header with everything put back that is the same in every database; counts are taken from the file."""
    made = bytearray(header.ljust(HEADER, b"\0")[:HEADER])
    for start, expected, _ in (*_ALWAYS, *_USUALLY):
        made[start : start + len(expected)] = expected
    if not _page_bytes(header):
        made[16:18] = _PAGE_BYTES.to_bytes(2, "big")
    made[18:20] = b"\x02\x02" if with_wal else b"\x01\x01"
    pages = size // (_page_bytes(header) or _PAGE_BYTES)
    made[28:32] = pages.to_bytes(4, "big")
    if int.from_bytes(made[32:36], "big") > pages or int.from_bytes(made[36:40], "big") >= pages:
        made[32:40] = bytes(8)  # the list of free pages is not needed for reading
    made[92:96] = made[24:28]  # the number of pages counts
    return bytes(made)
