"""Targets that are no page: pictures that a command made, and one that was not reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.dom import DomSnapshot
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Viewport and theme of a comparison: what tells the pictures of one design apart.
Variant = tuple[str | None, str | None]
#: What a rendered picture has in place of a page's elements: their channels are not applicable.
NO_ELEMENTS = DomSnapshot(
    meaningful=False, reason="a capture command rendered it: there are no elements"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rendering:
    """What one call of a capture command gave: a picture, or why there is none, by variant.

    ``environment`` is what reports say of it.
    """

    pictures: Mapping[Variant, Path | CaptureError]
    environment: Mapping[str, Any] = field(default_factory=dict)

    def picture(self, *, viewport: str | None, theme: str | None) -> Path:
        """Return the picture of one comparison; raises the CaptureError that stands for it."""
        found = self.pictures.get((viewport, theme))
        if found is None:
            raise CaptureError(
                f"the capture command was not asked for viewport {viewport!r}, theme {theme!r}",
                reason="capture-failed",
            )
        if isinstance(found, CaptureError):
            raise found
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unreached:
    """A target that could not be reached; whoever captures it is told ``error``."""

    error: CaptureError
