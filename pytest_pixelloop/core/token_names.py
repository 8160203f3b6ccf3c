"""Which of a project's design tokens an edit should name instead of a value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.design_tokens import color_key

if TYPE_CHECKING:
    from pytest_pixelloop.core.design_tokens import Tokens

BY_DESIGN, BY_VALUE = "design", "value"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedToken:
    """A token for a value: its name, how a style sheet refers to it, where it is defined.

    ``origin`` is ``design`` where the design binds a variable of that name, ``value`` where it is
    the only token of that value and kind. ``value`` is what the project defines; ``agrees`` tells
    whether that is what the design shows.
    """

    name: str
    reference: str
    origin: str
    value: str
    place: str
    agrees: bool

    def as_record(self) -> dict[str, Any]:
        """Return the token as a brief holds it."""
        return {
            "name": self.name,
            "reference": self.reference,
            "origin": self.origin,
            "value": self.value,
            "place": self.place,
            "agrees": self.agrees,
        }


def find_token(
    tokens: Tokens, value: str, *, css_property: str, variable: str | None
) -> NamedToken | None:
    """Return the token to write for *value*, None where none is certain.

    *variable* is what the design calls the value. Without it, or where the project has no token of
    that name, the value has to have exactly one token that is meant for such a property.
    """
    is_color = color_key(value) is not None
    same = tokens.color_names(value) if is_color else tokens.length_names(value, prop=css_property)
    if variable is not None:
        names = _by_name(tokens, variable, is_color=is_color)
        chosen = [n for n in names if n in same] or names
        if len(chosen) == 1:
            return _token(tokens, chosen[0], origin=BY_DESIGN, agrees=chosen[0] in same)
    if len(same) == 1:
        return _token(tokens, same[0], origin=BY_VALUE, agrees=True)
    return None


def _token(tokens: Tokens, name: str, *, origin: str, agrees: bool) -> NamedToken:
    return NamedToken(
        name=name,
        reference=f"var({name})" if name.startswith("--") else name,
        origin=origin,
        value=tokens.values.get(name, ""),
        place=tokens.places.get(name, ""),
        agrees=agrees,
    )


def _by_name(tokens: Tokens, variable: str, *, is_color: bool) -> list[str]:
    """Return the tokens of a kind that are called as the design calls it, the closest only."""
    wanted = _words(variable)
    table = tokens.colors if is_color else tokens.lengths
    names = sorted({name for found in table.values() for name in found})
    exact = [n for n in names if _words(n) == wanted]
    if exact or not wanted:
        return exact
    # "Brand/Primary" may be --ds-brand-primary, or --primary, of a project.
    longer = [n for n in names if _words(n)[-len(wanted) :] == wanted]
    if longer:
        return longer
    return [n for n in names if wanted[-len(_words(n)) :] == _words(n) and _words(n)]


def _words(name: str) -> tuple[str, ...]:
    return tuple(w for w in _GAP.split(_HUMP.sub("-", name).lower()) if w)
