"""Sums and medians of many runs at once are those of each run by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.pixel_runs import runs_of
from pytest_pixelloop.core.side_strips import SIDES, Strips, read_strips

RUNS = st.lists(
    st.lists(st.one_of(st.integers(0, 3), st.integers(0, 4095)), min_size=1, max_size=9),
    min_size=1,
    max_size=8,
)


@given(parts=RUNS)
def test_medians_of_runs_are_those_of_each_run(parts: list[list[int]]) -> None:
    """Whether most values are alike or none is, each run has the median that it has alone."""
    values = np.array([v for part in parts for v in part])
    runs = runs_of([len(part) for part in parts])
    assert runs.medians(values).tolist() == [float(np.median(p)) for p in parts]
    assert runs.upper_medians(values).tolist() == [sorted(p)[len(p) // 2] for p in parts]
    assert runs.sums(values).tolist() == [sum(p) for p in parts]
    assert runs.largest(values).tolist() == [max(p) for p in parts]


def strips(*rects: tuple[int, int, int, int], side: str, out: int, into: int) -> Strips:
    """Return the same side of some rectangles."""
    each = np.ones(len(rects), np.intp)
    return Strips(SIDES.index(side) * each, np.array(rects), out * each, into * each, 0 * each)


@given(seed=st.integers(0, 999), level=st.sampled_from((2, 256)))
def test_median_colours_are_taken_by_channel(seed: int, level: int) -> None:
    """Whether one colour is most of a run or not, each channel has the median it has alone."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, level, (30, 4), dtype=np.uint16).astype(np.uint8)
    pixels[:8] = pixels[0]
    runs = runs_of([8, 9, 13])
    words = pixels.view(np.uint32)[:, 0]
    parts = pixels[:8, :3], pixels[8:17, :3], pixels[17:, :3]
    assert runs.colors(words).tolist() == [np.median(p, axis=0).tolist() for p in parts]
    upper = [np.sort(p, axis=0)[len(p) // 2].tolist() for p in parts]
    assert runs.upper_colors(words).tolist() == upper


@given(seed=st.integers(0, 999), level=st.sampled_from((2, 256)))
def test_profiles_of_many_sides_are_those_of_each_side(seed: int, level: int) -> None:
    """A side's profile is the higher median along it, from outside to inside, by channel."""
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, level, (40, 50, 4), dtype=np.uint16).astype(np.uint8)
    words = picture.view(np.uint32)[..., 0]
    rect = (12, 10, 38, 30)  # 26 x 20: a fifth at either end is left out
    four = np.ones(4, np.intp)
    asked = Strips(np.arange(4), np.array([rect] * 4), 3 * four, np.array([4, 4, 4, 2]), 0 * four)
    left, top, right, bottom = read_strips(words, asked).colors
    upright = np.sort(picture[14:26, :, :3], axis=0)[6]
    level_ = np.sort(picture[:, 17:33, :3], axis=1)[:, 8]
    assert left.tolist() == upright[9:16].tolist()
    assert right.tolist() == upright[34:41][::-1].tolist()
    assert top.tolist() == level_[7:14].tolist()
    shorter = level_[28:33][::-1]
    assert bottom.tolist() == [*shorter.tolist(), *[shorter[-1].tolist()] * 2]


def test_rows_beyond_the_picture_are_unknown() -> None:
    """Rows of a profile that lie beyond the picture are unknown, and so is a side beyond it."""
    words = np.zeros((20, 20), np.uint32)
    found = read_strips(words, strips((2, 4, 18, 16), (2, 30, 18, 40), side="left", out=5, into=3))
    assert found.known[0].tolist() == [False] * 3 + [True] * 5
    assert found.present.tolist() == [True, False]
