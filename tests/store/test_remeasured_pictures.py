"""A comparison made again from its stored pictures, as far as pictures go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from measured_run import measure, picture

from pytest_pixelloop.core.reevaluation import check_report
from pytest_pixelloop.core.remeasurement import remeasure

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("gate", ["pixel", "design", "snapshot"])
@pytest.mark.parametrize("wrong", [0, 1, 8, 20])
def test_an_honest_report_is_what_its_pictures_and_its_own_words_give(
    tmp_path: Path, gate: str, wrong: int
) -> None:
    """Whatever the gate and the verdict, nothing differs."""
    (report,) = measure(wrong, gate, tmp_path).reports
    assert check_report(dict(report)) == ()
    again = remeasure(report, picture(0), picture(wrong))
    assert (again.differences, again.whole) == ((), True)


@pytest.mark.parametrize(
    ("change", "why", "pixels"),
    [
        ({"design": {"node": "1:2"}}, "node tree", True),
        ({"judgements": {"applied": [{}]}}, "judgements", True),
        ({"screenshot": {"regions": [{}]}}, "matching levels", True),
        ({"screenshot": {"masks": [[0, 0, 1, 1]]}}, "masks", False),
        ({"pixels": {}}, "nothing was compared", False),
    ],
)
def test_what_pictures_cannot_tell_is_said(
    tmp_path: Path, change: dict[str, Any], why: str, *, pixels: bool
) -> None:
    """The pixel figures are made again where they can be, and the reason is named for the rest."""
    (report,) = measure(8, "pixel", tmp_path).reports
    spoiled = {**report, **{k: {**report[k], **v} if v else v for k, v in change.items()}}
    again = remeasure(spoiled, picture(0), picture(20))
    assert why in str(again.why_not)
    assert (again.whole, again.pixels) == (False, pixels)
    assert bool(again.differences) == pixels
