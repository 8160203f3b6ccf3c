"""Waiting until a page is at rest: two equal pictures in a row, or an error with what moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
P = TypeVar("P")

PAUSES = (0.1, 0.25, 0.5)
LAST_PAUSE = 1.0
#: Between the shots that make sure of a page that has moved.
CONFIRMING = (0.1, 0.15, 0.25)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Generic[T, P]):
    """The picture that was taken. ``accepted`` is False when the time ran out before it pleased."""

    picture: P
    shot: T
    shots: int
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled(Generic[T]):
    """The last two shots that differed, of a page that never gave what was waited for."""

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
    calm: Callable[[], bool] = lambda: True,
    quiet: float = 0.0,
) -> Settled[T, P] | Unsettled[T]:
    """Return the first picture that two shots in a row agree on and that *accept* takes.

    A page that has been seen to move needs three more equal ones over half a second: what comes
    back at the pace of the pauses is not at rest. Shots are compared with *same*, and only a
    repeated one is developed, not before the page is *calm* and nothing has changed for *quiet*
    seconds. The waiting ends *timeout* + *quiet* seconds after the call, or when it is then sure of
    a picture that repeats: one that was not accepted is returned as it is, and a page that still
    changes is Unsettled. There are always at least two shots.
    """
    deadline = clock() + timeout + quiet
    older: T | None = None
    since = clock()
    newest, shots = shoot(), 1
    equal = 0
    moved: tuple[T, T] | None = None
    developed: tuple[T, P] | None = None
    for regular in pauses():
        left = max(deadline - clock(), 0.0)
        confirming = moved is not None and 1 <= equal <= len(CONFIRMING)
        if left == 0 and shots > 1 and not confirming:
            break
        pause = min(_capped(regular, quiet, since - clock()), left)
        sleep(CONFIRMING[equal - 1] if confirming else pause)
        taken = clock()
        older, newest = newest, shoot()
        shots += 1
        equal = equal + 1 if same(older, newest) else 0
        if not equal:
            since, moved = taken, (older, newest)
        if not equal or (developed is not None and same(developed[0], newest)):
            continue
        if (
            (moved is not None and equal <= len(CONFIRMING))
            or clock() - since < quiet
            or not calm()
        ):
            continue
        developed = (newest, develop(newest))
        if accept(developed[1]):
            return Settled(picture=developed[1], shot=newest, shots=shots, accepted=True)
    if moved is not None and (not equal or clock() - since < quiet):
        return Unsettled(shots=shots, last=moved)
    if developed is None or not same(developed[0], newest):
        developed = (newest, develop(newest))
    return Settled(picture=developed[1], shot=developed[0], shots=shots, accepted=False)


def _capped(pause: float, quiet: float, gone: float) -> float:
    """Return a pause that ends when nothing has changed for long enough, where that is asked."""
    return min(pause, max(quiet + gone, PAUSES[0])) if quiet else pause
