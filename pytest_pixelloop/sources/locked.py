"""Whether a design on disk is still the one that was fetched: its files against the lock.

A picture or tree that was changed, cut short or swapped by hand would give a verdict about a
design that nobody drew, so it is refused and never only warned about.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import DesignNotExportedError, DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma.links import parse_link
from pytest_pixelloop.sources.lock import LOCK_NAME, Lock, LockEntry, locked_path, read_lock
from pytest_pixelloop.sources.manifest import shown_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_pixelloop.sources.plan import PlannedComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedFiles:
    """The files to read for a comparison; ``entry`` is what they must be, None for no lock."""

    image: Path | None
    nodes: Path | None
    entry: LockEntry | None


def find_files(planned: PlannedComparison) -> LockedFiles:
    """Return the files of a planned comparison, those that the lock means where it names them.

    Raises DesignUnreadableError when the lock names a file that is gone, or another Figma file
    than the manifest, and DesignNotExportedError when the last pull found that the design is not
    in Figma any more. Raises ConfigurationError for a lock that cannot be read.
    """
    folder = planned.manifest.parent
    lock = read_lock(folder)
    entry = _entry(lock, planned)
    if entry is None or entry.image is None or entry.image_sha256 is None:
        return LockedFiles(image=planned.image, nodes=planned.nodes, entry=None)
    _refuse_gone(lock, entry, planned)
    _refuse_other_source(entry, planned)
    image = locked_path(folder / entry.image, entry.image_sha256)
    nodes = planned.nodes
    if entry.nodes is not None and nodes in (None, folder / entry.nodes):
        nodes = locked_path(folder / entry.nodes, entry.nodes_sha256 or "")
    for path in (image, nodes):
        if path is not None and not os.path.isfile(path):  # noqa: PTH113 - a locked folder
            raise DesignUnreadableError(
                f"{_shown(path, planned)} is in {LOCK_NAME}, but the file is missing",
                where=_shown(folder / LOCK_NAME, planned),
                expected="the file that was fetched, beside its lock",
                next_step=_again(entry, planned),
            )
    return LockedFiles(image=image, nodes=nodes, entry=entry)


def check_hashes(
    planned: PlannedComparison, files: LockedFiles, sha256: Mapping[str, str | None]
) -> None:
    """Raise DesignUnreadableError when a file that was read is not the one that was fetched."""
    if files.entry is None:
        return
    folder = planned.manifest.parent
    for path, name, wanted in (
        (files.image, files.entry.image, files.entry.image_sha256),
        (files.nodes, files.entry.nodes, files.entry.nodes_sha256),
    ):
        kind = "image" if path == files.image else "nodes"
        if path is None or name is None or path.name.removeprefix(".next-") != (folder / name).name:
            continue
        if sha256.get(kind) != wanted:
            raise DesignUnreadableError(
                f"{_shown(path, planned)} is not the file that was fetched: its sha256 differs "
                f"from {LOCK_NAME} ({str(sha256.get(kind))[:12]}, locked {str(wanted)[:12]})",
                where=_shown(folder / LOCK_NAME, planned),
                expected="designs that change by pixelloop pull or pixelloop import only",
                next_step=f"{_again(entry=files.entry, planned=planned)}; a file of your own is "
                "named with image: and nodes: in designs.yaml, under another name",
            )


def not_pulled(planned: PlannedComparison, head: str, places: str) -> DesignNotExportedError:
    """Return the error for a Figma link without files, with what the last pull said about it."""
    name = planned.entry or planned.name
    gap = read_lock(planned.manifest.parent).missing.get((name, planned.label))
    said = f"\n  the last pull said: {printable(gap.why)}" if gap is not None else ""
    return DesignNotExportedError(
        f"{head}: it is not fetched yet\n  looked in: {places}{said}\n"
        f"  next: {pull_command(planned)}"
    )


def pull_command(planned: PlannedComparison) -> str:
    """Return what to type to fetch the design."""
    folder = planned.manifest.parent.name
    where = "" if folder == "designs" else f" --designs {folder}"
    name = planned.entry or planned.name
    quoted = name if name.replace("/", "").replace("-", "").isalnum() else f'"{printable(name)}"'
    return f"pixelloop pull {quoted}{where}"


def _entry(lock: Lock, planned: PlannedComparison) -> LockEntry | None:
    """Return the entry of the first place that is locked or has a picture, None when not locked."""
    folder = planned.manifest.parent
    for path in planned.looked_in:
        inside = path.is_relative_to(folder)
        entry = lock.of_file(path.relative_to(folder).as_posix()) if inside else None
        if entry is not None or path == planned.image:
            return entry
    return None


def _refuse_gone(lock: Lock, entry: LockEntry, planned: PlannedComparison) -> None:
    gap = lock.missing.get((entry.name, entry.label))
    if gap is None or not gap.final:
        return
    raise DesignNotExportedError(
        f"the design {printable(entry.name)} {printable(entry.label)} is not in Figma any more: "
        f"{printable(gap.why)}",
        where=f"{_shown(planned.manifest.parent / LOCK_NAME, planned)}, at {gap.at}",
        expected="a node that is there and can be seen; the older picture is not the design",
        next_step=f"name another node in designs.yaml; when it is back, {pull_command(planned)}",
    )


def _refuse_other_source(entry: LockEntry, planned: PlannedComparison) -> None:
    if planned.figma is None or entry.source != "figma" or entry.file_key is None:
        return
    key = parse_link(planned.figma).key
    if key != entry.file_key:
        raise DesignUnreadableError(
            f"the manifest names the Figma file {key}, but {_shown_image(entry, planned)} was "
            f"fetched from {printable(entry.file_key)}",
            where=_shown(planned.manifest.parent / LOCK_NAME, planned),
            expected="a design of the file that the manifest names",
            next_step=pull_command(planned),
        )


def _again(entry: LockEntry, planned: PlannedComparison) -> str:
    fetch = pull_command(planned) if entry.source == "figma" else "pixelloop import its folder"
    return f"git checkout the file, or {fetch}"


def _shown_image(entry: LockEntry, planned: PlannedComparison) -> str:
    return _shown(planned.manifest.parent / (entry.image or ""), planned)


def _shown(path: Path, planned: PlannedComparison) -> str:
    return shown_path(path, project=planned.manifest.parent.parent)
