"""Computations that can be stopped: a pure function, run by name in a worker process of its own.

A thread cannot be stopped and a computer-algebra library may think for ever, so such work is done in a process that is
killed when its time is over. The worker is started on first use and kept, because importing what it needs takes longer
than most computations; that import does not count against a computation's limit. Parent and worker speak JSON with a
length before it, over pipes. The worker gets no environment but the one built here, a limit of memory, and the same
hash seed every time. It ends when its pipe is closed, whatever happened to the parent, also in the middle of a
computation. It runs functions of this package only; what they compute is not this file's business.

The file is both sides: imported it is the parent's, `python -m mace.providers.computing` is the worker.
"""

import contextlib
import importlib
import json
import os
import queue
import re
import resource
import select
import struct
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, Self

from mace.providers.ports import Crashed, TimedOut

_LENGTH: Final = struct.Struct(">I")
_MAX_MESSAGE_BYTES: Final = 8 * 1024 * 1024
_NAME: Final = re.compile(r"mace(\.[a-z][a-z0-9_]*)+:[a-z][a-z0-9_]*")
_CPU_GRACE_SECONDS: Final = 2
_IMPORT_LIMIT_MS: Final = 60_000


# -- the parent's side


class Computer:
    """Runs functions of this package in worker processes; safe to use from many threads."""

    def __init__(
        self,
        *,
        workers: int = 2,
        memory_mb: int = 1024,
        start_limit_ms: int = 60_000,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Keep at most so many workers, each started when first needed; `environment` is added to theirs."""
        if workers < 1:
            raise ValueError("at least one worker is needed")
        self._most = workers
        self._memory_mb = memory_mb
        self._start_limit_ms = start_limit_ms
        self._environment = {**_minimal_environment(), **(environment or {})}
        self._changed = threading.Condition()
        self._idle: list[_Worker] = []
        self._busy: list[_Worker] = []
        self._closed = False
        self._finalizer = weakref.finalize(self, _end_all, self._idle, self._busy)
        _COMPUTERS.add(self)

    def compute(self, function: str, arguments: Mapping[str, Any], limit_ms: int) -> Any:
        """Return what `function` ("mace.package.module:name") gives for JSON-able keyword arguments.

        Raises `TimedOut` after `limit_ms` (waiting for a free worker is bounded by the same limit, and counted
        apart), `Crashed` when there is no result. Both leave the next computation a fresh worker.
        """
        if not _NAME.fullmatch(function):
            raise ValueError("only functions of this package can be computed")
        if limit_ms <= 0:  # the time is over before it began
            raise TimedOut(limit_ms)
        request = _encoded({"call": function, "arguments": dict(arguments), "limit_ms": limit_ms})
        worker = self._borrow(limit_ms)
        try:
            worker.prepare(function, self._start_limit_ms)
            return worker.exchange(request, limit_ms)["result"]
        except BaseException:  # also an interrupt: what the worker would say next belongs to nobody
            worker.kill()
            raise
        finally:
            self._give_back(worker)

    def close(self) -> None:
        """End all workers; a computation that is running fails with `Crashed`. Closing again does nothing."""
        with self._changed:
            self._closed = True
            _end_all(self._idle, self._busy)
            self._changed.notify_all()
        self._finalizer.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _borrow(self, limit_ms: int) -> "_Worker":
        deadline = time.monotonic() + limit_ms / 1000
        with self._changed:
            while True:
                if self._closed:
                    raise Crashed("closed")
                while self._idle and not self._idle[-1].alive():
                    self._idle.pop().kill()  # it died while nobody needed it
                if self._idle or len(self._busy) < self._most:
                    worker = self._idle.pop() if self._idle else _Worker(self._environment, self._memory_mb)
                    self._busy.append(worker)
                    return worker
                if not self._changed.wait(deadline - time.monotonic()):
                    raise TimedOut(limit_ms)

    def _give_back(self, worker: "_Worker") -> None:
        with self._changed:
            if worker in self._busy:
                self._busy.remove(worker)
            if self._closed or not worker.alive():
                worker.kill()
            else:
                self._idle.append(worker)
            self._changed.notify()

    def _forget_workers(self) -> None:
        """In a forked child: the workers are the parent's. Let go of their pipes, or they would outlive it."""
        for worker in (*self._idle, *self._busy):
            worker.forget()
        self._idle.clear()
        self._busy.clear()
        self._changed = threading.Condition()


def _end_all(idle: "list[_Worker]", busy: "list[_Worker]") -> None:
    for worker in idle:
        worker.end()
    idle.clear()
    for worker in busy:
        worker.stop()


_COMPUTERS: "weakref.WeakSet[Computer]" = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for computer in list(_COMPUTERS):
        computer._forget_workers()


os.register_at_fork(after_in_child=_after_fork_in_child)


def _minimal_environment() -> dict[str, str]:
    """Return what a worker needs to find this package and to compute the same every time, and nothing else."""
    here = str(Path(__file__).resolve().parents[2])
    paths = [entry for entry in sys.path if entry and Path(entry).is_absolute()]
    found = os.pathsep.join(dict.fromkeys((*paths, here)))
    return {"PYTHONPATH": found, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}


def _encoded(message: Mapping[str, Any]) -> bytes:
    body = json.dumps(message, allow_nan=False).encode()
    if len(body) > _MAX_MESSAGE_BYTES:
        raise ValueError("the arguments are too large")
    return _LENGTH.pack(len(body)) + body


class _Worker:
    """One process and its two pipes. Used by one thread at a time; only `stop` may come from another."""

    def __init__(self, environment: Mapping[str, str], memory_mb: int) -> None:
        self._environment = environment
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._loaded: set[str] = set()
        self._killed = False

    def alive(self) -> bool:
        return self._process is not None and not self._killed and self._process.poll() is None

    def prepare(self, function: str, limit_ms: int) -> None:
        """Start the process if there is none, and let it import what the function needs."""
        if self._process is None:
            self._start()
        if self._killed:  # closed while it was starting
            raise Crashed("stopped")
        if function not in self._loaded:
            self.exchange(_encoded({"load": function}), limit_ms)
            self._loaded.add(function)

    def _start(self) -> None:
        command = [sys.executable, "-P", "-m", "mace.providers.computing", str(self._memory_mb)]
        try:
            process = subprocess.Popen(  # noqa: S603 -- our own interpreter, our own module, no shell
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # a traceback would show what a user asked
                env=dict(self._environment),
                bufsize=0,
                start_new_session=True,  # Ctrl+C in the terminal is for the parent
            )
        except OSError as error:
            raise Crashed("the worker could not be started") from error
        assert process.stdin is not None and process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        os.set_blocking(process.stdout.fileno(), False)
        self._process = process

    def exchange(self, message: bytes, limit_ms: int) -> dict[str, Any]:
        """Send a message and return the answer, within the limit."""
        deadline = time.monotonic() + limit_ms / 1000
        try:
            self._send(message, deadline)
            answer = json.loads(self._receive(deadline))
        except TimeoutError:
            raise TimedOut(limit_ms) from None
        except (OSError, EOFError, ValueError) as error:
            raise Crashed(self._how_it_ended(error)) from None
        if not isinstance(answer, dict) or not answer.get("ok"):
            raise Crashed(str(answer.get("error")) if isinstance(answer, dict) else "not an answer")
        return answer

    def _send(self, data: bytes, deadline: float) -> None:
        assert self._process is not None and self._process.stdin is not None
        descriptor = self._process.stdin.fileno()
        view = memoryview(data)
        while view:
            _wait(descriptor, select.POLLOUT, deadline)
            with contextlib.suppress(BlockingIOError):
                view = view[os.write(descriptor, view[:65536]) :]

    def _receive(self, deadline: float) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        received = bytearray()
        wanted = _LENGTH.size
        while len(received) < wanted:
            _wait(descriptor, select.POLLIN, deadline)
            chunk = os.read(descriptor, 65536)
            if not chunk:
                raise EOFError
            received += chunk
            if len(received) >= _LENGTH.size:
                wanted = _LENGTH.size + min(_LENGTH.unpack_from(received)[0], _MAX_MESSAGE_BYTES)
        return bytes(received[_LENGTH.size :])

    def _how_it_ended(self, error: Exception) -> str:
        if self._killed:
            return "stopped"
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return f"the worker ended with status {self._process.wait(1)}"
        return type(error).__name__

    def stop(self) -> None:
        """Stop the process at once; the thread that uses it sees its end and clears up."""
        self._killed = True
        if self._process is not None:
            self._process.kill()

    def kill(self) -> None:
        """Stop the process at once and leave no trace of it."""
        self.stop()
        if self._process is not None:
            self._process.wait()
            self._close_pipes(self._process)

    def end(self) -> None:
        """Let an idle process end by itself, or kill it."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
        self.kill()

    def forget(self) -> None:
        """In a forked child: close our copies of the pipes, and leave the parent's process alone."""
        if self._process is not None:
            self._close_pipes(self._process)
            self._process.returncode = 0  # not our child: nothing to wait for
            self._process = None

    @staticmethod
    def _close_pipes(process: subprocess.Popen[bytes]) -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _wait(descriptor: int, event: int, deadline: float) -> None:
    """Wait until the pipe can be used (or is broken, which using it will tell), or raise `TimeoutError`."""
    poller = select.poll()
    poller.register(descriptor, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poller.poll(left * 1000):
        raise TimeoutError


# -- the worker's side


def _serve(memory_mb: int) -> NoReturn:
    """Answer requests until the pipe is closed."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)  # what a function prints must not look like an answer
    _limit_memory(memory_mb)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.stack_size(256 * 1024)
    threading.Thread(target=_listen, args=(incoming, requests.put), daemon=True).start()
    functions: dict[str, Callable[..., Any]] = {}
    while True:
        message = json.loads(requests.get())
        try:
            answer = json.dumps(_handle(message, functions), allow_nan=False).encode()
        except Exception as error:  # whatever it is, the parent is told and decides
            answer = json.dumps({"ok": False, "error": _where(error)}).encode()
        if len(answer) > _MAX_MESSAGE_BYTES:
            answer = json.dumps({"ok": False, "error": "the result is too large"}).encode()
        outgoing.write(_LENGTH.pack(len(answer)) + answer)
        outgoing.flush()


def _handle(message: Mapping[str, Any], functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    name = message["load"] if "load" in message else message["call"]
    _limit_processor(message.get("limit_ms", _IMPORT_LIMIT_MS))
    if name not in functions:
        functions[name] = _resolve(name)
    return {"ok": True, "result": None if "load" in message else functions[name](**message["arguments"])}


def _resolve(name: str) -> Any:
    if not _NAME.fullmatch(name):
        raise ValueError("not a function of this package")
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


def _where(error: BaseException) -> str:
    """Name an error by its kind and place; its message might repeat what a user wrote."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _listen(incoming: BinaryIO, put: Callable[[bytes], None]) -> None:
    """Hand on requests; when the pipe is closed, end the process, even in the middle of a computation."""
    while len(header := incoming.read(_LENGTH.size)) == _LENGTH.size:
        put(incoming.read(_LENGTH.unpack(header)[0]))
    os._exit(0)


def _limit_memory(memory_mb: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = memory_mb * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    with contextlib.suppress(ValueError, OSError):  # some systems know the limit but refuse to set it
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def _limit_processor(limit_ms: int) -> None:
    """Let the kernel end a computation that holds the interpreter while the parent is gone and cannot kill it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(usage.ru_utime + usage.ru_stime + limit_ms / 1000) + 1 + _CPU_GRACE_SECONDS
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
