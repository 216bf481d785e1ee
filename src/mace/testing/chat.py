"""A server on the loopback that speaks the OpenAI chat protocol, with replies that were written beforehand.

    with serve_chat(["Hello.", ChatReply(tool_calls=[ToolCall("find_parcel", {"number": 7})])]) as server:
        client = openai.OpenAI(base_url=server.url, api_key="any")
        ...
        assert server.requests[0].messages[-1]["content"] == "Hi"

It needs the standard library alone and no pytest. Replies are used up in order, or made by a function of the request,
which is what requests in parallel need. A request beyond the last reply is answered with 400 and a sentence that says
so: clients do not try that again, so a script that is too short is seen at once.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self

_CREATED = 1_700_000_000  # the same in every answer, so that a test can compare whole answers


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request as it arrived; header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def last(self) -> str:
        """The text of the last message, "" where it has none."""
        content = self.messages[-1].get("content")
        return content if isinstance(content, str) else ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants called; without an `id` it gets `call_1`, `call_2` and so on."""

    name: str
    arguments: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model says, or how the server fails: with another `status` than 200, a message `error` and a `code`.

    `after_s` is how long the server waits before it answers.
    """

    text: str | None = None
    tool_calls: Sequence[ToolCall] = ()
    status: int = 200
    error: str = ""
    code: str | None = None
    after_s: float = 0.0


Reply = str | ChatReply
Script = Sequence[Reply] | Callable[[ChatRequest], Reply]


class ChatServer:
    """The server; a context manager. `url` is what a client takes as its `base_url`."""

    def __init__(self, script: Script = (), *, tls: SSLContext | None = None) -> None:
        self.requests: list[ChatRequest] = []
        self.closing = threading.Event()
        self._script = script if callable(script) else list(script)
        self._lock = threading.Lock()
        self._answered = 0
        self._tools_called = 0
        self._http = _Http(("127.0.0.1", 0), Exchange)
        self._http.owner = self
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}/v1"

    def respond(self, exchange: "Exchange") -> None:
        """Answer one request."""
        request = exchange.request_seen
        if not request.path.partition("?")[0].endswith("/chat/completions"):
            return exchange.send_json(404, _error(f"this server has no {request.path}"))
        if request.body.get("stream"):
            return exchange.send_json(400, _error("this server does not stream"))
        reply = self._next(request)
        if reply is None:
            number = len(self.requests)
            return exchange.send_json(400, _error(f"no scripted reply is left for request {number}"))
        said = ChatReply(reply) if isinstance(reply, str) else reply
        if said.after_s and not exchange.wait(said.after_s):
            return None
        if said.status != 200:
            return exchange.send_json(said.status, _error(said.error or "refused by the script", said.code))
        return exchange.send_json(200, self._completion(request, said))

    def _next(self, request: ChatRequest) -> Reply | None:
        if callable(self._script):
            return self._script(request)
        with self._lock:
            return self._script.pop(0) if self._script else None

    def _completion(self, request: ChatRequest, reply: ChatReply) -> dict[str, Any]:
        with self._lock:
            self._answered += 1
            number = self._answered
            first_tool = self._tools_called + 1
            self._tools_called += len(reply.tool_calls)
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.tool_calls:
            message["tool_calls"] = [_tool_call(call, at) for at, call in enumerate(reply.tool_calls, first_tool)]
        finish = "tool_calls" if reply.tool_calls else "stop"
        asked, said = tokens(json.dumps(request.body["messages"])), tokens(json.dumps(message))
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": _CREATED,
            "model": request.body.get("model", "scripted"),
            "choices": [{"index": 0, "finish_reason": finish, "message": message}],
            "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
        }

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


def serve_chat(script: Script) -> ChatServer:
    """Serve these replies, in order, or those of a function: `with serve_chat(["Hello."]) as server: ...`."""
    return ChatServer(script)


def tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its bytes, rounded up."""
    return -(-len(text.encode()) // 4)


def _tool_call(call: ToolCall, number: int) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
    return {"id": call.id or f"call_{number}", "type": "function", "function": function}


def _error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "param": None, "code": code}}


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: ChatServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone away is no news here."""


class Exchange(BaseHTTPRequestHandler):
    """One request and its answer, as a server's `respond` sees it."""

    server: _Http
    protocol_version = "HTTP/1.1"
    request_seen: ChatRequest

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.request_seen = ChatRequest(self.path, headers, json.loads(body or b"null"))
        self.server.owner.requests.append(self.request_seen)
        self.close_connection = True
        self.server.owner.respond(self)

    def send_json(self, status: int, body: Any, **headers: str) -> None:
        self.send(status, json.dumps(body).encode(), **headers)

    def send(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")  # one exchange per connection; a client must not use it again
        self.end_headers()
        self.wfile.write(body)

    def wait(self, seconds: float) -> bool:
        """Wait; say whether the server is still up."""
        return not self.server.owner.closing.wait(seconds)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""
