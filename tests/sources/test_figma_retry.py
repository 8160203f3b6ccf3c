"""When Figma is asked again: every form of Retry-After, and waits that grow."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pytest_pixelloop.sources.figma.retry import backoff, retry_after, waiting_words

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HEADERS = {
    "12": 12.0,
    " 12 ": 12.0,
    "0": 0.0,
    "1.5": 1.5,
    "396749": 396749.0,
    "Fri, 02 Jan 2026 03:04:35 GMT": 30.0,
    "Fri, 02 Jan 2026 03:00:00 GMT": 0.0,
    str(int(NOW.timestamp()) + 30): 30.0,
    str(int(NOW.timestamp()) - 30): 0.0,
    "": None,
    "soon": None,
    "-5": None,
    "nan": None,
    "inf": None,
    "Fri, 32 Jan 2026 03:04:35 GMT": None,
}


@pytest.mark.parametrize("text", HEADERS)
def test_retry_after_in_every_form(text: str) -> None:
    """Seconds, an HTTP date, seconds since 1970; nonsense is as good as nothing."""
    assert retry_after(text, now=NOW) == HEADERS[text]
    assert retry_after(None, now=NOW) is None


def test_waits_double_and_differ() -> None:
    """1, 2, 4 seconds, and up to a quarter more so that clients do not march in step."""
    assert [backoff(n, jitter=0.0) for n in range(3)] == [1.0, 2.0, 4.0]
    assert backoff(1, jitter=1.0) == 2.5


def test_waits_are_said_in_words() -> None:
    """Seconds, minutes, hours, days."""
    words = [waiting_words(s) for s in (7, 600, 9000, 396749)]
    assert words == ["7 s", "10 minutes", "2.5 hours", "4.6 days"]
