"""The design gate on a bare picture: what anybody sees counts, what only rasterises does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.judging import judge
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from pytest_pixelloop.core.verdict import Judgement

Picture = NDArray[np.uint8]
CORPUS = Path(__file__).parent / "corpus"
BUGS = Path(__file__).parents[3] / "shared" / "cases" / "bugs"
FAILS_BY_DESIGN = {"pm127-1", "thin-border-colour"}


def judged(
    expected: Picture, actual: Picture, *, masks: tuple[Box, ...] = (), scale: float = 1.0
) -> Judgement:
    """Return what the design gate says of two pictures without nodes."""
    height, width = expected.shape[:2]
    design = Design(
        name="page",
        label="page",
        image=expected,
        frame=(width / scale, height / scale),
        scale=scale,
    )
    capture = Capture(image=actual, scale=scale, source="test", masks=masks)
    return judge(design, capture, gate="design", tolerance=Tolerance())


def read(path: Path) -> Picture:
    """Return a PNG as RGBA."""
    return np.asarray(Image.open(path).convert("RGBA"))


def written(text: str, *, dx: int = 0, dy: int = 0) -> Picture:
    """Return a picture with a line of text, moved."""
    image = np.full((60, 300, 3), 255, np.uint8)
    cv2.putText(
        image, text, (20 + dx, 38 + dy), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (17, 24, 39), 1, cv2.LINE_AA
    )
    return np.dstack((image, np.full(image.shape[:2], 255, np.uint8)))


def block(left: int, *, color: tuple[int, int, int] = (37, 99, 235)) -> Picture:
    """Return a white picture with one solid block."""
    image = np.full((60, 120, 4), 255, np.uint8)
    image[20:40, left : left + 50, :3] = color
    return image


def _corpus() -> list[tuple[str, Path, str]]:
    cases = [(f"match/{p.name}", p, "pass") for p in sorted((CORPUS / "should-match").iterdir())]
    cases += [(f"fail/{p.name}", p, "fail") for p in sorted((CORPUS / "should-fail").iterdir())]
    cases += [
        (f"beyond/{p.name}", p, "fail" if p.name in FAILS_BY_DESIGN else "pass")
        for p in sorted((CORPUS / "beyond-pixelmatch").iterdir())
    ]
    return cases


@pytest.mark.parametrize(
    ("folder", "status"), [c[1:] for c in _corpus()], ids=[c[0] for c in _corpus()]
)
def test_public_bug_reports_get_the_right_answer(folder: Path, status: str) -> None:
    """Each re-made bug report of another tool is answered right by default."""
    case = folder / "case.json"
    options = json.loads(case.read_text("utf-8")) if case.is_file() else {}
    masks = tuple(Box(*box) for box in options.get("masks", []))
    judgement = judged(read(folder / "expected.png"), read(folder / "actual.png"), masks=masks)
    assert judgement.status == status
    assert (judgement.score == 0) == (status == "pass")


def test_all_shared_bug_pairs() -> None:
    """Every readable pair of the shared bug reports gets its right answer."""
    if not BUGS.is_dir():
        pytest.skip("the shared cases are not on this machine")
    wrong = []
    for pair in json.loads((BUGS / "pairs.json").read_text("utf-8")):
        label = pair["expected"]["label"]
        if label == "error":
            continue
        boxes = pair["options"].get("ignoreRegions", [])
        masks = tuple(Box(b["x1"], b["y1"], b["x2"] - b["x1"], b["y2"] - b["y1"]) for b in boxes)
        judgement = judged(read(BUGS / pair["a"]), read(BUGS / pair["b"]), masks=masks)
        if judgement.status != ("pass" if label == "match" else "fail"):
            wrong.append(pair["id"])
    assert not wrong


def test_one_token_step_fails() -> None:
    """Tailwind blue-600 against blue-700 fails, although pixelmatch sees no pixel of it."""
    judgement = judged(block(20), block(20, color=(29, 78, 216)))
    assert judgement.status == "fail"
    assert "#1d4ed8, expected #2563eb" in judgement.findings[0].message


@pytest.mark.parametrize(
    "other", ["Checkout 12.98", "Checkout 72.99", "Check out 12.99", "Checkout"]
)
@pytest.mark.parametrize("dy", [0, 1])
def test_other_text_fails(other: str, dy: int) -> None:
    """One wrong digit is another text, wherever it sits."""
    assert judged(written("Checkout 12.99"), written(other, dy=dy)).status == "fail"


@pytest.mark.parametrize("shift", [1, 2, 5])
def test_a_solid_block_that_moved_fails(shift: int) -> None:
    """A block one px to the right is not where it was."""
    assert judged(block(20), block(20 + shift)).status == "fail"


COLORS = st.tuples(*[st.integers(0, 255)] * 3)


@given(COLORS)
def test_equal_pictures_pass_with_score_0(color: tuple[int, int, int]) -> None:
    """The same picture is a pass, with score 0 and no finding."""
    judgement = judged(block(20, color=color), block(20, color=color))
    assert (judgement.status, judgement.score, judgement.findings) == ("pass", 0, ())


def _spots(sizes: list[int], *, level: int = 40) -> Picture:
    """Return a white picture with dark squares beside each other, one a cell of 60 px."""
    image = np.full((60, 60 * 6, 4), 255, np.uint8)
    for k, side in enumerate(sizes):
        image[10 : 10 + side, 60 * k + 4 : 60 * k + 4 + side, :3] = level
    return image


@given(st.lists(st.integers(2, 40), min_size=1, max_size=6), st.data())
def test_the_score_of_a_bare_picture_grows_with_the_damaged_area(
    sizes: list[int], data: st.DataObject
) -> None:
    """A larger spot scores more, a spot less scores less; 10,000 px more than 100."""
    white = _spots([])
    whole = judged(white, _spots(sizes)).score
    assert whole is not None
    k = data.draw(st.integers(0, len(sizes) - 1))
    less, more = list(sizes), list(sizes)
    less[k], more[k] = 0, min(sizes[k] + 5, 50)
    assert (
        (judged(white, _spots(less)).score or 0) < whole < (judged(white, _spots(more)).score or 0)
    )


def test_a_large_region_counts_much_more_than_a_small_one() -> None:
    """A hundred times the area counts about ten times as much, a nearer colour less."""
    white = np.full((400, 400, 4), 255, np.uint8)

    def score(side: int, level: int = 0) -> float:
        image = white.copy()
        image[20 : 20 + side, 20 : 20 + side, :3] = level
        return judged(white, image).score or 0.0

    assert score(300) > 8 * score(30)
    assert score(60, level=120) < score(60)


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_score_of_a_bare_picture_is_the_same_at_another_scale(scale: float) -> None:
    """A block of 40 x 20 CSS px counts the same on any screen."""
    side = round(scale)
    expected = np.full((200 * side, 200 * side, 4), 255, np.uint8)
    actual = expected.copy()
    actual[40 * side : 60 * side, 40 * side : 80 * side, :3] = (37, 99, 235)
    assert judged(expected, actual, scale=scale).score == pytest.approx(22.0, rel=0.05)
