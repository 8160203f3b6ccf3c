"""Crops read side by side are read as each of them alone, whatever lies beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.glyphs import Laid, glyph_mismatches
from pytest_pixelloop.core.ink_places import inked, marks_of
from pytest_pixelloop.core.ink_reading import InkCrop, read_inks
from pytest_pixelloop.core.ink_spread import spreads, strays
from pytest_pixelloop.core.strips import Strip, strips

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = ("Inbox", "3", "Archive of letters", "g", "No. 1987", "lil")


def _crop(words: str, *, size: float, dark: bool) -> InkCrop:
    (wide, high), below = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
    ground, ink = ((17, 24, 39), (190, 240, 120)) if dark else ((250, 250, 245), (30, 60, 160))
    crop = np.empty((high + below + 6, wide + 8, 3), np.uint8)
    crop[:] = ground
    cv2.putText(crop, words, (4, high + 3), cv2.FONT_HERSHEY_SIMPLEX, size, ink, 1, cv2.LINE_AA)
    core = (2, 1, crop.shape[1] - 2, crop.shape[0] - 1)
    return InkCrop(crop=crop, backdrop=np.array(ground, np.float32), core=core)


_CROPS = st.lists(
    st.builds(
        _crop, st.sampled_from(WORDS), size=st.sampled_from((0.4, 0.5, 1.4)), dark=st.booleans()
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(_CROPS)
def test_ink_is_read_alike_alone_and_beside_others(crops: list[InkCrop]) -> None:
    """What is read of a crop depends on nothing but the crop."""
    for asked, together in zip(crops, read_inks(crops), strict=True):
        (alone,) = read_inks([asked])
        assert alone is not None
        assert together is not None
        ink, marks = together
        assert np.allclose(ink.coverage, alone[0].coverage, atol=1e-5)
        assert ink.contrast == pytest.approx(alone[0].contrast)
        assert ink.tint == pytest.approx(alone[0].tint, abs=1e-5)
        assert ink.total.tolist() == pytest.approx(alone[0].total.tolist())
        assert marks == alone[1] == marks_of(inked(ink.coverage))


def test_ink_is_what_is_apart_from_the_backdrop() -> None:
    """Of a plain square on a plain ground all figures are known."""
    crop = np.full((20, 30, 3), 200, np.uint8)
    crop[5:15, 10:20] = (200, 100, 200)
    asked = InkCrop(crop=crop, backdrop=np.full(3, 200, np.float32), core=(0, 0, 30, 20))
    (seen,) = read_inks([asked])
    assert seen is not None
    ink, marks = seen
    assert ink.color.tolist() == [200, 100, 200]
    assert ink.contrast == pytest.approx(100)
    assert ink.total.tolist() == [0, -10_000, 0]
    assert ink.tint == pytest.approx(0)
    assert marks.box == (10, 5, 20, 15)


def test_a_crop_without_ink_and_an_empty_core_have_none() -> None:
    """Grain is no ink, and where the core is empty there is nothing to read."""
    plain = np.full((10, 10, 3), 200, np.uint8)
    plain[4, 4] += 4
    ground = np.full(3, 200, np.float32)
    inked = _crop("Inbox", size=0.5, dark=False)
    bare = InkCrop(crop=plain, backdrop=ground, core=(0, 0, 10, 10))
    beyond = InkCrop(crop=inked.crop, backdrop=inked.backdrop, core=(-9, 0, 0, 10))
    assert [seen is None for seen in read_inks([bare, inked, beyond])] == [True, False, True]


def _pair(words: str, other: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return _ink(words), _ink(other)


def _ink(words: str) -> NDArray[np.float32]:
    image = np.zeros((18, 220), np.uint8)
    cv2.putText(image, words, (2, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 255, 1, cv2.LINE_AA)
    return np.asarray(image / 255, np.float32)


def _sheet(strip: Strip, crops: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    sheet = np.zeros((strip.height, strip.length), np.float32)
    for part, k in zip(strip.parts(sheet), strip.picks, strict=True):
        part[:] = crops[k]
    return sheet


PAIRS = [_pair(a, b) for a, b in (("Invoice 12", "Invoice 72"), ("Paid", "Paid"), ("a", "Sent"))]


def test_measures_of_two_inks_are_alike_alone_and_beside_others() -> None:
    """Mismatch, stray ink and spread of one leaf do not hang on what is measured with it."""
    texts = [Laid(expected=a, actual=b, em=14, scale=1) for a, b in PAIRS]
    alone = [glyph_mismatches([text])[0] for text in texts]
    assert glyph_mismatches(texts) == pytest.approx(alone, abs=1e-6)
    assert alone[0] > alone[1] == pytest.approx(0, abs=1e-6)
    assert _strays(PAIRS) == pytest.approx([_strays([pair])[0] for pair in PAIRS])


def _strays(pairs: list[tuple[NDArray[np.float32], NDArray[np.float32]]]) -> list[float]:
    (strip,) = strips([(18, 220)] * len(pairs), margin=1)
    left, right = (_sheet(strip, [pair[side] for pair in pairs]) for side in (0, 1))
    many = len(pairs)
    return strays(left, right, strip, sides=[7] * many, little=[0.0] * many)


def test_spreads_are_known_of_a_bar() -> None:
    """A bar's mass, its spread and its fullest row are what can be counted."""
    bar = np.zeros((9, 12), np.float32)
    bar[3:5, 2:10] = 0.5
    bar[4, 2:10] = 1.0
    (strip,) = strips([(9, 12), (9, 12)])
    seen = spreads(_sheet(strip, [bar, bar]), strip, strip.places)
    for spread in seen:
        assert spread.mass == pytest.approx(12.0)
        assert spread.width == pytest.approx(np.std(np.arange(8)))
        assert spread.bar == pytest.approx(8 / 12)
        assert spread.bar_place == pytest.approx(4.5 / 9)


def test_what_fills_a_crop_to_its_edge_does_not_end_there() -> None:
    """Ink that goes on beyond a crop is no stray ink where only the other picture shows its end."""
    full = np.ones((6, 6), np.float32)
    hollow = full.copy()
    hollow[0, 0] = 0.0
    (strip,) = strips([(6, 6)], margin=1)
    left, right = _sheet(strip, [hollow]), _sheet(strip, [full])
    (most,) = strays(left, right, strip, sides=[3], little=[0.0])
    assert most == pytest.approx(1.0)


def test_crops_of_very_different_heights_lie_on_different_sheets() -> None:
    """A tall crop does not make a sheet of lines mostly empty, and no crop is lost."""
    found = strips([(12, 90), (200, 40), (13, 10), (210, 4)], margin=2)
    assert sorted(k for strip in found for k in strip.picks) == [0, 1, 2, 3]
    assert [strip.height for strip in found] == [17, 214]
