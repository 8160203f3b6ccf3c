"""Which of the accepted shapes a Figma JSON has, and whether it is Figma's REST format at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma_json import unreadable

_ENUMS = ("type", "blendMode", "strokeAlign", "layoutMode")
_PASCAL = ("Id", "Type", "Children", "AbsoluteBoundingBox", "Document")
_REFETCH = "fetch it from the REST API, or export it from a plugin as JSON_REST_V1"
# Both came to the API in 2021/22; an answer fetched since then has them whatever it describes.
_SINCE_2022 = ("absoluteRenderBounds", "scrollBehavior")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shape:
    """The raw nodes of a JSON value and what it says of itself; ``envelope`` is its top level."""

    roots: tuple[dict[str, Any], ...]
    missing: tuple[str, ...] = ()
    file_key: str | None = None
    version: str | None = None
    last_modified: str | None = None
    envelope: dict[str, Any]


def split_shape(value: Any, *, name: str) -> Shape:
    """Return the nodes that a JSON *value* holds, whichever accepted shape it has.

    Raises DesignUnreadableError that says what the value is when it has none of them.
    """
    if isinstance(value, list):
        roots = tuple(root for root in map(_document, value) if root is not None)
        if not roots:
            raise unreadable(f"the node file is a list of {len(value)} without nodes", name)
        return Shape(roots=roots, envelope={})
    if not isinstance(value, dict):
        raise unreadable(f"the node file is JSON, but {_word(value)}", name)
    missing: list[str] = []
    if isinstance(value.get("nodes"), dict):
        found = []
        for key, entry in value["nodes"].items():
            root = _document(entry)
            if root is None:
                missing.append(key)
            else:
                found.append(root)
        roots = tuple(found)
    else:
        root = _document(value)
        roots = () if root is None else (root,)
    if not roots and not missing:
        raise _no_nodes(value, name)
    return Shape(
        roots=roots,
        missing=tuple(missing),
        file_key=_text(value.get("fileKey")),
        version=_text(value.get("version")),
        last_modified=_text(value.get("lastModified")),
        envelope=value,
    )


def _document(value: object) -> dict[str, Any] | None:
    """Return the node in ``{"document": node}`` or the node itself; None when it is neither."""
    if not isinstance(value, dict):
        return None
    for key in ("document", "Document"):
        if isinstance(value.get(key), dict):
            return dict(value[key])
    looks_like_node = ("id" in value or "children" in value) and "type" in value
    return value if looks_like_node or any(key in value for key in _PASCAL) else None


def check_is_rest(shape: Shape, nodes: list[dict[str, Any]], *, name: str) -> None:
    """Raise DesignUnreadableError when *nodes* only look like nodes of the REST API."""
    for raw in nodes:
        wrong = next((key for key in _PASCAL if key in raw), None)
        if wrong:
            raise unreadable(
                f'this is not Figma\'s REST format: keys are written like "{wrong}", '
                f'not like "{wrong[0].lower()}{wrong[1:]}"',
                name,
                next_step=_REFETCH,
            )
        for key in _ENUMS:
            if isinstance(raw.get(key), int):
                raise unreadable(
                    f"this is not Figma's REST format: {key} is the number {raw[key]!r} "
                    f"(node {printable(str(raw.get('id')))}), where the API writes a word",
                    name,
                    next_step=_REFETCH,
                )
        kind = raw.get("type")
        if isinstance(kind, str) and kind != kind.upper():
            raise unreadable(
                f"this is not Figma's REST format: a node's type is \"{printable(kind)}\", "
                f'where the API writes "{printable(kind.upper())}"',
                name,
                next_step=_REFETCH,
            )
    _refuse_outdated(shape, nodes, name)


def _refuse_outdated(shape: Shape, nodes: list[dict[str, Any]], name: str) -> None:
    """Refuse a whole-file answer from before 2021, or a tool's imitation of one.

    Storyboard files of other tools (``.figma``) are such answers under another name. They lack
    the fields that tell where an export's pixels lie, and nothing in them can be checked.
    """
    envelope = shape.envelope
    outdated = (
        "schemaVersion" in envelope
        and "componentSets" not in envelope
        and (shape.last_modified or "9999") < "2021"
        and not any(key in raw for raw in nodes for key in _SINCE_2022)
    )
    if outdated:
        raise unreadable(
            "this is not an answer of today's Figma REST API: it is dated "
            f"{printable(shape.last_modified or '')[:10]}, and its nodes have neither "
            "absoluteRenderBounds nor scrollBehavior (a storyboard of another tool, or an answer "
            "from before 2021)",
            name,
            next_step=_REFETCH,
        )


def _no_nodes(value: dict[str, Any], name: str) -> Exception:
    problem = value.get("err") or value.get("message")
    if isinstance(problem, str):
        status = f"{value['status']}: " if isinstance(value.get("status"), int) else ""
        return unreadable(
            f"the node file is an error answer of the Figma API ({status}{printable(problem)})",
            name,
        )
    if isinstance(value.get("images"), dict):
        return unreadable("the node file is an answer with image addresses, without nodes", name)
    keys = ", ".join(printable(key, limit=40) for key in list(value)[:8])
    return unreadable(
        "the node file is JSON, but holds no Figma node: "
        + (f"its keys are {keys}" if keys else "it is an empty object"),
        name,
    )


def _word(value: object) -> str:
    return {str: "only a text", bool: "only true or false", type(None): "only null"}.get(
        type(value), "only a number"
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
