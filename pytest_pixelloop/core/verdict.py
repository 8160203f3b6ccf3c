"""The verdict of one comparison and of one test, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.finding import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.finding import Finding, Region
    from pytest_pixelloop.core.matches import Matches
    from pytest_pixelloop.core.style import Styles

PASS = "pass"  # noqa: S105 - a verdict, not a secret
CONDITIONAL = "conditional"
FAIL = "fail"
UNDETERMINED = "undetermined"

DESIGN_SIDE = f"{UNDETERMINED}:design-side"
DESIGN_SIDE_REASONS = frozenset({"unthemable", "unnamed-frame", "not-exported", "design-side"})
"""Why a comparison has nothing to be compared with: no fix of the page can help there."""

REPORT_SCHEMA_VERSION = 1


def is_undetermined(status: str) -> bool:
    """Tell whether *status* is ``undetermined`` or ``undetermined:<reason>``."""
    return status == UNDETERMINED or status.startswith(UNDETERMINED + ":")


def is_design_side(status: str) -> bool:
    """Tell whether *status* says that a comparison's design side is missing."""
    word, _, reason = status.partition(":")
    return word == UNDETERMINED and reason in DESIGN_SIDE_REASONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a gate says of one comparison: status, findings and their score.

    ``score`` is None when nothing was measured. ``confidence`` is 1 - mismatched / total px.
    ``styles`` is what the elements' styles say, where the gate had to know.
    """

    status: str
    score: float | None
    score_version: str
    confidence: float | None
    findings: tuple[Finding, ...] = ()
    comparator: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    pixels: Mapping[str, Any] = field(default_factory=dict)
    diff_mask: NDArray[np.bool_] | None = None
    styles: Styles | None = None

    @property
    def matches(self) -> Matches | None:
        """Which element is which node, where the gate had to know."""
        return self.styles.matches if self.styles is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReport:
    """One comparison's result: what ``<label>.report.json`` holds.

    ``size`` is ``{"expected": [w, h], "actual": [w, h]}`` in device px. ``problem`` is the text of
    the error when the status is undetermined. ``screenshot`` says what of the page was judged.
    ``artifacts`` maps expected, actual, diff to paths relative to the report. ``instability`` is
    cause, selector and box of what kept a page from coming to rest; ``noise`` is what repeated
    captures of an unchanged page differed by. ``verdicts`` holds what each channel says, and under
    ``causes`` which of them made the status: core/final_verdict.py makes the status from it.
    """

    label: str
    status: str
    gate: str
    score: float | None
    score_version: str
    confidence: float | None
    pixels: Mapping[str, Any] = field(default_factory=dict)
    size: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    findings: tuple[Finding, ...] = ()
    channels: Mapping[str, Any] = field(default_factory=dict)
    comparator: Mapping[str, Any] = field(default_factory=dict)
    tolerance: Mapping[str, Any] = field(default_factory=dict)
    design: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    durations: Mapping[str, float] = field(default_factory=dict)
    artifacts: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    screenshot: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None
    instability: Mapping[str, Any] = field(default_factory=dict)
    noise: Mapping[str, Any] = field(default_factory=dict)
    verdicts: Mapping[str, Any] = field(default_factory=dict)
    judgements: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the status is ``pass``."""
        return self.status == PASS

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The gating findings that no judgement excuses, worst first, then by delta_id."""
        found = [f for f in self.findings if f.gating and f.state is State.OPEN]
        return tuple(sorted(found, key=lambda f: (-f.severity, f.delta_id, f.kind)))

    @property
    def delta_ids(self) -> tuple[str, ...]:
        """The sorted identities of the open findings."""
        return tuple(sorted({f.delta_id for f in self.open_findings}))

    def as_record(self) -> dict[str, Any]:
        """Return the report as ``<label>.report.json`` holds it: plain JSON."""
        return {
            "schema_version": REPORT_SCHEMA_VERSION,
            "label": self.label,
            "status": self.status,
            "gate": self.gate,
            "score": self.score,
            "score_version": self.score_version,
            "confidence": self.confidence,
            "pixels": dict(self.pixels),
            "size": dict(self.size),
            "regions": [r.as_record() for r in self.regions],
            "findings": [f.as_record() for f in self.findings],
            "channels": dict(self.channels),
            "comparator": dict(self.comparator),
            "tolerance": dict(self.tolerance),
            "design": dict(self.design),
            "environment": dict(self.environment),
            "durations": dict(self.durations),
            "artifacts": dict(self.artifacts),
            "warnings": list(self.warnings),
            "screenshot": dict(self.screenshot),
            "problem": self.problem,
            "instability": dict(self.instability),
            "noise": dict(self.noise),
            "verdicts": dict(self.verdicts),
            "judgements": dict(self.judgements),
            **({"plan": dict(self.plan)} if self.plan else {}),
        }


def combine_statuses(statuses: tuple[str, ...]) -> str:
    """Return the status of a test from those of its comparisons.

    The worst wins: fail, then undetermined (the first reason in sorted order), then conditional,
    then pass. Reasons of the design side are gathered into ``undetermined:design-side``, behind
    every other reason. No comparison at all is ``undetermined:no-comparable-channel``.
    """
    if not statuses:
        return f"{UNDETERMINED}:no-comparable-channel"
    if FAIL in statuses:
        return FAIL
    unknown = sorted(s for s in statuses if is_undetermined(s) and not is_design_side(s))
    if unknown:
        return unknown[0]
    if any(is_design_side(s) for s in statuses):
        return DESIGN_SIDE
    return CONDITIONAL if CONDITIONAL in statuses else PASS


def sum_scores(compared: Iterable[tuple[str, float | None]]) -> float | None:
    """Return the score of a test from each comparison's status and score.

    None when one is unknown or there is none. What has no design side has no score to wait for:
    the others tell whether a fix brought the page nearer.
    """
    scores = [score for status, score in compared if not is_design_side(status)]
    known = [score for score in scores if score is not None]
    return sum(known) if scores and len(known) == len(scores) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A test's verdict over all its comparisons.

    ``sealed`` counts held-out comparisons that are not among the reports; ``whole`` is the status
    with them.
    """

    reports: tuple[ComparisonReport, ...]
    run_path: str | None = None
    sealed: int = 0
    whole: str | None = None

    @property
    def status(self) -> str:
        """``pass``, ``conditional``, ``fail`` or ``undetermined:<reason>``."""
        return self.whole or combine_statuses(tuple(r.status for r in self.reports))

    @property
    def passed(self) -> bool:
        """Whether every comparison passed."""
        return self.status == PASS

    @property
    def score(self) -> float | None:
        """The sum of the comparisons' scores; None when any is unknown or there is none."""
        return sum_scores((r.status, r.score) for r in self.reports)

    @property
    def delta_ids(self) -> tuple[str, ...]:
        """The sorted identities of all open findings."""
        return tuple(sorted({d for r in self.reports for d in r.delta_ids}))

    def explain(self) -> str:
        """Return the failure text: status, score, the five worst findings, where the run is."""
        from pytest_pixelloop.core.explain import explain_verdict  # noqa: PLC0415

        return explain_verdict(self)
