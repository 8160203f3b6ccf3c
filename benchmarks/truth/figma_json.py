"""From a page's layout to a node file as the Figma REST API would answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.truth import css

if TYPE_CHECKING:
    from benchmarks.truth.css import Layout, Rgba

Node = dict[str, Any]


def node_id(index: int) -> str:
    """Return the design node id of an element's own box (or of its text, for a plain text)."""
    return f"1:{index + 1}"


def text_id(index: int) -> str:
    """Return the id of the TEXT inside the frame of an element that has both box and text."""
    return f"2:{index + 1}"


def _rectangle(x: float, y: float, w: float, h: float) -> dict[str, float]:
    return {"x": round(x, 4), "y": round(y, 4), "width": round(w, 4), "height": round(h, 4)}


def _solid(value: Rgba) -> Node:
    r, g, b, a = value
    paint: Node = {
        "blendMode": "NORMAL",
        "type": "SOLID",
        "color": {"r": r / 255, "g": g / 255, "b": b / 255, "a": 1.0},
    }
    if a < 1:
        paint["opacity"] = a
    return paint


def _gradient(value: css.Gradient, w: float, h: float) -> Node:
    x1, y1, x2, y2 = value.line(w, h)
    start, end = {"x": x1 / w, "y": y1 / h}, {"x": x2 / w, "y": y2 / h}
    return {
        "blendMode": "NORMAL",
        "type": "GRADIENT_LINEAR",
        "gradientHandlePositions": [start, end, {"x": start["x"], "y": end["y"]}],
        "gradientStops": [
            {"color": {"r": r / 255, "g": g / 255, "b": b / 255, "a": a}, "position": at}
            for at, (r, g, b, a) in value.stops
        ],
    }


def _box_paints(style: Layout, w: float, h: float) -> Node:
    fills = []
    background = css.colour(style["backgroundColor"])
    if background[3] > 0:
        fills.append(_solid(background))
    gradient = css.gradient(style["backgroundImage"])
    if gradient:
        fills.append(_gradient(gradient, w, h))
    found: Node = {"fills": fills, "strokes": [], "effects": []}
    sides = css.borders(style)
    widths = [side[0] for side in sides]
    if max(widths) > 0:
        found["strokes"] = [_solid(next(c for width, c in sides if width > 0))]
        found["strokeWeight"] = max(widths)
        found["strokeAlign"] = "INSIDE"
        if min(widths) != max(widths):
            names = ("top", "right", "bottom", "left")
            found["individualStrokeWeights"] = dict(zip(names, widths, strict=True))
    for shadow in css.shadows(style["boxShadow"]):
        r, g, b, a = shadow.colour
        found["effects"].append(
            {
                "type": "DROP_SHADOW",
                "visible": True,
                "color": {"r": r / 255, "g": g / 255, "b": b / 255, "a": a},
                "blendMode": "NORMAL",
                "offset": {"x": shadow.x, "y": shadow.y},
                "radius": shadow.blur,
                "spread": shadow.spread,
                "showShadowBehindNode": False,
            }
        )
    radii = css.radii(style, w, h)
    if max(radii) > 0:
        if min(radii) == max(radii):
            found["cornerRadius"] = round(radii[0], 3)
        else:
            found["rectangleCornerRadii"] = [round(r, 3) for r in radii]
    return found


_ALIGN = {
    "center": "CENTER",
    "flex-end": "MAX",
    "end": "MAX",
    "space-between": "SPACE_BETWEEN",
    "baseline": "BASELINE",
}


def _auto_layout(style: Layout) -> Node:
    if style["display"] not in {"flex", "inline-flex"}:
        return {}
    row = style["flexDirection"].startswith("row")
    found: Node = {"layoutMode": "HORIZONTAL" if row else "VERTICAL"}
    main, cross = _ALIGN.get(style["justifyContent"]), _ALIGN.get(style["alignItems"])
    if main:
        found["primaryAxisAlignItems"] = main
    if cross:
        found["counterAxisAlignItems"] = cross
    gap = css.px(style["columnGap" if row else "rowGap"])
    if gap:
        found["itemSpacing"] = gap
    for side in ("Top", "Right", "Bottom", "Left"):
        inset = css.px(style[f"padding{side}"]) + css.px(style[f"border{side}Width"])
        if inset:
            found[f"padding{side}"] = inset
    return found


def _type_style(style: Layout) -> Node:
    size, height = css.px(style["fontSize"]), css.line_height(style)
    align = {"center": "CENTER", "right": "RIGHT", "end": "RIGHT", "justify": "JUSTIFIED"}
    horizontal = align.get(style["textAlign"], "LEFT")
    if style["direction"] == "rtl" and style["textAlign"] in {"start", "end"}:
        horizontal = "RIGHT" if style["textAlign"] == "start" else "LEFT"
    found: Node = {
        "fontFamily": css.family(style),
        "fontPostScriptName": None,
        "fontWeight": int(style["fontWeight"]),
        "fontSize": size,
        "textAlignHorizontal": horizontal,
        "textAlignVertical": "TOP",
        "letterSpacing": css.px(style["letterSpacing"]),
        "lineHeightPx": round(height, 4),
        "lineHeightPercentFontSize": round(height / size * 100, 4),
        "lineHeightUnit": "INTRINSIC_%" if style["lineHeight"] == "normal" else "PIXELS",
    }
    if style["textDecorationLine"] == "underline":
        found["textDecoration"] = "UNDERLINE"
    return found


def _text(node: Layout, identity: str) -> Node:
    style, lines = node["style"], node["lines"]
    height = css.line_height(style)
    first = lines[0]
    top = first["top"] + first["height"] / 2 - height / 2
    left, right = (min(line["left"] for line in lines), max(line["right"] for line in lines))
    hug = len(lines) == 1 and (
        style["display"] in {"flex", "inline", "inline-flex", "inline-block"}
        or abs(node["box"][2] - (right - left)) < 0.6
    )
    if not hug:
        x, _, w, _ = node["box"]
        inset_left = css.px(style["paddingLeft"]) + css.px(style["borderLeftWidth"])
        inset_right = css.px(style["paddingRight"]) + css.px(style["borderRightWidth"])
        left, right = x + inset_left, x + w - inset_right
    runs = [run for line in lines for run in line["runs"]]
    characters = " ".join("".join(r["text"] for r in line["runs"]).strip() for line in lines)
    base = runs[0]["style"]
    found: Node = {
        "id": identity,
        "name": characters[:60],
        "type": "TEXT",
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "absoluteBoundingBox": _rectangle(left, top, right - left, height * len(lines)),
        "absoluteRenderBounds": _ink_bounds(runs),
        "constraints": {"vertical": "TOP", "horizontal": "LEFT"},
        "fills": [_solid(css.colour(base["color"]))],
        "strokes": [],
        "strokeWeight": 1.0,
        "strokeAlign": "OUTSIDE",
        "effects": [],
        "characters": characters,
        "style": _type_style(base) | {"textAutoResize": "WIDTH_AND_HEIGHT" if hug else "HEIGHT"},
        "characterStyleOverrides": [],
        "styleOverrideTable": {},
        "lineTypes": ["NONE"],
        "lineIndentations": [0],
        "interactions": [],
    }
    _override_styles(found, lines)
    return found


def _override_styles(found: Node, lines: list[Layout]) -> None:
    keys = ("color", "fontSize", "fontWeight", "fontFamily", "textDecorationLine")
    runs = [run for line in lines for run in line["runs"]]
    looks = [tuple(run["style"][k] for k in keys) for run in runs]
    if len(set(looks)) == 1:
        return
    numbers: dict[tuple[str, ...], int] = {looks[0]: 0}
    overrides: list[int] = []
    for line in lines:
        for run in line["runs"]:
            look = tuple(run["style"][k] for k in keys)
            number = numbers.setdefault(look, len(numbers))
            overrides += [number] * len(run["text"])
            if number:
                entry = _type_style(run["style"])
                entry["fills"] = [_solid(css.colour(run["style"]["color"]))]
                found["styleOverrideTable"][str(number)] = entry
    found["characterStyleOverrides"] = overrides[: len(found["characters"])]


def _ink_bounds(runs: list[Layout]) -> dict[str, float]:
    left = min(run["left"] + run["ink"]["left"] for run in runs)
    right = max(run["left"] + run["ink"]["right"] for run in runs)
    top = min(css.baseline(run) - run["ink"]["up"] for run in runs)
    low = max(css.baseline(run) + run["ink"]["down"] for run in runs)
    return _rectangle(left, top, max(right - left, 0), max(low - top, 0))


def _icon(node: Layout) -> Node:
    style = node["style"]
    paint = css.colour(style["color"])
    children = []
    for number, shape in enumerate(node["shapes"]):
        x, y, w, h = shape["box"]
        weight = 2 * shape["scale"]
        children.append(
            {
                "id": f"3:{(node['index'] + 1) * 10 + number}",
                "name": "Vector",
                "type": "VECTOR",
                "scrollBehavior": "SCROLLS",
                "blendMode": "PASS_THROUGH",
                "absoluteBoundingBox": _rectangle(x, y, w, h),
                "absoluteRenderBounds": _rectangle(
                    x - weight / 2, y - weight / 2, w + weight, h + weight
                ),
                "fills": [],
                "strokes": [_solid(paint)],
                "strokeWeight": round(weight, 4),
                "strokeAlign": "CENTER",
                "strokeCap": "ROUND",
                "strokeJoin": "ROUND",
                "effects": [],
            }
        )
    return {
        "id": node_id(node["index"]),
        "name": f"icon/{node['icon']}",
        "type": "FRAME",
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "children": children,
        "absoluteBoundingBox": _rectangle(*node["box"]),
        "absoluteRenderBounds": _rectangle(*node["box"]),
        "clipsContent": True,
        "fills": [],
        "strokes": [],
        "effects": [],
    }


def _name(node: Layout) -> str:
    classes = str(node["class"]).split()
    return classes[0].capitalize() if classes else str(node["tag"])


def _render_bounds(box: list[float], style: Layout) -> dict[str, float]:
    x, y, w, h = box
    left = top = right = low = 0.0
    for s in css.shadows(style["boxShadow"]):
        left = max(left, s.blur + s.spread - s.x)
        right = max(right, s.blur + s.spread + s.x)
        top = max(top, s.blur + s.spread - s.y)
        low = max(low, s.blur + s.spread + s.y)
    return _rectangle(x - left, y - top, w + left + right, h + top + low)


def to_node(node: Layout, *, root: bool = False) -> Node:
    """Return the design node of one laid-out element with everything inside it."""
    style, box = node["style"], node["box"]
    if node.get("svg"):
        return _icon(node)
    if node["lines"] and not css.paints(style) and not root:
        text = _text(node, node_id(node["index"]))
        if float(style["opacity"]) < 1:
            text["opacity"] = float(style["opacity"])
        return text
    leaf = not node["children"] and not node["lines"]
    found: Node = {
        "id": node_id(node["index"]),
        "name": _name(node),
        "type": "RECTANGLE" if leaf else "FRAME",
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "absoluteBoundingBox": _rectangle(*box),
        "absoluteRenderBounds": _render_bounds(box, style),
        "constraints": {"vertical": "TOP", "horizontal": "LEFT"},
    } | _box_paints(style, box[2], box[3])
    if float(style["opacity"]) < 1:
        found["opacity"] = float(style["opacity"])
    if node.get("src"):
        fill = {"blendMode": "NORMAL", "type": "IMAGE", "scaleMode": "FILL"}
        found["fills"] = [fill | {"imageRef": f"{node['index']:040x}"}]
        found["name"] = "Image"
    if not leaf:
        found["clipsContent"] = root or style["overflow"] != "visible"
        found |= _auto_layout(style)
        found["children"] = [to_node(child) for child in node["children"]]
        if node["lines"]:
            found["children"].append(_text(node, text_id(node["index"])))
    if css.px(style["flexGrow"] + "px") > 0:
        found["layoutGrow"] = 1.0
    return found


def to_envelope(layout: Layout, *, name: str, width: int, height: int) -> Node:
    """Return the answer of ``GET /v1/files/:key/nodes`` for the page's frame."""
    layout = layout | {"box": [0, 0, width, height]}
    root = to_node(layout, root=True)
    root["name"] = name
    if not root["fills"]:
        root["fills"] = [_solid((255, 255, 255, 1.0))]
    return {
        "name": "truth",
        "lastModified": "2026-01-01T00:00:00Z",
        "version": "1",
        "role": "viewer",
        "editorType": "figma",
        "nodes": {
            root["id"]: {
                "document": root,
                "components": {},
                "componentSets": {},
                "schemaVersion": 0,
                "styles": {},
            }
        },
    }
