"""Is the rendered page the design? A deterministic verdict, and a loop that ends honestly."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_pixelloop.capture.page_route import PageRoute
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.errors import UndeterminedError, VisualMismatchError
    from pytest_pixelloop.core.fix_brief import FixBrief
    from pytest_pixelloop.core.verdict import Verdict
    from pytest_pixelloop.plugin.fixtures import (
        AssertMatchesDesign,
        FigmaBaseline,
        RenderCapture,
        VisualVerdict,
        assert_matches_design,
    )

__all__ = [
    "AssertMatchesDesign",
    "Capture",
    "Design",
    "FigmaBaseline",
    "FixBrief",
    "PageRoute",
    "RenderCapture",
    "UndeterminedError",
    "Verdict",
    "VisualMismatchError",
    "VisualVerdict",
    "__version__",
    "assert_matches_design",
]
__version__ = "0.1.0"

_HOMES = {
    "AssertMatchesDesign": "plugin.fixtures",
    "Capture": "core.capture",
    "Design": "core.design",
    "FigmaBaseline": "plugin.fixtures",
    "FixBrief": "core.fix_brief",
    "PageRoute": "capture.page_route",
    "RenderCapture": "plugin.fixtures",
    "UndeterminedError": "core.errors",
    "Verdict": "core.verdict",
    "VisualMismatchError": "core.errors",
    "VisualVerdict": "plugin.fixtures",
    "assert_matches_design": "plugin.fixtures",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is asked for: importing the package costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
