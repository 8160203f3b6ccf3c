"""What a PNG file declares, checked before one pixel is decoded.

The rules are those of the PNG specification (https://www.w3.org/TR/png-3/): signature, chunk
layout, checksums, header fields, and whether the compressed data can hold the declared picture at
all. A decoder that meets a broken file may hand out half a picture; nothing does after this check.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from pytest_pixelloop.core.errors import ImageError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
_DEPTHS = {
    GREY: (1, 2, 4, 8, 16),
    RGB: (8, 16),
    PALETTE: (1, 2, 4, 8),
    GREY_ALPHA: (8, 16),
    RGBA: (8, 16),
}
_CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
# Chunks that change the pixels: a wrong checksum here is a wrong picture. Others are comments.
_ANCILLARY_IN_USE = frozenset({b"tRNS", b"iCCP", b"cICP", b"eXIf", b"acTL"})
_MAX_DEFLATE_RATIO = 1032
_NOTE_KEY = b"pytest-pixelloop"
_LONGEST_NOTE = 10_000
_MAX_CHUNKS = 1_000_000
_EXPORT_AGAIN = "export or fetch the picture again"


@dataclass(frozen=True, slots=True, kw_only=True)
class PngFile:
    """A PNG's header and the chunks that make its pixels, all checked.

    ``transparency`` is the tRNS chunk, ``profile`` the iCCP chunk, ``color_code`` the cICP chunk,
    ``exif`` the eXIf chunk; None where the file has none. ``data`` is the joined IDAT stream.
    """

    width: int
    height: int
    depth: int
    color_type: int
    interlaced: bool
    data: bytes
    palette: bytes | None = None
    transparency: bytes | None = None
    profile: bytes | None = None
    color_code: bytes | None = None
    exif: bytes | None = None


def read_chunks(data: bytes, *, name: str, max_pixels: int) -> PngFile:
    """Return what the PNG *data* declares; *name* is the file's name for messages.

    Raises ImageError for anything that no decoder should be given: cut off, damaged, of an
    unknown kind, animated, or with more than *max_pixels* pixels. Bytes after IEND are allowed.
    """
    found: dict[bytes, bytes] = {}
    parts: list[bytes] = []
    header: PngFile | None = None
    last = b""
    for kind, body in _walk(data, name):
        if header is None:
            header = _header(kind, body, name, max_pixels)
        elif kind == b"IDAT":
            if parts and last != b"IDAT":
                raise _damaged("its IDAT chunks are not consecutive", name)
            parts.append(body)
        elif kind in found or kind == b"IHDR":
            raise _damaged(f"it has two {_shown(kind)} chunks", name)
        elif kind in _ANCILLARY_IN_USE or kind == b"PLTE":
            if parts and kind != b"eXIf":
                raise _damaged(f"its {_shown(kind)} chunk comes after the pixels", name)
            found[kind] = body
        elif not kind[0] & 0x20 and kind != b"IEND":
            raise _damaged(f"it has an unknown critical chunk {_shown(kind)}", name)
        last = kind
    if header is None or last != b"IEND":
        raise _cut_off("its end chunk (IEND) is missing", name)
    return _checked(header, b"".join(parts), found, name)


def _walk(data: bytes, name: str) -> list[tuple[bytes, bytes]]:
    """Return (kind, body) of every chunk up to IEND, with the checksums that matter checked."""
    chunks: list[tuple[bytes, bytes]] = []
    at = len(SIGNATURE)
    view = memoryview(data)
    while at < len(data):
        if at + 12 > len(data):
            raise _cut_off("it stops inside a chunk", name)
        length = int.from_bytes(view[at : at + 4], "big")
        kind = bytes(view[at + 4 : at + 8])
        if not (kind.isascii() and kind.isalpha()):
            raise _damaged("it has a chunk whose name is not four letters", name)
        if at + 12 + length > len(data):
            raise _cut_off(f"it stops inside its {_shown(kind)} chunk", name)
        body = view[at + 8 : at + 8 + length]
        if not kind[0] & 0x20 or kind in _ANCILLARY_IN_USE:
            declared = int.from_bytes(view[at + 8 + length : at + 12 + length], "big")
            if zlib.crc32(body, zlib.crc32(kind)) != declared:
                raise _damaged(f"the checksum of its {_shown(kind)} chunk is wrong", name)
        chunks.append((kind, bytes(body)))
        if kind == b"IEND":
            break
        if len(chunks) > _MAX_CHUNKS:
            raise _damaged(f"it has more than {_MAX_CHUNKS} chunks", name)
        at += 12 + length
    return chunks


def _header(kind: bytes, body: bytes, name: str, max_pixels: int) -> PngFile:
    if kind == b"CgBI":
        raise ImageError(
            "the PNG is in Apple's CgBI variant, which is no standard PNG",
            where=name,
            expected="a standard PNG",
            next_step="use the original file, not the one from an iOS application bundle",
        )
    if kind != b"IHDR" or len(body) != 13:
        raise _damaged("it does not start with a header (IHDR)", name)
    width, height, depth, color, compression, filtering, interlace = struct.unpack(">IIBBBBB", body)
    if not (0 < width < 2**31 and 0 < height < 2**31):
        raise _damaged(f"its size {width}x{height} is impossible", name)
    if color not in _DEPTHS:
        raise _damaged(f"its colour type {color} does not exist", name)
    if depth not in _DEPTHS[color]:
        raise _damaged(f"its bit depth {depth} does not exist for colour type {color}", name)
    if compression or filtering or interlace > 1:
        raise _damaged("its compression, filter or interlace method does not exist", name)
    if width * height > max_pixels:
        raise ImageError(
            f"the picture is too large: {width}x{height} is {width * height:,} pixels",
            where=name,
            expected=f"at most {max_pixels:,} pixels",
            next_step="export it at a lower scale or in parts",
        )
    return PngFile(
        width=width,
        height=height,
        depth=depth,
        color_type=color,
        interlaced=bool(interlace),
        data=b"",
    )


def _checked(header: PngFile, data: bytes, found: dict[bytes, bytes], name: str) -> PngFile:
    if b"acTL" in found:
        raise ImageError(
            "the picture is an animated PNG",
            where=name,
            expected="a PNG with one picture",
            next_step="export a still PNG",
        )
    if not data:
        raise _damaged("it has no pixel data (IDAT)", name)
    bits = header.width * _CHANNELS[header.color_type] * header.depth
    if header.height * ((bits + 7) // 8) > _MAX_DEFLATE_RATIO * (len(data) + 64):
        # Deflate cannot shrink further than that, so the rest is missing: no need to allocate.
        raise _cut_off(
            f"{len(data)} bytes cannot hold the declared {header.width}x{header.height} pixels",
            name,
        )
    palette = found.get(b"PLTE")
    if header.color_type == PALETTE and not palette:
        raise _damaged("its palette (PLTE) is missing", name)
    if palette is not None and (len(palette) % 3 or len(palette) > 768):
        raise _damaged("its palette (PLTE) has an impossible length", name)
    transparency = found.get(b"tRNS")
    _check_transparency(header, transparency, len(palette or b"") // 3, name)
    return PngFile(
        width=header.width,
        height=header.height,
        depth=header.depth,
        color_type=header.color_type,
        interlaced=header.interlaced,
        data=data,
        palette=palette,
        transparency=transparency,
        profile=found.get(b"iCCP"),
        color_code=found.get(b"cICP"),
        exif=found.get(b"eXIf"),
    )


def _check_transparency(
    header: PngFile, transparency: bytes | None, entries: int, name: str
) -> None:
    if transparency is None:
        return
    length = len(transparency)
    right = {
        GREY: length == 2,
        RGB: length == 6,
        PALETTE: length <= entries,
    }.get(header.color_type, False)
    if not right:
        raise _damaged("its transparency chunk (tRNS) does not fit its colour type", name)


def png_bytes(png: PngFile, *, color_type: int) -> bytes:
    """Return a minimal PNG of the same samples, declared as *color_type*.

    Nothing but header, pixels and end is left, so a decoder reads samples and interprets nothing.
    """
    header = struct.pack(
        ">IIBBBBB", png.width, png.height, png.depth, color_type, 0, 0, int(png.interlaced)
    )
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", png.data) + chunk(b"IEND", b"")


def chunk(kind: bytes, body: bytes) -> bytes:
    """Return one PNG chunk: length, kind, body, checksum."""
    checksum = zlib.crc32(body, zlib.crc32(kind))
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)


def note_chunk(note: str) -> bytes:
    """Return the tEXt chunk that holds *note*, an ASCII text."""
    return chunk(b"tEXt", _NOTE_KEY + b"\0" + note.encode("ascii"))


def picture_note(data: bytes) -> str | None:
    """Return the note that a PNG carries, None for none; what is no PNG carries none."""
    try:
        chunks = _walk(data, "picture")
    except ImageError:
        return None
    for kind, body in chunks:
        key, found, text = body.partition(b"\0")
        if kind == b"tEXt" and found and key == _NOTE_KEY and len(text) <= _LONGEST_NOTE:
            return text.decode("ascii", "replace")
    return None


def _shown(kind: bytes) -> str:
    return kind.decode("ascii")


def _damaged(how: str, name: str) -> ImageError:
    return ImageError(
        f"the PNG is damaged: {how}",
        where=name,
        expected="a PNG as a browser or Figma writes it",
        next_step=_EXPORT_AGAIN,
    )


def _cut_off(how: str, name: str) -> ImageError:
    return ImageError(
        f"the PNG is truncated: {how}",
        where=name,
        expected="a complete PNG file",
        next_step=_EXPORT_AGAIN,
    )
