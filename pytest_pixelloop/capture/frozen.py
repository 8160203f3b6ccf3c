"""A page whose clock stands still and whose random numbers are the same each time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.core.errors import ConfigurationError

#: How long a frozen page lives, in its own milliseconds, before it is captured: every timer and
#: every animation frame of that time runs at once, and always alike.
LIFETIME = 5_000
_EARLIER = 600.0


def milliseconds(clock: str | float | None) -> float | None:
    """Return a moment as milliseconds since 1970: ISO 8601, UTC where no zone is told, or seconds.

    Raises ConfigurationError for a text that is no moment.
    """
    if clock is None:
        return None
    if isinstance(clock, int | float):
        return float(clock) * 1000
    try:
        moment = datetime.fromisoformat(clock)
    except ValueError:
        raise ConfigurationError(
            f"cannot read {clock!r} as a moment",
            expected="ISO 8601, for example 2026-03-01T09:30:00, or seconds since 1970",
        ) from None
    if moment.tzinfo is None:
        moment = datetime.fromisoformat(f"{moment.isoformat()}+00:00")
    return moment.timestamp() * 1000


def freeze_page(
    page: Any, *, clock: str | float | None = None, random_seed: int | None = None
) -> None:
    """Stop the clock of what *page* opens from now on at *clock*, and seed ``Math.random``.

    To be called before ``page.goto``. Timers and animation frames then run only while the page is
    captured: five seconds of them, at once, so that what moves by script stands where it stood
    the last time. The page stays frozen.
    """
    moment = milliseconds(clock)
    if moment is not None:
        # An installed clock runs, and a clock can only be stopped at a moment that is to come.
        page.clock.install(time=moment / 1000 - _EARLIER)
        page.clock.pause_at(moment / 1000)
        # Playwright's clock keeps the real milliseconds that a page took to open, and counts its
        # frames from there.
        page.add_init_script(f"({scripts.FROM_ZERO})({moment!r})")
    if random_seed is not None:
        page.add_init_script(f"({scripts.SEED})({int(random_seed)})")


def live_on(page: Any, clock: str | float | None) -> None:
    """Let the five seconds of a page that :func:`freeze_page` has stopped at *clock* pass, once."""
    moment = milliseconds(clock)
    if moment is not None and page.evaluate(scripts.STANDS_AT, moment):
        page.clock.run_for(LIFETIME)
