"""By what a page shows the texts of a design: by text, or by a picture of text."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.problems import playwright_error_types
from pytest_pixelloop.core.shown_texts import TEXT, ShownTexts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_pixelloop.core.geometry import Box

_ON = "text on a picture"
_RULES = (
    "*, *::before, *::after { -webkit-text-fill-color: transparent !important; "
    "-webkit-text-stroke-color: transparent !important; text-shadow: none !important; "
    "text-decoration-color: transparent !important; transition: none !important; "
    "-webkit-background-clip: border-box !important; } "  # words cut out of a gradient
    "svg text, svg tspan { fill: transparent !important; stroke: transparent !important; }"
)
_SHEETS = "Object.getOwnPropertyDescriptor(Document.prototype, 'adoptedStyleSheets')"
_HIDE = f"""() => {{
  const sheet = new CSSStyleSheet(), all = {_SHEETS};
  sheet.replaceSync({json.dumps(_RULES)});
  globalThis.hiddenWords = sheet;
  Reflect.apply(all.set, document, [[...Reflect.apply(all.get, document, []), sheet]]);
}}"""
_SHOW = f"""() => {{
  const all = {_SHEETS}, now = [...Reflect.apply(all.get, document, [])];
  Reflect.apply(all.set, document, [now.filter((s) => s !== globalThis.hiddenWords)]);
}}"""
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
    return ShownTexts(
        looked=looked,
        kinds=tuple(TEXT if kind == _ON else kind for kind in kinds),
        selector=str(answer["name"])[:200],
        on=tuple(at for at, kind in zip(looked, kinds, strict=True) if kind == _ON),
    )


@contextmanager
def hidden_words(page: Any) -> Iterator[None]:
    """Show *page* without its words, everything else where it is, until the block ends.

    In all frames that live in the page's own process. Shadow trees inherit it, closed ones too.
    """
    session = page.context.new_cdp_session(page)
    try:
        worlds = [_world(session, frame) for frame in _frames(session)]
        try:
            for world in worlds:
                _evaluate(session, world, f"({_HIDE})()")
            yield
        finally:
            for world in worlds:
                _evaluate(session, world, f"({_SHOW})()")
    finally:
        with suppress(*playwright_error_types()):
            session.detach()


def _evaluate_apart(page: Any, expression: str) -> str:
    """Return what an expression gives in an isolated world: same DOM, own globals."""
    session = page.context.new_cdp_session(page)
    try:
        return _evaluate(session, _world(session, _frames(session)[0]), expression)
    finally:
        session.detach()


def _frames(session: Any) -> list[str]:
    """Return the ids of the page's frames, its own first."""
    trees, found = [session.send("Page.getFrameTree")["frameTree"]], []
    while trees:
        tree = trees.pop(0)
        found.append(str(tree["frame"]["id"]))
        trees += tree.get("childFrames", ())
    return found


def _world(session: Any, frame: str) -> int:
    return int(session.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"])


def _evaluate(session: Any, world: int, expression: str) -> str:
    answer = session.send(
        "Runtime.evaluate",
        {
            "expression": expression,
            "contextId": world,
            "returnByValue": True,
            "awaitPromise": True,
            "timeout": 20_000,
        },
    )
    return str(answer["result"].get("value"))
