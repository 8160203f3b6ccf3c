"""Findings of the pixel comparison, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.finding import Channel, Finding
from pytest_pixelloop.core.found_region import cut_front, px_delta_id
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.score import size_severity

if TYPE_CHECKING:
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.finding import NodeRef
    from pytest_pixelloop.core.found_region import FoundRegion

# A message has to fit a terminal line together with its numbers; reports hold the whole names.
_NAME, _PATH = 40, 60
SAME_SCALE = 1e-6


def region_finding(found: FoundRegion, *, score: float | None, has_nodes: bool) -> Finding:
    """Return the finding of one region.

    *score* is the whole score of which the region has its share; None on pass, where it does not
    gate. *has_nodes* tells whether the design has a node tree.
    """
    region, change = found.region, found.change
    colors = None if change is None else (_color(change.expected), _color(change.actual))
    delta: float | None = round(100 * region.mismatch_ratio, 4)
    if change is not None:
        visible = change.expected[3] > 0 and change.actual[3] > 0
        steps = (abs(e - a) for e, a in zip(change.expected, change.actual, strict=True))
        delta = float(max(steps)) if visible else None
    text = _region_text(found, has_nodes=has_nodes)
    if colors is not None:
        text += f" ({colors[1]}, expected {colors[0]})"
    return Finding(
        delta_id=region.delta_id,
        kind="region",
        channel=Channel.VISUAL,
        message=f"{text}, at {place(region.box)}",
        box=region.box,
        severity=found.severity,
        gating=score is not None,
        share=found.severity / score if score else 0.0,
        node=region.node,
        property="pixels" if colors is None else "color",
        expected=None if colors is None else colors[0],
        actual=None if colors is None else colors[1],
        delta=delta,
        unit="%" if colors is None else "of 255",
    )


def size_finding(design: Design, capture: Capture) -> Finding | None:
    """Return the finding of a capture of another size or scale than the design's, else None."""
    expected, actual = design.pixel_size, capture.pixel_size
    other_scale = abs(capture.scale - design.scale) > SAME_SCALE * design.scale
    if expected == actual and not other_scale:
        return None
    width, height = design.frame
    message = (
        f"the capture is {_size(actual)} px at scale {capture.scale:g}, the design is "
        f"{_size(expected)} px at scale {design.scale:g} ({width:g}x{height:g} CSS px)"
    )
    if other_scale:
        message += f": capture it with a device scale factor of {design.scale:g}"
    else:
        message += f": {_off(expected, actual)}"
    box = Box(0.0, 0.0, width, height)
    return Finding(
        delta_id=px_delta_id(design.label, box),
        kind="size",
        channel=Channel.VISUAL,
        message=message,
        box=box,
        severity=size_severity(expected, actual, scale=design.scale),
        gating=True,
        property="scale" if other_scale else "size",
        expected=design.scale if other_scale else _size(expected),
        actual=capture.scale if other_scale else _size(actual),
        delta=(
            round(abs(capture.scale - design.scale), 6)
            if other_scale
            else float(max(abs(e - a) for e, a in zip(expected, actual, strict=True)))
        ),
        unit="device px per CSS px" if other_scale else "px",
    )


def place(box: Box) -> str:
    """Return a box as messages write it: ``24,310 312x48``, to a tenth of a CSS px."""
    x, y, w, h = (f"{round(value, 1):.10g}" for value in (box.x, box.y, box.w, box.h))
    return f"{x},{y} {w}x{h}"


def _region_text(found: FoundRegion, *, has_nodes: bool) -> str:
    region = found.region
    if region.node is None:
        where = "outside of every design node: " if has_nodes else ""
        return f"{where}{region.pixels} px differ"
    return f"{_node(region.node)}: {_percent(region.mismatch_ratio)} of its pixels differ"


def _node(node: NodeRef) -> str:
    """Return name and path, which a NodeRef holds in printable form, short enough for a line."""
    name = node.name
    if len(name) > _NAME:
        name = name[: _NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return f'"{name}" ({cut_front(node.path, limit=_PATH)})'


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %" if ratio >= 0.0005 else "less than 0.1 %"


def _color(color: tuple[int, int, int, int]) -> str:
    if color[3] == 0:
        return "nothing"
    shown = color if color[3] < 255 else color[:3]
    return "#" + "".join(f"{part:02x}" for part in shown)


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _off(expected: tuple[int, int], actual: tuple[int, int]) -> str:
    parts = []
    for side, (more, less) in enumerate((("wider", "narrower"), ("taller", "shorter"))):
        off = actual[side] - expected[side]
        if off:
            parts.append(f"{abs(off)} px {more if off > 0 else less}")
    return " and ".join(parts)
