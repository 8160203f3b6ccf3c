"""A text whose strokes are as flat as a fill is judged by its colour alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_pixelloop.core.calibration import Calibration
from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.ink import Ink
from pytest_pixelloop.core.judged_nodes import JudgedNode, judged_nodes
from pytest_pixelloop.core.reading import Reading
from pytest_pixelloop.core.text_signs import color_strength

WHITE = np.full(3, 255, np.float32)
GRAY_800, GRAY_900 = np.array([31, 41, 55]), np.array([17, 24, 39])


def _text() -> JudgedNode:
    label = DesignNode(
        id="1:2", name="Title", type="TEXT", characters="Customers", box=Box(0, 0, 80, 18),
        properties={"style": {"fontSize": 15, "fontWeight": 700}},
    )  # fmt: skip
    root = DesignNode(id="1:1", name="Bar", type="FRAME", box=Box(0, 0, 80, 18), children=(label,))
    return judged_nodes(root, scale=1.0, shape=(18, 80))[1]


def _ink(color: np.ndarray, *, covered: float) -> Ink:
    coverage = np.full((18, 80), covered, np.float32)
    coverage[:6] = 1.0 if covered else 0.0
    step = (WHITE - color).astype(np.float32)
    return Ink(
        backdrop=WHITE, color=color.astype(np.float32), contrast=float(np.linalg.norm(step)),
        coverage=coverage, total=coverage.sum(dtype=np.float64) * step, plain=True,
    )  # fmt: skip


def _strength(*, thin: bool, actual: np.ndarray) -> float:
    """Return how strongly a darker ink of usual mass speaks for another colour."""
    expected, found = (_ink(c, covered=0.5) for c in (GRAY_800, actual))
    if thin:
        for ink in (expected, found):
            ink.coverage[:] = 0.5
            ink.coverage[0, :4] = 1.0
    reading = Reading(
        at=1, expected_ink=expected, actual_ink=found, amount_ratio=1.0,
        contrast_ratio=found.contrast / expected.contrast,
    )  # fmt: skip
    return color_strength(_text(), reading, Calibration())


def test_flat_ink_one_token_step_darker_is_another_color() -> None:
    """Its amount says nothing: a bold text has less ink than the page's others anyway."""
    assert _strength(thin=False, actual=GRAY_900) > 1


def test_flat_ink_of_the_same_color_is_not() -> None:
    """Not a sign of it."""
    assert _strength(thin=False, actual=GRAY_800) < 0.1


@pytest.mark.parametrize("actual", [GRAY_900, GRAY_800])
def test_the_darkest_part_of_thin_ink_is_no_sign_alone(actual: np.ndarray) -> None:
    """Rasterisers blur it."""
    assert _strength(thin=True, actual=actual) < 0.5


@pytest.mark.parametrize(("tint", "told"), [(0.1, True), (0.7, False)])
def test_what_a_photo_adds_to_ink_has_no_say_in_its_hue(*, tint: float, told: bool) -> None:
    """Where most of what is off a gradient is no ink in both pictures, its sum is the photo's."""
    expected, actual = (
        replace(_ink(GRAY_800, covered=0.5), levelled=True, tint=tint) for _ in range(2)
    )
    actual.total[:] = actual.total * (1.0, 1.0, 0.8)
    reading = Reading(
        at=1, expected_ink=expected, actual_ink=actual, amount_ratio=1.0, contrast_ratio=1.0
    )

    assert (color_strength(_text(), reading, Calibration()) > 1) is told
