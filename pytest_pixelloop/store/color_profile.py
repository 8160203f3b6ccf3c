"""Pictures in another colour space, brought to sRGB: the space that browsers paint captures in.

Figma's plugin exports may carry a Display P3 profile. Taken as sRGB, every colour would be off.
"""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_pixelloop.core.errors import ImageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_PROFILE = 16 * 1024 * 1024
_NEXT = "export the picture again as sRGB"
_SRGB_CODE = bytes((1, 13, 0, 1))
# A profile that moves no colour of this grid by more than this is sRGB under another name.
_SRGB_SLACK = 1
_GRID = 9


def check_color_code(code: bytes | None, *, name: str) -> None:
    """Raise ImageError when a PNG's cICP chunk names another colour space than sRGB."""
    if code is not None and code != _SRGB_CODE:
        raise ImageError(
            f"the picture is not sRGB: its cICP chunk says {'/'.join(str(b) for b in code)}",
            where=name,
            expected="sRGB (1/13/0/1), or an embedded ICC profile",
            next_step=_NEXT,
        )


def unpack_profile(chunk: bytes, *, name: str) -> bytes:
    """Return the ICC profile inside a PNG's iCCP *chunk*, never more than 16 MB of it."""
    _, separator, rest = chunk.partition(b"\0")
    try:
        if not separator or rest[:1] != b"\0":
            raise zlib.error("no deflate stream")  # noqa: TRY301 - one message for all of it
        inflater = zlib.decompressobj()
        profile = inflater.decompress(rest[1:], _MAX_PROFILE)
        if not inflater.eof:
            raise zlib.error("too large or cut off")  # noqa: TRY301
    except zlib.error as error:
        raise _unreadable(str(error), name) from None
    return profile


def convert_to_srgb(image: NDArray[np.uint8], profile: bytes, *, name: str) -> NDArray[np.uint8]:
    """Return RGBA *image* with its colours as sRGB; *image* itself when they already are.

    Raises ImageError when *profile* cannot be read or belongs to neither RGB nor grey pictures.
    """
    from PIL import Image, ImageCms  # noqa: PLC0415 - most pictures carry no profile

    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        space = str(source.profile.xcolor_space).strip()
    except Exception as error:
        raise _unreadable(str(error) or "not an ICC profile", name) from error
    mode = {"RGB": "RGB", "GRAY": "L"}.get(space)
    if mode is None:
        raise ImageError(
            f"the picture's colour profile is for {space or 'unknown'} colours",
            where=name,
            expected="an RGB picture",
            next_step=_NEXT,
        )
    try:
        transform: Any = ImageCms.buildTransform(
            source, ImageCms.createProfile("sRGB"), mode, "RGB"
        )
    except Exception as error:
        raise _unreadable(str(error), name) from error

    def apply(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
        planes = np.ascontiguousarray(colors[..., 0] if mode == "L" else colors)
        return np.asarray(transform.apply(Image.fromarray(planes)), dtype=np.uint8)

    if _moves_nothing(apply, grey=mode == "L"):
        return image
    return np.dstack([apply(image[..., :3]), image[..., 3]])


def _moves_nothing(apply: Any, *, grey: bool) -> bool:
    steps = np.linspace(0, 255, 256 if grey else _GRID).round().astype(np.uint8)
    axes = [steps] * 3
    grid = np.stack([steps] * 3, -1) if grey else np.stack(np.meshgrid(*axes), -1).reshape(-1, 3)
    grid = grid[np.newaxis]
    return bool(np.abs(apply(grid).astype(int) - grid).max() <= _SRGB_SLACK)


def _unreadable(why: str, name: str) -> ImageError:
    return ImageError(
        f"the picture's colour profile cannot be read: {why}",
        where=name,
        expected="a PNG in sRGB, or with a valid ICC profile",
        next_step=_NEXT,
    )
