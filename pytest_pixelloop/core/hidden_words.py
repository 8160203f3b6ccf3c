"""Why words that a template holds are not seen: the declaration in the project's files that hides.

A text that is missing on the page may stand in its source all the same. Read are HTML-like
templates and style sheets, as texts; what a script hides is not found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from pytest_pixelloop.core.dom import normalise_text
from pytest_pixelloop.core.source_places import STYLES, line_of, rules_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TEMPLATES = (".html", ".htm", ".vue", ".svelte", ".astro")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_HIDES = re.compile(
    r"(?<![\w-])(display)\s*:\s*(none)|(?<![\w-])(visibility)\s*:\s*(hidden|collapse)"
    r"|(?<![\w-])(opacity)\s*:\s*(0(?:\.0+)?%?)(?![\d.])"
)
_SHOWN = {"display": "revert", "visibility": "visible", "opacity": "1"}
_LEAST = 4
"""Letters from which words are looked for: shorter ones stand everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiding:
    """A declaration that hides: of which selector, what it says, what shows again, and where."""

    selector: str
    property: str
    value: str
    actual: str
    path: str
    line: int


def find_hiding(files: Mapping[str, str], words: str) -> Hiding | None:
    """Return what hides *words*, the innermost first; None where nothing is found that does."""
    wanted = normalise_text(words)
    if len(wanted) < _LEAST:
        return None
    for path, text in texts_of(files, _TEMPLATES):
        if wanted.split(" ", 1)[0] not in text:
            continue
        for chain in _chains(text, wanted):
            for element in reversed(chain):
                found = element.inline(path) or _by_rule(files, element)
                if found is not None:
                    return found
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    tag: str
    names: frozenset[str]
    style: str
    line: int

    @property
    def selector(self) -> str:
        return min(self.names, key=lambda n: (n[0] != "#", n)) if self.names else self.tag

    def inline(self, path: str) -> Hiding | None:
        return _hiding(_HIDES.search(self.style), self.selector, path, self.line)


class _Reader(HTMLParser):
    """Collects the elements around every text that holds the words."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self._wanted = wanted
        self._open: list[_Opened] = []
        self.found: list[tuple[_Opened, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        given = {k: v or "" for k, v in attrs}
        names = {f".{c}" for c in given.get("class", "").split()}
        if given.get("id"):
            names.add(f"#{given['id']}")
        self._open.append(
            _Opened(
                tag=tag,
                names=frozenset(names),
                style=given.get("style", ""),
                line=self.getpos()[0],
            )
        )

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at].tag == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        if self._wanted in normalise_text(data):
            self.found.append(tuple(self._open))


def _chains(text: str, wanted: str) -> list[tuple[_Opened, ...]]:
    reader = _Reader(wanted)
    try:
        reader.feed(text)
    except (AssertionError, ValueError):  # the parser gives up on some broken declarations
        return []
    return reader.found


def _by_rule(files: Mapping[str, str], element: _Opened) -> Hiding | None:
    for path, text in texts_of(files, STYLES):
        for head, body, start in _own_rules(text, element):
            hides = _HIDES.search(body)
            if hides is not None:
                at = line_of(text, start + hides.start())
                return _hiding(hides, head, path, at)
    return None


def _own_rules(text: str, element: _Opened) -> Iterator[tuple[str, str, int]]:
    """Yield selector, body and the body's place of the rules that end with one of its names."""
    for head, _at, body, start in rules_of(text):
        for each in head.split(","):
            last = re.split(r"[\s>+~]+", each.strip())[-1]
            if ":" not in last and set(re.findall(r"[.#][\w-]+", last)) & element.names:
                yield each.strip(), body, start
                break


def _hiding(hides: re.Match[str] | None, selector: str, path: str, line: int) -> Hiding | None:
    if hides is None:
        return None
    name, actual = (g for g in hides.groups() if g is not None)
    return Hiding(
        selector=selector,
        property=name,
        value=_SHOWN[name],
        actual=actual,
        path=path,
        line=line,
    )
