"""By what a page shows the texts of a design: by text, or by a picture of text."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.shown_texts import ShownTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.core.geometry import Box

#: Texts that are looked at; of more, as many at even distances.
MOST = 120


def find_shown_texts(
    page: Any, boxes: Sequence[Box], *, origin: tuple[float, float]
) -> ShownTexts | None:
    """Return by what *page* shows what lies in each of *boxes* (CSS px of the capture).

    *origin* is where the capture's corner lies in the viewport. Never raises; None where nobody can
    look: no box, another browser than Chromium, a page that breaks.
    """
    if not boxes:
        return None
    step = -(-len(boxes) // MOST)
    looked = tuple(range(0, len(boxes), step))
    given = [[b.x + origin[0], b.y + origin[1], b.w, b.h] for b in (boxes[i] for i in looked)]
    script = resources.files(__package__).joinpath("shown_texts.js").read_text("utf-8")
    try:
        answer = json.loads(_evaluate_apart(page, f"({script})({json.dumps(given)})"))
        kinds = tuple(str(kind) for kind in answer["found"])
    except Exception:  # noqa: BLE001 - the page decides what goes wrong in it
        return None
    if len(kinds) != len(looked):
        return None
    return ShownTexts(looked=looked, kinds=kinds, selector=str(answer["name"])[:200])


def _evaluate_apart(page: Any, expression: str) -> str:
    """Return what an expression gives in an isolated world: same DOM, own globals."""
    session = page.context.new_cdp_session(page)
    try:
        tree = session.send("Page.getFrameTree")
        world = session.send(
            "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]}
        )
        answer = session.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": world["executionContextId"],
                "returnByValue": True,
                "awaitPromise": True,
                "timeout": 5000,
            },
        )
        return str(answer["result"]["value"])
    finally:
        session.detach()
