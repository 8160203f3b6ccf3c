"""What is different between two node files of one label, in a few lines to print."""

from __future__ import annotations

from pytest_pixelloop.core.design_change import count_changes, diff_trees
from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.sources.figma_nodes import read_nodes

TOLD_CHANGES = 12


def told_changes(before: bytes, after: bytes, *, node: str | None) -> list[str]:
    """Return lines that tell what *after* changed, none when it is the same or cannot be read."""
    if before == after:
        return []
    try:
        old, new = (read_nodes(data, name="a node file").node(node) for data in (before, after))
    except PixelloopError:
        return []
    changes = diff_trees(old, new)
    lines = [f"in the design: {count_changes(changes)}"]
    lines.extend(change.line() for change in changes[:TOLD_CHANGES])
    if len(changes) > TOLD_CHANGES:
        lines.append(f"and {len(changes) - TOLD_CHANGES} more changes")
    return lines
