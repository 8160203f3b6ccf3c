"""Whether a picture that Figma rendered is whole and fits its node, looked at before it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import DesignUnreadableError, ImageError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.placement import place_export
from pytest_pixelloop.sources.figma.errors import FigmaPictureError
from pytest_pixelloop.store.images import read_image

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.design import DesignNode


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheckedPicture:
    """A picture that can be kept: its bytes, its pixels, its scale, and what is odd about it."""

    data: bytes
    pixels: NDArray[np.uint8]
    scale: float
    notes: tuple[str, ...] = ()


class ScaledDownError(FigmaPictureError):
    """Figma rendered less than was asked for and did not say so; ``scale`` is what came."""

    def __init__(self, what: str, *, scale: float, where: str) -> None:
        super().__init__(what, where=where, next_step="set a lower scale: in designs.yaml")
        self.scale = scale


def check_picture(data: bytes, root: DesignNode, *, scale: float) -> CheckedPicture:
    """Return the picture *data* of *root* when it is whole and shows the node at *scale*.

    Raises FigmaPictureError for what is no whole PNG, for one that does not fit the node, and for
    one that is wholly transparent; ScaledDownError for one at a lower scale.
    """
    name = f"the picture of node {root.id}"
    try:
        pixels = read_image(data, name=name)
    except ImageError as error:
        raise FigmaPictureError(error.what, where=name, next_step="pull again") from error
    size = (int(pixels.shape[1]), int(pixels.shape[0]))
    try:
        placed = place_export(size, root, scale=scale)
    except DesignUnreadableError:
        _refuse_other_scale(size, root, scale=scale, name=name)
        raise
    if int(pixels[..., 3].max()) == 0:
        raise FigmaPictureError(
            "the picture is wholly transparent: Figma painted nothing",
            where=f"{name} ({printable(root.name)})",
            expected="a node that paints something",
        )
    return CheckedPicture(
        data=data, pixels=pixels, scale=placed.scale, notes=_notes(data, pixels, root)
    )


def _refuse_other_scale(
    size: tuple[int, int], root: DesignNode, *, scale: float, name: str
) -> None:
    """Raise ScaledDownError when the picture fits at a lower scale, FigmaPictureError else."""
    try:
        other = place_export(size, root).scale
    except DesignUnreadableError as error:
        raise FigmaPictureError(
            error.what, where=name, expected=error.expected, next_step=error.next_step
        ) from error
    what = f"asked for at scale {scale:g}, rendered at {other:.4g} ({size[0]}x{size[1]} px)"
    if other < scale:
        raise ScaledDownError(f"Figma scaled the picture down: {what}", scale=other, where=name)
    raise FigmaPictureError(f"the picture has another scale: {what}", where=name)


def _notes(data: bytes, pixels: NDArray[np.uint8], root: DesignNode) -> tuple[str, ...]:
    notes: list[str] = []
    if b"iCCP" in data[:4096]:
        notes.append("it has a colour profile (Display P3?) and is converted to sRGB when read")
    if not _has_fill(root) and int(pixels[..., 3].min()) < 255:
        notes.append("the frame has no fill, so its picture is transparent where nothing lies")
    first = pixels[0, 0]
    if root.children and bool((pixels == first).all()):
        notes.append("it has a single colour, although the frame has children")
    return tuple(notes)


def _has_fill(root: DesignNode) -> bool:
    fills = root.properties.get("fills")
    if not isinstance(fills, list):
        return False
    return any(isinstance(f, dict) and f.get("visible") is not False for f in fills)
