"""The files of one comparison: its pictures, and the report that names them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pytest_pixelloop.core.masked import paint_masks
from pytest_pixelloop.core.pixels import paint_diff_mask
from pytest_pixelloop.store.atomic import write_json
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.functional import FunctionalResult
    from pytest_pixelloop.core.verdict import ComparisonReport


def write_report(folder: Path, report: ComparisonReport) -> None:
    """Leave *report* in *folder* as ``<label>.report.json``."""
    write_json(folder / f"{report.label}.report.json", report.as_record())


def write_comparison(
    folder: Path,
    report: ComparisonReport,
    design: Design,
    capture: Capture,
    *,
    diff_mask: NDArray[np.bool_] | None = None,
    functional: FunctionalResult | None = None,
) -> ComparisonReport:
    """Return *report* with its artifacts, which are in *folder*, as the report itself is.

    Pictures come first, then the report that names them, so that it never names a lost file. With
    *diff_mask* there is a diff. Masks are painted on both pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # Playwright's names where Playwright's gate judges.
    stem = report.label + ("-" if report.gate == "snapshot" else ".")
    artifacts = {"expected": f"{stem}expected.png", "actual": f"{stem}actual.png"}
    expected, actual = (
        paint_masks(image, capture.masks, scale=design.scale, color=capture.mask_color)
        for image in (design.image, capture.image)
    )
    write_png(folder / artifacts["expected"], expected)
    write_png(folder / artifacts["actual"], actual)
    if diff_mask is not None:
        artifacts["diff"] = f"{stem}diff.png"
        write_png(folder / artifacts["diff"], paint_diff_mask(expected, actual, diff_mask))
    if functional is not None and functional.checks:
        artifacts["functional"] = f"{report.label}.functional.json"
        write_json(folder / artifacts["functional"], functional.as_record())
    report = dataclasses.replace(report, artifacts=artifacts)
    write_report(folder, report)
    return report


def write_unstable(
    folder: Path, label: str, pictures: tuple[NDArray[np.uint8], NDArray[np.uint8]]
) -> dict[str, str]:
    """Write the two pictures between which a page moved and return their names by kind."""
    names = {f"unstable_{n}": f"{label}.unstable-{n}.png" for n in (1, 2)}
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in zip(names.values(), pictures, strict=True):
        write_png(folder / name, picture)
    return names
