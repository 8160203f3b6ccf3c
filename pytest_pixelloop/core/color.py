"""Colour as people see it: sRGB to CIELAB and OKLab, CIEDE2000, and when two colours differ.

CIEDE2000 follows Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula: implementation
notes, supplementary test data, and mathematical observations" (2005). OKLab follows Ottosson,
"A perceptual color space for image processing" (2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _TO_XYZ.sum(axis=1)  # D65, and the white of sRGB itself: no tint
_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_OKLAB_PER_DELTA_E = 70.0
"""CIEDE2000 units in one OKLab unit, on the lenient side: a grey step of 1 is 0.0145 in OKLab."""
_CHROMA_WEIGHT = 14.5
"""CIEDE2000's S_C = 1 + 0.045 C*, in OKLab's units of chroma (C* 50 is about 0.155 there)."""


def _linear(srgb: ArrayLike) -> NDArray[np.float64]:
    unit = np.asarray(srgb, dtype=np.float64) / 255.0
    return np.asarray(np.where(unit <= 0.04045, unit / 12.92, ((unit + 0.055) / 1.055) ** 2.4))


def srgb_to_lab(srgb: ArrayLike) -> NDArray[np.float64]:
    """Return CIELAB (D65) of sRGB colours 0..255; the last axis holds the three channels."""
    ratio = _linear(srgb) @ _TO_XYZ.T / _WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.stack(
        [
            116 * f[..., 1] - 16,
            500 * (f[..., 0] - f[..., 1]),
            200 * (f[..., 1] - f[..., 2]),
        ],
        axis=-1,
    )


def srgb_to_oklab(srgb: ArrayLike) -> NDArray[np.float64]:
    """Return OKLab of sRGB colours 0..255; the last axis holds the three channels."""
    return np.asarray(np.cbrt(_linear(srgb) @ _TO_LMS.T) @ _TO_OKLAB.T)


def ciede2000(lab1: ArrayLike, lab2: ArrayLike) -> NDArray[np.float64]:
    """Return the CIEDE2000 distance of CIELAB colours; shapes broadcast, the last axis goes."""
    first, second = np.asarray(lab1, np.float64), np.asarray(lab2, np.float64)
    l1, a1, b1 = first[..., 0], first[..., 1], first[..., 2]
    l2, a2, b2 = second[..., 0], second[..., 1], second[..., 2]
    mean_c7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * np.sqrt(mean_c7 / (mean_c7 + 25.0**7))
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1 = np.degrees(np.arctan2(b1, a1)) % 360
    h2 = np.degrees(np.arctan2(b2, a2)) % 360
    gray = c1 * c2 == 0
    turn = np.where(gray, 0.0, (h2 - h1 + 180) % 360 - 180)
    turn = np.where((turn == -180) & (h2 > h1), 180.0, turn)
    mean_h = np.where(np.abs(h1 - h2) <= 180, (h1 + h2) / 2, (h1 + h2 + 360) / 2 % 360)
    mean_h = np.where(gray, h1 + h2, mean_h)
    d_l, d_c = l2 - l1, c2 - c1
    d_h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    return _weighted(d_l, d_c, d_h, mean_l=(l1 + l2) / 2, mean_c=(c1 + c2) / 2, mean_h=mean_h)


def _weighted(
    d_l: NDArray[np.float64],
    d_c: NDArray[np.float64],
    d_h: NDArray[np.float64],
    *,
    mean_l: NDArray[np.float64],
    mean_c: NDArray[np.float64],
    mean_h: NDArray[np.float64],
) -> NDArray[np.float64]:
    t = (
        1
        - 0.17 * np.cos(np.radians(mean_h - 30))
        + 0.24 * np.cos(np.radians(2 * mean_h))
        + 0.32 * np.cos(np.radians(3 * mean_h + 6))
        - 0.20 * np.cos(np.radians(4 * mean_h - 63))
    )
    lightness = (mean_l - 50) ** 2
    s_l = 1 + 0.015 * lightness / np.sqrt(20 + lightness)
    s_c = 1 + 0.045 * mean_c
    s_h = 1 + 0.015 * mean_c * t
    angle = 30 * np.exp(-(((mean_h - 275) / 25) ** 2))
    c7 = mean_c**7
    r_t = -np.sin(np.radians(2 * angle)) * 2 * np.sqrt(c7 / (c7 + 25.0**7))
    dl, dc, dh = d_l / s_l, d_c / s_c, d_h / s_h
    return np.asarray(np.sqrt(np.maximum(dl**2 + dc**2 + dh**2 + r_t * dc * dh, 0.0)))


def delta_e(srgb1: ArrayLike, srgb2: ArrayLike) -> float:
    """Return the CIEDE2000 distance of two sRGB colours 0..255."""
    return float(ciede2000(srgb_to_lab(srgb1), srgb_to_lab(srgb2)))


def oklab_distances(srgb1: ArrayLike, srgb2: ArrayLike) -> NDArray[np.float64]:
    """Return the OKLab distances of sRGB colours 0..255; white to black is 1.

    Differences of chroma and hue count less in saturated colours, by the weights of CIEDE2000:
    plain OKLab has none. Shapes broadcast, the last axis goes.
    """
    first, second = srgb_to_oklab(srgb1), srgb_to_oklab(srgb2)
    chroma1 = np.hypot(first[..., 1], first[..., 2])
    chroma2 = np.hypot(second[..., 1], second[..., 2])
    d_l, d_c = second[..., 0] - first[..., 0], chroma2 - chroma1
    d_h2 = np.maximum(((second - first)[..., 1:] ** 2).sum(axis=-1) - d_c**2, 0.0)
    weight = _CHROMA_WEIGHT * np.sqrt(chroma1 * chroma2)
    return np.asarray(np.sqrt(d_l**2 + (d_c / (1 + weight)) ** 2 + d_h2 / (1 + weight / 3) ** 2))


def oklab_distance(srgb1: ArrayLike, srgb2: ArrayLike) -> float:
    """Return the distance of oklab_distances for two colours."""
    return float(oklab_distances(srgb1, srgb2))


def color_differs(expected: ArrayLike, actual: ArrayLike, *, tolerance: float) -> bool:
    """Tell whether two sRGB colours are visibly different fills at a CIEDE2000 *tolerance*.

    Both CIEDE2000 and OKLab must see it: CIEDE2000 overstates steps of saturated cyan
    (pixelmatch issue 127: #00fefc and #5efefc are 2.4 apart and look the same).
    """
    apart = np.abs(np.asarray(expected, np.float64) - np.asarray(actual, np.float64)).max()
    if apart == 0 or delta_e(expected, actual) <= tolerance:
        return False
    return oklab_distance(expected, actual) > tolerance / _OKLAB_PER_DELTA_E


def hex_color(srgb: ArrayLike) -> str:
    """Return ``#rrggbb`` of one sRGB colour 0..255, rounded and clipped."""
    red, green, blue = (int(v) for v in np.clip(np.rint(np.asarray(srgb, np.float64)), 0, 255))
    return f"#{red:02x}{green:02x}{blue:02x}"
