"""The files of one comparison: its pictures, and the report that names them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.masked import paint_masks
from pytest_pixelloop.core.pixels import paint_diff_mask
from pytest_pixelloop.store.atomic import json_text, write_bytes_atomic
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.functional import FunctionalResult
    from pytest_pixelloop.core.verdict import ComparisonReport


#: Where the files of a comparison go: a folder, or a mapping of names to bytes in memory.
Place = Path | dict[str, bytes]


def _put(place: Place, name: str, data: bytes) -> None:
    if isinstance(place, Path):
        write_bytes_atomic(place / name, data)
    else:
        place[name] = data


def _put_json(place: Place, name: str, value: object) -> None:
    _put(place, name, json_text(value).encode("utf-8", "backslashreplace"))


def write_report(folder: Place, report: ComparisonReport) -> None:
    """Leave *report* in *folder* as ``<label>.report.json``."""
    _put_json(folder, f"{report.label}.report.json", report.as_record())


def write_comparison(
    folder: Place,
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
    # Playwright's names where Playwright's gate judges.
    stem = report.label + ("-" if report.gate == "snapshot" else ".")
    artifacts = {"expected": f"{stem}expected.png", "actual": f"{stem}actual.png"}
    expected, actual = (
        paint_masks(image, capture.masks, scale=design.scale, color=capture.mask_color)
        for image in (design.image, capture.image)
    )
    _put(folder, artifacts["expected"], encode_png(expected))
    _put(folder, artifacts["actual"], encode_png(actual))
    if diff_mask is not None:
        artifacts["diff"] = f"{stem}diff.png"
        painted = paint_diff_mask(expected, actual, diff_mask)
        _put(folder, artifacts["diff"], encode_png(painted))
    if functional is not None and functional.checks:
        artifacts["functional"] = f"{report.label}.functional.json"
        _put_json(folder, artifacts["functional"], functional.as_record())
    report = dataclasses.replace(report, artifacts=artifacts)
    write_report(folder, report)
    return report


def write_unstable(
    folder: Place, label: str, pictures: tuple[NDArray[np.uint8], NDArray[np.uint8]]
) -> dict[str, str]:
    """Write the two pictures between which a page moved and return their names by kind."""
    names = {f"unstable_{n}": f"{label}.unstable-{n}.png" for n in (1, 2)}
    for name, picture in zip(names.values(), pictures, strict=True):
        _put(folder, name, encode_png(picture))
    return names
