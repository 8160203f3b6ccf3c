"""Where in a project's files an edit goes: the declaration, the rule, or the words themselves.

A guess by reading texts, for a person or a program that looks there first: nothing is resolved or
compiled. Nested rules of Sass and Less count by their own selector.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.css_values import parse_px
from pytest_pixelloop.core.design_tokens import color_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STYLES = (".css", ".scss", ".sass", ".less", ".html", ".htm", ".vue", ".svelte", ".astro")
MARKUP = (".html", ".htm", ".vue", ".svelte", ".astro", ".jsx", ".tsx", ".js", ".ts", ".py", ".md")
MAX_PLACES = 2
MAX_BYTES = 8_000_000
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{};]{1,400})\{([^{}]*)")
_DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;{}]+)")
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
    names = _own_names(selector)
    kept = [css_property, *_shorthands(css_property)]
    declares: list[dict[str, Any]] = []
    rules: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []
    for path, text in _texts(files, STYLES):
        for head, at, body, start in _rules(text):
            mine = bool(names) and _names_it(head, names)
            hit = False
            for found in _DECLARATION.finditer(body):
                if found[1].lower() not in kept:
                    continue
                entry = _place(path, text, start + found.start(), "declares")
                if mine:
                    declares.append(entry)
                    hit = True
                elif _is_value(found[2].strip(), actual):
                    values.append({**entry, "what": "value"})
            if mine and not hit:
                rules.append(_place(path, text, at, "rule"))
    alone = values if len(values) == 1 else []
    return (declares[-MAX_PLACES:][::-1] or alone or rules[-1:])[:MAX_PLACES]


def _texts(files: Mapping[str, str], endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    left = MAX_BYTES
    for path in sorted(files):
        if path.lower().endswith(endings):
            left -= len(files[path])
            if left < 0:
                return
            yield path, files[path]


def _rules(text: str) -> Iterator[tuple[str, int, str, int]]:
    """Yield selector, its place, body and the body's place of every rule, in HTML too."""
    plain = _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for found in _RULE.finditer(plain):
        head = found[1].strip()
        yield head, found.start(1) + found[1].find(head), found[2], found.start(2)


def _place(path: str, text: str, at: int, what: str) -> dict[str, Any]:
    return {"path": path, "line": text.count("\n", 0, at) + 1, "what": what}


def _shorthands(css_property: str) -> list[str]:
    found = list(_SHORT.get(css_property, ()))
    parts = css_property.split("-")
    if parts[0] in {"padding", "border"} and len(parts) > 1:
        found += ["-".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]
        found += [f"{parts[0]}-{parts[-1]}"] if len(parts) > 2 else []
    return found


def _own_names(selector: str) -> tuple[str, ...]:
    """Return the classes and the id of the element itself, else its tag."""
    last = re.split(r"\s*[>\s]\s*", selector.strip())[-1] if selector.strip() else ""
    names = tuple(_NAME.findall(re.sub(r"\[[^\]]*\]", "", last)))
    tag = _TAG.match(last)
    return names or ((tag[0],) if tag else ())


def _names_it(head: str, names: tuple[str, ...]) -> bool:
    """Tell whether a selector list has one that ends with the element."""
    for each in head.split(","):
        parts = re.split(r"[\s>+~]+", each.strip().lstrip("&"))
        last = parts[-1] if parts else ""
        found = set(_NAME.findall(last)) or ({last.partition(":")[0]} if last else set())
        if found & set(names) and "::" not in last:
            return True
    return False


def _is_value(text: str, actual: str) -> bool:
    if text == actual:
        return True
    one, two = color_key(text), color_key(actual)
    if one is not None and two is not None:
        return one == two
    return parse_px(actual) is not None and parse_px(text) == parse_px(actual) != 0


def _words(files: Mapping[str, str], actual: str) -> list[dict[str, Any]]:
    if len(actual) < 2:
        return []
    found: list[dict[str, Any]] = []
    for path, text in _texts(files, MARKUP):
        at = text.find(actual)
        while at >= 0 and len(found) <= MAX_PLACES:
            found.append(_place(path, text, at, "words"))
            at = text.find(actual, at + 1)
    return found if len(found) <= MAX_PLACES else []
