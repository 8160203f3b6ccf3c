"""What one place says of a test's comparisons: a call, a marker. Every word is checked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.judging import GATE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.core.levels import RegionWish

_LIMITS = ("threshold", "max_diff_pixels", "max_diff_pixel_ratio")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What is said, checked; empty or None where nothing is said. Style files are absolute."""

    name: str | None = None
    tolerance: Mapping[str, float] = field(default_factory=dict)
    gate: str | None = None
    viewports: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    screenshot: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[RegionWish, ...] = ()
    expect: tuple[Any, ...] = ()
    appearance: tuple[Any, ...] = ()
    allow: tuple[str, ...] = ()

    def over(self, farther: Wishes) -> Wishes:
        """Return these wishes laid over those of a place farther away, word by word."""
        from pytest_pixelloop.core.levels import lay_regions_over  # noqa: PLC0415
        from pytest_pixelloop.core.screenshot_words import lay_over  # noqa: PLC0415

        return Wishes(
            name=self.name if self.name is not None else farther.name,
            tolerance={**farther.tolerance, **self.tolerance},
            gate=self.gate if self.gate is not None else farther.gate,
            viewports=self.viewports or farther.viewports,
            themes=self.themes or farther.themes,
            screenshot=lay_over(farther.screenshot, self.screenshot),
            regions=lay_regions_over(farther.regions, self.regions),
            expect=(*self.expect, *farther.expect),
            appearance=(*self.appearance, *farther.appearance),
            allow=(*self.allow, *farther.allow),
        )


def read_wishes(
    given: Mapping[str, Any], *, known: Sequence[str], where: str, root: Path
) -> Wishes:
    """Return what the words *given* wish; *where* names the place, *root* is what paths are from.

    Raises ConfigurationError for a word that is not among the *known* ones and for a value that a
    word cannot have.
    """
    from pytest_pixelloop.core.levels import check_regions  # noqa: PLC0415
    from pytest_pixelloop.core.screenshot_words import (  # noqa: PLC0415
        WORDS,
        check_screenshot,
        refuse_unknown,
    )
    from pytest_pixelloop.core.viewports import read_themes, read_viewports  # noqa: PLC0415

    refuse_unknown(given, known=known, where=lambda _: where)
    screenshot = {word: value for word, value in given.items() if word in WORDS}
    return Wishes(
        name=_name(given.get("name"), where=where),
        tolerance={
            **read_tolerance(given.get("tolerance"), where=f"tolerance of {where}"),
            **read_tolerance(_limits(given), where=where),
        },
        gate=check_gate(given.get("gate"), where=f"gate of {where}"),
        viewports=read_viewports(given.get("viewport"), where=f"viewport of {where}"),
        themes=read_themes(given.get("theme"), where=f"theme of {where}"),
        screenshot=rooted(check_screenshot(screenshot, where=lambda _: where), root),
        regions=check_regions(given.get("regions"), where=f"regions of {where}"),
    )


def _limits(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the limits that are keywords of their own."""
    return {word: given[word] for word in _LIMITS if given.get(word) is not None}


def rooted(options: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Return screenshot options with the style files' paths made absolute."""
    paths = options.get("style_path")
    if not paths:
        return dict(options)
    return {**options, "style_path": tuple(root / Path(path) for path in paths)}


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


def check_gate(value: object, *, where: str) -> str | None:
    """Return *value*; ConfigurationError when it is no gate profile."""
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    if value is not None and value not in GATE_NAMES:
        raise ConfigurationError(
            f"unknown gate {value!r}", where=where, expected="one of " + ", ".join(GATE_NAMES)
        )
    return None if value is None else str(value)


def _name(value: object, *, where: str) -> str | None:
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    if value is not None and (not isinstance(value, str) or not value):
        raise ConfigurationError(f"{value!r} is not a name", where=where)
    return value


def first_said(*layers: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first of the layers that says anything."""
    return next((layer for layer in layers if layer), ())


def lenient(read: Callable[[], Any], otherwise: Any) -> Any:
    """Return what *read* gives, or *otherwise* when the question itself is wrong.

    For a question whose error will be told where the thing is really used.
    """
    from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415

    try:
        return read()
    except UndeterminedError:
        return otherwise
