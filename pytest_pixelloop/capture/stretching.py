"""A page shown a few px wider, narrower and taller, and with longer texts; then as it was.

Only boxes are read, nothing is painted. Transitions rest while that is done, so that a size is
not read on its way. Where a media query turns between two sizes, the page is another one there,
and that size says nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.view import viewport_for
from pytest_pixelloop.core.overfit import STEP, Probes, Sizes, Stretched

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.overfit import Hug

_READS = 5
REST = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*,*::before,*::after{transition:none!important;animation:none!important}');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return sheet;
}"""
WAKE = """(sheet) => {
  document.adoptedStyleSheets = [...document.adoptedStyleSheets].filter(s => s !== sheet);
}"""
SIZES = """(selectors) => selectors.map(selector => {
  const element = document.querySelector(selector);
  if (!element) return null;
  const box = element.getBoundingClientRect();
  return [box.width, box.height];
})"""
QUERIES = """() => {
  const told = [];
  const walk = rules => {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule) told.push(matchMedia(rule.conditionText).matches);
      if (rule.cssRules) walk(rule.cssRules);
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    try { walk(sheet.cssRules); } catch { told.push('unreadable'); }
  }
  return told.join();
}"""
LONGER = """(jobs) => {
  const first = element => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (walker.currentNode.nodeValue.trim()) return walker.currentNode;
    return null;
  };
  const extent = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const cut = element => {
    const style = getComputedStyle(element);
    return style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      || style.maxHeight !== 'none' || style.maxWidth !== 'none'
      || [style.overflowX, style.overflowY].some(word => word === 'auto' || word === 'scroll');
  };
  const room = box => {  // what the parent still has beside it; null where nobody can tell
    const parent = box.parentElement;
    if (!parent) return null;
    const style = getComputedStyle(parent);
    if (style.display.includes('grid') || style.display.includes('table')) return null;
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    const inner = parent.clientWidth - padding;
    const row = style.display.includes('flex') && style.flexDirection.startsWith('row');
    const kids = row ? [...parent.children] : [box];
    const taken = kids.filter(kid => !['absolute', 'fixed'].includes(getComputedStyle(kid).position)
      || kid === box).reduce((sum, kid) => sum + kid.getBoundingClientRect().width, 0);
    return inner - taken;
  };
  const one = job => {
    const host = document.querySelector(job.text), box = document.querySelector(job.box);
    if (!host || !box) return null;
    for (let at = host; at; at = at === box ? null : at.parentElement) if (cut(at)) return null;
    const node = first(host);
    if (!node) return null;
    const was = node.nodeValue, said = was.trim();
    const size = box.getBoundingClientRect(), text = extent(node), free = room(box);
    const before = [size.width, size.height];
    let answer = {judged: false};
    try {
      if (job.axis === 0) {
        node.nodeValue = was + ' ' + said.slice(0, Math.max(4, Math.ceil(said.length / 3)));
        const now = box.getBoundingClientRect(), longer = extent(node);
        const got = now.width - size.width, grew = longer.width - text.width;
        const wraps = longer.height > text.height + 2;
        const wanted = wraps ? Math.max(grew, 8) : grew;
        const over = longer.right > now.right + 1 || longer.left < now.left - 1;
        if (wanted >= 4 && (got >= 2 || (free !== null && free >= 2 * wanted + 8))) {
          answer = {judged: true, wanted, got, follows: got >= 2 || !(wraps || over)};
        }
      } else {
        for (let times = 1; times <= 6; times++) {
          node.nodeValue = was + (' ' + said).repeat(times);
          if (extent(node).height >= text.height + 8) break;
        }
        const longer = extent(node), now = box.getBoundingClientRect();
        const got = now.height - size.height, wanted = longer.height - text.height;
        const hit = other => {
          const rect = document.querySelector(other)?.getBoundingClientRect();
          return rect && rect.left < longer.right && rect.right > longer.left
            && rect.top < longer.bottom - 1 && rect.bottom > longer.bottom;
        };
        const collides = longer.bottom > now.bottom + 1 || job.below.some(hit);
        if (wanted >= 8) answer = {judged: true, wanted, got, follows: !collides};
      }
    } finally {
      node.nodeValue = was;
    }
    const after = box.getBoundingClientRect();
    const off = Math.max(Math.abs(after.width - before[0]), Math.abs(after.height - before[1]));
    return off < 0.5 ? answer : null;
  };
  return jobs.map(one);
}"""


def stretch(
    page: Any, design: Design, probes: Probes
) -> tuple[Stretched, list[dict[str, Any] | None]]:
    """Return what the page measures at other sizes, and with longer texts; it is put back.

    *page* is a Playwright page. Raises what Playwright raises when it is gone.
    """
    width, height = design.viewport_size or viewport_for(design.frame)
    with _resting(page), _shown(page, width, height):
        names = probes.selectors
        base, queries = _sizes(page, names), page.evaluate(QUERIES)
        longer = page.evaluate(LONGER, [_job(hug) for hug in probes.hugs])

        def at(wide: int, high: int) -> Sizes | None:
            page.set_viewport_size({"width": wide, "height": high})
            return _sizes(page, names) if page.evaluate(QUERIES) == queries else None

        across = any(fill.axis == 0 for fill in probes.fills)
        down = any(fill.axis == 1 for fill in probes.fills)
        seen = Stretched(
            base=base,
            wider=at(width + STEP, height) if across else None,
            narrower=at(width - STEP, height) if across else None,
            taller=at(width, height + STEP) if down else None,
        )
    return seen, longer


@contextmanager
def _resting(page: Any) -> Generator[None]:
    sheet = page.evaluate_handle(REST)
    try:
        yield
    finally:
        page.evaluate(WAKE, sheet)


@contextmanager
def _shown(page: Any, width: int, height: int) -> Generator[None]:
    """Show the page at a size, and put its own back."""
    before = page.viewport_size
    page.set_viewport_size({"width": width, "height": height})
    try:
        yield
    finally:
        page.set_viewport_size(before)


def _sizes(page: Any, selectors: Sequence[str]) -> Sizes:
    """Return the sizes once two readings agree: scripts may still follow a new viewport."""
    before = None
    for _ in range(_READS):
        read = page.evaluate(SIZES, list(selectors))
        if read == before:
            break
        before = read
    return {
        selector: (float(size[0]), float(size[1]))
        for selector, size in zip(selectors, read, strict=True)
        if size is not None
    }


def _job(hug: Hug) -> dict[str, Any]:
    return {
        "text": hug.text.selector,
        "box": hug.element.selector,
        "axis": hug.axis,
        "below": [element.selector for element in hug.below],
    }
