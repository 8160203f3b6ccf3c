"""One question to a served application: does it answer, and with what status."""

from __future__ import annotations

import re
import socket
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_pixelloop.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

#: From here on an answer says that the application, not the question, is wrong.
BROKEN = 500
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})")
_HEAD = 4096
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: a ``status``, or in words why there is none."""

    status: int | None = None
    problem: str = ""

    @property
    def good(self) -> bool:
        """Whether the application works: any status below 500, a login page's 401 too."""
        return self.status is not None and self.status < BROKEN

    @property
    def words(self) -> str:
        """What is wrong, to complete "the application ..."."""
        return f"answers with status {self.status}" if self.status is not None else self.problem


def address_of(url: str) -> tuple[str, int]:
    """Return host and port of an HTTP URL."""
    parts = urlsplit(url)
    return str(parts.hostname), parts.port or _PORTS[parts.scheme]


def check_url(url: str, *, where: str) -> str:
    """Return *url*; ConfigurationError where it is no http or https address of an application."""
    shown = url.replace("{port}", "8000")
    try:
        parts = urlsplit(shown)
        good = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or any(c.isspace() or not c.isprintable() for c in url):
        raise ConfigurationError(
            f"{url[:200]!r} is not the address of an application",
            where=where,
            expected="http://HOST:PORT/, for example http://127.0.0.1:8000/, "
            "or http://127.0.0.1:{port}/ for a free port",
        )
    return url


def is_taken(url: str, *, timeout: float = 2.0) -> bool:
    """Tell whether anything accepts connections at the address of *url*."""
    try:
        socket.create_connection(address_of(url), timeout=timeout).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    """Return a port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(url: str, *, timeout: float, clock: Callable[[], float] = time.monotonic) -> Answer:
    """Return what a GET of *url* is answered with, in at most *timeout* seconds in all.

    Only the status line is read. A certificate is not checked: nothing that comes back is trusted.
    """
    deadline = clock() + timeout
    try:
        with socket.create_connection(address_of(url), timeout=timeout) as plain:
            plain.settimeout(max(deadline - clock(), 0.01))
            stream = _wrapped(plain, url)
            stream.sendall(_question(url))
            head = b""
            while b"\n" not in head and len(head) < _HEAD:
                left = deadline - clock()
                if left <= 0:
                    return Answer(problem=f"does not answer within {timeout:g} s")
                stream.settimeout(left)
                chunk = stream.recv(_HEAD)
                if not chunk:
                    break
                head += chunk
    except TimeoutError:
        return Answer(problem=f"does not answer within {timeout:g} s")
    except OSError as error:
        return Answer(problem=f"cannot be reached: {error.strerror or error}")
    found = _STATUS.match(head)
    if found is None:
        return Answer(problem="answers with something that is not HTTP")
    return Answer(status=int(found.group(1)))


def _wrapped(plain: socket.socket, url: str) -> socket.socket:
    if urlsplit(url).scheme != "https":
        return plain
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(plain, server_hostname=urlsplit(url).hostname)


def _question(url: str) -> bytes:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = parts.netloc.rpartition("@")[2]
    lines = (
        f"GET {target} HTTP/1.1",
        f"Host: {host}",
        "User-Agent: pixelloop-readiness",
        "Accept: */*",
        "Connection: close",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")
