"""What two pictures differ by besides the findings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core import unlikeness as module
from pytest_pixelloop.core.perceptual import strays_both_ways, to_lab_bytes
from pytest_pixelloop.core.picture_pair import make_pair
from pytest_pixelloop.core.unlikeness import unlikeness


def _picture(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    picture = np.full((height, width, 4), 255, np.uint8)
    for _ in range(6):
        y, x = int(random.integers(0, height)), int(random.integers(0, width))
        picture[y : y + 9, x : x + 60, :3] = random.integers(0, 256, 3)
    return picture


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(1, 90),
    width=st.integers(1, 700),
    changes=st.integers(0, 4),
    at_once=st.sampled_from((1, 5_000, 160_000)),
)
def test_rows_left_out_add_nothing(
    seed: int, height: int, width: int, changes: int, at_once: int
) -> None:
    """Looking only at strips that differ comes to the same as looking at all of both pictures."""
    random = np.random.default_rng(seed)
    expected = _picture(random, height, width)
    actual = expected.copy()
    for _ in range(changes):
        y, x = int(random.integers(0, height)), int(random.integers(0, width))
        part = actual[y : y + 5, x : x + 40, :3]
        part[:] = random.integers(0, 256, part.shape)
    pair = make_pair(expected, actual, scale=2)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_AT_ONCE", at_once)
        found = unlikeness(pair)
    apart = strays_both_ways(to_lab_bytes(pair.expected), to_lab_bytes(pair.actual))
    total = float(apart.sum()) / 4
    assert found == total / (total + 100_000)
