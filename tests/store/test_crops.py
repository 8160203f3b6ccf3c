"""Crops: the design's part and the page's, side by side, in the iteration's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.store.crops import write_crops
from pytest_pixelloop.store.images import read_image, write_png

if TYPE_CHECKING:
    from pathlib import Path


def _pictures(folder: Path) -> None:
    for name, color in (("e.png", (255, 0, 0, 255)), ("a.png", (0, 0, 255, 255))):
        write_png(folder / name, np.full((100, 200, 4), color, np.uint8))


def test_a_crop_shows_both_sides_around_the_box(tmp_path: Path) -> None:
    """At the picture's scale, with some room around; nothing where the picture ends."""
    _pictures(tmp_path)
    boxes = [("01", [50.0, 20.0, 20.0, 10.0]), ("02", [90.0, 40.0, 40.0, 40.0])]
    made = write_crops(tmp_path, boxes, expected="e.png", actual="a.png", scale=2.0)
    assert made == ("crops/01.png", "crops/02.png")
    first = read_image(tmp_path / "crops/01.png", name="first")
    assert first.shape == (68, 2 * 88 + 4, 4)
    assert tuple(first[30, 10]) == (255, 0, 0, 255)
    assert tuple(first[30, 120]) == (0, 0, 255, 255)
    second = read_image(tmp_path / "crops/02.png", name="second")
    assert tuple(second[-1, -1]) == (0, 0, 0, 0)


def test_pictures_that_are_gone_make_no_crop(tmp_path: Path) -> None:
    """A brief is not worth an error."""
    boxes = [("01", [0.0, 0.0, 5.0, 5.0])]
    assert write_crops(tmp_path, boxes, expected="e.png", actual="a.png", scale=1.0) == (None,)
