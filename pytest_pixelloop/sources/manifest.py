"""The manifest ``designs.yaml``: which designs there are, where they lie and how they are judged.

Its format is documented in docs/designs.md. Reading it touches no other file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.screenshot_words import lay_over
from pytest_pixelloop.sources.manifest_channels import allow_of, appearance_of, expect_of
from pytest_pixelloop.sources.manifest_screenshot import masks_of, regions_of, screenshot_of
from pytest_pixelloop.sources.manifest_values import (
    figma_of,
    gate_of,
    node_of,
    path_of,
    scale_of,
    tolerance_of,
)
from pytest_pixelloop.sources.manifest_variants import (
    Variant,
    shared_themes,
    shared_viewports,
    themes_of,
    viewports_of,
)
from pytest_pixelloop.sources.manifest_yaml import Field, compose_yaml
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_pixelloop.core.levels import RegionWish
    from pytest_pixelloop.core.viewports import ThemeHook, Viewport

__all__ = ["DesignEntry", "Manifest", "Variant", "load_manifest", "shown_path"]

MANIFEST_NAME = "designs.yaml"
SCHEMA_VERSION = 1
MAX_BYTES = 8_000_000

_TOP = ("schema_version", "defaults", "viewports", "themes", "designs")
_DEFAULTS = (
    *("tolerance", "gate", "scale", "mask", "screenshot", "regions"),
    *("appearance", "allow"),
)
_DESIGN = (
    *("image", "figma", "bridge", "nodes", "node", "gate", "scale"),
    *("viewports", "themes", "tolerance", "mask", "screenshot", "regions", "hold_out"),
    *("nav", "capture_command", "expect", "appearance", "allow"),
)


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
    screenshot: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[RegionWish, ...] = ()
    hold_out: bool = False
    expect: tuple[Any, ...] = ()
    appearance: Any = None
    allow: tuple[str, ...] = ()
    nav: Path | None = None
    capture_command: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The designs of one folder by name, in the file's order. ``path`` is absolute.

    ``viewports`` and ``themes`` are those that it names for all designs.
    """

    path: Path
    designs: Mapping[str, DesignEntry]
    viewports: Mapping[str, Viewport] = field(default_factory=dict)
    themes: Mapping[str, ThemeHook] = field(default_factory=dict)

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
    if not os.path.lexists(path):
        raise ConfigurationError(
            "there is no manifest yet",
            where=f"{shown} (there is no such file)",
            expected="schema_version: 1, and under designs: each name with its image: or figma:",
            next_step="write it, or let pixelloop import FOLDER begin it; --designs DIR where it "
            "lies elsewhere",
        )
    data = read_file(path, name=shown, error=ConfigurationError, max_bytes=MAX_BYTES)
    top = compose_yaml(data, shown=shown).mapping(_TOP)
    _check_version(top.get("schema_version"), shown)
    defaults = top["defaults"].mapping(_DEFAULTS) if "defaults" in top else {}
    if "designs" not in top:
        raise ConfigurationError("the manifest has no designs", where=shown, expected="designs:")
    shared = _Shared(
        folder=path.parent,
        defaults=defaults,
        viewports=shared_viewports(top.get("viewports")),
        themes=shared_themes(top.get("themes")),
    )
    designs: dict[str, DesignEntry] = {}
    for name, value in top["designs"].mapping().items():
        _check_name(name, value)
        entry = Field(node=value.node, what=f"design {printable(name)!r}", shown=shown)
        designs[name] = _design(name, entry, shared)
    return Manifest(path=path, designs=designs, viewports=shared.viewports, themes=shared.themes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """What the manifest says for all designs."""

    folder: Path
    defaults: Mapping[str, Field]
    viewports: Mapping[str, Viewport]
    themes: Mapping[str, ThemeHook]


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


def _design(name: str, entry: Field, shared: _Shared) -> DesignEntry:
    folder, defaults = shared.folder, shared.defaults
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
        image=path_of(own.get("image"), folder),
        figma=figma_of(own.get("figma")),
        bridge=path_of(own.get("bridge"), folder),
        nodes=path_of(own.get("nodes"), folder),
        node=node_of(own.get("node")),
        gate=gate_of(both.get("gate")),
        scale=scale_of(both.get("scale")),
        viewports=viewports_of(own.get("viewports"), folder, shared.viewports),
        themes=themes_of(own.get("themes"), folder, shared.themes),
        tolerance=tolerance_of(defaults.get("tolerance")) | tolerance_of(own.get("tolerance")),
        mask=masks_of(both.get("mask")),
        screenshot=lay_over(
            screenshot_of(defaults.get("screenshot"), folder),
            screenshot_of(own.get("screenshot"), folder),
        ),
        regions=regions_of(defaults.get("regions"), own.get("regions")),
        hold_out=own["hold_out"].boolean() if "hold_out" in own else False,
        expect=expect_of(own.get("expect")),
        appearance=appearance_of(defaults.get("appearance"), own.get("appearance")),
        allow=allow_of(defaults.get("allow"), own.get("allow")),
        nav=path_of(own.get("nav"), folder),
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
