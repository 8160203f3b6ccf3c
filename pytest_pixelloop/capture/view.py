"""What a page's viewport is: asked of the page itself, in one evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.core.geometry import Box

_CLOSE = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A page's viewport in CSS px, its device scale factor, its scroll offset and its screen.

    ``mobile`` is Playwright's emulation of a phone, told by the screen's orientation: a page that
    is not emulated as one always sees a landscape screen.
    """

    width: int
    height: int
    scale: float
    scroll: tuple[float, float]
    screen: tuple[int, int]
    orientation: str
    angle: int
    touch: bool

    @property
    def mobile(self) -> bool:
        """Whether the page is emulated as a mobile one."""
        return self.orientation.startswith("portrait") or self.angle != 0

    def contains(self, box: Box) -> bool:
        """Tell whether *box*, in CSS px of the page, lies inside the viewport."""
        x, y = self.scroll
        return Box(x, y, self.width, self.height).contains(box, slack=0.5 / self.scale)

    def shows(self, size: tuple[int, int], scale: float) -> bool:
        """Tell whether the viewport already is *size* at *scale*."""
        return (self.width, self.height) == size and same_scale(self.scale, scale)

    def same_viewport(self, other: View) -> bool:
        """Tell whether everything but the scroll offset is as in *other*."""
        return (
            (self.width, self.height, self.screen, self.touch)
            == (other.width, other.height, other.screen, other.touch)
        ) and same_scale(self.scale, other.scale)


def same_scale(one: float, other: float) -> bool:
    """Tell whether two device scale factors are one: browsers store them as 32-bit floats."""
    return abs(one - other) < _CLOSE


def read_view(page: Any) -> View:
    """Return the viewport as the page sees it."""
    seen = page.evaluate(scripts.VIEW)
    return View(
        width=round(seen["width"]),
        height=round(seen["height"]),
        scale=float(seen["scale"]),
        scroll=(float(seen["scrollX"]), float(seen["scrollY"])),
        screen=(round(seen["screenWidth"]), round(seen["screenHeight"])),
        orientation=str(seen["orientation"]),
        angle=int(seen["angle"]),
        touch=bool(seen["touch"]),
    )


def viewport_for(frame: tuple[float, float]) -> tuple[int, int]:
    """Return the viewport that holds a *frame*: rounded up, but not by float dust.

    Figma writes 1440.0000610351562 for 1440; one px more could cross a page's breakpoint.
    """
    return max(math.ceil(frame[0] - 0.01), 1), max(math.ceil(frame[1] - 0.01), 1)
