"""judge and default_gate: which rule is asked."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.judging import default_gate, judge
from pytest_pixelloop.core.tolerance import Tolerance
from pytest_pixelloop.core.verdict import PASS


def design(gate: str | None = None) -> Design:
    """Return a white design."""
    image = np.full((10, 20, 4), 255, np.uint8)
    return Design(name="login", label="login", image=image, frame=(20, 10), scale=1, gate=gate)


def test_the_pixel_gate_is_asked_by_its_name() -> None:
    """judge(gate="pixel") is the pixel gate's judgement."""
    capture = Capture(image=design().image, scale=1, source="test")
    judgement = judge(design(), capture, gate="pixel", tolerance=Tolerance())
    assert judgement.status == PASS
    assert judgement.comparator["name"] == "pixelmatch"


def test_an_unknown_gate_is_a_usage_error_that_lists_the_known_ones() -> None:
    """A typing error names what could have been meant, wherever it was written."""
    capture = Capture(image=design().image, scale=1, source="test")
    with pytest.raises(ConfigurationError, match="unknown gate 'pixle'") as caught:
        judge(design(), capture, gate="pixle", tolerance=Tolerance())
    assert "design, pixel" in str(caught.value)
    with pytest.raises(ConfigurationError, match="'login'"):
        default_gate(design("pixle"))


def test_a_design_may_choose_its_gate_and_else_is_judged_as_a_design() -> None:
    """What the design asks for holds; a Figma export or a bare picture asks for nothing."""
    assert default_gate(design("pixel")) == "pixel"
    assert default_gate(design()) == "design"


def test_importing_the_door_imports_no_gate() -> None:
    """Judging itself needs neither numpy nor cv2: a gate is imported when it is asked."""
    code = (
        "import sys; import pytest_pixelloop.core.judging; "
        "sys.exit(any(m in sys.modules for m in ('numpy', 'cv2')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
