"""Keeping a page still while it is captured: what moves is stopped, what comes is waited for."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.frozen import milliseconds
from pytest_pixelloop.capture.network import Network
from pytest_pixelloop.capture.problems import playwright_error_types

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from pytest_pixelloop.capture.options import CaptureOptions

_LONGEST_NAME = 80
_READY_PAUSE = 0.05
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What a page is still waiting for, by kind.

    ``busy`` names elements that say ``aria-busy``; ``shifting`` is True while the layout has moved
    since the last question; ``requests`` are those that may still bring content.
    """

    fonts: bool
    images: int
    backgrounds: int = 0
    videos: int = 0
    busy: tuple[str, ...] = ()
    shifting: bool = False
    requests: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        counts = self.images + self.backgrounds + self.videos
        return self.fonts or counts > 0 or self.shifting or bool(self.busy or self.requests)

    def beyond(self, given_up: Pending) -> bool:
        """Tell whether more is awaited than what was *given_up* already."""
        return (
            (self.fonts and not given_up.fonts)
            or self.images > given_up.images
            or self.backgrounds > given_up.backgrounds
            or self.videos > given_up.videos
            or self.shifting
            or not set(self.busy) <= set(given_up.busy)
            or not set(self.requests) <= set(given_up.requests)
        )

    def warnings(self, timeout: float) -> list[str]:
        """Return a sentence for each kind of thing that did not come within *timeout* seconds."""
        said = []
        late = f"still loading after {timeout:g} s"
        if self.fonts:
            said.append(f"fonts were {late}")
        for number, noun in (
            (self.images, "image"),
            (self.backgrounds, "background image"),
            (self.videos, "video"),
        ):
            if number:
                said.append(f"{_count(number, noun)} {late}")
        if self.busy:
            names = _listed(list(self.busy))
            said.append(
                f"{_count(len(self.busy), 'element')} still aria-busy after {timeout:g} s: {names}"
            )
        if self.requests:
            names = _listed([_short_url(url) for url in self.requests])
            said.append(
                f"{_count(len(self.requests), 'request')} not answered after {timeout:g} s: {names}"
            )
        return said


class Stillness:
    """Holds all frames of a page still, as a context manager; the page goes on afterwards.

    Frames that come later are taken in by the next :meth:`freeze`, frames that go are forgotten.
    """

    def __init__(self, page: Any, options: CaptureOptions) -> None:
        self._page = page
        self._wishes = {
            "animations": options.animations == "disabled",
            "caret": options.caret == "hide",
            "eager": options.full_page,
            "clock": milliseconds(options.clock),
            "seed": options.random_seed,
        }
        self.network = Network(page)
        self._settles = options.network == "settle"
        self._shifts = 0
        self._keepers: dict[Any, Any] = {}

    def __enter__(self) -> Self:
        self.network.__enter__()
        self.freeze()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.network.__exit__(kind, error, trace)
        self._ask("keeper => keeper.restore()")
        for keeper in self._keepers.values():
            with contextlib.suppress(*playwright_error_types()):
                keeper.dispose()
        self._keepers.clear()

    def freeze(self) -> None:
        """Stop what moves by now, in every frame."""
        for frame in self._page.frames:
            if frame not in self._keepers:
                with contextlib.suppress(*playwright_error_types()):  # gone, or not HTML
                    self._keepers[frame] = frame.evaluate_handle(scripts.KEEPER, self._wishes)
        self._ask("keeper => keeper.freeze()")

    def pending(self) -> Pending:
        """Return what is still being loaded or decoded; lazy pictures are started by this."""
        answers = self._ask("keeper => keeper.pending()")
        shifts = sum(int(answer["shifts"]) for answer in answers)
        before, self._shifts = self._shifts, shifts
        return Pending(
            fonts=any(answer["fonts"] for answer in answers),
            images=sum(int(answer["images"]) for answer in answers),
            backgrounds=sum(int(answer["backgrounds"]) for answer in answers),
            videos=sum(int(answer["videos"]) for answer in answers),
            busy=tuple(str(name) for answer in answers for name in answer["busy"]),
            shifting=shifts != before,
            requests=self.network.open_requests() if self._settles else (),
        )

    def warnings(self) -> list[str]:
        """Return a sentence for each kind of thing that failed to load."""
        answers = self._ask("keeper => keeper.report()")
        images = [str(url) for answer in answers for url in answer["images"]]
        fonts = sorted({str(name) for answer in answers for name in answer["fonts"]})
        said = []
        if images:
            names = _listed([_short_url(url) for url in images])
            said.append(f"{_count(len(images), 'image')} failed to load: {names}")
        for key, noun, what in (
            ("backgrounds", "background image", "failed to load"),
            ("moving", "animated picture", "cannot be stopped, mask it"),
        ):
            urls = [str(url) for answer in answers for url in answer[key]]
            if urls:
                names = _listed([_short_url(url) for url in urls])
                said.append(f"{_count(len(urls), noun)} {what}: {names}")
        if fonts:
            count = sum(len(answer["fonts"]) for answer in answers)
            said.append(
                f"{_count(count, 'font face')} failed to load, another font is used: "
                + _listed([name.strip("\"'") for name in fonts])
            )
        return said

    def _ask(self, question: str) -> list[Any]:
        answers = []
        for frame, keeper in list(self._keepers.items()):
            try:
                answers.append(keeper.evaluate(question))
            except playwright_error_types():  # the frame went away or to another document
                del self._keepers[frame]
        return answers


def wait_until_loaded(
    stillness: Stillness,
    *,
    timeout: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Pending:
    """Wait *timeout* seconds at most for all that is to come; return what is then still missing."""
    deadline = clock() + timeout
    while (pending := stillness.pending()) and clock() < deadline:
        sleep(_READY_PAUSE)
    return pending


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _listed(names: list[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _short_url(url: str) -> str:
    """Return the last part of *url*: what a reader looks for, and no data: URL of a megabyte."""
    parts = urlsplit(url)
    name = parts.path.rsplit("/", 1)[-1] if parts.scheme != "data" else "data:"
    return (name or parts.netloc or url)[:_LONGEST_NAME]
