"""What is put together from products of terms is what drawing each pixel anew would give."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.box_lines import summed
from pytest_pixelloop.core.corner_model import (
    MARGIN,
    CornerColors,
    CornerShape,
    drawn_each,
    left_by,
    zone_of,
)
from pytest_pixelloop.core.photo_judgement import correlation

SEEDS = st.integers(0, 9999)


@given(seed=SEEDS, line=st.sampled_from((0.0, 1.0, 2.5)), shaded=st.booleans())
def test_what_a_radius_leaves_of_a_corner_is_what_drawing_it_leaves(
    seed: int, *, line: float, shaded: bool
) -> None:
    """The squared levels left by each radius are those between its drawing and the pixels."""
    rng = np.random.default_rng(seed)

    def levels(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return rng.uniform(0, 255, shape).astype(np.float32)

    shape = CornerShape(22, 15, 6.0, line, MARGIN + 0.3, MARGIN - 0.2, shaded)
    radii = np.array([0.0, 3.5, 6.0, 15.0], np.float32)
    each = len(radii)
    colors = CornerColors(
        outside=levels(1, 3),
        inside=levels(1, 3),
        line=levels(1, 3),
        x=np.array([shape.x], np.float32),
        y=np.array([shape.y], np.float32),
        shaded=np.array([shaded]),
        fades=levels(1, 2, MARGIN, 3),
    )
    zone = zone_of(shape)
    pixels = levels(len(zone[0]), 3)
    whole = colors.of(np.zeros(each, np.intp))
    shown = drawn_each(whole, [zone] * each, radii, np.full(each, line, np.float32))
    expected = ((shown.reshape(each, -1, 3) - pixels) ** 2).sum(axis=(1, 2))
    left = left_by(radii, pixels, colors.of(0), zone, line=line)
    assert left == pytest.approx(expected, rel=1e-4)


@given(seed=SEEDS)
def test_what_a_line_leaves_of_a_profile_is_what_drawing_it_leaves(seed: int) -> None:
    """Of the rows that count, the sums are those of what outside, line and inside leave."""
    rng = np.random.default_rng(seed)
    pixels, outside, inside = (rng.uniform(0, 255, (2, 8, 3)) for _ in range(3))
    color, counted = rng.uniform(0, 255, (2, 3)), rng.random((2, 8)) < 0.8
    line = rng.uniform(0, 0.5, (2, 5, 8))
    inner = rng.uniform(0, 0.5, (2, 5, 8))
    sums = summed(pixels, (outside, inside), (line, inner), color=color, counted=counted)
    shares, within = line[..., None], inner[..., None]
    shown = (1 - shares - within) * outside[:, None] + within * inside[:, None]
    rest = (pixels[:, None] - shown - shares * color[:, None, None]) * counted[:, None, :, None]
    assert sums.left == pytest.approx((rest**2).sum(axis=(2, 3)))
    assert sums.lined == pytest.approx((rest * shares).sum(axis=2), abs=1e-6)
    assert sums.weight == pytest.approx((line**2 * counted[:, None]).sum(axis=2))


@given(seed=SEEDS, noise=st.floats(0, 200))
def test_the_correlation_of_two_pictures_is_that_of_a_matched_template(
    seed: int, noise: float
) -> None:
    """Means of squares tell the same as matching one picture as a template of the other."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 256, (13, 17)).astype(np.uint8)
    second = np.clip(first * 0.7 + 20 + rng.normal(0, noise, first.shape), 0, 255).astype(np.uint8)
    matched = cv2.matchTemplate(first, second, cv2.TM_CCOEFF_NORMED)[0, 0]
    assert correlation(first, second) == pytest.approx(float(matched), abs=1e-4)


def test_flat_pictures_are_not_alike() -> None:
    """A picture of one colour correlates with nothing."""
    flat = np.full((5, 5), 90, np.uint8)
    assert correlation(flat, flat) == 0.0
