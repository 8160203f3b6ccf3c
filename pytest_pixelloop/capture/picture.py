"""Captures of pictures that somebody else took: bytes, a file, a PIL image. No browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.target import Kind
from pytest_pixelloop.core.errors import CaptureError, ImageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def read_picture(target: Any, kind: Kind) -> tuple[NDArray[np.uint8], str]:
    """Return the RGBA pixels of a picture and where it came from.

    Raises CaptureError with reason ``image-unreadable`` for what is no upright PNG, and for a PIL
    image in a colour space that has no single meaning in sRGB.
    """
    try:
        from pytest_pixelloop.store.images import from_pil, read_image  # noqa: PLC0415

        if kind is Kind.PICTURE:
            name = str(getattr(target, "filename", "") or "PIL image")
            return from_pil(target, name=name), name
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
