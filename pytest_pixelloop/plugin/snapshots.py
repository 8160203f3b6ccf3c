"""Recorded snapshots of one test: held against its captures, and written only when it may be.

A snapshot is written by a session that was asked to (``--pixelloop-update``), never in loop mode,
and only when the test ends without a failure of its own: a picture of a page that the test itself
found wrong must not become what is right.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.errors import UndeterminedError
    from pytest_pixelloop.core.excusing import Excuses
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import ComparisonReport
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.wishes import Wishes

MISSING = "missing-baseline"
#: The viewport of a URL that no page was opened for: Playwright's own default.
URL_VIEWPORT = (1280, 720)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pending:
    """A picture that becomes a snapshot when the test ends well."""

    path: Path
    image: NDArray[np.uint8]
    note: str | None


def update_mode(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return ``none``, ``missing``, ``changed`` or ``all``: what this session may write.

    Nothing in loop mode, whatever was asked: a loop that records its own goal reaches it. Nothing
    under ``CI`` unless it is asked for by name.
    """
    if settings.loop:
        return "none"
    if settings.update is not None:
        return settings.update
    under_ci = environ.get("CI", "").lower() not in {"", "0", "false"}
    return "none" if under_ci else "missing"


class Snapshots:
    """The snapshots of one run of one test."""

    def __init__(self, settings: Settings, *, test_file: Path, test_name: str) -> None:
        self._settings = settings
        self._test_file = test_file
        self._test_name = test_name
        self._mode = update_mode(settings, os.environ)
        self._unnamed = 0
        self._pending: list[_Pending] = []

    def name(self, snapshot: str | bool) -> str:  # noqa: FBT001 - what the user wrote
        """Return the name of a snapshot; True takes the test's, numbered from the second on."""
        if isinstance(snapshot, str):
            return snapshot
        self._unnamed += 1
        return self._test_name if self._unnamed == 1 else f"{self._test_name}-{self._unnamed}"

    def label(self, name: str) -> str:
        """Return the label of the comparison with the snapshot *name*."""
        from pytest_pixelloop.sources.snapshot import snapshot_label  # noqa: PLC0415

        return snapshot_label(name)

    def compare(
        self,
        name: str,
        capture: Capture,
        *,
        label: Callable[[Design], Design],
        tolerance: Tolerance,
        folder: Path,
        browser: str | None,
        excuses: Excuses,
    ) -> ComparisonReport:
        """Return the report of *capture* against the snapshot *name*, and note what to write.

        *label* makes the design's label one of its own in this test. Raises UndeterminedError
        (``missing-baseline``) where there is none; the report that says so is on disk then.
        """
        from pytest_pixelloop.checker import check  # noqa: PLC0415

        path = self._path(name, browser)
        shown = self._settings.relative(path)
        recorded = self._recorded(path, name, capture, shown)
        if recorded is None:
            raise self._missing(name, path, shown, capture, folder)
        design = label(recorded)
        capture = self._told(capture, path)
        report = check(
            design, capture, gate="snapshot", tolerance=tolerance, folder=folder, excuses=excuses
        )
        if report.status not in {"pass", "fail"} or self._mode not in {"changed", "all"}:
            return report
        if report.passed and (self._mode == "changed" or report.pixels.get("mismatch") == 0):
            return report
        return self._replaced(path, shown, report, design, capture, folder, tolerance)

    def _told(self, capture: Capture, path: Path) -> Capture:
        """Return the capture with what is other now than when the snapshot was recorded."""
        from pytest_pixelloop.core.fingerprint import (  # noqa: PLC0415
            environment_changes,
            environment_line,
        )
        from pytest_pixelloop.store.png_chunks import picture_note  # noqa: PLC0415

        try:
            before = json.loads(picture_note(path.read_bytes()) or "{}")
        except (OSError, ValueError, RecursionError):
            before = {}
        now = capture.environment.get("fingerprint") or {}
        changes = environment_changes(before if isinstance(before, dict) else {}, now)
        if not changes:
            return capture
        return dataclasses.replace(
            capture,
            environment={**capture.environment, "changed": list(changes)},
            warnings=(environment_line(changes), *capture.warnings),
        )

    def described(
        self, report: ComparisonReport, name: str, browser: str | None
    ) -> ComparisonReport:
        """Return an undetermined report with the snapshot's place, and the picture taken for it."""
        shown = self._settings.relative(self._path(name, browser))
        missing = report.status == f"undetermined:{MISSING}"
        return dataclasses.replace(
            report,
            design={**report.design, "name": name, "image": shown},
            artifacts={"actual": self._actual(name)} if missing else {},
        )

    def flush(self, error: BaseException | None) -> tuple[Path, ...]:
        """Write what the test recorded, unless it failed for another reason; return the paths."""
        from pytest_pixelloop.store.images import write_png  # noqa: PLC0415

        pending, self._pending = self._pending, []
        if error is not None and getattr(error, "reason", None) != MISSING:
            return ()
        for item in pending:
            write_png(item.path, item.image, note=item.note)
        return tuple(item.path for item in pending)

    def _actual(self, name: str) -> str:
        return f"{self.label(name)}-actual.png"

    def _path(self, name: str, browser: str | None) -> Path:
        from pytest_pixelloop.sources.snapshot import snapshot_path  # noqa: PLC0415

        return snapshot_path(
            self._settings.snapshot_path,
            root=self._settings.rootpath,
            test_file=self._test_file,
            name=name,
            browser=browser,
            # A picture that nothing here rendered does not depend on this machine.
            platform=sys.platform if browser is not None else None,
        )

    def _recorded(self, path: Path, name: str, capture: Capture, shown: str) -> Design | None:
        from pytest_pixelloop.sources.snapshot import read_snapshot  # noqa: PLC0415

        if not os.path.lexists(path):
            return None
        return read_snapshot(path, name=name, shown=shown, scale=capture.scale)

    def _missing(
        self, name: str, path: Path, shown: str, capture: Capture, folder: Path
    ) -> UndeterminedError:
        from pytest_pixelloop.core.blank import is_one_colour  # noqa: PLC0415
        from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415
        from pytest_pixelloop.store.images import write_png  # noqa: PLC0415

        actual = folder / self._actual(name)
        write_png(actual, capture.image)
        seen = f"{shown}; what was captured: {self._settings.relative(actual)}"
        if self._mode == "none":
            why = "in loop mode" if self._settings.loop else "here (CI, or --pixelloop-update=none)"
            return UndeterminedError(
                f'there is no snapshot "{name}", and none is recorded {why}',
                reason=MISSING,
                where=seen,
                next_step="pytest --pixelloop-update=missing, look at the picture, commit it",
            )
        if is_one_colour(capture.image):
            return UndeterminedError(
                f'there is no snapshot "{name}", and a blank page is not recorded as one',
                reason=MISSING,
                where=seen,
                next_step="open the page, look at its console, wait for its content",
            )
        self._pending.append(_Pending(path=path, image=capture.image, note=_note(capture)))
        return UndeterminedError(
            f'there was no snapshot "{name}": it is recorded now, and nothing was compared',
            reason=MISSING,
            where=seen,
            next_step="look at the picture, commit it, and run the test again",
        )

    def _replaced(
        self,
        path: Path,
        shown: str,
        report: ComparisonReport,
        design: Design,
        capture: Capture,
        folder: Path,
        tolerance: Tolerance,
    ) -> ComparisonReport:
        """Note the capture as the new snapshot; return its report, the old picture kept beside."""
        from pytest_pixelloop.checker import check  # noqa: PLC0415
        from pytest_pixelloop.store.atomic import write_json  # noqa: PLC0415
        from pytest_pixelloop.store.images import write_png  # noqa: PLC0415

        differed = report.pixels.get("mismatch")
        size = report.size
        new = dataclasses.replace(
            design,
            image=capture.image,
            frame=(capture.image.shape[1] / design.scale, capture.image.shape[0] / design.scale),
        )
        (folder / f"{report.label}-diff.png").unlink(missing_ok=True)
        changed = check(new, capture, gate="snapshot", tolerance=tolerance, folder=folder)
        previous = f"{report.label}-previous.png"
        write_png(folder / previous, design.image)
        told = f"the snapshot {shown} is replaced when the test ends without another failure: "
        told += (
            f"{differed} px differed"
            if size.get("expected") == size.get("actual")
            else f"it was {size.get('expected')} px, now {size.get('actual')}"
        )
        changed = dataclasses.replace(
            changed,
            warnings=(*changed.warnings, told),
            artifacts={**changed.artifacts, "previous": previous},
        )
        write_json(folder / f"{changed.label}.report.json", changed.as_record())
        self._pending.append(_Pending(path=path, image=capture.image, note=_note(capture)))
        return changed


def _note(capture: Capture) -> str | None:
    """Return the environment that a snapshot is made in, as it is kept in the picture's file."""
    fingerprint = capture.environment.get("fingerprint")
    return json.dumps(fingerprint, sort_keys=True) if fingerprint else None


def browser_of(target: Any) -> str | None:
    """Return the browser's name of a Page or Locator, None for anything else."""
    page = getattr(target, "page", target)
    context = getattr(page, "context", None)
    browser = getattr(context, "browser", None)
    kind = getattr(browser, "browser_type", None)
    name = getattr(kind, "name", None)
    return name if isinstance(name, str) else None


def frame_of(target: Any) -> tuple[int, int]:
    """Return the viewport that *target* has, in CSS px, or Playwright's default."""
    page = getattr(target, "page", target)
    size = getattr(page, "viewport_size", None)
    if isinstance(size, dict):
        return int(size["width"]), int(size["height"])
    return URL_VIEWPORT


def capture_as_it_is(target: Any, wishes: Wishes, *, browser: Callable[[], Any]) -> Capture:
    """Return what *target* shows in the viewport that it has, at one device px a CSS px."""
    from pytest_pixelloop.capture.screenshot import CaptureOptions, capture_target  # noqa: PLC0415
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415
    from pytest_pixelloop.core.levels import Level  # noqa: PLC0415

    given = {"full_page": False, **wishes.screenshot}
    if given.pop("scale", "css") != "css":
        raise ConfigurationError(
            'scale="device" does not go with a snapshot',
            where="scale",
            expected='"css": snapshots have one px per CSS px, on every machine',
        )
    ignored = [wish.target for wish in wishes.regions if wish.level is Level.IGNORE]
    given["mask"] = (*given.get("mask", ()), *ignored)
    given["regions"] = tuple(w for w in wishes.regions if w.level is not Level.IGNORE)
    frame = frame_of(target)
    return capture_target(
        target,
        frame=frame,
        scale=1.0,
        options=CaptureOptions(**given),
        browser=browser,
        viewport_size=frame,
    )
