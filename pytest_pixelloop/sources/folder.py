"""Designs from a folder: the manifest's names turned into pictures with node trees.

Nothing here talks to a network. What is missing or unreadable is a DesignUnreadableError, which a
test reports as undetermined; a manifest with a mistake in it is a ConfigurationError.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import os
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError, DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.judging import GATE_NAMES
from pytest_pixelloop.core.viewports import read_themes, read_viewports
from pytest_pixelloop.sources.bridge import bridge_design, load_bridge, project_of
from pytest_pixelloop.sources.exported_pair import ExportedPair, design_of_pair, own_id
from pytest_pixelloop.sources.figma_nodes import read_nodes
from pytest_pixelloop.sources.locked import check_hashes, find_files
from pytest_pixelloop.sources.manifest import (
    MANIFEST_NAME,
    DesignEntry,
    Manifest,
    load_manifest,
    shown_path,
)
from pytest_pixelloop.sources.node_ids import label_of
from pytest_pixelloop.sources.part import cut_part, find_part
from pytest_pixelloop.sources.plan import PlannedComparison
from pytest_pixelloop.sources.screens import no_design, refuse_other_width, viewport_sizes
from pytest_pixelloop.sources.sections import choose_frame, group_of, plan_frames
from pytest_pixelloop.sources.selection import Selection, select
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.sources.lock import LockEntry

__all__ = ["PlannedComparison", "design_from_files", "load_design", "plan_comparisons"]


def plan_comparisons(
    folder: Path,
    name: str,
    *,
    viewport: str | Sequence[str] | None = None,
    theme: str | Sequence[str] | None = None,
    otherwise: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    element: bool = False,
) -> tuple[PlannedComparison, ...]:
    """Return the comparisons that the manifest in *folder* plans for the design *name*.

    *viewport* and *theme* choose among them, one or several; *otherwise* holds viewports and
    themes for a design that names none, *element* tells that an element is to be captured.
    ``checkout/form`` is the entry of that name, else the node ``form`` inside the design
    ``checkout``. A section is planned as its frames. Raises DesignUnreadableError for an
    unknown name and ConfigurationError for a mistake in the manifest or a word that is no viewport
    or theme; a design that is missing on disk, or that has no such viewport or theme, is still
    planned, and refused by load_design.
    """
    path = folder.absolute() / MANIFEST_NAME
    if not os.path.lexists(path):
        shown = shown_path(path, project=path.parent.parent)
        raise DesignUnreadableError(
            f'no design for "{printable(name)}"\n'
            f"  looked in: {shown} (there is no such file)\n"
            f"  write it: schema_version: 1, and under designs: the name with its image"
        )
    manifest = load_manifest(path)
    entry, part = _entry(manifest, name)
    selection = Selection(
        viewports=read_viewports(viewport, where="viewport"),
        themes=read_themes(theme, where="theme"),
        otherwise=otherwise,
        element=element,
    )
    return tuple(
        found
        for item in select(manifest, entry, selection)
        for found in _expanded(item, name=name, part=part)
    )


def _expanded(
    item: PlannedComparison, *, name: str, part: str | None
) -> tuple[PlannedComparison, ...]:
    """Return what *item* stands for: itself, or the frames of its section."""
    group = group_of(item)
    if group is None:
        return (_with_known_node(item, name=name, part=part),)
    if part is None:
        return plan_frames(group)
    frame, inside = choose_frame(group, part)
    if frame.refusal is not None:
        return (dataclasses.replace(frame, name=name, entry=item.name),)
    return (frame if inside is None else _with_known_node(frame, name=name, part=inside),)


def load_design(planned: PlannedComparison) -> Design:
    """Return the design side of one planned comparison, picture and node tree.

    Raises DesignUnreadableError when it is missing, unreadable, or does not fit together.
    """
    project = planned.manifest.parent.parent
    if planned.bridge is not None:
        return _load_bridge(planned, planned.bridge, project)
    if planned.refusal is not None:
        raise no_design(planned)
    files = find_files(planned)
    if files.image is None:
        raise no_design(planned)
    design = design_of_pair(
        ExportedPair(
            image=files.image,
            nodes=files.nodes,
            image_name=shown_path(files.image, project=project),
            nodes_name=shown_path(files.nodes, project=project) if files.nodes else None,
        ),
        name=planned.name,
        node=planned.cut_from or planned.node,
        scale=planned.scale,
        width=None if planned.own_width else planned.viewport_size[0],
    )
    check_hashes(planned, files, design.provenance["sha256"])
    if planned.cut_from is not None and planned.node is not None:
        design = cut_part(design, planned.node)
    screen = design.frame
    if planned.own_width:
        refuse_other_width(planned, screen[0])
    if planned.part is not None:
        design = cut_part(design, planned.part)
    size, surroundings = viewport_sizes(planned, screen)
    design = _as_planned(design, planned, more=_locked(files.entry))
    return dataclasses.replace(
        design,
        viewport=planned.viewport,
        viewport_size=size,
        surroundings=surroundings,
        touch=planned.view.touch if planned.view else None,
        mobile=planned.view.mobile if planned.view else None,
        theme=planned.theme,
        hook=planned.hook,
    )


def _as_planned(
    design: Design, planned: PlannedComparison, *, more: Mapping[str, Any] | None = None
) -> Design:
    """Return *design* under its label, judged as the manifest says; *more* is its provenance."""
    project = planned.manifest.parent.parent
    figma = {} if planned.figma is None else {"figma": planned.figma}
    return dataclasses.replace(
        design,
        label=planned.label,
        gate=planned.gate or design.gate,
        tolerance=planned.tolerance,
        mask=planned.mask,
        screenshot=planned.screenshot,
        regions=planned.regions,
        hold_out=planned.hold_out,
        expect=planned.expect,
        appearance=planned.appearance,
        allow=planned.allow,
        files=(*design.files, str(planned.manifest)),
        provenance={
            **design.provenance,
            "manifest": shown_path(planned.manifest, project=project),
            **figma,
            **(more or {}),
        },
    )


def _load_bridge(planned: PlannedComparison, path: Path, project: Path) -> Design:
    """Return the screen of a bridge file, judged as the manifest says."""
    folder = project_of(path) or project
    bridge = load_bridge(path, project=folder)
    design = bridge_design(
        bridge, bridge.screen(planned.viewport), path=path, project=folder, name=planned.name
    )
    if planned.part is not None:
        design = cut_part(design, planned.part)
    return _as_planned(design, planned)


def design_from_files(
    image: Path,
    nodes: Path | None = None,
    *,
    node: str | None = None,
    name: str | None = None,
    scale: float | None = None,
    gate: str | None = None,
) -> Design:
    """Return a design from an exported picture and its node file, without a manifest.

    *node* chooses among several frames of the file, *scale* (device px per CSS px) is derived
    when not given. Raises as load_design does, and ConfigurationError for an impossible *scale*
    or *gate*.
    """
    if scale is not None and not (math.isfinite(scale) and scale > 0):
        raise ConfigurationError(f"scale {scale!r} is not a number above 0", where="scale")
    if gate is not None and gate not in GATE_NAMES:
        raise ConfigurationError(
            f"unknown gate {gate!r}", where="gate", expected="one of " + ", ".join(GATE_NAMES)
        )
    design = design_of_pair(
        ExportedPair(
            image=image.absolute(),
            nodes=nodes.absolute() if nodes is not None else None,
            image_name=image.as_posix(),
            nodes_name=nodes.as_posix() if nodes is not None else None,
        ),
        name=name or image.stem or "design",
        node=node,
        scale=scale,
        width=None,
    )
    return dataclasses.replace(design, gate=gate)


def _locked(entry: LockEntry | None) -> dict[str, Any]:
    """Return what the lock adds to the provenance: its version is that of the fetched file."""
    if entry is None:
        return {}
    locked = {"source": entry.source, "fetched_at": entry.fetched_at, "version": entry.version}
    own = {"version": entry.version, "file_key": entry.file_key}
    return {"lock": locked, **{key: value for key, value in own.items() if value is not None}}


def _with_known_node(item: PlannedComparison, *, name: str, part: str | None) -> PlannedComparison:
    """Return *item* with the label of the node it is about, where only the tree knows that.

    A tree that cannot be read keeps the label of the name; load_design will say what is wrong.
    """
    if item.node is not None and part is None:
        return item
    node = None
    if item.nodes is not None:
        try:
            data = read_file(item.nodes, name=str(item.nodes), error=DesignUnreadableError)
            root = read_nodes(data, name=str(item.nodes)).node(item.node)
            node = own_id(find_part(root, part).node if part is not None else root)
        except DesignUnreadableError:
            node = None
    if node is None and item.entry is not None:
        return dataclasses.replace(item, name=name, part=part)
    label = label_of(name, node=node, theme=item.theme, viewport=item.viewport)
    return dataclasses.replace(
        item, name=name, entry=item.entry or item.name, label=label, part=part
    )


def _entry(manifest: Manifest, name: str) -> tuple[DesignEntry, str | None]:
    """Return the entry *name*, or the entry that its beginning names and the part in it."""
    if name in manifest.designs:
        return manifest.designs[name], None
    at = name.rfind("/")
    while at > 0:
        if name[:at] in manifest.designs and name[at + 1 :]:
            return manifest.designs[name[:at]], name[at + 1 :]
        at = name.rfind("/", 0, at)
    shown = manifest.shown(manifest.path)
    known = list(manifest.designs)
    close = difflib.get_close_matches(name, known, n=1)
    names = ", ".join(printable(k, limit=60) for k in known) or "no design at all"
    hint = f'\n  did you mean: "{printable(close[0])}"' if close else ""
    raise DesignUnreadableError(
        f'no design for "{printable(name)}"\n  looked in: {shown}, which names {names}{hint}'
    )
