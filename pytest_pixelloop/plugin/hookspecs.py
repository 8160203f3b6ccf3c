"""The hooks that this plugin calls, for conftest files and other plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.fix_brief import FixBrief


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


@pytest.hookspec(firstresult=True)
def pytest_pixelloop_fix(
    brief: FixBrief, iteration: int, item: pytest.Item, config: pytest.Config
) -> bool | Mapping[str, Any] | None:
    """Repair the page of *item* before *iteration* is measured, in place of a fix command.

    ``brief`` is what a fix command is told: ``brief.text`` (40 lines at most), ``brief.record``
    (what ``brief.json`` holds, every open finding), ``brief.text_path`` and ``brief.json_path``,
    ``brief.seconds`` (how long it may take), ``brief.variables`` (the ``PIXELLOOP_*`` variables,
    for a command that the hook starts itself).

    Return None for not having taken this fix: the next implementation is asked. Return True for
    done, False for failed, or a mapping, every key of which may be left out: ``{"ok": True,
    "message": "...", "cost_usd": 0.12, "tokens": 3400}`` (``input_tokens`` and ``output_tokens`` in
    place of ``tokens``). Whether anything changed is seen in the sources and not taken from here.

    What it raises, and what else it returns, is a failed fix with that message; only Ctrl-C and
    ``pytest.exit()`` pass. What it prints is kept in the fix's log. It cannot be stopped: the time
    it takes counts, and is asked about afterwards.
    """
