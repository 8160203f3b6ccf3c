"""Computed CSS values as numbers: lengths, colours, shadows, radii, gradients; tolerant of others.

What cannot be read gives None, never an error: a page may use syntax that is newer than this.
Colour conversions follow CSS Color 4 (https://www.w3.org/TR/css-color-4/, sample code).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PX = re.compile(rf"({_NUMBER})(px)?$")
_PERCENT = re.compile(rf"({_NUMBER})%$")
_FUNCTION = re.compile(r"([a-z-]+)\((.*)\)$", re.DOTALL)
_TOKEN = re.compile(rf"({_NUMBER})(%|deg|grad|rad|turn)?$|none$")
_HEX = re.compile(r"#[0-9a-f]{3,8}$")
_ANGLES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
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
        return text if self.a >= 0.9995 else f"{text} at {self.a * 100:.4g} %"


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


def parse_px(text: str) -> float | None:
    """Return a length in px; None for ``normal``, ``auto``, ``none``, per cents and the like."""
    found = _PX.match(text.strip())
    return float(found.group(1)) if found else None


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
        if not quote and depth == 0 and (char == separator or (separator == " " and char.isspace())):
            parts.append("")
        else:
            parts[-1] += char
    return [p.strip() for p in parts if p.strip()]


def parse_families(text: str) -> list[str]:
    """Return the names of a ``font-family`` stack, without quotes."""
    return [p.strip("\"'") for p in split_list(text)]


def parse_color(text: str) -> Color | None:
    """Return a computed colour as sRGB; None for what is no colour (``none``, a ``url()``)."""
    value = text.strip().lower()
    if value in _NAMED:
        return Color(*_NAMED[value])
    if _HEX.match(value):
        return _hex(value[1:])
    found = _FUNCTION.match(value)
    if not found:
        return None
    name, body = found.groups()
    parts = split_list(body.replace(",", " ").replace("/", " "), " ")
    space = ""
    if name == "color" and parts:
        space, parts = parts[0], parts[1:]
    if len(parts) not in {3, 4} or not all(_TOKEN.match(p) for p in parts):
        return None
    alpha = min(1.0, max(0.0, _amount(parts[3], whole=1.0))) if len(parts) == 4 else 1.0
    rgb = _to_srgb(name, space, parts[:3])
    if rgb is None:
        return None
    r, g, b = (min(255.0, max(0.0, v)) for v in rgb)
    return Color(r, g, b, alpha)


def _hex(digits: str) -> Color | None:
    if len(digits) in {3, 4}:
        digits = "".join(d * 2 for d in digits)
    if len(digits) not in {6, 8}:
        return None
    values = [int(digits[i : i + 2], 16) for i in range(0, len(digits), 2)]
    return Color(*(float(v) for v in values[:3]), values[3] / 255 if len(values) == 4 else 1.0)


def _amount(token: str, *, whole: float) -> float:
    """Return a channel; *whole* is what 100 % stands for. ``none`` is 0."""
    found = _TOKEN.match(token)
    if not found or found.group(1) is None:
        return 0.0
    number = float(found.group(1))
    return number / 100 * whole if found.group(2) == "%" else number


def _degrees(token: str) -> float:
    found = _TOKEN.match(token)
    if not found or found.group(1) is None:
        return 0.0
    return float(found.group(1)) * _ANGLES.get(found.group(2) or "deg", 1.0)


def _to_srgb(name: str, space: str, parts: list[str]) -> tuple[float, ...] | None:
    """Return sRGB 0..255, unclipped, of the three channels of a colour function."""
    if name in {"rgb", "rgba"}:
        return tuple(_amount(p, whole=255.0) for p in parts)
    if name in {"hsl", "hsla"}:
        return _hsl(_degrees(parts[0]), *(_percent(p) for p in parts[1:]))
    if name == "hwb":
        return _hwb(_degrees(parts[0]), *(_percent(p) for p in parts[1:]))
    if name in {"oklab", "lab"}:
        lightness, reach = (1.0, 0.4) if name == "oklab" else (100.0, 125.0)
        channels = (
            _amount(parts[0], whole=lightness),
            _amount(parts[1], whole=reach),
            _amount(parts[2], whole=reach),
        )
        return _oklab(*channels) if name == "oklab" else _lab(*channels)
    if name in {"oklch", "lch"}:
        lightness, reach = (1.0, 0.4) if name == "oklch" else (100.0, 150.0)
        chroma, hue = _amount(parts[1], whole=reach), math.radians(_degrees(parts[2]))
        a, b = chroma * math.cos(hue), chroma * math.sin(hue)
        light = _amount(parts[0], whole=lightness)
        return _oklab(light, a, b) if name == "oklch" else _lab(light, a, b)
    if name == "color":
        return _color_space(space, [_amount(p, whole=1.0) for p in parts])
    return None


def _percent(token: str) -> float:
    """Return the share 0..1 of a channel of hsl() and hwb(), which may leave the sign out."""
    return _amount(token, whole=1.0) if token.endswith("%") else _amount(token, whole=1.0) / 100


def _color_space(space: str, values: list[float]) -> tuple[float, ...] | None:
    if space == "srgb":
        return tuple(v * 255 for v in values)
    if space == "srgb-linear":
        return tuple(_encode(v) for v in values)
    if space == "display-p3":
        red, green, blue = (_decode(v) for v in values)
        # Display P3 to linear sRGB: the product of the matrices of CSS Color 4, section 18.
        return (
            _encode(1.2249401762 * red - 0.2249401762 * green),
            _encode(-0.0420569547 * red + 1.0420569547 * green),
            _encode(-0.0196375546 * red - 0.0786360456 * green + 1.0982736002 * blue),
        )
    if space in {"xyz", "xyz-d65"}:
        return _xyz(*values)
    return None


def _decode(value: float) -> float:
    size = abs(value)
    linear = size / 12.92 if size <= 0.04045 else ((size + 0.055) / 1.055) ** 2.4
    return math.copysign(linear, value)


def _encode(linear: float) -> float:
    size = abs(linear)
    value = 12.92 * size if size <= 0.0031308 else 1.055 * size ** (1 / 2.4) - 0.055
    return math.copysign(value, linear) * 255


def _hsl(hue: float, saturation: float, lightness: float) -> tuple[float, ...]:
    def channel(n: float) -> float:
        k = (n + hue / 30) % 12
        reach = saturation * min(lightness, 1 - lightness)
        return (lightness - reach * max(-1.0, min(k - 3, 9 - k, 1.0))) * 255

    return channel(0), channel(8), channel(4)


def _hwb(hue: float, white: float, black: float) -> tuple[float, ...]:
    if white + black >= 1:
        gray = white / (white + black) * 255
        return gray, gray, gray
    return tuple(v * (1 - white - black) + white * 255 for v in _hsl(hue, 1.0, 0.5))


def _oklab(lightness: float, a: float, b: float) -> tuple[float, ...]:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _encode(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _encode(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _encode(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _lab(lightness: float, a: float, b: float) -> tuple[float, ...]:
    fy = (lightness + 16) / 116
    kappa, epsilon = 24389 / 27, 216 / 24389

    def cube(f: float) -> float:
        return f**3 if f**3 > epsilon else (116 * f - 16) / kappa

    x = 0.3457 / 0.3585 * cube(fy + a / 500)
    y = fy**3 if lightness > kappa * epsilon else lightness / kappa
    z = (1 - 0.3457 - 0.3585) / 0.3585 * cube(fy - b / 200)
    # Bradford adaptation from D50 to D65, CSS Color 4 section 18.
    return _xyz(
        0.955473421488075 * x - 0.02309845494876471 * y + 0.06325924320057072 * z,
        -0.0283697093338637 * x + 1.0099953980813041 * y + 0.021041441191917323 * z,
        0.012314014864481998 * x - 0.020507649298898964 * y + 1.330365926242124 * z,
    )


def _xyz(x: float, y: float, z: float) -> tuple[float, ...]:
    return (
        _encode(3.2409699419 * x - 1.5373831776 * y - 0.4986107603 * z),
        _encode(-0.9692436363 * x + 1.8759675015 * y + 0.0415550574 * z),
        _encode(0.0556300797 * x - 0.2039769589 * y + 1.0569715142 * z),
    )


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


def parse_radius(text: str, *, width: float, height: float) -> float | None:
    """Return a corner's radius in px, per cents of the box resolved, the smaller of two axes."""
    axes: list[float] = []
    for part, side in zip(split_list(text, " ") * 2, (width, height), strict=False):
        percent = _PERCENT.match(part)
        px = float(percent.group(1)) / 100 * side if percent else parse_px(part)
        if px is None:
            return None
        axes.append(px)
    return min(axes) if axes else None


def parse_blur(text: str) -> float | None:
    """Return the px of the ``blur()`` of a filter list; 0 without one, None when unreadable."""
    if "blur(" not in text:
        return 0.0
    return parse_px(text.partition("blur(")[2].partition(")")[0])


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
    return _degrees(token) % 360 if _TOKEN.match(token) else None
