"""Is the rendered page the design? A deterministic verdict, and a loop that ends honestly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_pixelloop.plugin.fixtures import assert_matches_design

__all__ = ["__version__", "assert_matches_design"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the assertion when it is asked for: importing the package costs nothing."""
    if name == "assert_matches_design":
        from pytest_pixelloop.plugin.fixtures import assert_matches_design  # noqa: PLC0415

        return assert_matches_design
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
