"""``pixelloop import FOLDER``: what a person, a plugin or an agent exported becomes a design."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError, PixelloopError
from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_pixelloop.sources.exported_folder import ExportedLabel, ImportWish

DONE, INCOMPLETE = 0, 2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "import",
        help="make a design of an exported folder",
        description="Makes a design of a folder with a PNG and its node tree (REST JSON, a "
        "plugin's JSON_REST_V1, an MCP bundle), or of PNGs named by label.",
        epilog="exit codes: 0 everything is there, 2 something is missing or cannot be read",
    )
    add = parser.add_argument
    add(
        "folder",
        type=Path,
        metavar="FOLDER",
        help="the exported files, or a folder of such folders",
    )
    add("--name", metavar="NAME", help="the design's name (default: the folder's)")
    add("--designs", type=Path, default=Path("designs"), metavar="DIR", help="the designs folder")
    add("--image", type=Path, metavar="FILE", help="the design's picture, where there are several")
    add("--node", metavar="ID", help="the node, where the tree holds several")
    add("--scale", type=float, help="device px per CSS px (default: derived)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Import, say what came of it, and return the exit code."""
    from pytest_pixelloop.sources.exported_folder import (  # noqa: PLC0415
        ImportWish,
        holds_export,
    )

    folder: Path = arguments.folder
    if not folder.is_dir():
        raise ConfigurationError("there is no such folder", where=str(folder))
    scale = arguments.scale
    if scale is not None and not (math.isfinite(scale) and 0 < scale <= 64):
        raise ConfigurationError(f"--scale {scale!r} is no scale", expected="a number above 0")
    wish = ImportWish(node=arguments.node, image=arguments.image, scale=scale)
    if holds_export(folder):
        return _one(folder, arguments.name or _default_name(folder), wish, arguments.designs)
    inner = sorted(
        p for p in folder.iterdir() if p.is_dir() and p.name[0] != "." and holds_export(p)
    )
    if not inner:
        raise ConfigurationError(
            "there is nothing to import",
            where=str(folder),
            expected="a PNG, with a node tree as JSON or metadata.xml beside it",
        )
    if arguments.name or arguments.node or arguments.image:
        raise ConfigurationError(
            f"{len(inner)} folders cannot share --name, --node or --image",
            next_step=f"import one of them: {inner[0]}",
        )
    return _several(inner, wish, arguments.designs)


def _several(folders: list[Path], wish: ImportWish, designs: Path) -> int:
    """Import every folder; one that cannot be read does not stop the others."""
    code = DONE
    for folder in folders:
        try:
            code = max(code, _one(folder, _default_name(folder), wish, designs))
        except PixelloopError as error:
            print(f"missing: {printable(folder.name)}: {error}")
            code = INCOMPLETE
    return code


def _one(folder: Path, name: str, wish: ImportWish, designs: Path) -> int:
    from pytest_pixelloop.sources.exported_folder import read_export  # noqa: PLC0415
    from pytest_pixelloop.sources.keep_import import keep_labels  # noqa: PLC0415

    labels, notes = read_export(folder, wish)
    code = DONE
    for design, group in _designs(name, labels):
        kept = keep_labels(designs.absolute(), design, group, now=datetime.now(UTC))
        for label, item, changes in zip(kept.labels, group, kept.changes, strict=True):
            scale = f", scale {item.scale:.4g}" if item.scale else ""
            tree = "picture and nodes" if item.nodes else "picture alone"
            print(f"imported {printable(design)} {label}: {tree} ({item.source}){scale}")
            print("\n".join(f"  {line}" for line in changes), end="\n" if changes else "")
            for note in item.notes:
                print(f"  note: {printable(note, limit=300)}")
        for frame in kept.missing:
            print(f"missing: {printable(design)} {printable(frame)}: no picture of this frame")
            code = INCOMPLETE
        if kept.to_add:
            print(f"add these lines to {designs / 'designs.yaml'}, below designs:")
            print("\n".join(kept.to_add))
            code = INCOMPLETE
    for note in notes:
        print(f"  note: {printable(note, limit=300)}")
    return code


def _designs(
    name: str, labels: tuple[ExportedLabel, ...]
) -> Iterator[tuple[str, tuple[ExportedLabel, ...]]]:
    """Yield designs with their labels: all of one design, else one for each picture.

    Several pictures that differ in neither theme nor viewport are several screens, unless they are
    the frames of one section.
    """
    from pytest_pixelloop.sources.keep_import import common_group  # noqa: PLC0415

    variants = {(item.theme, item.viewport) for item in labels}
    if len(variants) == len(labels) or common_group(labels) is not None:
        yield name, labels
        return
    for item in labels:
        yield f"{name}/{item.stem}", (item,)


def _default_name(folder: Path) -> str:
    name = folder.absolute().name.strip(" .")
    return "".join(c if c.isalnum() or c in "-_. " else "-" for c in name) or "design"
