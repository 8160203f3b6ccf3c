"""What a test's comparisons need, kept from the plan for the reports: also of what has none."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import UndeterminedError

if TYPE_CHECKING:
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.verdict import ComparisonReport
    from pytest_pixelloop.sources.folder import PlannedComparison


class Plans:
    """The plans of one iteration by the label that each comparison has in it."""

    def __init__(self) -> None:
        self._records: dict[str, dict[str, Any]] = {}

    def load(self, planned: PlannedComparison) -> Design:
        """Return the design of a planned comparison; that, or why there is none, is noted."""
        from pytest_pixelloop.sources.folder import load_design  # noqa: PLC0415
        from pytest_pixelloop.sources.plan_record import plan_record  # noqa: PLC0415

        try:
            design = load_design(planned)
        except UndeterminedError as error:
            self._records[planned.label] = plan_record(planned, error)
            raise
        self._records[planned.label] = plan_record(planned, design)
        return design

    def renamed(self, label: str, now: str) -> None:
        """Note that a comparison goes by another label, since its own is taken."""
        if label in self._records:
            self._records[now] = {**self._records[label], "label": now}

    def hold_out(self, label: str) -> bool:
        """Tell whether a comparison is held out."""
        return self._records.get(label, {}).get("hold_out") is True

    def onto(self, report: ComparisonReport) -> ComparisonReport:
        """Return *report* with what its comparison needs, and with whose design it is."""
        record = self._records.get(report.label, {})
        named: dict[str, Any] = {key: record[key] for key in ("name", "hold_out") if key in record}
        return dataclasses.replace(report, plan=record, design=report.design or named)
