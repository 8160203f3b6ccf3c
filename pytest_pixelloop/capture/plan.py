"""What one capture of a page is to be, with every default decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.capture.options import CaptureOptions
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.viewports import ThemeHook

Blank = Literal["wait", "refuse", "accept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One capture: ``frame`` and viewport ``size`` in CSS px, ``scale`` in device px a CSS px.

    ``sized`` tells that somebody said the size: then an element's page has it too. ``touch`` and
    ``mobile`` None leave the page as it is; ``hook`` switches the ``theme`` on. ``axe``
    tells that axe-core is to look at the page, where it is installed. ``texts`` are where the
    design has text, in CSS px of the frame.
    """

    frame: tuple[float, float]
    size: tuple[int, int]
    scale: float
    options: CaptureOptions
    viewport: str | None
    theme: str | None
    blank: Blank
    accept: Callable[[NDArray[np.uint8]], bool] | None
    sized: bool = False
    touch: bool | None = None
    mobile: bool | None = None
    hook: ThemeHook | None = None
    axe: bool = False
    texts: tuple[Box, ...] = ()
