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
from collections.abc import Callable
from typing import Any

from mace.testing.chat import ChatServer, Exchange

HANG_S = 60.0

Behaviour = Callable[[Exchange], None]


class OpenAiServer(ChatServer):
    def __init__(self, *behaviours: Behaviour, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls=tls)
        self._behaviours = list(behaviours)
        self._order = threading.Lock()

    def respond(self, exchange: Exchange) -> None:
        with self._order:
            behave = self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]
        behave(exchange)


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


def ends(finish_reason: str, **message: Any) -> Behaviour:
    """An answer that ends for this reason, with a message of these fields."""
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **message}}
    return sends(200, completion(None, choices=[choice]))


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


def hangs_before_headers(handler: Exchange) -> None:
    handler.wait(HANG_S)


def hangs_in_the_body(handler: Exchange) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"id":')
    handler.wait(HANG_S)


def drips_the_body(handler: Exchange) -> None:
    """One byte at a time, faster than any limit on silence; the whole would take a minute."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    while handler.wait(0.05):
        handler.wfile.write(b" ")


def drips_the_headers(handler: Exchange) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    while handler.wait(0.05):
        handler.wfile.write(b"x")


def cuts_the_connection(handler: Exchange) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def cuts_the_body(handler: Exchange) -> None:
    hangs = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"id":'
    handler.wfile.write(hangs)
    handler.connection.shutdown(socket.SHUT_RDWR)


def floods(handler: Exchange) -> None:
    """An answer without an end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[")
    while handler.wait(0.0):
        handler.wfile.write(b"0," * 32_768)


def unused_url() -> str:
    """The address of a port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
