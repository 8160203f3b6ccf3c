"""The same difference in each instance of a component is told once, with how often it occurs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_nodes import JudgedNode

LEAST = 3
"""Instances from which a difference is one of the component."""
_ALIKE = 1.0
"""Steps in which lengths are compared, in CSS px."""


def told_once(drafts: Sequence[Draft], nodes: Sequence[JudgedNode]) -> list[Draft]:
    """Return the drafts, those of the same part of one component's instances as one.

    Figma names a node in an instance by the instance and the component's own node (``I12:3;4:5``):
    nodes that end alike are the same part. The score stays what it was.
    """
    groups: dict[Any, list[int]] = {}
    for i, draft in enumerate(drafts):
        key = _key(draft, nodes)
        if key is not None:
            groups.setdefault(key, []).append(i)
    dropped: set[int] = set()
    heads: dict[int, list[int]] = {}
    for group in groups.values():
        if len({drafts[i].at for i in group}) >= LEAST:
            group.sort(key=lambda i: (drafts[i].at or 0, i))
            heads[group[0]] = group[1:]
            dropped.update(group[1:])
    found = []
    for i, draft in enumerate(drafts):
        if i in dropped:
            continue
        more = [drafts[k] for k in heads.get(i, ())]
        found.append(_head(draft, more) if more else draft)
    return found


def _key(draft: Draft, nodes: Sequence[JudgedNode]) -> tuple[object, ...] | None:
    if draft.at is None:
        return None
    node = nodes[draft.at].node
    instance, _, part = node.id.rpartition(";")
    if not instance:
        return None
    values: tuple[object, ...] = (str(draft.expected), str(draft.actual))
    if draft.unit == "px" and draft.delta is not None:
        values = (round(draft.delta / _ALIKE),)
    elif draft.unit in {"mismatch", "px2"}:
        values = (str(draft.expected),)
    return draft.property, draft.kind, part, node.name, values


def _head(draft: Draft, more: Sequence[Draft]) -> Draft:
    others = "another" if len(more) == 1 else f"{len(more)} others"
    return dataclasses.replace(
        draft,
        says=f"{draft.says}; the same in {others} of this component",
        symptoms=(*draft.symptoms, *more),
    )
