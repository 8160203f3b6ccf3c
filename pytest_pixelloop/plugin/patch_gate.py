"""The patch gate of a looped test: its mode from the options, the designs it must not meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.loop.patch_gate import PatchGate
    from pytest_pixelloop.loop.watched import WatchedSources
    from pytest_pixelloop.plugin.options import Settings


def patch_gate(
    settings: Settings, sources: WatchedSources, *, folder: Path, looping: bool
) -> PatchGate | None:
    """Return the gate that judges each fix, None where nothing is fixed or it is off."""
    if not looping or settings.fix_command is None or settings.patch_gate == "off":
        return None
    from pytest_pixelloop.loop.patch_gate import PatchGate  # noqa: PLC0415
    from pytest_pixelloop.plugin.goalposts import manifest_files  # noqa: PLC0415
    from pytest_pixelloop.store.same_picture import shows_any, thumbnail  # noqa: PLC0415

    pictures = [p for p in manifest_files(settings.designs) if p.suffix.lower() == ".png"]
    known = []
    names: set[str] = set()
    for path in dict.fromkeys(pictures):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        names.add(settings.relative(path))
        likeness = thumbnail(data)
        if likeness is not None:
            known.append(likeness)
    return PatchGate(
        sources,
        mode=settings.patch_gate,
        store=folder / "patch",
        design_files=sorted(names),
        shows_design=lambda data: shows_any(data, known),
    )
