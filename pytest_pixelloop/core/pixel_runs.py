"""Values of many places in one flat array, a run each: sums and medians of all runs at once.

A page has hundreds of edges and corners of a few dozen pixels: one call of numpy for all of them
costs hardly more than one for a single one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_BITS = 12
"""Values whose medians are asked for lie below 2 ** _BITS."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runs:
    """How a flat array is divided: ``owner`` is the run of each entry. No run is empty."""

    lengths: NDArray[np.intp]
    starts: NDArray[np.intp]
    owner: NDArray[np.intp]

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of each run along the first axis."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=0))

    def largest(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the largest value of each run along the first axis."""
        return np.asarray(np.maximum.reduceat(values, self.starts, axis=0))

    def medians(self, values: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return the median of each run of whole numbers in 0..4095, channel by channel."""
        low, high = self._middles(values)
        return np.asarray((low + high) / 2)

    def upper_medians(self, values: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return the median of each run; of an even number of values the higher middle one."""
        return self._middles(values)[1]

    def colors(self, words: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the median colour of each run of pixels, (run, channel)."""
        found, mixed, runs, some = self._commonest(words)
        if len(mixed):
            found[mixed] = runs.medians(some)
        return found

    def upper_colors(self, words: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the same; of an even number of pixels the higher middle one, by channel."""
        found, mixed, runs, some = self._commonest(words)
        if len(mixed):
            found[mixed] = runs.upper_medians(some)
        return found

    def _commonest(
        self, words: NDArray[np.uint32]
    ) -> tuple[NDArray[np.float64], NDArray[np.intp], Runs, NDArray[np.uint8]]:
        """Return the middle pixel of each run, and the runs of which it is not most, with theirs.

        Most sides and fills are of one colour: then that is the median.
        """
        middle = words[self.starts + self.lengths // 2]
        alike = np.add.reduceat(words == middle[self.owner], self.starts, dtype=np.intp)
        mixed = np.flatnonzero(2 * alike <= self.lengths)
        if not len(mixed):
            return channels(middle).astype(np.float64), mixed, self, channels(words[:0])
        keep = np.zeros(len(middle), np.bool_)
        keep[mixed] = True
        some = channels(words[keep[self.owner]])
        return channels(middle).astype(np.float64), mixed, runs_of(self.lengths[mixed]), some

    def _middles(
        self, values: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if values.ndim == 1:
            return self._middles_of(values)
        found = [self._middles_of(values[:, channel]) for channel in range(values.shape[1])]
        return np.stack([f[0] for f in found], axis=1), np.stack([f[1] for f in found], axis=1)

    def _middles_of(
        self, values: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        middle = values[self.starts + self.lengths // 2]
        alike = np.add.reduceat(values == middle[self.owner], self.starts, dtype=np.intp)
        low, high = middle.astype(np.int64), middle.astype(np.int64)
        mixed = np.flatnonzero(2 * alike <= self.lengths)  # else most are the middle one
        if len(mixed):
            keep = np.zeros(len(self.starts), np.bool_)
            keep[mixed] = True
            runs = runs_of(self.lengths[mixed])
            keys = np.sort(values[keep[self.owner]].astype(np.int64) + (runs.owner << _BITS))
            base = np.arange(len(mixed)) << _BITS
            low[mixed] = keys[runs.starts + (runs.lengths - 1) // 2] - base
            high[mixed] = keys[runs.starts + runs.lengths // 2] - base
        return low, high


def channels(words: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return the colours of pixels that are one number each, (pixel, channel)."""
    return np.ascontiguousarray(words).view(np.uint8).reshape(-1, 4)[:, :3]


def runs_of(lengths: Sequence[int] | NDArray[np.intp]) -> Runs:
    """Return the division into runs of these lengths, each of at least one entry."""
    sizes = np.asarray(lengths, np.intp)
    return Runs(
        lengths=sizes,
        starts=np.cumsum(sizes) - sizes,
        owner=np.repeat(np.arange(len(sizes)), sizes),
    )
