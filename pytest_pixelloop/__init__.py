"""Is the rendered page the design? A deterministic verdict, and a loop that ends honestly."""

from __future__ import annotations

__all__ = ["__version__"]
__version__ = "0.1.0"
