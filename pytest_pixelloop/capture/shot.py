"""A shot: the PNG bytes of an area, before and after it is decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.errors import CaptureError, ImageError
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.capture.area import Area
    from pytest_pixelloop.capture.camera import Camera


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One picture as rows of PNG tiles. ``masks`` are boxes in CSS px of the capture."""

    area: Area
    tiles: tuple[tuple[bytes, ...], ...]
    masks: tuple[Box, ...] = ()


def take_shot(camera: Camera, area: Area, masks: tuple[Box, ...] = ()) -> Shot:
    """Return a shot of *area*."""
    return Shot(
        area=area,
        tiles=tuple(tuple(camera.shoot(tile) for tile in row) for row in area.tiles()),
        masks=masks,
    )


def develop(shot: Shot) -> NDArray[np.uint8]:
    """Return the picture as RGBA, uint8, of exactly the size that was asked for.

    Raises CaptureError with reason ``truncated-capture`` when the browser gave fewer pixels.
    """
    rows = []
    for areas, datas in zip(shot.area.tiles(), shot.tiles, strict=True):
        row = [_decode(data, area) for area, data in zip(areas, datas, strict=True)]
        rows.append(row[0] if len(row) == 1 else np.concatenate(row, axis=1))
    return rows[0] if len(rows) == 1 else np.concatenate(rows, axis=0)


def _decode(data: bytes, area: Area) -> NDArray[np.uint8]:
    from pytest_pixelloop.store.images import read_image  # noqa: PLC0415 - loads a decoder

    try:
        image = read_image(data, name="screenshot")
    except ImageError as error:
        raise CaptureError(
            f"the browser's screenshot cannot be read: {error.what}",
            reason="image-unreadable",
            expected="a PNG",
        ) from error
    height, width = image.shape[:2]
    if width < area.width or height < area.height:
        raise CaptureError(
            f"the browser gave {width}x{height} px instead of {area.width}x{area.height}",
            reason="truncated-capture",
            expected="the whole area that was asked for",
            next_step="capture less at once: an element, or full_page=False",
        )
    return image[: area.height, : area.width]


def same_shots(one: Shot, other: Shot) -> bool:
    """Tell whether two shots show the same, apart from what is masked in both."""
    if one.area != other.area:
        return False
    if one.tiles == other.tiles:
        return True
    if not one.masks or one.masks != other.masks:
        return False
    return not _difference(one, other).any()


def _difference(one: Shot, other: Shot) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = (develop(one) != develop(other)).any(axis=2)
    for box in one.masks:
        left, top, right, bottom = box.scaled(one.area.scale).pixels()
        mask[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)] = False
    return mask


def changed_box(one: Shot, other: Shot) -> Box | None:
    """Return what differs between two shots, in CSS px of the capture; None when their sizes do."""
    if one.area != other.area:
        return None
    mask = _difference(one, other)
    if not mask.any():
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return Box(
        float(columns[0]),
        float(rows[0]),
        float(columns[-1] - columns[0] + 1),
        float(rows[-1] - rows[0] + 1),
    ).scaled(1 / one.area.scale)
