"""The range test of single pixels against the one of whole pictures."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.perceptual import stray, stray_at, to_lab_bytes


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9))
def test_single_pixels_stray_as_they_do_in_the_whole_picture(
    seed: int, height: int, width: int
) -> None:
    """Looked at alone, every pixel lies as far outside the other picture's range."""
    rng = np.random.default_rng(seed)
    one, other = (rng.integers(0, 256, (height, width, 3), np.uint8) for _ in range(2))
    rows, columns = (i.ravel() for i in np.indices((height, width)))
    alone = stray_at(one, other, rows, columns).reshape(height, width)
    assert np.array_equal(alone, stray(to_lab_bytes(one), to_lab_bytes(other)))
