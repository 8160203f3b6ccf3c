"""Figma node ids in their one canonical form, and file names made of them."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote

_ID = re.compile(r"I?\d+:\d+(?:;\d+:\d+)*", re.ASCII)
_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE | re.DOTALL)
_LONGEST = 80


def canonical_id(text: str) -> str:
    """Return a node id as the API's answers write it: ``12:34``, ``I12:3;4:5``.

    Understands the forms of links: ``12-34``, ``12%3A34``, ``I12-3%3B4-5``. A text that is no
    Figma id (files made by hand have any id they like) comes back unchanged.
    """
    candidate = unquote(text.strip()).replace("-", ":")
    return candidate if _ID.fullmatch(candidate) else text


def is_figma_id(text: str) -> bool:
    """Tell whether *text* is a Figma node id in its canonical form."""
    return _ID.fullmatch(text) is not None


def safe_name(text: str) -> str:
    """Return *text* as a file name that Linux, macOS and Windows accept.

    A text that has to be changed gets a short hash, so that two texts never share one name.
    """
    clean = _UNSAFE.sub("-", text).strip(" .")
    if _RESERVED.fullmatch(clean):
        clean = "_" + clean
    clean = clean.encode("utf-8", "replace").decode("utf-8")
    if clean and clean == text and len(clean.encode()) <= _LONGEST:
        return clean
    short = clean.encode()[:_LONGEST].decode("utf-8", "ignore").strip(" .") or "design"
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return f"{short}-{digest[:8]}"


def label_of(
    name: str, *, node: str | None, theme: str | None = None, viewport: str | None = None
) -> str:
    """Return a comparison's label: ``<node id, ':' as '-'>[__<theme>][__<viewport>]``.

    A design without node id uses its own *name*. The result is a safe file name.
    """
    base = node.replace(":", "-") if node is not None and is_figma_id(node) else (node or name)
    parts = [base, *(part for part in (theme, viewport) if part is not None)]
    return safe_name("__".join(parts))
