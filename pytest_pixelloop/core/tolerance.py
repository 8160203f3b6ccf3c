"""How much may differ, and how often may be tried: parsing and precedence, in one place each."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

CAP_ALIAS = "iteration_cap"
DEFAULT_CAP = 6
CAP_RANGE = range(1, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The limits of all gate profiles. Lengths in CSS px, ratios in 0..1, None = not limited.

    ``max_diff_pixels`` and ``max_diff_pixel_ratio`` belong to the snapshot gate; both None means
    that no pixel may differ, as in Playwright.
    """

    pixel: float = 2.0
    color_delta_e: float = 1.0
    threshold: float = 0.1
    max_diff_pixels: float | None = None
    max_diff_pixel_ratio: float | None = None
    pass_confidence: float = 0.995
    conditional_confidence: float = 0.98
    region_conditional: float = 0.03
    region_fail: float = 0.10

    def as_record(self) -> dict[str, float | None]:
        """Return all limits as plain JSON."""
        return dataclasses.asdict(self)


#: Where a gate's default is another than the one above.
GATE_DEFAULTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {"snapshot": MappingProxyType({"threshold": 0.2})}
)
KEYS = tuple(f.name for f in dataclasses.fields(Tolerance))
_UNIT = {
    "threshold",
    "max_diff_pixel_ratio",
    "pass_confidence",
    "conditional_confidence",
    "region_conditional",
    "region_fail",
}


def check_tolerance(values: Mapping[str, object], *, where: str) -> dict[str, float]:
    """Return *values* as floats by known key.

    Raises ConfigurationError for an unknown key, something that is no finite number, a negative
    number, or a ratio above 1; *where* names the place the user has to look at.
    """
    checked: dict[str, float] = {}
    for key, value in values.items():
        if key not in KEYS:
            raise ConfigurationError(
                f"unknown tolerance key {key!r}",
                where=where,
                expected="one of " + ", ".join(KEYS),
            )
        number = _number(value)
        if number is None or not math.isfinite(number) or number < 0:
            raise ConfigurationError(
                f"tolerance {key}={value!r} is not a number of 0 or more",
                where=where,
                expected=f"for example {key}={getattr(Tolerance(), key) or 1}",
            )
        if key in _UNIT and number > 1:
            raise ConfigurationError(
                f"tolerance {key}={value!r} is above 1",
                where=where,
                expected="a fraction from 0 to 1 (0.01 is one per cent)",
            )
        checked[key] = number
    return checked


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | str):
        try:
            return float(value)
        except (ValueError, OverflowError):  # a whole number may be too large for a float
            return None
    return None


def parse_tolerance(text: str, *, where: str = "--tolerance") -> dict[str, float]:
    """Return the limits written as ``key=value,key=value``; an empty text gives none.

    Raises ConfigurationError as check_tolerance does, and for a part without ``=`` or a key given
    twice.
    """
    values: dict[str, object] = {}
    for part in text.split(","):
        if not part.strip():
            continue
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals:
            raise ConfigurationError(
                f"cannot read {part.strip()!r} as a tolerance",
                where=where,
                expected="key=value,key=value with keys " + ", ".join(KEYS),
            )
        if key in values:
            raise ConfigurationError(f"tolerance {key!r} is given twice", where=where)
        values[key] = value.strip()
    return check_tolerance(values, where=where)


def resolve_tolerance(
    *,
    call: Mapping[str, float] | None = None,
    marker: Mapping[str, float] | None = None,
    command_line: Mapping[str, float] | None = None,
    manifest: Mapping[str, float] | None = None,
    ini: Mapping[str, float] | None = None,
    gate: str | None = None,
) -> Tolerance:
    """Return the limits that hold: call > marker > command line > manifest > ini > default.

    Key by key, so a call that sets ``pixel`` keeps the manifest's ``color_delta_e``. 0 is a value.
    The default depends on the *gate*: a snapshot has Playwright's threshold.
    """
    merged: dict[str, float] = dict(GATE_DEFAULTS.get(gate or "", {}))
    for layer in (ini, manifest, command_line, marker, call):
        merged.update(layer or {})
    return Tolerance(**merged)


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationCap:
    """The iteration cap that holds, where it came from, and what was refused on the way."""

    value: int
    source: str
    notes: tuple[str, ...] = ()


def split_cap_alias(text: str) -> tuple[str, str | None]:
    """Return the tolerance text without ``iteration_cap=N``, and N as written (None if absent)."""
    kept: list[str] = []
    alias: str | None = None
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if equals and key.strip() == CAP_ALIAS:
            alias = value.strip()
        else:
            kept.append(part)
    return ",".join(kept), alias


def resolve_cap(*, flag: str | None, alias: str | None, ini: str | None) -> IterationCap:
    """Return the iteration cap: flag > tolerance alias > ini > default 6, never unlimited.

    A value that is no whole number in 1..99 is replaced by the default, and the note says so:
    a typing error must not buy endless iterations.
    """
    notes: list[str] = []
    if flag is not None and alias is not None:
        notes.append(f"iteration_cap={alias} in --tolerance is overruled by --iteration-cap={flag}")
    elif alias is not None:
        notes.append(f"iteration_cap={alias} in --tolerance is read as --iteration-cap={alias}")
    for source, text in (("flag", flag), ("tolerance-alias", alias), ("ini", ini)):
        if text is None or text == "":
            continue
        value = _whole(text)
        if value is not None and value in CAP_RANGE:
            return IterationCap(value=value, source=source, notes=tuple(notes))
        notes.append(
            f"iteration cap {text!r} ({source}) is not a whole number from 1 to 99: "
            f"the default {DEFAULT_CAP} applies"
        )
        break
    return IterationCap(value=DEFAULT_CAP, source="default", notes=tuple(notes))


def _whole(text: str) -> int | None:
    stripped = text.strip()
    return int(stripped) if stripped.isascii() and stripped.isdigit() else None
