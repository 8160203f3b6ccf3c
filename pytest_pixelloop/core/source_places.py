"""Where in a project's files an edit goes: the declaration, the rule, or the words themselves.

A guess by reading texts, for a person or a program that looks there first: nothing is resolved or
compiled. Nested rules of Sass and Less count by their own selector.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.css_values import parse_px, same_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STYLES = (".css", ".scss", ".sass", ".less", ".html", ".htm", ".vue", ".svelte", ".astro")
MARKUP = (".html", ".htm", ".vue", ".svelte", ".astro", ".jsx", ".tsx", ".js", ".ts", ".py", ".md")
MAX_PLACES = 2
TAG = 2
MAX_BYTES = 8_000_000
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_MARKUP = re.compile(r"<[^<>{}]*>")
#: A selector and its own declarations, up to the first rule that is nested in it.
_RULE = re.compile(r"([^{};]{1,400})\{((?:[^{};]*;)*(?:[^{};]*(?=\}|\Z))?)")
_DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;{}]+)")
_CLASS = re.compile(r"\bclass(?:Name)?\s*=\s*[\"']([^\"'{}]{1,400})[\"']")
_SIDES = ("top", "right", "bottom", "left")
#: Which of so many values is that of which side.
_SHORTER = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
_STYLE = re.compile(r"style\s*=\s*\"([^\"]{1,2000})\"")
_NAME = re.compile(r"[.#]-?[A-Za-z_][\w-]*")
_TAG = re.compile(r"[a-z][a-z0-9-]*$|[a-z][a-z0-9-]*(?=[.:#\[])", re.IGNORECASE)
#: The shorthands that may set a property.
_SHORT = {
    "background-color": ("background",),
    "background-image": ("background",),
    "row-gap": ("gap",),
    "column-gap": ("gap",),
    "font-size": ("font",),
    "font-weight": ("font",),
    "font-family": ("font",),
    "line-height": ("font",),
    "text-decoration-line": ("text-decoration",),
}


def find_places(
    files: Mapping[str, str], *, selector: str, css_property: str, actual: str
) -> list[dict[str, Any]]:
    """Return where to look, the likeliest first: ``path``, ``line``, and what is there.

    ``what`` is ``declares`` (the property is set there), ``rule`` (the rule of the element, which
    does not set it yet), ``value`` (the only place that sets it to what the page has) or ``words``.
    """
    if css_property == "text":
        return _words(files, actual)
    names, above = _names_of(selector)
    if len(names) == 1 and not any(n[0] in ".#" for n in names):
        names |= _classes_of(files, min(names))
    kept = [css_property, *_shorthands(css_property)]
    only = not re.search(r"[>\s]", selector.strip())  # a tag that stands once on the page
    found: list[tuple[int, dict[str, Any]]] = []
    values: list[dict[str, Any]] = []
    for path, text in texts_of(files, STYLES):
        for head, at, body, start in rules_of(text):
            fits = _fit(head, names, above)
            hit = False
            for said in _DECLARATION.finditer(body):
                if said[1].lower() not in kept:
                    continue
                entry = _place(path, text, start + said.start(), "declares")
                as_seen = _as_seen(_part(said[1], said[2], css_property), actual)
                if fits is not None and (as_seen or only or fits < TAG):
                    found.append((fits + (4 if as_seen is False else 0), entry))
                    hit = True
                elif as_seen:
                    values.append({**entry, "what": "value"})
            if fits is not None and not hit and (only or fits < TAG):
                found.append((9 + fits, _place(path, text, at, "rule")))
        values += _inline(path, text, kept, actual)
    found += [(3, entry) for entry in values if len(values) == 1]
    # Of equals the last one: it is the one that a browser lets win.
    ranked = sorted(enumerate(found), key=lambda f: (f[1][0], -f[0]))
    return [entry for _, (_, entry) in ranked if entry["what"] != "rule"][:MAX_PLACES] or [
        entry for _, (_, entry) in ranked[:1]
    ]


def _inline(path: str, text: str, kept: list[str], actual: str) -> list[dict[str, Any]]:
    """Return the style attributes that give one of the properties the value that is seen."""
    return [
        _place(path, text, style.start(1) + said.start(), "value")
        for style in _STYLE.finditer(text)
        for said in _DECLARATION.finditer(style[1])
        if said[1].lower() in kept and _as_seen(_part(said[1], said[2], kept[0]), actual)
    ]


def texts_of(files: Mapping[str, str], endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield path and text of the files with one of these endings, as far as they are read."""
    left = MAX_BYTES
    for path in sorted(files):
        if path.lower().endswith(endings):
            left -= len(files[path])
            if left < 0:
                return
            yield path, files[path]


@lru_cache(maxsize=256)
def rules_of(text: str) -> tuple[tuple[str, int, str, int], ...]:
    """Return selector, its place, body and the body's place of every rule, in HTML too.

    A brief asks it of the same files for each of its findings.
    """
    plain = _COMMENT.sub(_blank, text)
    if "<" in plain:
        plain = _MARKUP.sub(_blank, plain)
    rules = []
    for found in _RULE.finditer(plain):
        head = found[1].strip()
        rules.append((head, found.start(1) + found[1].find(head), found[2], found.start(2)))
    return tuple(rules)


def _blank(found: re.Match[str]) -> str:
    """Return blanks for what was found, so that lines and places stay."""
    return re.sub(r"[^\n]", " ", found[0])


def _place(path: str, text: str, at: int, what: str) -> dict[str, Any]:
    return {"path": path, "line": line_of(text, at), "what": what}


def line_of(text: str, at: int) -> int:
    """Return the number of the line in which a place of a text is."""
    return text.count("\n", 0, at) + 1


def _shorthands(css_property: str) -> list[str]:
    found = list(_SHORT.get(css_property, ()))
    parts = css_property.split("-")
    if parts[0] in {"padding", "border"} and len(parts) > 1:
        found += ["-".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]
        found += [f"{parts[0]}-{parts[-1]}"] if len(parts) > 2 else []
    return found


def _names_of(selector: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the element's own classes and id, else its tag; and every name on the way to it."""
    plain = re.sub(r"\[[^\]]*\]", "", selector.strip())
    parts = [p for p in re.split(r"\s*[>\s]\s*", plain) if p]
    if not parts:
        return frozenset(), frozenset()
    return _simple(parts[-1]), frozenset(n for p in parts for n in _simple(p, tags=True))


def _classes_of(files: Mapping[str, str], tag: str) -> frozenset[str]:
    """Return the classes of a tag that the templates give it wherever it stands, if they agree."""
    found: set[frozenset[str]] = set()
    for _, text in texts_of(files, MARKUP):
        for opened in re.finditer(rf"<{re.escape(tag)}\b([^<>]{{0,2000}})>", text):
            given = _CLASS.search(opened[1])
            found.add(frozenset(f".{c}" for c in given[1].split()) if given else frozenset())
    return found.pop() if len(found) == 1 else frozenset()


def _simple(compound: str, *, tags: bool = False) -> frozenset[str]:
    names = frozenset(_NAME.findall(compound))
    tag = _TAG.match(compound)
    return names | {tag[0]} if tag and (tags or not names) else names


def _fit(head: str, names: frozenset[str], above: frozenset[str]) -> int | None:
    """Return 0 for a rule that is surely the element's, 1 for a likely one, None for none.

    TAG for one of its tag: only where nothing strange stands in the selector.
    """
    best: int | None = None
    for each in head.split(","):
        parts = [p for p in re.split(r"[\s>+~]+", each.strip().lstrip("&")) if p]
        if not parts or "::" in parts[-1] or not _simple(parts[-1]) & names:
            continue
        strange = any(not _simple(p, tags=True) & above for p in parts[:-1])
        named = any(n[0] in ".#" for n in _simple(parts[-1]) & names)
        if strange and not named:
            continue
        fits = TAG if not named else 1 if strange else 0
        best = fits if best is None else min(fits, best)
    return best


def _part(declared: str, value: str, css_property: str) -> str:
    """Return what a declaration gives one property: of ``padding: 10px 20px``, the side asked."""
    words = value.split()
    side = next((n for n, s in enumerate(_SIDES) if css_property.endswith(f"-{s}")), None)
    if declared in {"padding", "margin"} and side is not None and 1 <= len(words) <= 4:
        return words[_SHORTER[len(words)][side]]
    if declared == "gap" and len(words) == 2:
        return words[1 if css_property == "column-gap" else 0]
    return value.strip()


def _as_seen(text: str, actual: str) -> bool | None:
    """Tell whether a declared value is what the page has, None where that cannot be told."""
    if text != actual and parse_px(text) == parse_px(actual) == 0:
        return None  # most declarations of no room at all are not what is looked for
    return same_value(text, actual)


def _words(files: Mapping[str, str], actual: str) -> list[dict[str, Any]]:
    if len(actual) < 2:
        return []
    found: list[dict[str, Any]] = []
    for path, text in texts_of(files, MARKUP):
        at = text.find(actual)
        while at >= 0 and len(found) <= MAX_PLACES:
            found.append(_place(path, text, at, "words"))
            at = text.find(actual, at + 1)
    return found if len(found) <= MAX_PLACES else []
