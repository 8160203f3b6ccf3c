"""The ``snapshot`` gate: the arithmetic of Playwright's toHaveScreenshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.gate_snapshot import allowed_pixels
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judging import judge
from pytest_pixelloop.core.tolerance import Tolerance, resolve_tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.verdict import Judgement


def _picture(differing: int = 0, *, height: int = 100) -> NDArray[np.uint8]:
    image = np.full((height, 100, 4), 255, dtype=np.uint8)
    image[10 : 10 + differing // 50, 0:50, :3] = 0
    return image


def _judged(
    actual: NDArray[np.uint8],
    limits: dict[str, float] | None = None,
    *,
    masks: tuple[Box, ...] = (),
) -> Judgement:
    design = Design(name="a", label="a", image=_picture(), frame=(100, 100), scale=1)
    capture = Capture(image=actual, scale=1, source="test", masks=masks)
    tolerance = resolve_tolerance(call=limits or {}, gate="snapshot")
    return judge(design, capture, gate="snapshot", tolerance=tolerance)


@pytest.mark.parametrize(
    ("differing", "limits", "status"),
    [
        (0, {}, "pass"),
        (50, {}, "fail"),
        (100, {"max_diff_pixels": 100}, "pass"),
        (100, {"max_diff_pixels": 99}, "fail"),
        (100, {"max_diff_pixel_ratio": 0.01}, "pass"),
        (150, {"max_diff_pixel_ratio": 0.01}, "fail"),
        (100, {"max_diff_pixels": 1000, "max_diff_pixel_ratio": 0.001}, "fail"),
        (100, {"max_diff_pixels": 10, "max_diff_pixel_ratio": 0.5}, "fail"),
        (100, {"max_diff_pixels": 0}, "fail"),
        (100, {"threshold": 1}, "pass"),
    ],
)
def test_the_stricter_limit_wins_and_no_limit_is_none(
    differing: int, limits: dict[str, float], status: str
) -> None:
    """As many pixels as allowed pass, one more fails; without a limit none may differ."""
    judgement = _judged(_picture(differing), limits)
    assert judgement.status == status
    assert (judgement.score == 0) is (status == "pass")
    assert any(f.gating for f in judgement.findings) is (status == "fail")


def test_another_size_fails_whatever_is_allowed() -> None:
    """A picture of another size is a fail of its own, as in Playwright."""
    judgement = _judged(_picture(height=120), {"max_diff_pixel_ratio": 1})
    assert judgement.status == "fail"
    assert [f.kind for f in judgement.findings if f.kind == "size"] == ["size"]


def test_masked_pixels_are_equal() -> None:
    """What a mask covers does not differ."""
    assert _judged(_picture(100), masks=(Box(0, 5, 60, 20),)).status == "pass"
    assert _judged(_picture(100), masks=(Box(0, 50, 60, 20),)).status == "fail"


def test_the_threshold_is_playwrights_where_nobody_says_another() -> None:
    """0.2 for snapshots, 0.1 for the other gates; 0 is a value."""
    assert resolve_tolerance(gate="snapshot").threshold == 0.2
    assert resolve_tolerance(gate="pixel").threshold == 0.1
    assert resolve_tolerance(gate="snapshot", ini={"threshold": 0}).threshold == 0


@given(
    pixels=st.none() | st.integers(0, 10_000),
    ratio=st.none() | st.floats(0, 1),
    area=st.integers(1, 10_000),
)
def test_the_limit_is_never_above_either(
    pixels: int | None, ratio: float | None, area: int
) -> None:
    """The allowed number is the smaller of the limits that are given."""
    allowed = allowed_pixels(Tolerance(max_diff_pixels=pixels, max_diff_pixel_ratio=ratio), area)
    given_limits = [x for x in (pixels, None if ratio is None else ratio * area) if x is not None]
    assert allowed == (min(given_limits) if given_limits else 0)
