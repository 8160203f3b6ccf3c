"""JSON out of a node file, or one clear sentence about what the file is instead."""

from __future__ import annotations

import gzip
import io
import json
import math
import zlib
from typing import Any

from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.store.picture_kinds import is_lfs_pointer, kind_of

MAX_BYTES = 256_000_000
_GZIP = b"\x1f\x8b"
EXPECTED = "JSON of the Figma REST API (GET /v1/files/:key/nodes, or one node's document)"
FETCH_AGAIN = "fetch or export the nodes again"


def parse_json(data: bytes, *, name: str) -> Any:
    """Return the value of a JSON file, gzipped or not, with or without byte order mark.

    NaN and infinity come back as None, so every number in the value is finite. Raises
    DesignUnreadableError, with *name* in it, for everything that is no JSON, too large or nested
    too deeply.
    """
    text = _text(_unpacked(data, name), name)
    try:
        return json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise _not_json(text, error, name) from error
    except RecursionError as error:
        raise unreadable("the JSON is nested too deeply to be a design", name) from error
    except ValueError as error:  # an integer of thousands of digits
        raise unreadable(f"the JSON cannot be read: {error}", name) from error


def unreadable(what: str, name: str, *, next_step: str = FETCH_AGAIN) -> DesignUnreadableError:
    """Return the error that says *what* is wrong with the node file *name*."""
    return DesignUnreadableError(what, where=name, expected=EXPECTED, next_step=next_step)


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _unpacked(data: bytes, name: str) -> bytes:
    if not data:
        raise unreadable("the node file is empty (0 bytes)", name)
    if is_lfs_pointer(data):
        raise unreadable(
            "the node file is a Git LFS pointer, not the file itself",
            name,
            next_step="git lfs pull (in CI: a checkout with LFS switched on)",
        )
    if data.startswith(_GZIP):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise unreadable(f"the gzip file is damaged: {error}", name) from error
    if len(data) > MAX_BYTES:
        raise unreadable(
            f"the node file is too large: more than {MAX_BYTES:,} bytes of JSON",
            name,
            next_step="fetch only the frame's node (ids=...), not the whole file",
        )
    return data


def _text(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        kind = "UTF-16 text" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else kind_of(data)
        if data.startswith(b"\x89PNG"):
            kind = "a PNG picture"
        raise unreadable(f"the node file is {kind}, not JSON in UTF-8", name) from error
    if not text.strip():
        raise unreadable("the node file is empty (white space only)", name)
    return text


def _not_json(text: str, error: json.JSONDecodeError, name: str) -> DesignUnreadableError:
    start = text.lstrip()
    if start[:1] not in ("{", "["):
        kind = kind_of(start[:4096].encode("utf-8", "replace"))
        return unreadable(f"the node file is {kind}, not JSON", name)
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated"):
        return unreadable(f"the JSON ends early, in line {error.lineno}", name)
    return unreadable(
        f"the node file is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})",
        name,
    )
