"""What a file that is no PNG really is, in words a person can act on.

The content decides, never the extension: what lies under ``home.png`` is often a Git LFS pointer,
a login page, or a JPEG.
"""

from __future__ import annotations

import io
import re

from pytest_pixelloop.core.errors import ImageError

_EXPECTED = "a PNG (a design must be lossless)"
_EXPORT = "export or fetch it again as PNG"
_LFS = b"version https://git-lfs.github.com/spec/"
_SIGNATURE_SEEN = re.compile(rb"\A[\x00-\xff]{0,2}P[Nn][Gg]")

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"8BPS", "a Photoshop file"),
    (b"%PDF", "a PDF file"),
    (b"\xff\x0a", "a JPEG XL picture"),
    (b"\x00\x00\x00\x0cJXL ", "a JPEG XL picture"),
    (b"\x00\x00\x00\x0cjP  ", "a JPEG 2000 picture"),
    (b"\x00\x00\x01\x00", "an ICO icon"),
    (b"\x8aMNG", "an MNG animation"),
    (b"qoif", "a QOI picture"),
    (b"\x1f\x8b", "a gzip file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"fig-kiwi", "a Figma .fig file"),
)


def is_lfs_pointer(data: bytes) -> bool:
    """Tell whether *data* is the small text file that Git LFS leaves in place of the real one."""
    return data.startswith(_LFS)


def refuse_picture(data: bytes, *, name: str) -> ImageError:
    """Return the error that names what *data* is; *data* does not start with PNG's signature."""
    if is_lfs_pointer(data):
        return ImageError(
            "the file is a Git LFS pointer, not the picture itself",
            where=name,
            expected=_EXPECTED,
            next_step="git lfs pull (in CI: a checkout with LFS switched on)",
        )
    if not data:
        return ImageError(
            "the file is empty (0 bytes)", where=name, expected=_EXPECTED, next_step=_EXPORT
        )
    if data[:3] == b"\xff\xd8\xff":
        return _refuse_jpeg(data, name)
    if damage := _signature_damage(data):
        return ImageError(
            f"the PNG is damaged: {damage}", where=name, expected=_EXPECTED, next_step=_EXPORT
        )
    return ImageError(
        f"the file is {kind_of(data)}, not a PNG", where=name, expected=_EXPECTED, next_step=_EXPORT
    )


def kind_of(data: bytes) -> str:
    """Return what *data* is, with its article, such as ``a GIF picture`` or ``an HTML page``."""
    for signature, words in _SIGNATURES:
        if data.startswith(signature):
            return words
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "a WebP picture"
    if data[4:8] == b"ftyp":
        brand = data[8:12].decode("latin-1").strip()
        return "an AVIF picture" if brand in {"avif", "avis"} else f"an ISO media file ({brand!r})"
    return _text_kind(data)


def _text_kind(data: bytes) -> str:
    start = data[:2048].removeprefix(b"\xef\xbb\xbf").lstrip()
    lower = start.lower()
    html = lower.startswith((b"<!doctype html", b"<head", b"<body")) or b"<html" in lower
    signs = (
        (not start, "only white space"),
        (b"\x00" in start, "of an unknown kind"),
        (html, "an HTML page (a login or error page?)"),
        (lower.startswith((b"<svg", b"<?xml")) and b"<svg" in lower, "an SVG drawing"),
        (lower.startswith(b"<"), "an XML document"),
        (start.startswith((b"{", b"[")), "JSON text (an error answer?)"),
        (_is_utf8(start), "plain text"),
    )
    return next((words for sign, words in signs if sign), "of an unknown kind")


def _is_utf8(start: bytes) -> bool:
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        # The cut may have gone through the last character.
        return error.start >= len(start) - 4 and len(start) > 4
    return True


def _signature_damage(data: bytes) -> str | None:
    """Tell how PNG's signature was damaged, None when there never was one."""
    head = data[:12]
    if not _SIGNATURE_SEEN.match(head) and b"IHDR" not in data[:20]:
        return None
    if head.startswith(b"\x89PNG") and set(head[4:8]) & {0x0D, 0x0A}:
        return "its line ends were converted (text-mode transfer, or *.png not binary for git)"
    return "its signature is wrong"


def _refuse_jpeg(data: bytes, name: str) -> ImageError:
    details = _jpeg_details(data)
    return ImageError(
        f"the file is a JPEG picture{details}, not a PNG",
        where=name,
        expected=_EXPECTED,
        next_step=_EXPORT,
    )


def _jpeg_details(data: bytes) -> str:
    """Return `` (CMYK)``, `` (EXIF orientation 6)`` or nothing."""
    from PIL import Image  # noqa: PLC0415 - needed for this message only

    try:
        # Lazy: Pillow reads the header here, no pixel.
        with Image.open(io.BytesIO(data), formats=["JPEG"]) as picture:
            mode, orientation = picture.mode, picture.getexif().get(0x0112, 1)
    except Exception:  # noqa: BLE001 - a broken JPEG is refused all the same
        return ""
    words = [mode] if mode in {"CMYK", "YCCK"} else []
    if orientation != 1:
        words.append(f"EXIF orientation {orientation}")
    return f" ({', '.join(words)})" if words else ""
