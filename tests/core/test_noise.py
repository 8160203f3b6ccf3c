"""How far a page differs from itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.judging import judge
from pytest_pixelloop.core.noise import measure_noise, noise_line
from pytest_pixelloop.core.tolerance import resolve_tolerance

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

TOLERANCE = resolve_tolerance()


def _image(**dots: tuple[int, int]) -> NDArray[np.uint8]:
    image = np.full((40, 60, 4), 255, np.uint8)
    image[10:30, 10:50] = (0, 102, 204, 255)
    for x, y in dots.values():
        image[y : y + 4, x : x + 4] = (204, 0, 0, 255)
    return image


def _noise(*images: NDArray[np.uint8], scale: float = 1) -> dict[str, Any]:
    design = Design(name="d", label="d", image=_image(), frame=(60, 40), scale=scale)
    captures = [Capture(image=image, scale=scale, source="x") for image in images]
    first = judge(design, captures[0], gate="pixel", tolerance=TOLERANCE)
    return measure_noise(
        design, captures[0], first, captures[1:], gate="pixel", tolerance=TOLERANCE
    )


def test_without_repeats_nothing_is_said() -> None:
    """One capture tells nothing of noise."""
    assert _noise(_image()) == {}


def test_equal_captures_have_no_noise() -> None:
    """A page that is the same each time has a floor of 0 and no px that differ."""
    noise = _noise(_image(), _image(), _image())
    assert (noise["floor"], noise["pixels"], noise["box"], noise["varying"]) == (0, 0, None, [])
    assert noise_line(noise) == "noise floor 0.0 over 3 captures, which are equal"


def test_what_moves_is_the_floor() -> None:
    """The floor is the spread of the scores; px, box and findings that vary are told."""
    noise = _noise(_image(), _image(a=(20, 15)), _image(a=(20, 15), b=(40, 25)))
    assert noise["captures"] == 3
    assert noise["floor"] > 0
    assert noise["pixels"] == 32
    assert noise["box"] == [20, 15, 24, 14]
    assert noise["varying"]
    assert "at most 32 px differ, in 24x14 px at (20, 15)" in noise_line(noise)


def test_size_that_varies_is_told() -> None:
    """Captures of several sizes cannot be laid over each other; that is said."""
    taller = np.concatenate([_image(), _image()])
    noise = _noise(_image(), taller)
    assert noise["sizes"] == [[60, 40], [60, 80]]
    assert noise_line(noise).endswith("whose sizes differ")
