"""What lies under the names: canonical JSON with the field names of the roles text, and instants as RFC 3339.

Pure. Whoever has the folder can change a value, so nothing that is read is believed before its shape was looked at:
what is not as it was written is an `IntegrityFailure` that names the key.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, TypeVar

from mace.core import canon
from mace.core.errors import IntegrityFailure, InvalidInput
from mace.core.times import iso_us, parse_instant
from mace.storage.experience_ports import ChangeRow, MegramRow, PairRow

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)


def damaged(key: bytes) -> NoReturn:
    raise IntegrityFailure(f"the LevelDB value under {key.decode(errors='backslashreplace')!r} is damaged")


def _reading(key: bytes, read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValueError, KeyError, TypeError, OverflowError):
        damaged(key)


def _be(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise TypeError
    return value


def _number(value: Any) -> float:
    if type(value) is not float and type(value) is not int:  # 1.0 is written as 1
        raise TypeError
    return float(value)


def _bytes(value: Any) -> bytes:
    return b64decode(_be(str, value), validate=True)


def instant(at_us: int) -> str:
    try:
        return iso_us(_EPOCH + timedelta(microseconds=at_us))
    except OverflowError:
        raise InvalidInput("time must be within the years 1 to 9999") from None


def _us(text: str) -> int:
    return (parse_instant(text) - _EPOCH) // _US


def read_instant(key: bytes, data: bytes) -> int:
    return _reading(key, lambda: _us(data.decode()))


def read_text(key: bytes, data: bytes) -> str:
    return _reading(key, data.decode)


def read_integer(key: bytes, data: bytes) -> int:
    return _reading(key, lambda: int(data))


def megram(row: MegramRow) -> bytes:
    return canon.dumps(
        {
            "id": row.megram_id,
            "level": row.level,
            "created_at": instant(row.created_us),
            "space": row.space,
            "entity": row.entity,
            "content": b64encode(row.content).decode(),
            "key_refs": list(row.key_refs),
            "state": row.state,
            "f": row.f,
            "sigma": row.sigma,
            "k": row.k,
            "place": row.place,
            "marked": row.marked,
        }
    )


def read_megram(key: bytes, data: bytes) -> MegramRow:
    return _reading(key, lambda: _megram(canon.loads(data)))


def _megram(found: Any) -> MegramRow:
    return MegramRow(
        _be(str, found["id"]),
        _be(str, found["level"]),
        _us(_be(str, found["created_at"])),
        _be(str, found["space"]),
        _be(str, found["entity"]),
        _bytes(found["content"]),
        tuple(_be(str, ref) for ref in _be(list, found["key_refs"])),
        _be(str, found["state"]),
        _number(found["f"]),
        _number(found["sigma"]),
        _number(found["k"]),
        _be(int, found["place"]),
        _be(bool, found["marked"]),
    )


def pair(row: PairRow) -> bytes:
    """`due_us` as text: it may be beyond what a number in JSON holds exactly."""
    return canon.dumps(
        {
            "space": row.space,
            "entity": row.entity,
            "state": b64encode(row.state).decode(),
            "due_us": str(row.due_us),
        }
    )


def read_pair(key: bytes, data: bytes) -> PairRow:
    return _reading(key, lambda: _pair(canon.loads(data)))


def _pair(found: Any) -> PairRow:
    return PairRow(
        _be(str, found["space"]),
        _be(str, found["entity"]),
        _bytes(found["state"]),
        int(_be(str, found["due_us"])),
    )


def change(row: ChangeRow) -> bytes:
    return canon.dumps(
        {
            "id": row.change_id,
            "kind": row.kind,
            "space": row.space,
            "entity": row.entity,
            "place": row.place,
            "body": b64encode(row.body).decode(),
            "undone_by": row.undone_by,
        }
    )


def read_change(key: bytes, data: bytes) -> ChangeRow:
    return _reading(key, lambda: _change(canon.loads(data)))


def _change(found: Any) -> ChangeRow:
    return ChangeRow(
        _be(str, found["id"]),
        _be(str, found["kind"]),
        _be(str, found["space"]),
        _be(str, found["entity"]),
        _be(int, found["place"]),
        _bytes(found["body"]),
        _be(str, found["undone_by"]),
    )
