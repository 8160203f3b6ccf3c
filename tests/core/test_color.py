"""Colour distance: the published CIEDE2000 data and the steps a designer would file as a bug."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_pixelloop.core.color import (
    ciede2000,
    color_differs,
    delta_e,
    hex_color,
    oklab_distance,
    srgb_to_lab,
)

# Sharma, Wu, Dalal (2005), table 1: L1 a1 b1 L2 a2 b2 dE00.
SHARMA = np.array(
    [
        [50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425],
        [50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615],
        [50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412],
        [50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000],
        [50, -1.1848, -84.8006, 50, 0, -82.7485, 1.0000],
        [50, -0.9009, -85.5211, 50, 0, -82.7485, 1.0000],
        [50, 0, 0, 50, -1, 2, 2.3669],
        [50, -1, 2, 50, 0, 0, 2.3669],
        [50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792],
        [50, 2.4900, -0.0010, 50, -2.4900, 0.0010, 7.1792],
        [50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195],
        [50, 2.4900, -0.0010, 50, -2.4900, 0.0012, 7.2195],
        [50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045],
        [50, -0.0010, 2.4900, 50, 0.0010, -2.4900, 4.8045],
        [50, -0.0010, 2.4900, 50, 0.0011, -2.4900, 4.7461],
        [50, 2.5, 0, 50, 0, -2.5, 4.3065],
        [50, 2.5, 0, 73, 25, -18, 27.1492],
        [50, 2.5, 0, 61, -5, 29, 22.8977],
        [50, 2.5, 0, 56, -27, -3, 31.9030],
        [50, 2.5, 0, 58, 24, 15, 19.4535],
        [50, 2.5, 0, 50, 3.1736, 0.5854, 1.0000],
        [50, 2.5, 0, 50, 3.2972, 0, 1.0000],
        [50, 2.5, 0, 50, 1.8634, 0.5757, 1.0000],
        [50, 2.5, 0, 50, 3.2592, 0.3350, 1.0000],
        [60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644],
        [63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630],
        [61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731],
        [35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645],
        [22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373],
        [36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146],
        [90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441],
        [90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381],
        [6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377],
        [2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082],
    ]
)


def test_ciede2000_gives_the_published_distances_in_both_directions() -> None:
    """CIEDE2000 is the published formula to four decimals, and symmetric."""
    there = ciede2000(SHARMA[:, :3], SHARMA[:, 3:6])
    back = ciede2000(SHARMA[:, 3:6], SHARMA[:, :3])
    np.testing.assert_allclose(there, SHARMA[:, 6], atol=5e-5)
    np.testing.assert_allclose(back, there, atol=1e-9)


def test_lab_of_white_black_and_primary_red() -> None:
    """White is L* 100 without a tint, black is 0, red is the known value."""
    lab = srgb_to_lab([[255, 255, 255], [0, 0, 0], [255, 0, 0]])
    np.testing.assert_allclose(lab[0], [100, 0, 0], atol=1e-6)
    np.testing.assert_allclose(lab[1], [0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(lab[2], [53.24, 80.09, 67.20], atol=0.02)


@pytest.mark.parametrize(
    ("expected", "actual", "tolerance", "differs"),
    [
        ((0, 254, 252), (94, 254, 252), 1.0, False),  # 2.42 in CIEDE2000, seen by nobody
        ((0, 254, 252), (94, 254, 252), 2.0, False),
        ((255, 255, 255), (243, 244, 246), 2.0, True),  # white to gray-100: 2.47
        ((255, 255, 255), (249, 250, 251), 1.0, True),  # white to gray-50: 1.20
        ((249, 250, 251), (243, 244, 246), 1.0, True),  # gray-50 to gray-100: 1.32
        ((217, 217, 217), (204, 204, 204), 2.0, True),  # a border, 3.08
        ((37, 99, 235), (29, 78, 216), 2.0, True),  # blue-600 to blue-700
        ((200, 200, 200), (201, 201, 201), 1.0, False),  # rounding of one level
        ((10, 10, 10), (10, 10, 10), 0.0, False),
        ((10, 10, 10), (11, 11, 11), 0.0, True),
    ],
)
def test_color_differs(
    expected: tuple[int, int, int], actual: tuple[int, int, int], tolerance: float, *, differs: bool
) -> None:
    """One token step differs, rounding and oversensitive cyan do not, 0 means any."""
    assert color_differs(expected, actual, tolerance=tolerance) is differs
    assert color_differs(actual, expected, tolerance=tolerance) is differs


def test_distances_of_white_and_black_are_the_scale() -> None:
    """White to black is 100 in CIEDE2000 and 1 in OKLab."""
    assert delta_e((255, 255, 255), (0, 0, 0)) == pytest.approx(100, abs=1e-6)
    assert oklab_distance((255, 255, 255), (0, 0, 0)) == pytest.approx(1, abs=1e-6)


def test_hex_color_rounds_and_clips() -> None:
    """Colours print as six hexadecimal digits."""
    assert hex_color((36.6, 99.4, 260.0)) == "#2563ff"
