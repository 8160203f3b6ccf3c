"""A bridge file as values: its screens, its pictures and the runtimes that it is verified on.

The format is that of ``.ddalkak/bridge/<name>.bridge.json``; docs/bridge.md tells what is read.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError, DesignUnreadableError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.bridge_nodes import TooManyNodesError, bridge_tree
from pytest_pixelloop.sources.figma_json import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.design import DesignNode

PREFERRED = "desktop"
#: Figma's own canvas ends long before; a larger frame is a slip or a trap.
MAX_FRAME = 100_000
BROWSER_KINDS = ("web", "flutter")
KINDS = (*BROWSER_KINDS, "android", "ios", "react-native")


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One screen of a bridge file; ``frame`` is (width, height) in CSS px.

    ``screenshot`` is the id of an asset. ``raw`` is the JSON object the node tree is made from.
    """

    name: str
    breakpoint: str
    frame: tuple[float, float]
    screenshot: str | None
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A runtime that a bridge is verified on: ``kind`` is one of KINDS, or what the file says."""

    id: str
    kind: str

    @property
    def blocked(self) -> bool:
        """Whether there is nothing here that could show it."""
        return self.kind not in BROWSER_KINDS

    @property
    def has_dom(self) -> bool:
        """Whether its elements mean anything: a Flutter page is one canvas."""
        return self.kind == "web"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """A bridge file. ``exports`` gives the file of an asset, relative to the project."""

    name: str
    shown: str
    screens: tuple[Screen, ...]
    exports: Mapping[str, str]
    targets: tuple[Target, ...] = ()

    def screen(self, wanted: str | None = None) -> Screen:
        """Return the screen of that breakpoint or name; without one desktop, else the first.

        Raises DesignUnreadableError that lists the screens for one that is not there.
        """
        if wanted is None:
            desktop = (s for s in self.screens if s.breakpoint.lower() == PREFERRED)
            return next(desktop, self.screens[0])
        by_breakpoint = [s for s in self.screens if s.breakpoint == wanted]
        by_name = [s for s in self.screens if s.name == wanted]
        if by_breakpoint or by_name:
            return (by_breakpoint or by_name)[0]
        known = list(dict.fromkeys(s.breakpoint for s in self.screens))
        close = difflib.get_close_matches(wanted, known, n=1)
        raise DesignUnreadableError(
            f'the bridge has no screen "{printable(wanted)}"',
            where=self.shown,
            expected="one of " + ", ".join(printable(k, limit=40) for k in known),
            next_step=f"did you mean {printable(close[0])}?" if close else "",
        )

    def target(self, wanted: str | None = None) -> Target:
        """Return the target of that id (or kind); without one the first, or the web.

        Raises ConfigurationError that lists the targets for one that is not there.
        """
        if wanted is None:
            return self.targets[0] if self.targets else Target(id="web", kind="web")
        for target in self.targets:
            if target.id == wanted:
                return target
        if not self.targets and wanted in KINDS:
            return Target(id=wanted, kind=wanted)
        same_kind = [t for t in self.targets if t.kind == wanted]
        if len(same_kind) == 1:
            return same_kind[0]
        names = ", ".join(f"{printable(t.id)} ({printable(t.kind)})" for t in self.targets)
        raise ConfigurationError(
            f"the bridge has no target {printable(wanted)!r}",
            where=self.shown,
            expected="one of " + (names or ", ".join(KINDS)),
        )


def read_bridge(data: bytes, *, name: str, shown: str) -> Bridge:
    """Return the bridge in *data*; *shown* is the file's name in messages.

    Raises DesignUnreadableError for everything that is no bridge file: the sentence says what is
    missing and where.
    """
    try:
        value = parse_json(data, name=shown)
    except DesignUnreadableError as error:
        raise _wrong(error.what.replace("node file", "bridge file"), shown) from error
    if not isinstance(value, dict):
        raise _wrong("the bridge file is JSON, but not an object", shown)
    screens = value.get("screens")
    if not isinstance(screens, list) or not screens:
        raise _wrong("the bridge file has no screens", shown)
    own_name = value.get("name") if isinstance(value.get("name"), str) else None
    return Bridge(
        name=name,
        shown=shown,
        screens=tuple(
            _screen(raw, f"screens[{i}]", own_name or name, shown) for i, raw in enumerate(screens)
        ),
        exports=_exports(value.get("assets")),
        targets=_targets(value.get("verify"), shown),
    )


def screen_tree(screen: Screen, *, shown: str) -> DesignNode:
    """Return the node tree of a screen; DesignUnreadableError when it is too large."""
    try:
        return bridge_tree(screen.raw, name=screen.name, size=screen.frame)
    except TooManyNodesError as error:
        raise _wrong(f"the screen {printable(screen.name)!r} has {error}", shown) from error


def _screen(raw: object, at: str, name: str, shown: str) -> Screen:
    if not isinstance(raw, dict):
        raise _wrong(f"{at} is not an object", shown)
    frame = raw.get("frame")
    size = tuple(_length(frame.get(key)) for key in ("w", "h")) if isinstance(frame, dict) else ()
    if len(size) != 2 or None in size:
        raise _wrong(
            f"{at} has no frame size", shown, expected='"frame": {"w": 1440, "h": 900} in CSS px'
        )
    screenshot = raw.get("screenshot")
    told = raw.get("breakpoint")
    own = raw.get("name")
    return Screen(
        name=own if isinstance(own, str) and own else name,
        breakpoint=told if isinstance(told, str) and told else "default",
        frame=(size[0] or 0.0, size[1] or 0.0),
        screenshot=screenshot if isinstance(screenshot, str) and screenshot else None,
        raw=raw,
    )


def _length(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # NaN and a whole number that no float holds are outside, too.
    return float(value) if 1 <= value <= MAX_FRAME else None


def _exports(assets: object) -> dict[str, str]:
    found: dict[str, str] = {}
    for asset in assets if isinstance(assets, list) else ():
        if not isinstance(asset, dict):
            continue
        key, export = asset.get("id"), asset.get("export")
        if isinstance(export, dict):
            export = export.get("path") or export.get("file")
        if isinstance(key, str) and isinstance(export, str) and export:
            found.setdefault(key, export)
    return found


def _targets(verify: object, shown: str) -> tuple[Target, ...]:
    raw = verify.get("targets") if isinstance(verify, dict) else None
    found: list[Target] = []
    for i, entry in enumerate(raw if isinstance(raw, list) else ()):
        kind = entry.get("kind") if isinstance(entry, dict) else None
        if not isinstance(kind, str) or not kind:
            raise _wrong(
                f"verify.targets[{i}] does not say its kind",
                shown,
                expected="one of " + ", ".join(KINDS),
            )
        told = entry.get("id")
        found.append(Target(id=told if isinstance(told, str) and told else kind, kind=kind))
    return tuple(found)


def _wrong(what: str, shown: str, *, expected: str = "") -> DesignUnreadableError:
    return DesignUnreadableError(
        what,
        where=shown,
        expected=expected or "a bridge file: screens[] with frame {w, h}, screenshot, children",
        next_step="write the bridge again with the tool that made it",
    )
