"""What a designer changed between two node trees of one frame: added, removed, moved, restyled."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design import walk
from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.design import DesignNode

ADDED, REMOVED, MOVED, RESTYLED = "added", "removed", "moved", "restyled"
KINDS = (ADDED, REMOVED, MOVED, RESTYLED)
_MARKS = {ADDED: "+", REMOVED: "-", MOVED: ">", RESTYLED: "~"}
SAME_PX = 0.01
"""CSS px within which two coordinates are one: the API's numbers are 32-bit floats."""
SAME_NUMBER = 1e-4

# What cannot be seen, or follows from what is compared as place.
_UNSEEN = frozenset(
    {
        *("id", "children", "absoluteBoundingBox", "absoluteRenderBounds", "relativeTransform"),
        *("size", "scrollBehavior", "interactions", "exportSettings", "pluginData"),
        *("sharedPluginData", "transitionNodeID", "transitionDuration", "transitionEasing"),
        *("reactions", "devStatus", "annotations", "boundVariables", "explicitVariableModes"),
        *("componentPropertyReferences", "overrides", "background", "backgroundColor"),
        *("preserveRatio", "constraints", "styles", "fillGeometry", "strokeGeometry", "locked"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChange:
    """One change of one node. ``what`` says in words what is different, with both values."""

    kind: str
    node_id: str
    name: str
    type: str
    what: str = ""

    def line(self) -> str:
        """Return the change on one line: ``~ 12:41 "Title" (TEXT): fontSize 16 -> 18``."""
        what = f": {self.what}" if self.what else ""
        name = printable(self.name, limit=60)
        return printable(f'{_MARKS[self.kind]} {self.node_id} "{name}" ({self.type}){what}')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A node where it hangs: its parent, its number among the siblings, its box in the parent."""

    node: DesignNode
    parent: DesignNode | None
    order: int


def diff_trees(before: DesignNode, after: DesignNode) -> tuple[NodeChange, ...]:
    """Return what is different in *after*, in its paint order, what was removed last.

    Nodes are paired by their ids. Places are compared relative to the parent, so that a moved card
    is one change and not one for each thing in it; of an added or removed subtree the top is told,
    with the number of nodes below it. What cannot be seen (prototype links, export settings,
    bindings) does not count. The same design gives an empty result.
    """
    old, new = _places(before), _places(after)
    kept = [node_id for node_id in new if node_id in old]
    reordered = _reordered(old, new, kept)
    changes: list[NodeChange] = []
    for node_id, place in new.items():
        if node_id not in old:
            if place.parent is None or place.parent.id in old:
                changes.append(_whole(ADDED, place.node, old))
            continue
        was = old[node_id]
        moved = _moved(was, place, reordered=node_id in reordered)
        if moved:
            changes.append(_change(MOVED, place.node, moved))
        restyled = _restyled(was.node, place.node)
        if restyled:
            changes.append(_change(RESTYLED, place.node, restyled))
    for node_id, place in old.items():
        if node_id not in new and (place.parent is None or place.parent.id in new):
            changes.append(_whole(REMOVED, place.node, new))
    return tuple(changes)


def count_changes(changes: Sequence[NodeChange]) -> str:
    """Return the changes counted by kind: ``1 added, 2 restyled``; ``nothing`` for none."""
    counted = Counter(change.kind for change in changes)
    words = [f"{counted[kind]} {kind}" for kind in KINDS if counted[kind]]
    return ", ".join(words) or "nothing that can be seen"


def _places(root: DesignNode) -> dict[str, _Place]:
    found = {root.id: _Place(node=root, parent=None, order=0)}
    for parent in walk(root):
        for order, child in enumerate(parent.children):
            found.setdefault(child.id, _Place(node=child, parent=parent, order=order))
    return found


def _reordered(
    old: Mapping[str, _Place], new: Mapping[str, _Place], kept: Sequence[str]
) -> set[str]:
    """Return which nodes changed their rank among the siblings that both trees have."""
    found: set[str] = set()
    by_parent: dict[str, list[str]] = {}
    for node_id in kept:
        was, now = old[node_id].parent, new[node_id].parent
        if was is not None and now is not None and was.id == now.id:
            by_parent.setdefault(now.id, []).append(node_id)
    for siblings in by_parent.values():
        before = sorted(siblings, key=lambda node_id: old[node_id].order)
        after = sorted(siblings, key=lambda node_id: new[node_id].order)
        if before != after:
            found |= set(after) - set(_longest_kept(before, after))
    return found


def _longest_kept(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return a largest set that kept its order: everything else is what was moved.

    Patience sorting over the ranks (longest increasing subsequence).
    """
    rank = {node_id: index for index, node_id in enumerate(before)}
    tops: list[str] = []
    below: dict[str, str | None] = {}
    for node_id in after:
        low, high = 0, len(tops)
        while low < high:
            middle = (low + high) // 2
            if rank[tops[middle]] < rank[node_id]:
                low = middle + 1
            else:
                high = middle
        below[node_id] = tops[low - 1] if low else None
        tops[low : low + 1] = [node_id]
    kept: list[str] = []
    at: str | None = tops[-1] if tops else None
    while at is not None:
        kept.append(at)
        at = below[at]
    return kept


def _moved(was: _Place, now: _Place, *, reordered: bool) -> str:
    words: list[str] = []
    if was.parent is not None and now.parent is not None and was.parent.id != now.parent.id:
        words.append(
            f'from "{printable(was.parent.name, limit=40)}" ({was.parent.id}) to '
            f'"{printable(now.parent.name, limit=40)}" ({now.parent.id})'
        )
        words.extend(_differences(_box(was)[2:], _box(now)[2:], ("width", "height")))
        return ", ".join(words)
    words.extend(_differences(_box(was), _box(now), ("x", "y", "width", "height")))
    if reordered:
        words.append("order among its siblings")
    return ", ".join(words)


def _box(place: _Place) -> tuple[float | None, ...]:
    """Return x, y relative to the parent, width, height; the frame itself is at 0, 0."""
    box = place.node.box
    if box is None:
        return None, None, None, None
    if place.parent is None:
        return 0.0, 0.0, box.w, box.h
    if place.parent.box is None:
        return None, None, box.w, box.h
    return box.x - place.parent.box.x, box.y - place.parent.box.y, box.w, box.h


def _differences(
    before: Sequence[float | None], after: Sequence[float | None], names: Sequence[str]
) -> list[str]:
    return [
        f"{name} {_shown(old)} -> {_shown(new)}"
        for name, old, new in zip(names, before, after, strict=True)
        if old is not new and (old is None or new is None or abs(old - new) > SAME_PX)
    ]


def _restyled(before: DesignNode, after: DesignNode) -> str:
    words: list[str] = []
    for name in sorted({*before.properties, *after.properties} - _UNSEEN):
        old, new = before.properties.get(name), after.properties.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            words.extend(
                f"{name}.{key} {_shown(old.get(key))} -> {_shown(new.get(key))}"
                for key in sorted({*old, *new})
                if not _same(old.get(key), new.get(key))
            )
        elif not _same(old, new):
            words.append(f"{name} {_shown(old)} -> {_shown(new)}")
    return ", ".join(words)


def _same(old: Any, new: Any) -> bool:
    """Tell whether two JSON values are one, floats within their precision; never recurses."""
    stack = [(old, new)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, bool) or isinstance(b, bool):
            if a is not b:
                return False
        elif isinstance(a, int | float) and isinstance(b, int | float):
            if not math.isclose(a, b, rel_tol=SAME_NUMBER, abs_tol=SAME_NUMBER):
                return False
        elif isinstance(a, dict) and isinstance(b, dict):
            stack.extend((a.get(key), b.get(key)) for key in {*a, *b})
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif a != b:
            return False
    return True


def _shown(value: Any) -> str:
    """Return a property's value in a few characters; a solid paint as its colour."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return f'"{printable(value, limit=40)}"'
    if isinstance(value, dict):
        return _color(value) or _color(value.get("color")) or _object(value)
    if isinstance(value, list):
        shown = ["[...]" if isinstance(item, list) else _shown(item) for item in value[:3]]
        more = f" and {len(value) - 3} more" if len(value) > 3 else ""
        return f"[{', '.join(shown)}{more}]"
    return "?"


def _object(value: Mapping[str, Any]) -> str:
    words = (value.get(key) for key in ("type", "imageRef"))
    told = " ".join(printable(word, limit=20) for word in words if isinstance(word, str))
    return told or f"{{{', '.join(sorted(value))[:40]}}}"


def _color(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    parts = [value.get(key) for key in "rgb"]
    numbers = [p for p in parts if isinstance(p, int | float) and not isinstance(p, bool)]
    if len(numbers) != 3 or not all(0 <= n <= 1 for n in numbers):
        return None
    return "#" + "".join(f"{round(n * 255):02x}" for n in numbers)


def _whole(kind: str, node: DesignNode, others: Mapping[str, _Place]) -> NodeChange:
    below = sum(1 for one in walk(node) if one.id not in others) - 1
    return _change(kind, node, f"with {below} node{'s' * (below > 1)} below it" if below else "")


def _change(kind: str, node: DesignNode, what: str) -> NodeChange:
    return NodeChange(kind=kind, node_id=node.id, name=node.name, type=node.type, what=what)
