"""The four requests that a pull makes, asked again where that can help.

Waiting is capped: a 429 that asks for days is an error with all its figures, never a sleep.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma.answers import rate_limited, refusal
from pytest_pixelloop.sources.figma.errors import (
    FigmaAnswerError,
    FigmaError,
    FigmaNotFoundError,
    FigmaPictureError,
    FigmaTooLargeError,
    FigmaUnavailableError,
    FigmaUnreachableError,
)
from pytest_pixelloop.sources.figma.retry import (
    PASSING,
    TRIES,
    backoff,
    retry_after,
    waiting_words,
)
from pytest_pixelloop.sources.figma.transport import Answer, Limits, checked_url, get
from pytest_pixelloop.sources.figma_json import parse_json
from pytest_pixelloop.sources.node_ids import canonical_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_pixelloop.sources.figma.token import Token

API = "https://api.figma.com"
API_VARIABLE = "PIXELLOOP_FIGMA_API"
DEFAULT_MAX_WAIT = 60.0
_CONTENT, _METADATA = "file_content:read", "file_metadata:read"
_MAX_JSON, _MAX_PICTURE = 256_000_000, 256_000_000
_UNSAID_WAIT = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """How a file is now: its version and when it was touched, None where Figma does not say."""

    name: str | None
    version: str | None
    touched_at: str | None

    @property
    def mark(self) -> str | None:
        """What is different when the file is: its version, else when it was touched."""
        return self.version or self.touched_at


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodesAnswer:
    """Nodes by canonical id, None for an id that is not in the file, and the file's own words."""

    entries: Mapping[str, Mapping[str, Any] | None]
    name: str | None
    version: str | None
    last_modified: str | None


class FigmaClient:
    """Figma's REST API for one token.

    ``base`` is the only host that is ever shown the token. ``sleep``, ``jitter`` (0 to 1) and
    ``now`` are injected; ``say`` takes a line when there is a wait. ``tier1`` counts the requests
    that are counted per month for some seats.
    """

    def __init__(
        self,
        token: Token,
        *,
        sleep: Callable[[float], None],
        jitter: Callable[[], float],
        base: str = API,
        max_wait: float = DEFAULT_MAX_WAIT,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        say: Callable[[str], None] = lambda _line: None,
        limits: Limits | None = None,
    ) -> None:
        checked_url(base)
        self._token = token
        self._base = base.rstrip("/")
        self._max_wait = max_wait
        self._sleep = sleep
        self._jitter = jitter
        self._now = now
        self._say = say
        self._limits = limits or Limits(max_bytes=_MAX_JSON)
        self.tier1 = 0

    def __repr__(self) -> str:
        return f"FigmaClient({self._base})"

    def state(self, key: str) -> FileState:
        """Return how the file is now; this is no Tier 1 request."""
        value = self._json(f"/v1/files/{quote(key)}/meta", {}, scope=_METADATA, tier1=False)
        inner = value.get("file")
        told = inner if isinstance(inner, dict) else value
        return FileState(
            name=_text(told.get("name")),
            version=_text(told.get("version")),
            touched_at=_text(told.get("last_touched_at")) or _text(told.get("lastModified")),
        )

    def nodes(self, key: str, ids: Sequence[str]) -> NodesAnswer:
        """Return the nodes *ids* with everything below them, in one request."""
        path = f"/v1/files/{quote(key)}/nodes"
        value = self._json(path, {"ids": ",".join(ids)}, scope=_CONTENT)
        raw = value.get("nodes")
        if not isinstance(raw, dict):
            raise FigmaAnswerError("the answer holds no nodes", where=f"GET {path}")
        entries = {canonical_id(str(k)): v if _holds_node(v) else None for k, v in raw.items()}
        return NodesAnswer(
            entries={node: entries.get(node) for node in ids},
            name=_text(value.get("name")),
            version=_text(value.get("version")),
            last_modified=_text(value.get("lastModified")),
        )

    def images(
        self,
        key: str,
        ids: Sequence[str],
        *,
        scale: float,
        version: str | None = None,
        absolute_bounds: bool = True,
    ) -> dict[str, str | None]:
        """Return where the pictures of *ids* lie, None for one that was not rendered.

        The pictures are those of *version*; where Figma cannot render it, those of now.
        """
        query = {"ids": ",".join(ids), "format": "png", "scale": f"{scale:g}"}
        if absolute_bounds:
            query["use_absolute_bounds"] = "true"
        path = f"/v1/images/{quote(key)}"
        try:
            pinned = query if version is None else {**query, "version": version}
            value = self._json(path, pinned, scope=_CONTENT)
        except (FigmaNotFoundError, FigmaAnswerError):
            if version is None:
                raise
            value = self._json(path, query, scope=_CONTENT)
        raw = value.get("images")
        if not isinstance(raw, dict):
            told = printable(str(value.get("err") or "no reason given"))
            raise FigmaUnavailableError(f"nothing was rendered: {told}", where=f"GET {path}")
        found = {canonical_id(str(k)): v for k, v in raw.items()}
        return {node: _text(found.get(node)) for node in ids}

    def picture(self, url: str) -> bytes:
        """Return the bytes behind a signed address. The token is not sent there."""
        limits = Limits(
            max_bytes=_MAX_PICTURE,
            connect=self._limits.connect,
            read=self._limits.read,
            deadline=self._limits.deadline,
        )
        answer = self._persistent(lambda: get(url, limits=limits), "the picture's address")
        if answer.status >= 500:
            raise FigmaUnavailableError(
                f"the picture's address answered {answer.status}", next_step="pull again later"
            )
        if answer.status != 200:
            raise FigmaPictureError(
                f"the picture's address answered {answer.status}: it expired, or is wrong",
                next_step="pull again",
            )
        return answer.body

    def hidden(self, text: str) -> str:
        """Return *text* without the token."""
        return self._token.hidden(text)

    def holds_token(self, data: bytes) -> bool:
        """Tell whether *data* must not be written."""
        return self._token.is_in(data)

    def pause(self, seconds: float) -> None:
        """Wait before something is asked for once more."""
        self._sleep(seconds)

    def _json(
        self, path: str, query: Mapping[str, str], *, scope: str, tier1: bool = True
    ) -> dict[str, Any]:
        url = f"{self._base}{path}" + (f"?{urlencode(query)}" if query else "")
        where = f"GET {path}"

        def ask() -> Answer:
            self.tier1 += tier1
            return get(url, limits=self._limits, secret=self._token.headers(), gzip=True)

        answer = self._persistent(ask, where)
        if answer.status != 200:
            raise self._cleaned(refusal(answer, where=where, scope=scope))
        try:
            value = parse_json(answer.body, name=where)
        except DesignUnreadableError as error:
            raise self._cleaned(_no_answer(error.what, where)) from None
        if not isinstance(value, dict):
            raise _no_answer("it is JSON, but no object", where)
        return value

    def _persistent(self, ask: Callable[[], Answer], where: str) -> Answer:
        """Return the first answer that asking again cannot better."""
        for attempt in range(TRIES):
            last = attempt == TRIES - 1
            try:
                answer = ask()
            except FigmaUnreachableError as error:
                if last or "certificate" in error.what:
                    raise self._cleaned(error) from None
                self._wait(backoff(attempt, jitter=self._jitter()), error.what)
                continue
            if answer.status == 429:
                self._wait_for_limit(answer, where, last=last)
                continue
            if last or answer.status not in PASSING or self._is_too_large(answer, where):
                return answer
            wait = backoff(attempt, jitter=self._jitter())
            self._wait(wait, f"Figma answered {answer.status}")
        raise AssertionError(where)  # pragma: no cover - the last attempt returns or raises

    def _is_too_large(self, answer: Answer, where: str) -> bool:
        return isinstance(refusal(answer, where=where, scope=_CONTENT), FigmaTooLargeError)

    def _wait_for_limit(self, answer: Answer, where: str, *, last: bool) -> None:
        now = self._now()
        wait = retry_after(answer.headers.get("retry-after"), now=now)
        asked = _UNSAID_WAIT if wait is None else wait
        if last or asked > self._max_wait:
            raise self._cleaned(
                rate_limited(answer, where=where, wait=wait, max_wait=self._max_wait, now=now)
            )
        self._wait(asked, "Figma's rate limit is reached")

    def _wait(self, seconds: float, why: str) -> None:
        self._say(self.hidden(f"{why}: waiting {waiting_words(seconds)}"))
        self._sleep(seconds)

    def _cleaned(self, error: FigmaError) -> FigmaError:
        """Return *error* with the token struck out of every text that Figma may have echoed."""
        for name in ("what", "where", "expected", "next_step"):
            setattr(error, name, self.hidden(getattr(error, name)))
        error.args = (error.what,)
        return error


def _no_answer(what: str, where: str) -> FigmaAnswerError:
    return FigmaAnswerError(
        f"this is no answer of Figma's API: {what.replace('the node file', 'it')}",
        where=where,
        expected="JSON",
        next_step="check whether a proxy answers in Figma's place",
    )


def _holds_node(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("document"), dict)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
