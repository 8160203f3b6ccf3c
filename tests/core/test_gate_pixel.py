"""The pixel gate: its limits, its findings, its refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.errors import (
    CaptureError,
    DesignUnreadableError,
    UndeterminedError,
)
from pytest_pixelloop.core.gate_pixel import judge_pixel
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.core.verdict import CONDITIONAL, FAIL, PASS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.finding import Finding
    from pytest_pixelloop.core.verdict import Judgement

    Picture = NDArray[np.uint8]

CORPUS = Path(__file__).parent / "corpus"
BLUE, DARK_BLUE = (37, 99, 235, 255), (0, 40, 140, 255)


def page(width: int = 40, height: int = 25) -> Picture:
    """Return a white picture."""
    return np.full((height, width, 4), 255, np.uint8)


def blackened(picture: Picture, count: int, *, left: int = 0, width: int = 10) -> Picture:
    """Return the picture with *count* pixels black, row by row from *left* on."""
    changed = picture.copy()
    for number in range(count):
        changed[number // width, left + number % width, :3] = 0
    return changed


def node(node_id: str, name: str, box: tuple[float, ...], *children: DesignNode) -> DesignNode:
    """Return a design node."""
    return DesignNode(id=node_id, name=name, type="FRAME", box=Box(*box), children=children)


def judged(
    expected: Any,
    actual: Any,
    *,
    root: DesignNode | None = None,
    tolerance: Tolerance | None = None,
    scale: float = 1,
    capture_scale: float | None = None,
    masks: tuple[Box, ...] = (),
) -> Judgement:
    """Return the gate's judgement of two pictures."""
    size = getattr(expected, "shape", (1, 1))
    design = Design(
        name="login",
        label="1-2",
        image=expected,
        frame=(size[1] / (scale or 1), size[0] / (scale or 1)),
        scale=scale,
        root=root,
    )
    capture = Capture(
        image=actual,
        scale=scale if capture_scale is None else capture_scale,
        source="test",
        masks=masks,
    )
    return judge_pixel(design, capture, tolerance=tolerance or Tolerance())


def pairs(verdict: str) -> list[Any]:
    """Return the corpus pairs of one folder as parameters."""
    return [pytest.param(folder, id=folder.name) for folder in sorted((CORPUS / verdict).iterdir())]


def judged_pair(folder: Path) -> Judgement:
    """Return the judgement of a corpus pair, as bare pictures."""
    expected, actual = (
        np.asarray(Image.open(folder / f"{side}.png").convert("RGBA"))
        for side in ("expected", "actual")
    )
    case = folder / "case.json"
    masks = json.loads(case.read_text())["masks"] if case.is_file() else []
    return judged(expected, actual, masks=tuple(Box(*mask) for mask in masks))


@pytest.mark.parametrize("folder", pairs("should-match"))
def test_corpus_pairs_that_match_pass(folder: Path) -> None:
    """What looks the same passes, with no mismatched pixel."""
    judgement = judged_pair(folder)
    assert judgement.status == PASS
    assert judgement.pixels["mismatch"] == 0


@pytest.mark.parametrize("folder", pairs("should-fail"))
def test_corpus_pairs_that_differ_fail(folder: Path) -> None:
    """What users reported as overlooked fails, and the finding says where."""
    judgement = judged_pair(folder)
    assert judgement.status == FAIL
    assert judgement.findings
    if folder.name == "ignore-region-row":
        assert judgement.pixels["mismatch"] == 1
        assert judgement.regions[0].box == Box(5, 51, 1, 1)
    if folder.name == "comp-wider":
        assert {finding.kind for finding in judgement.findings} == {"size", "region"}


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("thin-border-colour", PASS),
        ("pm127-1", PASS),
        ("pm127-2", FAIL),
        ("pm127-3", FAIL),
    ],
)
def test_the_limits_of_the_yiq_distance_are_known(name: str, status: str) -> None:
    """These four are judged wrongly, as pixelmatch 7.2 does; a change of that must be seen."""
    assert judged_pair(CORPUS / "beyond-pixelmatch" / name).status == status


def test_one_word_on_a_very_long_page_fails() -> None:
    """A 40 x 12 block on 1024 x 23046 px is 0.002 %, and is found all the same."""
    expected = np.full((23046, 1024, 4), 255, np.uint8)
    expected[15000:15012, 300:340, :3] = 200
    actual = expected.copy()
    actual[15000:15012, 300:340, :3] = 0
    judgement = judged(expected, actual)
    assert judgement.status == FAIL
    assert judgement.pixels["mismatch"] == 480
    assert [region.box for region in judgement.regions] == [Box(300, 15000, 40, 12)]


@pytest.mark.parametrize(
    ("mismatched", "status"),
    [(0, PASS), (5, PASS), (6, CONDITIONAL), (20, CONDITIONAL), (21, FAIL)],
)
def test_confidence_decides_at_its_limits(mismatched: int, status: str) -> None:
    """Of 1000 px: 0.995 passes and 0.98 is conditional, both inclusive."""
    root = node("0", "page", (0, 0, 40, 25))
    judgement = judged(page(), blackened(page(), mismatched), root=root)
    assert judgement.confidence == (1000 - mismatched) / 1000
    assert judgement.pixels == {
        "total": 1000,
        "mismatch": mismatched,
        "ratio": mismatched / 1000,
        "antialiased": 0,
    }
    assert judgement.status == status


@pytest.mark.parametrize(
    ("mismatched", "status"), [(2, PASS), (3, CONDITIONAL), (9, CONDITIONAL), (10, FAIL)]
)
def test_a_node_decides_at_its_limits(mismatched: int, status: str) -> None:
    """Of a node of 100 px on a large page: 3 % is conditional, 10 % fails."""
    root = node("0", "page", (0, 0, 100, 100), node("1", "icon", (0, 0, 10, 10)))
    judgement = judged(page(100, 100), blackened(page(100, 100), mismatched), root=root)
    assert judgement.status == status
    assert judgement.regions[0].mismatch_ratio == mismatched / 100


def test_limits_come_from_the_tolerance() -> None:
    """Each key of the profile moves its own limit."""
    root = node("0", "page", (0, 0, 40, 25))
    twenty = blackened(page(), 20)
    for tolerance, status in (
        (Tolerance(pass_confidence=0.98), PASS),
        (Tolerance(conditional_confidence=0.981), FAIL),
        (Tolerance(pass_confidence=0.98, region_conditional=0.02), CONDITIONAL),
        (Tolerance(pass_confidence=0.98, region_fail=0.02), FAIL),
        (Tolerance(threshold=1), PASS),
    ):
        assert judged(page(), twenty, root=root, tolerance=tolerance).status == status
    assert judged(page(), page(), tolerance=Tolerance(threshold=0.3)).comparator["parameters"][
        "threshold"
    ] == pytest.approx(0.3)


def test_px_regions_decide_where_there_are_no_nodes() -> None:
    """In a bare picture a solid spot fails, though 99.99 % of the pixels match."""
    judgement = judged(page(100, 100), blackened(page(100, 100), 1))
    assert judgement.status == FAIL
    assert judgement.findings[0].delta_id == "1-2/px:0,0,8,8"
    assert judgement.findings[0].message == "1 px differ, at 0,0 1x1"


def test_where_there_are_nodes_only_they_are_held_to_the_limits_of_a_region() -> None:
    """A spot outside of every node is told, but its own ratio of 100 % decides nothing."""
    root = node("0", "page", (0, 0, 90, 100))
    judgement = judged(page(100, 100), blackened(page(100, 100), 9, left=92, width=3), root=root)
    assert judgement.status == PASS
    assert [region.mismatch_ratio for region in judgement.regions] == [1]
    assert judgement.findings[0].message.startswith("outside of every design node: 9 px differ")


def test_smoothing_is_counted_apart() -> None:
    """Anti-aliased pixels are reported and do not count as mismatched."""
    folder = Path(__file__).parent / "oracle" / "screenshots"
    before, after = (
        np.asarray(Image.open(folder / name).convert("RGBA"))
        for name in ("article.png", "article--half-px.png")
    )
    judgement = judged(before, after)
    assert judgement.pixels["antialiased"] > 1000
    assert judgement.diff_mask is not None
    assert judgement.pixels["mismatch"] == judgement.diff_mask.sum()


def _login() -> DesignNode:
    button = node("1:3", "Sign in", (20, 30, 40, 20), node("1:4", "Label", (30, 35, 20, 10)))
    return node("1:1", "login", (0, 0, 100, 80), node("1:2", "card", (10, 10, 80, 60), button))


def _only(judgement: Judgement) -> Finding:
    (finding,) = judgement.findings
    return finding


def test_a_finding_names_node_share_place_and_colours() -> None:
    """A changed colour is told with both colours, in words and as fields."""
    expected, actual = page(100, 80), page(100, 80)
    expected[30:50, 20:60], actual[30:50, 20:60] = BLUE, DARK_BLUE
    actual[35:45, 30:50] = expected[35:45, 30:50] = 255
    judgement = judged(expected, actual, root=_login())
    finding = _only(judgement)
    assert finding.message == (
        '"Sign in" (login/card/Sign in): 75.0 % of its pixels differ '
        "(#00288c, expected #2563eb), at 20,30 40x20"
    )
    assert finding.delta_id == "1-2/node:1:3"
    assert (finding.property, finding.expected, finding.actual) == ("color", "#2563eb", "#00288c")
    assert (finding.delta, finding.unit) == (95, "of 255")
    assert finding.gating
    assert finding.share == 1
    assert finding.severity == judgement.score
    assert judgement.score_version == "pixel-1"


def test_a_finding_without_one_colour_tells_the_share_only() -> None:
    """Where a side is not flat, no colour is named."""
    expected, actual = page(100, 80), page(100, 80)
    actual[30:40, 20:60], actual[40:50, 20:60] = BLUE, DARK_BLUE
    finding = _only(judged(expected, actual, root=node("0", "page", (0, 0, 100, 80))))
    assert finding.message == '"page" (page): 10.0 % of its pixels differ, at 20,30 40x20'
    assert (finding.property, finding.expected, finding.actual) == ("pixels", None, None)
    assert (finding.delta, finding.unit) == (10, "%")


def test_boxes_are_told_in_css_px() -> None:
    """At scale 2 a finding's place is that of the frame, not of the picture."""
    expected, actual = page(200, 160), page(200, 160)
    actual[61:99, 41:119, :3] = 0
    finding = _only(judged(expected, actual, root=_node_button(), scale=2))
    assert finding.message.endswith("at 20.5,30.5 39x19")
    assert finding.box == Box(20.5, 30.5, 39, 19)


def _node_button() -> DesignNode:
    return node("1:1", "login", (500, 700, 100, 80), node("1:3", "Go", (520, 730, 40, 20)))


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((40, 35), "10 px taller"),
        ((40, 20), "5 px shorter"),
        ((44, 25), "4 px wider"),
        ((30, 26), "10 px narrower and 1 px taller"),
    ],
)
def test_another_size_fails_and_is_its_own_finding(size: tuple[int, int], words: str) -> None:
    """Equal pixels in another size fail; the finding tells both sizes and the difference."""
    root = node("0", "page", (0, 0, 40, 25))
    for tree in (root, None):
        judgement = judged(page(), page(*size), root=tree)
        assert judgement.status == FAIL
        (finding,) = [f for f in judgement.findings if f.kind == "size"]
        assert finding.message == (
            f"the capture is {size[0]}x{size[1]} px at scale 1, "
            f"the design is 40x25 px at scale 1 (40x25 CSS px): {words}"
        )
        assert (finding.property, finding.unit) == ("size", "px")
        assert (finding.expected, finding.actual) == ("40x25", f"{size[0]}x{size[1]}")
        assert finding.delta_id == "1-2/px:0,0,40,32"
        assert finding.gating
        assert finding.severity > 1
        assert judgement.diff_mask is not None
        assert judgement.diff_mask.shape == (max(25, size[1]), max(40, size[0]))
        assert judgement.pixels["mismatch"] == judgement.diff_mask.sum() > 0


def test_a_size_that_comes_nearer_is_progress() -> None:
    """Row by row towards the right height, the score falls each time."""
    scores = [judged(page(), page(40, height)).score for height in (60, 40, 27, 26, 25)]
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert len(set(scores)) == 5
    assert scores[-1] == 0


def test_pixels_outside_of_the_frame_are_told_as_such() -> None:
    """What only the capture has lies outside of every design node."""
    judgement = judged(page(), page(40, 35), root=node("0", "page", (0, 0, 40, 25)))
    (region,) = [f for f in judgement.findings if f.kind == "region"]
    assert region.message == (
        "outside of every design node: 400 px differ (#ffffff, expected nothing), at 0,25 40x10"
    )


@pytest.mark.parametrize("size", [(40, 25), (80, 50)])
def test_another_scale_fails_with_the_factor_to_use(size: tuple[int, int]) -> None:
    """A capture at another device scale factor fails, even with pictures of one size."""
    judgement = judged(page(), page(*size), capture_scale=2)
    assert judgement.status == FAIL
    (finding,) = [f for f in judgement.findings if f.kind == "size"]
    assert finding.message.endswith(": capture it with a device scale factor of 1")
    assert (finding.property, finding.expected, finding.actual) == ("scale", 1, 2)
    assert judgement.score is not None
    assert judgement.score > 0


def test_masks_are_boxes_in_css_px_of_the_frame() -> None:
    """A mask hides the same half-open box on both sides, at the design's scale."""
    expected, actual = page(80, 50), page(80, 50)
    actual[20:30, 20:40, :3] = 0
    hidden = judged(expected, actual, scale=2, masks=(Box(10, 10, 10, 5),))
    assert hidden.status == PASS
    assert hidden.pixels["total"] == 80 * 50 - 20 * 10
    shifted = judged(expected, actual, scale=2, masks=(Box(11, 10, 10, 5),))
    assert shifted.status == FAIL
    assert shifted.pixels["mismatch"] == 2 * 10


def test_masks_that_cover_everything_are_undetermined() -> None:
    """Nothing compared is neither a pass nor a fail."""
    with pytest.raises(UndeterminedError, match="nothing is left to compare"):
        judged(page(), page(), masks=(Box(0, 0, 40, 25),))


@pytest.mark.parametrize(
    "picture",
    [None, page(0, 25), page(40, 0), page()[..., :3], page().astype(np.float32), b"\x89PNG", []],
)
def test_what_is_no_picture_is_undetermined(picture: Any) -> None:
    """No picture on a side, or an empty one, is an error that says which side; never green."""
    with pytest.raises(DesignUnreadableError, match="the design 'login' cannot be compared"):
        judged(picture, page())
    with pytest.raises(CaptureError, match="the capture cannot be compared"):
        judged(page(), picture)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf")])
def test_a_scale_that_is_none_is_undetermined(scale: float) -> None:
    """A scale of 0, below, or no number is refused."""
    with pytest.raises(DesignUnreadableError, match="scale"):
        judged(page(), page(), scale=scale, capture_scale=1)
    with pytest.raises(CaptureError, match="scale"):
        judged(page(), page(), capture_scale=scale)


def test_names_of_a_hostile_design_file_stay_harmless() -> None:
    """Escape sequences, line breaks and endless names reach no message; the numbers stay."""
    deep = node("1:9", "x\x1b[31m\n\u202e" * 80, (0, 0, 40, 25))
    root = node("0", "y" * 500, (0, 0, 40, 25), deep)
    finding = _only(judged(page(), blackened(page(), 100), root=root))
    assert finding.message.isprintable()
    assert len(finding.message) < 200
    assert finding.message.endswith("10.0 % of its pixels differ (#000000, expected #ffffff), "
                                    "at 0,0 10x10")  # fmt: skip
    json.dumps(finding.as_record(), allow_nan=False)


def test_a_judgement_is_plain_json_and_always_the_same() -> None:
    """Twice the same input gives equal findings, and all of it can be written as JSON."""
    rng = np.random.default_rng(5)
    expected = rng.integers(0, 256, (80, 100, 4), dtype=np.uint8)
    actual = rng.integers(0, 256, (90, 100, 4), dtype=np.uint8)
    first, second = (judged(expected, actual, root=_login()) for _ in range(2))
    assert first.findings == second.findings
    assert first.score == second.score
    records = [f.as_record() for f in first.findings] + [r.as_record() for r in first.regions]
    json.dumps([records, first.pixels, first.comparator, first.score], allow_nan=False)


def test_findings_come_worst_first_and_share_the_score() -> None:
    """Severities fall, shares add up to 1, and the sum of severities is the score."""
    actual = page(100, 80)
    actual[10:40, 10:90, :3] = 0
    actual[60:64, 95:99, :3] = 0
    judgement = judged(page(100, 80), actual, root=_login())
    severities = [finding.severity for finding in judgement.findings]
    assert severities == sorted(severities, reverse=True)
    assert len(severities) > 2
    assert sum(f.share for f in judgement.findings) == pytest.approx(1)
    assert judgement.score == pytest.approx(sum(severities))


def test_on_pass_small_regions_are_told_but_do_not_gate() -> None:
    """What stays below the limits is still in the report."""
    judgement = judged(page(100, 100), blackened(page(100, 100), 4), root=_wide())
    assert judgement.status == PASS
    assert judgement.score == 0
    finding = _only(judgement)
    assert not finding.gating
    assert finding.share == 0
    assert finding.message.startswith('"page" (page): less than 0.1 % of its pixels differ')


def _wide() -> DesignNode:
    return node("0", "page", (0, 0, 100, 100))
