"""What the functional channel is to find: roles, names and states, or whole aria snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.aria_match import read_template, wanted
from pytest_pixelloop.core.aria_roles import check_role
from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.errors import ConfigurationError

if TYPE_CHECKING:
    from pytest_pixelloop.core.aria_match import AriaTemplate, Wanted
    from pytest_pixelloop.core.design import Design

_KEYS = ("role", "name", "enabled", "target")
_FORM = '{"role": "button", "name": "Save", "enabled": True}, or an aria snapshot as a text'
#: Words in the name of a component that say what it is to a person who cannot see it.
_COMPONENTS = (
    ("checkbox", "checkbox"),
    ("radio", "radio"),
    ("switch", "switch"),
    ("toggle", "switch"),
    ("search", "searchbox"),
    ("input", "textbox"),
    ("text field", "textbox"),
    ("textarea", "textbox"),
    ("select", "combobox"),
    ("dropdown", "combobox"),
    ("tab", "tab"),
    ("link", "link"),
    ("button", "button"),
    ("cta", "button"),
)
_MOST_PROPOSED = 50
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One element, by role and name, or one aria snapshot (``template`` is set then).

    ``enabled`` None asks nothing of it. ``target`` ties it to one element: a selector of the
    report, ``#id`` or ``[data-testid="x"]``, or a design node's id. Without one, role and name say
    which element is meant.
    """

    role: str = ""
    name: Wanted | None = None
    enabled: bool | None = None
    target: str | None = None
    template: AriaTemplate | None = None
    text: str = ""

    def as_record(self) -> dict[str, Any]:
        """Return what is expected as plain JSON."""
        if self.template is not None:
            return {"snapshot": self.text}
        record: dict[str, Any] = {"role": self.role}
        if self.name is not None:
            record["name"] = str(self.name)
        if self.enabled is not None:
            record["enabled"] = self.enabled
        return record


def read_expectations(value: Any, *, where: str) -> tuple[Expectation, ...]:
    """Return what a text, a mapping, or a list of both expects; nothing for None.

    Raises ConfigurationError that names the entry.
    """
    if value is None:
        return ()
    if isinstance(value, str | Mapping):
        return (_read(value, where),)
    if not isinstance(value, Sequence):
        raise ConfigurationError(
            f"{value!r} is no expectation", where=where, expected="a list of " + _FORM
        )
    return tuple(
        _read(item, f"{where}, entry {number}") for number, item in enumerate(value, start=1)
    )


def _read(value: Any, where: str) -> Expectation:
    if isinstance(value, Expectation):
        return value
    if isinstance(value, str):
        return Expectation(template=read_template(value, where=where), text=value.strip("\n"))
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{value!r} is no expectation", where=where, expected=_FORM)
    unknown = sorted(str(key) for key in value if key not in _KEYS)
    if unknown:
        raise ConfigurationError(
            f"unknown key {unknown[0]!r} in an expectation",
            where=where,
            expected="one of " + ", ".join(_KEYS),
        )
    role, name, enabled = value.get("role"), value.get("name"), value.get("enabled")
    if not isinstance(role, str) or not role.strip():
        raise ConfigurationError(f"role {role!r} is no role", where=where, expected=_FORM)
    if name is not None and not isinstance(name, str):
        raise ConfigurationError(f"name {name!r} is no text", where=where, expected=_FORM)
    if enabled is not None and not isinstance(enabled, bool):
        raise ConfigurationError(f"enabled {enabled!r} is not true or false", where=where)
    target = value.get("target")
    return Expectation(
        role=check_role(role.strip(), where=where),
        name=None if name is None else wanted(name, where=where),
        enabled=enabled,
        target=None if target is None else str(target),
    )


def propose_expectations(design: Design) -> tuple[dict[str, Any], ...]:
    """Return what the names of a design's components and their texts suggest to expect. Advisory.

    ``[{role, name, target}]``, ready for the manifest key ``expect:`` once a person has read it: a
    name in a design file is no promise.
    """
    if design.root is None:
        return ()
    placed = place_nodes(design.root)
    inside: dict[str, str] = {}
    parents = {item.node.id: item.parent_id for item in placed}
    for item in placed:
        text = " ".join((item.node.characters or "").split())
        at: str | None = item.node.id
        while text and at is not None:
            inside.setdefault(at, text)
            at = parents.get(at)
    proposed: list[dict[str, Any]] = []
    claimed: set[str] = set()
    for item in placed:
        if item.parent_id in claimed:
            claimed.add(item.node.id)
            continue
        role = _role_of(item.node.name, item.node.type)
        if role is None or not (name := inside.get(item.node.id)) or len(name) > _LONGEST_NAME:
            continue
        claimed.add(item.node.id)
        proposed.append({"role": role, "name": name, "target": item.node.id})
    return tuple(proposed[:_MOST_PROPOSED])


def _role_of(name: str, kind: str) -> str | None:
    if kind not in {"INSTANCE", "COMPONENT", "FRAME"}:
        return None
    words = name.lower().replace("-", " ").replace("_", " ").replace("/", " ")
    if "group" in words.split() or words.rstrip().endswith("s"):
        return None  # a group of them
    padded = f" {words} "
    return next((role for word, role in _COMPONENTS if f" {word} " in padded), None)
