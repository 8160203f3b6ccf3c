"""Computed CSS values as numbers: lengths, colours, shadows, radii, gradients; tolerant of others.

What cannot be read gives None, never an error: a page may use syntax that is newer than this.
A page says the same few values of hundreds of elements: each text is read once.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from pytest_pixelloop.core.css_color_spaces import amount, degrees, is_channel, to_srgb

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PX = re.compile(rf"({_NUMBER})(px)?$")
_PERCENT = re.compile(rf"({_NUMBER})%$")
_FUNCTION = re.compile(r"([a-z-]+)\((.*)\)$", re.DOTALL)
_RGB = re.compile(r"rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$")  # nearly all there is
_HEX = re.compile(r"#[0-9a-f]{3,8}$")
_TEXTS = 4096
"""Texts of values that are remembered, of each kind."""
_ONE_LENGTH = 0.01
_NAMED = {
    "transparent": (0.0, 0.0, 0.0, 0.0),
    "black": (0.0, 0.0, 0.0, 1.0),
    "white": (255.0, 255.0, 255.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class Color:
    """An sRGB colour: channels 0..255, not rounded and clipped, alpha 0..1."""

    r: float
    g: float
    b: float
    a: float = 1.0

    @property
    def rgb(self) -> tuple[float, float, float]:
        """The three channels."""
        return self.r, self.g, self.b

    def over(self, backdrop: Color) -> Color:
        """Return this colour painted on an opaque *backdrop*."""
        keep = 1.0 - self.a
        return Color(
            self.r * self.a + backdrop.r * keep,
            self.g * self.a + backdrop.g * keep,
            self.b * self.a + backdrop.b * keep,
        )

    def faded(self, opacity: float) -> Color:
        """Return the colour with its alpha multiplied by *opacity*."""
        return Color(self.r, self.g, self.b, self.a * opacity)

    def __str__(self) -> str:
        text = "#" + "".join(f"{min(255, max(0, round(v))):02x}" for v in self.rgb)
        if self.a >= 0.9995:
            return text
        red, green, blue = (min(255, max(0, round(v))) for v in self.rgb)
        return f"rgb({red} {green} {blue} / {self.a * 100:.4g}%)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """One shadow of ``box-shadow`` or ``text-shadow``; lengths in CSS px."""

    x: float
    y: float
    blur: float = 0.0
    spread: float = 0.0
    color: Color
    inset: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradient:
    """A gradient: ``kind`` is linear, radial or conic; ``angle`` in degrees as CSS counts them.

    ``stops`` are colour and place in 0..1, the place None where it is not given in per cent.
    """

    kind: str
    angle: float | None
    stops: tuple[tuple[Color, float | None], ...]


@lru_cache(_TEXTS)
def parse_px(text: str) -> float | None:
    """Return a length in px; None for ``normal``, ``auto``, ``none``, per cents and the like."""
    found = _PX.match(text.strip())
    return float(found.group(1)) if found else None


@lru_cache(_TEXTS)
def parse_number(text: str) -> float | None:
    """Return a plain number or a percentage as a fraction; None for anything else."""
    stripped = text.strip()
    percent = _PERCENT.match(stripped)
    if percent:
        return float(percent.group(1)) / 100
    try:
        number = float(stripped)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def split_list(text: str, separator: str = ",") -> list[str]:
    """Return the parts of *text* between separators that stand outside parentheses and quotes.

    A blank as *separator* stands for any white space, and empty parts are left out.
    """
    parts: list[str] = [""]
    depth, quote = 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        if (
            not quote
            and depth == 0
            and (char == separator or (separator == " " and char.isspace()))
        ):
            parts.append("")
        else:
            parts[-1] += char
    return [p.strip() for p in parts if p.strip()]


@lru_cache(_TEXTS)
def parse_families(text: str) -> tuple[str, ...]:
    """Return the names of a ``font-family`` stack, without quotes."""
    return tuple(p.strip("\"'") for p in split_list(text))


@lru_cache(_TEXTS)
def parse_color(text: str) -> Color | None:
    """Return a computed colour as sRGB; None for what is no colour (``none``, a ``url()``)."""
    plain = _RGB.match(text)
    if plain:
        return Color(float(plain[1]), float(plain[2]), float(plain[3]), float(plain[4] or 1))
    value = text.strip().lower()
    if value in _NAMED:
        return Color(*_NAMED[value])
    if _HEX.match(value):
        return _hex(value[1:])
    found = _FUNCTION.match(value)
    return _function(*found.groups()) if found else None


def _function(name: str, body: str) -> Color | None:
    parts = split_list(body.replace(",", " ").replace("/", " "), " ")
    space = ""
    if name == "color" and parts:
        space, parts = parts[0], parts[1:]
    if len(parts) not in {3, 4} or not all(is_channel(p) for p in parts):
        return None
    rgb = to_srgb(name, space, parts[:3])
    if rgb is None:
        return None
    alpha = min(1.0, max(0.0, amount(parts[3], whole=1.0))) if len(parts) == 4 else 1.0
    r, g, b = (min(255.0, max(0.0, v)) for v in rgb)
    return Color(r, g, b, alpha)


def _hex(digits: str) -> Color | None:
    if len(digits) in {3, 4}:
        digits = "".join(d * 2 for d in digits)
    if len(digits) not in {6, 8}:
        return None
    r, g, b, a = (int((digits + "ff")[i : i + 2], 16) for i in range(0, 8, 2))
    return Color(float(r), float(g), float(b), a / 255)


@lru_cache(_TEXTS)
def parse_shadows(text: str) -> tuple[Shadow, ...] | None:
    """Return the shadows of a list, () for ``none``, None when one cannot be read."""
    if text.strip() in {"none", ""}:
        return ()
    shadows = [_shadow(part) for part in split_list(text)]
    return None if any(s is None for s in shadows) else tuple(s for s in shadows if s is not None)


def _shadow(text: str) -> Shadow | None:
    lengths: list[float] = []
    color: Color | None = None
    inset = False
    for part in split_list(text, " "):
        px = parse_px(part)
        if part == "inset":
            inset = True
        elif px is not None:
            lengths.append(px)
        else:
            color = parse_color(part)
            if color is None:
                return None
    if not 2 <= len(lengths) <= 4 or color is None:
        return None
    x, y, blur, spread = [*lengths, 0.0, 0.0][:4]
    return Shadow(x=x, y=y, blur=blur, spread=spread, color=color, inset=inset)


def same_value(one: str, other: str) -> bool | None:
    """Tell whether two texts are one value, however written; None for no colours and no lengths."""
    if one == other:
        return True
    colors = parse_color(one), parse_color(other)
    if colors[0] is not None and colors[1] is not None:
        return str(colors[0]) == str(colors[1])
    first, second = parse_px(one), parse_px(other)
    return None if first is None or second is None else abs(first - second) < _ONE_LENGTH


def parse_radius(text: str, *, width: float, height: float) -> float | None:
    """Return a corner's radius in px, per cents of the box resolved, the smaller of two axes."""
    plain = parse_px(text)
    if plain is not None:
        return plain
    axes: list[float] = []
    for part, side in zip(split_list(text, " ") * 2, (width, height), strict=False):
        percent = _PERCENT.match(part)
        px = float(percent.group(1)) / 100 * side if percent else parse_px(part)
        if px is None:
            return None
        axes.append(px)
    return min(axes) if axes else None


@lru_cache(_TEXTS)
def parse_blur(text: str) -> float | None:
    """Return the px of the ``blur()`` of a filter list; 0 without one, None when unreadable."""
    if "blur(" not in text:
        return 0.0
    return parse_px(text.partition("blur(")[2].partition(")")[0])


@lru_cache(_TEXTS)
def parse_gradient(text: str) -> Gradient | None:
    """Return the first gradient of a ``background-image``, None when there is none."""
    for layer in split_list(text):
        found = _FUNCTION.match(layer.strip())
        if found and found.group(1).removeprefix("repeating-").endswith("-gradient"):
            return _gradient(found.group(1).removeprefix("repeating-"), split_list(found.group(2)))
    return None


def _gradient(name: str, arguments: list[str]) -> Gradient:
    kind = name.partition("-")[0]
    angle: float | None = 180.0 if kind == "linear" else None
    stops: list[tuple[Color, float | None]] = []
    for index, argument in enumerate(arguments):
        color, place = None, None
        for part in split_list(argument, " "):
            color = parse_color(part) or color
            percent = _PERCENT.match(part)
            place = float(percent.group(1)) / 100 if percent else place
        if color is not None:
            stops.append((color, place))
        elif index == 0 and kind == "linear":
            angle = _direction(argument)
    return Gradient(kind=kind, angle=angle, stops=tuple(stops))


_SIDES = {"to top": 0.0, "to right": 90.0, "to bottom": 180.0, "to left": 270.0}


def _direction(text: str) -> float | None:
    token = text.strip()
    if token in _SIDES:
        return _SIDES[token]
    return degrees(token) % 360 if is_channel(token) else None
