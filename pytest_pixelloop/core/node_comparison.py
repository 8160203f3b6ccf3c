"""All nodes of one comparison: read leaves, then boxes, then what moved, then what is extra."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pytest_pixelloop.core.box_judgement import BoxReading, read_boxes
from pytest_pixelloop.core.box_questions import box_questions
from pytest_pixelloop.core.calibration import calibrate
from pytest_pixelloop.core.comparability import (
    incomparable_nodes,
    incomparable_pictures,
    other_fonts,
)
from pytest_pixelloop.core.data_text import judge_data_text
from pytest_pixelloop.core.folding import fold
from pytest_pixelloop.core.glyphs import GLYPH_LIMIT
from pytest_pixelloop.core.judged_nodes import JudgedNode, Kind
from pytest_pixelloop.core.layout_causes import LayoutJudge
from pytest_pixelloop.core.leaf_judgement import judge_leaf
from pytest_pixelloop.core.leaf_reading import LeafReader
from pytest_pixelloop.core.leaf_search import make_search
from pytest_pixelloop.core.leaf_witnesses import LeafWitnesses
from pytest_pixelloop.core.levels import Level
from pytest_pixelloop.core.photo_judgement import judge_photo, photo_frames
from pytest_pixelloop.core.placings import settled
from pytest_pixelloop.core.repeats import told_once
from pytest_pixelloop.core.residue import residue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.calibration import Calibration
    from pytest_pixelloop.core.draft_finding import Draft
    from pytest_pixelloop.core.judged_levels import JudgedLevels
    from pytest_pixelloop.core.picture_pair import PicturePair
    from pytest_pixelloop.core.placings import Edges, Places
    from pytest_pixelloop.core.reading import Reading
    from pytest_pixelloop.core.style_evidence import Witnesses
    from pytest_pixelloop.core.tolerance import Tolerance

_RESIZES = {
    "text",
    "text-decoration",
    "text-transform",
    "font-family",
    "font-style",
    "font-size",
    "font-weight",
    "letter-spacing",
    "line-height",
    "missing",
    "extra",
    "icon",
    "image",
}


def is_leaf(node: JudgedNode) -> bool:
    """Tell whether a node is read as a whole: a text or the top of a drawing."""
    return not node.empty and node.unit == node.at and node.kind in (Kind.TEXT, Kind.DRAWING)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaves:
    """Judges texts and drawings, each as its matching level asks for."""

    nodes: Sequence[JudgedNode]
    asked: LeafWitnesses
    levels: JudgedLevels
    tolerance: Tolerance

    def judge(self, reading: Reading, common: Calibration, *, scale: float) -> list[Draft]:
        leaf = self.nodes[reading.at]
        if leaf.kind is Kind.PHOTO:
            return []
        witness = partial(self.asked.of, leaf)
        if leaf.kind is Kind.TEXT and self.levels.level(leaf.at) is Level.DATA:
            other = judge_data_text(leaf, reading, witness=witness, tolerance=self.tolerance)
            if other is not None:
                return other
        return judge_leaf(
            leaf, reading, common, witness=witness, tolerance=self.tolerance, scale=scale
        )


def compare_nodes(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    *,
    witnesses: Witnesses,
    levels: JudgedLevels,
    tolerance: Tolerance,
) -> list[Draft]:
    """Return what differs, one draft a cause, whether it gates or not.

    Texts whose words are free are left out where all texts are looked at together.
    """
    search = make_search(pair)
    whole = incomparable_pictures(pair, (search.gray_expected, search.gray_actual))
    if whole is not None:
        return [whole]
    asked = LeafWitnesses(nodes=nodes, witnesses=witnesses)
    reader = LeafReader(pair=pair, search=search, ask=asked.of)
    readings = {
        at: asked.settled(nodes[at], reading)
        for at, reading in reader.read([n for n in nodes if is_leaf(n)]).items()
    }
    drafts: list[Draft] = []
    photos: list[tuple[JudgedNode, Reading]] = []
    for node in nodes:
        if node.kind is Kind.PHOTO and not node.empty:
            readings[node.at], found = judge_photo(reader, node)
            drafts += found
            if not found:
                photos.append((node, readings[node.at]))
    bound = {at: r for at, r in readings.items() if not levels.words_free(at)}
    whole = incomparable_nodes(pair, nodes, bound)
    if whole is not None:
        return [whole]
    fonts = other_fonts(nodes, bound)
    if fonts.everywhere:
        return fonts.drafts
    drafts += fonts.drafts
    common = calibrate(
        r for r in bound.values() if nodes[r.at].kind is Kind.TEXT and r.at not in fonts.texts
    )
    leaves = _Leaves(nodes=nodes, asked=asked, levels=levels, tolerance=tolerance)
    for at, reading in readings.items():
        if at not in fonts.texts:
            drafts += leaves.judge(reading, common, scale=pair.scale)
    questions, frames = box_questions(pair, nodes, readings), photo_frames(pair, nodes, photos)
    read = read_boxes(pair, nodes, questions, frames, tolerance=tolerance)
    boxes = {b.at: b for b in read.boxes}
    drafts += read.drafts
    return conclude(
        pair,
        nodes,
        Seen(readings=readings, boxes=boxes, drop=common.drop, excused=fonts.texts),
        drafts,
        tolerance=tolerance,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was read of a page: its leaves and boxes, and by how much all texts lie lower.

    ``excused`` are texts in another font: their size says nothing.
    """

    readings: Mapping[int, Reading]
    boxes: Mapping[int, BoxReading]
    drop: float
    excused: frozenset[int] = frozenset()


def conclude(
    pair: PicturePair,
    nodes: Sequence[JudgedNode],
    seen: Seen,
    drafts: Sequence[Draft],
    *,
    tolerance: Tolerance,
) -> list[Draft]:
    """Return *drafts* with what moved and what is extra, each cause told once."""
    touched = {d.at for d in drafts if d.at is not None and d.property in _RESIZES}
    layout = LayoutJudge(
        places=_placed(nodes, seen, drafts),
        touched=frozenset(touched | seen.excused),
        limit=tolerance.pixel,
    )
    found = [*drafts, *layout.judge()]
    found += residue(
        pair, nodes, seen.readings, seen.boxes, drafts, spans=layout.spans, tolerance=tolerance
    )
    return told_once(fold(found, nodes, seen.readings), nodes)


def _placed(nodes: Sequence[JudgedNode], seen: Seen, looks: Sequence[Draft]) -> Places:
    """Return where everything stands that was found."""
    told = {d.at for d in looks}
    placings: dict[int, tuple[Edges, Edges]] = {}
    for at, r in seen.readings.items():
        if not r.found or not r.readable:
            continue
        x, y = r.shift[0], r.shift[1] - (seen.drop if r.expected_ink is not None else 0.0)
        other = r.mismatch > GLYPH_LIMIT and at in told
        edges = r.edges if other else (0.0, 0.0, 0.0, 0.0)  # else it is as large
        placings[at] = (x + edges[0], x + edges[2]), (y + edges[1], y + edges[3])
    unseen = {d.at for d in looks if d.property == "border-width" and not d.actual}
    for at, b in seen.boxes.items():
        if at in unseen:
            continue  # its edges are gone: what was found there are those of something else
        left, top, right, bottom = b.offsets
        placings[at] = (left, right), (top, bottom)
    for node in nodes:
        if node.parent is None:  # the frame is the picture itself: it cannot have moved
            placings[node.at] = (0.0, 0.0), (0.0, 0.0)
    return settled(nodes, placings)
