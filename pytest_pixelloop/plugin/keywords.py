"""The keyword arguments of the fixtures, each written once: for editors, type checkers and checks.

``**options: Unpack[AssertOptions]`` is completed and checked as if every argument stood there.
None is "not given" everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from os import PathLike

    from pytest_pixelloop.core.design import Design

Regions = Mapping[Any, Literal["strict", "layout", "ignore_colors", "text", "data", "ignore"]]
"""Region (CSS, box, Locator, design node) to matching level."""


class Which(TypedDict, total=False):
    """Which of the planned comparisons: by viewport and theme, one or several."""

    viewport: str | Mapping[str, int] | Sequence[str | Mapping[str, int]] | None
    theme: str | Sequence[str] | None


class Limits(TypedDict, total=False):
    """How a comparison is judged."""

    gate: str | None
    tolerance: str | Mapping[str, Any] | None


class Beside(TypedDict, total=False):
    """What is asked of the channels beside the pixels."""

    expect: Any
    appearance: str | Mapping[str, Any] | None
    allow: str | Sequence[str] | None


class VerdictOptions(Limits, Beside, total=False):
    """What ``visual_verdict`` takes."""


class ScreenshotOptions(TypedDict, total=False):
    """How a capture is taken, in Playwright's words; docs/capture.md tells each."""

    full_page: bool | None
    clip: Any
    mask: Any
    mask_color: str | None
    omit_background: bool | None
    animations: Literal["disabled", "allow"] | None
    caret: Literal["hide", "initial"] | None
    scale: Literal["device", "css"] | None
    style_path: str | PathLike[str] | Sequence[str | PathLike[str]] | None
    style: str | None
    timeout: float | None
    navigation_timeout: float | None
    hide: str | Sequence[str] | None
    remove: str | Sequence[str] | None
    scroll_through: bool | None
    hover: Literal["leave", "keep"] | None
    reduced_motion: Literal["reduce", "no-preference"] | None
    network: Literal["settle", "ignore"] | None
    quiet: float | None
    clock: str | float | None
    random_seed: int | None


class RenderOptions(Which, ScreenshotOptions, total=False):
    """What ``render_capture`` takes."""

    baseline: Design | None
    regions: Regions | None


class MarkOptions(Which, Limits, Beside, ScreenshotOptions, total=False):
    """What the marker ``design`` takes beside the name."""

    regions: Regions | None


class AssertOptions(MarkOptions, total=False):
    """What ``assert_matches_design`` takes; the last four in Playwright's words."""

    snapshot: str | bool | None
    threshold: float | None
    max_diff_pixels: int | None
    max_diff_pixel_ratio: float | None


def words_of(options: type) -> tuple[str, ...]:
    """Return the keywords that a TypedDict of this module knows, the inherited ones too."""
    return tuple(options.__annotations__)
