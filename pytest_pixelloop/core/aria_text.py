"""Aria snapshots as text: the YAML form that Playwright prints and users write, read strictly.

The subset: block lists, a scalar or ``key: value`` or ``key:`` with a deeper list as an item,
plain and quoted scalars on one line, comments. Flow collections, block scalars, anchors and tags
are refused by name. A key is ``role "name" [state] [state=value]``, the name a text or a
``/pattern/``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from pytest_pixelloop.core.errors import ConfigurationError

_KEY_ROLE = re.compile(r"[a-z]+")
_STATE = re.compile(r"\s*\[([a-z]+)(?:=([^\]]*))?\]")
_NAME = re.compile(r'\s+"((?:[^"\\]|\\.)*)"')
_PATTERN = re.compile(r"\s+/((?:[^/\\]|\\.)+)/")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_REFUSED = {
    "|": "a block scalar",
    ">": "a block scalar",
    "[": "a flow list",
    "{": "a flow mapping",
    "&": "an anchor",
    "*": "an alias",
    "!": "a tag",
}
_INVISIBLE = dict.fromkeys((0x200B, 0x00AD))


@dataclass(frozen=True, slots=True, kw_only=True)
class AriaItem:
    """One item of the list: its key, the text after the colon, the items below it, its line."""

    key: str
    value: str | None
    children: tuple[AriaItem, ...]
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AriaKey:
    """A key in its parts. ``name`` None means that none is given; ``is_pattern`` tells /.../."""

    role: str
    name: str | None
    is_pattern: bool
    states: tuple[tuple[str, str], ...]


def collapse(text: str) -> str:
    """Return *text* as Playwright compares it: white space is one blank, none at the ends."""
    return " ".join(text.translate(_INVISIBLE).split())


def read_items(text: str, *, where: str) -> tuple[AriaItem, ...]:
    """Return the items of an aria snapshot. Raises ConfigurationError that names the line."""
    rows: list[tuple[int, str, str | None, int]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if not stripped.startswith("- "):
            raise wrong("is no list item", line=number, where=where, expected='"- role ..."')
        key, value = _split(stripped[2:].strip(), number, where)
        rows.append((indent, key, value, number))
    items, rest = _nest(rows, 0, rows[0][0] if rows else 0, where)
    if rest < len(rows):
        raise wrong(
            "is indented less than the first item",
            line=rows[rest][3],
            where=where,
            expected="one list",
        )
    return items


def read_key(item: AriaItem, *, where: str) -> AriaKey:
    """Return the parts of an item's key. Raises ConfigurationError that names the line."""
    key = item.key
    role = _KEY_ROLE.match(key)
    if role is None:
        raise wrong(f"has the key {key!r}", line=item.line, where=where, expected="a role first")
    at = role.end()
    name: str | None = None
    is_pattern = False
    if found := _NAME.match(key, at):
        name, at = json_text(found.group(1)), found.end()
    elif found := _PATTERN.match(key, at):
        name, at, is_pattern = found.group(1), found.end(), True
    states: list[tuple[str, str]] = []
    while found := _STATE.match(key, at):
        states.append((found.group(1), (found.group(2) or "true").strip()))
        at = found.end()
    if key[at:].strip():
        raise wrong(
            f"has {key[at:].strip()!r} in its key",
            line=item.line,
            where=where,
            expected='role "name" [state] or role /pattern/ [state]',
        )
    return AriaKey(role=role.group(0), name=name, is_pattern=is_pattern, states=tuple(states))


def wrong(what: str, *, line: int, where: str, expected: str) -> ConfigurationError:
    """Return the error that line *line* of an aria snapshot is not what was *expected*."""
    return ConfigurationError(
        f"line {line} of the aria snapshot {what}", where=where, expected=expected
    )


def json_text(inner: str) -> str:
    """Return what stands between double quotes with its escapes resolved, as it is where not."""
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError:
        return re.sub(r"\\(.)", r"\1", inner)


def _nest(
    rows: list[tuple[int, str, str | None, int]], start: int, indent: int, where: str
) -> tuple[tuple[AriaItem, ...], int]:
    """Return the items at *indent* from row *start* on, and the row after them."""
    items: list[AriaItem] = []
    at = start
    while at < len(rows) and rows[at][0] == indent:
        _, key, value, line = rows[at]
        at += 1
        children: tuple[AriaItem, ...] = ()
        if at < len(rows) and rows[at][0] > indent:
            if value is None or value:
                raise wrong(
                    "is indented below an item that is no list",
                    line=rows[at][3],
                    where=where,
                    expected='a ":" at the end of the item above',
                )
            children, at = _nest(rows, at, rows[at][0], where)
        if at < len(rows) and rows[at][0] > indent:
            raise wrong("is indented in between", line=rows[at][3], where=where, expected="a list")
        items.append(AriaItem(key=key, value=value or None, children=children, line=line))
    return tuple(items), at


def _split(body: str, line: int, where: str) -> tuple[str, str | None]:
    """Return key and value of an item's text; the value is None without a colon, else a text."""
    quoted = _scalar(body, line, where)
    if quoted is not None:
        key, rest = quoted
        if not rest or rest.startswith("#"):
            return key, None
        if not rest.startswith(":"):
            raise wrong(f"goes on after the quoted {key!r}", line=line, where=where, expected=":")
        return key, _value(rest[1:].strip(), line, where)
    at = 0
    while at < len(body):
        if body[at] == '"' and (name := _DOUBLE.match(body, at)):
            at = name.end()
            continue
        if body[at] == ":" and (at + 1 == len(body) or body[at + 1] == " "):
            return body[:at].strip(), _value(body[at + 1 :].strip(), line, where)
        at += 1
    return _uncommented(body), None


def _value(text: str, line: int, where: str) -> str:
    quoted = _scalar(text, line, where)
    if quoted is not None:
        value, rest = quoted
        if rest and not rest.startswith("#"):
            raise wrong(f"goes on after {value!r}", line=line, where=where, expected="one text")
        return value
    return _uncommented(text)


def _scalar(text: str, line: int, where: str) -> tuple[str, str] | None:
    """Return a quoted text and what follows it; None where *text* does not begin with one."""
    if text[:1] in _REFUSED:
        raise wrong(
            f"begins with {_REFUSED[text[0]]}",
            line=line,
            where=where,
            expected="a text on one line, in quotes where it begins with such a sign",
        )
    for pattern, read in ((_DOUBLE, json_text), (_SINGLE, lambda s: s.replace("''", "'"))):
        if text[:1] == pattern.pattern[0]:
            found = pattern.match(text)
            if found is None:
                raise wrong("has a quote that is not closed", line=line, where=where, expected="")
            return read(found.group(1)), text[found.end() :].strip()
    return None


def _uncommented(text: str) -> str:
    at = text.find(" #")
    return text if at < 0 else text[:at].rstrip()
