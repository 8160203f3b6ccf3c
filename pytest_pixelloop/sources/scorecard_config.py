"""The table ``[tool.pixelloop.scorecard]`` of pyproject.toml.

[tool.pixelloop.scorecard]
target = 100
consecutive = 2
max_rounds = 20                     # at least one cap: max_rounds, max_minutes, max_cost_usd

[[tool.pixelloop.scorecard.dimensions]]
name = "checkout"
weight = 0.7
match = ["checkout*", "tests/test_cart.py::*"]
hold_out = false
"""

from __future__ import annotations

import math
import tomllib
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.scorecard import Caps, Dimension, Scorecard
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TABLE = "[tool.pixelloop.scorecard]"
_CAPS = ("max_rounds", "max_minutes", "max_cost_usd")
_LIMITS = ("consecutive", "no_progress_rounds", "incomplete_rounds")
_KEYS = ("target", "auto_merge", "dimensions", "sources", *_CAPS, *_LIMITS)
_DIMENSION = ("name", "weight", "match", "hold_out")
_WEIGHT_SLACK = 1e-6


def load_scorecard(path: Path) -> tuple[Scorecard, Mapping[str, tuple[str, ...]]]:
    """Return the scorecard of a pyproject.toml, and the source files by pattern for a SARIF join.

    Raises ConfigurationError when there is none, and for every mistake in it: weights that do not
    sum to 1, no cap at all, ``auto_merge`` other than false, an unknown key.
    """
    if not path.exists():
        raise _no_scorecard(f"{path.name} (there is no such file)")
    data = read_file(path, name=path.name, error=ConfigurationError, max_bytes=8_000_000)
    try:
        whole = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigurationError(f"not valid TOML: {error}", where=path.name) from error
    table: Any = whole
    for key in ("tool", "pixelloop", "scorecard"):
        table = table.get(key) if isinstance(table, dict) else None
    where = f"{path.name} {TABLE}"
    if not isinstance(table, dict):
        raise _no_scorecard(path.name)
    _check_keys(table, _KEYS, where)
    if table.get("auto_merge", False) is not False:
        raise ConfigurationError(
            f"auto_merge is {table['auto_merge']!r}",
            where=where,
            expected="auto_merge = false: a score is advice to a person, who merges",
        )
    return _scorecard(table, where), _sources(table.get("sources", {}), where)


def _no_scorecard(where: str) -> ConfigurationError:
    return ConfigurationError(
        f"there is no {TABLE}",
        where=where,
        expected="dimensions with weights, and at least one of " + ", ".join(_CAPS),
        next_step="see docs/scorecard.md for one to copy",
    )


def _scorecard(table: Mapping[str, Any], where: str) -> Scorecard:
    caps = {key: _number(table, key, where, above=0) for key in _CAPS if key in table}
    if not caps:
        raise ConfigurationError(
            "the scorecard has no cap: it could go on without end",
            where=where,
            expected="at least one of " + ", ".join(_CAPS),
            next_step="add max_rounds = 20",
        )
    limits = {key: _whole(table, key, where) for key in _LIMITS if key in table}
    target = _number(table, "target", where, above=0) if "target" in table else 100.0
    if target > 100:
        raise ConfigurationError(f"target is {target:g}", where=where, expected="0..100")
    return Scorecard(
        dimensions=_dimensions(table.get("dimensions"), where),
        caps=Caps(
            max_rounds=_whole(table, "max_rounds", where) if "max_rounds" in caps else None,
            max_minutes=caps.get("max_minutes"),
            max_cost_usd=caps.get("max_cost_usd"),
        ),
        target=target,
        **limits,
    )


def _dimensions(raw: Any, where: str) -> tuple[Dimension, ...]:
    if not isinstance(raw, list) or not raw:
        raise ConfigurationError(
            "the scorecard has no dimensions",
            where=where,
            expected=f"[[{TABLE[1:-1]}.dimensions]] with name, weight and match",
        )
    found = [_dimension(entry, f"{where} dimension {i + 1}") for i, entry in enumerate(raw)]
    names = [d.name for d in found]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ConfigurationError(f"the dimension {twice[0]!r} is given twice", where=where)
    total = math.fsum(d.weight for d in found)
    if abs(total - 1) > _WEIGHT_SLACK:
        raise ConfigurationError(
            f"the weights sum to {total:g}",
            where=where,
            expected="1.0",
            next_step="divide each by that sum: "
            + ", ".join(f"{d.name} {d.weight / total:.4g}" for d in found),
        )
    return tuple(found)


def _dimension(entry: Any, where: str) -> Dimension:
    if not isinstance(entry, dict):
        raise ConfigurationError("a dimension is not a table", where=where)
    _check_keys(entry, _DIMENSION, where)
    name = entry.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ConfigurationError("a dimension has no name", where=where)
    hold_out = entry.get("hold_out", False)
    if not isinstance(hold_out, bool):
        raise ConfigurationError(f"hold_out is {hold_out!r}", where=where, expected="true or false")
    return Dimension(
        name=printable(name, limit=80),
        weight=_number(entry, "weight", where, above=0),
        match=_patterns(entry.get("match"), "match", where),
        hold_out=hold_out,
    )


def _sources(raw: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(raw, dict):
        raise ConfigurationError("sources is not a table", where=where)
    return {key: _patterns(value, f"sources.{key}", where) for key, value in raw.items()}


def _patterns(value: Any, key: str, where: str) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t for t in texts):
        raise ConfigurationError(
            f"{key} is {value!r}", where=where, expected='a list of patterns, such as ["checkout*"]'
        )
    return tuple(texts)


def _number(table: Mapping[str, Any], key: str, where: str, *, above: float) -> float:
    value = table.get(key)
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or float(value or 0) <= above:
        raise ConfigurationError(
            f"{key} is {value!r}", where=where, expected=f"a number above {above:g}"
        )
    return float(value or 0)


def _whole(table: Mapping[str, Any], key: str, where: str) -> int:
    value = _number(table, key, where, above=0)
    if value != int(value):
        raise ConfigurationError(f"{key} is {value:g}", where=where, expected="a whole number")
    return int(value)


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise ConfigurationError(
            f"unknown key {printable(unknown[0])!r}",
            where=where,
            expected="one of " + ", ".join(known),
        )
