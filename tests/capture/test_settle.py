"""Waiting for a page at rest: a poll with a deadline, by an injected clock."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.capture.settle import Settled, Unsettled, settle
from pytest_pixelloop.capture.stopwatch import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Page:
    """Shows one text after the other; every shot takes *cost* seconds of a clock of its own."""

    def __init__(self, shots: Iterable[str], *, cost: float = 0.0) -> None:
        self._shots = iter(shots)
        self._cost = cost
        self.now = 100.0
        self.slept: list[float] = []
        self.developed: list[str] = []

    def shoot(self) -> str:
        """Take the next text."""
        self.now += self._cost
        return next(self._shots)

    def sleep(self, seconds: float) -> None:
        """Let the clock go on."""
        self.slept.append(seconds)
        self.now += seconds

    def develop(self, shot: str) -> str:
        """Mark the text as developed."""
        self.developed.append(shot)
        return shot.upper()

    def settle(
        self, *, timeout: float = 5.0, accept: Callable[[str], bool] = lambda _: True
    ) -> Settled[str, str] | Unsettled[str]:
        """Wait for this page."""
        return settle(
            self.shoot,
            same=lambda one, other: one == other,
            develop=self.develop,
            accept=accept,
            timeout=timeout,
            clock=lambda: self.now,
            sleep=self.sleep,
        )


def _forever(*texts: str) -> Iterable[str]:
    return chain(texts, repeat(texts[-1]))


def _moving() -> Iterable[str]:
    return (str(number) for number in range(10_000))


def test_a_page_at_rest_needs_two_shots() -> None:
    """A page at rest is taken after two shots, and developed once."""
    page = Page(_forever("a"))
    assert page.settle() == Settled(picture="A", shot="a", shots=2, accepted=True)
    assert page.slept == [0.1]
    assert page.developed == ["a"]


def test_late_content_is_waited_for() -> None:
    """The picture is the first that repeats, not the first one."""
    page = Page(_forever("a", "b", "c"))
    assert page.settle() == Settled(picture="C", shot="c", shots=4, accepted=True)


def test_pauses_grow_as_playwrights() -> None:
    """The pauses are 0.1, 0.25, 0.5, then 1 s, cut at the deadline."""
    page = Page(_moving())
    page.settle(timeout=3.0)
    assert page.slept == pytest.approx([0.1, 0.25, 0.5, 1.0, 1.0, 0.15])


def test_a_moving_page_is_unsettled_with_its_last_two_shots() -> None:
    """A page that never repeats is never taken; the last two shots tell what moves."""
    page = Page(_moving())
    result = page.settle(timeout=2.0)
    assert isinstance(result, Unsettled)
    assert (int(result.last[1]) - int(result.last[0])) == 1
    assert int(result.last[1]) == result.shots - 1
    assert page.developed == []


def test_two_pictures_that_alternate_are_unsettled() -> None:
    """A page that comes back to an earlier picture still moves."""
    page = Page(text for _ in range(1000) for text in "ab")
    assert isinstance(page.settle(), Unsettled)


def test_a_refused_picture_is_waited_past() -> None:
    """A picture that repeats but is not accepted is waited past until one is."""
    page = Page(chain(["blank"] * 4, repeat("content")))
    result = page.settle(accept=lambda picture: picture != "BLANK")
    assert isinstance(result, Settled)
    assert (result.picture, result.accepted) == ("CONTENT", True)
    assert page.developed == ["blank", "content"], "asked once for each picture"


def test_a_picture_that_is_never_accepted_is_returned_as_such() -> None:
    """When the time runs out on a page at rest, its picture is returned, marked as not accepted."""
    page = Page(_forever("a"))
    result = page.settle(accept=lambda _: False)
    assert isinstance(result, Settled)
    assert (result.picture, result.accepted) == ("A", False)
    assert page.now == pytest.approx(105.0)
    assert page.developed == ["a"]


def test_a_page_that_moves_again_at_the_end_is_unsettled() -> None:
    """A stale picture is not returned for a page that moves when the time is over."""
    page = Page(chain("aa", _moving()))
    assert isinstance(page.settle(accept=lambda _: False), Unsettled)


def test_there_are_two_shots_even_without_time() -> None:
    """One shot is never enough, also with no time and with shots slower than the deadline."""
    assert Page(_forever("a")).settle(timeout=0.0).shots == 2
    assert Page(_forever("a"), cost=60.0).settle().shots == 2
    assert isinstance(Page(_moving(), cost=60.0).settle(), Unsettled)


@given(
    texts=st.lists(st.sampled_from("ab"), min_size=1, max_size=30),
    timeout=st.floats(0, 20),
    cost=st.floats(0, 3),
)
def test_waiting_is_bounded_and_a_picture_was_always_repeated(
    texts: list[str], timeout: float, cost: float
) -> None:
    """Whatever a page does, waiting ends in time, and what is taken was seen twice in a row."""
    seen: list[str] = []
    page = Page(seen_as(seen, _forever(*texts)), cost=cost)
    result = page.settle(timeout=timeout)
    assert page.now - 100.0 <= timeout + 2 * cost + 1e-6
    assert result.shots == len(seen)
    assert isinstance(result, Settled) == (seen[-1] == seen[-2])


def seen_as(seen: list[str], texts: Iterable[str]) -> Iterable[str]:
    """Yield *texts*, keeping what was yielded in *seen*."""
    for text in texts:
        seen.append(text)
        yield text


def test_stopwatch_counts_an_inner_phase_once() -> None:
    """Phases that lie inside each other add up to the whole time."""
    now = 0.0

    def clock() -> float:
        return now

    watch = Stopwatch(clock)
    with watch.phase("settle"):
        now += 1.0
        with watch.phase("shoot"):
            now += 2.0
            with watch.phase("decode"):
                now += 4.0
        with watch.phase("shoot"):
            now += 8.0
        now += 16.0
    assert watch.durations == {"decode": 4.0, "shoot": 10.0, "settle": 17.0}
