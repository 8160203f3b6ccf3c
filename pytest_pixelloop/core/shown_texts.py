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
TEXT, PICTURE = "text", "picture"
#: Texts that must be pictures before a page is accused, and which share of those looked at.
LEAST, MOST_OF = 3, 0.6
#: A channel that differs by more has changed; a word inks a larger share of its box than INK; below
#: this share of its contrast it has not gone.
VISIBLE, INK, KEEPS = 10, 0.002, 0.5
#: More than any broken page weighs: no picture of the design is ever the best iteration.
SEVERITY = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTexts:
    """By what the texts of a design are shown, in the order of ``text_nodes``.

    ``looked`` are the places in that order which were looked at, ``kinds`` what was found there:
    ``text``, ``picture``, ``canvas``, ``frame``, ``drawing``, ``none`` or ``outside``. ``on`` are
    those among ``looked`` whose text lies on a picture. ``selector`` names the element that shows
    most of what is no text.
    """

    looked: tuple[int, ...]
    kinds: tuple[str, ...]
    selector: str = ""
    on: tuple[int, ...] = ()

    @property
    def doubtful(self) -> bool:
        """Whether so much text lies on pictures that these may hold the words already."""
        return len(self.on) >= max(LEAST, MOST_OF * len(self.looked))

    def without_words(
        self,
        shown: NDArray[np.uint8],
        bare: NDArray[np.uint8],
        boxes: Sequence[Box],
        *,
        scale: float,
    ) -> ShownTexts:
        """Return what is left when the words are hidden: text that stays is a picture.

        *shown* and *bare* are the same picture with and without the page's words; *boxes* those of
        ``text_nodes``, in CSS px of it.
        """
        kinds = tuple(
            PICTURE if at in self.on and _in_the_picture(shown, bare, boxes[at], scale) else kind
            for at, kind in zip(self.looked, self.kinds, strict=True)
        )
        return dataclasses.replace(self, kinds=kinds)

    def counts(self) -> dict[str, int]:
        """Return how many texts are shown by what, by name."""
        return dict(sorted(Counter(self.kinds).items()))


def _in_the_picture(
    shown: NDArray[np.uint8], bare: NDArray[np.uint8], box: Box, scale: float
) -> bool:
    """Tell whether the words in *box* are still there when the page's words are hidden.

    Words that are painted twice change only at their smoothed edges, by a quarter of their
    contrast; words that go change by all of it.
    """
    if shown.shape != bare.shape:
        return False
    rows = slice(max(round(box.y * scale), 0), max(round(box.bottom * scale), 0))
    columns = slice(max(round(box.x * scale), 0), max(round(box.right * scale), 0))
    one, other = (picture[rows, columns, :3].astype(np.int16) for picture in (shown, bare))
    if not one.size:
        return False
    gone = np.abs(one - other).max(axis=2)
    at = gone > VISIBLE
    if float(at.mean()) < INK:
        return True
    ground = np.median(other.reshape(-1, 3), axis=0)
    contrast = np.abs(one - ground).max(axis=2)[at]
    return float(np.percentile(gone[at], 95)) < KEEPS * float(np.percentile(contrast, 95))


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
    drawn = [node for node, kind in judged if kind == PICTURE]
    if len(drawn) < LEAST or len(drawn) < MOST_OF * len(judged):
        return judgement
    finding = _finding(design, drawn, of=len(judged), selector=shown.selector)
    score = round((judgement.score or 0.0) + finding.severity, 4)
    findings = tuple(
        dataclasses.replace(f, share=f.severity / score) if f.gating else f
        for f in (*judgement.findings, finding)
    )
    return dataclasses.replace(judgement, status=FAIL, score=score, findings=findings)


def _finding(design: Design, drawn: Sequence[PlacedNode], *, of: int, selector: str) -> Finding:
    named = f" ({selector})" if selector else ""
    first = ", ".join(repr((n.node.characters or "").strip()[:30]) for n in drawn[:3])
    box = union([node.box for node in drawn])
    assert box is not None
    return Finding(
        delta_id=f"{design.label}/frame",
        kind=KIND,
        channel=Channel.VISUAL,
        message=f"{len(drawn)} of {of} texts of the design are shown by a picture{named} and not "
        f"by text, such as {first}",
        box=box,
        severity=SEVERITY,
        gating=True,
        element=ElementRef(selector=selector) if selector else None,
        property="content",
        expected="text",
        actual=PICTURE,
        delta=float(len(drawn)),
        unit="texts",
    )


def _masked(box: Box, masks: Sequence[Box]) -> bool:
    return any(
        mask.x <= box.x + box.w / 2 <= mask.right and mask.y <= box.y + box.h / 2 <= mask.bottom
        for mask in masks
    )
