"""The screenshot options and matching levels of a request: as flags, and as keys of a batch."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.levels import check_regions, lay_regions_over
from pytest_pixelloop.core.screenshot_words import check_screenshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.levels import RegionWish

#: The words that a request knows; the others of docs/capture.md are for tests and manifests.
WORDS = (
    *("full_page", "clip", "mask_color", "omit_background", "animations", "caret"),
    *("style_path", "style", "hide", "remove", "scroll_through"),
)


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how a page is captured, and what of a region may differ."""
    add = parser.add_argument_group(
        "the screenshot", "laid over screenshot: and regions: of the design's manifest entry"
    ).add_argument
    switch: Any = argparse.BooleanOptionalAction
    add("--full-page", action=switch, help="the page to its end (default), or what is in view")
    add("--clip", metavar="X,Y,W,H", help="only this part, CSS px of the frame")
    add("--mask-color", metavar="COLOR", help="what covers masks in the pictures of the report")
    add("--hide", action="append", metavar="CSS", help="invisible meanwhile; may be repeated")
    add("--remove", action="append", metavar="CSS", help="takes no room; may be repeated")
    add("--style", action="append", metavar="RULES", help="CSS that holds meanwhile")
    add("--style-path", action="append", metavar="FILE", help="a file of such CSS")
    add("--scroll-through", action=switch, help="show every screen once, for lazy content")
    add("--omit-background", action=switch, help="a page without a background is transparent")
    add("--animations", metavar="WORD", help="disabled (default) or allow")
    add("--caret", metavar="WORD", help="hide (default) or initial")
    add(
        "--region",
        action="append",
        default=[],
        metavar="TARGET=LEVEL",
        help="a matching level, as .price=data; may be repeated",
    )


def given_words(arguments: argparse.Namespace) -> list[str]:
    """Return which of the flags were used, as they are written."""
    used = [word for word in WORDS if getattr(arguments, word) is not None]
    return ["--" + word.replace("_", "-") for word in used] + ["--region"][: len(arguments.region)]


def screenshot_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the screenshot options of the command line, checked."""
    return read_words({word: getattr(arguments, word) for word in WORDS}, where="")


def regions_of(arguments: argparse.Namespace) -> tuple[RegionWish, ...]:
    """Return the regions of the command line; ConfigurationError for what is none."""
    found: list[RegionWish] = []
    for text in arguments.region:
        target, equals, level = text.rpartition("=")
        if not (equals and target):
            raise ConfigurationError(
                f"{text!r} is no region", where="--region", expected="TARGET=LEVEL: .price=data"
            )
        found += check_regions({target: level}, where="--region")
    return lay_regions_over(tuple(found))


def read_words(given: Mapping[str, object], *, where: str) -> dict[str, Any]:
    """Return options as flags or a batch line give them, checked; None is "not given".

    *where* is the line, empty for the command line.
    """

    def place(word: str) -> str:
        return where or "--" + word.replace("_", "-")

    plain = dict(given)
    if isinstance(styles := plain.get("style"), list):
        plain["style"] = tuple(styles)
    return check_screenshot(plain, where=place)


def lay_words(
    defaults: Mapping[str, Any], given: Mapping[str, object], *, where: str
) -> dict[str, Any]:
    """Return the options of a batch line, over those of the command; null takes one away."""
    rest = {word: value for word, value in defaults.items() if word not in given}
    return {**rest, **read_words(given, where=where)}
