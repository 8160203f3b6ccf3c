"""The marker ``design``: what a test says about its designs, checked before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.judging import GATE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "design"
REGISTRATION = (
    "design(name=None, *, tolerance=None, gate=None, viewport=None, theme=None, expect=None, "
    "appearance=None, allow=None): "
    "a visual test (pytest-pixelloop); gives the defaults of its comparisons"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """What the ``design`` markers of a test say together, the closest marker first, key by key."""

    name: str | None = None
    tolerance: Mapping[str, float] = field(default_factory=dict)
    gate: str | None = None
    viewport: str | None = None
    theme: str | None = None
    expect: tuple[Any, ...] = ()
    appearance: tuple[Any, ...] = ()
    allow: tuple[str, ...] = ()


def read_markers(item: pytest.Item) -> Marked:
    """Return what the markers of *item* say; ``pytest.UsageError`` names the test and the fault."""
    merged: dict[str, Any] = {}
    for mark in item.iter_markers(NAME):
        for key, value in _read(mark, item.nodeid).items():
            if key == "tolerance":
                merged[key] = {**value, **merged.get(key, {})}
            elif key in {"expect", "appearance", "allow"}:
                merged[key] = (*merged.get(key, ()), *value)
            else:
                merged.setdefault(key, value)
    return Marked(**merged)


def read_tolerance(value: str | Mapping[str, Any] | None, *, where: str) -> dict[str, float]:
    """Return limits given as text or mapping; ConfigurationError for a wrong one."""
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415
    from pytest_pixelloop.core.tolerance import check_tolerance, parse_tolerance  # noqa: PLC0415

    if value is None:
        return {}
    if isinstance(value, str):
        return parse_tolerance(value, where=where)
    if isinstance(value, Mapping):
        return check_tolerance(value, where=where)
    raise ConfigurationError(
        f"tolerance {value!r} is neither a text nor a mapping",
        where=where,
        expected='"pixel=2,color_delta_e=3" or {"pixel": 2, "color_delta_e": 3}',
    )


def check_gate(value: str | None, *, where: str) -> str | None:
    """Return *value*; ConfigurationError when it is no gate profile."""
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    if value is not None and value not in GATE_NAMES:
        raise ConfigurationError(
            f"unknown gate {value!r}", where=where, expected="one of " + ", ".join(GATE_NAMES)
        )
    return value


def _read(mark: pytest.Mark, nodeid: str) -> dict[str, Any]:
    where = f"@pytest.mark.{NAME} of {nodeid}"
    readers = _readers(where)
    if len(mark.args) > 1 or (mark.args and "name" in mark.kwargs):
        raise pytest.UsageError(f"{where}: one name is expected, got {mark.args!r}")
    given = {**({"name": mark.args[0]} if mark.args else {}), **mark.kwargs}
    unknown = sorted(set(given) - set(readers))
    if unknown:
        raise pytest.UsageError(
            f"{where}: unknown keyword {unknown[0]!r}; known are {', '.join(readers)}"
        )
    return {key: readers[key](value) for key, value in given.items() if value is not None}


def _readers(where: str) -> dict[str, Callable[[Any], Any]]:
    from pytest_pixelloop.plugin.options import usage_error  # noqa: PLC0415

    def text(value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise pytest.UsageError(f"{where}: {value!r} is not a name")
        return value

    return {
        "name": text,
        "tolerance": lambda value: usage_error(lambda: read_tolerance(value, where=where)),
        "gate": lambda value: usage_error(lambda: check_gate(text(value), where=where)),
        "viewport": text,
        "theme": text,
        **channel_readers(where),
    }


def channel_readers(where: str) -> dict[str, Callable[[Any], tuple[Any, ...]]]:
    """Return the readers of what a marker asks of the channels beside the pixels."""
    from pytest_pixelloop.core.appearance import merge_appearance, parse_appearance  # noqa: PLC0415
    from pytest_pixelloop.core.expectations import read_expectations  # noqa: PLC0415
    from pytest_pixelloop.plugin.options import usage_error  # noqa: PLC0415

    def appearance(value: Any) -> tuple[Any, ...]:
        usage_error(lambda: parse_appearance(value, where=where))
        return (value,)

    def allow(value: Any) -> tuple[Any, ...]:
        entries = (value,) if isinstance(value, str) else tuple(value)
        return usage_error(lambda: merge_appearance(allow=entries, where=where)).allow

    return {
        "expect": lambda value: usage_error(lambda: read_expectations(value, where=where)),
        "appearance": appearance,
        "allow": allow,
    }
