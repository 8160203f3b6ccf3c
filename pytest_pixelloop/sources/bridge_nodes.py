"""The nodes of a bridge file as design nodes: paths of names as ids, CSS words as Figma's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.css_values import Color, parse_color, parse_px
from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_NODES = 200_000

_TYPES = {
    "RECT": "RECTANGLE",
    "IMAGE": "RECTANGLE",
    "IMG": "RECTANGLE",
    "CIRCLE": "ELLIPSE",
    "ICON": "VECTOR",
    "SVG": "VECTOR",
    "LABEL": "TEXT",
}
_KNOWN = frozenset(
    (
        *("FRAME", "GROUP", "SECTION", "COMPONENT", "COMPONENT_SET", "INSTANCE", "RECTANGLE"),
        *("TEXT", "ELLIPSE", "LINE", "VECTOR", "STAR", "REGULAR_POLYGON", "BOOLEAN_OPERATION"),
    )
)
_OWN_KEYS = frozenset(("children", "bbox", "styles", "runs"))
_WEIGHTS = {"thin": 100, "light": 300, "normal": 400, "regular": 400, "medium": 500}
_WEIGHTS |= {"semibold": 600, "bold": 700, "extrabold": 800, "black": 900}


class TooManyNodesError(ValueError):
    """A tree has more nodes than MAX_NODES."""


def bridge_tree(screen: Mapping[str, Any], *, name: str, size: tuple[float, float]) -> DesignNode:
    """Return the screen as the root of a tree whose boxes are in CSS px of the screen.

    A node's id is its own, else its path of names (``login-page/LoginCard/email-field``); a path
    that is there already gets ``#2``, ``#3``... What is no node is left out, so that the index
    path of its neighbours (``children[3]``) still counts it: it becomes a hidden node.
    Raises TooManyNodesError.
    """
    origin = _box(screen.get("bbox"))
    shift = (origin.x, origin.y) if origin is not None else (0.0, 0.0)
    ids: set[str] = set()
    root_id = _unique(_text(screen.get("id")) or name, ids)
    made: list[tuple[dict[str, Any], str, str, list[int]]] = [
        ({**screen, "type": "FRAME"}, root_id, name, [])
    ]
    # Parents come before their children, so building backwards needs no recursion.
    at = 0
    while at < len(made):
        raw, _, path, below = made[at]
        children = raw.get("children")
        for child in children if isinstance(children, list) else ():
            if len(made) >= MAX_NODES:
                raise TooManyNodesError(f"more than {MAX_NODES:,} nodes")
            node = child if isinstance(child, dict) else {"visible": False}
            child_path = f"{path}/{_text(node.get('name')) or _text(node.get('type')) or 'node'}"
            below.append(len(made))
            made.append((node, _unique(_text(node.get("id")) or child_path, ids), child_path, []))
        at += 1
    built: dict[int, DesignNode] = {}
    for at in range(len(made) - 1, -1, -1):
        raw, node_id, _, below = made[at]
        children = tuple(built.pop(index) for index in below)
        box = Box(0.0, 0.0, *size) if at == 0 else _shifted(_box(raw.get("bbox")), shift)
        built[at] = _node(raw, node_id, box, children, name=name if at == 0 else None)
    return built[0]


def _node(
    raw: Mapping[str, Any],
    node_id: str,
    box: Box | None,
    children: tuple[DesignNode, ...],
    *,
    name: str | None,
) -> DesignNode:
    kind = _kind(raw, children)
    styles = _styles(raw)
    opacity = _number(raw.get("opacity", styles.get("opacity")))
    clips = raw.get("clipsContent") is True or styles.get("overflow") in ("hidden", "clip")
    return DesignNode(
        id=node_id,
        name=name or _text(raw.get("name")) or kind.lower(),
        type=kind,
        box=box,
        visible=raw.get("visible") is not False and raw.get("hidden") is not True,
        opacity=1.0 if opacity is None else min(max(opacity, 0.0), 1.0),
        clips=clips,
        rotation=_number(raw.get("rotation")) or 0.0,
        characters=_characters(raw) if kind == "TEXT" else None,
        properties=_properties(raw, styles, kind),
        children=children,
    )


def _kind(raw: Mapping[str, Any], children: tuple[DesignNode, ...]) -> str:
    told = _text(raw.get("type")).upper().replace("-", "_")
    kind = _TYPES.get(told, told)
    if kind in _KNOWN:
        return kind
    if not children and _characters(raw):
        return "TEXT"
    return "FRAME" if children else "RECTANGLE"


def _characters(raw: Mapping[str, Any]) -> str:
    for key in ("text", "characters"):
        if isinstance(raw.get(key), str):
            return str(raw[key])
    runs = raw.get("runs")
    parts = []
    for run in runs if isinstance(runs, list) else ():
        text = run.get("text") if isinstance(run, dict) else run
        if isinstance(text, str):
            parts.append(text)
    return "".join(parts)


def _styles(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the styles of a node by camelCase name: its own, then those of its first run."""
    found: dict[str, Any] = {}
    runs = raw.get("runs")
    first = runs[0] if isinstance(runs, list) and runs and isinstance(runs[0], dict) else {}
    for holder in (first, first.get("style"), first.get("styles"), raw.get("styles")):
        for key, value in holder.items() if isinstance(holder, dict) else ():
            if isinstance(key, str) and key not in {"text", "style", "styles"}:
                head, *rest = key.split("-")
                found[head + "".join(part.title() for part in rest)] = value
    return found


def _properties(raw: Mapping[str, Any], styles: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return Figma's words for what the styles say; a node that has Figma's own keeps them."""
    made: dict[str, Any] = {key: value for key, value in raw.items() if key not in _OWN_KEYS}
    for key in ("fills", "strokes", "effects"):
        if isinstance(styles.get(key), list):
            made.setdefault(key, styles[key])
    fill = _color(styles, ("color",) if kind == "TEXT" else ("backgroundColor", "background"))
    fill = fill or _color(styles, ("fill",))
    if fill is not None:
        made.setdefault("fills", [_solid(fill)])
    width = _px(styles.get("borderWidth"))
    border = _color(styles, ("borderColor",))
    if border is not None and width:
        made.setdefault("strokes", [_solid(border)])
        made.setdefault("strokeWeight", width)
    for key in ("borderRadius", "cornerRadius", "radius"):
        radius = _px(styles.get(key))
        if radius is not None:
            made.setdefault("cornerRadius", radius)
    if kind == "TEXT":
        own = made.get("style")
        made["style"] = _text_style(styles) | (own if isinstance(own, dict) else {})
    return made


def _text_style(styles: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    family = _text(styles.get("fontFamily")).split(",")[0].strip().strip("\"'")
    if family:
        found["fontFamily"] = family
    for key, name in (
        ("fontSize", "fontSize"),
        ("lineHeight", "lineHeightPx"),
        ("letterSpacing", "letterSpacing"),
    ):
        # A line height without unit is a factor, not px.
        unitless = key == "lineHeight" and isinstance(styles.get(key), int | float | str)
        value = _px(styles.get(key))
        if value is not None and not (unitless and value < 4):
            found[name] = value
    weight = styles.get("fontWeight")
    named = _WEIGHTS.get(weight.lower()) if isinstance(weight, str) else None
    number = _px(weight) if named is None else float(named)
    if number is not None:
        found["fontWeight"] = number
    align = _text(styles.get("textAlign")).upper()
    if align in {"LEFT", "CENTER", "RIGHT"}:
        found["textAlignHorizontal"] = align
    return found


def _solid(color: Color) -> dict[str, Any]:
    r, g, b = (channel / 255 for channel in color.rgb)
    return {"type": "SOLID", "color": {"r": r, "g": g, "b": b, "a": color.a}}


def _color(styles: Mapping[str, Any], keys: tuple[str, ...]) -> Color | None:
    for key in keys:
        value = styles.get(key)
        color = parse_color(value) if isinstance(value, str) else None
        if color is not None:
            return color
    return None


def _px(value: object) -> float | None:
    return parse_px(value) if isinstance(value, str) else _number(value)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _box(value: object) -> Box | None:
    """Return ``[x, y, w, h]`` as a box, None for anything that is not four finite numbers."""
    if not isinstance(value, list) or len(value) != 4:
        return None
    x, y, w, h = (_number(item) for item in value)
    if x is None or y is None or w is None or h is None or w < 0 or h < 0:
        return None
    return Box(x, y, w, h)


def _shifted(box: Box | None, by: tuple[float, float]) -> Box | None:
    return None if box is None else box.shifted(-by[0], -by[1])


def _unique(wanted: str, taken: set[str]) -> str:
    found, number = wanted, 1
    while found in taken:
        number += 1
        found = f"{wanted}#{number}"
    taken.add(found)
    return found
