"""Whether a page shows the words of a design by text, or by a picture of them.

A picture of the design has the design's pixels and is no page: nothing in it can be read aloud,
selected, translated or pressed. The pixels cannot tell; where the design has text and what lies
there in the page can. Only what is evident counts: most of the texts, shown by pictures. A logo, a
photo with words, a chart on a canvas are none.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.finding import Channel, ElementRef, Finding
from pytest_pixelloop.core.geometry import union
from pytest_pixelloop.core.verdict import FAIL, is_undetermined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design, PlacedNode
    from pytest_pixelloop.core.geometry import Box
    from pytest_pixelloop.core.verdict import Judgement

KIND = "picture-in-place-of-content"
TEXT, PICTURE, PAINT = "text", "picture", "paint"
#: What may be honest text although the page's words are elsewhere: nobody can look inside.
_OPAQUE = frozenset({"canvas", "frame", "outside"})
#: Texts that must be pictures before a page is accused, and which share of those looked at.
LEAST, MOST_OF = 3, 0.6
#: A channel that differs by more has changed; a word inks a larger share of its box than INK; below
#: this share of its contrast it has not gone, nor where less than LEAVES of the ink is text's.
VISIBLE, INK, KEEPS, LEAVES = 10, 0.002, 0.5, 0.3
#: A ground is flat where at least this share of a box has its colour.
FLAT = 0.4
#: More than any broken page weighs: no picture of the design is ever the best iteration.
SEVERITY = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTexts:
    """By what the texts of a design are shown, in the order of ``text_nodes``.

    ``looked`` are the places in that order which were looked at, ``kinds`` what was found there:
    ``text``, ``picture``, ``paint`` (ink that is neither), ``canvas``, ``frame``, ``drawing``,
    ``none`` or ``outside``. ``on`` are those among ``looked`` whose text lies on a picture.
    ``selector`` names the element that shows most of what is no text.
    """

    looked: tuple[int, ...]
    kinds: tuple[str, ...]
    selector: str = ""
    on: tuple[int, ...] = ()

    def without_words(
        self,
        shown: NDArray[np.uint8],
        bare: NDArray[np.uint8],
        boxes: Sequence[Box],
        *,
        scale: float,
    ) -> ShownTexts:
        """Return what is left when the words are hidden: ink that stays is no text.

        What goes is text, also where no element could be found (a closed shadow tree). *shown* and
        *bare* are the same picture with and without the page's words; *boxes* those of
        ``text_nodes``, in CSS px of it.
        """
        if shown.shape != bare.shape:
            return self
        kinds = []
        for at, kind in zip(self.looked, self.kinds, strict=True):
            stays = None if kind == PICTURE else _stays(*_crops(shown, bare, boxes[at], scale))
            if stays is None or (stays and kind in _OPAQUE):
                kinds.append(kind)
            elif stays:
                kinds.append(PICTURE if at in self.on else PAINT)
            else:
                kinds.append(TEXT)
        return dataclasses.replace(self, kinds=tuple(kinds))

    def counts(self) -> dict[str, int]:
        """Return how many texts are shown by what, by name."""
        return dict(sorted(Counter(self.kinds).items()))


def _crops(
    shown: NDArray[np.uint8], bare: NDArray[np.uint8], box: Box, scale: float
) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    rows = slice(max(round(box.y * scale), 0), max(round(box.bottom * scale), 0))
    columns = slice(max(round(box.x * scale), 0), max(round(box.right * scale), 0))
    one, other = (picture[rows, columns, :3].astype(np.int16) for picture in (shown, bare))
    return one, other


def _stays(shown: NDArray[np.int16], bare: NDArray[np.int16]) -> bool | None:
    """Tell whether what is inked in a box stays when the words are hidden; None without ink.

    Words that are painted twice change only at their smoothed edges, by a quarter of their
    contrast; words that go change by all of it. On a flat ground most of the ink must be theirs,
    so that a dot of text does not speak for a painted word.
    """
    if not shown.size:
        return None
    ground = np.median(bare.reshape(-1, 3), axis=0)
    contrast = np.abs(shown - ground).max(axis=2)
    inked = contrast > VISIBLE
    if float(inked.mean()) < INK:
        return None
    gone = np.abs(shown - bare).max(axis=2)
    at = gone > VISIBLE
    if float(at.mean()) < INK:
        return True
    if 1 - float(inked.mean()) >= FLAT and np.count_nonzero(at & inked) < LEAVES * inked.sum():
        return True
    return float(np.percentile(gone[at], 95)) < KEEPS * float(np.percentile(contrast[at], 95))


def text_nodes(design: Design) -> tuple[PlacedNode, ...]:
    """Return the nodes of a design that show words, in paint order."""
    if design.root is None:
        return ()
    return tuple(
        placed
        for placed in place_nodes(design.root)
        if placed.node.type == "TEXT"
        and (placed.node.characters or "").strip()
        and min(placed.box.w, placed.box.h) > 0
        and placed.clip.intersection(placed.box) is not None
    )


def judge_shown_texts(judgement: Judgement, design: Design, capture: Capture) -> Judgement:
    """Return *judgement*, failed by a finding of its own where pictures show the design's words."""
    shown = capture.shown_texts
    if shown is None or is_undetermined(judgement.status):
        return judgement
    nodes = text_nodes(design)
    pairs = [(nodes[i], kind) for i, kind in zip(shown.looked, shown.kinds, strict=True)]
    judged = [(n, k) for n, k in pairs if k != "outside" and not _masked(n.box, capture.masks)]
    wrong = tuple(found.box for found in judgement.findings if found.gating and found.box)
    drawn = [
        node
        for node, kind in judged
        if kind == PICTURE or (kind == PAINT and not _meets(node.box, wrong))
    ]
    if len(drawn) < LEAST or len(drawn) < MOST_OF * len(judged):
        return judgement
    by = Counter(kind for node, kind in judged if node in drawn).most_common(1)[0][0]
    finding = _finding(design, drawn, of=len(judged), by=by, selector=shown.selector)
    score = round((judgement.score or 0.0) + finding.severity, 4)
    findings = tuple(
        dataclasses.replace(f, share=f.severity / score) if f.gating else f
        for f in (*judgement.findings, finding)
    )
    return dataclasses.replace(judgement, status=FAIL, score=score, findings=findings)


def opaque_warning(design: Design, capture: Capture) -> tuple[str, ...]:
    """Return the warning of a page most of whose words lie where nobody can tell what they are."""
    counts = capture.shown_texts.counts() if capture.shown_texts else {}
    opaque = {kind: counts.get(kind, 0) for kind in ("canvas", "frame")}
    looked = sum(counts.values()) - counts.get("outside", 0)
    hidden = sum(opaque.values())
    if hidden < LEAST or hidden < MOST_OF * looked:
        return ()
    by = max(opaque, key=lambda kind: opaque[kind])
    shown = f"{hidden} of {looked} texts of {design.label} are shown by a {by}"
    return (f"{shown}: whether they are text or a picture of it cannot be told there",)


def _finding(
    design: Design, drawn: Sequence[PlacedNode], *, of: int, by: str, selector: str
) -> Finding:
    named = f" ({selector})" if selector else ""
    first = ", ".join(repr((n.node.characters or "").strip()[:30]) for n in drawn[:3])
    box = union([node.box for node in drawn])
    assert box is not None
    means = "a picture" if by == PICTURE else "paint that stays when the page's text is hidden"
    return Finding(
        delta_id=f"{design.label}/frame",
        kind=KIND,
        channel=Channel.VISUAL,
        message=f"{len(drawn)} of {of} texts of the design are shown by {means}{named} and not "
        f"by text, such as {first}",
        box=box,
        severity=SEVERITY,
        gating=True,
        element=ElementRef(selector=selector) if selector else None,
        property="content",
        expected="text",
        actual=by,
        delta=float(len(drawn)),
        unit="texts",
    )


def _meets(box: Box, others: Sequence[Box]) -> bool:
    return any(box.intersection(other) is not None for other in others)


def _masked(box: Box, masks: Sequence[Box]) -> bool:
    return any(
        mask.x <= box.x + box.w / 2 <= mask.right and mask.y <= box.y + box.h / 2 <= mask.bottom
        for mask in masks
    )
