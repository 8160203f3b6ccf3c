"""Crops side by side on one sheet: what is done to pixels is done once for many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.rectangles import Rect

_T = TypeVar("_T", bound=np.generic)

_TALLER = 1.5
"""How many times as tall as the lowest the tallest crop of a sheet may be: the rest is empty..."""
_SLACK = 6
"""...and how many px it may be taller besides."""
_PIXELS = 200_000
"""How large a sheet may get: the processor keeps close at hand what it works on."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strip:
    """Where crops lie on a sheet of *height* rows and *length* columns, *margin* px around each.

    The crops' numbers are ``picks``. Each has ``widths`` columns from ``starts`` on, its margin
    among them, and fills ``places``, its margin not among them.
    """

    picks: tuple[int, ...]
    starts: NDArray[np.intp]
    widths: NDArray[np.intp]
    places: tuple[Rect, ...]
    height: int
    length: int
    margin: int

    def parts(self, sheet: NDArray[_T]) -> list[NDArray[_T]]:
        """Return each crop's part of a sheet."""
        return [sheet[y0:y1, x0:x1] for x0, y0, x1, y1 in self.places]

    def broad(self, sheet: NDArray[_T], k: int) -> NDArray[_T]:
        """Return the part of a sheet of the k-th crop on it, with its margin."""
        (x0, _, x1, y1), m = self.places[k], self.margin
        return sheet[: y1 + m, x0 - m : x1 + m]

    def filled(self) -> NDArray[np.bool_]:
        """Return where on a sheet there is a crop, and not a margin or what is below one."""
        rows, m = np.arange(self.height)[:, None], self.margin
        filled = rows < self.along(np.array([p[3] for p in self.places]))
        if m:
            filled[:m] = False
            for k in range(m):
                filled[:, self.starts + k] = False
                filled[:, self.starts + self.widths - 1 - k] = False
        return np.asarray(filled, np.bool_)

    def along(self, values: NDArray[_T]) -> NDArray[_T]:
        """Return one value a column from one value a crop; that axis is the last."""
        return np.repeat(values, self.widths, axis=-1)

    def largest(self, columns: NDArray[_T]) -> NDArray[_T]:
        """Return the largest value of each crop from one value a column; that axis is the last."""
        return np.asarray(np.maximum.reduceat(columns, self.starts, axis=-1))

    def summed(self, columns: NDArray[_T]) -> NDArray[_T]:
        """Return the sum of each crop from one value a column; that axis is the last."""
        return np.asarray(np.add.reduceat(columns, self.starts, axis=-1))


def strips(sizes: Sequence[tuple[int, int]], *, margin: int = 0) -> list[Strip]:
    """Return where to lay crops of the given heights and widths, those of about a height together.

    No size is 0.
    """
    found: list[Strip] = []
    group: list[int] = []
    area, lowest = 0, 0
    for k in sorted(range(len(sizes)), key=sizes.__getitem__):
        height, width = sizes[k]
        area += (height + 2 * margin) * (width + 2 * margin)
        if group and (height > _TALLER * lowest + _SLACK or area > _PIXELS):
            found.append(_strip(group, sizes, margin))
            group = []
        if not group:
            area, lowest = height * width, height
        group.append(k)
    return [*found, _strip(group, sizes, margin)] if group else found


def _strip(picks: list[int], sizes: Sequence[tuple[int, int]], margin: int) -> Strip:
    x, places, starts = 0, [], []
    for k in picks:
        height, width = sizes[k]
        starts.append(x)
        places.append((x + margin, margin, x + margin + width, margin + height))
        x += width + 2 * margin
    return Strip(
        picks=tuple(picks),
        starts=np.array(starts, np.intp),
        widths=np.array([sizes[k][1] + 2 * margin for k in picks], np.intp),
        places=tuple(places),
        height=max(sizes[k][0] for k in picks) + 2 * margin,
        length=x,
        margin=margin,
    )
