"""The manifest ``designs.yaml``: which designs there are, where they lie and how they are judged.

Its format is documented in docs/designs.md. Reading it touches no other file.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.judging import GATE_NAMES
from pytest_pixelloop.core.tolerance import check_tolerance
from pytest_pixelloop.sources.manifest_yaml import Field, compose_yaml
from pytest_pixelloop.sources.node_ids import canonical_id
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIFEST_NAME = "designs.yaml"
SCHEMA_VERSION = 1
MAX_BYTES = 8_000_000

_TOP = ("schema_version", "defaults", "designs")
_DEFAULTS = ("tolerance", "gate", "scale", "mask")
_DESIGN = (
    *("image", "figma", "bridge", "nodes", "node", "gate", "scale"),
    *("viewports", "themes", "tolerance", "mask", "hold_out"),
    *("nav", "capture_command"),
)
_PICTURE = ("node", "image", "nodes", "scale")
_VIEWPORT = (*_PICTURE, "width", "height")
_THEME = (*_PICTURE, "viewports")
_VARIANT_NAME = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*", re.ASCII)
_LARGEST_SCALE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A viewport or a theme of a design, and what of the design is different in it.

    ``size`` is (width, height) in CSS px, either None where the manifest is silent.
    ``viewports`` belongs to a theme: what is different in it at one viewport.
    """

    name: str
    node: str | None = None
    image: Path | None = None
    nodes: Path | None = None
    scale: float | None = None
    size: tuple[int | None, int | None] = (None, None)
    viewports: Mapping[str, Variant] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEntry:
    """One design of the manifest, with the defaults filled in. Paths are absolute.

    ``line`` is where it stands. ``figma`` is as written. The viewports of a ``bridge`` are
    breakpoints of its screens.
    """

    name: str
    line: int
    image: Path | None = None
    figma: str | None = None
    bridge: Path | None = None
    nodes: Path | None = None
    node: str | None = None
    gate: str | None = None
    scale: float | None = None
    viewports: tuple[Variant, ...] = ()
    themes: tuple[Variant, ...] = ()
    tolerance: Mapping[str, float] = field(default_factory=dict)
    mask: tuple[str, ...] = ()
    hold_out: bool = False
    nav: Path | None = None
    capture_command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The designs of one folder by name, in the file's order. ``path`` is absolute."""

    path: Path
    designs: Mapping[str, DesignEntry]

    @property
    def folder(self) -> Path:
        """The folder that the manifest's paths are relative to."""
        return self.path.parent

    def shown(self, path: Path) -> str:
        """Return *path* as messages and reports show it: from the project folder on."""
        return shown_path(path, project=self.folder.parent)


def shown_path(path: Path, *, project: Path) -> str:
    """Return *path* relative to the *project* folder where it lies inside, with ``/``."""
    try:
        return path.relative_to(project).as_posix()
    except ValueError:
        return path.as_posix()


def load_manifest(path: Path) -> Manifest:
    """Return the manifest in the file *path*.

    Raises ConfigurationError that names file, line and key for everything that is not right in
    it, and for a file that cannot be read.
    """
    path = path.absolute()
    shown = shown_path(path, project=path.parent.parent)
    data = read_file(path, name=shown, error=ConfigurationError, max_bytes=MAX_BYTES)
    top = compose_yaml(data, shown=shown).mapping(_TOP)
    _check_version(top.get("schema_version"), shown)
    defaults = top["defaults"].mapping(_DEFAULTS) if "defaults" in top else {}
    if "designs" not in top:
        raise ConfigurationError("the manifest has no designs", where=shown, expected="designs:")
    designs: dict[str, DesignEntry] = {}
    for name, value in top["designs"].mapping().items():
        _check_name(name, value)
        entry = Field(node=value.node, what=f"design {printable(name)!r}", shown=shown)
        designs[name] = _design(name, entry, defaults, path.parent)
    return Manifest(path=path, designs=designs)


def _check_version(version: Field | None, shown: str) -> None:
    if version is None:
        raise ConfigurationError(
            "the manifest does not say its schema_version",
            where=f"{shown}:1",
            expected=f"schema_version: {SCHEMA_VERSION}",
            next_step=f"add the line schema_version: {SCHEMA_VERSION}",
        )
    if version.number() != SCHEMA_VERSION:
        raise ConfigurationError(
            f"the manifest has schema_version {version.node.value}",
            where=version.where,
            expected=f"schema_version: {SCHEMA_VERSION}",
            next_step="use the version of pytest-pixelloop that it was written for",
        )


def _check_name(name: str, value: Field) -> None:
    parts = name.split("/")
    if "\\" in name or printable(name) != name or any(p.strip(" .") == "" for p in parts):
        raise ConfigurationError(
            f"{printable(name)!r} cannot be a design's name",
            where=value.where,
            expected='letters, digits and the like, such as "checkout" or "checkout/form"',
        )


def _design(name: str, entry: Field, defaults: Mapping[str, Field], folder: Path) -> DesignEntry:
    own = entry.mapping(_DESIGN)
    kinds = [key for key in ("image", "bridge") if key in own]
    if "bridge" in own and (len(kinds) > 1 or "figma" in own):
        raise ConfigurationError(
            f"{entry.what} has a bridge and another source",
            where=own["bridge"].where,
            expected="one of image (with or without figma) and bridge",
        )
    both = {**defaults, **own}
    if "bridge" in own:
        _refuse_beside_bridge(own)
        both.pop("scale", None)  # a default of the other designs: a bridge has its own
    return DesignEntry(
        name=name,
        line=entry.node.start_mark.line + 1,
        image=_path(own.get("image"), folder),
        figma=own["figma"].text() if "figma" in own else None,
        bridge=_path(own.get("bridge"), folder),
        nodes=_path(own.get("nodes"), folder),
        node=_node(own.get("node")),
        gate=_gate(both.get("gate")),
        scale=_scale(both.get("scale")),
        viewports=_variants(own.get("viewports"), folder, known=_VIEWPORT),
        themes=_variants(own.get("themes"), folder, known=_THEME),
        tolerance=_tolerance(defaults.get("tolerance")) | _tolerance(own.get("tolerance")),
        mask=both["mask"].texts() if "mask" in both else (),
        hold_out=own["hold_out"].boolean() if "hold_out" in own else False,
        nav=_path(own.get("nav"), folder),
        capture_command=own["capture_command"].text() if "capture_command" in own else None,
    )


def _refuse_beside_bridge(own: Mapping[str, Field]) -> None:
    """Refuse the keys that tell of pictures and nodes: a bridge file has its own."""
    for key in ("nodes", "node", "scale", "themes"):
        if key in own:
            raise ConfigurationError(
                f"{own[key].what} does not go with a bridge, which has its own",
                where=own[key].where,
                expected="bridge with viewports (its breakpoints), gate, tolerance, mask, hold_out",
            )
    viewports = own["viewports"].mapping() if "viewports" in own else {}
    for value in viewports.values():
        value.mapping(())


def _variants(value: Field | None, folder: Path, *, known: tuple[str, ...]) -> tuple[Variant, ...]:
    if value is None:
        return ()
    found: list[Variant] = []
    for name, entry in value.mapping().items():
        if not _VARIANT_NAME.fullmatch(name):
            raise ConfigurationError(
                f"{printable(name)!r} cannot be the name of a viewport or theme",
                where=entry.where,
                expected='letters and digits, joined by single "-", "_" or "."',
            )
        own = entry.mapping(known)
        inner = _variants(own.get("viewports"), folder, known=_PICTURE)
        found.append(
            Variant(
                name=name,
                node=_node(own.get("node")),
                image=_path(own.get("image"), folder),
                nodes=_path(own.get("nodes"), folder),
                scale=_scale(own.get("scale")),
                size=(_length(own.get("width")), _length(own.get("height"))),
                viewports={variant.name: variant for variant in inner},
            )
        )
    return tuple(found)


def _path(value: Field | None, folder: Path) -> Path | None:
    """Return a path of the manifest as an absolute one, refusing what leaves the project.

    The project is the folder that holds the designs folder. Symbolic links are not followed for
    this: build systems put whole projects together out of links.
    """
    if value is None:
        return None
    text = value.text()
    if "\\" in text or "\0" in text:
        raise value.wrong('a path with "/" between its parts')
    path = Path(os.path.normpath(folder / text))
    if not path.is_relative_to(folder.parent):
        raise ConfigurationError(
            f"{value.what} is {printable(text)!r}, which leads out of the project",
            where=value.where,
            expected=f'a path relative to the manifest that stays below "{folder.parent.name}"',
            next_step="copy the file into the designs folder",
        )
    return path


def _node(value: Field | None) -> str | None:
    return None if value is None else canonical_id(value.raw())


def _gate(value: Field | None) -> str | None:
    if value is None:
        return None
    gate = value.text()
    if gate not in GATE_NAMES:
        raise value.wrong("one of " + ", ".join(GATE_NAMES))
    return gate


def _scale(value: Field | None) -> float | None:
    if value is None:
        return None
    scale = value.number()
    if not 0 < scale <= _LARGEST_SCALE:
        raise value.wrong(f"device px per CSS px: a number above 0, at most {_LARGEST_SCALE}")
    return scale


def _length(value: Field | None) -> int | None:
    if value is None:
        return None
    length = value.number()
    if length < 1 or length != int(length):
        raise value.wrong("a whole number of CSS px")
    return int(length)


def _tolerance(value: Field | None) -> dict[str, float]:
    checked: dict[str, float] = {}
    for key, limit in (value.mapping() if value is not None else {}).items():
        checked |= check_tolerance({key: limit.plain()}, where=limit.where)
    return checked
