"""The hooks that this plugin calls, for conftest files and other plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.capture import Capture


@pytest.hookspec
def pytest_pixelloop_vision(capture: Capture) -> Mapping[str, Any] | Sequence[Any] | None:
    """Look at a captured picture and return what is wrong with it.

    ``capture.image`` is the picture, RGBA, in device px. Return a list of findings, or a mapping
    ``{"findings": [...], "tokens": 1200, "cost_usd": 0.004}``, or None for not having looked. A
    finding is ``{"message": ..., "priority": "P0"|"P1"|"P2", "box": [x, y, w, h]}``, the box in CSS
    px of the picture and not required.

    Called once a run for equal pictures. The findings are of the appearance channel, marked
    ``source: vision``; P0 fails there, and no other channel is touched. What is not of this form,
    and what raises, is no finding: the channel then says that it was not run, and why.
    """
