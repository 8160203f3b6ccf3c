"""What a design calls a value: the variable or the style that a node's property is bound to.

A node says an id (``boundVariables``, ``styles``); the name stands beside the nodes, where the
export has it. Variables go before styles: a style may be made of several values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.core.design import DesignNode

_PAINTS = {"background-color": "fills", "color": "fills", "fill": "fills", "stroke": "strokes"}
_STYLES = {"fills": ("fill", "fills"), "strokes": ("stroke", "strokes")}
_CORNERS = ("topLeftRadius", "topRightRadius", "bottomRightRadius", "bottomLeftRadius")
_FIELDS = {
    "gap": ("itemSpacing",),
    "row-gap": ("itemSpacing", "counterAxisSpacing"),
    "column-gap": ("itemSpacing", "counterAxisSpacing"),
    "padding-top": ("paddingTop",),
    "padding-right": ("paddingRight",),
    "padding-bottom": ("paddingBottom",),
    "padding-left": ("paddingLeft",),
    "padding": ("paddingTop",),
    "border-radius": ("cornerRadius", *_CORNERS, "rectangleCornerRadii"),
    "border-width": ("strokeWeight", "individualStrokeWeights"),
    "font-size": ("fontSize",),
    "font-family": ("fontFamily",),
    "font-weight": ("fontWeight", "fontStyle"),
    "line-height": ("lineHeight",),
    "letter-spacing": ("letterSpacing",),
    "width": ("width", "size"),
    "height": ("height", "size"),
    "opacity": ("opacity",),
}


def bound_name(node: DesignNode, css_property: str) -> str | None:
    """Return the name that the design has for a CSS property of a node, None where none is known.

    None, too, where several names are bound: corners that differ, two fills.
    """
    if not node.names:
        return None
    key = _PAINTS.get(css_property)
    if css_property.startswith("border-") and css_property.endswith("color"):
        key = "strokes"
    ids = _ids_of_paint(node, key) if key else _ids_of_field(node, css_property)
    found = dict.fromkeys(node.names[i] for i in ids if i in node.names)
    if not found:
        found = dict.fromkeys(node.names[i] for i in _styles(node, key, css_property))
    return next(iter(found)) if len(found) == 1 else None


def _ids_of_paint(node: DesignNode, key: str) -> list[str]:
    paints = node.properties.get(key)
    own = [
        i
        for paint in (paints if isinstance(paints, list) else [])
        if isinstance(paint, dict) and paint.get("visible") is not False
        for i in _aliases(_map(paint.get("boundVariables")).get("color"))
    ]
    return own or list(_aliases(_map(node.properties.get("boundVariables")).get(key)))


def _ids_of_field(node: DesignNode, css_property: str) -> list[str]:
    bound = _map(node.properties.get("boundVariables"))
    return [i for f in _FIELDS.get(css_property, ()) for i in _aliases(bound.get(f))]


def _styles(node: DesignNode, key: str | None, css_property: str) -> list[str]:
    styles = _map(node.properties.get("styles"))
    words = _STYLES.get(key or "", ("effect", "effects") if css_property == "box-shadow" else ())
    ids = [styles.get(word) for word in words]
    return [i for i in ids if isinstance(i, str) and i in node.names]


def _aliases(value: Any) -> Iterator[str]:
    """Yield the ids in an alias, a list of them, or a map of them by corner or side."""
    if isinstance(value, list):
        for each in value:
            yield from _aliases(each)
    elif isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value["id"]
        else:
            for each in value.values():
                if isinstance(each, dict) and isinstance(each.get("id"), str):
                    yield each["id"]


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
