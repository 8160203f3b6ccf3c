"""A project's design tokens, read from its sources: which literal has a name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_pixelloop.core.css_values import parse_color

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TOKENS = 20_000
#: ``--blue-600: #2563eb;``, ``$blue: #2563eb``, ``@blue: #2563eb;``
_DEFINITION = re.compile(r"(?:^|[\s{;])((?:--|\$|@)[A-Za-z][\w-]{0,80})\s*:\s*([^;{}\n]{1,80})")
#: ``"blue-600": "#2563eb"`` and ``blue600: '#2563eb'``, in files that hold tokens by their name.
_ENTRY = re.compile(r"[\"']?([A-Za-z$][\w.-]{0,80})[\"']?\s*:\s*[\"']([^\"'\n]{1,80})[\"']")
_TOKEN_FILE = re.compile(r"(?:token|theme|palette|colou?rs|spacing|variables)", re.IGNORECASE)
_PX = re.compile(r"-?(\d+(?:\.\d+)?)px$")
_REM = re.compile(r"-?(\d+(?:\.\d+)?)rem$")
_ROOT_PX = 16.0
#: Which names of lengths belong to which properties.
_FAMILIES = {
    "space": ("padding", "margin", "gap", "inset"),
    "radius": ("border-radius", "radius"),
    "font": ("font-size",),
    "leading": ("line-height",),
}
_FAMILY_WORDS = {
    "space": ("space", "spacing", "gap", "pad", "margin", "inset"),
    "radius": ("radius", "rounded", "corner"),
    "font": ("font", "text", "type"),
    "leading": ("leading", "line-height", "lh"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The names by value: ``colors`` by ``(r, g, b, alpha in 1/255)``, ``lengths`` by px.

    ``places`` tells where a name is first defined, as ``path:line``; ``values`` what it is there.
    """

    colors: Mapping[tuple[int, int, int, int], tuple[str, ...]] = field(default_factory=dict)
    lengths: Mapping[float, tuple[str, ...]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    def color_names(self, text: str) -> tuple[str, ...]:
        """Return the tokens that have the colour *text*, () for none and for no colour."""
        key = color_key(text)
        return () if key is None else self.colors.get(key, ())

    def length_names(self, text: str, *, prop: str) -> tuple[str, ...]:
        """Return the tokens that have the length *text* and are meant for the property *prop*."""
        px = _px(text)
        names = () if px is None else self.lengths.get(px, ())
        family = next((f for f, props in _FAMILIES.items() if _is_of(prop, props)), None)
        if family is None:
            return ()
        words = _FAMILY_WORDS[family]
        return tuple(n for n in names if any(word in n.lower() for word in words))


def color_key(text: str) -> tuple[int, int, int, int] | None:
    """Return a colour as whole channels, None for what is no colour."""
    color = parse_color(text.strip().lower())
    if color is None:
        return None
    r, g, b = (min(255, max(0, round(v))) for v in color.rgb)
    return r, g, b, round(color.a * 255)


def without_definitions(line: str, path: str) -> str:
    """Return a line less the definitions of tokens in it: a literal there is where it belongs."""
    bare = _DEFINITION.sub(" ", line)
    return _ENTRY.sub(" ", bare) if _holds_entries(path) else bare


def _holds_entries(path: str) -> bool:
    """Tell whether a file holds tokens as entries of JSON or JavaScript, by its name."""
    name = path.rsplit("/", 1)[-1]
    return bool(_TOKEN_FILE.search(name)) and not name.endswith((".css", ".scss", ".sass", ".less"))


def find_tokens(files: Mapping[str, str]) -> Tokens:
    """Return the tokens that the texts *files* (by path) define; the same for any order of files.

    Custom properties and variables of Sass and Less count wherever they stand; entries of JSON and
    JavaScript only in files whose name says tokens, theme, palette, colors, spacing or variables.
    """
    colors: dict[tuple[int, int, int, int], set[str]] = {}
    lengths: dict[float, set[str]] = {}
    places: dict[str, str] = {}
    values: dict[str, str] = {}
    found = 0
    for path in sorted(files):
        patterns = [_DEFINITION]
        if _holds_entries(path):
            patterns.append(_ENTRY)
        for pattern in patterns:
            line, counted = 1, 0
            for match in pattern.finditer(files[path]):
                line += files[path].count("\n", counted, match.start(1))
                counted = match.start(1)
                found += 1
                if found > MAX_TOKENS:
                    break
                name, value = match[1], match[2].strip()
                key, px = color_key(value), _px(value)
                if key is not None and key[3] > 0:
                    colors.setdefault(key, set()).add(name)
                elif px:
                    lengths.setdefault(px, set()).add(name)
                else:
                    continue
                if name not in places:
                    places[name], values[name] = f"{path}:{line}", value
    return Tokens(
        places=dict(sorted(places.items())),
        values=dict(sorted(values.items())),
        colors={k: tuple(sorted(v)) for k, v in sorted(colors.items())},
        lengths={k: tuple(sorted(v)) for k, v in sorted(lengths.items())},
    )


def _px(text: str) -> float | None:
    stripped = text.strip().lower()
    if match := _PX.match(stripped):
        return float(match[1])
    if match := _REM.match(stripped):
        return float(match[1]) * _ROOT_PX
    return None


def _is_of(prop: str, props: tuple[str, ...]) -> bool:
    return any(prop == p or prop.startswith(p + "-") or prop.endswith("-" + p) for p in props)
