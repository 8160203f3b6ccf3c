"""One looped test, without pytest."""

from __future__ import annotations

from pytest_pixelloop.core.measurement import LoopSettings, Measurement
from pytest_pixelloop.core.stopping import Decision
from pytest_pixelloop.core.summary import Summary
from pytest_pixelloop.loop.watched import WatchedSources
from pytest_pixelloop.session.loop_session import LoopSession

__all__ = ["Decision", "LoopSession", "LoopSettings", "Measurement", "Summary", "WatchedSources"]
