"""Waiting until a page is at rest: two equal pictures in a row, or an error with what moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.geometry import Box

T = TypeVar("T")
P = TypeVar("P")

PAUSES = (0.1, 0.25, 0.5)
LAST_PAUSE = 1.0


class UnstableCaptureError(CaptureError):
    """The page never came to rest.

    ``pictures`` are the last two, RGBA; ``box`` is what differs between them in CSS px of the
    capture, None when the whole size changes; ``element`` is a selector of what is there, if known.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str,
        pictures: tuple[NDArray[np.uint8], NDArray[np.uint8]],
        box: Box | None,
        element: str | None,
    ) -> None:
        super().__init__(
            what,
            reason="unstable",
            where=where,
            expected="two equal pictures in a row",
            next_step=(
                "stop what moves (animations driven by scripts are not stopped), mask it, "
                "or wait longer with a larger timeout"
            ),
        )
        self.pictures = pictures
        self.box = box
        self.element = element


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Generic[T, P]):
    """The picture that was taken. ``accepted`` is False when the time ran out before it pleased."""

    picture: P
    shot: T
    shots: int
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled(Generic[T]):
    """The last two shots of a page that never gave two equal ones."""

    shots: int
    last: tuple[T, T]


def pauses() -> Iterator[float]:
    """Yield the seconds before the second shot, the third, ...: Playwright's own schedule."""
    yield from PAUSES
    while True:
        yield LAST_PAUSE


def settle(
    shoot: Callable[[], T],
    *,
    same: Callable[[T, T], bool],
    develop: Callable[[T], P],
    accept: Callable[[P], bool],
    timeout: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Settled[T, P] | Unsettled[T]:
    """Return the first picture that two shots in a row agree on and that *accept* takes.

    Shots are compared with *same*, and only a repeated one is developed. The waiting ends *timeout*
    seconds after the call: then a picture that repeats but was not accepted is returned as it is,
    and a page that still changes is Unsettled. There are always at least two shots.
    """
    deadline = clock() + timeout
    older: T | None = None
    newest, shots = shoot(), 1
    repeats = False
    developed: tuple[T, P] | None = None
    for pause in pauses():
        left = max(deadline - clock(), 0.0)
        if left == 0 and shots > 1:
            break
        sleep(min(pause, left))
        older, newest = newest, shoot()
        shots += 1
        repeats = same(older, newest)
        if not repeats or (developed is not None and same(developed[0], newest)):
            continue
        developed = (newest, develop(newest))
        if accept(developed[1]):
            return Settled(picture=developed[1], shot=newest, shots=shots, accepted=True)
    if repeats and developed is not None:
        return Settled(picture=developed[1], shot=developed[0], shots=shots, accepted=False)
    return Unsettled(shots=shots, last=(cast("T", older), newest))
