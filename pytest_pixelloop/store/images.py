"""Pictures to and from disk: one decoder, one encoder, and a clear word for everything else.

A picture is RGBA, uint8, shape (height, width, 4), straight (not premultiplied) alpha, sRGB.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from pytest_pixelloop.core.errors import ImageError
from pytest_pixelloop.store.atomic import write_bytes_atomic
from pytest_pixelloop.store.color_profile import (
    check_color_code,
    convert_to_srgb,
    unpack_profile,
)
from pytest_pixelloop.store.disk import read_file
from pytest_pixelloop.store.picture_kinds import refuse_picture
from pytest_pixelloop.store.png_chunks import (
    GREY,
    GREY_ALPHA,
    PALETTE,
    RGB,
    RGBA,
    SIGNATURE,
    PngFile,
    chunk,
    note_chunk,
    png_bytes,
    read_chunks,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MAX_PIXELS = 200_000_000
"""The largest picture that is decoded unless the caller says otherwise: 800 MB as RGBA."""
_ORIENTATION = 0x0112


def read_image(
    source: Path | bytes, *, name: str, max_pixels: int = MAX_PIXELS
) -> NDArray[np.uint8]:
    """Return the picture in a PNG file or its bytes as RGBA, uint8, shape (height, width, 4).

    All bit depths, palettes, grey, colour keys and interlacing give the pixels of their 8-bit RGBA
    twin (of 16-bit samples the high byte); an embedded colour profile is converted to sRGB. Raises
    ImageError, with *name* in it, for whatever is no complete, still, upright PNG.
    """
    data = source if isinstance(source, bytes) else read_file(source, name=name, error=ImageError)
    if not data.startswith(SIGNATURE):
        raise refuse_picture(data, name=name)
    png = read_chunks(data, name=name, max_pixels=max_pixels)
    _refuse_turned(png, name)
    check_color_code(png.color_code, name=name)
    image = _decode(png, name)
    if png.profile is not None and png.color_code is None:
        image = convert_to_srgb(image, unpack_profile(png.profile, name=name), name=name)
    return image


def _refuse_turned(png: PngFile, name: str) -> None:
    orientation = _exif_orientation(png.exif or b"")
    if orientation != 1:
        raise ImageError(
            f"the picture is turned by its EXIF data (orientation {orientation})",
            where=name,
            expected="an upright picture without EXIF orientation",
            next_step="turn the pixels and remove the EXIF data, or export it again",
        )


def _exif_orientation(exif: bytes) -> int:
    """Return the EXIF orientation in the first directory, 1 when there is none to be read."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return 1
    try:
        (at,) = struct.unpack_from(f"{order}I", exif, 4)
        (entries,) = struct.unpack_from(f"{order}H", exif, at)
        for index in range(entries):
            tag, kind = struct.unpack_from(f"{order}HH", exif, at + 2 + 12 * index)
            if tag == _ORIENTATION:
                form = "H" if kind == 3 else "I"
                value: int = struct.unpack_from(order + form, exif, at + 10 + 12 * index)[0]
                return value if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1


def _decode(png: PngFile, name: str) -> NDArray[np.uint8]:
    """Return the pixels; palette and colour key are applied here, not by the decoder.

    OpenCV reads plain samples right in every version since 4.9, and refuses data that ends early,
    which Pillow fills up with black. What decoders disagree about is not left to them.
    """
    if png.color_type == PALETTE:
        # Palette indices are stored exactly like grey samples.
        return _through_palette(png, _samples(png, GREY), name)
    samples = _samples(png, png.color_type)
    if samples is None:
        raise _undecodable(name)
    key = _color_key(png, samples)
    eight = samples if samples.dtype == np.uint8 else (samples >> 8).astype(np.uint8)
    if png.color_type == GREY:
        image = cv2.cvtColor(eight, cv2.COLOR_GRAY2RGBA)
    elif png.color_type == RGB:
        image = cv2.cvtColor(eight, cv2.COLOR_BGR2RGBA)
    else:
        image = cv2.cvtColor(eight, cv2.COLOR_BGRA2RGBA)
    if key is not None:
        image[key, 3] = 0
    return np.asarray(image, dtype=np.uint8)


def _samples(png: PngFile, color_type: int) -> NDArray[Any] | None:
    """Return the raw samples as OpenCV orders them (BGR), None when they cannot be decoded."""
    plain = np.frombuffer(png_bytes(png, color_type=color_type), np.uint8)
    try:
        samples = cv2.imdecode(plain, cv2.IMREAD_UNCHANGED)
    except (cv2.error, MemoryError):
        return None
    channels = {GREY: (), RGB: (3,), GREY_ALPHA: (4,), RGBA: (4,)}[color_type]
    wanted = (png.height, png.width, *channels)
    depth = np.uint16 if png.depth == 16 else np.uint8
    if samples is None or samples.shape != wanted or samples.dtype != depth:
        return None
    return samples


def _color_key(png: PngFile, samples: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return where the one colour lies that tRNS makes transparent, compared at full depth."""
    if png.transparency is None or png.color_type not in (GREY, RGB):
        return None
    values = struct.unpack(f">{len(png.transparency) // 2}H", png.transparency)
    if png.color_type == GREY:
        # The decoder spreads 1, 2 and 4 bits over 0..255.
        factor = {1: 255, 2: 85, 4: 17}.get(png.depth, 1)
        return np.asarray(samples == values[0] * factor)
    return np.asarray((samples == np.array(values[::-1])).all(axis=-1))


def _through_palette(png: PngFile, scaled: NDArray[Any] | None, name: str) -> NDArray[np.uint8]:
    if scaled is None:
        raise _undecodable(name)
    colors = np.frombuffer(png.palette or b"", np.uint8).reshape(-1, 3)
    table = np.full((256, 4), 255, np.uint8)
    table[: len(colors), :3] = colors
    alpha = np.frombuffer(png.transparency or b"", np.uint8)
    table[: len(alpha), 3] = alpha
    indices = scaled // {1: 255, 2: 85, 4: 17, 8: 1}[png.depth]
    if int(indices.max()) >= len(colors):
        raise ImageError(
            f"the PNG is damaged: a pixel uses colour {int(indices.max())} of a palette "
            f"of {len(colors)}",
            where=name,
            expected="a PNG as a browser or Figma writes it",
            next_step="export or fetch the picture again",
        )
    return np.asarray(table[indices])


def _undecodable(name: str) -> ImageError:
    return ImageError(
        "the PNG is damaged: its pixel data cannot be decompressed or ends early",
        where=name,
        expected="a complete PNG file",
        next_step="export or fetch the picture again",
    )


def encode_png(image: NDArray[np.uint8], *, note: str | None = None) -> bytes:
    """Return RGBA *image* as the bytes of an 8-bit RGBA PNG: same pixels, same bytes.

    *note* is an ASCII text that the file carries beside its pixels (see picture_note).

    Every row but the first is stored as its difference to the row above, at zlib's fastest level:
    on screenshots as small as the usual search for the best filter, in half the time.
    """
    if image.ndim != 3 or image.shape[2] != 4 or image.dtype != np.uint8 or not image.size:
        raise ImageError(
            f"cannot write an array of shape {image.shape} and type {image.dtype} as a picture",
            expected="RGBA, uint8, shape (height, width, 4), at least one pixel",
        )
    height, width = image.shape[:2]
    rows = image.reshape(height, width * 4)
    filtered = np.empty((height, width * 4 + 1), np.uint8)
    filtered[:, 0] = 2
    filtered[0, 0] = 0
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS, 9)
    header = struct.pack(">IIBBBBB", width, height, 8, RGBA, 0, 0, 0)
    return (
        SIGNATURE
        + chunk(b"IHDR", header)
        + chunk(b"sRGB", b"\0")
        + (note_chunk(note) if note is not None else b"")
        + chunk(b"IDAT", packer.compress(filtered.data) + packer.flush())
        + chunk(b"IEND", b"")
    )


def write_png(path: Path, image: NDArray[np.uint8], *, note: str | None = None) -> None:
    """Leave RGBA *image* under *path* as PNG, or the old file when anything goes wrong."""
    write_bytes_atomic(path, encode_png(image, note=note))


def from_pil(
    picture: Any, *, name: str = "the PIL image", max_pixels: int = MAX_PIXELS
) -> NDArray[np.uint8]:
    """Return a PIL image as RGBA, uint8, shape (height, width, 4), in sRGB.

    Of 16-bit grey the high byte is taken. Raises ImageError for an empty, turned (EXIF) or
    too large image, for one whose file is broken, and for modes without a known range (I, F) or
    a known look on a screen (CMYK, YCbCr, LAB, HSV).
    """
    width, height = picture.size
    if not 0 < width * height <= max_pixels:
        raise ImageError(
            f"the picture is {'too large' if width * height else 'empty'}: {width}x{height}",
            where=name,
            expected=f"1 to {max_pixels:,} pixels",
        )
    if picture.mode not in _PIL_MODES:
        raise ImageError(
            f"the picture has the mode {picture.mode}",
            where=name,
            expected="a PIL image of mode RGB, RGBA, L, LA, P or 1",
            next_step='convert it first, for example with image.convert("RGBA")',
        )
    image, orientation = _pil_pixels(picture, name)
    if orientation in range(2, 9):
        raise ImageError(
            f"the picture is turned by its EXIF data (orientation {orientation})",
            where=name,
            expected="an upright picture",
            next_step="use PIL.ImageOps.exif_transpose(image)",
        )
    profile = picture.info.get("icc_profile")
    return convert_to_srgb(image, profile, name=name) if profile else image


_PIL_MODES = frozenset(
    {"1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "I;16", "I;16B", "I;16L"}
)


def _pil_pixels(picture: Any, name: str) -> tuple[NDArray[np.uint8], int]:
    """Return the pixels and the EXIF orientation; PIL reads the file no earlier than here."""
    try:
        orientation = int(picture.getexif().get(_ORIENTATION, 1))
        if picture.mode.startswith("I;16"):
            grey = (np.asarray(picture).astype(np.uint16) >> 8).astype(np.uint8)
            image = np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2RGBA), dtype=np.uint8)
            return image, orientation
        # A copy: PIL hands out its own, read-only memory.
        return np.array(picture.convert("RGBA"), dtype=np.uint8), orientation
    except (OSError, ValueError, SyntaxError) as error:
        raise ImageError(
            f"the picture cannot be decoded: {error}", where=name, expected="a complete picture"
        ) from error
