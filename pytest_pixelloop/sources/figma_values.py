"""What Figma writes of a node, held to the types that it has: what is no number is no number.

Everything behind the reader does arithmetic with these values. A tool that writes ``"16"`` for 16,
or null for a colour, would end a comparison in the middle; a value of the wrong type is as if it
were not there, so that Figma's default holds. Unknown keys are kept as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Beyond this no canvas reaches, and squares of it are still exact numbers.
LARGEST = 1e7
#: An object in an object in ... of known keys ends here; Figma's own do at three.
_DEEPEST = 8

_NUMBERS = frozenset(
    (
        *("opacity", "rotation", "strokeWeight", "cornerRadius", "cornerSmoothing", "radius"),
        *("spread", "x", "y", "width", "height", "r", "g", "b", "a", "position", "fontSize"),
        *("fontWeight", "lineHeightPx", "lineHeightPercent", "lineHeightPercentFontSize"),
        *("letterSpacing", "paragraphSpacing", "paragraphIndent", "maxLines", "itemSpacing"),
        *("counterAxisSpacing", "layoutGrow", "paddingLeft", "paddingRight", "paddingTop"),
        *("paddingBottom", "top", "right", "bottom", "left", "minWidth", "maxWidth", "minHeight"),
        *("maxHeight", "strokeMiterAngle", "scalingFactor"),
    )
)
_NUMBER_LISTS = frozenset(("rectangleCornerRadii", "characterStyleOverrides", "strokeDashes"))
_OBJECTS = frozenset(
    ("style", "color", "offset", "individualStrokeWeights", "styleOverrideTable", "styles")
)
_OBJECT_LISTS = frozenset(
    ("fills", "strokes", "effects", "gradientStops", "gradientHandlePositions")
)
_WORDS = frozenset(
    (
        *("blendMode", "strokeAlign", "layoutMode", "layoutWrap", "layoutPositioning"),
        *("layoutSizingHorizontal", "layoutSizingVertical", "layoutAlign", "scaleMode"),
        *("primaryAxisAlignItems", "counterAxisAlignItems", "counterAxisAlignContent"),
        *("primaryAxisSizingMode", "counterAxisSizingMode", "fontFamily", "fontPostScriptName"),
        *("textCase", "textDecoration", "textAlignHorizontal", "textAlignVertical"),
        *("textAutoResize", "textTruncation", "lineHeightUnit", "fontStyle"),
    )
)


def node_properties(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return *raw* without its children, and without known keys whose value has a wrong type."""
    return _object({key: value for key, value in raw.items() if key != "children"}, 0)


def number(value: object) -> float | None:
    """Return a number that arithmetic bears; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LARGEST <= value <= LARGEST else None  # NaN is neither


def _object(given: Mapping[str, Any], depth: int) -> dict[str, Any]:
    # A null of a known key goes, too: `get(key, default)` would hand it on as if it said something.
    held = ((key, _value(key, value, depth)) for key, value in given.items())
    return {key: value for key, value in held if value is not None}


def _value(key: str, value: Any, depth: int) -> Any:
    """Return the value of *key*; None where it has not the type that Figma gives it."""
    if key in _OBJECTS:
        fine = isinstance(value, dict) and depth < _DEEPEST
        return _object(value, depth + 1) if fine else None
    if key in _OBJECT_LISTS:
        fine = isinstance(value, list) and depth < _DEEPEST
        return [_object(v, depth + 1) for v in value if isinstance(v, dict)] if fine else None
    return value if _fits(key, value) else None


def _fits(key: str, value: object) -> bool:
    """Tell whether *value* may stand at *key*, which holds no objects that are known."""
    if key in _NUMBERS:
        return number(value) is not None
    if key in _NUMBER_LISTS:
        return isinstance(value, list) and all(number(v) is not None for v in value)
    return key not in _WORDS or isinstance(value, str)
