"""What one iteration of one test loads, captures and compares."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import CaptureError, UndeterminedError
from pytest_pixelloop.plugin.channels import NOTHING_ASKED, asked_of
from pytest_pixelloop.plugin.keywords import AssertOptions, RenderOptions, VerdictOptions, Which
from pytest_pixelloop.plugin.limits import Limits
from pytest_pixelloop.plugin.planning import (
    as_wishes,
    conditions_of_page,
    plan,
    shooting_of,
)
from pytest_pixelloop.plugin.plans import Plans
from pytest_pixelloop.plugin.probing import probed
from pytest_pixelloop.plugin.wishes import Wishes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.capture.design_capture import Shooting, Shot
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.excusing import Excuses
    from pytest_pixelloop.core.verdict import ComparisonReport, Verdict
    from pytest_pixelloop.plugin.channels import Asked, ChannelsOfTest
    from pytest_pixelloop.plugin.goalposts import Goalposts
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.snapshots import Snapshots
    from pytest_pixelloop.plugin.targets import Targets
    from pytest_pixelloop.sources.folder import PlannedComparison
    from pytest_pixelloop.store.report_files import Place


class Measuring:
    """Everything recorded between the start and the end of one run of a test.

    ``folder`` gives the iteration's folder, asked for when there is something to write. ``browser``
    gives a running browser for a URL. ``targets`` knows what is captured for a target. All of its
    *captures* but the first tell its noise. With *sealing* the files of held-out comparisons are
    written nowhere, but kept in ``held_out_files``.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        marked: Wishes,
        goalposts: Goalposts,
        folder: Callable[[], Path],
        browser: Callable[[], Any],
        targets: Targets,
        channels: ChannelsOfTest,
        snapshots: Snapshots,
        captures: int = 1,
        sealing: bool = False,
    ) -> None:
        self._settings = settings
        self._marked = marked
        self._limits = Limits(settings, marked)
        self._goalposts = goalposts
        self._folder = folder
        self._browser = browser
        self._targets = targets
        self._channels = channels
        self._captures = captures
        self._repeats: dict[Capture, tuple[Capture, ...]] = {}
        self._plans = Plans()
        self._designs: list[Design] = []
        self._labels: set[str] = set()
        self._judged: Excuses | None = None
        self._conditions: dict[Capture, dict[str, Any]] = {}
        self._cut: dict[Capture, tuple[Design, Design]] = {}
        self._sealing = sealing
        self.held_out_files: dict[str, bytes] = {}
        self.snapshots = snapshots
        self.reports: list[ComparisonReport] = []
        self.touched = False

    def baseline(self, name: str | None, which: Mapping[str, Any]) -> Design:
        """Return the one design that *name* plans for the viewport and theme."""
        from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

        self.touched = True
        call = self._wishes(which, kind=Which, where="figma_baseline", name=name)
        planned = plan(self._settings, self._marked, call)
        if len(planned) != 1:
            raise ConfigurationError(
                f"{name or self._marked.name!r} plans {len(planned)} comparisons: "
                + ", ".join(p.label for p in planned),
                expected="one",
                next_step="choose a viewport, a theme or a frame (name/Frame name), or compare "
                "all by assert_matches_design",
            )
        try:
            return self._load(planned[0])
        except Exception as error:
            self._note_failure(planned[0].label, error)
            raise

    def capture(
        self, target: Any, options: Mapping[str, Any], *, baseline: Design | None
    ) -> Capture:
        """Return what *target* shows, in the size and scale of *baseline*.

        Without one, the design that this test loaded last for that viewport and theme serves.
        """
        self.touched = True
        call = self._wishes(options, kind=RenderOptions, where="render_capture")
        design = baseline or self._loaded(call)
        shooting = self._shooting(design, call)
        try:
            target = self._resolved(target, design)
            shot = next(self._shots(target, [shooting]))
        except UndeterminedError as error:
            shot = error
        if isinstance(shot, Exception):
            self._note_failure(design.label, shot, design=design)
            raise shot
        self._cut[shot.capture] = (design, shot.design)
        return shot.capture

    def verdict(self, baseline: Design, capture: Capture, options: Mapping[str, Any]) -> Verdict:
        """Return the verdict of *capture* against *baseline*, recorded in the run directory."""
        self.touched = True
        call = self._wishes(options, kind=VerdictOptions, where="visual_verdict")
        whole, part = self._cut.get(capture, (baseline, baseline))
        design = part if whole is baseline else baseline
        asked = asked_of(options)
        return self._verdict([self._check(self._own_label(design), capture, call, asked)])

    def wishes(self, options: Mapping[str, Any], *, name: str | None) -> Wishes:
        """Return what a call of ``assert_matches_design`` says, checked."""
        self.touched = True
        return self._wishes(options, kind=AssertOptions, where="assert_matches_design", name=name)

    def compare(self, target: Any, call: Wishes, asked: Asked) -> Verdict:
        """Return the verdict of *target* over every comparison that *call* asks for.

        A comparison whose design cannot be read or whose page cannot be captured is undetermined
        and hides none of the others.
        """
        self.touched = True
        planned = plan(self._settings, self._marked, call, target=target)
        sides = [self._side(item) for item in planned]
        designs = [side for side in sides if not isinstance(side, Exception)]
        target = self._targets.resolve(target, planned, designs)
        shootings = [self._shooting(design, call) for design in designs]
        shots = self._shots(target, shootings)
        reports = []
        for item, side in zip(planned, sides, strict=True):
            found = side if isinstance(side, Exception) else next(shots)
            design = None if isinstance(side, Exception) else side
            reports.append(self._report(item.label, found, design=design, call=call, asked=asked))
            reports += (probes := probed(target, found, reports[-1], settings=self._settings))
            self.reports += probes
        return self._verdict(reports)

    def compare_snapshot(
        self,
        target: Any,
        snapshot: str | bool,  # noqa: FBT001 - what the user wrote
        call: Wishes,
    ) -> Verdict:
        """Return the verdict of *target* against a recorded picture.

        The page keeps its viewport, at one device px a CSS px.
        """
        from pytest_pixelloop.plugin.snapshots import browser_of, capture_as_it_is  # noqa: PLC0415

        self.touched = True
        name = self.snapshots.name(snapshot)
        resolved = self._limits.tolerance(None, call.tolerance, gate="snapshot")
        wishes = call.over(Wishes(screenshot=self._marked.screenshot, regions=self._marked.regions))
        conditions = conditions_of_page(wishes)
        try:
            capture = capture_as_it_is(target, wishes, browser=self._browser)
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
            told = self._undetermined(
                self.snapshots.label(name), error, call=dataclasses.replace(call, gate="snapshot")
            )
            report = self.snapshots.described(told, name, browser_of(target))
            self.reports[-1] = report
            return self._verdict([report])
        self._goalposts.judged(
            report.label,
            gate=report.gate,
            tolerance=report.tolerance,
            conditions={**conditions, "sha256": str(report.design.get("sha256"))},
        )
        self.reports.append(report)
        return self._verdict([report])

    def _side(self, planned: PlannedComparison) -> Design | Exception:
        """Return the design side of a comparison, or why there is none."""
        try:
            return self._own_label(self._load(planned))
        except UndeterminedError as error:
            return error

    def _report(
        self,
        label: str,
        found: Shot | Exception,
        *,
        design: Design | None,
        call: Wishes,
        asked: Asked,
    ) -> ComparisonReport:
        try:
            if isinstance(found, Exception):
                raise found
            return self._check(found.design, found.capture, call, asked)
        except UndeterminedError as error:
            label = design.label if design else label
            return self._undetermined(label, error, design=design, call=call)

    def _wishes(
        self, given: Mapping[str, Any], *, kind: type, where: str, name: str | None = None
    ) -> Wishes:
        wishes = as_wishes(given, kind=kind, where=where, root=self._settings.rootpath)
        return dataclasses.replace(wishes, name=name)

    def _load(self, planned: PlannedComparison) -> Design:
        design = self._plans.load(planned)
        self._designs.append(design)
        return design

    def _loaded(self, call: Wishes) -> Design:
        from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

        for design in reversed(self._designs):
            if (not call.viewports or design.viewport in call.viewports) and (
                not call.themes or design.theme in call.themes
            ):
                return design
        seen = ", ".join(d.label for d in self._designs) or "none"
        raise ConfigurationError(
            "render_capture needs a design, whose size and scale the capture follows",
            where=f"viewport {_quoted(call.viewports)}, theme {_quoted(call.themes)}; "
            f"designs loaded by this test: {seen}",
            next_step="call figma_baseline(...) first, or pass baseline=...",
        )

    def _shooting(self, design: Design, call: Wishes) -> Shooting:
        axe = self._channels.of(design, NOTHING_ASKED).wants_axe
        return dataclasses.replace(shooting_of(design, self._marked, call), axe=axe)

    def _shots(self, target: Any, shootings: Sequence[Shooting]) -> Iterator[Shot | Exception]:
        """Yield what *target* shows for each, with the conditions under which it is judged."""
        from pytest_pixelloop.capture.conditions import conditions_of  # noqa: PLC0415
        from pytest_pixelloop.capture.design_capture import capture_designs  # noqa: PLC0415

        shots = capture_designs(target, shootings, browser=self._browser)
        for shooting, first in zip(shootings, shots, strict=True):
            shot = first
            reached = target
            if isinstance(shot, CaptureError):
                reached = self._targets.again(target, shot)
                if reached is not None:
                    shot = next(capture_designs(reached, [shooting], browser=self._browser))
            if not isinstance(shot, Exception):
                self._targets.keep(reached)
                self._conditions[shot.capture] = conditions_of(shooting)
                try:
                    self._repeats[shot.capture] = self._repeated(reached, shooting)
                except UndeterminedError as error:
                    shot = error
            yield shot

    def _repeated(self, target: Any, shooting: Shooting) -> tuple[Capture, ...]:
        """Return the further captures that tell the noise of a page."""
        from pytest_pixelloop.capture.design_capture import capture_designs  # noqa: PLC0415

        found = []
        for _ in range(self._captures - 1):
            again = next(capture_designs(target, [shooting], browser=self._browser))
            if isinstance(again, Exception):
                raise again
            found.append(again.capture)
        return tuple(found)

    def _resolved(self, target: Any, design: Design) -> Any:
        """Return what is captured for *target*, of a design that was loaded before."""
        call = Wishes(
            name=design.name,
            viewports=(design.viewport,) if design.viewport else (),
            themes=(design.theme,) if design.theme else (),
        )
        planned = () if target is not None else plan(self._settings, self._marked, call)
        return self._targets.resolve(target, planned, [design])

    def _check(
        self, design: Design, capture: Capture, call: Wishes, asked: Asked
    ) -> ComparisonReport:
        from pytest_pixelloop.checker import check  # noqa: PLC0415

        channels = self._channels.of(design, asked)
        place = self._place(design.label)
        if place is self.held_out_files:  # whoever is asked keeps the picture
            channels = dataclasses.replace(channels, outside=None)
        conditions = self._conditions.get(capture, {})
        chosen = self._limits.gate(design, call.gate)
        report = check(
            design,
            capture,
            gate=chosen,
            tolerance=self._limits.tolerance(design, call.tolerance, gate=chosen),
            conditions=conditions,
            folder=place,
            repeats=self._repeats.get(capture, ()),
            channels=channels,
            excuses=self._excuses(),
        )
        self._goalposts.judged(
            report.label,
            gate=report.gate,
            tolerance=report.tolerance,
            conditions=conditions,
            channels=channels.as_record(),
            design=design.provenance.get("sha256"),
        )
        self.reports.append(self._plans.onto(report))
        return self.reports[-1]

    def _place(self, label: str) -> Place:
        """Return where the files of a comparison go. What is held out leaves none in a loop."""
        folder = self._folder()
        return self.held_out_files if self._sealing and self._plans.hold_out(label) else folder

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
        call: Wishes,
    ) -> ComparisonReport:
        from pytest_pixelloop.checker import undetermined_report  # noqa: PLC0415

        report = undetermined_report(
            label,
            gate=self._limits.gate(design, call.gate) or "design",
            error=error,
            design=design,
            tolerance=self._limits.tolerance(design, call.tolerance) if design else None,
            folder=self._place(label),
        )
        self.reports.append(self._plans.onto(report))
        return self.reports[-1]

    def _note_failure(self, label: str, error: Exception, *, design: Design | None = None) -> None:
        """Record what the test will raise, so that the ledger has it as a comparison."""
        if isinstance(error, UndeterminedError):
            self._undetermined(label, error, design=design, call=Wishes())

    def _own_label(self, design: Design) -> Design:
        """Return *design* under a label that no comparison of this iteration has yet.

        A test may check one design twice; two reports of one name would overwrite each other.
        """
        label, number = design.label, 1
        while label in self._labels:
            number += 1
            label = f"{design.label}__{number}"
            self._plans.renamed(design.label, label)
        self._labels.add(label)
        return design if label == design.label else dataclasses.replace(design, label=label)

    def _verdict(self, reports: list[ComparisonReport]) -> Verdict:
        from pytest_pixelloop.core.verdict import Verdict  # noqa: PLC0415

        return Verdict(reports=tuple(reports), run_path=self._settings.relative(self._folder()))


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names)) or "None"
