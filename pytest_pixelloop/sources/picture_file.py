"""A design's picture from disk, with its bytes, or the words for why it cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import DesignUnreadableError, ImageError
from pytest_pixelloop.store.disk import read_file
from pytest_pixelloop.store.images import read_image

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


def read_picture(
    path: Path, *, name: str, next_step: str | None = None
) -> tuple[NDArray[np.uint8], bytes]:
    """Return the picture as RGBA and the bytes of its file; *name* is the file's in messages.

    Raises DesignUnreadableError; *next_step* replaces what a picture's own error advises.
    """
    data = read_file(path, name=name, error=DesignUnreadableError)
    try:
        picture = read_image(data, name=name)
    except ImageError as error:
        raise DesignUnreadableError(
            error.what,
            where=error.where,
            expected=error.expected,
            next_step=next_step or error.next_step,
        ) from error
    return picture, data
