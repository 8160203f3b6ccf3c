"""The gates under test, all behind one call: design and capture in, answer out."""

from __future__ import annotations

import dataclasses
import gzip
import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.dom import DomSnapshot, Element
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.style_channel import name_elements
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from pytest_pixelloop.core.finding import Finding


Judge = Callable[[Design, Capture], "Answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a gate said: did it pass, how high is the score, and what does it point at."""

    status: str
    score: float | None
    findings: tuple[Finding, ...] = ()
    advisory: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the case was let through."""
        return self.status == "pass"


def picture(path: Path) -> NDArray[np.uint8]:
    """Return a PNG as RGBA."""
    bgra = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert bgra is not None, path
    code = cv2.COLOR_BGRA2RGBA if bgra.shape[2] == 4 else cv2.COLOR_BGR2RGBA
    return np.asarray(cv2.cvtColor(bgra, code), np.uint8)


def _box(value: dict[str, float] | None) -> Box | None:
    return Box(value["x"], value["y"], value["width"], value["height"]) if value else None


def _node(record: dict[str, Any]) -> DesignNode:
    return DesignNode(
        id=record["id"],
        name=record["name"],
        type=record["type"],
        box=_box(record.get("absoluteBoundingBox")),
        render_box=_box(record.get("absoluteRenderBounds")),
        opacity=record.get("opacity", 1.0),
        clips=record.get("clipsContent", False),
        characters=record.get("characters"),
        properties={k: v for k, v in record.items() if k != "children"},
        children=tuple(_node(child) for child in record.get("children", ())),
    )


def load_design(folder: Path, *, name: str, scale: int) -> Design:
    """Return the design of one page of the corpus."""
    envelope = json.loads((folder / "nodes.json").read_text(encoding="utf-8"))
    (entry,) = envelope["nodes"].values()
    root = _node(entry["document"])
    assert root.box
    return Design(
        name=name,
        label=name,
        image=picture(folder / "design.png"),
        frame=(root.box.w, root.box.h),
        scale=scale,
        root=root,
        gate="design",
    )


def _snapshot(text: str) -> DomSnapshot:
    record = json.loads(text)
    elements = tuple(
        Element(
            **record_of
            | {
                "box": Box(**record_of["box"]),
                "lines": tuple(Box(**line) for line in record_of["lines"]),
            }
        )
        for record_of in record["elements"]
    )
    return DomSnapshot(
        elements=elements,
        size=tuple(record["size"]),
        meaningful=record["meaningful"],
        reason=record["reason"],
    )


def load_capture(path: Path, *, scale: int, with_dom: bool = True) -> Capture:
    """Return one capture: the picture, and the DOM snapshot unless a bare picture is wanted."""
    more: dict[str, Any] = {}
    if with_dom and "dom" in {field.name for field in dataclasses.fields(Capture)}:
        packed = path.with_suffix(".dom.json.gz")
        more["dom"] = _snapshot(gzip.decompress(packed.read_bytes()).decode())
    return Capture(image=picture(path), scale=scale, source=path.name, **more)


def _judged(module: str, function: str) -> Judge:
    judge = getattr(importlib.import_module(module), function)

    def answer(design: Design, capture: Capture) -> Answer:
        judgement = judge(design, capture, tolerance=Tolerance())
        # As in a report: with the page's elements, and what the style check says of them.
        findings, _ = name_elements(
            judgement.findings, design, capture.dom, styles=judgement.styles
        )
        gating = [f for f in findings if f.gating]
        gating.sort(key=lambda f: (-f.severity, f.delta_id, f.kind))
        return Answer(
            status=judgement.status,
            score=judgement.score,
            findings=tuple(gating),
            advisory=tuple(f for f in findings if not f.gating),
        )

    return answer


def _ratio(limit: float) -> Judge:
    from pytest_pixelloop.core.pixels import compare_pixels

    def answer(design: Design, capture: Capture) -> Answer:
        if design.image.shape != capture.image.shape:
            return Answer(status="fail", score=None)
        wrong = compare_pixels(design.image, capture.image, threshold=0.1)
        share = wrong.mismatch / wrong.total
        return Answer(status="pass" if share <= limit else "fail", score=share)

    return answer


def find(name: str) -> Judge:
    """Return the gate *name*: design, pixel, or ``pixelmatch:<ratio>``.

    Raises ImportError where the gate is not there yet.
    """
    if name.startswith("pixelmatch:"):
        return _ratio(float(name.split(":")[1]))
    return _judged(f"pytest_pixelloop.core.gate_{name}", f"judge_{name}")
