"""Viewport and device scale factor of an existing Chromium page, changed and put back.

A Playwright context fixes its device scale factor for life, and a page may be deep in a test, so
it cannot be opened again elsewhere. Chromium's protocol can change both in place, with four
things to know (Chromium 156, each held by a test):

- The override belongs to one protocol session. A screenshot taken through another session, such as
  Playwright's own, applies that session's metrics instead. So pictures are taken through ours.
- Ending our override switches the emulation off altogether, Playwright's too; a screenshot by
  Playwright applies its metrics again.
- A picture beyond the viewport ends touch emulation; Playwright turns it on again after its own
  such pictures only.
- Text that was shaped before keeps the old factor's rounded font metrics (up to 1 CSS px off)
  until the document looks its fonts up again.
"""

from __future__ import annotations

import base64
import contextlib
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.problems import playwright_error_types
from pytest_pixelloop.capture.view import View, read_view

if TYPE_CHECKING:
    from types import TracebackType

    from pytest_pixelloop.capture.area import Area

_CLEAR = {"r": 0, "g": 0, "b": 0, "a": 0}


class ChromiumCamera:
    """Takes pictures of a page with another viewport and scale, as a context manager."""

    def __init__(
        self,
        page: Any,
        *,
        view: View,
        size: tuple[int, int],
        scale: float,
        warnings: list[str],
        mobile: bool | None = None,
        transparent: bool = False,
    ) -> None:
        self._page = page
        self._before = view
        self._size = size
        self._scale = scale
        self._warnings = warnings
        self._mobile = view.mobile if mobile is None else mobile
        self._transparent = transparent
        self._session: Any = None

    def __enter__(self) -> Self:
        self._session = self._page.context.new_cdp_session(self._page)
        try:
            metrics = self._metrics(mobile=self._mobile)
            self._session.send("Emulation.setDeviceMetricsOverride", metrics)
            if self._transparent:
                self._session.send("Emulation.setDefaultBackgroundColorOverride", {"color": _CLEAR})
            refresh_fonts(self._page)
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()

    def shoot(self, area: Area) -> bytes:
        """Return the PNG of *area*."""
        box = area.css
        inside = read_view(self._page).contains(box)
        answer = self._session.send(
            "Page.captureScreenshot",
            {
                "format": "png",
                "clip": {"x": box.x, "y": box.y, "width": box.w, "height": box.h, "scale": 1},
                "captureBeyondViewport": not inside,
                "optimizeForSpeed": True,
            },
        )
        if self._before.touch and not inside:
            self._emulate_touch(enabled=True)
        return base64.b64decode(answer["data"])

    def _emulate_touch(self, *, enabled: bool) -> None:
        self._session.send("Emulation.setTouchEmulationEnabled", {"enabled": enabled})

    def _metrics(self, *, mobile: bool) -> dict[str, Any]:
        width, height = self._size
        metrics: dict[str, Any] = {
            "width": width,
            "height": height,
            "deviceScaleFactor": self._scale,
            "mobile": mobile,
            "screenWidth": width,
            "screenHeight": height,
            "screenOrientation": {"angle": 0, "type": "landscapePrimary"},
        }
        if mobile:
            landscape = width > height
            metrics["screenOrientation"] = {
                "angle": 90 if landscape else 0,
                "type": "landscapePrimary" if landscape else "portraitPrimary",
            }
        return metrics

    def _restore(self) -> None:
        """Give the page back its own viewport; a page that is gone needs nothing."""
        with contextlib.suppress(*playwright_error_types()):
            if self._transparent:
                self._session.send("Emulation.setDefaultBackgroundColorOverride", {})
            if self._before.touch:
                self._restore_touch()
            self._session.detach()  # ends the override
            self._apply_playwrights()
            refresh_fonts(self._page)
            if not self._is_restored():
                self._resize()
            if not self._is_restored():
                self._warnings.append("the page's own viewport could not be put back")

    def _restore_touch(self) -> None:
        """Make Playwright turn its touch emulation on: take a picture it takes for a large one."""
        self._emulate_touch(enabled=False)
        own = self._page.viewport_size
        if own is None:  # nothing of Playwright's to be put back
            return
        larger = {"width": own["width"] + 1, "height": own["height"] + 1}
        self._session.send(
            "Emulation.setDeviceMetricsOverride",
            {**self._metrics(mobile=self._before.mobile), **larger},
        )
        self._apply_playwrights()

    def _apply_playwrights(self) -> None:
        """Take a picture of one px through Playwright, which applies its own metrics."""
        if self._page.viewport_size is None or self._page.evaluate(scripts.FONTS_LOADING):
            return  # it would wait for the fonts, and these may never come
        self._page.screenshot(
            clip={"x": 0, "y": 0, "width": 1, "height": 1},
            # Asked for the full page, Playwright would wait for a body.
            full_page=bool(self._page.evaluate(scripts.HAS_BODY)),
            animations="allow",
            caret="initial",
        )

    def _is_restored(self) -> bool:
        return read_view(self._page).same_viewport(self._before)

    def _resize(self) -> None:
        """Make Playwright send its metrics again; it does so only for a size that is new to it."""
        own = self._page.viewport_size
        if own is None:
            return
        self._page.set_viewport_size({"width": own["width"] + 1, "height": own["height"]})
        self._page.set_viewport_size(own)


def refresh_fonts(page: Any) -> None:
    """Make every frame of *page* look its fonts up again, at the scale that now holds."""
    for frame in page.frames:
        with contextlib.suppress(*playwright_error_types()):  # detached meanwhile
            frame.evaluate(scripts.REFRESH_FONTS)
