"""The patch gate of a looped test: its mode from the options, the designs it must not meet."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.loop.patch_gate import PatchGate
    from pytest_pixelloop.loop.watched import WatchedSources
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.store.same_picture import Thumbnail


def patch_gate(
    settings: Settings, sources: WatchedSources, *, run: Path, folder: Path, fixed: bool
) -> PatchGate | None:
    """Return the gate that judges each fix, None where nothing is fixed or it is off.

    *run* is the run's folder, *folder* the test's in it; *fixed* tells whether somebody fixes.
    Where patches are confirmed there is a gate that is off: it keeps what may have to be put back.
    """
    if not fixed or (settings.patch_gate == "off" and not settings.fix_confirm):
        return None
    from pytest_pixelloop.loop.patch_gate import PatchGate  # noqa: PLC0415
    from pytest_pixelloop.plugin.goalposts import manifest_files  # noqa: PLC0415
    from pytest_pixelloop.store.same_picture import (  # noqa: PLC0415
        may_be_picture,
        shows_any,
        thumbnail,
    )

    pictures = [p for p in manifest_files(settings.designs) if p.suffix.lower() == ".png"]

    @cache
    def likenesses() -> list[Thumbnail]:
        # Only a fix that leaves a picture behind makes it worth decoding the designs.
        found = (thumbnail(path.read_bytes()) for path in pictures if path.is_file())
        return [likeness for likeness in found if likeness is not None]

    return PatchGate(
        sources,
        mode=settings.patch_gate,
        store=run / "kept-sources",
        folder=folder / "patch",
        keep_all=settings.fix_confirm,
        design_files=sorted({settings.relative(path) for path in pictures}),
        shows_design=lambda data: may_be_picture(data) and shows_any(data, likenesses()),
    )
