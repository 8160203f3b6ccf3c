"""Captures of pictures that somebody else took: bytes, a file, a PIL image. No browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.target import Kind
from pytest_pixelloop.core.errors import CaptureError, ImageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA")


def read_picture(target: Any, kind: Kind) -> tuple[NDArray[np.uint8], str]:
    """Return the RGBA pixels of a picture and where it came from.

    Raises CaptureError with reason ``image-unreadable`` for what is no upright PNG, and for a PIL
    image in a colour space that has no single meaning in sRGB.
    """
    try:
        if kind is Kind.PICTURE:
            return _from_pil(target)
        from pytest_pixelloop.store.images import read_image  # noqa: PLC0415

        if kind is Kind.DATA:
            return read_image(bytes(target), name="PNG bytes"), "PNG bytes"
        path = Path(target)
        return read_image(path, name=str(path)), str(path)
    except ImageError as error:
        raise CaptureError(
            error.what,
            reason="image-unreadable",
            where=error.where,
            expected=error.expected,
            next_step=error.next_step,
        ) from error


def _from_pil(picture: Any) -> tuple[NDArray[np.uint8], str]:
    import numpy as np  # noqa: PLC0415

    name = str(getattr(picture, "filename", "") or "PIL image")
    if picture.mode not in _MODES:
        raise ImageError(
            f"the picture is in mode {picture.mode}",
            where=name,
            expected=f"one of {', '.join(_MODES)}",
            next_step='convert it: picture.convert("RGBA")',
        )
    if 0 in picture.size:
        raise ImageError("the picture is empty", where=name, expected="at least one pixel")
    return np.array(picture.convert("RGBA"), dtype=np.uint8), name
