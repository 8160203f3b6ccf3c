"""Refusals of the API in words: which of its answers mean what, and what to do about them."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma.errors import (
    FigmaAnswerError,
    FigmaError,
    FigmaNotFoundError,
    FigmaRateLimitedError,
    FigmaRefusedError,
    FigmaTokenError,
    FigmaTooLargeError,
    FigmaUnavailableError,
)
from pytest_pixelloop.sources.figma.retry import waiting_words
from pytest_pixelloop.store.picture_kinds import kind_of

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_pixelloop.sources.figma.transport import Answer

_TOO_LARGE = re.compile(r"too large|render timeout|timed? ?out|fewer or smaller", re.IGNORECASE)
_TOKEN = re.compile(r"invalid token|token.{0,20}expired|expired token", re.IGNORECASE)
_SEATS = {
    "low": "a View or Collab seat, or a file of a Starter team: 6 Tier 1 requests a month",
    "high": "a Dev or Full seat",
}
_REQUEST_ID = "x-figma-rest-api-request-id"


def told_problem(answer: Answer) -> str:
    """Return what an error answer says of itself, in one line: both JSON shapes, or HTML."""
    try:
        value: Any = json.loads(answer.body)
    except (ValueError, RecursionError):
        return _no_json(answer.body)
    if isinstance(value, dict):
        for key in ("err", "message", "reason"):
            if isinstance(value.get(key), str) and value[key].strip():
                return printable(value[key].strip())
    return "no reason given"


def refusal(answer: Answer, *, where: str, scope: str) -> FigmaError:
    """Return the error for an *answer* whose status is none of 200 and 429."""
    told = told_problem(answer)
    request = answer.headers.get(_REQUEST_ID)
    place = where + (f" (request id {printable(request, limit=80)})" if request else "")
    status = answer.status
    if status in (400, 413, 500) and (status == 413 or _TOO_LARGE.search(told)):
        return FigmaTooLargeError(f"too much at once: {status}: {told}", where=place)
    if status == 401 or (status == 403 and _TOKEN.search(told)):
        return FigmaTokenError(
            f"Figma refuses the token: {status}: {told}",
            where=place,
            expected="a token that is valid and not expired",
            next_step="make a new personal access token in Figma and export it as FIGMA_TOKEN",
        )
    if status == 403:
        return FigmaRefusedError(
            f"Figma refuses this request: {status}: {told}",
            where=place,
            expected=f"a token with the scope {scope}, of an account that can open the file",
            next_step=f"make a token with {scope}, or have the file shared with its account",
        )
    if status == 404:
        return FigmaNotFoundError(
            f"Figma has no such file for this token: {status}: {told}",
            where=place,
            expected="a file key (of a branch: the branch's) that the token's account can open",
            next_step='copy the link again with "Copy link to selection"',
        )
    if status >= 500 or status in (408, 425):
        return FigmaUnavailableError(
            f"Figma has a problem: {status}: {told}", where=place, next_step="try again later"
        )
    return FigmaAnswerError(f"Figma refuses the request: {status}: {told}", where=place)


def rate_limited(
    answer: Answer, *, where: str, wait: float | None, max_wait: float, now: datetime
) -> FigmaRateLimitedError:
    """Return the error for a 429 that asks for more than *max_wait* seconds."""
    tier = _header(answer, "x-figma-plan-tier")
    kind = _header(answer, "x-figma-rate-limit-type")
    link = _figma_address(answer.headers.get("x-figma-upgrade-link"))
    seat = f" ({_SEATS[kind]})" if kind in _SEATS else ""
    if wait is None:
        asked, until = "it does not say how long to wait", ""
    else:
        days = f" = {wait / 86_400:.1f} days" if wait < 2 * 86_400 else ""
        asked = f"wait {waiting_words(wait)}{days} (Retry-After {wait:.0f} s)"
        until = f"pull again after {now + timedelta(seconds=wait):%Y-%m-%d %H:%M} UTC"
    step = [until or "pull again later"]
    if link:
        step.append(f"or raise the limit: {link}")
    step.append("the plan is that of the file, so a paid seat does not help for a Starter file")
    return FigmaRateLimitedError(
        f"Figma's rate limit is reached: {asked}",
        retry_after=wait,
        plan_tier=tier,
        limit_type=kind,
        upgrade_link=link,
        where=f"{where}; plan tier: {tier or 'not said'}; limit type: {kind or 'not said'}{seat}",
        expected=f"a wait of at most {max_wait:g} s (--figma-max-wait)",
        next_step="; ".join(step),
    )


def _header(answer: Answer, name: str) -> str | None:
    value = answer.headers.get(name)
    return printable(value.strip(), limit=40) if value and value.strip() else None


def _figma_address(text: str | None) -> str | None:
    """Return an address of figma.com without its query, None for any other."""
    parts = urlsplit((text or "").strip())
    host = parts.hostname or ""
    if parts.scheme != "https" or not (host == "figma.com" or host.endswith(".figma.com")):
        return None
    return printable(f"https://{host}{parts.path}", limit=120)


def _no_json(body: bytes) -> str:
    """Return what a body is that is no JSON; of HTML the title, which is often the reason."""
    title = re.search(rb"<title[^>]*>(.{1,200}?)</title>", body[:65_536], re.IGNORECASE | re.DOTALL)
    if title:
        text = " ".join(title.group(1).decode("utf-8", "replace").split())
        return f'HTML, not JSON, with the title "{printable(text, limit=100)}" (a proxy?)'
    return f"{kind_of(body[:4096])}, not JSON" if body.strip() else "an empty answer"
