"""How a capture is taken, in Playwright's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.levels import RegionWish

MASK_COLOR = "#ff00ff"
"""What covers a mask in the pictures of a report: Playwright's pink."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureOptions:
    """What a user may ask of a capture; the defaults make the same page give the same bytes.

    full_page: a Page or URL is captured from its top to its end, not only the viewport.
    animations: ``disabled`` finishes finite animations and rewinds infinite ones to their start.
    caret: ``hide`` takes the text caret away.
    hover: ``leave`` moves the mouse off the page, so that no hover of an earlier step shows.
    network: ``settle`` waits for the requests under way; ``ignore`` leaves a page alone that polls.
    quiet: seconds for which nothing may have changed before the picture is taken, for what comes
        late by a timer; 0 is two equal pictures in a row.
    clock: a moment (ISO 8601, or seconds since 1970) at which the page's clock stands still.
    random_seed: makes ``Math.random`` give the same numbers each time.
    timeout: seconds to wait for pictures, fonts and requests, and then again for a page at rest.
    navigation_timeout: seconds to wait for a URL's load event.
    mask: what both sides ignore: a Box or (x, y, w, h) in CSS px of the frame, the same as a text
        ``x,y,w,h``, a CSS selector, or a Locator.
    browser_args: switches for a browser that this capture starts by itself.
    reduced_motion: ``reduce`` for a URL's own page; None leaves it as browsers have it.
    clip: only this part is taken, in CSS px from where the picture would begin.
    mask_color: what covers the masks in the pictures of a report, a CSS colour.
    omit_background: a page without a background of its own is transparent, not white.
    style, style_path: CSS that holds on the page while it is captured, and files of it.
    hide, remove: CSS selectors of what is invisible meanwhile, or takes no room.
    scroll_through: every screen of the page is shown once, so that lazy content comes.
    regions: what a matching level is for, found on the page as masks are.
    """

    full_page: bool = True
    animations: Literal["disabled", "allow"] = "disabled"
    caret: Literal["hide", "initial"] = "hide"
    hover: Literal["leave", "keep"] = "leave"
    network: Literal["settle", "ignore"] = "settle"
    quiet: float = 0.0
    clock: str | float | None = None
    random_seed: int | None = None
    timeout: float = 5.0
    navigation_timeout: float = 30.0
    mask: tuple[Any, ...] = ()
    browser_args: tuple[str, ...] = ()
    reduced_motion: Literal["reduce", "no-preference"] | None = None
    clip: Box | None = None
    mask_color: str = MASK_COLOR
    omit_background: bool = False
    style: tuple[str, ...] = ()
    style_path: tuple[Path | str, ...] = ()
    hide: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    scroll_through: bool = False
    regions: tuple[RegionWish, ...] = ()


DEFAULT_OPTIONS = CaptureOptions()
