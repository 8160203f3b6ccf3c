"""What the plugin keeps on pytest's own objects: keys of stashes, and the test now running."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_pixelloop.capture.page_route import PageRoute
    from pytest_pixelloop.plugin.hooks import PixelloopPlugin
    from pytest_pixelloop.plugin.visual_test import VisualTest

#: On the config: the plugin object of this session.
plugin_key: pytest.StashKey[PixelloopPlugin] = pytest.StashKey()
#: On an item: its visual test, from the first use of a fixture or the first iteration on.
test_key: pytest.StashKey[VisualTest] = pytest.StashKey()
#: On an item: the pages whose way is kept in the iteration that runs.
routes_key: pytest.StashKey[list[PageRoute]] = pytest.StashKey()
#: On an item of a worker: what is wrong with its marker.
wrong_marker_key: pytest.StashKey[str] = pytest.StashKey()
#: The item whose call phase is running in this context; how an imported assertion finds its test.
running_item: ContextVar[pytest.Item | None] = ContextVar("pixelloop_running_item", default=None)
