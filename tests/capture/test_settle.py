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
        self,
        *,
        timeout: float = 5.0,
        accept: Callable[[str], bool] = lambda _: True,
        calm: Callable[[], bool] = lambda: True,
        quiet: float = 0.0,
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
            calm=calm,
            quiet=quiet,
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
    assert page.settle() == Settled(picture="C", shot="c", shots=7, accepted=True)
    assert page.slept == [0.1, 0.25, 0.5, 0.1, 0.15, 0.25], "the last three make sure"


def test_what_comes_back_at_the_pace_of_the_pauses_is_not_at_rest() -> None:
    """Two shots that are equal because a blink took as long as the pause are not enough."""
    page = Page(())
    for start in (100.02, 100.45, 100.49, 100.93):
        page.shoot = lambda: str(int(page.now * 2) % 2)  # type: ignore[method-assign]
        page.now = start
        result = page.settle(timeout=4.0)
        taken_at_once = isinstance(result, Settled) and result.shots == 2
        assert taken_at_once or not (isinstance(result, Settled) and result.accepted)


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


def test_quiet_asks_for_a_time_without_change() -> None:
    """With ``quiet`` the picture must have stood for that long, counted from its last change."""
    page = Page(chain("aaaaaaa", repeat("b")), cost=0.1)
    result = page.settle(quiet=1.0, accept=lambda picture: picture == "B")
    assert isinstance(result, Settled)
    assert result.accepted
    page = Page(_forever("a"))
    assert page.settle(quiet=1.0).shots > 2
    assert page.now == pytest.approx(101.0)


def test_a_change_shortly_before_the_end_is_unsettled_when_quiet_is_asked_for() -> None:
    """Two equal pictures at the deadline are not quiet; the last two that differed are told."""
    page = Page(text for number in range(1000) for text in (f"a{number}", f"a{number}"))
    result = page.settle(timeout=1.0, quiet=2.0)
    assert isinstance(result, Unsettled)
    assert result.last[0] != result.last[1]


def test_a_page_that_is_not_calm_is_waited_for() -> None:
    """Two equal pictures are not taken while something is awaited; at the end they are."""
    page = Page(_forever("a"))
    assert page.settle(calm=lambda: page.now > 101.0) == Settled(
        picture="A", shot="a", shots=5, accepted=True
    )
    restless = Page(_forever("a"))
    result = restless.settle(calm=lambda: False)
    assert result == Settled(picture="A", shot="a", shots=result.shots, accepted=False)
    assert restless.now == pytest.approx(105.0)


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
    assert page.now - 100.0 <= timeout + 0.5 + 5 * cost + 1e-6
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
