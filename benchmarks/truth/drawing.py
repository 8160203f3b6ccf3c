"""From a page's layout to its design picture, through SVG and a rasteriser that is not Chromium.

What differs from the browser is what differs in a Figma export: no pixel snapping of boxes,
hairlines and text, grey-scale anti-aliasing without hinting, fractional glyph positions, another
shadow fall-off, re-encoded photos. ``habits`` adds, from a seed, Figma's measured text offsets:
most text sits up to 1 CSS px higher than Chromium's, and a line's glyphs drift by 0 to 1 px.
"""

from __future__ import annotations

import html
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import resvg_py

from benchmarks.truth import css, raster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.truth.css import Layout, Rgba

FONT_FILES = tuple(
    str(path)
    for folder, pattern in (
        ("/usr/share/fonts/opentype/inter", "Inter-*.otf"),
        ("/usr/share/fonts/truetype/liberation", "Liberation*.ttf"),
        ("/usr/share/fonts/truetype/dejavu", "DejaVuSans*.ttf"),
    )
    for path in sorted(Path(folder).glob(pattern))
    if not re.search("Italic|Narrow|Mono-?Bold|Oblique|Condensed|ExtraLight", path.name)
)
#: Figma's blur ends earlier than a browser's (56 against 60 px were measured).
SHADOW_FALL_OFF = 0.93


def _paint(attribute: str, value: Rgba) -> str:
    alpha = f' {attribute}-opacity="{value[3]:.4f}"' if value[3] < 1 else ""
    return f'{attribute}="{css.hexed(value)}"{alpha}'


def _rounded(box: Sequence[float], r: tuple[float, ...]) -> str:
    x, y, w, h = box
    tl, tr, br, bl = r
    return (
        f"M{x + tl:.3f} {y:.3f}H{x + w - tr:.3f}A{tr:.3f} {tr:.3f} 0 0 1 {x + w:.3f} {y + tr:.3f}"
        f"V{y + h - br:.3f}A{br:.3f} {br:.3f} 0 0 1 {x + w - br:.3f} {y + h:.3f}"
        f"H{x + bl:.3f}A{bl:.3f} {bl:.3f} 0 0 1 {x:.3f} {y + h - bl:.3f}"
        f"V{y + tl:.3f}A{tl:.3f} {tl:.3f} 0 0 1 {x + tl:.3f} {y:.3f}Z"
    )


@dataclass(slots=True)
class _Drawing:
    seed: str
    habits: bool
    body: list[str] = field(default_factory=list)
    defs: list[str] = field(default_factory=list)
    photo: int = 0

    def define(self, kind: str, content: str) -> str:
        name = f"{kind}{len(self.defs)}"
        self.defs.append(content.replace("@", name))
        return name

    def node(self, node: Layout) -> None:
        style, box = node["style"], node["box"]
        opacity = float(style["opacity"])
        if opacity < 1:
            self.body.append(f'<g opacity="{opacity}">')
        self._box(node)
        clip = style["overflow"] != "visible" and node["tag"] != "body" and not node.get("svg")
        if clip:
            radii = css.radii(style, box[2], box[3])
            name = self.define(
                "c", f'<clipPath id="@"><path d="{_rounded(box, radii)}"/></clipPath>'
            )
            self.body.append(f'<g clip-path="url(#{name})">')
        if node.get("svg"):
            self._icon(node)
        elif node.get("src"):
            self._picture(node)
        elif node["lines"]:
            self._text(node)
        for child in node["children"]:
            self.node(child)
        self.body.append("</g>" * (clip + (opacity < 1)))

    def _box(self, node: Layout) -> None:
        style, (x, y, w, h) = node["style"], node["box"]
        radii = css.radii(style, w, h)
        for shadow in reversed(css.shadows(style["boxShadow"])):
            self._shadow(shadow, (x, y, w, h), radii)
        shape = _rounded((x, y, w, h), radii)
        fill = css.colour(style["backgroundColor"])
        if fill[3] > 0:
            self.body.append(f'<path d="{shape}" {_paint("fill", fill)}/>')
        gradient = css.gradient(style["backgroundImage"])
        if gradient:
            x1, y1, x2, y2 = gradient.line(w, h)
            stops = "".join(
                f'<stop offset="{at:.4f}" {_paint("stop", c).replace("stop=", "stop-color=")}/>'
                for at, c in gradient.stops
            )
            name = self.define(
                "g",
                f'<linearGradient id="@" gradientUnits="userSpaceOnUse" x1="{x + x1:.3f}" '
                f'y1="{y + y1:.3f}" x2="{x + x2:.3f}" y2="{y + y2:.3f}">{stops}</linearGradient>',
            )
            self.body.append(f'<path d="{shape}" fill="url(#{name})"/>')
        self._border(style, (x, y, w, h), radii)

    def _border(self, style: Layout, box: tuple[float, ...], radii: tuple[float, ...]) -> None:
        x, y, w, h = box
        sides = css.borders(style)
        if sides[0][0] > 0 and all(side == sides[0] for side in sides):
            width, paint = sides[0]
            half = width / 2
            inner = tuple(max(r - half, 0.0) for r in radii)
            path = _rounded((x + half, y + half, w - width, h - width), inner)
            stroke = _paint("stroke", paint)
            self.body.append(f'<path d="{path}" fill="none" {stroke} stroke-width="{width}"/>')
            return
        top, right, bottom, left = (side[0] for side in sides)
        strips = (
            (x, y, w, top),
            (x + w - right, y, right, h),
            (x, y + h - bottom, w, bottom),
            (x, y, left, h),
        )
        for (sx, sy, sw, sh), (width, paint) in zip(strips, sides, strict=True):
            if width > 0:
                self.body.append(
                    f'<rect x="{sx:.3f}" y="{sy:.3f}" width="{sw:.3f}" height="{sh:.3f}" '
                    f"{_paint('fill', paint)}/>"
                )

    def _shadow(self, shadow: css.Shadow, box: tuple[float, ...], radii: tuple[float, ...]) -> None:
        x, y, w, h = box
        s = shadow.spread
        grown = tuple(max(r + s, 0.0) if r else 0.0 for r in radii)
        path = _rounded(
            (x + shadow.x - s, y + shadow.y - s, max(w + 2 * s, 0), max(h + 2 * s, 0)), grown
        )
        effect = ""
        if shadow.blur:
            m = shadow.blur * 2 + 4
            name = self.define(
                "f",
                f'<filter id="@" filterUnits="userSpaceOnUse" x="{x + shadow.x - s - m:.2f}" '
                f'y="{y + shadow.y - s - m:.2f}" width="{w + 2 * s + 2 * m:.2f}" '
                f'height="{h + 2 * s + 2 * m:.2f}" color-interpolation-filters="sRGB">'
                f'<feGaussianBlur stdDeviation="{shadow.blur / 2 * SHADOW_FALL_OFF:.3f}"/>'
                "</filter>",
            )
            effect = f' filter="url(#{name})"'
        self.body.append(f'<path d="{path}" {_paint("fill", shadow.colour)}{effect}/>')

    def _icon(self, node: Layout) -> None:
        x, y, w, _ = node["box"]
        attributes, inner = re.fullmatch(r"<svg([^>]*)>(.*)</svg>", node["svg"], re.DOTALL).groups()  # type: ignore[union-attr]
        view = re.search(r'viewBox="([^"]*)"', attributes)
        scale = w / float(view.group(1).split()[2]) if view else 1.0
        paint = css.colour(node["style"]["color"])
        kept = " ".join(
            part
            for part in re.findall(r'[\w-]+="[^"]*"', attributes)
            if part.split("=")[0].startswith(("fill", "stroke"))
        ).replace("currentColor", css.hexed(paint))
        self.body.append(
            f'<g transform="translate({x:.3f} {y:.3f}) scale({scale:.5f})" {kept} '
            f'opacity="{paint[3]}">{inner.replace("currentColor", css.hexed(paint))}</g>'
        )

    def _picture(self, node: Layout) -> None:
        x, y, w, h = node["box"]
        outer = css.radii(node["style"], w, h)
        top, right, bottom, left = (side[0] for side in css.borders(node["style"]))
        x, y, w, h = x + left, y + top, w - left - right, h - top - bottom
        radii = tuple(max(r - left, 0.0) for r in outer)
        self.photo += 1
        same = raster.reencoded(node["src"])
        uri = raster.rescaled(node["src"]) if self.photo % 3 == 0 else same
        name = self.define(
            "c", f'<clipPath id="@"><path d="{_rounded((x, y, w, h), radii)}"/></clipPath>'
        )
        self.body.append(
            f'<image clip-path="url(#{name})" x="{x:.3f}" y="{y:.3f}" width="{w:.3f}" '
            f'height="{h:.3f}" preserveAspectRatio="xMidYMid slice" href="{uri}"/>'
        )

    def _offset(self, index: int) -> tuple[float, random.Random]:
        rng = random.Random(f"{self.seed}/text/{index}")
        draw = rng.random()
        if not self.habits:
            return 0.0, rng
        if draw < 0.65:
            return rng.uniform(-1.0, -0.6), rng
        return (0.0 if draw < 0.85 else rng.uniform(0.0, 0.5)), rng

    def _text(self, node: Layout) -> None:
        dy, rng = self._offset(node["index"])
        for line in node["lines"]:
            drift = rng.uniform(0.0, 1.0) if self.habits else 0.0
            letters = sum(len(run["text"]) for run in line["runs"])
            for run in line["runs"]:
                self._run(run, dy, drift / max(letters, 1))

    def _run(self, run: Layout, dy: float, extra: float) -> None:
        style = run["style"]
        text = run["text"]
        spacing = css.px(style["letterSpacing"]) + extra
        paint = css.colour(style["color"])
        y = css.baseline(run) + dy
        shown = f"\u202b{text}\u202c" if run["rtl"] else text
        size = css.px(style["fontSize"])
        self.body.append(
            f'<text xml:space="preserve" x="{run["left"]:.3f}" y="{y:.3f}" '
            f'font-family="{css.family(style)}" font-size="{size}" '
            f'font-weight="{style["fontWeight"]}" letter-spacing="{spacing:.4f}" '
            f"{_paint('fill', paint)}>{html.escape(shown)}</text>"
        )
        if style["textDecorationLine"] == "underline":
            thick = max(size / 14, 1)
            self.body.append(
                f'<rect x="{run["left"]:.3f}" y="{y + size * 0.12:.3f}" '
                f'width="{run["right"] - run["left"]:.3f}" height="{thick:.3f}" '
                f"{_paint('fill', paint)}/>"
            )


def to_svg(layout: Layout, *, width: int, height: int, seed: str, habits: bool) -> str:
    """Return the page's layout as an SVG document of *width* x *height* CSS px."""
    drawing = _Drawing(seed=seed, habits=habits)
    drawing.node(layout)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><defs>{"".join(drawing.defs)}</defs>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>{"".join(drawing.body)}</svg>'
    )


def rasterise(svg: str, *, scale: int) -> bytes:
    """Return the SVG as PNG, drawn by resvg at *scale* device px per CSS px."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, zoom=scale, skip_system_fonts=True, font_files=list(FONT_FILES)
        )
    )
