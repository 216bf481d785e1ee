"""Processes: who this one is, and whether another one of the same machine is still there."""

import os
import platform
from functools import cache
from pathlib import Path

from mace.providers.ports import Process

_NOWHERE = ""


class Processes:
    """Looks at the processes of this machine."""

    def me(self) -> Process:
        pid = os.getpid()
        return Process(_place(), pid, _started(pid))

    def number(self) -> int:
        return os.getpid()

    def is_gone(self, other: Process) -> bool:
        """Say whether that process surely ended; False where this one cannot see it."""
        here = _place()
        if other.place != here:
            machine, boot, _ = here.split("/")
            theirs = other.place.split("/")
            return len(theirs) == 3 and theirs[0] == machine and theirs[1] != boot  # the machine was started anew
        try:
            os.kill(other.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False  # it is somebody else's
        return _started(other.pid) != other.started or _is_zombie(other.pid)


@cache
def _place() -> str:
    """Which machine, which start of it, and in which space its processes are numbered."""
    machine = _text("/etc/machine-id") or platform.node() or "unknown"
    boot = _text("/proc/sys/kernel/random/boot_id") or "boot"
    try:
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        space = "pid"
    return "/".join(part.replace("/", "_") for part in (machine, boot, space))


def _text(path: str) -> str:
    try:
        return Path(path).read_text("ascii").strip()
    except (OSError, ValueError):
        return _NOWHERE


def _stat(pid: int) -> list[str]:
    """The fields of a process after its name, which may hold anything."""
    return _text(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _started(pid: int) -> str:
    """When a process began, in ticks since its machine did; empty where nobody tells."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else _NOWHERE


def _is_zombie(pid: int) -> bool:
    """One that ended and that nobody has asked about yet."""
    return _stat(pid)[:1] in (["Z"], ["X"])
