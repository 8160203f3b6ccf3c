"""A fixer: reads the brief's JSON, repairs one CSS property, exits.

For the worst finding it looks up the design node, finds the CSS rule of the element that carries
the node's id, and sets the first declaration that is not what the design says. A node that is
right itself is wrong because of its surroundings, so its ancestors come next, then everything
else in document order.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent


def chains(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return each node's id with the node and its ancestors, nearest first."""
    found: dict[str, list[dict[str, Any]]] = {}
    todo: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [(document, [])]
    while todo:
        node, above = todo.pop()
        found[node["id"]] = [node, *above]
        todo.extend((child, [node, *above]) for child in reversed(node.get("children", [])))
    return found


def hex_colour(paint: dict[str, Any]) -> str:
    """Return a paint's colour as CSS writes it."""
    return "#" + "".join(f"{round(paint['color'][k] * 255):02x}" for k in "rgb")


def declarations(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the CSS declarations that the design asks of a node, most visible first."""
    text = node["type"] == "TEXT"
    if node.get("fills"):
        yield ("color" if text else "background"), hex_colour(node["fills"][0])
    if text:
        yield "font-size", f"{node['style']['fontSize']}px"
        yield "font-weight", str(node["style"]["fontWeight"])
        return
    if node.get("strokes"):
        yield "border", f"{node['strokeWeight']}px solid {hex_colour(node['strokes'][0])}"
    if "cornerRadius" in node:
        yield "border-radius", f"{node['cornerRadius']}px"
    if node.get("itemSpacing"):
        yield "gap", f"{node['itemSpacing']}px"


def repair(page: str, node: dict[str, Any]) -> str | None:
    """Set the first wrong declaration of the node's rule; return what was done."""
    html = (HERE / "site" / f"{page}.html").read_text("utf-8")
    tag = re.search(rf'<(\w+)(?: class="([\w ]+)")? data-figma-id="{node["id"]}"', html)
    if tag is None:
        return None
    selectors = ["." + name for name in (tag[2] or "").split()] or [tag[1]]
    css = HERE / "site" / f"{page}.css"
    text = css.read_text("utf-8")
    for name, wanted in declarations(node):
        for selector in selectors:
            old = re.search(
                rf"^({re.escape(selector)} {{[^}}]*?[ {{]{name}: )([^;]+);", text, re.MULTILINE
            )
            if old is not None and old[2] != wanted:
                css.write_text(text[: old.start()] + old[1] + wanted + text[old.end() - 1 :])
                return f"{selector}: {name} {old[2]} -> {wanted}"
    return None


def main() -> int:
    """Repair one property and say which."""
    brief = json.loads(Path(os.environ["PIXELLOOP_BRIEF_JSON"]).read_text("utf-8"))
    page = brief["test_id"].rpartition("test_")[2].partition("[")[0]
    (nodes,) = (HERE / "designs" / page).glob("*.nodes.json")
    (entry,) = json.loads(nodes.read_text("utf-8"))["nodes"].values()
    known = chains(entry["document"])
    for finding in brief["findings"]:
        for node in known.get((finding["node"] or {}).get("id"), []):
            if done := repair(page, node):
                print(done)
                return 0
    for chain in known.values():
        if done := repair(page, chain[0]):
            print(done)
            return 0
    print("every declaration is what the design says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
