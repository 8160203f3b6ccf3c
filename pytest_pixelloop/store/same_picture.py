"""Whether a file is a picture of something known, whatever format and quality it was saved in."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MAX_PIXELS = 60_000_000
#: The longer side of the thumbnails that are compared.
_SIDE = 48
_SHAPE = 0.02
_CLOSE = 6.0
#: A picture of one colour is no sign of anything.
_FLAT = 2.0

Thumbnail = tuple[float, "NDArray[np.float32]"]


def thumbnail(data: bytes) -> Thumbnail | None:
    """Return a picture's aspect ratio and its small grey-free likeness; None for no picture.

    Any format that Pillow reads counts: a design that was saved as JPEG is the design.
    """
    from PIL import Image  # noqa: PLC0415

    try:
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
            if not 0 < width * height <= MAX_PIXELS:
                return None
            small = picture.convert("RGBA").resize((_SIDE, _SIDE), Image.Resampling.BOX)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    pixels = np.asarray(small, dtype=np.float32)
    alpha = pixels[..., 3:] / 255
    opaque = pixels[..., :3] * alpha + 255 * (1 - alpha)
    return width / height, opaque.astype(np.float32)


def shows_any(data: bytes, known: Iterable[Thumbnail]) -> bool:
    """Tell whether *data* is a picture that looks like one of the *known* ones."""
    own = thumbnail(data)
    if own is None:
        return False
    ratio, pixels = own
    return any(
        abs(ratio / other - 1) <= _SHAPE
        and float(likeness.std()) > _FLAT
        and float(np.abs(pixels - likeness).mean()) <= _CLOSE
        for other, likeness in known
    )


def may_be_picture(data: bytes) -> bool:
    """Tell whether *data* starts as a picture does: worth the work of decoding it."""
    starts = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*")
    return data.startswith(starts) or data[4:8] == b"ftyp"
