"""One comparison asked for without pytest: its words, on the command line or in a batch."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.cli.request_screenshot import WORDS, lay_words
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.levels import check_regions
from pytest_pixelloop.core.screenshot_words import read_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.levels import RegionWish

MOST_CAPTURES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to compare: ``name`` (of the manifest) or ``design``, with one thing to judge.

    That is ``url``, ``actual``, ``nav`` (with ``url`` as its application) or ``capture_command``;
    for a ``name`` the manifest may say it.
    """

    name: str | None = None
    design: Path | None = None
    nodes: Path | None = None
    node: str | None = None
    url: str | None = None
    actual: Path | None = None
    gate: str | None = None
    scale: float | None = None
    tolerance: str | Mapping[str, Any] = ""
    mask: tuple[str, ...] = ()
    viewport: str | None = None
    theme: str | None = None
    designs: Path = Path("designs")
    output: Path | None = None
    browser: str | None = None
    browser_arg: tuple[str, ...] = ()
    timeout: float | None = None
    appearance: str | Mapping[str, Any] | None = None
    expect: Any = None
    nav: Path | None = None
    capture_command: str | None = None
    capture_timeout: float = 120.0
    noise_captures: int | None = None
    screenshot: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[RegionWish, ...] = ()


_PATHS = {"design", "nodes", "actual", "designs", "output", "nav"}
_LISTS = {"mask", "browser_arg"}
#: What a line of a batch may say: which program is run is for the command line alone.
_KNOWN = {f.name for f in dataclasses.fields(Request)} - {
    *("capture_command", "capture_timeout", "screenshot")
}


def request_from_record(record: object, *, where: str, defaults: Request) -> Request:
    """Return the request one JSON object of a batch asks for, on top of the command's own words.

    Raises ConfigurationError for something that is no object, an unknown key, or a wrong type.
    """
    if not isinstance(record, dict):
        raise ConfigurationError("a batch line is not a JSON object", where=where)
    changes: dict[str, Any] = {}
    shown = {key: value for key, value in record.items() if key in WORDS}
    changes["screenshot"] = lay_words(defaults.screenshot, shown, where=where)
    for key, value in record.items():
        if key in {"id", "json", *WORDS}:
            continue
        if key not in _KNOWN:
            raise ConfigurationError(
                f"unknown key {key!r} in a batch line",
                where=where,
                expected="one of " + ", ".join(sorted({*_KNOWN, *WORDS, "id", "json"})),
            )
        if key == "regions":
            changes[key] = check_regions(value, where=where)
        else:
            changes[key] = _value(key, value, where=where)
    return dataclasses.replace(defaults, **changes)


def _value(key: str, value: object, *, where: str) -> Any:
    if value is None:
        return () if key in _LISTS else ("" if key == "tolerance" else None)
    if key in _LISTS:
        items = value if isinstance(value, list) else [value]
        return tuple(",".join(map(str, i)) if isinstance(i, list) else str(i) for i in items)
    if key in {"scale", "timeout"}:
        return _number(key, value, where=where)
    if key == "noise_captures":
        if isinstance(value, bool) or not isinstance(value, int):
            raise ConfigurationError(f"{key} {value!r} is not a whole number", where=where)
        return value
    if key == "expect" or (key in {"tolerance", "appearance"} and isinstance(value, dict)):
        return value
    if not isinstance(value, str):
        raise ConfigurationError(f"{key} {value!r} is not a text", where=where)
    _refuse_unwritable(key, value, where=where)
    return Path(value) if key in _PATHS else value


def _number(key: str, value: object, *, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigurationError(f"{key} {value!r} is not a number", where=where)
    try:
        return float(value)
    except OverflowError:
        raise ConfigurationError(f"{key} is too large a number", where=where) from None


def _refuse_unwritable(key: str, text: str, *, where: str) -> None:
    """Raise ConfigurationError for a NUL or half a surrogate pair: nothing can be called so."""
    if "\0" in text or text != text.encode("utf-8", "replace").decode("utf-8"):
        raise ConfigurationError(
            f"{key} {text!r} holds what no file and no page can be named by", where=where
        )


def read_masks(texts: Sequence[str]) -> tuple[Any, ...]:
    """Return the masks of a request: boxes ``x,y,w,h`` in CSS px of the frame, or CSS selectors."""
    return tuple(read_target(text, where="--mask") for text in texts)


def refuse_wrong_words(request: Request) -> None:
    """Raise ConfigurationError for words that cannot be meant together, or a wrong number."""
    if (request.name is None) == (request.design is None):
        raise ConfigurationError(
            "say which design: either a NAME of the manifest or --design IMAGE",
            next_step="pixelloop verify checkout --url URL, or pixelloop verify --design a.png ...",
        )
    told = [request.url or request.nav, request.actual, request.capture_command]
    if sum(word is not None for word in told) > 1:
        raise ConfigurationError(
            "say what to judge only once: --url URL (with or without --nav), --actual IMAGE, or "
            "--capture-command CMD"
        )
    if request.name is not None and request.scale is not None:
        raise ConfigurationError(
            "--scale belongs to --design, not to a manifest's NAME",
            next_step=f"write scale: under {request.name} in designs.yaml",
        )
    if request.timeout is not None and not 0 < request.timeout < 86_400:
        raise ConfigurationError(
            f"--timeout {request.timeout:g} is no waiting time", expected="seconds, more than 0"
        )
    if request.noise_captures is not None and not 1 <= request.noise_captures <= MOST_CAPTURES:
        raise ConfigurationError(
            f"--noise-captures {request.noise_captures} is out of range",
            expected=f"a whole number from 1 to {MOST_CAPTURES}",
        )
    if request.name is not None and (request.nodes or request.node):
        raise ConfigurationError("--nodes and --node belong to --design, not to a manifest's NAME")
    if request.nodes is None and request.node is not None:
        raise ConfigurationError("--node needs --nodes JSON to look the node up in")
