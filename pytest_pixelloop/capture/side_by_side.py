"""Several things done on several pages of one browser at a time, with Playwright's synchronous API.

The API blocks its caller, and there is one thread. But it runs event handlers on their own stacks,
and a handler may call it: while one waits for its page, the others go on. So each piece of work is
started as the handler of an event that a helper page makes, and all of them wait together.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

MOST = 4
"""Pages at a time: each is a renderer process with its own memory."""
_MAKE_EVENT = "() => console.log('')"
_PAUSE = 10.0


def at_once() -> int:
    """Return how many pages this machine is asked to render at a time."""
    return max(2, min(MOST, os.cpu_count() or 1))


def side_by_side(browser: Any, work: Sequence[Callable[[], T]]) -> tuple[T | Exception, ...]:
    """Return what each piece of *work* returned or raised, in order, having run them together.

    What is no plain error (a keyboard interrupt, the time limit of a test) is raised once all of
    it has come to an end.
    """
    if len(work) == 1:
        return (_attempt(work[0]),)
    done: dict[int, T | BaseException] = {}
    context = browser.new_context()
    try:
        helper = context.new_page()
        waiting = list(enumerate(work))
        started = 0
        while len(done) < len(work):
            while waiting and started - len(done) < at_once():
                _start(helper, *waiting.pop(0), done)
                started += 1
            helper.wait_for_timeout(_PAUSE)
    finally:
        context.close()
    for outcome in done.values():
        if isinstance(outcome, BaseException) and not isinstance(outcome, Exception):
            raise outcome
    return tuple(_plain(done[index]) for index in range(len(work)))


def _start(
    helper: Any, index: int, work: Callable[[], T], done: dict[int, T | BaseException]
) -> None:
    def run(_: Any) -> None:
        try:
            done[index] = work()
        except BaseException as error:  # noqa: BLE001 - nothing may end the browser's event loop
            done[index] = error

    helper.once("console", run)
    helper.evaluate(_MAKE_EVENT)


def _attempt(work: Callable[[], T]) -> T | Exception:
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - given back to whoever asked
        return error


def _plain(outcome: T | BaseException) -> T | Exception:
    assert not isinstance(outcome, BaseException) or isinstance(outcome, Exception)
    return outcome
