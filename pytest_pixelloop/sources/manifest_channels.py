"""The ``expect:``, ``appearance:`` and ``allow:`` of the manifest, checked where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.appearance import merge_appearance, parse_appearance
from pytest_pixelloop.core.expectations import read_expectations

if TYPE_CHECKING:
    from pytest_pixelloop.sources.manifest_yaml import Field

_EXPECTATION = ("role", "name", "enabled", "target")


def expect_of(value: Field | None) -> tuple[Any, ...]:
    """Return the expectations of a design: aria snapshots as texts, others as mappings."""
    if value is None:
        return ()
    found: list[Any] = []
    for item in value.listed() if value.is_list else (value,):
        plain: Any = item.text() if item.is_scalar else _mapping(item)
        read_expectations(plain, where=item.where)
        found.append(plain)
    return tuple(found)


def appearance_of(*layers: Field | None) -> dict[str, str] | None:
    """Return what the layers say of the appearance channel, the last one strongest."""
    merged: dict[str, str] = {}
    for layer in layers:
        if layer is None:
            continue
        if layer.is_scalar:
            plain = layer.plain()
            said: Any = "off" if plain is False else plain
        else:
            said = {key: field.plain() for key, field in layer.mapping().items()}
        settings = parse_appearance(said, where=layer.where)
        merged |= {key: str(word) for key, word in settings.priorities.items()}
        merged |= {"mode": settings.mode} if settings.mode else {}
    return merged or None


def allow_of(*layers: Field | None) -> tuple[str, ...]:
    """Return the entries of the allow lists together."""
    entries = [
        (entry, layer.where) for layer in layers if layer is not None for entry in layer.texts()
    ]
    for entry, where in entries:
        merge_appearance(allow=[entry], where=where)
    return tuple(dict.fromkeys(entry for entry, _ in entries))


def _mapping(item: Field) -> dict[str, Any]:
    fields = item.mapping(_EXPECTATION)
    return {
        key: field.boolean()
        if key == "enabled"
        else field.raw()
        if key == "target"
        else field.text()
        for key, field in fields.items()
    }
