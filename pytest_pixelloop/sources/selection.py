"""Which of a design's comparisons are asked for, and those asked for that it has no picture of.

A viewport or theme that a test asks for is never dropped: where the design has none, its
comparison is planned all the same, with the reason why it cannot be made.
"""

from __future__ import annotations

import dataclasses
import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.viewports import BUILT_IN, SCHEMES, Viewport, sized
from pytest_pixelloop.sources.node_ids import label_of
from pytest_pixelloop.sources.plan import PlannedComparison, plan_entry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_pixelloop.sources.manifest import DesignEntry, Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is asked for: viewports and themes by name, empty for all that the design names.

    ``otherwise`` are the viewports and themes for a design that names none. ``element`` tells
    that an element is captured: the viewport is what is around it, and its design has no width of
    a viewport.
    """

    viewports: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    otherwise: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    element: bool = False


EVERYTHING = Selection()


def select(
    manifest: Manifest, entry: DesignEntry, selection: Selection = EVERYTHING
) -> tuple[PlannedComparison, ...]:
    """Return the comparisons of *entry* that are asked for, themes outermost, as they are asked.

    Raises ConfigurationError for a word that is no viewport or theme of anything.
    """
    _refuse_unknown(manifest, entry, "viewport", selection.viewports)
    _refuse_unknown(manifest, entry, "theme", selection.themes)
    planned = plan_entry(manifest, entry)
    viewports: tuple[str | None, ...] = selection.viewports
    viewports = viewports or (() if entry.viewports else selection.otherwise[0])
    viewports = viewports or tuple(dict.fromkeys(item.viewport for item in planned))
    themes: tuple[str | None, ...] = selection.themes
    themes = themes or (() if entry.themes else selection.otherwise[1])
    themes = themes or tuple(dict.fromkeys(item.theme for item in planned))
    found: list[PlannedComparison] = []
    for theme in themes:
        for viewport in viewports:
            item = _one(manifest, entry, planned, theme, viewport, element=selection.element)
            if all(item.label != other.label for other in found):
                found.append(item)
    return tuple(found)


def _one(
    manifest: Manifest,
    entry: DesignEntry,
    planned: tuple[PlannedComparison, ...],
    theme: str | None,
    viewport: str | None,
    *,
    element: bool,
) -> PlannedComparison:
    own = _own_viewport(entry, viewport)
    for item in planned:
        if item.theme == theme and item.viewport == own:
            if own == viewport:
                return item
            assert viewport is not None
            return _at(manifest, entry, item, viewport, element=element)
    view = _view(manifest, viewport) if viewport is not None else None
    return PlannedComparison(
        name=entry.name,
        label=label_of(entry.name, node=None, theme=theme, viewport=viewport),
        manifest=manifest.path,
        viewport=viewport,
        view=view,
        theme=theme,
        hold_out=entry.hold_out,
        expect=entry.expect,
        appearance=entry.appearance,
        allow=entry.allow,
        figma=entry.figma,
        refusal=_refusal(entry, theme, viewport, view),
        reason=_reason(entry, theme),
    )


def _own_viewport(entry: DesignEntry, viewport: str | None) -> str | None:
    """Return the design's own viewport that is meant: by name, else by its size.

    A design that names none has one frame, whatever viewport is asked for: None.
    """
    names = [variant.name for variant in entry.viewports]
    if not names or viewport in names:
        return viewport if viewport in names else None
    view = sized(viewport) if viewport is not None else None
    if view is None:
        return viewport
    for variant in entry.viewports:
        width, height = variant.size
        if width == view.width and height in (None, view.height):
            return variant.name
    return viewport


def _at(
    manifest: Manifest,
    entry: DesignEntry,
    item: PlannedComparison,
    viewport: str,
    *,
    element: bool,
) -> PlannedComparison:
    """Return the planned comparison *item* at a viewport by another word than its own."""
    if entry.viewports:
        return item  # 390x844 is what the design calls mobile: one comparison, one label
    return dataclasses.replace(
        item,
        label=label_of(entry.name, node=item.node, theme=item.theme, viewport=viewport),
        viewport=viewport,
        view=_view(manifest, viewport),
        own_width=not element,
    )


def _view(manifest: Manifest, name: str) -> Viewport:
    """Return a viewport by name; of the built-in ones the design's frame decides the height."""
    usual = BUILT_IN.get(name)
    if name in manifest.viewports:
        return manifest.viewports[name]
    if usual is not None:
        return dataclasses.replace(usual, height=None)
    return sized(name) or Viewport(name=name)


def _refusal(
    entry: DesignEntry, theme: str | None, viewport: str | None, view: Viewport | None
) -> str:
    said = []
    if theme is not None and theme not in [v.name for v in entry.themes]:
        names = ", ".join(v.name for v in entry.themes) or "no themes"
        said.append(f"the manifest names {names} for it (add {theme} under themes:)")
    if viewport is not None and entry.viewports:
        names = ", ".join(v.name for v in entry.viewports)
        if _own_viewport(entry, viewport) not in [v.name for v in entry.viewports]:
            size = f", {view.width} px wide" if view is not None and view.width else ""
            said.append(
                f"the manifest names {names} for it (add {viewport} under viewports:{size})"
            )
    return "; ".join(said)


def _reason(entry: DesignEntry, theme: str | None) -> str:
    """Return the word for what is missing: a theme without a frame cannot be made by the page."""
    known = theme is None or theme in [variant.name for variant in entry.themes]
    return "figma-unreadable" if known else "unthemable"


def _refuse_unknown(
    manifest: Manifest, entry: DesignEntry, key: str, wanted: Iterable[str]
) -> None:
    entries = manifest.designs.values()
    if key == "viewport":
        known = [*BUILT_IN, *manifest.viewports, *(v.name for e in entries for v in e.viewports)]
    else:
        known = [*SCHEMES, *manifest.themes, *(v.name for e in entries for v in e.themes)]
    for name in wanted:
        if name in known or (key == "viewport" and sized(name) is not None):
            continue
        close = difflib.get_close_matches(name, known, n=1)
        sizes = ", or a size such as 1280x720" if key == "viewport" else ""
        raise ConfigurationError(
            f"unknown {key} {printable(name)!r}",
            where=f"{manifest.shown(manifest.path)}:{entry.line}",
            expected="one of " + ", ".join(dict.fromkeys(known)) + sizes,
            next_step=f"did you mean {close[0]}?" if close else "",
        )
