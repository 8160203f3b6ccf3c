"""Recorded snapshots: where a test's picture lies, and the picture as a design.

The place follows a template (ini ``pixelloop_snapshot_path``) in the manner of Playwright Test's
``snapshotPathTemplate``: a token with a dash vanishes together with it when there is no value.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.design import Design, Placement
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.snapshot_place import TOKEN, check_template
from pytest_pixelloop.sources.node_ids import safe_name
from pytest_pixelloop.sources.picture_file import read_picture

if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Match


def snapshot_path(
    template: str,
    *,
    root: Path,
    test_file: Path,
    name: str,
    browser: str | None = None,
    platform: str | None = None,
) -> Path:
    """Return the absolute path of the snapshot *name* of a test.

    ``a/b`` makes a folder of ``a``; every part is made a safe file name, so that no name leads
    out of the place. Raises ConfigurationError for an empty name and for a template that leads
    out of *root*.
    """
    parts = [safe_name(part) for part in name.removesuffix(".png").split("/") if part.strip(" .")]
    if not parts:
        raise ConfigurationError(
            f"{name!r} cannot be the name of a snapshot", expected='a name such as "checkout"'
        )
    values: Mapping[str, str | None] = {
        "test_dir": test_file.parent.as_posix(),
        "test_file": test_file.name,
        "name": "/".join(parts),
        "browser": safe_name(browser) if browser else None,
        "platform": safe_name(platform) if platform else None,
    }

    def filled(match: Match[str]) -> str:
        value = values[match[2]]
        return f"{match[1]}{value}" if value else ""

    path = Path(os.path.normpath(root / TOKEN.sub(filled, check_template(template))))
    if not path.is_relative_to(Path(os.path.normpath(root))):
        raise ConfigurationError(
            f"the snapshot {printable(name)!r} would lie outside the project",
            where=path.as_posix(),
            expected=f"a place below {root.as_posix()}",
            next_step="change the ini key pixelloop_snapshot_path",
        )
    return path


def snapshot_label(name: str) -> str:
    """Return the label of the comparison with the snapshot *name*."""
    return safe_name(name.removesuffix(".png"))


def read_snapshot(path: Path, *, name: str, shown: str, scale: float) -> Design:
    """Return the recorded picture *path* as a design that the ``snapshot`` gate judges.

    *scale* is device px per CSS px of the capture it is held against. Raises DesignUnreadableError.
    """
    restore = "restore the file, or record it anew with --pixelloop-update=all"
    picture, data = read_picture(path, name=shown, next_step=restore)
    return Design(
        name=name,
        label=snapshot_label(name),
        image=picture,
        frame=(picture.shape[1] / scale, picture.shape[0] / scale),
        scale=scale,
        placement=Placement(scale=scale, origin=(0.0, 0.0), rule="given"),
        gate="snapshot",
        files=(str(path),),
        provenance={"image": shown, "sha256": {"image": hashlib.sha256(data).hexdigest()}},
    )
