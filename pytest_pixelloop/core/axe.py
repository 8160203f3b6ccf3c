"""What axe-core says of a page, as values: rules that were violated, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.appearance import Issue, Priority

if TYPE_CHECKING:
    from pytest_pixelloop.core.geometry import Box

NOT_INSTALLED = "not run: axe-core is not installed (pip install 'pytest-pixelloop[axe]')"
_GRAVE = frozenset(("critical", "serious"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AxeViolation:
    """One rule that one element violates. ``impact`` is axe's word."""

    rule: str
    impact: str
    help: str
    selector: str
    url: str = ""
    box: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AxeReport:
    """The violations, or in ``reason`` why there is no answer. ``version`` is axe-core's."""

    violations: tuple[AxeViolation, ...] = ()
    version: str = ""
    reason: str = ""

    def issues(self) -> tuple[Issue, ...]:
        """Return the violations as issues: P1 where axe calls it critical or serious, else P2."""
        return tuple(
            Issue(
                check="axe",
                message=f"{v.rule}: {v.help} ({v.selector})",
                box=v.box,
                actual=v.impact,
                at=v.selector,
                priority=Priority.P1 if v.impact in _GRAVE else Priority.P2,
                source="axe",
                evidence={"rule": v.rule, "impact": v.impact, "help_url": v.url},
            )
            for v in self.violations
        )

    def as_record(self) -> dict[str, Any]:
        """Return what the channel's record says of axe."""
        if self.reason:
            return {"status": self.reason}
        return {
            "status": "compared",
            "version": self.version,
            "violations": len(self.violations),
        }
