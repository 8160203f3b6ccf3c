"""Whether a picture shows anything at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def is_one_colour(image: NDArray[np.uint8]) -> bool:
    """Tell whether every pixel of *image*, shape (height, width, 4), is the same.

    Rows are looked at first and last of all, so a picture that shows something is known at once.
    """
    first = image[0, 0]
    if (image[-1] != first).any() or (image[image.shape[0] // 2] != first).any():
        return False
    return not bool((image != first).any())
