"""What a picture cannot show of a touch screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.view import read_view

if TYPE_CHECKING:
    from pytest_pixelloop.capture.area import Area

_HAS_RULES = """() => {
  const walk = (rules) => [...rules].some((rule) =>
    (rule.media && /pointer|hover/.test(rule.media.mediaText))
    || (rule.cssRules && walk(rule.cssRules)));
  return [...document.styleSheets].some((sheet) => {
    try { return walk(sheet.cssRules); } catch { return false; }  // of another origin
  });
}"""


def has_touch_rules(page: Any) -> bool:
    """Tell whether a style sheet of *page* minds what points at it; not of another origin's."""
    return bool(page.evaluate(_HAS_RULES))


def lost_touch_warning(page: Any, area: Area) -> list[str]:
    """Return a warning where *area* reaches beyond the viewport of a page that minds touch.

    Chromium paints a picture beyond the viewport without its touch screen, whoever asks for it
    (Chromium 156; Playwright's full_page too).
    """
    view = read_view(page)
    if not view.touch or view.contains(area.css) or not has_touch_rules(page):
        return []
    said = (
        "the page has rules for touch screens and is larger than its viewport: Chromium paints "
        "such a picture as without one; give the viewport the frame's height, or full_page=False"
    )
    return [said]
