"""Sums and medians of many runs at once are those of each run by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.pixel_runs import runs_of
from pytest_pixelloop.core.side_strips import Strip, read_strips

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


@given(seed=st.integers(0, 999), level=st.sampled_from((2, 256)))
def test_profiles_of_many_sides_are_those_of_each_side(seed: int, level: int) -> None:
    """A side's profile is the higher median along it, from outside to inside, by channel."""
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, level, (40, 50, 4), dtype=np.uint16).astype(np.uint8)
    words = picture.view(np.uint32)[..., 0]
    rect = (12, 10, 38, 30)  # 26 x 20: a fifth at either end is left out
    left, top, right, bottom = read_strips(
        words, [Strip(side, rect, 3, 4) for side in ("left", "top", "right", "bottom")]
    )
    along = {"upright": picture[14:26, :, :3], "level": picture[:, 17:33, :3]}
    upright = np.sort(along["upright"], axis=0)[6]
    level_ = np.sort(along["level"], axis=1)[:, 8]
    assert left is not None
    assert top is not None
    assert right is not None
    assert bottom is not None
    assert left.colors.tolist() == upright[9:16].tolist()
    assert right.colors.tolist() == upright[34:41][::-1].tolist()
    assert top.colors.tolist() == level_[7:14].tolist()
    assert bottom.colors.tolist() == level_[26:33][::-1].tolist()


def test_rows_beyond_the_picture_are_unknown() -> None:
    """A profile that leaves the picture is NaN there, and a side outside of it has none."""
    words = np.zeros((20, 20), np.uint32)
    near, away = read_strips(
        words, [Strip("left", (2, 4, 18, 16), 5, 3), Strip("left", (2, 30, 18, 40), 5, 3)]
    )
    assert near is not None
    assert np.isnan(near.known()[:, 0]).tolist() == [True] * 3 + [False] * 5
    assert away is None
