"""The variants of a page that are the same page: other text rasters, half pixels, other DOM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.truth import raster

if TYPE_CHECKING:
    from benchmarks.truth.cases import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRaster:
    """How a machine draws text: fontconfig's hinting and sub-pixel order, Chromium's flags.

    ``css`` is added to the page, for what only CSS can ask for.
    """

    style: str = "hintslight"
    rgba: str = "none"
    flags: tuple[str, ...] = ()
    css: str = ""

    def font_configuration(self) -> str:
        """Return the fontconfig file that asks for it."""
        hinting = str(self.style != "hintnone").lower()
        return (
            '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
            '<include ignore_missing="yes">/etc/fonts/fonts.conf</include><match target="pattern">'
            f'<edit name="hinting" mode="assign"><bool>{hinting}</bool></edit>'
            f'<edit name="hintstyle" mode="assign"><const>{self.style}</const></edit>'
            f'<edit name="rgba" mode="assign"><const>{self.rgba}</const></edit>'
            '<edit name="antialias" mode="assign"><bool>true</bool></edit></match></fontconfig>'
        )


#: The machine a design's layout is taken from: nothing is rounded to whole pixels.
IDEAL = TextRaster(style="hintnone")
_WHOLE = "--disable-font-subpixel-positioning"
#: Machines by benign kind; a browser is started for each.
RASTERS: dict[str, TextRaster] = {
    "hinting-none": IDEAL,
    "hinting-medium": TextRaster(style="hintmedium"),
    "hinting-full": TextRaster(style="hintfull"),
    "lcd-text": TextRaster(rgba="rgb"),
    "lcd-full": TextRaster(style="hintfull", rgba="rgb"),
    "full-geometric": TextRaster(style="hintfull", css="body{text-rendering:geometricPrecision}"),
    "no-subpixel": TextRaster(flags=(_WHOLE,)),
    "none-no-subpixel": TextRaster(style="hintnone", flags=(_WHOLE,)),
    "lcd-no-subpixel": TextRaster(rgba="rgb", flags=(_WHOLE,)),
}

_WRAP = """() => {
  // Selectors such as "div + div" or ".row > *" must not notice: what would change is undone.
  const all = [...document.body.querySelectorAll("*")];
  const look = () => all.map((el) => {
    const r = el.getBoundingClientRect(), s = getComputedStyle(el);
    return [r.x, r.y, r.width, r.height, s.color, s.fontSize, s.fontWeight, s.textAlign,
      s.borderTopWidth, s.borderLeftWidth, s.borderRightWidth, s.borderBottomWidth,
      s.borderTopColor, s.backgroundColor, s.marginLeft].join();
  }).join(";");
  const before = look();
  const some = all.filter((el) => /^(DIV|P|SPAN|H1|H2|H3|B)$/.test(el.tagName));
  const step = Math.max(1, Math.floor(some.length / 40));
  for (let i = 0; i < some.length; i += step) {
    const outer = document.createElement("div");
    outer.style.display = "contents";
    some[i].replaceWith(outer);
    outer.append(some[i]);
    if (look() !== before) outer.replaceWith(some[i]);
  }
}"""
_RENAME = """() => {
  const names = new Set();
  for (const el of document.querySelectorAll("[class]")) for (const c of el.classList) names.add(c);
  for (const sheet of document.querySelectorAll("style")) {
    for (const name of names) {
      sheet.textContent = sheet.textContent.replace(
        new RegExp("\\\\." + name + "(?![\\\\w-])", "g"), ".css-" + name + "-x7");
    }
  }
  for (const el of document.querySelectorAll("[class]")) {
    el.setAttribute("class", [...el.classList].map((c) => "css-" + c + "-x7").join(" "));
  }
}"""
_SPANS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    if (/\\S \\S/.test(n.data) && n.parentElement.tagName !== "STYLE") texts.push(n);
  }
  for (const n of texts) {
    const display = getComputedStyle(n.parentElement).display;
    if (/flex|grid/.test(display)) continue;
    const at = n.data.indexOf(" ", n.data.search(/\\S/)) + 1;
    const parts = [n.data.slice(0, at), n.data.slice(at)].map((t) => {
      const span = document.createElement("span");
      span.textContent = t;
      span.style.cssText = "all:unset";
      return span;
    });
    n.replaceWith(...parts);
  }
}"""
_SHEETS = """() => {
  const sheet = [...document.querySelectorAll("style")].pop();
  const rules = [...sheet.sheet.cssRules].map((r) => r.cssText);
  sheet.remove();
  for (const rule of rules) {
    const style = document.createElement("style");
    style.textContent = rule;
    document.body.append(style);
  }
}"""
_INLINE = """() => {
  const keys = ["color", "background-color", "font-size", "font-weight", "padding"];
  const found = [...document.body.querySelectorAll("*")].map((el) => {
    const s = getComputedStyle(el);
    return [el, keys.map((k) => [k, s.getPropertyValue(k)])];
  });
  for (const [el, values] of found) for (const [k, v] of values) el.style.setProperty(k, v);
}"""


def _css(text: str) -> str:
    return (
        "() => { const s = document.createElement('style'); "
        f"s.textContent = `{text}`; document.head.append(s); }}"
    )


def _moved_by(x: float, y: float) -> str:
    return f"body{{position:relative;left:{x}px;top:{y}px}}"


#: Scripts by benign kind, run on the page's own machine before the capture.
SCRIPTS: dict[str, str] = {
    "as-is": "() => {}",
    "offset-x": _css(_moved_by(0.5, 0)),
    "offset-y": _css(_moved_by(0, 0.5)),
    "offset-both": _css(_moved_by(-0.4, 0.4)),
    "wrapped": _WRAP,
    "renamed": _RENAME,
    "spans": _SPANS,
    "sheets": _SHEETS,
    "inline-style": _INLINE,
    "geometric-text": _css("body{text-rendering:geometricPrecision}"),
    "layered": _css("body>*{will-change:transform}"),
}


#: The DOM changes alone leave every pixel alone: a small offset makes each a picture of its own.
OFFSETS: dict[str, str] = {
    "wrapped": _moved_by(0.25, 0.25),
    "renamed": _moved_by(-0.25, 0.3),
    "sheets": _moved_by(0.35, 0),
    "inline-style": _moved_by(0, -0.45),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoding:
    """Which elements get which re-encoded picture."""

    operations: tuple[dict[str, object], ...]


def recoded(page: list[Element]) -> Recoding:
    """Return the operations that put every photo through JPEG once more."""
    return Recoding(
        operations=tuple(
            {
                "op": "source",
                "index": e.index,
                "src": raster.reencoded(e.layout["src"], quality=70),
            }
            for e in page
            if "src" in e.layout
        )
    )
