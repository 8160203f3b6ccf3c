"""The accessibility tree of what is captured: Playwright's aria snapshot, with frames filled in."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.problems import first_line, playwright_error_types
from pytest_pixelloop.core.accessibility import AccessibilitySnapshot
from pytest_pixelloop.core.aria_tree import read_tree, with_frames
from pytest_pixelloop.core.errors import ConfigurationError

if TYPE_CHECKING:
    from pytest_pixelloop.core.accessibility import AccessibleNode

_PATIENCE_MS = 5_000
_MOST_FRAMES = 20
_TOO_OLD = "this Playwright has no aria snapshots (1.49 or newer has)"


def snapshot_accessibility(
    page: Any, *, locator: Any = None, origin: tuple[float, float] = (0.0, 0.0)
) -> AccessibilitySnapshot:
    """Return roles, names and states of *page*, or of *locator*'s element on it. Never raises.

    The same in every browser: Playwright computes it in a world of its own, open shadow trees
    included, and no page script can change it. *origin* is where the capture's corner lies in CSS
    px of the viewport; boxes count from there. Frames of the same origin are looked into.
    """
    shift = (-origin[0], -origin[1])
    try:
        target = page.locator("html") if locator is None else locator
        text = _snapshot(target)
        root = read_tree(text, shift=shift)
        frames, gaps = _frames(page, text, shift) if locator is None else ({}, ())
    except AttributeError:
        return AccessibilitySnapshot(reason=_TOO_OLD)
    except playwright_error_types() as error:
        return AccessibilitySnapshot(reason=f"the browser gave none: {first_line(error)}")
    except ConfigurationError as error:
        return AccessibilitySnapshot(reason=f"it cannot be read: {error.what}")
    return AccessibilitySnapshot(root=with_frames(root, frames), gaps=gaps)


def _snapshot(target: Any) -> str:
    try:
        return str(target.aria_snapshot(boxes=True, timeout=_PATIENCE_MS))
    except TypeError:  # before Playwright could add boxes
        return str(target.aria_snapshot(timeout=_PATIENCE_MS))


def _frames(
    page: Any, text: str, shift: tuple[float, float]
) -> tuple[dict[int, AccessibleNode], tuple[str, ...]]:
    """Return the trees of the page's frames by the order of their elements, and what is missing.

    Only the frames of the page itself: what a frame frames again stays an ``iframe`` node.
    """
    if "iframe" not in text:
        return {}, ()
    shown = [frame for frame in page.main_frame.child_frames if _is_shown(frame)]
    if text.count("- iframe") != len(shown):
        return {}, ("frames are not looked into: not all of them are told apart",)
    trees: dict[int, AccessibleNode] = {}
    gaps: list[str] = []
    for number, frame in enumerate(_in_document_order(page, shown)[:_MOST_FRAMES]):
        if not _is_same_origin(frame):
            gaps.append("a frame of another origin is not looked into")
            continue
        with contextlib.suppress(*playwright_error_types()):
            element = frame.frame_element()
            box = element.bounding_box() or {"x": 0.0, "y": 0.0}
            left, top = element.evaluate("e => [e.clientLeft, e.clientTop]")
            inner = _snapshot(frame.locator("html"))
            place = (shift[0] + box["x"] + left, shift[1] + box["y"] + top)
            trees[number] = read_tree(inner, shift=place)
    return trees, tuple(dict.fromkeys(gaps))


def _is_shown(frame: Any) -> bool:
    with contextlib.suppress(*playwright_error_types()):
        return bool(frame.frame_element().is_visible())
    return False


def _in_document_order(page: Any, frames: list[Any]) -> list[Any]:
    handles = [frame.frame_element() for frame in frames]
    order = page.evaluate(
        "(frames) => frames.map((_, i) => i).sort((a, b) =>"
        " frames[a].compareDocumentPosition(frames[b]) & 4 ? -1 : 1)",
        handles,
    )
    return [frames[i] for i in order]


def _is_same_origin(frame: Any) -> bool:
    with contextlib.suppress(*playwright_error_types()):
        return bool(frame.frame_element().evaluate("e => e.contentDocument !== null"))
    return False
