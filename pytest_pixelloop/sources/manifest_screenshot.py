"""The ``screenshot:`` and ``regions:`` of the manifest, in the words of the keyword arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.levels import RegionWish, check_regions, lay_regions_over
from pytest_pixelloop.core.screenshot_words import WORDS, check_screenshot, read_target
from pytest_pixelloop.sources.manifest_values import path_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.sources.manifest_yaml import Field

#: A design has a mask of its own, beside ``screenshot:``.
_KNOWN = tuple(word for word in WORDS if word != "mask")


def screenshot_of(value: Field | None, folder: Path) -> dict[str, Any]:
    """Return the screenshot options of a design; style files are absolute paths."""
    if value is None:
        return {}
    fields = value.mapping(_KNOWN)
    plain: dict[str, object] = {
        word: _files(field, folder) if word == "style_path" else field.value()
        for word, field in fields.items()
    }
    return check_screenshot(plain, where=lambda word: fields[word].where)


def _files(field: Field, folder: Path) -> tuple[object, ...]:
    items = field.listed() if field.is_list else (field,)
    return tuple(path_of(item, folder) for item in items)


def masks_of(value: Field | None) -> tuple[str, ...]:
    """Return the masks of a design: CSS selectors, and boxes as ``x,y,w,h``."""
    found = []
    for item in value.listed() if value is not None else ():
        if item.is_list and len(item.listed()) == 4:
            text = ",".join(f"{number.number():g}" for number in item.listed())
        else:
            text = item.text()
        read_target(text, where=item.where)
        found.append(text)
    return tuple(found)


def regions_of(*layers: Field | None) -> tuple[RegionWish, ...]:
    """Return the regions with their levels, of the defaults first and then the design's own."""
    return lay_regions_over(*(_regions(layer) for layer in layers if layer is not None))


def _regions(value: Field) -> tuple[RegionWish, ...]:
    found: list[RegionWish] = []
    for target, level in value.mapping().items():
        found += check_regions({target: level.value()}, where=level.where)
    return tuple(found)
