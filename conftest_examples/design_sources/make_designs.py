"""Draw the examples' designs: PNG and Figma-shaped node JSON from a page with the right CSS.

The examples ship with what this writes; run it again only after changing a page:
``python conftest_examples/design_sources/make_designs.py``.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from pytest_pixelloop.capture.browser import find_browser, launch_arguments

HERE = Path(__file__).parent
EXAMPLES = HERE.parent
#: example, page, frame size, scale
DESIGNS = (
    ("quickstart", "login", (440, 560), 2),
    ("quickstart", "settings", (480, 480), 2),
    ("ping_pong", "tiles", (368, 144), 1),
    ("stuck", "tiles", (368, 144), 1),
    ("gate_only", "tiles", (368, 144), 1),
    ("screenshot_options", "board", (320, 240), 1),
)
#: The same page in several: frame size, first part of the node ids, what <html> has as class
VARIANTS = (
    ("viewports_themes", "tiles", (720, 144), "1", ""),
    ("viewports_themes", "tiles", (320, 296), "2", ""),
    ("viewports_themes", "tiles", (720, 144), "3", "dark"),
    ("viewports_themes", "tiles", (320, 296), "4", "dark"),
)
DRESS = """([ids, name]) => {
  document.documentElement.className = name;
  for (const element of document.querySelectorAll('[data-figma-id]'))
    element.dataset.figmaId = element.dataset.figmaId.replace(/^1:/, `${ids}:`);
}"""

EXTRACT = """
() => {
  const colour = text => {
    const n = (text.match(/[\\d.]+/g) || []).map(Number);
    const a = n.length > 3 ? n[3] : 1;
    return a === 0 ? [] : [{blendMode: 'NORMAL', type: 'SOLID',
      color: {r: n[0] / 255, g: n[1] / 255, b: n[2] / 255, a}}];
  };
  const px = text => parseFloat(text) || 0;
  const node = element => {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const children = [...element.querySelectorAll('[data-figma-id]')].filter(
      child => child.parentElement.closest('[data-figma-id]') === element);
    const text = children.length === 0 && element.textContent.trim() !== '';
    const out = {
      id: element.dataset.figmaId, name: element.dataset.name,
      type: text ? 'TEXT' : 'FRAME',
      absoluteBoundingBox: {x: box.x, y: box.y, width: box.width, height: box.height},
      fills: colour(text ? style.color : style.backgroundColor),
    };
    if (text) {
      out.characters = element.textContent.trim();
      out.style = {fontFamily: 'Inter', fontWeight: Number(style.fontWeight),
        fontSize: px(style.fontSize), lineHeightPx: px(style.lineHeight),
        lineHeightUnit: 'PIXELS',
        letterSpacing: 0,
        textAlignHorizontal: style.textAlign === 'center' ? 'CENTER' : 'LEFT'};
      return out;
    }
    if (style.backgroundImage !== 'none') {
      out.type = 'RECTANGLE';
      out.fills = [{blendMode: 'NORMAL', type: 'IMAGE', scaleMode: 'FILL', imageRef: out.name}];
    }
    const side = px(style.borderTopWidth);
    if (side) {
      out.strokes = colour(style.borderTopColor);
      out.strokeWeight = side;
      out.strokeAlign = 'INSIDE';
    }
    if (px(style.borderTopLeftRadius)) out.cornerRadius = px(style.borderTopLeftRadius);
    if (style.display === 'flex') {
      out.layoutMode = style.flexDirection === 'column' ? 'VERTICAL' : 'HORIZONTAL';
      out.itemSpacing = px(style.rowGap);
    }
    for (const [word, css] of [['paddingLeft', 'paddingLeft'], ['paddingRight', 'paddingRight'],
        ['paddingTop', 'paddingTop'], ['paddingBottom', 'paddingBottom']])
      if (px(style[css])) out[word] = px(style[css]);
    out.children = children.map(node);
    return out;
  };
  return node(document.body);
}
"""


def clean(value: Any) -> Any:
    """Return *value* with whole numbers as integers and no float noise: a file to read."""
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, float):
        rounded = round(value, 6)
        return int(rounded) if math.isclose(rounded, int(rounded)) else rounded
    return value


def draw(
    browser: Browser,
    example: str,
    page_name: str,
    frame: tuple[int, int],
    scale: int,
    *,
    dress: tuple[str, str] = ("1", ""),
) -> None:
    """Write one design's PNG and node JSON into the example's designs folder."""
    width, height = frame
    with tempfile.TemporaryDirectory() as folder:
        site = Path(shutil.copytree(EXAMPLES / example / "site", Path(folder) / "site"))
        shutil.copytree(HERE / example, site, dirs_exist_ok=True)
        context = browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=scale
        )
        page = context.new_page()
        page.goto((site / f"{page_name}.html").as_uri())
        page.evaluate("document.fonts.ready")
        if dress != ("1", ""):
            page.evaluate(DRESS, list(dress))
        document = page.evaluate(EXTRACT)
        document["absoluteBoundingBox"] = {"x": 0, "y": 0, "width": width, "height": height}
        document["clipsContent"] = True
        target = EXAMPLES / example / "designs" / page_name
        target.mkdir(parents=True, exist_ok=True)
        label = document["id"].replace(":", "-")
        page.screenshot(path=target / f"{label}.png")
        envelope = {"name": page_name, "nodes": {document["id"]: {"document": clean(document)}}}
        (target / f"{label}.nodes.json").write_text(
            json.dumps(envelope, indent=1) + "\n", encoding="utf-8"
        )
        context.close()


def main() -> None:
    """Draw all designs."""
    choice = find_browser(None, environ=os.environ)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_arguments(choice))
        for example, page_name, frame, scale in DESIGNS:
            draw(browser, example, page_name, frame, scale)
        for example, page_name, frame, ids, name in VARIANTS:
            draw(browser, example, page_name, frame, 1, dress=(ids, name))
        browser.close()


if __name__ == "__main__":
    main()
