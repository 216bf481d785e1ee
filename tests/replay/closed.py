"""`replay.batch` with the world closed: no network, no other process, and whatever locale the environment names.

    TZ=Asia/Kathmandu LC_ALL=C python -m replay.closed FOLDER

Whoever connects, listens, looks up a name or starts a process gets an error, from wherever it is tried.
"""

import locale
import sys
import time
from contextlib import suppress
from typing import Any

_SHUT = frozenset(
    {
        "socket.bind",
        "socket.connect",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.sendto",
        "subprocess.Popen",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.system",
    }
)
_AF_UNIX = 1  # an event loop wakes itself by a pair of these


class Shut(RuntimeError):
    """Somebody tried to reach the world."""


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _SHUT or (event == "socket.__new__" and arguments[1] not in (_AF_UNIX, -1)):
        raise Shut(event)


def close_the_world() -> None:
    """Cannot be undone in this process."""
    sys.addaudithook(_watch)


def main() -> int:
    with suppress(locale.Error):  # not every machine has every locale
        locale.setlocale(locale.LC_ALL, "")
    time.tzset()
    from replay import batch

    close_the_world()
    return batch.main()


if __name__ == "__main__":
    sys.exit(main())
