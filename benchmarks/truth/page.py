"""The benchmark's own pages: templates from ``pages/``, filled with tokens, icons and pictures.

A template starts with one comment line of settings: ``<!-- truth: width=1280 height=800 scale=1
figma=1 holdout=1 -->``. ``figma=1`` gives the design Figma's habits with text (see
``drawing.py``); ``holdout=1`` keeps the page out of the figures one tunes on; ``machine=NAME``
captures page and defects with one of the text rasters of ``benign.py`` instead of the default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.truth import icons, raster, tokens

FOLDER = Path(__file__).parent / "pages"
_SETTINGS = re.compile(r"<!-- truth:(.*?)-->")
_PLACE = re.compile(r"\{\{(\w+):([^}]*)\}\}")

BASE_CSS = """
*{box-sizing:border-box;margin:0;padding:0}
html{-webkit-text-size-adjust:100%}
body{font-family:Inter,sans-serif;font-size:14px;line-height:20px;color:var(--slate-900);
 background:var(--white);overflow:hidden}
svg,img{display:block;flex:none}
img{object-fit:cover}
button{font:inherit;border:0;background:none;color:inherit;text-align:inherit}
a{color:inherit;text-decoration:none}
ul{list-style:none}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the benchmark: its HTML and how it is looked at."""

    name: str
    html: str
    width: int
    height: int
    scale: int
    figma_habits: bool
    holdout: bool
    machine: str


def _fill(match: re.Match[str]) -> str:
    kind, arguments = match.group(1), match.group(2).split(":")
    if kind == "icon":
        return icons.svg(arguments[0], **dict(zip(("size", "width"), arguments[1:], strict=False)))
    numbers = [int(a) for a in arguments]
    if kind == "face":
        return raster.data_uri(raster.face(numbers[0], numbers[1]))
    picture = raster.photo if kind == "photo" else raster.product
    return raster.data_uri(picture(numbers[0], numbers[1], numbers[2]))


def load_page(path: Path) -> Page:
    """Return the page of one template."""
    text = path.read_text(encoding="utf-8")
    found = _SETTINGS.search(text)
    assert found, f"{path.name}: no settings comment"
    settings = dict(part.split("=") for part in found.group(1).split())
    body = _PLACE.sub(_fill, text[: found.start()] + text[found.end() :])
    head = f"<style id=base>{tokens.css()}{BASE_CSS}</style>"
    return Page(
        name=path.stem,
        html=body.replace("<head>", f'<head><meta charset="utf-8">{head}', 1),
        width=int(settings["width"]),
        height=int(settings["height"]),
        scale=int(settings.get("scale", 1)),
        figma_habits=settings.get("figma") == "1",
        holdout=settings.get("holdout") == "1",
        machine=settings.get("machine", ""),
    )


@cache
def load_pages() -> tuple[Page, ...]:
    """Return all pages in the order of their names."""
    return tuple(load_page(p) for p in sorted(FOLDER.glob("*.html")))
