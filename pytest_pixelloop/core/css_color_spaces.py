"""Colours of the CSS colour functions as sRGB, channel by channel.

Conversions follow CSS Color 4 (https://www.w3.org/TR/css-color-4/, sample code).
"""

from __future__ import annotations

import math
import re

_TOKEN = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(%|deg|grad|rad|turn)?$|none$")
_ANGLES = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}


def is_channel(token: str) -> bool:
    """Tell whether *token* is a number, a percentage, an angle or ``none``."""
    return _TOKEN.match(token) is not None


def amount(token: str, *, whole: float) -> float:
    """Return a channel; *whole* is what 100 % stands for. ``none`` is 0."""
    found = _TOKEN.match(token)
    if not found or found.group(1) is None:
        return 0.0
    number = float(found.group(1))
    return number / 100 * whole if found.group(2) == "%" else number


def degrees(token: str) -> float:
    """Return an angle in degrees. ``none`` is 0."""
    found = _TOKEN.match(token)
    if not found or found.group(1) is None:
        return 0.0
    return float(found.group(1)) * _ANGLES.get(found.group(2) or "deg", 1.0)


def to_srgb(name: str, space: str, parts: list[str]) -> tuple[float, ...] | None:
    """Return sRGB 0..255, unclipped, of the three channels of a colour function."""
    if name in {"rgb", "rgba"}:
        return tuple(amount(p, whole=255.0) for p in parts)
    if name in {"hsl", "hsla", "hwb"}:
        convert = _hwb if name == "hwb" else _hsl
        return convert(degrees(parts[0]), _percent(parts[1]), _percent(parts[2]))
    if name in {"oklab", "lab", "oklch", "lch"}:
        return _from_lab(name, parts)
    if name == "color":
        return _color_space(space, [amount(p, whole=1.0) for p in parts])
    return None


#: What 100 % stands for: lightness, then a and b or chroma.
_WHOLE = {"oklab": (1.0, 0.4), "oklch": (1.0, 0.4), "lab": (100.0, 125.0), "lch": (100.0, 150.0)}


def _from_lab(name: str, parts: list[str]) -> tuple[float, ...]:
    lightness, reach = _WHOLE[name]
    light, first = amount(parts[0], whole=lightness), amount(parts[1], whole=reach)
    if name.endswith("lch"):
        hue = math.radians(degrees(parts[2]))
        a, b = first * math.cos(hue), first * math.sin(hue)
    else:
        a, b = first, amount(parts[2], whole=reach)
    return _oklab(light, a, b) if name.startswith("ok") else _lab(light, a, b)


def _percent(token: str) -> float:
    """Return the share 0..1 of a channel of hsl() and hwb(), which may leave the sign out."""
    return amount(token, whole=1.0) if token.endswith("%") else amount(token, whole=1.0) / 100


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
