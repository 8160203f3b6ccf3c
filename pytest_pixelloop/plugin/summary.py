"""What the session says: a header line, and a section with each visual test's result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_pixelloop.plugin.hooks import PixelloopPlugin

#: How many tests that match are named one by one; the others are counted.
NAMED = 20
MATCHING = frozenset({"pass", "converged"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One visual test's result, as its last report told it."""

    nodeid: str
    status: str
    score: str
    iterations: int
    path: str
    environment: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class TerminalSummary:
    """Collects rows from reports, whichever process they come from, and prints them."""

    def __init__(self, plugin: PixelloopPlugin) -> None:
        self._plugin = plugin
        self._rows: dict[str, Row] = {}

    @pytest.hookimpl
    def pytest_report_header(self) -> str | None:
        """Say what this session does, when there is anything visual to do."""
        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415

        try:
            return header(self._plugin)
        except PixelloopError as error:
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a visual test came to, and print a worker's lines."""
        figures: Any = report
        lines = getattr(figures, "pixelloop_lines", ())
        if lines and hasattr(figures, "node"):  # only reports of pytest-xdist have one
            for line in lines:
                self._plugin.say(f"{report.nodeid}: {line}")
        if not hasattr(figures, "pixelloop_status"):
            return
        self._rows[report.nodeid] = Row(
            nodeid=report.nodeid,
            status=figures.pixelloop_status,
            score=figures.pixelloop_score,
            iterations=figures.pixelloop_iterations,
            path=figures.pixelloop_path,
            environment=tuple(getattr(figures, "pixelloop_environment", ())),
            notices=tuple(getattr(figures, "pixelloop_notices", ())),
        )

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print each visual test's status, score and path, those that do not match first."""
        for nodeid, figures in self._plugin.run.unreported().items():
            self._rows.setdefault(nodeid, Row(nodeid=nodeid, **figures))
        notes = self._plugin.settings.cap.notes if self._plugin.settings.loop else ()
        if not self._rows and not notes:
            return
        terminalreporter.section("pixelloop")
        for note in notes:
            terminalreporter.write_line(note)
        for line in changes(list(self._rows.values())):
            terminalreporter.write_line(line)
        for line in table(list(self._rows.values())):
            terminalreporter.write_line(line)


def header(plugin: PixelloopPlugin) -> str | None:
    """Return the header line, None for a suite that has nothing to do with designs."""
    settings = plugin.settings
    if not (settings.loop or settings.run_id or settings.designs.is_dir()):
        return None
    designs = settings.relative(settings.designs)
    missing = "" if settings.designs.is_dir() else " (missing)"
    if settings.loop or settings.run_id:
        where = f"run {plugin.run.open().run_id}"
    else:
        where = f"runs in {settings.relative(settings.run_root)}/"
    cap = settings.cap
    mode = f"loop (cap {cap.value} by {cap.source})" if settings.loop else "gate"
    if plugin.run.left_by is not None:
        where += f" (left without an end by {plugin.run.left_by})"
    return f"pixelloop: {mode}, designs in {designs}/{missing}, {where}"


def changes(rows: list[Row]) -> list[str]:
    """Return what is said first: which tests were measured in another environment than before."""
    from pytest_pixelloop.core.fingerprint import environment_line  # noqa: PLC0415

    told: dict[tuple[str, ...], list[str]] = {}
    for row in sorted(rows, key=lambda row: row.nodeid):
        if row.environment:
            told.setdefault(row.environment, []).append(row.nodeid)
    return [
        f"{environment_line(names)} ({tests[0]}"
        + (f" and {len(tests) - 1} more" if len(tests) > 1 else "")
        + ")"
        for names, tests in told.items()
    ]


def table(rows: list[Row]) -> list[str]:
    """Return the lines of the summary: what does not match first, then by node id."""
    rows = sorted(rows, key=lambda row: (row.status in MATCHING, row.nodeid))
    matching = [row for row in rows if row.status in MATCHING]
    shown = rows if len(matching) <= NAMED else rows[: len(rows) - len(matching)]
    width = max((len(row.status) for row in shown), default=0)
    lines: list[str] = []
    for row in shown:
        lines.append(f"{row.status:<{width}}  {row.nodeid}  score {row.score}  {row.path}")
        lines.extend(f"  warning: {text}" for text in row.notices)
    if len(shown) < len(rows):
        warned = sum(1 for row in matching if row.notices)
        lines.append(
            f"and {len(matching)} tests that match their design"
            + (f", {warned} with warnings in their reports" if warned else "")
        )
    return lines
