"""The screenshot options as users write them, in Playwright's words: checked, and laid over others.

What is checked here is plain: which word, which values. Files, pages and designs come later.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from pytest_pixelloop.core.css_values import parse_color
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.geometry import Box

SHORTEST_TIMEOUT = 100.0
LONGEST_TIMEOUT = 86_400_000.0
_BOX = "x, y, w, h in CSS px of the frame, w and h above 0"
_MASK = f'a CSS selector, a Locator, or a box: {_BOX}, as (60, 200, 120, 40) or "60,200,120,40"'
#: Words whose values are added up over call, marker, command line, manifest and ini.
ADDED_UP = ("mask", "hide", "remove", "style_path", "style")
#: Words that change how long is waited, and not what is judged.
WAITING = ("timeout", "navigation_timeout")


def read_box(value: object) -> Box | None:
    """Return the box that *value* writes, None when it is none.

    A Box, four numbers, a text ``x,y,w,h``, or Playwright's mapping with x, y, width and height.
    """
    if isinstance(value, Box):
        parts: Sequence[object] = (value.x, value.y, value.w, value.h)
    elif isinstance(value, Mapping):
        if set(value) != {"x", "y", "width", "height"}:
            return None
        parts = [value[key] for key in ("x", "y", "width", "height")]
    elif isinstance(value, str):
        parts = value.split(",")
    elif isinstance(value, list | tuple):
        parts = value
    else:
        return None
    if len(parts) != 4:
        return None
    numbers = [_number(part) for part in parts]
    if not all(math.isfinite(n) and abs(n) < 1e6 for n in numbers):
        return None
    x, y, w, h = numbers
    return Box(x, y, w, h) if w > 0 and h > 0 else None


def _number(part: object) -> float:
    if isinstance(part, bool) or not isinstance(part, int | float | str):
        return math.nan
    try:
        return float(part)
    except (ValueError, OverflowError):
        return math.nan


def read_target(value: object, *, where: str, what: str = "mask") -> Any:
    """Return what a mask or region names: a Box, a text (CSS) or a Locator.

    Raises ConfigurationError for anything else, a text of numbers that are no box included.
    """
    box = read_box(value)
    if box is not None:
        return box
    text = value.strip() if isinstance(value, str) else ""
    numbers = text and all(math.isfinite(_number(part)) for part in text.split(","))
    if (text and not numbers) or hasattr(value, "bounding_box"):
        return text or value
    raise ConfigurationError(f"{value!r} is no {what}", where=where, expected=_MASK)


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigurationError(f"{value!r} is not True or False", where=where)
    return value


def _one_of(*known: str) -> Callable[[object, str], str]:
    def read(value: object, where: str) -> str:
        if value not in known:
            raise ConfigurationError(
                f"{value!r} is not known", where=where, expected="one of " + ", ".join(known)
            )
        return str(value)

    return read


def _clip(value: object, where: str) -> Box:
    box = read_box(value)
    if box is None or box.x < 0 or box.y < 0:
        raise ConfigurationError(
            f"{value!r} is no clip",
            where=where,
            expected='x, y, width and height in CSS px, as {"x": 0, "y": 80, "width": 400, '
            '"height": 300} or (0, 80, 400, 300)',
        )
    return box


def _masks(value: object, where: str) -> tuple[Any, ...]:
    """Return the masks; one alone needs no list."""
    if isinstance(value, str | Box | Mapping) or hasattr(value, "bounding_box"):
        value = (value,)
    if not isinstance(value, Sequence):
        raise ConfigurationError(f"{value!r} is no list of masks", where=where, expected=_MASK)
    if len(value) == 4 and all(isinstance(part, int | float) for part in value):
        value = (value,)
    return tuple(read_target(item, where=where) for item in value)


def _color(value: object, where: str) -> str:
    color = parse_color(value) if isinstance(value, str) else None
    if color is None or color.a <= 0:
        raise ConfigurationError(
            f"{value!r} is no colour that covers something",
            where=where,
            expected='a CSS colour, as "#ff00ff" or "rgb(255 0 255)"',
        )
    return str(value)


def _texts(what: str) -> Callable[[object, str], tuple[str, ...]]:
    def read(value: object, where: str) -> tuple[str, ...]:
        items = (value,) if isinstance(value, str) else value
        if not isinstance(items, Sequence) or not all(
            isinstance(item, str) and item.strip() for item in items
        ):
            raise ConfigurationError(f"{value!r} is no {what}", where=where, expected=what)
        return tuple(item.strip() for item in items)

    return read


def _paths(value: object, where: str) -> tuple[Any, ...]:
    """Return paths, one or several; whoever knows the folder makes them absolute."""
    items = value if isinstance(value, list | tuple) else (value,)
    if not all(isinstance(item, str) or hasattr(item, "__fspath__") for item in items):
        raise ConfigurationError(f"{value!r} is no path", where=where, expected="a CSS file")
    if not all(str(item).strip() for item in items):
        raise ConfigurationError("an empty path", where=where, expected="a CSS file")
    return tuple(items)


def _css(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return value
    if not isinstance(value, str):
        raise ConfigurationError(f"{value!r} is no CSS text", where=where)
    return (value,)


def _milliseconds(value: object, where: str) -> float:
    """Return seconds. Playwright's timeouts are milliseconds, so that is what users write."""
    number = _number(value) if not isinstance(value, str) else math.nan
    if not SHORTEST_TIMEOUT <= number <= LONGEST_TIMEOUT:
        hint = ""
        if 0 < number < SHORTEST_TIMEOUT:
            hint = f"for {number:g} seconds write {number * 1000:g}"
        raise ConfigurationError(
            f"{value!r} is no waiting time",
            where=where,
            expected=f"milliseconds, as in Playwright: {SHORTEST_TIMEOUT:g} to "
            f"{LONGEST_TIMEOUT:.0f}",
            next_step=hint,
        )
    return number / 1000


def _moment(value: object, where: str) -> str | float:
    """Return a moment as it was written: seconds since 1970, or ISO 8601."""
    if isinstance(value, str):
        try:
            datetime.fromisoformat(value)
        except ValueError:
            value = None
        else:
            return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigurationError(
            "the clock is set to no moment",
            where=where,
            expected="ISO 8601, for example 2026-03-01T09:30:00, or seconds since 1970",
        )
    return value


def _seed(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigurationError(f"{value!r} is no whole number", where=where)
    return value


WORDS: Mapping[str, Callable[[object, str], Any]] = MappingProxyType(
    {
        "full_page": _flag,
        "clip": _clip,
        "mask": _masks,
        "mask_color": _color,
        "omit_background": _flag,
        "animations": _one_of("disabled", "allow"),
        "caret": _one_of("hide", "initial"),
        "scale": _one_of("device", "css"),
        "style_path": _paths,
        "style": _css,
        "timeout": _milliseconds,
        "navigation_timeout": _milliseconds,
        "hide": _texts("CSS selector, or list of them"),
        "remove": _texts("CSS selector, or list of them"),
        "scroll_through": _flag,
        "hover": _one_of("leave", "keep"),
        "reduced_motion": _one_of("reduce", "no-preference"),
        "network": _one_of("settle", "ignore"),
        "quiet": _milliseconds,
        "clock": _moment,
        "random_seed": _seed,
    }
)


def check_screenshot(
    values: Mapping[str, object], *, where: Callable[[str], str]
) -> dict[str, Any]:
    """Return the options given, each checked; None is "not given".

    *where* gives for a word the place the user has to look at. Raises ConfigurationError for an
    unknown word, with the known ones, and for a value that a word cannot have.
    """
    refuse_unknown(values, known=tuple(WORDS), where=where)
    return {
        word: WORDS[word](value, f"{word}, {where(word)}")
        for word, value in values.items()
        if value is not None
    }


def refuse_unknown(
    values: Mapping[str, object], *, known: Sequence[str], where: Callable[[str], str]
) -> None:
    """Raise ConfigurationError when a word is not among the *known* ones, which it lists."""
    for word in values:
        if word in known:
            continue
        close = difflib.get_close_matches(word, known, n=1)
        raise ConfigurationError(
            f"unknown keyword {word!r}",
            where=where(word),
            expected="one of " + ", ".join(known),
            next_step=f"did you mean {close[0]}?" if close else "",
        )


def lay_over(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that hold; *layers* from the weakest to the strongest.

    The strongest layer that has a word decides. Masks, hidden and removed elements and styles add
    up instead: who masks a clock in the manifest does not want it back for one more mask.
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        for word, value in layer.items():
            if word in ADDED_UP:
                before = merged.get(word, ())
                merged[word] = (*before, *(item for item in value if item not in before))
            else:
                merged[word] = value
    return merged
