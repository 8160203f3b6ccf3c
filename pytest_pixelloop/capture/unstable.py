"""What keeps a page from coming to rest: the box, the element, and the class of the cause."""

from __future__ import annotations

import contextlib
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.problems import playwright_error_types
from pytest_pixelloop.capture.shot import changed_box, develop
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.capture.options import CaptureOptions
    from pytest_pixelloop.capture.shot import Shot
    from pytest_pixelloop.core.geometry import Box


#: Milliseconds between the two looks at what is there.
_BETWEEN = 120


class Cause(StrEnum):
    """The classes of what moves."""

    CSS_ANIMATION = "CSS animation"
    SCRIPT_ANIMATION = "script animation"
    CANVAS = "script animation on a canvas"
    VIDEO = "video"
    PICTURE = "animated picture"
    CARET = "caret"
    NETWORK = "network"
    LAYOUT = "layout"
    FRAME = "frame of another origin"


_WAYS_OUT = {
    Cause.CSS_ANIMATION: 'stop it: animations="disabled" does',
    Cause.SCRIPT_ANIMATION: (
        "stop it in the page, mask it, or freeze the page's clock (freeze_page, or clock=... of a "
        "URL)"
    ),
    Cause.CANVAS: "stop it in the page, mask it, or freeze the page's clock",
    Cause.VIDEO: 'mask it; animations="disabled" pauses what a browser can pause',
    Cause.PICTURE: "mask it, or serve it from the page's own origin, where it can be stopped",
    Cause.CARET: 'hide it: caret="hide" does',
    Cause.NETWORK: "wait in the test for what is loaded, or mask it",
    Cause.LAYOUT: "wait in the test until the layout has settled, or set sizes for what comes late",
    Cause.FRAME: "mask the frame",
}


class UnstableCaptureError(CaptureError):
    """The page never came to rest.

    ``pictures`` are the last two, RGBA; ``box`` is what differs between them in CSS px of the
    capture, None when the whole size changes; ``element`` is a selector of what is there, if known;
    ``cause`` is the class of what moves.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str,
        pictures: tuple[NDArray[np.uint8], NDArray[np.uint8]],
        box: Box | None,
        element: str | None,
        cause: Cause,
    ) -> None:
        super().__init__(
            what,
            reason="unstable",
            where=where,
            expected="two equal pictures in a row",
            next_step=f"{_WAYS_OUT[cause]}; or wait longer with a larger timeout",
        )
        self.pictures = pictures
        self.box = box
        self.element = element
        self.cause = cause

    def as_record(self) -> dict[str, Any]:
        """Return box, element and cause as plain JSON."""
        return {
            "cause": str(self.cause),
            "selector": self.element,
            "box": self.box.as_list() if self.box else None,
        }


def unstable_error(
    page: Any,
    older: Shot,
    newest: Shot,
    *,
    where: str,
    options: CaptureOptions,
    loading: bool,
) -> UnstableCaptureError:
    """Return the error that names what moved between two shots.

    *loading* tells that requests came or went meanwhile.
    """
    box = changed_box(older, newest)
    element, cause = None, Cause.LAYOUT
    if box is not None:
        element, cause = _mover(page, box.shifted(newest.area.css.x, newest.area.css.y))
        if cause is Cause.CARET and options.caret == "hide":
            cause = Cause.SCRIPT_ANIMATION
    if loading and cause in {Cause.LAYOUT, Cause.SCRIPT_ANIMATION}:
        cause = Cause.NETWORK
    return UnstableCaptureError(
        _words(older, newest, box, element, cause, options.timeout),
        where=where,
        pictures=(develop(older), develop(newest)),
        box=box,
        element=element,
        cause=cause,
    )


def _mover(page: Any, box: Box) -> tuple[str | None, Cause]:
    """Return selector and cause of what moves inside *box*, in CSS px of the page."""
    with contextlib.suppress(*playwright_error_types()):
        movers = page.evaluate_handle(scripts.MOVER, [box.x, box.y, box.w, box.h])
        page.wait_for_timeout(_BETWEEN)
        found = movers.evaluate("movers => movers.name()")
        movers.dispose()
        if found is not None:
            return str(found["selector"]), Cause(found["cause"])
    return None, Cause.SCRIPT_ANIMATION


def _words(
    older: Shot, newest: Shot, box: Box | None, element: str | None, cause: Cause, timeout: float
) -> str:
    if box is None:
        sizes = [f"{s.area.css.w:g}x{s.area.css.h:g}" for s in (older, newest)]
        return (
            f"the page still changes its size after {timeout:g} s: {sizes[0]}, then {sizes[1]}; "
            f"cause: {cause}"
        )
    x, y, w, h = box.as_list()
    place = f" in {element}" if element else ""
    return (
        f"the page still moves after {timeout:g} s: {w:g}x{h:g} px at ({x:g}, {y:g}){place}; "
        f"cause: {cause}"
    )
