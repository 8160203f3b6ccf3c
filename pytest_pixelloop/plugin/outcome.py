"""What one run of a test says: the recorded comparisons and how the test itself ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest

    from pytest_pixelloop.core.verdict import ComparisonReport


def outcome_of(
    report: pytest.TestReport,
    error: BaseException | None,
    *,
    statuses: tuple[str, ...],
    lets_through: Callable[[str], bool],
    looping: bool,
) -> tuple[str, str | None]:
    """Return the status of a run of the test, and in one line why where the test itself tells.

    The comparisons decide. They do not when the test ended for a reason of its own: then nothing
    may be fixed because of them and nothing may be called converged, so the status is
    ``undetermined:`` with ``test-error``, ``setup-error``, ``skipped``, ``expected-failure`` or
    ``configuration``; and ``not-asserted`` where a looped test passes in spite of its verdict.
    """
    from pytest_pixelloop.core.verdict import combine_statuses, is_undetermined  # noqa: PLC0415

    recorded = combine_statuses(statuses)
    expected = hasattr(report, "wasxfail")
    if not looping and (report.passed or expected):
        return recorded, None
    if report.skipped:
        return f"undetermined:{'expected-failure' if expected else 'skipped'}", _words(error)
    if report.passed and (lets_through(recorded) or is_undetermined(recorded)):
        return recorded, None
    if report.passed:
        return "undetermined:not-asserted", f"the test passes although its verdict is {recorded}"
    if (
        error is not None
        and statuses
        and not lets_through(recorded)
        and _is_about_the_verdict(error)
    ):
        return recorded, _words(error)
    return _own_failure(report, error), _words(error) or str(report.longrepr)


def _own_failure(report: pytest.TestReport, error: BaseException | None) -> str:
    from pytest_pixelloop.core.errors import ConfigurationError, UndeterminedError  # noqa: PLC0415

    if isinstance(error, UndeterminedError):
        return error.status
    if isinstance(error, ConfigurationError):
        return "undetermined:configuration"
    return f"undetermined:{'setup' if report.when == 'setup' else 'test'}-error"


def _is_about_the_verdict(error: BaseException) -> bool:
    """Tell whether a test may have raised *error* because of a verdict.

    ``assert verdict.passed`` raises a plain AssertionError, and soft assertions come in groups.
    """
    from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415

    if isinstance(error, BaseExceptionGroup):
        return all(_is_about_the_verdict(inner) for inner in error.exceptions)
    return isinstance(error, AssertionError | UndeterminedError)


def _words(error: BaseException | None) -> str | None:
    if error is None:
        return None
    from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415

    text = error.what if isinstance(error, PixelloopError) else f"{type(error).__name__}: {error}"
    return text.partition("\n")[0]


def problem_of(status: str, reports: Iterable[ComparisonReport]) -> str | None:
    """Return in one line what made comparisons end with *status*; None when none did."""
    from pytest_pixelloop.core.verdict import is_design_side  # noqa: PLC0415

    gathered = is_design_side(status)
    told = [
        f"{r.label}: {r.problem.splitlines()[0]}"
        for r in reports
        if r.problem and (r.status == status or (gathered and is_design_side(r.status)))
    ]
    return "; ".join(told) or None
