"""Another font is told where the letters are others, not where they merely correlate badly."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_pixelloop.core.comparability import other_fonts
from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.ink import Ink
from pytest_pixelloop.core.judged_nodes import JudgedNode, judged_nodes
from pytest_pixelloop.core.reading import Reading

COLUMN = 8
SAME, OTHER = 0.08, 0.3


def _column() -> tuple[JudgedNode, ...]:
    texts = tuple(
        DesignNode(
            id=f"1:{i + 2}", name="Sum", type="TEXT", characters="3,075.50",
            box=Box(20, 20 * i, 60, 16),
            properties={"style": {"fontFamily": "Plex Mono", "fontSize": 12}},
        )
        for i in range(COLUMN)
    )  # fmt: skip
    root = DesignNode(id="1:1", name="Sums", type="FRAME", box=Box(0, 0, 100, 200), children=texts)
    return judged_nodes(root, scale=1.0, shape=(200, 100))


def _badly_correlated(at: int, mismatch: float) -> Reading:
    zeros = np.zeros(3, np.float32)
    ink = Ink(
        backdrop=zeros + 255, color=zeros, contrast=441.7, plain=True,
        coverage=np.zeros((16, 60), np.float32), total=np.zeros(3),
    )  # fmt: skip
    return Reading(at=at, found=False, likeness=0.65, mismatch=mismatch, expected_ink=ink)


def _readings(others: int) -> dict[int, Reading]:
    """Return texts that all correlate badly, the first *others* of them in other letters, too."""
    texts = [n.at for n in _column() if n.node.type == "TEXT"]
    return {at: _badly_correlated(at, OTHER if k < others else SAME) for k, at in enumerate(texts)}


@pytest.mark.parametrize("others", [COLUMN // 2, COLUMN])
def test_texts_whose_letters_are_others_are_in_another_font(others: int) -> None:
    """Half of them suffice: short texts of another font may look alike."""
    readings = _readings(others)
    found = other_fonts(_column(), readings)
    assert [d.property for d in found.drafts] == ["font-family"]
    assert found.texts == frozenset(readings)


@pytest.mark.parametrize("others", [0, COLUMN // 2 - 1])
def test_texts_that_correlate_badly_are_not_in_another_font(others: int) -> None:
    """As 12 px digits do that lie half a pixel aside."""
    assert not other_fonts(_column(), _readings(others)).drafts
