"""Keeping a page still while it is captured: animations, caret, hover, fonts and pictures."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from pytest_pixelloop.capture import scripts
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
    """What a page is still waiting for: whether fonts, and how many pictures."""

    fonts: bool
    images: int

    def __bool__(self) -> bool:
        return self.fonts or self.images > 0

    def warnings(self, timeout: float) -> list[str]:
        """Return a sentence for each kind of thing that did not come within *timeout* seconds."""
        said = []
        if self.fonts:
            said.append(f"fonts were still loading after {timeout:g} s")
        if self.images:
            said.append(f"{_count(self.images, 'image')} still loading after {timeout:g} s")
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
        }
        self._keepers: dict[Any, Any] = {}

    def __enter__(self) -> Self:
        self.freeze()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        return Pending(
            fonts=any(answer["fonts"] for answer in answers),
            images=sum(int(answer["images"]) for answer in answers),
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
    """Wait *timeout* seconds at most for fonts and pictures; return what is then still missing."""
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
