"""What one iteration of one test loads, captures and compares."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.plugin.channels import NOTHING_ASKED, Asked
from pytest_pixelloop.plugin.limits import Limits
from pytest_pixelloop.plugin.marker import check_gate, read_tolerance

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.errors import UndeterminedError
    from pytest_pixelloop.core.excusing import Excuses
    from pytest_pixelloop.core.verdict import ComparisonReport, Verdict
    from pytest_pixelloop.plugin.channels import ChannelsOfTest
    from pytest_pixelloop.plugin.goalposts import Goalposts
    from pytest_pixelloop.plugin.marker import Marked
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.snapshots import Snapshots
    from pytest_pixelloop.plugin.targets import Targets


class Measuring:
    """Everything recorded between the start and the end of one run of a test.

    ``folder`` gives the iteration's folder, asked for when there is something to write. ``browser``
    gives a running browser for a URL. ``targets`` knows what is captured for a target. All of its
    *captures* but the first tell its noise.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        marked: Marked,
        goalposts: Goalposts,
        folder: Callable[[], Path],
        browser: Callable[[], Any],
        targets: Targets,
        channels: ChannelsOfTest,
        snapshots: Snapshots,
        captures: int = 1,
    ) -> None:
        self._settings = settings
        self._marked = marked
        self._limits = Limits(settings, marked)
        self._goalposts = goalposts
        self._folder = folder
        self._browser = browser
        self._targets = targets
        self._captures = captures
        self._repeats: dict[Capture, tuple[Capture, ...]] = {}
        self._channels = channels
        self._designs: list[Design] = []
        self._labels: set[str] = set()
        self._judged: Excuses | None = None
        self._masked: dict[Capture, list[str]] = {}
        self.snapshots = snapshots
        self.reports: list[ComparisonReport] = []
        self.touched = False

    def baseline(self, name: str | None, *, viewport: str | None, theme: str | None) -> Design:
        """Return the one design that *name* plans for the viewport and theme."""
        from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

        self.touched = True
        planned = self._plan(name, viewport=viewport, theme=theme)
        if len(planned) != 1:
            raise ConfigurationError(
                f"{name or self._marked.name!r} plans {len(planned)} comparisons: "
                + ", ".join(p.label for p in planned),
                expected="one",
                next_step="choose a viewport or theme, or compare all by assert_matches_design",
            )
        try:
            return self._load(planned[0])
        except Exception as error:
            self._note_failure(planned[0].label, error)
            raise

    def capture(
        self,
        target: Any,
        *,
        baseline: Design | None,
        viewport: str | None,
        theme: str | None,
        options: Mapping[str, Any],
    ) -> Capture:
        """Return what *target* shows, in the size and scale of *baseline*.

        Without one, the design that this test loaded last for that viewport and theme serves.
        """
        self.touched = True
        design = baseline or self._loaded(viewport=viewport, theme=theme)
        try:
            planned = (
                ()
                if target is not None
                else self._plan(design.name, viewport=design.viewport, theme=design.theme)
            )
            target = self._targets.resolve(target, planned, [design])
            return self._capture(target, design, options)
        except Exception as error:
            self._note_failure(design.label, error, design=design)
            raise

    def verdict(
        self,
        baseline: Design,
        capture: Capture,
        *,
        gate: str | None,
        tolerance: str | Mapping[str, Any] | None,
        asked: Asked = NOTHING_ASKED,
    ) -> Verdict:
        """Return the verdict of *capture* against *baseline*, recorded in the run directory."""
        self.touched = True
        given = read_tolerance(tolerance, where="tolerance of visual_verdict")
        gate = check_gate(gate, where="gate of visual_verdict")
        report = self._check(
            self._own_label(baseline), capture, gate=gate, given=given, asked=asked
        )
        return self._verdict([report])

    def compare(
        self,
        target: Any,
        name: str | None,
        *,
        gate: str | None,
        tolerance: str | Mapping[str, Any] | None,
        viewport: str | None,
        theme: str | None,
        options: Mapping[str, Any],
        asked: Asked = NOTHING_ASKED,
    ) -> Verdict:
        """Return the verdict of *target* over every comparison that *name* plans.

        A comparison whose design cannot be read or whose page cannot be captured is undetermined
        and hides none of the others.
        """
        from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415

        self.touched = True
        where = "assert_matches_design"
        given = read_tolerance(tolerance, where=f"tolerance of {where}")
        gate = check_gate(gate, where=f"gate of {where}")
        reports: list[ComparisonReport] = []
        plan = self._plan(name, viewport=viewport, theme=theme)
        sides = [self._side(planned) for planned in plan]
        target = self._targets.resolve(
            target, plan, [side for side in sides if not isinstance(side, Exception)]
        )
        for planned, side in zip(plan, sides, strict=True):
            design = None if isinstance(side, Exception) else side
            try:
                if isinstance(side, Exception):
                    raise side
                capture = self._capture(target, side, options)
                report = self._check(side, capture, gate=gate, given=given, asked=asked)
            except UndeterminedError as error:
                report = self._undetermined(
                    design.label if design else planned.label,
                    error,
                    design=design,
                    gate=gate,
                    given=given,
                )
            reports.append(report)
        return self._verdict(reports)

    def compare_snapshot(
        self,
        target: Any,
        snapshot: str | bool,  # noqa: FBT001 - what the user wrote
        *,
        tolerance: str | Mapping[str, Any] | None,
        limits: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> Verdict:
        """Return the verdict of *target* against a recorded picture.

        *limits* are ``threshold``, ``max_diff_pixels`` and ``max_diff_pixel_ratio`` as given in the
        call, None where not. The page keeps its viewport, at one device px a CSS px.
        """
        from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415
        from pytest_pixelloop.plugin.snapshots import browser_of, capture_as_it_is  # noqa: PLC0415

        self.touched = True
        where = "assert_matches_design"
        given = dict(read_tolerance(tolerance, where=f"tolerance of {where}"))
        given |= read_tolerance({k: v for k, v in limits.items() if v is not None}, where=where)
        name = self.snapshots.name(snapshot)
        resolved = self._limits.tolerance(None, given, gate="snapshot")
        try:
            capture = capture_as_it_is(target, options, browser=self._browser)
            self._masked[capture] = [_words(mask) for mask in options.get("mask", ())]
            report = self.snapshots.compare(
                name,
                capture,
                label=self._own_label,
                tolerance=resolved,
                folder=self._folder(),
                browser=browser_of(target),
                excuses=self._excuses(),
            )
        except UndeterminedError as error:
            told = self._undetermined(self.snapshots.label(name), error, gate="snapshot")
            report = self.snapshots.described(told, name, browser_of(target))
            self.reports[-1] = report
            return self._verdict([report])
        self._goalposts.judged(
            report.label,
            gate=report.gate,
            tolerance=report.tolerance,
            mask=[*self._masked.get(capture, []), str(report.design.get("sha256"))],
        )
        self.reports.append(report)
        return self._verdict([report])

    def _plan(self, name: str | None, *, viewport: str | None, theme: str | None) -> Any:
        from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415
        from pytest_pixelloop.sources.folder import plan_comparisons  # noqa: PLC0415

        name = name or self._marked.name
        if name is None:
            raise ConfigurationError(
                "no design is named",
                expected='a name of the manifest: assert_matches_design(page, "checkout")',
                next_step='give the name in the call or in @pytest.mark.design("checkout")',
            )
        return plan_comparisons(
            self._settings.designs,
            name,
            viewport=viewport or self._marked.viewport,
            theme=theme or self._marked.theme,
        )

    def _side(self, planned: Any) -> Design | UndeterminedError:
        """Return the design side of a comparison, or why there is none."""
        from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415

        try:
            return self._own_label(self._load(planned))
        except UndeterminedError as error:
            return error

    def _load(self, planned: Any) -> Design:
        from pytest_pixelloop.sources.folder import load_design  # noqa: PLC0415

        design = load_design(planned)
        self._designs.append(design)
        return design

    def _loaded(self, *, viewport: str | None, theme: str | None) -> Design:
        from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

        for design in reversed(self._designs):
            if viewport in {None, design.viewport} and theme in {None, design.theme}:
                return design
        seen = ", ".join(d.label for d in self._designs) or "none"
        raise ConfigurationError(
            "render_capture needs a design, whose size and scale the capture follows",
            where=f"viewport {viewport!r}, theme {theme!r}; designs loaded by this test: {seen}",
            next_step="call figma_baseline(...) first, or pass baseline=...",
        )

    def _capture(self, target: Any, design: Design, options: Mapping[str, Any]) -> Capture:
        from pytest_pixelloop.capture.screenshot import (  # noqa: PLC0415
            CaptureOptions,
            capture_target,
        )
        from pytest_pixelloop.core.blank import is_one_colour  # noqa: PLC0415

        given = {key: value for key, value in options.items() if value is not None}
        given["mask"] = (*design.mask, *given.get("mask", ()))

        def take(target: Any) -> Capture:
            return capture_target(
                target,
                frame=design.frame,
                scale=design.scale,
                options=CaptureOptions(**given),
                browser=self._browser,
                viewport=design.viewport,
                theme=design.theme,
                viewport_size=design.viewport_size,
                blank="accept" if is_one_colour(design.image) else "wait",
                axe=self._channels.of(design, NOTHING_ASKED).wants_axe,
            )

        first, *repeats = [self._targets.captured(target, take) for _ in range(self._captures)]
        self._masked[first] = [_words(mask) for mask in given["mask"]]
        self._repeats[first] = tuple(repeats)
        return first

    def _check(
        self,
        design: Design,
        capture: Capture,
        *,
        gate: str | None,
        given: Mapping[str, float],
        asked: Asked,
    ) -> ComparisonReport:
        from pytest_pixelloop.checker import check  # noqa: PLC0415

        chosen = self._limits.gate(design, gate)
        channels = self._channels.of(design, asked)
        tolerance = self._limits.tolerance(design, given, gate=chosen)
        report = check(
            design,
            capture,
            gate=chosen,
            tolerance=tolerance,
            folder=self._folder(),
            repeats=self._repeats.get(capture, ()),
            channels=channels,
            excuses=self._excuses(),
        )
        self._goalposts.judged(
            report.label,
            gate=report.gate,
            tolerance=report.tolerance,
            mask=self._masked.get(capture, []),
            channels=channels.as_record(),
        )
        self.reports.append(report)
        return report

    def _excuses(self) -> Excuses:
        """Return the project's judgements as they are now: a changed file is a moved goalpost."""
        if self._judged is None:
            from pytest_pixelloop.sources.judgements import read_excuses  # noqa: PLC0415

            self._judged = read_excuses(self._settings.designs)
        return self._judged

    def _undetermined(
        self,
        label: str,
        error: UndeterminedError,
        *,
        design: Design | None = None,
        gate: str | None = None,
        given: Mapping[str, float] | None = None,
    ) -> ComparisonReport:
        from pytest_pixelloop.checker import undetermined_report  # noqa: PLC0415

        report = undetermined_report(
            label,
            gate=self._limits.gate(design, gate) or "design",
            error=error,
            design=design,
            tolerance=self._limits.tolerance(design, given or {}) if design else None,
            folder=self._folder(),
        )
        self.reports.append(report)
        return report

    def _note_failure(self, label: str, error: Exception, *, design: Design | None = None) -> None:
        """Record what the test will raise, so that the ledger has it as a comparison."""
        from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415

        if isinstance(error, UndeterminedError):
            self._undetermined(label, error, design=design)

    def _own_label(self, design: Design) -> Design:
        """Return *design* under a label that no comparison of this iteration has yet.

        A test may check one design twice; two reports of one name would overwrite each other.
        """
        label, number = design.label, 1
        while label in self._labels:
            number += 1
            label = f"{design.label}__{number}"
        self._labels.add(label)
        return design if label == design.label else dataclasses.replace(design, label=label)

    def _verdict(self, reports: list[ComparisonReport]) -> Verdict:
        from pytest_pixelloop.core.verdict import Verdict  # noqa: PLC0415

        return Verdict(reports=tuple(reports), run_path=self._settings.relative(self._folder()))


def _words(mask: Any) -> str:
    """Return a mask in words that stay: a locator's own text holds the address of the page."""
    return str(mask) if isinstance(mask, str | tuple | list) else type(mask).__name__
