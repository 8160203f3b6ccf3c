"""Figma links in every form that people paste, taken apart into file key and node id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.node_ids import canonical_id, is_figma_id

EXPECTED = "https://www.figma.com/design/<file key>/<name>?node-id=12-340"
_HOST = re.compile(r"(?:[\w-]+\.)*figma(?:-gov)?\.com", re.ASCII | re.IGNORECASE)
_KEY = re.compile(r"[0-9A-Za-z]{1,128}", re.ASCII)
_FILES = frozenset({"file", "design", "proto"})
_OTHERS = {
    "board": "a FigJam board",
    "jam": "a FigJam board",
    "slides": "a Figma Slides deck",
    "deck": "a Figma Slides deck",
    "make": "a Figma Make file",
    "site": "a Figma Sites file",
    "sites": "a Figma Sites file",
    "buzz": "a Figma Buzz file",
    "community": "a Community page, whose id is no file key",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigmaLink:
    """A design file and, where the link names one, a node in it.

    ``key`` is what the API takes: of a branch its own key, not that of the main file.
    """

    key: str
    node: str | None = None
    branch: bool = False


def parse_link(text: str, *, where: str = "") -> FigmaLink:
    """Return what a Figma link names.

    Understands ``/file/``, ``/design/`` and ``/proto/`` links, branches, embeds, Dev Mode links,
    and node ids written ``12-34``, ``12:34``, ``12%3A34`` and ``I12-3%3B4-5``. Raises
    ConfigurationError, with *where*, for everything else, and says what it is.
    """
    parts = urlsplit(_with_scheme(text.strip()))
    query = parse_qs(parts.query)
    if parts.path.strip("/") == "embed" and query.get("url"):
        return parse_link(query["url"][0], where=where)
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(parts.hostname or ""):
        raise _wrong(text, "is no Figma link", where)
    kind, *rest = [part for part in parts.path.split("/") if part] or [""]
    if kind in _OTHERS:
        raise _wrong(text, f"leads to {_OTHERS[kind]}, not to a design file", where)
    if kind not in _FILES or not rest or not _KEY.fullmatch(rest[0]):
        raise _wrong(text, "names no design file", where)
    key, branch = rest[0], False
    if len(rest) > 1 and rest[1] == "branch":
        if len(rest) < 3 or not _KEY.fullmatch(rest[2]):
            raise _wrong(text, "names a branch without its key", where)
        key, branch = rest[2], True
    return FigmaLink(key=key, node=_node(query, text, where), branch=branch)


def _with_scheme(text: str) -> str:
    return text if "://" in text else "https://" + text


def _node(query: dict[str, list[str]], text: str, where: str) -> str | None:
    raw = query.get("node-id") or query.get("node_id") or query.get("starting-point-node-id")
    if not raw:
        return None
    node = canonical_id(unquote(raw[0]))
    if not is_figma_id(node):
        raise _wrong(text, f"has the node id {printable(raw[0], limit=60)!r}, which is none", where)
    return node


def _wrong(text: str, what: str, where: str) -> ConfigurationError:
    return ConfigurationError(
        f"{printable(text)!r} {what}",
        where=where,
        expected=EXPECTED,
        next_step='in Figma, select the frame and choose "Copy link to selection"',
    )
