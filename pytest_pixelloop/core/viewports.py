"""The words for viewports and themes: names, sizes, devices, and what switches a theme on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_pixelloop.core.errors import ConfigurationError

LARGEST = 20_000
SCHEMES = ("light", "dark", "no-preference")
_SIZE = re.compile(r"\s*(\d{1,6})\s*[xX\N{MULTIPLICATION SIGN}]\s*(\d{1,6})\s*", re.ASCII)
_EXPECTED = (
    'names or sizes, as "desktop,mobile", "1280x720" or ["desktop", "390x844"]; '
    "desktop, tablet and mobile are always known"
)
_THEMES_EXPECTED = 'names, as "light,dark"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewport:
    """A viewport by name: its size in CSS px, and whether it is a phone's or a tablet's.

    ``width`` and ``height`` are None where nobody says them. ``touch`` is a touch screen without a
    mouse; ``mobile`` is Playwright's ``is_mobile``: the page's own meta viewport counts. None of
    them means: whatever the page has.
    """

    name: str
    width: int | None = None
    height: int | None = None
    touch: bool | None = None
    mobile: bool | None = None

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height, None unless both are known."""
        if self.width is None or self.height is None:
            return None
        return self.width, self.height

    def over(self, other: Viewport | None) -> Viewport:
        """Return this viewport with what it does not say taken from *other*."""
        if other is None:
            return self
        return Viewport(
            name=self.name,
            width=other.width if self.width is None else self.width,
            height=other.height if self.height is None else self.height,
            touch=other.touch if self.touch is None else self.touch,
            mobile=other.mobile if self.mobile is None else self.mobile,
        )


BUILT_IN: Mapping[str, Viewport] = MappingProxyType(
    {
        view.name: view
        for view in (
            Viewport(name="desktop", width=1440, height=900, touch=False, mobile=False),
            Viewport(name="tablet", width=768, height=1024, touch=True, mobile=True),
            Viewport(name="mobile", width=390, height=844, touch=True, mobile=True),
        )
    }
)


def sized(name: str) -> Viewport | None:
    """Return the viewport that a text like ``1280x720`` writes, None for another text."""
    found = _SIZE.fullmatch(name)
    if found is None:
        return None
    return Viewport(name=name, width=int(found[1]), height=int(found[2]))


def read_viewports(value: object, *, where: str) -> tuple[str, ...]:
    """Return the viewports asked for, each once: names, and sizes as ``1280x720``.

    *value* is a text with commas, a list of texts, or Playwright's ``{"width": w, "height": h}``.
    Nothing asked for is an empty tuple. Raises ConfigurationError for anything else.
    """
    return tuple(
        dict.fromkeys(
            _viewport(item, where=where) for item in _items(value, where, expected=_EXPECTED)
        )
    )


def _viewport(item: object, *, where: str) -> str:
    if isinstance(item, Mapping) and set(item) == {"width", "height"}:
        item = f"{item['width']}x{item['height']}"
    if not isinstance(item, str) or not item.strip():
        raise ConfigurationError(f"{item!r} is no viewport", where=where, expected=_EXPECTED)
    view = sized(item)
    if view is None:
        return item.strip()
    if view.size is None or not all(1 <= side <= LARGEST for side in view.size):
        raise ConfigurationError(
            f"viewport {item.strip()!r} is no size a page can have",
            where=where,
            expected=f"1 to {LARGEST} CSS px a side",
        )
    return f"{view.width}x{view.height}"


def read_themes(value: object, *, where: str) -> tuple[str, ...]:
    """Return the names of the themes asked for, each once; ConfigurationError for no names."""
    names = []
    for item in _items(value, where, expected=_THEMES_EXPECTED):
        if not isinstance(item, str) or not item.strip():
            raise ConfigurationError(
                f"{item!r} is no theme", where=where, expected=_THEMES_EXPECTED
            )
        names.append(item.strip())
    return tuple(dict.fromkeys(names))


def _items(value: object, where: str, *, expected: str) -> Sequence[object]:
    if value is None:
        return ()
    if isinstance(value, str):
        parts = value.split(",")
        if any(not part.strip() for part in parts):
            raise ConfigurationError(
                f"{value!r} names nothing between two commas or at an end",
                where=where,
                expected=expected,
            )
        return parts
    if isinstance(value, Mapping):
        return (value,)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray) and value:
        return value
    raise ConfigurationError(f"{value!r} names nothing", where=where, expected=expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeHook:
    """What shows a page in a theme, and what of the other themes must be gone meanwhile.

    ``classes`` and ``attributes`` are put on the elements of ``selector``. The storages are those
    of the page's origin. The ``other_`` fields are what only sibling themes set.
    """

    color_scheme: str | None = None
    classes: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    local_storage: Mapping[str, str] = field(default_factory=dict)
    session_storage: Mapping[str, str] = field(default_factory=dict)
    selector: str = "html"
    other_classes: tuple[str, ...] = ()
    other_attributes: tuple[tuple[str, str], ...] = ()
    other_local: tuple[tuple[str, str], ...] = ()
    other_session: tuple[tuple[str, str], ...] = ()

    @property
    def marks(self) -> bool:
        """Whether something is changed on elements of the page."""
        return bool(self.classes or self.attributes or self.other_classes or self.other_attributes)

    @property
    def stores(self) -> bool:
        """Whether something is written into a storage, or taken out of one."""
        return bool(
            self.local_storage or self.session_storage or self.other_local or self.other_session
        )

    def among(self, others: Sequence[ThemeHook]) -> ThemeHook:
        """Return this hook knowing its siblings: what only *others* set is to be taken away."""

        def only(
            mine: Mapping[str, str], theirs: Sequence[Mapping[str, str]]
        ) -> tuple[tuple[str, str], ...]:
            found = (item for values in theirs for item in values.items() if item[0] not in mine)
            return tuple(dict.fromkeys(found))

        classes = (name for other in others for name in other.classes if name not in self.classes)
        return ThemeHook(
            color_scheme=self.color_scheme,
            classes=self.classes,
            attributes=self.attributes,
            local_storage=self.local_storage,
            session_storage=self.session_storage,
            selector=self.selector,
            other_classes=tuple(dict.fromkeys(classes)),
            other_attributes=only(self.attributes, [o.attributes for o in others]),
            other_local=only(self.local_storage, [o.local_storage for o in others]),
            other_session=only(self.session_storage, [o.session_storage for o in others]),
        )

    def as_record(self) -> dict[str, object]:
        """Return what the hook does as reports and goalposts hold it: only what is set."""
        found: dict[str, object] = {
            "color_scheme": self.color_scheme,
            "class": list(self.classes),
            "attribute": dict(self.attributes),
            "local_storage": dict(self.local_storage),
            "session_storage": dict(self.session_storage),
        }
        found = {key: value for key, value in found.items() if value}
        if self.classes or self.attributes:
            found["selector"] = self.selector
        return found
