"""One comparison from design and capture to a report on disk: the place where channels meet."""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.unstable import UnstableCaptureError
from pytest_pixelloop.core.appearance import DEFAULT_APPEARANCE, Priority, merge_appearance
from pytest_pixelloop.core.appearance_channel import NOBODY, judge_appearance
from pytest_pixelloop.core.blank import is_one_colour
from pytest_pixelloop.core.errors import CaptureError, UndeterminedError
from pytest_pixelloop.core.excusing import Excuses, excuse_report
from pytest_pixelloop.core.expectations import propose_expectations, read_expectations
from pytest_pixelloop.core.final_verdict import evaluate_report, results_of
from pytest_pixelloop.core.functional import NO_EXPECTATIONS, judge_functional
from pytest_pixelloop.core.judging import default_gate, judge
from pytest_pixelloop.core.masked import large_mask_warning, masked_share
from pytest_pixelloop.core.noise import measure_noise
from pytest_pixelloop.core.shown_texts import judge_shown_texts, opaque_warning
from pytest_pixelloop.core.style_channel import name_elements, nodes_by_element, read_styles
from pytest_pixelloop.core.verdict import PASS, ComparisonReport
from pytest_pixelloop.store.report_files import write_comparison, write_report, write_unstable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_pixelloop.core.appearance import AppearanceSettings
    from pytest_pixelloop.core.appearance_channel import AppearanceResult, Outside
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.expectations import Expectation
    from pytest_pixelloop.core.finding import NodeRef
    from pytest_pixelloop.core.functional import FunctionalResult
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.store.report_files import Place

NOTHING_SEEN: Mapping[str, Any] = {
    "visual": "not compared",
    "functional": "skipped: nothing was captured",
    "appearance": "skipped: nothing was captured",
    "style": "skipped: nothing was compared",
}
_PROPOSED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """What is asked of a capture beside its pixels.

    ``outside`` asks a vision command or hook about the picture; None asks nobody.
    """

    expectations: tuple[Expectation, ...] = ()
    appearance: AppearanceSettings = DEFAULT_APPEARANCE
    outside: Callable[[Capture, str], Outside] | None = None

    @property
    def wants_axe(self) -> bool:
        """Whether axe-core's word would be used, were it there."""
        wanted = self.appearance.priority("axe") is not Priority.OFF
        return wanted and self.appearance.mode != "off"

    def as_record(self) -> dict[str, Any]:
        """Return what the verdict is measured by, as plain JSON."""
        return {
            "expect": [{**e.as_record(), "target": e.target} for e in self.expectations],
            "appearance": self.appearance.as_record(),
        }


DEFAULT_CHANNELS = Channels()


def channels_of(
    design: Design | None,
    *,
    expect: Sequence[Any] = (),
    appearance: Sequence[str | Mapping[str, Any] | None] = (),
    fallback: str | None = None,
    allow: Sequence[str] = (),
    outside: Callable[[Capture, str], Outside] | None = None,
    where: str = "",
) -> Channels:
    """Return what is asked of a capture: what *design*'s manifest entry asks, and more.

    *expect* and *allow* are added to the manifest's; the layers of *appearance* stand above it,
    the strongest first, *fallback* below. Raises ConfigurationError for wrong words.
    """
    own, words, known = (
        (design.expect, design.appearance, design.allow) if design else ((), None, ())
    )
    return Channels(
        expectations=read_expectations([*own, *expect], where=f"expect of {where}"),
        appearance=merge_appearance(
            *appearance, words, fallback, allow=[*known, *allow], where=f"appearance of {where}"
        ),
        outside=outside,
    )


def check(
    design: Design,
    capture: Capture,
    *,
    tolerance: Tolerance,
    gate: str | None = None,
    conditions: Mapping[str, Any] | None = None,
    folder: Place | None = None,
    repeats: Sequence[Capture] = (),
    channels: Channels = DEFAULT_CHANNELS,
    excuses: Excuses | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> ComparisonReport:
    """Return the report of *capture* against *design*, written to *folder* when one is given.

    A dict in place of a folder gets the files by name. The folder gets ``<label>.report.json``,
    ``<label>.expected.png``, ``<label>.actual.png``, ``<label>.functional.json`` where something
    was expected and, unless the verdict is pass, ``<label>.diff.png``. A capture of a single colour
    against a design of several is refused as ``undetermined:blank-capture``: an empty page is not
    a bad page, it is no page.
    *conditions* are what the user said about the capture, as a report holds it. *repeats* are
    further captures of the unchanged page, of which the report tells the noise.
    *excuses* are the judgements of the project: what they excuse stays in the report.
    ConfigurationError for an unknown gate passes through.
    """
    chosen = gate or design.gate or default_gate(design)
    channels = dataclasses.replace(channels, appearance=channels.appearance.for_gate(chosen))
    watch = _Watch(clock)
    try:
        _refuse_blank(design, capture)
        judgement = judge(design, capture, gate=chosen, tolerance=tolerance)
        judgement = judge_shown_texts(judgement, design, capture)
        watch.lap("compare")
        noise = measure_noise(design, capture, judgement, repeats, gate=chosen, tolerance=tolerance)
    except UndeterminedError as error:
        report = undetermined_report(
            design.label, gate=chosen, error=error, design=design, tolerance=tolerance
        )
        report = dataclasses.replace(
            report, environment=dict(capture.environment), warnings=capture.warnings
        )
        report = _with_evidence(report, design, capture, channels)
        return report if folder is None else write_comparison(folder, report, design, capture)
    watch.lap("noise")
    share = masked_share(capture.masks, design.image.shape[:2], scale=design.scale)
    styles = judgement.styles or read_styles(design, capture.dom)
    findings, style = name_elements(judgement.findings, design, capture.dom, styles=styles)
    watch.lap("style")
    report = ComparisonReport(
        label=design.label,
        status=judgement.status,
        gate=chosen,
        score=judgement.score,
        score_version=judgement.score_version,
        confidence=judgement.confidence,
        pixels=judgement.pixels,
        size={"expected": list(design.pixel_size), "actual": list(capture.pixel_size)},
        regions=judgement.regions,
        findings=findings,
        channels={"visual": "compared", "style": style},
        comparator=judgement.comparator,
        tolerance=tolerance.as_record(),
        design=describe_design(design),
        environment=dict(capture.environment),
        warnings=(
            *capture.warnings,
            *large_mask_warning(share),
            *opaque_warning(design, capture),
        ),
        screenshot=describe_screenshot(capture, conditions or {}, masked=share),
        noise=noise,
        verdicts={"visual": judgement.status},
    )
    nodes = nodes_by_element(styles)
    functional = judge_functional(capture, channels.expectations, label=design.label, nodes=nodes)
    watch.lap("functional")
    appearance = _look(design, capture, channels, nodes)
    watch.lap("appearance")
    report = _joined(report, design, functional, appearance)
    if excuses is not None:
        version = design.provenance.get("version")
        report = excuse_report(report, excuses, version=None if version is None else str(version))
    report = _concluded(report)
    durations = {**capture.durations, **watch.laps}
    report = dataclasses.replace(report, durations=durations)
    if folder is None:
        return report
    return write_comparison(
        folder,
        report,
        design,
        capture,
        diff_mask=judgement.diff_mask if report.status != PASS else None,
        functional=functional,
    )


def _look(
    design: Design, capture: Capture, channels: Channels, nodes: Mapping[int, NodeRef]
) -> AppearanceResult:
    outside = NOBODY
    if channels.outside is not None and channels.appearance.mode != "off":
        outside = channels.outside(capture, design.label)
    return judge_appearance(
        capture,
        label=design.label,
        settings=channels.appearance,
        design_is_blank=is_one_colour(design.image),
        outside=outside,
        nodes=nodes,
    )


def _joined(
    report: ComparisonReport,
    design: Design,
    functional: FunctionalResult,
    appearance: AppearanceResult,
) -> ComparisonReport:
    """Return the report with the other channels' findings and records, counted into the score."""
    more = functional.findings + appearance.findings
    record = functional.record
    if record == NO_EXPECTATIONS and (proposed := propose_expectations(design)):
        names = ", ".join(f"{p['role']} {p['name']!r}" for p in proposed[:_PROPOSED])
        record = f"{NO_EXPECTATIONS}; the design suggests {len(proposed)}, such as {names}"
    report = dataclasses.replace(
        report,
        findings=report.findings + more,
        channels={
            "visual": report.channels["visual"],
            "functional": record,
            "appearance": appearance.record,
            "style": report.channels["style"],
        },
    )
    added = [f.severity for f in more if f.gating]
    if not added or report.score is None:
        return report
    score = round(report.score + math.fsum(added), 4)
    shared = tuple(
        dataclasses.replace(f, share=f.severity / score) if f.gating else f for f in report.findings
    )
    return dataclasses.replace(report, score=score, findings=shared)


def _concluded(report: ComparisonReport) -> ComparisonReport:
    """Return the report with its final status, made from what the report itself says."""
    record = report.as_record()
    results = results_of(record)
    verdict = evaluate_report(record)
    return dataclasses.replace(
        report, status=verdict.status, verdicts={**results, "causes": list(verdict.causes)}
    )


def _with_evidence(
    report: ComparisonReport, design: Design, capture: Capture, channels: Channels
) -> ComparisonReport:
    """Return an undetermined report with what the page itself may tell of the reason."""
    quiet = dataclasses.replace(channels.appearance, mode="report")
    if channels.appearance.mode == "off":
        return report
    seen = judge_appearance(
        capture,
        label=design.label,
        settings=quiet,
        design_is_blank=is_one_colour(design.image),
    )
    told = {**report.channels, "appearance": seen.record}
    return _concluded(dataclasses.replace(report, findings=seen.findings, channels=told))


class _Watch:
    """Seconds from lap to lap."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = clock()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Note the time since the last lap for *name*."""
        now = self._clock()
        self.laps[name] = round(now - self._last, 6)
        self._last = now


def undetermined_report(
    label: str,
    *,
    gate: str,
    error: UndeterminedError,
    design: Design | None = None,
    tolerance: Tolerance | None = None,
    folder: Place | None = None,
) -> ComparisonReport:
    """Return the report of a comparison that could not be made, with the error's whole text.

    Of a page that never came to rest the last two pictures are kept in *folder*, as
    ``<label>.unstable-1.png`` and ``-2.png``, and the report tells box, selector and cause.
    """
    unstable = error if isinstance(error, UnstableCaptureError) else None
    report = ComparisonReport(
        label=label,
        status=error.status,
        gate=gate,
        score=None,
        score_version="none",
        confidence=None,
        channels=dict(NOTHING_SEEN),
        tolerance=tolerance.as_record() if tolerance else {},
        design=describe_design(design) if design else {},
        problem=str(error),
        instability=unstable.as_record() if unstable else {},
        artifacts=write_unstable(folder, label, unstable.pictures) if unstable and folder else {},
        verdicts={"visual": error.status, "causes": ["visual"]},
    )
    if folder is not None:
        write_report(folder, report)
    return report


def describe_design(design: Design) -> dict[str, object]:
    """Return what a report says about the design's side: names, sizes, origin, hashes."""
    placement = design.placement
    return {
        "name": design.name,
        "node": design.root.id if design.root else None,
        "frame": [design.frame[0], design.frame[1]],
        "scale": design.scale,
        "origin": list(placement.origin) if placement else [0, 0],
        "placement": placement.rule if placement else None,
        "viewport": design.viewport,
        "theme": design.theme,
        "hold_out": design.hold_out,
        **dict(design.provenance),
    }


def describe_screenshot(
    capture: Capture, conditions: Mapping[str, Any], *, masked: float
) -> dict[str, Any]:
    """Return what a report says about the masks and regions, and the options that were given."""
    return {
        **dict(conditions),
        "masks": [mask.as_list() for mask in capture.masks],
        "masked_share": round(masked, 4),
        "regions": [region.as_record() for region in capture.regions],
        **({"texts": capture.shown_texts.counts()} if capture.shown_texts else {}),
    }


def _refuse_blank(design: Design, capture: Capture) -> None:
    if is_one_colour(capture.image) and not is_one_colour(design.image):
        width, height = capture.pixel_size
        raise CaptureError(
            f"the capture is blank: all {width}x{height} px have one colour",
            reason="blank-capture",
            where=capture.source,
            expected="a page that paints something, as the design does",
            next_step="open the page, look at its console, wait for its content before the check",
        )
