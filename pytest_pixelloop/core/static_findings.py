"""A static analysis beside the measured verdicts: where both agree and where only one speaks.

Input is SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), of which the rule, the
level, the message and the first place of each result are read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.scorecard import belongs
from pytest_pixelloop.core.verdict import PASS, is_undetermined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_pixelloop.core.scorecard import ComparisonResult

VISUAL_DISCOVERY = "visual discovery"
POSSIBLE_FALSE_ALARM = "possible false alarm"
CONFIRMED = "confirmed"
CLEAN = "clean"
_FAILING = frozenset(("error", "warning"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticResult:
    """One result of a static analysis that counts as a fail."""

    rule: str
    level: str
    message: str
    path: str


def read_sarif(value: Any) -> tuple[StaticResult, ...] | None:
    """Return the errors and warnings of a SARIF log, None when *value* is none.

    Suppressed results and those of kind ``pass`` or ``notApplicable`` are left out.
    """
    runs = value.get("runs") if isinstance(value, dict) else None
    if not isinstance(runs, list):
        return None
    found: list[StaticResult] = []
    for run in runs:
        results = run.get("results") if isinstance(run, dict) else None
        for result in results if isinstance(results, list) else ():
            told = _result(result) if isinstance(result, dict) else None
            if told is not None:
                found.append(told)
    return tuple(sorted(found, key=lambda r: (r.path, r.rule, r.message)))


def _result(raw: Mapping[str, Any]) -> StaticResult | None:
    level = raw.get("level", "warning")
    if raw.get("suppressions") or raw.get("kind", "fail") != "fail" or level not in _FAILING:
        return None
    message = raw.get("message")
    text = message.get("text") if isinstance(message, dict) else None
    return StaticResult(
        rule=str(raw.get("ruleId") or "unnamed rule"),
        level=str(level),
        message=text if isinstance(text, str) else "",
        path=_path(raw.get("locations")),
    )


def _path(locations: Any) -> str:
    """Return the address of the first place, "" where none is given."""
    value = locations[0] if isinstance(locations, list) and locations else None
    for key in ("physicalLocation", "artifactLocation", "uri"):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def join(
    results: Iterable[ComparisonResult],
    static: Iterable[StaticResult],
    *,
    sources: Mapping[str, tuple[str, ...]],
) -> tuple[dict[str, Any], ...]:
    """Return one row for each measured comparison: what both analyses say, and what that means.

    *sources* gives, by a pattern for tests, designs or labels, the patterns of the source files
    that they are made of. A comparison without sources is joined with every static result.
    Undetermined comparisons are left out: they were not measured.
    """
    from fnmatch import fnmatchcase  # noqa: PLC0415

    every = tuple(static)
    rows = []
    for result in results:
        if is_undetermined(result.status):
            continue
        named = [files for pattern, files in sources.items() if belongs(result, (pattern,))]
        patterns = tuple(p for files in named for p in files)
        own = [
            s
            for s in every
            if not named or any(fnmatchcase(s.path, pattern) for pattern in patterns)
        ]
        rows.append(
            {
                "test_id": result.test_id,
                "label": result.label,
                "visual": result.status,
                "static": len(own),
                "meaning": meaning(visual_passes=result.status == PASS, static_passes=not own),
                "rules": sorted({s.rule for s in own}),
            }
        )
    return tuple(rows)


def meaning(*, visual_passes: bool, static_passes: bool) -> str:
    """Return what two verdicts mean together."""
    if visual_passes:
        return CLEAN if static_passes else POSSIBLE_FALSE_ALARM
    return VISUAL_DISCOVERY if static_passes else CONFIRMED


def counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how often each meaning is among the rows."""
    counted = Counter(str(row["meaning"]) for row in rows)
    return {name: counted[name] for name in sorted(counted)}
