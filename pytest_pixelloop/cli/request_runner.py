"""The runner that answers requests without pytest: many of them with one browser."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.capture.conditions import conditions_of
from pytest_pixelloop.capture.design_capture import Shooting, Shot, capture_designs
from pytest_pixelloop.capture.session import BrowserSession
from pytest_pixelloop.checker import channels_of, check, undetermined_report
from pytest_pixelloop.cli.request import read_masks, refuse_wrong_words
from pytest_pixelloop.cli.request_target import RequestTargets
from pytest_pixelloop.core.errors import ConfigurationError, UndeterminedError
from pytest_pixelloop.core.levels import lay_regions_over
from pytest_pixelloop.core.screenshot_words import lay_over
from pytest_pixelloop.core.tolerance import check_tolerance, parse_tolerance, resolve_tolerance
from pytest_pixelloop.sources.folder import design_from_files, load_design, plan_comparisons
from pytest_pixelloop.sources.judgements import read_excuses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from pytest_pixelloop.checker import Channels
    from pytest_pixelloop.cli.request import Request
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import ComparisonReport
    from pytest_pixelloop.sources.folder import PlannedComparison

#: Designs kept decoded between requests: a batch often asks for one design many times.
CACHED_DESIGNS = 4


class RequestRunner:
    """Answers requests one after the other with one browser, started when the first URL comes."""

    def __init__(self, targets: RequestTargets | None = None) -> None:
        self._targets = targets or RequestTargets()
        self._sessions: dict[tuple[str | None, tuple[str, ...]], BrowserSession] = {}
        self._designs: OrderedDict[tuple[Any, ...], Design] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for session in self._sessions.values():
                session.close()
        finally:
            self._targets.close()

    def report(self, request: Request) -> ComparisonReport:
        """Return the report of the one comparison *request* asks for.

        Raises ConfigurationError when the words are wrong or name several comparisons.
        """
        reports = self.reports(request)
        if len(reports) != 1:
            labels = ", ".join(r.label for r in reports)
            raise ConfigurationError(
                f"{request.name!r} plans {len(reports)} comparisons: {labels}",
                expected="one",
                next_step="choose with --viewport or --theme",
            )
        return reports[0]

    def reports(self, request: Request) -> tuple[ComparisonReport, ...]:
        """Return the reports of all comparisons *request* asks for.

        What cannot be read or captured is an undetermined report, not an exception.
        Raises ConfigurationError when the words are wrong.
        """
        refuse_wrong_words(request)
        self._targets.refuse(request)
        read_masks(request.mask)  # refuses wrong words before anything is opened, as these two do
        _given_tolerance(request)
        _channels(request, None)
        try:
            sides = self._load(request)
        except UndeterminedError as error:
            label = request.name or (request.design.stem if request.design else "design")
            return (self._undetermined(request, _file_safe(label), error),)
        designs = [side for side in sides.values() if not isinstance(side, UndeterminedError)]
        shots = self._shots(request, designs)
        return tuple(
            self._undetermined(request, label, side)
            if isinstance(side, UndeterminedError)
            else self._one(request, side, next(shots))
            for label, side in sides.items()
        )

    def _shots(
        self, request: Request, designs: Sequence[Design]
    ) -> Iterator[tuple[Shooting, Shot | Exception, list[Capture]]]:
        """Yield for each design what is shown, and the further captures that tell the noise."""
        if not designs:
            return  # nothing is opened or started for designs that cannot be read
        target = self._targets.resolve(request, designs)

        def take(shootings: Sequence[Shooting]) -> Iterator[Shot | Exception]:
            return capture_designs(
                target, shootings, browser=lambda: self._session(request).browser
            )

        shootings = [_shooting(request, design) for design in designs]
        for shooting, first in zip(shootings, take(shootings), strict=True):
            shot, repeats = first, []
            for _ in range((request.noise_captures or 1) - 1):
                again = next(take([shooting])) if isinstance(shot, Shot) else shot
                if isinstance(again, Exception):
                    shot = again
                    break
                repeats.append(again.capture)
            yield shooting, shot, repeats

    def _one(
        self,
        request: Request,
        design: Design,
        taken: tuple[Shooting, Shot | Exception, list[Capture]],
    ) -> ComparisonReport:
        shooting, shot, repeats = taken
        if isinstance(shot, UndeterminedError):
            return self._undetermined(request, design.label, shot, design=design)
        if isinstance(shot, Exception):
            raise shot
        return check(
            shot.design,
            shot.capture,
            gate=request.gate,
            tolerance=_tolerance(request, design),
            conditions=conditions_of(shooting),
            folder=request.output,
            repeats=repeats,
            channels=_channels(request, design),
            excuses=read_excuses(request.designs) if request.name is not None else None,
        )

    def _undetermined(
        self,
        request: Request,
        label: str,
        error: UndeterminedError,
        *,
        design: Design | None = None,
    ) -> ComparisonReport:
        return undetermined_report(
            label,
            gate=request.gate or (design.gate if design else None) or "design",
            error=error,
            design=design,
            tolerance=_tolerance(request, design) if design else None,
            folder=request.output,
        )

    def _session(self, request: Request) -> BrowserSession:
        key = (request.browser, request.browser_arg)
        if key not in self._sessions:
            for session in self._sessions.values():
                session.close()  # another set of arguments needs another browser: keep only one
            self._sessions = {
                key: BrowserSession(option=request.browser, arguments=request.browser_arg)
            }
        return self._sessions[key]

    def _load(self, request: Request) -> dict[str, Design | UndeterminedError]:
        """Return by label the designs asked for; one that cannot be read hides no other."""
        if request.design is not None:
            design = self._from_files(request, request.design)
            return {design.label: design}
        planned = plan_comparisons(
            request.designs, str(request.name), viewport=request.viewport, theme=request.theme
        )
        return {item.label: _side(item) for item in planned}

    def _from_files(self, request: Request, picture: Path) -> Design:
        key = (
            *(request.node, request.scale, request.gate),
            *(_stamp(path) for path in (picture, request.nodes)),
        )
        if key not in self._designs:
            self._designs[key] = design_from_files(
                picture, request.nodes, node=request.node, scale=request.scale, gate=request.gate
            )
            while len(self._designs) > CACHED_DESIGNS:
                self._designs.popitem(last=False)
        self._designs.move_to_end(key)
        return self._designs[key]


def _side(planned: PlannedComparison) -> Design | UndeterminedError:
    try:
        return load_design(planned)
    except UndeterminedError as error:
        return error


def _shooting(request: Request, design: Design) -> Shooting:
    """Return the capture to take: words of the request > manifest, masks and styles added."""
    own: dict[str, Any] = dict(request.screenshot)
    if request.mask:
        own["mask"] = read_masks(request.mask)
    if request.timeout is not None:
        own["timeout"] = request.timeout
    return Shooting(
        design=design,
        options=lay_over(design.screenshot, own),
        regions=lay_regions_over(design.regions, request.regions),
        axe=_channels(request, design).wants_axe,
    )


def _stamp(path: Path | None) -> tuple[str, int, int] | None:
    """Return what tells a file from its later self, so that a cached design is never stale."""
    if path is None:
        return None
    try:
        info = path.stat()
    except OSError:
        return (str(path), -1, -1)
    return (str(path.absolute()), info.st_mtime_ns, info.st_size)


def _channels(request: Request, design: Design | None) -> Channels:
    expect = request.expect if isinstance(request.expect, list) else [request.expect]
    return channels_of(
        design,
        expect=[item for item in expect if item is not None],
        appearance=(request.appearance,),
        where="the request",
    )


def _tolerance(request: Request, design: Design) -> Tolerance:
    return resolve_tolerance(command_line=_given_tolerance(request), manifest=design.tolerance)


def _given_tolerance(request: Request) -> dict[str, float]:
    if isinstance(request.tolerance, str):
        return parse_tolerance(request.tolerance)
    return check_tolerance(request.tolerance, where="tolerance")


def _file_safe(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in text)[:80] or "design"
