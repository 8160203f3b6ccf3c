"""The ``design`` gate for a bare picture: no nodes to ask, so every visible difference counts.

A pixel differs when CIEDE2000 and OKLab both see it, whatever its brightness distance: a token step
that a brightness threshold is blind to counts, a step of saturated cyan that nobody sees does not.
Two things are excused as rasterisation: a smoothed edge pixel whose colour lies between those of
its neighbours on the other side, and thin ink (glyphs) that is the same ink after moving by at
most one CSS px. Anything solid that moved is a difference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from pytest_pixelloop.core.canvas import compare_on_canvas
from pytest_pixelloop.core.color import colors_differ
from pytest_pixelloop.core.pixel_findings import region_finding, size_finding
from pytest_pixelloop.core.pixels import as_words, mask_at
from pytest_pixelloop.core.regions import find_regions
from pytest_pixelloop.core.score import total
from pytest_pixelloop.core.verdict import FAIL, PASS, Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pytest_pixelloop.core.canvas import CanvasDiff
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.pixels import PixelDiff
    from pytest_pixelloop.core.tolerance import Tolerance

SCORE_VERSION = "bare-1"
_BACKDROPS = (255, 0)
"""What shows through transparency: a difference counts when it shows on white or on black."""
_SLACK = 8
"""Levels of a channel by which a smoothed pixel may leave the range of its neighbours."""
_INK = 40
"""Levels from the ground at which a pixel is ink."""
_THIN = 8.0
"""CSS px: ink that no square of this side fits into is glyphs or lines, not a shape."""
_TALLEST = 96.0
"""CSS px: a group taller than this is no line of text, so it is not excused as one."""
_RESIDUE = 0.02
"""The share of a group's ink that may stay unexplained after moving it."""
_MERGE = 6.0
"""CSS px: differing pixels nearer than this belong to one group."""
_BLOCK = 1 << 18


def judge_bare(design: Design, capture: Capture, *, tolerance: Tolerance) -> Judgement:
    """Return the verdict on a picture without nodes: fail when anything visible differs.

    Raises UndeterminedError when the masks leave nothing to compare.
    """
    canvas = compare_on_canvas(
        design.image,
        capture.image,
        threshold=0.0,
        masks=[mask.scaled(design.scale) for mask in capture.masks],
    )
    diff = _visible(canvas, tolerance=tolerance)
    if diff.mismatch and canvas.same_size:
        diff = _without_moved_ink(canvas, diff, scale=design.scale)
    found = find_regions(
        diff,
        (),
        label=design.label,
        scale=design.scale,
        pictures=(as_words(canvas.expected), as_words(canvas.actual)),
    )
    size = size_finding(design, capture)
    score = total([item.severity for item in found] + ([size.severity] if size else []))
    findings = [region_finding(item, score=score, has_nodes=False) for item in found]
    if size:
        findings.append(replace(size, share=size.severity / score))
    findings.sort(key=lambda f: (-f.severity, f.delta_id, f.kind))
    return Judgement(
        status=FAIL if findings else PASS,
        score=score,
        score_version=SCORE_VERSION,
        confidence=diff.confidence,
        findings=tuple(findings),
        comparator=_comparator(tolerance),
        regions=tuple(item.region for item in found),
        pixels=diff.as_record(),
        diff_mask=diff.mask,
    )


def _comparator(tolerance: Tolerance) -> dict[str, Any]:
    return {
        "name": "bare-design",
        "version": SCORE_VERSION,
        "parameters": {"color_delta_e": tolerance.color_delta_e},
    }


def _visible(canvas: CanvasDiff, *, tolerance: Tolerance) -> PixelDiff:
    """Return the difference with only the pixels whose colours are visibly apart, edges excused."""
    diff = canvas.diff
    smooth = diff.antialiased_positions
    excused = smooth[_between_neighbours(canvas, smooth)]
    kept = np.setdiff1d(np.union1d(diff.positions, smooth), excused, assume_unique=True)
    delta_of = np.concatenate((diff.deltas, diff.antialiased_deltas))
    order = np.concatenate((diff.positions, smooth))
    lookup = np.argsort(order, kind="stable")
    deltas = delta_of[lookup][np.searchsorted(order[lookup], kept)]
    seen = _seen(canvas, kept, tolerance=tolerance)
    return _narrowed(diff, kept[seen], deltas[seen], excused)


def _narrowed(
    diff: PixelDiff,
    positions: NDArray[np.intp],
    deltas: NDArray[np.float64],
    excused: NDArray[np.intp],
) -> PixelDiff:
    shape = diff.mask.shape
    return replace(
        diff,
        mismatch=int(positions.size),
        antialiased=int(excused.size),
        mask=mask_at(positions, shape),
        antialiased_mask=mask_at(excused, shape),
        positions=positions,
        deltas=deltas,
        antialiased_positions=excused,
        antialiased_deltas=np.zeros(excused.size, np.float64),
    )


def _seen(
    canvas: CanvasDiff, positions: NDArray[np.intp], *, tolerance: Tolerance
) -> NDArray[np.bool_]:
    """Return which positions show different colours, asked once for each pair of colours."""
    expected = as_words(canvas.expected).reshape(-1)[positions]
    actual = as_words(canvas.actual).reshape(-1)[positions]
    pairs = (expected.astype(np.uint64) << np.uint64(32)) | actual
    unique, inverse = np.unique(pairs, return_inverse=True)
    answer = np.zeros(unique.size, np.bool_)
    for start in range(0, unique.size, _BLOCK):
        part = np.ascontiguousarray(unique[start : start + _BLOCK])
        bytes_of = part.view(np.uint8).reshape(-1, 8)
        second, first = bytes_of[:, :4], bytes_of[:, 4:]
        for ground in _BACKDROPS:
            answer[start : start + _BLOCK] |= colors_differ(
                _over(first, ground), _over(second, ground), tolerance=tolerance.color_delta_e
            )
    seen: NDArray[np.bool_] = answer[inverse]
    return seen


def _over(rgba: NDArray[np.uint8], ground: int) -> NDArray[np.float64]:
    alpha = rgba[:, 3:].astype(np.float64) / 255
    blended: NDArray[np.float64] = rgba[:, :3] * alpha + ground * (1 - alpha)
    return blended


def _between_neighbours(canvas: CanvasDiff, positions: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which positions have, on both sides, a colour that the other side's edge contains.

    A line of one pixel in another colour looks smoothed to the anti-aliasing rule; its colour lies
    outside what the other picture has around it, so it is not excused.
    """
    if not positions.size:
        return np.zeros(0, np.bool_)
    kernel = np.ones((3, 3), np.uint8)
    inside = np.ones(positions.size, np.bool_)
    for one, other in ((canvas.expected, canvas.actual), (canvas.actual, canvas.expected)):
        low = cv2.erode(other, kernel).reshape(-1, 4)[positions].astype(np.int16)
        high = cv2.dilate(other, kernel).reshape(-1, 4)[positions].astype(np.int16)
        colour = one.reshape(-1, 4)[positions].astype(np.int16)
        inside &= ((colour >= low - _SLACK) & (colour <= high + _SLACK)).all(axis=1)
    return inside


def _without_moved_ink(canvas: CanvasDiff, diff: PixelDiff, *, scale: float) -> PixelDiff:
    """Return the difference without the groups that are the same thin ink, moved a little."""
    mask = diff.mask.copy()
    for box in _groups(diff.mask, scale=scale):
        if _is_moved_ink(canvas, box, scale=scale):
            top, bottom, left, right = box
            mask[top:bottom, left:right] = False
    kept = mask.reshape(-1)[diff.positions]
    excused = np.union1d(diff.antialiased_positions, diff.positions[~kept])
    return _narrowed(diff, diff.positions[kept], diff.deltas[kept], excused)


def _groups(mask: NDArray[np.bool_], *, scale: float) -> Iterator[tuple[int, int, int, int]]:
    """Yield top, bottom, left, right of each group of differing pixels that may be text."""
    reach = max(round(_MERGE * scale), 1)
    kernel = np.ones((reach, reach), np.uint8)
    near = cv2.dilate(mask.view(np.uint8), kernel)
    count, _, stats, _ = cv2.connectedComponentsWithStats(near, connectivity=8)
    for number in range(1, count):
        left, top, width, height = (int(v) for v in stats[number][:4])
        if height - reach <= _TALLEST * scale:
            # A margin, so that ink that moves stays inside and the ground around it is seen.
            yield (
                max(top - reach, 0),
                min(top + height + reach, mask.shape[0]),
                max(left - reach, 0),
                min(left + width + reach, mask.shape[1]),
            )


def _is_moved_ink(canvas: CanvasDiff, box: tuple[int, int, int, int], *, scale: float) -> bool:
    top, bottom, left, right = box
    expected = canvas.expected[top:bottom, left:right, :3].astype(np.int16)
    actual = canvas.actual[top:bottom, left:right, :3].astype(np.int16)
    ground = _ground(expected)
    if np.abs(ground - _ground(actual)).max() > 1:
        return False
    inks = [(np.abs(p - ground).max(axis=2) > _INK).view(np.uint8) for p in (expected, actual)]
    amount = int(min(cv2.countNonZero(ink) for ink in inks))
    if not amount or any(_has_solid(ink, scale=scale) for ink in inks):
        return False
    reach = max(round(scale), 1)
    limit = _RESIDUE * amount
    return any(
        _residue(expected, actual, dx, dy, ground) <= limit
        for dy in range(-reach, reach + 1)
        for dx in range(-reach, reach + 1)
    )


def _ground(patch: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the colour that most pixels of a patch have."""
    colours, counts = np.unique(patch.reshape(-1, 3), axis=0, return_counts=True)
    ground: NDArray[np.int16] = colours[int(np.argmax(counts))]
    return ground


def _has_solid(ink: NDArray[np.uint8], *, scale: float) -> bool:
    side = max(round(_THIN * scale), 2)
    return bool(cv2.erode(ink, np.ones((side, side), np.uint8), borderValue=0).any())


def _residue(
    expected: NDArray[np.int16],
    actual: NDArray[np.int16],
    dx: int,
    dy: int,
    ground: NDArray[np.int16],
) -> int:
    """Return how many pixels no neighbour explains when *actual* is moved by (dx, dy)."""
    moved = np.empty_like(actual)
    moved[:] = ground
    height, width = actual.shape[:2]
    moved[max(dy, 0) : height + min(dy, 0), max(dx, 0) : width + min(dx, 0)] = actual[
        max(-dy, 0) : height + min(-dy, 0), max(-dx, 0) : width + min(-dx, 0)
    ]
    kernel = np.ones((3, 3), np.uint8)
    odd = np.zeros(actual.shape[:2], np.bool_)
    for one, other in ((expected, moved), (moved, expected)):
        low, high = cv2.erode(other, kernel), cv2.dilate(other, kernel)
        odd |= ((one < low - _INK) | (one > high + _INK)).any(axis=2)
    # What the box's edge cuts is not to be explained; the group itself keeps away from it.
    edge = max(abs(dx), abs(dy)) + 1
    return int(np.count_nonzero(odd[edge:-edge, edge:-edge]))
