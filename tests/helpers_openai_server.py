"""A real HTTP server on the loopback that speaks the OpenAI chat protocol, and misbehaves on demand.

    with OpenAiServer(answers("hello")) as server:
        ... base_url=server.url ...
        server.requests[0].body["messages"]

Behaviours are used up in order; the last one stays. Those that hang do so until the server closes (or a minute has
passed), so that a test which waits for them is seen to fail.
"""

import gzip
import json
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

HANG_S = 60.0


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Any


Behaviour = Callable[["_Handler"], None]


class OpenAiServer:
    def __init__(self, *behaviours: Behaviour, tls: ssl.SSLContext | None = None) -> None:
        self._behaviours = list(behaviours)
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self.requests: list[Seen] = []
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}/v1"

    def next_behaviour(self) -> Behaviour:
        with self._lock:
            return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: OpenAiServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone away is no news here."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.owner.requests.append(Seen(self.path, headers, json.loads(body or b"null")))
        self.close_connection = True
        self.server.owner.next_behaviour()(self)

    def send(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def wait(self, seconds: float) -> bool:
        """Wait; say whether the server is still up."""
        return not self.server.owner.closing.wait(seconds)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print nothing."""


def completion(text: str | None, **changes: Any) -> dict[str, Any]:
    """A chat completion; `changes` replace its top-level fields."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "served-model",
        "choices": [choice],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
    return {**whole, **changes}


def answers(text: str | None, **changes: Any) -> Behaviour:
    return sends(200, completion(text, **changes))


def sends(status: int, body: Any, **headers: str) -> Behaviour:
    return lambda handler: handler.send(status, json.dumps(body).encode(), **headers)


def fails(status: int, message: str = "no") -> Behaviour:
    return sends(status, {"error": {"message": message, "type": "some_error", "code": None}})


def writes(body: bytes, content_type: str = "application/json") -> Behaviour:
    return lambda handler: handler.send(200, body, content_type)


def zips(text: str) -> Behaviour:
    body = gzip.compress(json.dumps(completion(text)).encode())
    return lambda handler: handler.send(200, body, content_encoding="gzip")


def redirects(url: str) -> Behaviour:
    return lambda handler: handler.send(307, b"", location=url)


def hangs_before_headers(handler: _Handler) -> None:
    handler.wait(HANG_S)


def hangs_in_the_body(handler: _Handler) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id":')
    handler.wait(HANG_S)


def drips_the_body(handler: _Handler) -> None:
    """One byte at a time, faster than any limit on silence; the whole would take a minute."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    while handler.wait(0.05):
        handler.wfile.write(b" ")


def drips_the_headers(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    while handler.wait(0.05):
        handler.wfile.write(b"x")


def cuts_the_connection(handler: _Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def cuts_the_body(handler: _Handler) -> None:
    hangs = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"id":'
    handler.wfile.write(hangs)
    handler.connection.shutdown(socket.SHUT_RDWR)


def floods(handler: _Handler) -> None:
    """An answer without an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[")
    while handler.wait(0.0):
        handler.wfile.write(b"0," * 32_768)


def unused_url() -> str:
    """The address of a port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
