"""Designs from bridge files: which file, which screen, which picture, in one project folder."""

from __future__ import annotations

import difflib
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.design import Design, Placement
from pytest_pixelloop.core.errors import ConfigurationError, DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.bridge_file import Bridge, Screen, read_bridge, screen_tree
from pytest_pixelloop.sources.figma_json import parse_json
from pytest_pixelloop.sources.node_ids import label_of
from pytest_pixelloop.sources.picture_file import read_picture
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["bridge_design", "bridge_files", "find_bridge", "load_bridge", "project_of"]

FOLDER = ".ddalkak"
CONFIG = "ddalkak.config.json"
ENDING = ".bridge.json"
MAX_BYTES = 64_000_000
#: A bridge file describes the page at one device px a CSS px.
SCALE = 1.0


def find_bridge(project: Path, name: str | None = None) -> Path:
    """Return the bridge file *name* of a project; without a name the one that its config names.

    Without either, the only one there is. Raises ConfigurationError for a name that is none, and
    DesignUnreadableError with the names that are there for one that is not.
    """
    folder = project / FOLDER / "bridge"
    name = name or _configured(project)
    known = sorted(p.name.removesuffix(ENDING) for p in _listed(folder))
    if name is None:
        if len(known) == 1:
            return folder / (known[0] + ENDING)
        raise ConfigurationError(
            "no bridge is named",
            where=f"{FOLDER}/bridge: " + (", ".join(map(printable, known)) or "there is none"),
            next_step="pixelloop verify --project . --name NAME --url URL",
        )
    if name in {"", ".", ".."} or any(c in name for c in '/\\\0:"<>|?*'):
        raise ConfigurationError(
            f"{printable(name)!r} cannot be the name of a bridge",
            expected=f"the NAME of {FOLDER}/bridge/NAME{ENDING}",
        )
    path = folder / (name + ENDING)
    if not path.is_file():
        close = difflib.get_close_matches(name, known, n=1)
        raise DesignUnreadableError(
            f'no bridge file for "{printable(name)}"',
            where=f"{FOLDER}/bridge/{printable(name)}{ENDING} (there is no such file)",
            expected="one of " + ", ".join(map(printable, known)) if known else "",
            next_step=f"did you mean {printable(close[0])}?" if close else "",
        )
    return path


def load_bridge(path: Path, *, project: Path) -> Bridge:
    """Return the bridge in the file *path*. Raises DesignUnreadableError."""
    shown = _shown(path, project)
    data = read_file(path, name=shown, error=DesignUnreadableError, max_bytes=MAX_BYTES)
    return read_bridge(data, name=path.name.removesuffix(ENDING), shown=shown)


def bridge_files(path: Path, *, project: Path) -> tuple[Path, ...]:
    """Return the bridge file and every baseline that it names; never raises."""
    try:
        bridge = load_bridge(path, project=project)
    except DesignUnreadableError:
        return (path,)
    found = [path]
    for screen in bridge.screens:
        export = bridge.exports.get(screen.screenshot or "")
        if export is not None and "\0" not in export:
            found.append(Path(os.path.normpath(project / export)))
    return tuple(dict.fromkeys(found))


def project_of(path: Path) -> Path | None:
    """Return the project folder of a bridge file that lies in its usual place, else None."""
    folder = path.parent
    usual = folder.name == "bridge" and folder.parent.name == FOLDER
    return folder.parent.parent if usual else None


def bridge_design(
    bridge: Bridge, screen: Screen, *, path: Path, project: Path, name: str | None = None
) -> Design:
    """Return one screen as a design, with the picture that its screenshot names.

    A missing picture is never made from a render: DesignUnreadableError, as for one that cannot
    be read or lies outside the project. A picture of another size than the frame is taken as it
    is; comparing it is a finding.
    """
    picture_path = _baseline(bridge, screen, project)
    shown = _shown(picture_path, project)
    picture, data = read_picture(picture_path, name=shown)
    width, height = screen.frame
    name = name or bridge.name
    return Design(
        name=name,
        label=label_of(name, node=None, viewport=screen.breakpoint),
        image=picture,
        frame=screen.frame,
        scale=SCALE,
        root=screen_tree(screen, shown=bridge.shown),
        placement=Placement(scale=SCALE, origin=(0.0, 0.0), rule="given"),
        gate="pixel",
        viewport=screen.breakpoint,
        viewport_size=(max(1, round(width)), max(1, round(height))),
        files=(str(picture_path), str(path)),
        provenance={
            "image": shown,
            "bridge": bridge.shown,
            "screen": screen.name,
            "breakpoint": screen.breakpoint,
            "sha256": {
                "image": hashlib.sha256(data).hexdigest(),
                "bridge": hashlib.sha256(
                    read_file(path, name=bridge.shown, error=DesignUnreadableError)
                ).hexdigest(),
            },
        },
    )


def _baseline(bridge: Bridge, screen: Screen, project: Path) -> Path:
    asset = screen.screenshot
    export = bridge.exports.get(asset) if asset is not None else None
    if export is None:
        what = (
            f"the screen {printable(screen.breakpoint)!r} names no screenshot"
            if asset is None
            else f"there is no asset {printable(asset)!r} with an export"
        )
        raise DesignUnreadableError(
            f"no baseline: {what}",
            where=bridge.shown,
            expected="screenshot: the id in assets[] whose export is a PNG file",
            next_step="export the frame and write the bridge again; a render never becomes one",
        )
    if "\0" in export or "\\" in export:
        raise _outside(export, bridge)
    path = Path(os.path.normpath(project / export))
    if not path.is_relative_to(Path(os.path.normpath(project))):
        raise _outside(export, bridge)
    if not os.path.lexists(path):
        raise DesignUnreadableError(
            "no baseline: the exported picture is not there",
            where=printable(export),
            next_step="export the frame to this file; a render never becomes the baseline",
        )
    return path


def _outside(export: str, bridge: Bridge) -> DesignUnreadableError:
    return DesignUnreadableError(
        f"the baseline is {printable(export)!r}, which leads out of the project",
        where=bridge.shown,
        expected="a path relative to the project",
    )


def _configured(project: Path) -> str | None:
    path = project / FOLDER / CONFIG
    if not path.is_file():
        return None
    shown = f"{FOLDER}/{CONFIG}"
    value = parse_json(read_file(path, name=shown, error=DesignUnreadableError), name=shown)
    for key in ("name", "bridge"):
        told = value.get(key) if isinstance(value, dict) else None
        if isinstance(told, str) and told:
            return told.rsplit("/", 1)[-1].removesuffix(ENDING)
    return None


def _listed(folder: Path) -> Iterable[Path]:
    try:
        return [p for p in folder.iterdir() if p.name.endswith(ENDING)]
    except OSError:
        return []


def _shown(path: Path, project: Path) -> str:
    try:
        return path.absolute().relative_to(project.absolute()).as_posix()
    except ValueError:
        return path.as_posix()
