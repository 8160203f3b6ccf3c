"""The capture of a page that is open, or of an element on it."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.accessibility import snapshot_accessibility
from pytest_pixelloop.capture.axe import run_axe
from pytest_pixelloop.capture.camera import Camera, open_camera, speaks_protocol
from pytest_pixelloop.capture.chromium import ChromiumCamera
from pytest_pixelloop.capture.dom import snapshot_dom
from pytest_pixelloop.capture.environment import describe_environment
from pytest_pixelloop.capture.frozen import live_on
from pytest_pixelloop.capture.masks import element_boxes, find_regions, given_boxes
from pytest_pixelloop.capture.measure import (
    clipped_area,
    element_area,
    locator_name,
    page_area,
)
from pytest_pixelloop.capture.navigation import refuse_error_page, shown_url
from pytest_pixelloop.capture.page_log import PageLog
from pytest_pixelloop.capture.page_styles import PageStyles
from pytest_pixelloop.capture.problems import is_timeout, playwright_error_types
from pytest_pixelloop.capture.scrolling import scroll_through, scrolled
from pytest_pixelloop.capture.settle import Settled, settle
from pytest_pixelloop.capture.shot import Shot, develop, same_shots, take_shot
from pytest_pixelloop.capture.shown_texts import find_shown_texts, hidden_words
from pytest_pixelloop.capture.stillness import Pending, Stillness, wait_until_loaded
from pytest_pixelloop.capture.theme_switch import themed
from pytest_pixelloop.capture.touch_rules import lost_touch_warning
from pytest_pixelloop.capture.unstable import unstable_error
from pytest_pixelloop.capture.view import read_view
from pytest_pixelloop.core.blank import is_one_colour
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.core.shown_texts import LEAST
from pytest_pixelloop.store.images import MAX_PIXELS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.capture.area import Area
    from pytest_pixelloop.capture.plan import Plan
    from pytest_pixelloop.capture.stopwatch import Stopwatch
    from pytest_pixelloop.core.axe import AxeReport
    from pytest_pixelloop.core.dom import DomSnapshot
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.levels import Region
    from pytest_pixelloop.core.shown_texts import ShownTexts

_SHORTEST_PATIENCE = 10.0


class PageCapture:
    """Takes one capture of one page; the page is as before afterwards."""

    def __init__(
        self,
        page: Any,
        plan: Plan,
        *,
        watch: Stopwatch,
        clock: Callable[[], float],
        locator: Any = None,
        log: PageLog | None = None,
    ) -> None:
        self._page = page
        self._plan = plan
        self._locator = locator
        self._log = log
        self._watch = watch
        self._clock = clock
        self._warnings: list[str] = []
        self._styles: PageStyles | None = None
        self._boxes, self._searched = given_boxes(plan.options.mask)

    def take(self) -> Capture:
        """Return the capture. Raises CaptureError when it could not be trusted."""
        page, plan = self._page, self._plan
        with ExitStack() as stack, self._watch.phase("settle"):
            self._wait_for_answer()
            refuse_error_page(page)
            camera = self._dress(stack)
            if plan.options.hover == "leave":
                page.mouse.move(-1, -1)
            stack.enter_context(scrolled(page, to_top=self._from_top))
            live_on(page, plan.options.clock)
            if plan.options.scroll_through:
                self._warnings += scroll_through(page, sleep=self._sleep)
            stillness = stack.enter_context(Stillness(page, plan.options))
            missing = wait_until_loaded(
                stillness, timeout=plan.options.timeout, clock=self._clock, sleep=self._sleep
            )
            self._warnings += missing.warnings(plan.options.timeout)
            if missing.fonts and speaks_protocol(page):
                # Playwright's screenshot would wait for the fonts until it fails.
                camera = stack.enter_context(self._patient_camera())
            settled = self._settle(camera, stillness, missing)
            with self._watch.phase("dom"):
                dom = self._dom(settled.shot.area)
            with self._watch.phase("accessibility"):
                accessibility = snapshot_accessibility(
                    page, locator=self._locator, origin=self._origin(settled.shot.area)
                )
            axe = self._axe(settled.shot.area)
            with self._watch.phase("texts"):
                texts = self._texts(camera, settled)
            regions = self._regions(settled.shot.area)
            self._warnings += lost_touch_warning(page, settled.shot.area)
            self._warnings += stillness.warnings()
            if self._styles is not None:
                self._warnings += self._styles.warnings()
            log = self._log or PageLog.remembered(page)
            self._warnings += log.warnings()
            environment = describe_environment(page, read_view(page)) | log.as_record()
        return Capture(
            image=settled.picture,
            scale=plan.scale,
            source=self.source,
            viewport=plan.viewport,
            theme=plan.theme,
            masks=settled.shot.masks,
            environment=environment,
            warnings=tuple(dict.fromkeys(self._warnings)),
            durations=self._watch.durations,
            dom=dom,
            regions=regions,
            mask_color=plan.options.mask_color,
            accessibility=accessibility,
            events=log.events(),
            axe=axe,
            shown_texts=texts,
        )

    def _dress(self, stack: ExitStack) -> Camera:
        """Show the page in its theme, viewport and styles until *stack* ends; give the camera."""
        page, plan = self._page, self._plan
        stack.enter_context(
            themed(
                page,
                plan.theme,
                plan.hook,
                opened=self._log is not None,
                warnings=self._warnings,
            )
        )
        camera = stack.enter_context(
            open_camera(
                page,
                size=plan.size if self._locator is None or plan.sized else None,
                scale=plan.scale,
                warnings=self._warnings,
                touch=plan.touch,
                mobile=plan.mobile,
                transparent=plan.options.omit_background,
            )
        )
        self._styles = stack.enter_context(PageStyles(page, plan.options))
        return camera

    def _dom(self, area: Area) -> DomSnapshot:
        """Return the elements of the page, in CSS px of the picture."""
        if self._locator is None:
            return snapshot_dom(self._page).shifted(-area.css.x, -area.css.y)
        clip = self._plan.options.clip
        snapshot = snapshot_dom(self._locator)
        return snapshot if clip is None else snapshot.shifted(-clip.x, -clip.y)

    def _texts(
        self, camera: Camera, settled: Settled[Shot, NDArray[np.uint8]]
    ) -> ShownTexts | None:
        """Return by what the design's texts are shown; the page's words are taken away once."""
        area, boxes = settled.shot.area, self._plan.texts
        texts = find_shown_texts(self._page, boxes, origin=self._origin(area))
        if texts is None or len(texts.looked) < LEAST:
            return texts
        bare = None
        # The picture that counts is taken already: this one may fail.
        with suppress(CaptureError, *playwright_error_types()), hidden_words(self._page):
            bare = develop(take_shot(camera, area, settled.shot.masks))
        return (
            texts
            if bare is None
            else texts.without_words(settled.picture, bare, boxes, scale=self._plan.scale)
        )

    def _regions(self, area: Area) -> tuple[Region, ...]:
        scroll = read_view(self._page).scroll
        wishes = self._plan.options.regions
        regions, warnings = find_regions(self._page, wishes, scroll=scroll, origin=area.css)
        self._warnings += warnings
        return regions

    @property
    def source(self) -> str:
        """The page's URL, and the element where there is one."""
        url = shown_url(str(self._page.url))
        return url if self._locator is None else f"{locator_name(self._locator)} on {url}"

    @property
    def _from_top(self) -> bool:
        return self._locator is None and self._plan.options.full_page

    def _axe(self, area: Area) -> AxeReport | None:
        if not self._plan.axe:
            return None
        with self._watch.phase("axe"):
            return run_axe(self._page, locator=self._locator, origin=self._origin(area))

    def _origin(self, area: Area) -> tuple[float, float]:
        """Return where the picture's corner lies in the viewport, in CSS px."""
        scroll = read_view(self._page).scroll
        return area.css.x - scroll[0], area.css.y - scroll[1]

    def _sleep(self, seconds: float) -> None:
        # Not time.sleep: Playwright handles the page's events and the user's routes meanwhile.
        self._page.wait_for_timeout(seconds * 1000)

    def _wait_for_answer(self) -> None:
        """Refuse a page whose script never ends: a question to it would never be answered."""
        patience = max(self._plan.options.timeout, _SHORTEST_PATIENCE)
        try:
            self._page.wait_for_function("() => true", timeout=patience * 1000, polling=100)
        except playwright_error_types() as error:
            if not is_timeout(error):
                raise
            raise CaptureError(
                f"the page did not answer within {patience:g} s",
                reason="capture-failed",
                where=self.source,
                expected="a page whose scripts come to an end",
                next_step="look for an endless loop in the page's scripts",
            ) from error
        try:
            self._page.wait_for_load_state("load", timeout=self._plan.options.timeout * 1000)
        except playwright_error_types() as error:
            if not is_timeout(error):
                raise
            self._warnings.append("the page was still loading when it was captured")

    def _patient_camera(self) -> ChromiumCamera:
        view = read_view(self._page)
        return ChromiumCamera(
            self._page,
            view=view,
            size=(view.width, view.height),
            scale=self._plan.scale,
            warnings=self._warnings,
            transparent=self._plan.options.omit_background,
        )

    def _settle(
        self, camera: Camera, stillness: Stillness, given_up: Pending
    ) -> Settled[Shot, NDArray[np.uint8]]:
        plan = self._plan
        heard, loading = 0, False

        def shoot() -> Shot:
            nonlocal heard, loading
            loading, heard = stillness.network.events != heard, stillness.network.events
            if self._styles is not None:
                self._styles.adopt()
            stillness.freeze()
            area = self._area()
            masks = self._masks(area)
            with self._watch.phase("shoot"):
                return take_shot(camera, area, masks)

        def develop_timed(shot: Shot) -> NDArray[np.uint8]:
            with self._watch.phase("decode"):
                return develop(shot)

        result = settle(
            shoot,
            same=same_shots,
            develop=develop_timed,
            accept=self._pleases,
            timeout=plan.options.timeout,
            clock=self._clock,
            sleep=self._sleep,
            calm=lambda: not stillness.pending().beyond(given_up),
            quiet=plan.options.quiet,
        )
        if not isinstance(result, Settled):
            raise unstable_error(
                self._page,
                *result.last,
                where=self.source,
                options=plan.options,
                loading=loading,
            )
        if not result.accepted and plan.blank != "accept" and is_one_colour(result.picture):
            self._say_blank(result.picture)
        return result

    def _pleases(self, picture: NDArray[np.uint8]) -> bool:
        plan = self._plan
        if plan.blank != "accept" and is_one_colour(picture):
            return False
        return plan.accept is None or plan.accept(picture)

    def _say_blank(self, picture: NDArray[np.uint8]) -> None:
        height, width = picture.shape[:2]
        what = f"all {width}x{height} px had one colour for {self._plan.options.timeout:g} s"
        if self._plan.blank == "wait":
            self._warnings.append(what)
            return
        raise CaptureError(
            f"the capture is blank: {what}",
            reason="blank-capture",
            where=self.source,
            expected="a page that shows something",
            next_step="look at the page's errors, or wait for its content before the capture",
        )

    def _area(self) -> Area:
        if self._locator is None:
            area = page_area(self._page, self._plan)
        else:
            area = element_area(self._page, self._locator, self._plan, self._warnings)
        if self._plan.options.clip is not None:
            area = clipped_area(area, self._plan.options.clip, where=self.source)
        if area.width * area.height > MAX_PIXELS:
            raise CaptureError(
                f"the capture would be {area.width}x{area.height} px",
                reason="capture-failed",
                where=self.source,
                expected=f"at most {MAX_PIXELS} px",
                next_step="capture an element, or full_page=False, or a design of a smaller scale",
            )
        return area

    def _masks(self, area: Area) -> tuple[Box, ...]:
        if not self._searched:
            return self._boxes
        found = list(self._boxes)
        scroll = read_view(self._page).scroll
        origin = area.css
        for mask in self._searched:
            boxes = element_boxes(self._page, mask, scroll=scroll)
            if not boxes:
                self._warnings.append(f"the mask {mask!s} matches nothing that can be seen")
            found += [box.shifted(-origin.x, -origin.y) for box in boxes]
        return tuple(found)
