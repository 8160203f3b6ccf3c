"""From what a call, its markers, the command line and the manifest say to the captures to take."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.plugin.wishes import first_said, lenient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.capture.design_capture import Shooting
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.levels import RegionWish
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.wishes import Wishes
    from pytest_pixelloop.sources.folder import PlannedComparison


def plan(
    settings: Settings, marked: Wishes, call: Wishes, *, target: Any = None
) -> tuple[PlannedComparison, ...]:
    """Return the comparisons that are asked for: call > marker > command line > manifest > ini.

    *target* is what will be captured, None where that is not known yet.
    """
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415
    from pytest_pixelloop.sources.folder import plan_comparisons  # noqa: PLC0415

    name = call.name or marked.name
    if name is None:
        raise ConfigurationError(
            "no design is named",
            expected='a name of the manifest: assert_matches_design(page, "checkout")',
            next_step='give the name in the call or in @pytest.mark.design("checkout")',
        )
    return plan_comparisons(
        settings.designs,
        name,
        viewport=first_said(call.viewports, marked.viewports, settings.shown.viewports) or None,
        theme=first_said(call.themes, marked.themes, settings.shown.themes) or None,
        otherwise=(settings.shown.ini_viewports, settings.shown.ini_themes),
        element=target is not None and _is_element(target),
    )


def _is_element(target: Any) -> bool:
    from pytest_pixelloop.capture.design_capture import is_element  # noqa: PLC0415

    return bool(lenient(lambda: is_element(target), otherwise=False))


def shooting_of(design: Design, marked: Wishes, call: Wishes) -> Shooting:
    """Return the capture to take for *design*: call > marker > manifest, masks and styles added."""
    from pytest_pixelloop.capture.design_capture import Shooting  # noqa: PLC0415
    from pytest_pixelloop.core.levels import lay_regions_over  # noqa: PLC0415
    from pytest_pixelloop.core.screenshot_words import lay_over  # noqa: PLC0415

    return Shooting(
        design=design,
        options=lay_over(design.screenshot, marked.screenshot, call.screenshot),
        regions=lay_regions_over(design.regions, marked.regions, call.regions),
    )


def conditions_of_page(wishes: Wishes) -> dict[str, Any]:
    """Return the conditions of a comparison that no design of the manifest has a say in."""
    return _conditions(wishes.screenshot, wishes.regions)


def conditions_of(shooting: Shooting) -> dict[str, Any]:
    """Return all that changes what of a page is judged, in words that stay: a goalpost.

    How long is waited is none. A style file counts by its content.
    """
    design = shooting.design
    found = {
        **_conditions(shooting.options, shooting.regions, masks=design.mask),
        "viewport": list(design.viewport_size or design.surroundings or ()) or None,
        "touch": design.touch,
        "mobile": design.mobile,
        "theme": dict(design.hook.as_record()) if design.hook is not None else None,
    }
    return {key: value for key, value in found.items() if value not in (None, [], {})}


def _conditions(
    given: Mapping[str, Any], regions: Sequence[RegionWish], *, masks: Sequence[Any] = ()
) -> dict[str, Any]:
    from pytest_pixelloop.core.screenshot_words import WAITING  # noqa: PLC0415

    options = {key: value for key, value in given.items() if key not in WAITING}
    masks = (*masks, *options.pop("mask", ()))
    found: dict[str, Any] = {
        "mask": [_words(mask) for mask in masks],
        "regions": [[wish.words, str(wish.level)] for wish in regions],
        "options": {key: _plain(key, value) for key, value in sorted(options.items())},
    }
    return {key: value for key, value in found.items() if value}


def _plain(word: str, value: Any) -> Any:
    if word == "style_path":
        return [[path.name, _hash(path)] for path in value]
    if hasattr(value, "as_list"):
        return value.as_list()
    return list(value) if isinstance(value, tuple) else value


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "absent"  # the capture says so


def _words(mask: Any) -> str:
    """Return a mask in words that stay: a locator's own text holds the address of the page."""
    if hasattr(mask, "as_list"):
        return ",".join(f"{number:g}" for number in mask.as_list())
    return str(mask) if isinstance(mask, str) else type(mask).__name__


def as_wishes(given: Mapping[str, Any], *, kind: type, where: str, root: Path) -> Wishes:
    """Return the keywords of a call, checked against the TypedDict *kind* that lists them."""
    from pytest_pixelloop.plugin.keywords import words_of  # noqa: PLC0415
    from pytest_pixelloop.plugin.wishes import read_wishes  # noqa: PLC0415

    return read_wishes(given, known=words_of(kind), where=where, root=root)
