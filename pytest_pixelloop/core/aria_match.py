"""Whether an accessibility tree holds what an aria snapshot asks for, as Playwright decides it.

The rules of Playwright's ``to_match_aria_snapshot``: a role must be the same; a name that is given
must be equal, or be found by ``/pattern/``; states that are given must be equal; children that are
given must come in this order, with anything before, between and after them, unless
``/children: equal`` or ``deep-equal`` says that there is nothing else. A snapshot may be found
anywhere in the tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_pixelloop.core.accessibility import FRAGMENT, TEXT
from pytest_pixelloop.core.aria_roles import check_role
from pytest_pixelloop.core.aria_text import collapse, read_items, read_key, wrong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_pixelloop.core.accessibility import AccessibleNode
    from pytest_pixelloop.core.aria_text import AriaItem

CONTAIN, EQUAL, DEEP_EQUAL = "contain", "equal", "deep-equal"
_MODES = (CONTAIN, EQUAL, DEEP_EQUAL)
_PROPERTIES = ("url", "placeholder")
_TRISTATE = ("true", "false", "mixed")
_STATES: Mapping[str, tuple[str, ...] | None] = {
    "checked": _TRISTATE,
    "pressed": _TRISTATE,
    "disabled": ("true", "false"),
    "expanded": ("true", "false"),
    "selected": ("true", "false"),
    "active": ("true", "false"),
    "invalid": None,
    "level": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A text that is asked for: equal to ``text``, or found by the pattern in it."""

    text: str
    pattern: re.Pattern[str] | None = None

    def fits(self, actual: str) -> bool:
        """Tell whether *actual* is what is wanted."""
        if self.pattern is not None and self.pattern.search(actual):
            return bool(actual)
        return actual == self.text

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class AriaTemplate:
    """One element that is asked for, with what is asked of its children.

    ``name`` None asks nothing of it. ``children`` is how its children are compared, see above.
    """

    role: str
    name: Wanted | None = None
    states: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, Wanted] = field(default_factory=dict)
    parts: tuple[AriaTemplate, ...] = ()
    children: str = CONTAIN
    line: int = 0

    def walk(self) -> Iterator[AriaTemplate]:
        """Yield the template and all below it, in order."""
        yield self
        for part in self.parts:
            yield from part.walk()


def read_template(text: str, *, where: str) -> AriaTemplate:
    """Return what an aria snapshot asks for; its role is ``fragment`` for several elements.

    Raises ConfigurationError that names the line for what is no aria snapshot.
    """
    items = read_items(text, where=where)
    fragment = _template(FRAGMENT, items, where=where)
    if not fragment.parts:
        raise wrong("is missing", line=1, where=where, expected='a list such as "- button"')
    if len(fragment.parts) == 1 and fragment.children == CONTAIN:
        return fragment.parts[0]
    return fragment


def wanted(text: str, *, where: str) -> Wanted:
    """Return the text asked for by ``Save`` or ``/Save|Store/``; ConfigurationError else."""
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        return _pattern(text[1:-1], where)
    return Wanted(text=collapse(text))


def find_match(root: AccessibleNode, template: AriaTemplate) -> AccessibleNode | None:
    """Return the first element in *root*, itself included, that matches; None for none."""
    return next((node for node in root.walk() if matches(node, template)), None)


def matches(node: AccessibleNode, template: AriaTemplate, *, deep: bool = False) -> bool:
    """Tell whether this very element is what *template* asks for."""
    if not _is_alike(node, template):
        return False
    if TEXT in {template.role, node.role}:
        return True
    if template.children == EQUAL:
        return _are_equal(node.children, template.parts, deep=False)
    if template.children == DEEP_EQUAL or deep:
        return _are_equal(node.children, template.parts, deep=True)
    return _are_contained(node.children, template.parts)


def _is_alike(node: AccessibleNode, template: AriaTemplate) -> bool:
    """Tell whether an element is what is asked for, its children aside."""
    if template.role not in {FRAGMENT, node.role} or node.role == TEXT != template.role:
        return False
    if template.name is not None and not template.name.fits(node.name):
        return False
    return has_states(node, template.states) and all(
        value.fits(node.properties.get(name, "")) for name, value in template.properties.items()
    )


def has_states(node: AccessibleNode, states: Mapping[str, str]) -> bool:
    """Tell whether *node* has the given states; one that it does not show is ``false``."""
    return all(node.states.get(name, "false") == value for name, value in states.items())


def _are_equal(
    nodes: Sequence[AccessibleNode], parts: Sequence[AriaTemplate], *, deep: bool
) -> bool:
    if len(nodes) != len(parts):
        return False
    return all(matches(n, p, deep=deep) for n, p in zip(nodes, parts, strict=True))


def _are_contained(nodes: Iterable[AccessibleNode], parts: Iterable[AriaTemplate]) -> bool:
    left = iter(nodes)
    return all(any(matches(node, part) for node in left) for part in parts)


def _template(
    role: str,
    items: Iterable[AriaItem],
    *,
    where: str,
    line: int = 0,
    name: Wanted | None = None,
    states: Mapping[str, str] | None = None,
) -> AriaTemplate:
    parts: list[AriaTemplate] = []
    properties: dict[str, Wanted] = {}
    children = CONTAIN
    for item in items:
        if item.key == "/children":
            if item.value not in _MODES:
                expected = "one of " + ", ".join(_MODES)
                raise wrong("has an odd /children", line=item.line, where=where, expected=expected)
            children = item.value
        elif item.key.startswith("/"):
            if item.key[1:] not in _PROPERTIES or item.value is None:
                expected = "/url: or /placeholder: or /children:, with a value"
                raise wrong(f"has {item.key!r}", line=item.line, where=where, expected=expected)
            properties[item.key[1:]] = wanted(item.value, where=where)
        else:
            parts.append(_element(item, where))
    return AriaTemplate(
        role=role,
        name=name,
        states=states or {},
        properties=properties,
        parts=tuple(parts),
        children=children,
        line=line,
    )


def _element(item: AriaItem, where: str) -> AriaTemplate:
    if item.key == TEXT:
        return AriaTemplate(
            role=TEXT,
            name=None if item.value is None else wanted(item.value, where=where),
            line=item.line,
        )
    key = read_key(item, where=where)
    name = None
    if key.name is not None:
        name = _pattern(key.name, where) if key.is_pattern else Wanted(text=collapse(key.name))
    template = _template(
        check_role(key.role, where=f"{where}, line {item.line} of the aria snapshot"),
        item.children,
        where=where,
        line=item.line,
        name=name,
        states=_states(key.states, item.line, where),
    )
    if item.value is None:
        return template
    inner = AriaTemplate(role=TEXT, name=wanted(item.value, where=where), line=item.line)
    return AriaTemplate(
        role=template.role, name=name, states=template.states, parts=(inner,), line=item.line
    )


def _states(states: Iterable[tuple[str, str]], line: int, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in states:
        if name not in _STATES:
            expected = "one of " + ", ".join(_STATES)
            raise wrong(f"has the state [{name}]", line=line, where=where, expected=expected)
        known = _STATES[name]
        if (known and value not in known) or (name == "level" and not value.isdigit()):
            expected = "one of " + ", ".join(known) if known else "a number"
            raise wrong(f"has [{name}={value}]", line=line, where=where, expected=expected)
        found[name] = value
    return found


def _pattern(source: str, where: str) -> Wanted:
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    try:
        compiled = re.compile(source)
    except re.error as error:
        raise ConfigurationError(
            f"the pattern /{source}/ cannot be read: {error}",
            where=where,
            expected="a regular expression that JavaScript and Python read alike",
        ) from None
    return Wanted(text=f"/{source}/", pattern=compiled)
