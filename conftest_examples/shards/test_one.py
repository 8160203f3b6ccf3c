"""The tests of one of two shards: ``pytest test_one.py --pixelloop-shard=N/2``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from badges import badge

if TYPE_CHECKING:
    from pytest_pixelloop import AssertMatchesDesign


@pytest.mark.parametrize("size", ["small", "large"])
def test_badge(assert_matches_design: AssertMatchesDesign, size: str) -> None:
    """The badge is the design, whatever it is used for."""
    assert size
    assert_matches_design(badge(), "badge")
