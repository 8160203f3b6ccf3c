"""Under which conditions a comparison is judged, in words that stay: goalposts of a loop."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.screenshot_words import WAITING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.capture.design_capture import Shooting
    from pytest_pixelloop.core.levels import RegionWish


def conditions_of(shooting: Shooting) -> dict[str, Any]:
    """Return all that changes what of a page is judged.

    How long is waited is none. A style file counts by its content.
    """
    design = shooting.design
    found = {
        **told_conditions(shooting.options, shooting.regions, masks=design.mask),
        "viewport": list(design.viewport_size or design.surroundings or ()) or None,
        "touch": design.touch,
        "mobile": design.mobile,
        "theme": dict(design.hook.as_record()) if design.hook is not None else None,
    }
    return {key: value for key, value in found.items() if value not in (None, [], {})}


def told_conditions(
    given: Mapping[str, Any], regions: Sequence[RegionWish], *, masks: Sequence[Any] = ()
) -> dict[str, Any]:
    """Return the conditions that screenshot options, regions and masks make."""
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
        return [[Path(path).name, _hash(Path(path))] for path in value]
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
