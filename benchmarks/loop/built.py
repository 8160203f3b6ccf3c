"""What a build step does, in small: variables of Sass filled in, class names of modules hashed."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

HERE = Path(__file__).parent
_CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")


def build() -> str:
    """Return the address of the page, built anew from what is in ``site``."""
    site, target = HERE / "site", HERE / "build"
    target.mkdir(exist_ok=True)
    html = (site / "page.html").read_text("utf-8")
    if "<link" in html:
        return (site / "page.html").as_uri()
    sheets = [_sheet(site, name) for name in ("tokens", "base", "page")]
    names = set(_CLASS.findall("\n".join(s for s, module in sheets if module)))
    styles = "\n".join(_hashed(s, names) if module else s for s, module in sheets)
    html = re.sub(r'class="([^"]*)"', lambda m: f'class="{_classes(m[1], names)}"', html)
    (target / "index.html").write_text(
        html.replace("</head>", f"<style>{styles}</style></head>", 1), "utf-8"
    )
    return (target / "index.html").as_uri()


def _sheet(site: Path, name: str) -> tuple[str, bool]:
    for ending in (".css", ".module.css"):
        if (site / f"{name}{ending}").exists():
            return (site / f"{name}{ending}").read_text("utf-8"), ending != ".css"
    text = (site / f"{name}.scss").read_text("utf-8")
    known = dict(
        re.findall(
            r"^\$([\w-]+):\s*([^;]+);", (site / "tokens.scss").read_text("utf-8"), re.MULTILINE
        )
    )
    text = re.sub(r"^\$[\w-]+:[^;]+;", "", text, flags=re.MULTILINE)
    return re.sub(r"\$([\w-]+)", lambda m: known[m[1]], text), False


def _hash(name: str) -> str:
    return f"Page_{name}__{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def _hashed(sheet: str, names: set[str]) -> str:
    return _CLASS.sub(lambda m: f".{_hash(m[1])}" if m[1] in names else m[0], sheet)


def _classes(text: str, names: set[str]) -> str:
    return " ".join(_hash(n) if n in names else n for n in text.split())
