"""Viewports and themes of the manifest: of one design, and those that all designs share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.viewports import BUILT_IN, SCHEMES, ThemeHook, Viewport
from pytest_pixelloop.sources.manifest_values import (
    figma_of,
    length_of,
    linked_node_of,
    node_of,
    path_of,
    scale_of,
    word_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_pixelloop.sources.manifest_yaml import Field

_VIEW = ("width", "height", "touch", "mobile")
_HOOK = ("color_scheme", "class", "attribute", "local_storage", "session_storage", "selector")
_PICTURE = ("node", "image", "figma", "nodes", "scale")
_VIEWPORT = (*_PICTURE, *_VIEW)
_THEME = (*_PICTURE, *_HOOK, "viewports")
_NAME = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A viewport or a theme of a design, and what of the design is different in it.

    ``view`` belongs to a viewport, ``hook`` to a theme; both are complete with what the manifest
    says for all designs. ``viewports`` of a theme: what is different in it at one viewport. A node
    that only the variant's ``figma`` link names is in ``node`` too.
    """

    name: str
    node: str | None = None
    image: Path | None = None
    figma: str | None = None
    nodes: Path | None = None
    scale: float | None = None
    view: Viewport | None = None
    hook: ThemeHook | None = None
    viewports: Mapping[str, Variant] = field(default_factory=dict)

    @property
    def size(self) -> tuple[int | None, int | None]:
        """Width and height in CSS px, either None where the manifest is silent."""
        return (self.view.width, self.view.height) if self.view else (None, None)


def shared_viewports(value: Field | None) -> dict[str, Viewport]:
    """Return the viewports that the manifest names for all designs; the built-in ones fill in."""
    found = {}
    for name, entry in _named(value):
        view = _view(name, entry.mapping(_VIEW)).over(BUILT_IN.get(name))
        if view.size is None:
            raise ConfigurationError(
                f"{entry.what} has no size", where=entry.where, expected="width: and height:"
            )
        found[name] = view
    return found


def shared_themes(value: Field | None) -> dict[str, ThemeHook]:
    """Return what switches the themes on that the manifest names for all designs."""
    return {name: _hook(name, entry.mapping(_HOOK)) for name, entry in _named(value)}


def viewports_of(
    value: Field | None, folder: Path, shared: Mapping[str, Viewport]
) -> tuple[Variant, ...]:
    """Return the viewports of one design, in the file's order."""
    found = []
    for name, entry in _named(value):
        own = entry.mapping(_VIEWPORT)
        # The frame decides the size where nobody says it; what kind of device it is goes by name.
        usual = BUILT_IN.get(name)
        device = usual and Viewport(name=name, touch=usual.touch, mobile=usual.mobile)
        view = _view(name, own).over(shared.get(name)).over(device)
        found.append(_variant(name, own, folder, view=view))
    return tuple(found)


def themes_of(
    value: Field | None, folder: Path, shared: Mapping[str, ThemeHook]
) -> tuple[Variant, ...]:
    """Return the themes of one design, each knowing what its siblings switch."""
    found = []
    for name, entry in _named(value):
        own = entry.mapping(_THEME)
        hook = _hook(name, own) if any(key in own for key in _HOOK) else shared.get(name)
        inner = {
            place: _variant(place, there.mapping(_PICTURE), folder)
            for place, there in _named(own.get("viewports"))
        }
        found.append(_variant(name, own, folder, hook=hook or _hook(name, {}), viewports=inner))
    # A theme that only other designs have is a sibling too: its class may be on the page.
    siblings = [*(v.hook for v in found if v.hook), *shared.values()]
    return tuple(_with_hook(v, v.hook.among(siblings)) if v.hook is not None else v for v in found)


def _with_hook(variant: Variant, hook: ThemeHook) -> Variant:
    return Variant(
        name=variant.name,
        node=variant.node,
        image=variant.image,
        figma=variant.figma,
        nodes=variant.nodes,
        scale=variant.scale,
        hook=hook,
        viewports=variant.viewports,
    )


def _named(value: Field | None) -> Iterable[tuple[str, Field]]:
    for name, entry in (value.mapping() if value is not None else {}).items():
        if not _NAME.fullmatch(name):
            raise ConfigurationError(
                f"{printable(name)!r} cannot be the name of a viewport or theme",
                where=entry.where,
                expected='letters and digits, joined by single "-", "_" or "."',
            )
        yield name, entry


def _variant(
    name: str,
    own: Mapping[str, Field],
    folder: Path,
    *,
    view: Viewport | None = None,
    hook: ThemeHook | None = None,
    viewports: Mapping[str, Variant] | None = None,
) -> Variant:
    return Variant(
        name=name,
        node=node_of(own.get("node")) or linked_node_of(own.get("figma")),
        image=path_of(own.get("image"), folder),
        figma=figma_of(own.get("figma")),
        nodes=path_of(own.get("nodes"), folder),
        scale=scale_of(own.get("scale")),
        view=view,
        hook=hook,
        viewports=viewports or {},
    )


def _view(name: str, own: Mapping[str, Field]) -> Viewport:
    return Viewport(
        name=name,
        width=length_of(own.get("width")),
        height=length_of(own.get("height")),
        touch=own["touch"].boolean() if "touch" in own else None,
        mobile=own["mobile"].boolean() if "mobile" in own else None,
    )


def _hook(name: str, own: Mapping[str, Field]) -> ThemeHook:
    scheme = word_of(own["color_scheme"], SCHEMES) if "color_scheme" in own else None
    classes = own["class"].text().split() if "class" in own else ()
    return ThemeHook(
        color_scheme=scheme or (name if name in SCHEMES else None),
        classes=tuple(classes),
        attributes=_texts(own.get("attribute")),
        local_storage=_texts(own.get("local_storage")),
        session_storage=_texts(own.get("session_storage")),
        selector=own["selector"].text() if "selector" in own else "html",
    )


def _texts(value: Field | None) -> dict[str, str]:
    """Return a mapping of texts; a number or a yes is taken as it is written."""
    fields = value.mapping() if value is not None else {}
    return {
        key: str(entry.node.value) if entry.is_scalar else entry.text()
        for key, entry in fields.items()
    }
