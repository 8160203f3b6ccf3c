"""What assistive technology is told of a page, as values: roles, names, states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_pixelloop.core.geometry import Box

TEXT = "text"
FRAGMENT = "fragment"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessibleNode:
    """One element of the accessibility tree, or a text in it (role ``text``, the text as name).

    ``states`` are those that are set: ``disabled``, ``checked``, ``expanded``, ``pressed``,
    ``selected``, ``active``, ``level``. ``properties`` are ``url`` and ``placeholder``. ``box`` is
    in CSS px of the capture, None where the browser did not tell.
    """

    role: str
    name: str = ""
    states: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    children: tuple[AccessibleNode, ...] = ()
    box: Box | None = None

    @property
    def disabled(self) -> bool:
        """Whether it cannot be used."""
        return self.states.get("disabled", "false") == "true"

    def walk(self) -> Iterator[AccessibleNode]:
        """Yield the node and everything inside it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessibilitySnapshot:
    """The accessibility tree of what was captured, same-origin frames and open shadow trees in it.

    ``root`` has the role ``fragment``. ``reason`` says why there is none, "" when there is one;
    ``gaps`` name what could not be looked into.
    """

    root: AccessibleNode = AccessibleNode(role=FRAGMENT)
    reason: str = ""
    gaps: tuple[str, ...] = ()

    @property
    def available(self) -> bool:
        """Whether there is a tree to judge."""
        return not self.reason
