"""Whether two inks are the same letters, however a rasteriser set them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from pytest_pixelloop.core.glyph_laying import DRIFT, MARGIN, UnlikeLine, laid_closely
from pytest_pixelloop.core.ink_spread import middles
from pytest_pixelloop.core.strips import Strip, strips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cv2.typing import MatLike
    from numpy.typing import NDArray

GLYPH_LIMIT = 0.105
"""How unlike the worst letter of a text may be: the closest pair of digits lies above."""
CALM_LIMIT = 0.05
"""How unlike it may be where all other letters of the same text are alike."""
ODD_ONE = 6.0
"""How many times more unlike than usual in its text a letter is the odd one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Laid:
    """The inks of one text as coverage, laid on each other: the same rows, the same columns.

    ``em`` and ``pitch`` are in device px; ``pitch`` is from line to line, 0 for unknown.
    """

    expected: NDArray[np.float32]
    actual: NDArray[np.float32]
    em: float
    scale: float
    pitch: float = 0.0


def glyph_mismatch(laid: Laid, *, until: float = GLYPH_LIMIT, drift: float = DRIFT) -> float:
    """Return the mismatch of one text, see glyph_mismatches."""
    return glyph_mismatches([laid], until=until, drift=drift)[0]


def glyph_mismatches(
    texts: Sequence[Laid], *, until: float = GLYPH_LIMIT, drift: float = DRIFT
) -> list[float]:
    """Return how unlike the worst letter-wide parts of two inks are: 0 the same, 1 nothing shared.

    Each part is laid on the other by half pixels first, because rounded advances let the letters
    of a line drift, by up to *drift* CSS px; both are blurred by what anti-aliasing may spread.
    Lines are looked at one by one. Parts are no longer laid better once all are below *until*. The
    *texts* are those of one pair of pictures.
    """
    lines = [_Line(k, laid, rows) for k, laid in enumerate(texts) for rows in _bands(laid)]
    worst = [0.0] * len(texts)
    for strip in strips([line.size for line in lines], margin=MARGIN):
        some = [lines[k] for k in strip.picks]
        for line, unlike in zip(some, _mismatches(some, strip, until, drift), strict=True):
            worst[line.text] = max(worst[line.text], unlike)
    return worst


class _Line(NamedTuple):
    """Some rows of a text, by its number."""

    text: int
    laid: Laid
    rows: slice

    @property
    def size(self) -> tuple[int, int]:
        return self.rows.stop - self.rows.start, self.laid.expected.shape[1]

    @property
    def inks(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return self.laid.expected[self.rows], self.laid.actual[self.rows]

    @property
    def letter(self) -> int:
        """The width of a letter in px."""
        return max(round(0.6 * self.laid.em), 4)


def _bands(laid: Laid) -> list[slice]:
    """Return the rows of each line: cut where the least ink lies, about a line's pitch apart."""
    height, pitch = len(laid.expected), laid.pitch
    count = 1 + round((height - 0.85 * laid.em) / pitch) if pitch > 0 else 1
    if count <= 1:
        return [slice(0, height)]
    ink = laid.expected.sum(axis=1)
    cuts = [0]
    for k in range(1, count):
        low, high = max(round((k - 0.4) * pitch), cuts[-1] + 1), round((k + 0.1) * pitch)
        if high <= low or high >= height:
            break
        cuts.append(low + int(ink[low:high].argmin()))
    return [slice(a, b) for a, b in zip(cuts, [*cuts[1:], height], strict=True)]


def _mismatches(lines: Sequence[_Line], strip: Strip, until: float, drift: float) -> list[float]:
    """Return how unlike each line is: as it lies, then moved as a whole, then part by part."""
    left, right = _blurred(lines, strip)
    parts = _Parts.of(strip, [line.letter for line in lines])
    square = _squared(left)
    both = parts.summed(square + _squared(right))
    floor = 0.5 * parts.ranked(both, above=0.1 * strip.largest(both), part=0.6)
    floors = strip.along(np.maximum(floor, 1e-12))
    worst = parts.summed(_squared(left - right)) / np.maximum(both, floors)
    high = strip.largest(worst)
    found = [float(h) for h in high]
    doubtful = np.flatnonzero(high > min(CALM_LIMIT, until)).tolist()
    if not doubtful:
        return found
    alone = high > ODD_ONE * (parts.ranked(worst, above=np.zeros(len(lines)), part=0.7) + 0.004)
    moved = _centred(left, right, strip, doubtful)
    both = parts.summed(square + _squared(moved))
    worst = np.minimum(worst, parts.summed(_squared(left - moved)) / np.maximum(both, floors))
    nearer = strip.largest(worst)
    for k in doubtful:
        limit = min(CALM_LIMIT if alone[k] else GLYPH_LIMIT, until)
        found[k] = float(nearer[k])
        if found[k] > limit:
            line, start = lines[k], int(strip.starts[k])
            unlike = UnlikeLine(
                inks=line.inks,
                left=strip.broad(left, k),
                right=strip.broad(right, k),
                worst=worst[start : start + int(strip.widths[k])].astype(np.float32),
                letter=line.letter,
                floor=float(floor[k]),
            )
            reach = drift * line.laid.scale if drift > DRIFT else DRIFT
            closer = laid_closely(unlike, limit=limit, reach=reach)
            odd = closer > limit and alone[k]
            found[k] = max(closer, GLYPH_LIMIT * 1.01) if odd else closer
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """The letter-wide parts of the lines of a strip, by the column of their middle."""

    strip: Strip
    begin: NDArray[np.intp]
    end: NDArray[np.intp]
    owner: NDArray[np.intp]

    @classmethod
    def of(cls, strip: Strip, letters: Sequence[int]) -> _Parts:
        here, start = np.arange(strip.length), strip.along(strip.starts)
        width = strip.along(np.array(letters, np.intp))
        begin = here - width // 2
        stop = strip.along(strip.starts + strip.widths)
        return cls(
            strip=strip,
            begin=np.maximum(begin, start),
            end=np.minimum(begin + width, stop),
            owner=strip.along(np.arange(len(letters))),
        )

    def summed(self, columns: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of each part."""
        sums = np.concatenate(([0.0], np.cumsum(columns, dtype=np.float64)))
        return np.asarray(sums[self.end] - sums[self.begin], np.float64)

    def ranked(
        self, values: NDArray[np.float64], *, above: NDArray[np.float64], part: float
    ) -> NDArray[np.float64]:
        """Return the value of each line that *part* of those *above* a limit lie below."""
        apart = float(values.max()) + 1.0
        order = np.sort(values + self.owner * apart)
        ends = self.strip.starts + self.strip.widths
        some = values > self.strip.along(above)
        many = self.strip.summed(some.astype(np.intp))
        at = ends - many + np.minimum((part * many).astype(np.intp), many - 1)
        found = order[np.minimum(at, ends - 1)] - np.arange(len(above)) * apart
        return np.where(many > 0, found, 0.0)


def _blurred(
    lines: Sequence[_Line], strip: Strip
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return both inks of all lines, blurred."""
    down = strip.height
    sheet = np.zeros((2 * down, strip.length), np.float32)  # both in one go
    for line, (x0, y0, x1, y1) in zip(lines, strip.places, strict=True):
        sheet[y0:y1, x0:x1], sheet[down + y0 : down + y1, x0:x1] = line.inks
    np.clip(sheet, 0, 1, out=sheet)
    sigma = 0.6 * lines[0].laid.scale ** 0.5
    blurred = np.asarray(cv2.GaussianBlur(sheet, (0, 0), sigma), np.float32)
    return blurred[:down], blurred[down:]


def _centred(
    left: NDArray[np.float32], right: NDArray[np.float32], strip: Strip, some: Sequence[int]
) -> NDArray[np.float32]:
    """Return some of the second inks moved by parts of a pixel: their middles are the first's."""
    (x, y), (other_x, other_y) = middles(left, strip), middles(right, strip)
    across = np.clip(x - other_x, -DRIFT, DRIFT).tolist()
    down = np.clip(y - other_y, -DRIFT, DRIFT).tolist()
    moved = np.zeros_like(right)
    for k in some:
        ink = strip.broad(right, k)
        matrix = np.array([[1, 0, across[k]], [0, 1, down[k]]], np.float32)
        strip.broad(moved, k)[:] = cv2.warpAffine(ink, matrix, (ink.shape[1], ink.shape[0]))
    return moved


def _squared(ink: MatLike) -> NDArray[np.float32]:
    """Return the sum of the squares of each column."""
    return np.asarray(cv2.reduce(ink, 0, cv2.REDUCE_SUM2)[0], np.float32)
