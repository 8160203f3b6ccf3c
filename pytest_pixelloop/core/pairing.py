"""What the steps of matching share: who is taken, how far things drifted, best assignments."""

from __future__ import annotations

import itertools
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.dom import paints
from pytest_pixelloop.core.matches import FoundBy, Match
from pytest_pixelloop.core.node_looks import looks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import PlacedNode
    from pytest_pixelloop.core.dom import DomSnapshot, Element
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.node_looks import NodeLooks

_NEAREST = 5
_LARGE_GROUP = 120
_HANGS = {"CENTER": 0.5, "RIGHT": 1.0}


class Board:
    """The state of one matching: nodes in an order of their own, what is taken, what drifted.

    The order of nodes depends on where they are and what they are called, never on the order in
    which they were given.
    """

    def __init__(self, placed: Iterable[PlacedNode], snapshot: DomSnapshot) -> None:
        self.nodes: dict[str, PlacedNode] = {}
        for item in sorted(placed, key=node_order):
            self.nodes.setdefault(item.node.id, item)
        self.snapshot = snapshot
        self.elements = snapshot.elements
        self.pairs: dict[str, Match] = {}
        self.box_taken: dict[int, str] = {}
        self.text_taken: dict[int, str] = {}
        self.ancestors = _ancestor_lists(snapshot.elements)
        self.inside: dict[int, list[int]] = {}
        for element in snapshot.elements:
            if element.parent is not None:
                self.inside.setdefault(element.parent, []).append(element.index)
        self._children: dict[str, list[str]] = {}
        self.above: dict[str, tuple[str, ...]] = {}
        for node_id, item in self.nodes.items():  # parents come first: the least deep are
            if item.parent_id is not None:
                self._children.setdefault(item.parent_id, []).append(node_id)
            parent = item.parent_id
            self.above[node_id] = () if parent is None else (parent, *self.above.get(parent, ()))
        self.reading_order = _reading_order(self.nodes, self._children)
        self._settled = 0
        self._drifts: dict[str | None, list[tuple[float, float, float, float]]] = {None: []}
        self._holding: set[int] = set()
        self._painted: dict[int, bool] = {}
        self.looked_at: dict[str, NodeLooks] = {}
        self._texts: list[PlacedNode] = []
        self._boxes: list[PlacedNode] = []
        self._points: dict[str, tuple[float, float]] = {}
        self._text_boxes: dict[int, Box] = {}
        for item in self.nodes.values():
            (self._texts if is_text_node(item) else self._boxes).append(item)

    def take(
        self, node_id: str, element: int, *, found_by: FoundBy, confidence: float, is_text: bool
    ) -> bool:
        """Pair a node with an element and tell whether both were free."""
        taken = self.text_taken if is_text else self.box_taken
        if node_id in self.pairs or element in taken:
            return False
        taken[element] = node_id
        self._holding.update(self.ancestors[element])
        self.pairs[node_id] = Match(
            node_id=node_id,
            element=element,
            found_by=found_by,
            confidence=round(min(1.0, max(0.0, confidence)), 4),
            is_text=is_text,
        )
        return True

    def children(self, node_id: str) -> list[str]:
        """Return the ids of the visible children of a node, in the board's order."""
        return self._children.get(node_id, [])

    def open_nodes(self, *, text: bool) -> list[PlacedNode]:
        """Return the nodes without a match: the texts, or all others."""
        among = self._texts if text else self._boxes
        return [item for item in among if item.node.id not in self.pairs]

    def looks(self, item: PlacedNode) -> NodeLooks:
        """Return what a node paints itself."""
        known = self.looked_at.get(item.node.id)
        if known is None:
            known = self.looked_at[item.node.id] = looks_of(item.node)
        return known

    def is_inside(self, element: int, ancestor: int) -> bool:
        """Tell whether an element is *ancestor* itself or lies under it in the document."""
        return element == ancestor or ancestor in self.ancestors[element]

    def holds_taken(self, element: int) -> bool:
        """Tell whether an element that is taken lies under another one in the document."""
        return element in self._holding

    def is_painted(self, element: int) -> bool:
        """Tell whether an element's own box is visible."""
        known = self._painted.get(element)
        if known is None:
            known = self._painted[element] = paints(self.elements[element])
        return known

    def matched_parent(self, item: PlacedNode) -> PlacedNode | None:
        """Return the nearest ancestor of a node that has an element."""
        parent_id = item.parent_id
        while parent_id is not None:
            found = self.pairs.get(parent_id)
            above = self.nodes.get(parent_id)
            if found is not None and not found.is_text:
                return above
            parent_id = above.parent_id if above else None
        return None

    def matched_ancestor(self, item: PlacedNode) -> int | None:
        """Return the element of the nearest ancestor of a node that has one."""
        parent = self.matched_parent(item)
        return None if parent is None else self.pairs[parent.node.id].element

    def matched_boxes_below(self, node_id: str) -> list[int]:
        """Return the elements of the nearest matched boxes under a node."""
        found: list[int] = []
        stack = list(self.children(node_id))
        while stack:
            child = stack.pop()
            match = self.pairs.get(child)
            if match is not None and not match.is_text:
                found.append(match.element)
            else:
                stack.extend(self.children(child))
        return found

    def refresh(self) -> None:
        """Take what was paired since into account where things are looked for."""
        for node_id, match in itertools.islice(self.pairs.items(), self._settled, None):
            if not match.is_text and self.children(node_id):
                continue
            moved = self._moved(match)  # a match is never taken back
            self._drifts[None].append(moved)
            for above in self.above[node_id]:
                self._drifts.setdefault(above, []).append(moved)
        self._settled = len(self.pairs)

    def drift_of(self, item: PlacedNode) -> tuple[float, float]:
        """Return by how much a node is to be looked for elsewhere than the design has it.

        The median over the nearest matched nodes under it, else under its parent, and so on up,
        so that one wrong match moves nothing and a section that moved takes its own along.
        """
        key: str | None = item.node.id
        while key is not None and key not in self._drifts:
            above = self.nodes.get(key)
            key = above.parent_id if above else None
        moves = self._drifts.get(key, [])
        if not moves:
            return 0.0, 0.0
        x, y = self._point(item)
        near = sorted([(abs(m[0] - x) + abs(m[1] - y), m) for m in moves])[:_NEAREST]
        return median([m[2] for _, m in near]), median([m[3] for _, m in near])

    def _moved(self, match: Match) -> tuple[float, float, float, float]:
        item, element = self.nodes[match.node_id], self.elements[match.element]
        if match.is_text:
            x, y = self._point(item)
            there = self.text_point(item, element)
        else:
            x, y = centre(item.box)
            there = centre(element.box)
        return x, y, there[0] - x, there[1] - y

    def drifted(self, item: PlacedNode) -> Box:
        """Return where a node's box is to be looked for on the page."""
        return item.box.shifted(*self.drift_of(item))

    def text_target(self, item: PlacedNode) -> tuple[float, float]:
        """Return where a text node's point is to be looked for on the page."""
        x, y = self._point(item)
        dx, dy = self.drift_of(item)
        return x + dx, y + dy

    def text_point(self, item: PlacedNode, element: Element) -> tuple[float, float]:
        """Return the point of an element's text that answers to the point of a node."""
        box = self._text_boxes.get(element.index)
        if box is None:
            box = self._text_boxes[element.index] = element.text_box
        return hanging_point(item, box)

    def _point(self, item: PlacedNode) -> tuple[float, float]:
        known = self._points.get(item.node.id)
        if known is None:
            known = self._points[item.node.id] = point_of(item)
        return known


def node_order(item: PlacedNode) -> tuple[float, float, float, float, str, str]:
    """Return what nodes are sorted by: depth, place, size, id; no one else's order."""
    box = item.box
    return item.depth, box.y, box.x, -box.area, item.node.id, item.path


def is_text_node(item: PlacedNode) -> bool:
    """Tell whether a node is text."""
    return item.node.type == "TEXT" or (item.node.characters is not None and not item.node.children)


def centre(box: Box) -> tuple[float, float]:
    """Return the middle of a box."""
    return box.x + box.w / 2, box.y + box.h / 2


def alignment(item: PlacedNode) -> float:
    """Return where in its box a text hangs: 0 left, 0.5 centred, 1 right."""
    style = item.node.properties.get("style")
    word = style.get("textAlignHorizontal") if isinstance(style, dict) else None
    return _HANGS.get(str(word), 0.0)


def point_of(item: PlacedNode) -> tuple[float, float]:
    """Return the point of a node that does not move when a text is a little wider."""
    at = alignment(item) if is_text_node(item) else 0.5
    return item.box.x + item.box.w * at, item.box.y + item.box.h / 2


def hanging_point(item: PlacedNode, box: Box) -> tuple[float, float]:
    """Return the point of the box of an element's text that answers to point_of the node."""
    return box.x + box.w * alignment(item), box.y + box.h / 2


def overlap(first: Box, second: Box) -> float:
    """Return intersection over union of two boxes; boxes without area count as 1 px thick."""
    ax, ay, aw, ah = first.x - 0.5, first.y - 0.5, first.w + 1, first.h + 1
    bx, by, bw, bh = second.x - 0.5, second.y - 0.5, second.w + 1, second.h + 1
    wide = min(ax + aw, bx + bw) - max(ax, bx)
    high = min(ay + ah, by + bh) - max(ay, by)
    if wide <= 0 or high <= 0:
        return 0.0
    shared = wide * high
    return shared / (aw * ah + bw * bh - shared)


def _reading_order(
    nodes: dict[str, PlacedNode], children: Mapping[str, list[str]]
) -> dict[str, int]:
    """Return the rank of each node as a page would hold them: inside a parent along its layout."""
    found: dict[str, int] = {}
    stack = [i for i in reversed(nodes) if nodes[i].parent_id not in nodes]
    while stack:
        node_id = stack.pop()
        found[node_id] = len(found)
        inside = children.get(node_id)
        if not inside:
            continue
        properties = nodes[node_id].node.properties
        row = properties.get("layoutMode") == "HORIZONTAL" and (
            properties.get("layoutWrap") != "WRAP"
        )
        boxes = [(nodes[c].box, c) for c in inside]
        ordered = sorted([(0 if row else round(b.y), b.x, b.y, c) for b, c in boxes])
        stack.extend([c for *_, c in reversed(ordered)])
    return found


def _ancestor_lists(elements: Sequence[Element]) -> list[tuple[int, ...]]:
    """Return for each element its ancestors, nearest first. At most 512 levels are kept."""
    found: list[tuple[int, ...]] = []
    for element in elements:
        parent = element.parent
        found.append(() if parent is None else (parent, *found[parent][:511]))
    return found


def assign(
    rows: int, columns: int, cost: Callable[[int, int], float]
) -> list[tuple[int, int, float]]:
    """Return one-to-one pairs (row, column, cost) of the least total cost.

    Of large groups a greedy answer: cheapest pair first, ties by row, then by column.
    """
    if rows == 0 or columns == 0:
        return []
    if rows == columns == 1:
        return [(0, 0, float(cost(0, 0)))]
    matrix = np.array([[cost(r, c) for c in range(columns)] for r in range(rows)])
    alone = _undisputed(matrix)
    if alone is not None:
        return alone
    if max(rows, columns) > _LARGE_GROUP:
        return _greedy(matrix)
    if rows > columns:
        return sorted((r, c, float(matrix[r, c])) for c, r in _hungarian(matrix.T))
    return sorted((r, c, float(matrix[r, c])) for r, c in _hungarian(matrix))


def _undisputed(matrix: NDArray[np.float64]) -> list[tuple[int, int, float]] | None:
    """Return the pairs where each row has one cheapest column of its own, None where not.

    No assignment is cheaper than that, and no other one as cheap.
    """
    cheapest = matrix.argmin(axis=1)
    least = matrix.min(axis=1)
    if len(set(cheapest.tolist())) < len(matrix) or (matrix <= least[:, None]).sum() > len(matrix):
        return None
    return [(r, c, float(matrix[r, c])) for r, c in enumerate(cheapest.tolist())]


def _greedy(matrix: NDArray[np.float64]) -> list[tuple[int, int, float]]:
    rows, columns = matrix.shape
    found: list[tuple[int, int, float]] = []
    free_rows, free_columns = set(range(rows)), set(range(columns))
    for flat in np.argsort(matrix, axis=None, kind="stable"):
        r, c = divmod(int(flat), columns)
        if r in free_rows and c in free_columns:
            found.append((r, c, float(matrix[r, c])))
            free_rows.remove(r)
            free_columns.remove(c)
            if not free_rows or not free_columns:
                break
    return sorted(found)


def _hungarian(matrix: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return the cheapest assignment of every row (rows <= columns), by shortest paths.

    Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
    assignment problems" (1987).
    """
    rows, columns = matrix.shape
    row_price, column_price = np.zeros(rows + 1), np.zeros(columns + 1)
    owner = np.zeros(columns + 1, dtype=np.int64)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least = np.full(columns + 1, np.inf)
        came_from = np.zeros(columns + 1, dtype=np.int64)
        done = np.zeros(columns + 1, dtype=bool)
        while True:
            done[column] = True
            at = int(owner[column])
            reduced = matrix[at - 1] - row_price[at] - column_price[1:]
            better = ~done[1:] & (reduced < least[1:])
            least[1:][better] = reduced[better]
            came_from[1:][better] = column
            open_costs = np.where(done[1:], np.inf, least[1:])
            step = int(np.argmin(open_costs)) + 1
            delta = least[step]
            row_price[owner[done]] += delta
            column_price[done] -= delta
            least[~done] -= delta
            column = step
            if owner[column] == 0:
                break
        while column:
            owner[column] = owner[came_from[column]]
            column = int(came_from[column])
    return sorted((int(owner[c]) - 1, c - 1) for c in range(1, columns + 1) if owner[c])
