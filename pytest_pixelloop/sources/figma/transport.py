"""One HTTP GET with the standard library, with every limit that a careless one lacks.

Why no HTTP package: a user of ``pytest`` would install and import it for a command that is run
once a month. ``urllib`` honours ``HTTP(S)_PROXY``/``NO_PROXY``, the proxies of macOS and Windows,
the system's certificates and ``SSL_CERT_FILE``; what it lacks (separate time-outs, redirects that
do not carry secrets to other hosts, a size limit, a deadline, noticing a body that ends early) is
these lines. It is imported when the first request is made.
"""

from __future__ import annotations

import http.client
import ipaddress
import ssl
import time
import urllib.error
import urllib.request
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urljoin, urlsplit

from pytest_pixelloop import __version__
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma.errors import FigmaAnswerError, FigmaUnreachableError

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECT_TIMEOUT, READ_TIMEOUT, DEADLINE = 10.0, 120.0, 600.0
MAX_REDIRECTS = 5
_CHUNK = 1 << 16
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: the status, headers by lower-case name, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long to wait and how much to take."""

    max_bytes: int
    connect: float = CONNECT_TIMEOUT
    read: float = READ_TIMEOUT
    deadline: float = DEADLINE


def get(
    url: str, *, limits: Limits, secret: Mapping[str, str] | None = None, gzip: bool = False
) -> Answer:
    """Return the answer to a GET of *url*, whatever its status.

    Redirects are followed; the *secret* headers go to the scheme, host and port of *url* and to
    no other. ``http:`` is spoken with this machine only. Raises FigmaUnreachableError when no
    whole answer came and FigmaAnswerError for one that is too large. Messages name the host and
    never the address, which may be a signed one.
    """
    first = checked_url(url)
    deadline = time.monotonic() + limits.deadline
    current = url
    for _ in range(MAX_REDIRECTS + 1):
        parts = checked_url(current)
        headers = {"User-Agent": f"pytest-pixelloop/{__version__}", "Accept": "*/*"}
        if gzip:
            headers["Accept-Encoding"] = "gzip"
        if secret and _origin(parts) == _origin(first):
            headers |= secret
        answer = _one(current, headers, limits, deadline, host=_host(parts))
        target = answer.headers.get("location")
        if answer.status not in _REDIRECTS or not target:
            return answer
        current = urljoin(current, target)
        if parts.scheme == "https" and not current.startswith("https:"):
            raise FigmaUnreachableError(
                f"{_host(parts)} redirects to an address that is not https", where=_host(parts)
            )
    raise FigmaUnreachableError(
        f"more than {MAX_REDIRECTS} redirects", where=_host(first), expected="an answer"
    )


def checked_url(url: str) -> SplitResult:
    """Return the parts of an ``https:`` address, or an ``http:`` one of this machine.

    Raises ConfigurationError for every other: nothing is sent in the clear, and no other scheme
    is followed.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = SplitResult("", "", "", "", "")
    host = parts.hostname or ""
    if host and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))):
        return parts
    raise ConfigurationError(
        f"{printable(parts.scheme or 'this', limit=20)}: is no address to fetch a design from",
        where=printable(host, limit=120),
        expected="https:, or http: on this machine",
    )


def is_loopback(host: str) -> bool:
    """Tell whether *host* is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    usual = 443 if parts.scheme == "https" else 80
    return parts.scheme, parts.hostname, parts.port or usual


def _host(parts: SplitResult) -> str:
    return printable(parts.netloc.rpartition("@")[2], limit=120)


def _one(
    url: str, headers: Mapping[str, str], limits: Limits, deadline: float, *, host: str
) -> Answer:
    request = urllib.request.Request(url, headers=dict(headers))  # noqa: S310 - checked_url
    opener = _opener(limits, direct=request.type == "http")
    try:
        with opener.open(request, timeout=limits.connect) as response:
            return _read(response, limits, deadline, host)
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(error, host) from None  # its text may hold the address


def _opener(limits: Limits, *, direct: bool) -> urllib.request.OpenerDirector:
    """Return an opener for http and https that raises for no status and follows nothing.

    A server on this machine is spoken to directly: a proxy would be shown the token.
    """
    opener = urllib.request.OpenerDirector()
    opener.add_handler(urllib.request.ProxyHandler({} if direct else None))
    opener.add_handler(_Http(limits.read))
    opener.add_handler(_Https(limits.read))
    return opener


def _read(response: Any, limits: Limits, deadline: float, host: str) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    declared = headers.get("content-length", "")
    expected = int(declared) if declared.isascii() and declared.isdigit() else None
    parts: list[bytes] = []
    size = 0
    while block := response.read(_CHUNK):
        parts.append(block)
        size += len(block)
        if size > limits.max_bytes:
            raise FigmaAnswerError(
                f"the answer is larger than {limits.max_bytes:,} bytes", where=host
            )
        if time.monotonic() > deadline:
            raise TimeoutError(f"no whole answer within {limits.deadline:g} s")
    if expected is not None and size < expected:
        raise http.client.IncompleteRead(b"", expected - size)
    body = b"".join(parts)
    if headers.get("content-encoding", "").lower() == "gzip" and body:
        body = _unpacked(body, limits.max_bytes, host)
    return Answer(status=response.status, headers=headers, body=body)


def _unpacked(body: bytes, max_bytes: int, host: str) -> bytes:
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        plain = unpacker.decompress(body, max_bytes)
    except zlib.error:
        raise http.client.IncompleteRead(b"") from None
    if unpacker.unconsumed_tail:
        raise FigmaAnswerError(f"the answer is larger than {max_bytes:,} bytes", where=host)
    if not unpacker.eof:
        raise http.client.IncompleteRead(b"")
    return plain


def _unreachable(error: Exception, host: str) -> FigmaUnreachableError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, ssl.SSLCertVerificationError):
        return FigmaUnreachableError(
            f"the certificate of {host} is not trusted: {printable(reason.verify_message)}",
            where=host,
            next_step="behind a proxy that opens TLS, name its certificates in SSL_CERT_FILE",
        )
    if isinstance(reason, TimeoutError):
        words = "it did not answer in time"
    elif isinstance(reason, http.client.IncompleteRead):
        words = "the answer ended early"
    else:
        words = printable(getattr(reason, "strerror", None) or str(reason) or type(reason).__name__)
    return FigmaUnreachableError(
        f"cannot reach {host}: {words}",
        where=host,
        next_step="check the network, and HTTPS_PROXY where one is needed",
    )


class _Connection(http.client.HTTPConnection):
    """A connection with one time-out to connect and another to read."""

    read_timeout = READ_TIMEOUT

    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(self.read_timeout)


class _SecureConnection(http.client.HTTPSConnection):
    """The same over TLS."""

    read_timeout = READ_TIMEOUT

    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(self.read_timeout)


class _Http(urllib.request.HTTPHandler):
    def __init__(self, read: float) -> None:
        super().__init__()
        self._kind: Any = type("Connection", (_Connection,), {"read_timeout": read})

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._kind, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, read: float) -> None:
        super().__init__()
        self._kind: Any = type("Connection", (_SecureConnection,), {"read_timeout": read})

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._kind, req, context=ssl.create_default_context())
