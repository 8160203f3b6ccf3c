"""A design's lines for ``designs.yaml``, put into the file where that can be done without harm.

The file is a person's: its comments and its order stay. Lines are only ever added at the end, and
only when the file with them reads as it did before plus the new design.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.sources.manifest import MANIFEST_NAME, load_manifest
from pytest_pixelloop.sources.plan import plan_entry

if TYPE_CHECKING:
    from collections.abc import Sequence

Placed = tuple[str | None, str | None, str | None]
"""Node id, theme, viewport of one label; None where there is none."""


def entry_lines(name: str, labels: Sequence[Placed]) -> list[str]:
    """Return the lines of a design that plans exactly *labels*."""
    themes = list(dict.fromkeys(theme for _, theme, _ in labels if theme))
    viewports = list(dict.fromkeys(viewport for _, _, viewport in labels if viewport))
    key = json.dumps(name, ensure_ascii=False) if not _is_plain(name) else name
    if not themes and not viewports:
        return [f"  {key}: {_node(labels[0][0])}"]
    lines = [f"  {key}:"]
    if viewports:
        lines.append("    viewports:")
        for viewport in viewports:
            node = next((n for n, t, v in labels if v == viewport and t is None), None)
            lines.append(f"      {viewport}: {_node(node)}")
    if themes:
        lines.append("    themes:")
    for theme in themes:
        if not viewports:
            node = next((n for n, t, _ in labels if t == theme), None)
            lines.append(f"      {theme}: {_node(node)}")
            continue
        lines.append(f"      {theme}:")
        lines.append("        viewports:")
        lines.extend(f"          {v}: {_node(n)}" for n, t, v in labels if t == theme and v)
    return lines


def with_entry(designs: Path, name: str, lines: Sequence[str], *, labels: set[str]) -> str | None:
    """Return the manifest's text with the design *name* added, None when that is not safe.

    Safe is: it reads, every design that was there is as it was, and the new one plans *labels*.
    """
    path = designs / MANIFEST_NAME
    before = path.read_text("utf-8-sig") if path.is_file() else "schema_version: 1\ndesigns:\n"
    text = before.rstrip() + "\n" + "\n".join(lines) + "\n"
    try:
        known = load_manifest(path).designs if path.is_file() else {}
        with tempfile.TemporaryDirectory() as folder:
            trial = Path(folder) / designs.name / MANIFEST_NAME
            trial.parent.mkdir()
            trial.write_text(text, encoding="utf-8")
            manifest = load_manifest(trial)
        planned = {item.label for item in plan_entry(manifest, manifest.designs[name])}
    except (PixelloopError, KeyError, OSError):
        return None
    same = set(manifest.designs) == {*known, name} and name not in known
    return text if same and planned == labels else None


def _node(node: str | None) -> str:
    return "{}" if node is None else f'{{node: "{node}"}}'


def _is_plain(name: str) -> bool:
    return name.isascii() and name.replace("-", "").replace("_", "").isalpha()
