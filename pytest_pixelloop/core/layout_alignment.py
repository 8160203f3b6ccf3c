"""Children that share a line in the design, their left edges say, and another one on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.draft_finding import Draft
from pytest_pixelloop.core.layout_rows import clicked
from pytest_pixelloop.core.placings import SAME, high, low

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.judged_nodes import JudgedNode
    from pytest_pixelloop.core.placings import Track

LEAST = 2
"""Children of different sizes from which a shared line says how they are aligned."""
_LINES = ("start", "center", "end")


def turned_to(
    node: JudgedNode,
    axis: int,
    track: Track,
    off: Sequence[int],
    nodes: Sequence[JudgedNode],
    *,
    limit: float,
) -> Draft | None:
    """Return that a container's children are aligned otherwise, None where they are not.

    *off* are the children that are out of place; all of them must lie on the new line.
    """
    shown = {m: clicked(m, nodes) for m in track.spans}
    if len(off) < LEAST or len(off) < len(shown) / 2:
        return None
    before = {m: (low(n, axis), high(n, axis)) for m, n in shown.items()}
    after = {m: (b[0] + track.spans[m][0], b[1] + track.spans[m][1]) for m, b in before.items()}
    if not _apart([b[1] - b[0] for b in before.values()], limit=limit):
        return None
    old, new = _line(list(before.values())), _line([after[m] for m in shown])
    if old is None or new is None or old == new:
        return None
    step = max((track.spans[m][0] for m in off), key=abs)
    return Draft(
        at=node.at,
        property="alignment",
        strength=abs(step) / max(limit, 0.5),
        box=node.placed.box,
        expected=old,
        actual=new,
        delta=step,
        unit="px",
        says=f"content aligned to the {new}, expected the {old} ({abs(step):g}px)",
    )


def _apart(values: Sequence[float], *, limit: float) -> bool:
    return max(values) - min(values) > limit


def _line(spans: Sequence[tuple[float, float]]) -> str | None:
    """Return which one line all of some spans share: their starts, middles or ends."""
    shared = [
        name
        for name, values in zip(
            _LINES,
            (
                [s[0] for s in spans],
                [(s[0] + s[1]) / 2 for s in spans],
                [s[1] for s in spans],
            ),
            strict=True,
        )
        if max(values) - min(values) <= 2 * SAME
    ]
    return shared[0] if len(shared) == 1 else None
