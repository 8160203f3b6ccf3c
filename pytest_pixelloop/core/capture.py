"""A capture as a value: the picture and what is known about how it was taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.accessibility import AccessibilitySnapshot
    from pytest_pixelloop.core.axe import AxeReport
    from pytest_pixelloop.core.dom import DomSnapshot
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.levels import Region
    from pytest_pixelloop.core.page_events import PageEvents
    from pytest_pixelloop.core.shown_texts import ShownTexts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Capture:
    """What was rendered.

    ``image`` is RGBA, uint8, shape (height, width, 4), in device px. ``scale`` is device px per
    CSS px. ``source`` says where it came from in one line (a URL, a locator, a file name).
    ``masks`` are boxes in CSS px of the frame that the comparison must ignore on both sides.
    ``environment`` is plain JSON (browser, version, operating system, ...); ``warnings`` are
    sentences for the user; ``durations`` are seconds by phase. ``dom`` is the page's elements at
    the same instant, ``accessibility`` its roles, names and states, ``events`` what it complained
    about until then; None when there was no page. ``regions`` are where a matching level holds;
    ``mask_color`` covers the masks in a report's pictures. ``axe`` is what axe-core says of the
    page, None when it was not asked for. ``shown_texts`` tells by what the design's texts are
    shown, None where nobody looked.
    """

    image: NDArray[np.uint8]
    scale: float
    source: str
    viewport: str | None = None
    theme: str | None = None
    masks: tuple[Box, ...] = ()
    environment: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    durations: Mapping[str, float] = field(default_factory=dict)
    dom: DomSnapshot | None = None
    regions: tuple[Region, ...] = ()
    mask_color: str = "#ff00ff"
    accessibility: AccessibilitySnapshot | None = None
    events: PageEvents | None = None
    axe: AxeReport | None = None
    shown_texts: ShownTexts | None = None

    @property
    def pixel_size(self) -> tuple[int, int]:
        """Width and height of the picture in device px."""
        return int(self.image.shape[1]), int(self.image.shape[0])
