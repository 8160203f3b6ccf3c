"""The public surface as users type it: checked by mypy, and imported once to see it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pytest_pixelloop

if TYPE_CHECKING:
    from pytest_pixelloop import (
        AssertMatchesDesign,
        Capture,
        Design,
        FigmaBaseline,
        RenderCapture,
        Verdict,
        VisualVerdict,
    )


@pytest.mark.parametrize("name", pytest_pixelloop.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """Each name in ``__all__`` can be had from the package."""
    assert getattr(pytest_pixelloop, name) is not None


def test_unknown_names_are_attribute_errors() -> None:
    """A name that is not public fails as any module's would."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = pytest_pixelloop.no_such_name


def _never_run(  # type-checked only
    assert_matches_design: AssertMatchesDesign,
    figma_baseline: FigmaBaseline,
    render_capture: RenderCapture,
    visual_verdict: VisualVerdict,
) -> None:
    assert_matches_design(b"", "checkout", tolerance="pixel=2", gate="design", mask=["0,0,1,1"])
    assert_matches_design(b"", "checkout", tolerance={"pixel": 2}, viewport="desktop", theme="dark")
    pytest_pixelloop.assert_matches_design(b"", "checkout")
    baseline: Design = figma_baseline("checkout", viewport="desktop")
    capture: Capture = render_capture(b"", baseline=baseline)
    verdict: Verdict = visual_verdict(baseline, capture)
    passed: bool = verdict.passed
    text: str = verdict.explain()
    score: float | None = verdict.score
    del passed, text, score
