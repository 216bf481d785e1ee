"""The names under which things lie in LevelDB.

Pure. `megram:`, `idx:`, `lvl:` and `recall:` are the key schema of the roles text; their parts percent-encode `%` and
`:`, so that no tag can pass for a separator. `rule:`, `retired:`, `pair:`, `due:`, `change:`, `place:` and `cursor` are
our own. The names are stored: another spelling would lose every row that is there.
"""

from mace.core.errors import InvalidInput
from mace.storage.experience_keys import pair_digest

CURSOR = b"cursor"
MEGRAMS = b"megram:"
LEVELS = b"lvl:"
PAIRS = b"pair:"
DUE = b"due:"
CHANGES = b"change:"
RECALLS = b"recall:"
RETIRED = b"retired:"
INDEX = b"idx:"
RULES = b"rule:"
PLACES = b"place:"
_SIGN = 2**63  # added to a number so that the hex digits of all of them sort as the numbers do


def part(text: str) -> bytes:
    return _plain(text.replace("%", "%25").replace(":", "%3A"))


def text_of(encoded: bytes) -> str:
    """The way back; the percent sign comes last, or `%253A` would become a colon."""
    return encoded.decode().replace("%3A", ":").replace("%25", "%")


def _plain(text: str) -> bytes:
    if "\0" in text:
        raise InvalidInput("tags and ids must not contain NUL when experience is stored in LevelDB")
    return text.encode()


def end_of(prefix: bytes) -> bytes:
    """The first key behind all that begin with the prefix."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


def megram(megram_id: str) -> bytes:
    return MEGRAMS + part(megram_id)


def index(space: str, entity: str, megram_id: str = "") -> bytes:
    return b"idx:%b:%b:%b" % (part(space), part(entity), part(megram_id))


def level(name: str, megram_id: str) -> bytes:
    return b"lvl:%b:%b" % (part(name), part(megram_id))


def rule(space: str, entity: str, megram_id: str = "") -> bytes:
    """Rules once more by themselves: among a million episodes of their pair they would not be found."""
    return b"rule:%b:%b:%b" % (part(space), part(entity), part(megram_id))


def recall(megram_id: str) -> bytes:
    return b"recall:" + part(megram_id)


def retired(megram_id: str) -> bytes:
    return b"retired:" + part(megram_id)


def pair(space: str, entity: str) -> bytes:
    """Not percent-encoded: pairs are listed in the order of their bytes, which that would change. NUL sorts first."""
    return b"pair:%b\0%b" % (_plain(space), _plain(entity))


def due(due_us: int, space: str, entity: str) -> bytes:
    return b"due:%016x:%b" % (due_us + _SIGN, pair_digest(space, entity).hex().encode())


def due_until(until_us: int) -> bytes:
    """The first key behind all that are due at this instant or before."""
    return b"due:%016x;" % (until_us + _SIGN)


def change(change_id: str) -> bytes:
    return b"change:" + part(change_id)


def place(number: int, change_id: str) -> bytes:
    return b"place:%016x:%b" % (number + _SIGN, part(change_id))
