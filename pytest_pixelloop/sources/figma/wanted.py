"""Which Figma nodes the manifest wants, label by label, and which of its designs it does not."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.figma.links import parse_link
from pytest_pixelloop.sources.node_ids import label_of
from pytest_pixelloop.sources.plan import plan_entry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_pixelloop.sources.manifest import DesignEntry, Manifest
    from pytest_pixelloop.sources.plan import PlannedComparison

LARGEST_ASKED = 4.0
"""The largest scale that Figma's API takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One label that a pull fetches. ``scale`` is the manifest's, None where it is silent.

    ``image`` and ``nodes`` are where the files go, relative to the designs folder.
    """

    name: str
    label: str
    key: str
    node: str
    scale: float | None
    image: str
    nodes: str
    theme: str | None = None
    viewport: str | None = None

    @property
    def title(self) -> str:
        """The label as lines show it."""
        return printable(f"{self.name} {self.label}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotWanted:
    """A label that a pull leaves alone, and why. ``problem``: it should be there and cannot be."""

    name: str
    label: str
    why: str
    problem: bool = False


def wanted_labels(
    manifest: Manifest, names: Sequence[str] = ()
) -> tuple[tuple[Wanted, ...], tuple[NotWanted, ...]]:
    """Return what to fetch for the designs *names* (all, when none is named), and what not.

    Raises ConfigurationError for a name that the manifest does not have.
    """
    for name in names:
        if name not in manifest.designs:
            raise _unknown(manifest, name)
    wanted: list[Wanted] = []
    left: list[NotWanted] = []
    for entry in manifest.designs.values():
        if names and entry.name not in names:
            continue
        for planned in plan_entry(manifest, entry):
            one = _wanted(manifest, entry, planned)
            if isinstance(one, Wanted):
                wanted.append(one)
            elif one.problem or names or planned.figma is not None:
                left.append(one)
    return tuple(wanted), tuple(left)


def _wanted(
    manifest: Manifest, entry: DesignEntry, planned: PlannedComparison
) -> Wanted | NotWanted:
    place = manifest.folder / entry.name / planned.label
    image = place.with_name(place.name + ".png")
    nodes = place.with_name(place.name + ".nodes.json")
    own = _why_own(manifest, planned, image)
    if planned.figma is None or own is not None:
        why = own or "it has no figma: link in the manifest"
        return NotWanted(name=planned.name, label=planned.label, why=why)
    problem = planned.refusal or _why_impossible(planned)
    if problem is not None or planned.node is None:
        return NotWanted(name=planned.name, label=planned.label, why=problem or "", problem=True)
    return Wanted(
        name=planned.name,
        label=planned.label,
        key=parse_link(planned.figma).key,
        node=planned.node,
        scale=planned.scale,
        image=image.relative_to(manifest.folder).as_posix(),
        nodes=nodes.relative_to(manifest.folder).as_posix(),
        theme=planned.theme,
        viewport=planned.viewport,
    )


def _why_own(manifest: Manifest, planned: PlannedComparison, image: Path) -> str | None:
    """Return which file the manifest names itself, None when both are in their default places."""
    if planned.figma is None or planned.refusal is not None:
        return None
    if planned.looked_in[0] != image:
        return f"the manifest names its picture: {manifest.shown(planned.looked_in[0])}"
    if planned.nodes is not None and not _is_default(manifest, planned, planned.nodes):
        return f"the manifest names its node file: {manifest.shown(planned.nodes)}"
    return None


def _why_impossible(planned: PlannedComparison) -> str | None:
    if planned.node is None:
        return "neither its link nor the manifest names a node (?node-id=... or node:)"
    if planned.scale is not None and planned.scale > LARGEST_ASKED:
        return f"scale {planned.scale:g}: Figma renders at most at scale {LARGEST_ASKED:g}"
    return None


def _is_default(manifest: Manifest, planned: PlannedComparison, nodes: Path) -> bool:
    stems = (planned.label, label_of(planned.name, node=planned.node))
    folder = manifest.folder / planned.name
    return any(
        nodes == folder / (stem + ending)
        for stem in stems
        for ending in (".nodes.json", ".nodes.json.gz")
    )


def _unknown(manifest: Manifest, name: str) -> ConfigurationError:
    known = list(manifest.designs)
    close = difflib.get_close_matches(name, known, n=1)
    names = ", ".join(printable(k, limit=60) for k in known) or "no design at all"
    return ConfigurationError(
        f'no design is called "{printable(name)}"',
        where=f"{manifest.shown(manifest.path)}, which names {names}",
        next_step=f'did you mean "{printable(close[0])}"?' if close else "",
    )
