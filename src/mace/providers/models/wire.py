"""The wire to a provider: one HTTP transport per attempt that keeps the limits and notes what happened.

Imported only when a request is made, because httpx2 comes with it. The library above maps, wraps and words
errors in many ways; the truth is seen here, once, for every provider: `Wire.note` says how far the attempt
came. The key is put into the request here and nowhere else, so that no object of a library ever holds it.
What would hurt: sending it to another host than the configured one (redirects are not followed, other origins
refused), or believing `content-encoding` (a small body can unpack to gigabytes, so only plain ones are asked
for and accepted).
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import httpx2

from mace.providers.models.settings import Limits, ProviderSettings

_ALLOWED_HEADERS = frozenset(
    "accept connection content-length content-type host transfer-encoding user-agent".split()  # noqa: SIM905
)


_MAX_ERROR_BYTES = 8192  # of an endpoint's error that are looked at, for its code alone
_MAX_WAIT_S = 86_400


@dataclass(slots=True)
class Note:
    """How far an attempt came; `reason` is set by whichever limit or fault ended it."""

    status: int | None = None
    reason: str | None = None
    retry_after_s: int | None = None
    said: bytearray = field(default_factory=bytearray, repr=False)  # the beginning of an error


class Wire(httpx2.AsyncBaseTransport):
    """A transport for one attempt: limits, one origin, our headers only, and a note of the outcome."""

    def __init__(self, settings: ProviderSettings, limits: Limits, trust: ssl.SSLContext | bool, note: Note) -> None:
        self.note = note
        self._settings = settings
        self._limits = limits
        self._origin = _origin(httpx2.URL(settings.base_url)) if settings.base_url else None
        self._inner = httpx2.AsyncHTTPTransport(
            verify=trust,
            trust_env=False,
            proxy=settings.proxy,
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=0),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._origin is not None and self._origin[0] not in ("http", "https"):
            self.note.reason = "no_scheme"
            raise httpx2.UnsupportedProtocol("an address without http:// or https://")
        if self._origin is not None and _origin(request.url) != self._origin:
            self.note.reason = "other_origin"
            raise httpx2.UnsupportedProtocol("another origin")
        self._dress(request)
        limits = self._limits
        try:
            async with asyncio.timeout(limits.connect_s + limits.header_s):
                response = await self._inner.handle_async_request(request)
        except (TimeoutError, httpx2.ConnectTimeout, httpx2.TimeoutException) as error:
            self.note.reason = "connect_time" if isinstance(error, httpx2.ConnectTimeout) else "header_time"
            raise httpx2.ReadTimeout("no answer in time") from None
        except httpx2.ConnectError:
            self.note.reason = "no_connection"
            raise
        except httpx2.TransportError:
            self.note.reason = "connection_broke"
            raise
        self.note.status = response.status_code
        self.note.retry_after_s = _retry_after(response.headers)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            self.note.reason = "encoded"
            await response.aclose()
            raise httpx2.DecodingError("an encoding that was not asked for")
        stream = _Limited(response, self.note, limits.max_response_bytes)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=stream, extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _dress(self, request: httpx2.Request) -> None:
        """Leave only the headers we mean to send. Libraries add what they find in the environment."""
        settings = self._settings
        if settings.kind == "openai":
            for name in [name for name in request.headers if name.lower() not in _ALLOWED_HEADERS]:
                del request.headers[name]
            if settings.api_key:
                request.headers["authorization"] = f"Bearer {settings.api_key}"
            request.headers["user-agent"] = "mace"
        for name, value in settings.extra_headers:
            request.headers[name] = value
        request.headers["accept-encoding"] = "identity"
        connect_s, silence_s = self._limits.connect_s, self._limits.header_s
        phases = {"connect": connect_s, "pool": connect_s, "read": silence_s, "write": silence_s}
        request.extensions = {**request.extensions, "timeout": phases}


class _Limited(httpx2.AsyncByteStream):
    """A body that ends the attempt when it grows too large, and notes when it breaks off."""

    def __init__(self, response: httpx2.Response, note: Note, max_bytes: int) -> None:
        self._response = response
        self._note = note
        self._max_bytes = max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for chunk in self._response.aiter_raw():
                size += len(chunk)
                if self._response.status_code >= 400 and len(self._note.said) < _MAX_ERROR_BYTES:
                    self._note.said += chunk[: _MAX_ERROR_BYTES - len(self._note.said)]
                if size > self._max_bytes:
                    self._note.reason = "too_large"
                    raise httpx2.DecodingError("an answer beyond the limit")
                yield chunk
        except httpx2.TimeoutException:
            self._note.reason = "body_time"
            raise
        except httpx2.TransportError:
            self._note.reason = "connection_broke"
            raise

    async def aclose(self) -> None:
        await self._response.aclose()


def _retry_after(headers: httpx2.Headers) -> int | None:
    """How long to wait, as an endpoint says it: in seconds, or as a time, which is held to its own clock."""
    told = headers.get("retry-after", "").strip()
    if told.isascii() and told.isdigit():
        return min(int(told[:9]), _MAX_WAIT_S)
    try:
        wait = parsedate_to_datetime(told) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return min(max(0, round(wait.total_seconds())), _MAX_WAIT_S)


def trust_for(settings: ProviderSettings) -> ssl.SSLContext | bool:
    """Return whom to trust; costs some milliseconds, so it is made once per provider."""
    if settings.base_url is not None and httpx2.URL(settings.base_url).scheme == "http":
        return False  # never used: other origins are refused
    if settings.ca_file is not None:
        return ssl.create_default_context(cafile=settings.ca_file)
    return httpx2.create_ssl_context(trust_env=False)


def client_over(wire: Wire) -> httpx2.AsyncClient:
    """Return the HTTP client that a library is given for one attempt; the wire sets its time limits."""
    return httpx2.AsyncClient(transport=wire, timeout=None, trust_env=False, follow_redirects=False)


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
