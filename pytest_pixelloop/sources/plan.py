"""Which pictures one design's comparisons need: theme x viewport, with node, files and label."""

from __future__ import annotations

import os.path
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.sources.figma.links import parse_link
from pytest_pixelloop.sources.node_ids import label_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_pixelloop.core.levels import RegionWish
    from pytest_pixelloop.core.viewports import ThemeHook, Viewport
    from pytest_pixelloop.sources.manifest import DesignEntry, Manifest, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedComparison:
    """One comparison of a design, with everything that is needed to load its design side.

    ``image`` and ``nodes`` are absolute; ``image`` is the first of ``looked_in`` that exists, and
    None when none does. ``part`` is the name of the node inside the design that is meant, None
    for the whole frame. ``refusal`` tells why this comparison has no design side by its nature,
    and ``reason`` is the word for it. ``entry`` is the manifest's name of the design, None where
    ``name`` is that. ``cut_from`` is the node of the section whose picture holds this frame, where
    the frame has none of its own.
    ``own_width`` tells that the frame counts for this viewport only when it is as wide.
    """

    name: str
    label: str
    manifest: Path
    entry: str | None = None
    node: str | None = None
    part: str | None = None
    cut_from: str | None = None
    image: Path | None = None
    looked_in: tuple[Path, ...] = ()
    nodes: Path | None = None
    viewport: str | None = None
    view: Viewport | None = None
    own_width: bool = False
    theme: str | None = None
    hook: ThemeHook | None = None
    scale: float | None = None
    gate: str | None = None
    tolerance: Mapping[str, float] = field(default_factory=dict)
    mask: tuple[str, ...] = ()
    screenshot: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[RegionWish, ...] = ()
    hold_out: bool = False
    expect: tuple[Any, ...] = ()
    appearance: Any = None
    allow: tuple[str, ...] = ()
    figma: str | None = None
    bridge: Path | None = None
    refusal: str | None = None
    reason: str = "figma-unreadable"
    nav: Path | None = None
    capture_command: str | None = None

    @property
    def viewport_size(self) -> tuple[int | None, int | None]:
        """Width and height that are said for the viewport, in CSS px."""
        return (self.view.width, self.view.height) if self.view else (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """One theme at one viewport. ``home`` means: what the design's own keys describe."""

    theme: Variant | None
    viewport: Variant | None
    both: Variant | None
    home_theme: bool
    home_viewport: bool

    @property
    def home(self) -> bool:
        return self.home_theme and self.home_viewport


def plan_entry(manifest: Manifest, entry: DesignEntry) -> tuple[PlannedComparison, ...]:
    """Return the comparisons of *entry*: every theme at every viewport, themes outermost."""
    if entry.bridge is not None:
        return _bridge_plan(manifest, entry)
    choices = [
        _choice(entry, theme, viewport)
        for theme in (entry.themes or (None,))
        for viewport in (entry.viewports or (None,))
    ]
    refusals = [_refusal(choice) for choice in choices]
    nodes = [
        None if refusal is not None else _node(entry, choice)
        for choice, refusal in zip(choices, refusals, strict=True)
    ]
    return tuple(
        _planned(manifest, entry, choice, node, refusal=refusal, alone=nodes.count(node) == 1)
        for choice, node, refusal in zip(choices, nodes, refusals, strict=True)
    )


def _bridge_plan(manifest: Manifest, entry: DesignEntry) -> tuple[PlannedComparison, ...]:
    """Return a comparison for each named breakpoint, or the one of the screen that is preferred."""
    breakpoints: list[str | None] = [viewport.name for viewport in entry.viewports]
    return tuple(
        PlannedComparison(
            name=entry.name,
            label=label_of(entry.name, node=None, viewport=breakpoint_),
            manifest=manifest.path,
            viewport=breakpoint_,
            gate=entry.gate,
            tolerance=entry.tolerance,
            mask=entry.mask,
            hold_out=entry.hold_out,
            expect=entry.expect,
            appearance=entry.appearance,
            allow=entry.allow,
            bridge=entry.bridge,
            nav=entry.nav,
            capture_command=entry.capture_command,
        )
        for breakpoint_ in breakpoints or [None]
    )


def _choice(entry: DesignEntry, theme: Variant | None, viewport: Variant | None) -> _Choice:
    return _Choice(
        theme=theme,
        viewport=viewport,
        both=theme.viewports.get(viewport.name) if theme and viewport else None,
        # Of several themes with pictures of their own none is the design's; of viewports the first.
        home_theme=len(entry.themes) < 2 or theme is _home(entry.themes, entry.node),
        home_viewport=viewport is None
        or viewport is (_home(entry.viewports, entry.node) or entry.viewports[0]),
    )


def _home(variants: tuple[Variant, ...], node: str | None) -> Variant | None:
    """Return the variant that the design's own keys describe: of its node, or with nothing own."""
    same = (v for v in variants if node is not None and v.node == node)
    bare = (v for v in variants if v.node is None and v.image is None)
    return next(same, None) or next(bare, None)


def _node(entry: DesignEntry, choice: _Choice) -> str | None:
    """Return the node id of a choice; a theme's own node counts at the home viewport only."""
    if choice.both is not None and choice.both.node is not None:
        return choice.both.node
    theme = choice.theme.node if choice.theme else None
    viewport = choice.viewport.node if choice.viewport else None
    if theme is not None and (choice.home_viewport or viewport is None):
        return theme
    return viewport or entry.node or _figma_node(entry.figma)


def _figma_node(url: str | None) -> str | None:
    """Return the node id in a Figma link (``node-id=12-34``), None when it names none."""
    return None if url is None else parse_link(url).node


def _figma(entry: DesignEntry, choice: _Choice) -> str | None:
    """Return the link to the file that the choice's node is in: the nearest one above the node.

    A theme's or viewport's link counts where its node does.
    """
    if choice.both is not None and choice.both.node is not None:
        theme_link = choice.theme.figma if choice.theme is not None else None
        return choice.both.figma or theme_link or entry.figma
    theme, viewport = choice.theme, choice.viewport
    own_viewport = viewport is not None and viewport.node is not None
    if theme is not None and theme.node and (choice.home_viewport or not own_viewport):
        return theme.figma or entry.figma
    if viewport is not None and viewport.node is not None:
        return viewport.figma or entry.figma
    return entry.figma


def _refusal(choice: _Choice) -> str | None:
    own_theme = choice.theme is not None and choice.theme.node is not None
    own_viewport = choice.viewport is not None and choice.viewport.node is not None
    known = choice.both is not None and (choice.both.node or choice.both.image)
    if own_theme and own_viewport and not choice.home_viewport and not known:
        assert choice.theme is not None
        assert choice.viewport is not None
        return (
            f"theme {choice.theme.name} and viewport {choice.viewport.name} each have a node of "
            "their own, and none is named for both together (set it under "
            f"themes: {choice.theme.name}: viewports: {choice.viewport.name}: node:)"
        )
    return None


def _planned(
    manifest: Manifest,
    entry: DesignEntry,
    choice: _Choice,
    node: str | None,
    *,
    refusal: str | None,
    alone: bool,
) -> PlannedComparison:
    theme = choice.theme.name if choice.theme else None
    viewport = choice.viewport.name if choice.viewport else None
    label = label_of(entry.name, node=node, theme=theme, viewport=viewport)
    stems = [label]
    if alone or choice.home:
        stems.append(label_of(entry.name, node=node))
    places = [manifest.folder / entry.name / stem for stem in dict.fromkeys(stems)]
    images = _images(entry, choice, places)
    image = next((path for path in images if _is_file(path)), None)
    return PlannedComparison(
        name=entry.name,
        label=label,
        manifest=manifest.path,
        node=node,
        image=image if refusal is None else None,
        looked_in=images,
        nodes=_nodes(entry, choice, places) if refusal is None else None,
        viewport=viewport,
        view=choice.viewport.view if choice.viewport else None,
        theme=theme,
        hook=choice.theme.hook if choice.theme else None,
        scale=_scale(entry, choice),
        gate=entry.gate,
        tolerance=entry.tolerance,
        mask=entry.mask,
        screenshot=entry.screenshot,
        regions=entry.regions,
        hold_out=entry.hold_out,
        expect=entry.expect,
        appearance=entry.appearance,
        allow=entry.allow,
        figma=_figma(entry, choice),
        refusal=refusal,
        nav=entry.nav,
        capture_command=entry.capture_command,
    )


def _images(entry: DesignEntry, choice: _Choice, places: list[Path]) -> tuple[Path, ...]:
    """Return where the picture may lie: the place that the manifest names, else default places.

    A picture that a theme names is one of the home viewport, and the other way round: nothing is
    compared against the picture of another theme or viewport.
    """
    named = (
        choice.both.image if choice.both else None,
        choice.theme.image if choice.theme and choice.home_viewport else None,
        choice.viewport.image if choice.viewport and choice.home_theme else None,
        entry.image if choice.home else None,
    )
    explicit = next((path for path in named if path is not None), None)
    if explicit is not None:
        return (explicit,)
    return tuple(place.with_name(place.name + ".png") for place in places)


def _nodes(entry: DesignEntry, choice: _Choice, places: list[Path]) -> Path | None:
    """Return the node file: the named one, else one in a default place, else the design's own.

    The design's own node file may hold several frames, so it serves every choice that says which
    of them it is.
    """
    variants = (choice.both, choice.theme, choice.viewport)
    named = next((v.nodes for v in variants if v is not None and v.nodes is not None), None)
    if named is not None:
        return named
    if choice.home and entry.nodes is not None:
        return entry.nodes
    for place in places:
        for ending in (".nodes.json", ".nodes.json.gz"):
            path = place.with_name(place.name + ending)
            if _is_file(path):
                return path
    own_node = any(v is not None and v.node is not None for v in variants)
    return entry.nodes if choice.home_viewport or own_node else None


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for a locked folder


def _scale(entry: DesignEntry, choice: _Choice) -> float | None:
    variants = (choice.both, choice.theme, choice.viewport)
    scales = (v.scale for v in variants if v is not None)
    return next((scale for scale in scales if scale is not None), entry.scale)
