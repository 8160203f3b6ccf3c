"""All cases of one page: its design, benign variants, defects, nested sets, other screens."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from benchmarks.truth import benign, defects, drawing, figma_json
from benchmarks.truth import cases as truth
from benchmarks.truth.cases import Case
from benchmarks.truth.studio import (
    DEFAULT_MACHINE,
    Browsers,
    Shot,
    Studio,
    change,
    decoded,
    largest_move,
)

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from benchmarks.truth.cases import Element
    from benchmarks.truth.page import Page

#: One or two cases of a kind on a page, by the page's draw.
PER_KIND = 2
CHAINS, CHAIN_LENGTH = 2, 4
MOVED_AT_LEAST = 3.0
#: A benign variant whose boxes moved further than this is no longer the same layout.
DRIFT_LIMIT = 2.0


@dataclass(slots=True)
class Shelf:
    """The folder of one page: writes captures, collects the truth."""

    folder: Path
    page: Page
    cases: list[Case] = field(default_factory=list)

    def add(self, shot: Shot, case: Case) -> None:
        """Keep a capture and its truth."""
        shot.write(self.folder / case.file)
        self.cases.append(case)

    def case(self, group: str, kind: str, number: int, **more: Any) -> Case:
        """Return a case of this page, its file named after it."""
        name = f"{group}-{kind}-{number}"
        return Case(
            id=f"{self.page.name}/{name}", page=self.page.name, group=group, kind=kind,
            file=f"{name}.png", **more,
        )  # fmt: skip


def _write_design(shelf: Shelf, layout: dict[str, Any]) -> None:
    page = shelf.page
    svg = drawing.to_svg(
        layout, width=page.width, height=page.height, seed=page.name, habits=page.figma_habits
    )
    (shelf.folder / "design.svg").write_text(svg, encoding="utf-8")
    (shelf.folder / "design.png").write_bytes(drawing.rasterise(svg, scale=page.scale))
    nodes = figma_json.to_envelope(layout, name=page.name, width=page.width, height=page.height)
    (shelf.folder / "nodes.json").write_text(json.dumps(nodes, indent=1), encoding="utf-8")


def _add_benign(
    shelf: Shelf, studio: Studio, reference: list[Element], picture: NDArray[np.uint8]
) -> None:
    for kind, script in benign.SCRIPTS.items():
        studio.load()
        studio.tab.evaluate(script)
        if kind in benign.OFFSETS:
            if change(picture, decoded(studio.png()), studio.page.scale)[0]:
                continue
            studio.tab.add_style_tag(content=benign.OFFSETS[kind])
        shelf.add(studio.shot(), shelf.case(truth.BENIGN, kind, 0))
    recoding = benign.recoded(reference)
    if recoding.operations:
        studio.load()
        studio.operate(recoding.operations)
        shelf.add(studio.shot(), shelf.case(truth.BENIGN, "photos-recoded", 0))


def _try_defect(
    studio: Studio, defect: defects.Defect, reference: list[Element], picture: NDArray[np.uint8]
) -> tuple[Shot, dict[str, Any]] | None:
    studio.load()
    studio.operate(defect.operations)
    png = studio.png()
    count, area = change(picture, decoded(png), studio.page.scale)
    if count < defect.pixels * studio.page.scale**2:
        return None
    more: dict[str, Any] = {"pixels": count, "area": area}
    if defect.extra:
        rect = studio.tab.evaluate(
            "(i) => { const r = window.__elements[i].nextElementSibling.getBoundingClientRect();"
            "return [r.left, r.top, r.width, r.height]; }",
            defect.element.index,
        )
        more["extra_box"] = tuple(rect)
    if defect.moves:
        more["moved"] = largest_move(reference, studio.layout())
        if more["moved"] < MOVED_AT_LEAST:
            return None
    return Shot(png=png, dom=studio.dom()), more


def _add_defects(
    shelf: Shelf, studio: Studio, reference: list[Element], picture: NDArray[np.uint8], seed: str
) -> None:
    for kind in defects.KINDS:
        number = 0
        wanted = random.Random(f"{seed}/{kind}/number").randint(1, PER_KIND)
        for tries, defect in enumerate(defects.candidates(kind, reference, seed=seed)):
            if number == wanted or tries == 8 * PER_KIND:
                break
            found = _try_defect(studio, defect, reference, picture)
            if found is None:
                continue
            shot, more = found
            case = shelf.case(
                truth.DEFECT, kind, number,
                detail=f"{_called(defect.element)}: {defect.detail}",
                changed=defect.changed, accepted=defect.accepted,
                properties=defect.properties, **more,
            )  # fmt: skip
            shelf.add(shot, case)
            number += 1


def _called(element: Element) -> str:
    name = element.text or element.layout["class"] or element.layout["tag"]
    return f"{figma_json.node_id(element.index)} {name[:40]!r}"


def _related(first: Element, second: Element) -> bool:
    mine = {first.index, *(a.index for a in first.ancestors())}
    others = {second.index, *(a.index for a in second.ancestors())}
    return first.index in others or second.index in mine


def _add_chains(
    shelf: Shelf, studio: Studio, reference: list[Element], picture: NDArray[np.uint8], seed: str
) -> None:
    for chain in range(CHAINS):
        rng = random.Random(f"{seed}/chain/{chain}")
        kinds = [k for k in defects.KINDS if k not in {"swapped", "extra"}]
        rng.shuffle(kinds)
        kept: list[defects.Defect] = []
        last = picture
        for kind in kinds:
            if len(kept) == CHAIN_LENGTH:
                break
            step = _chain_step(studio, kind, kept, reference, last, f"{seed}/{chain}")
            if step is None:
                continue
            defect, shot = step
            kept.append(defect)
            last = decoded(shot.png)
            case = shelf.case(
                truth.NESTED, "chain", chain * CHAIN_LENGTH + len(kept) - 1,
                detail="; ".join(f"{d.kind} {_called(d.element)}" for d in kept),
                changed=tuple(i for d in kept for i in d.changed),
                accepted=tuple(i for d in kept for i in d.accepted),
                chain=f"{shelf.page.name}/{chain}", level=len(kept),
            )  # fmt: skip
            shelf.add(shot, case)


def _chain_step(
    studio: Studio,
    kind: str,
    kept: list[defects.Defect],
    reference: list[Element],
    last: NDArray[np.uint8],
    seed: str,
) -> tuple[defects.Defect, Shot] | None:
    for tries, defect in enumerate(defects.candidates(kind, reference, seed=seed)):
        if tries == 4:
            return None
        if any(_related(defect.element, other.element) for other in kept):
            continue
        if defect.layout and any(other.layout for other in kept):
            continue
        studio.load()
        studio.operate(tuple(o for d in (*kept, defect) for o in d.operations))
        png = studio.png()
        count, _ = change(last, decoded(png), studio.page.scale)
        moved = largest_move(reference, studio.layout()) if defect.moves else 99.0
        if count >= defect.pixels * studio.page.scale**2 and moved >= MOVED_AT_LEAST:
            return defect, Shot(png=png, dom=studio.dom())
    return None


_INCOMPARABLE = {
    "wrong-theme": "html{background:#fff;filter:invert(1) hue-rotate(180deg)}",
    "blank": "body>*{display:none!important}",
    "missing-font": "body *{font-family:'Liberation Serif'!important}",
}


def _add_incomparable(shelf: Shelf, studio: Studio, other: Page) -> None:
    for kind, style in _INCOMPARABLE.items():
        studio.load()
        studio.tab.add_style_tag(content=style)
        shelf.add(studio.shot(), shelf.case(truth.OTHER, kind, 0))
    stranger = Studio(
        page=replace(
            other, width=studio.page.width, height=studio.page.height, scale=studio.page.scale
        ),
        browser=studio.browser,
        machine=studio.machine,
    )
    with stranger.opened():
        stranger.load()
        shelf.add(stranger.shot(), shelf.case(truth.OTHER, "other-screen", 0))
    with studio.opened(width=round(studio.page.width * 0.75)):
        studio.load()
        shelf.add(studio.shot(), shelf.case(truth.OTHER, "wrong-width", 0))


def make_page(shelf: Shelf, browsers: Browsers, other: Page, seed: int) -> None:
    """Make all cases of the shelf's page; *other* is the page shown instead of it once."""
    page = shelf.page
    studio = Studio(page=page, browser=browsers.on(benign.IDEAL))
    with studio.opened():
        studio.load()
        ideal = studio.layout()
        _write_design(shelf, ideal[0].layout)
    own = benign.RASTERS[page.machine] if page.machine else DEFAULT_MACHINE
    studio = Studio(page=page, browser=browsers.on(own), machine=own)
    with studio.opened():
        studio.load()
        reference = studio.layout()
        picture = decoded(studio.png())
        _add_benign(shelf, studio, reference, picture)
        name = f"{seed}/{page.name}"
        _add_defects(shelf, studio, reference, picture, name)
        _add_chains(shelf, studio, reference, picture, name)
    with studio.opened():
        _add_incomparable(shelf, studio, other)
    for kind, machine in benign.RASTERS.items():
        studio = Studio(page=page, browser=browsers.on(machine), machine=machine)
        with studio.opened():
            studio.load()
            moved = largest_move(ideal, studio.layout())
            named = kind if moved <= DRIFT_LIMIT else f"{kind}-drifted"
            shelf.add(studio.shot(), shelf.case(truth.BENIGN, named, 0, moved=moved))
