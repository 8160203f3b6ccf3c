"""Pictures from disk: every kind of PNG decoded right, everything else refused by name."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from pytest_pixelloop.core.errors import ImageError, PixelloopError
from pytest_pixelloop.store.images import encode_png, from_pil, read_image, write_png

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2)]
ADAM7.append((0, 1, 1, 2))


def chunk(kind: bytes, body: bytes) -> bytes:
    """Return one PNG chunk."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def pack_rows(samples: NDArray[Any], depth: int) -> bytes:
    """Return unfiltered PNG rows of an array (height, width, channels) at *depth* bits."""
    rows = []
    for row in samples:
        flat = row.reshape(-1)
        if depth == 16:
            body = flat.astype(">u2").tobytes()
        elif depth == 8:
            body = flat.astype(np.uint8).tobytes()
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in flat)
            bits += "0" * (-len(bits) % 8)
            body = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
        rows.append(b"\0" + body)
    return b"".join(rows)


def make_png(
    samples: NDArray[Any],
    *,
    color: int,
    depth: int = 8,
    interlaced: bool = False,
    before: bytes = b"",
    after: bytes = b"",
) -> bytes:
    """Return a PNG of raw *samples* (height, width, channels), written without any library."""
    height, width = samples.shape[:2]
    if interlaced:
        passes = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7]
        raw = b"".join(pack_rows(p, depth) for p in passes if p.size)
    else:
        raw = pack_rows(samples, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    body = chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(raw)) + after
    return SIGNATURE + body + chunk(b"IEND", b"")


def random_samples(channels: int, depth: int, *, size: tuple[int, int] = (9, 11)) -> NDArray[Any]:
    """Return noise at *depth* bits, the same every time."""
    return np.random.default_rng(channels * 100 + depth).integers(
        0, 2**depth, (*size, channels), dtype=np.uint32
    )


def as_rgba(samples: NDArray[Any], *, color: int, depth: int) -> NDArray[np.uint8]:
    """Return what *samples* look like as 8-bit RGBA, by the PNG specification."""
    eight = samples >> 8 if depth == 16 else samples * 255 // (2**depth - 1)
    channels = {0: (0, 0, 0), 2: (0, 1, 2), 4: (0, 0, 0, 1), 6: (0, 1, 2, 3)}[color]
    picture = eight[..., list(channels)].astype(np.uint8)
    if len(channels) == 4:
        return np.asarray(picture)
    return np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])


KINDS = [(0, d) for d in (1, 2, 4, 8, 16)] + [(c, d) for c in (2, 4, 6) for d in (8, 16)]
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(("color", "depth"), KINDS)
def test_every_depth_and_colour_type_gives_its_8_bit_rgba_twin(
    color: int, depth: int, *, interlaced: bool
) -> None:
    """Grey, RGB, with or without alpha, 1 to 16 bit, interlaced or not: the right pixels."""
    samples = random_samples(CHANNELS[color], depth)
    data = make_png(samples, color=color, depth=depth, interlaced=interlaced)
    assert np.array_equal(read_image(data, name="a"), as_rgba(samples, color=color, depth=depth))


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_a_palette_with_transparency_is_looked_up(depth: int, *, interlaced: bool) -> None:
    """Palette and tRNS give colour and alpha of every index; missing alpha is opaque."""
    entries = 2**depth
    colors = np.random.default_rng(depth).integers(0, 256, (entries, 3), dtype=np.uint8)
    alpha = np.arange(entries // 2, dtype=np.uint8)
    samples = random_samples(1, depth)
    before = chunk(b"PLTE", colors.tobytes()) + chunk(b"tRNS", alpha.tobytes())
    data = make_png(samples, color=3, depth=depth, interlaced=interlaced, before=before)
    table = np.full((entries, 4), 255, np.uint8)
    table[:, :3] = colors
    table[: len(alpha), 3] = alpha
    assert np.array_equal(read_image(data, name="a"), table[samples[..., 0]])


@pytest.mark.parametrize(("color", "depth"), [(0, 2), (0, 8), (0, 16), (2, 8), (2, 16)])
def test_a_colour_key_is_compared_at_full_depth(color: int, depth: int) -> None:
    """TRNS of grey and RGB hides exactly one colour, not its neighbours with the same high byte."""
    samples = random_samples(CHANNELS[color], depth)
    key = samples[3, 4].copy()
    samples[5, 6] = key
    if depth == 16:
        samples[1, 1] = key ^ 1
    trns = chunk(b"tRNS", key.astype(">u2").tobytes())
    picture = read_image(make_png(samples, color=color, depth=depth, before=trns), name="a")
    expected = as_rgba(samples, color=color, depth=depth)
    expected[(samples == key).all(axis=-1), 3] = 0
    assert np.array_equal(picture, expected)
    assert picture[3, 4, 3] == picture[5, 6, 3] == 0
    if depth == 16:
        assert picture[1, 1, 3] == 255


@settings(max_examples=60, deadline=None)
@given(
    height=st.integers(1, 40),
    width=st.integers(1, 40),
    seed=st.integers(0, 2**16),
    colors=st.integers(1, 256),
)
def test_what_is_written_is_read_back(height: int, width: int, seed: int, colors: int) -> None:
    """Any RGBA array survives encode_png and read_image, the colours under alpha 0 included."""
    random = np.random.default_rng(seed)
    image = random.integers(0, colors, (height, width, 4), dtype=np.uint8)
    data = encode_png(image)
    assert np.array_equal(read_image(data, name="a"), image)
    with Image.open(io.BytesIO(data)) as other:
        assert np.array_equal(np.asarray(other), image), "another decoder must agree"


def test_encoding_is_deterministic_and_ignores_memory_layout() -> None:
    """Equal pixels give equal bytes, whatever array they are a view of."""
    image = np.random.default_rng(1).integers(0, 256, (20, 30, 4), dtype=np.uint8)
    view = np.asfortranarray(np.pad(image, ((3, 3), (3, 3), (0, 0))))[3:-3, 3:-3]
    assert encode_png(image) == encode_png(view)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 3), np.uint8),
        np.zeros((4, 4, 4), np.float32),
        np.zeros((0, 4, 4), np.uint8),
    ],
)
def test_only_rgba_uint8_with_pixels_is_written(array: NDArray[Any], tmp_path: Path) -> None:
    """An array that is no picture is an ImageError, and no file appears."""
    with pytest.raises(ImageError, match="cannot write an array"):
        write_png(tmp_path / "a.png", array)
    assert not list(tmp_path.iterdir())


SMALL = np.full((4, 6, 4), 200, np.uint8)
GOOD = encode_png(SMALL)


def rebuilt(*parts: bytes) -> bytes:
    """Return a PNG of these chunks."""
    return SIGNATURE + b"".join(parts)


def header(width: int = 6, height: int = 4, rest: bytes = b"\x08\x06\0\0\0") -> bytes:
    """Return an IHDR chunk; *rest* is depth, colour type and methods."""
    return chunk(b"IHDR", struct.pack(">II", width, height) + rest)


def idat(raw: bytes | None = None) -> bytes:
    """Return an IDAT chunk of *raw* rows, those of SMALL by default."""
    return chunk(b"IDAT", zlib.compress(pack_rows(SMALL, 8) if raw is None else raw))


IEND = chunk(b"IEND", b"")
EXIF = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"


def other_format(kind: str, mode: str = "RGB", **options: Any) -> bytes:
    """Return a small picture of another format."""
    out = io.BytesIO()
    Image.new(mode, (4, 4)).save(out, kind, **options)
    return out.getvalue()


def turned_jpeg() -> bytes:
    """Return a JPEG with EXIF orientation 6."""
    exif = Image.Exif()
    exif[0x0112] = 6
    return other_format("JPEG", exif=exif)


def animated() -> bytes:
    """Return an APNG of two frames."""
    out = io.BytesIO()
    frames = [Image.new("RGBA", (4, 4), color) for color in ("red", "blue")]
    frames[0].save(out, "PNG", save_all=True, append_images=frames[1:])
    return out.getvalue()


SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
REFUSED = {
    "empty": (b"", "0 bytes"),
    "lfs-pointer": (LFS, "Git LFS pointer"),
    "html": (b"<!DOCTYPE html><html><body>Sign in</body></html>", "HTML page"),
    "html-later": (b"\xef\xbb\xbf\n<!-- x --><html>", "HTML page"),
    "json": (b'{"err": "Not found"}', "JSON"),
    "text": ("Zugriff verweigert, f\u00fcr alle".encode(), "plain text"),
    "xml": (b"<?xml version='1.0'?><Error/>", "XML"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
    "gif": (other_format("GIF"), "GIF"),
    "webp": (other_format("WEBP"), "WebP"),
    "bmp": (other_format("BMP"), "BMP"),
    "tiff": (other_format("TIFF"), "TIFF"),
    "jpeg": (other_format("JPEG"), "JPEG"),
    "jpeg-cmyk": (other_format("JPEG", "CMYK"), "CMYK"),
    "jpeg-turned": (turned_jpeg(), "EXIF orientation 6"),
    "jpeg-cut": (other_format("JPEG")[:5], "JPEG"),
    "pdf": (b"%PDF-1.7", "PDF"),
    "noise": (b"\x00\x01\x02\xfe\xff" * 9, "unknown kind"),
    "signature-only": (SIGNATURE, "truncated"),
    "crlf-damage": (GOOD.replace(b"\r\n", b"\n"), "line ends"),
    "lf-damage": (GOOD.replace(b"\n", b"\r\n"), "line ends"),
    "signature-damage": (b"\x89PNX" + GOOD[4:], "signature"),
    "cut-in-chunk": (GOOD[:60], "truncated"),
    "cut-before-end": (GOOD[:-12], "IEND"),
    "cut-in-end": (GOOD[:-3], "truncated"),
    "no-header": (rebuilt(idat(), IEND), "IHDR"),
    "no-pixels": (rebuilt(header(), IEND), "IDAT"),
    "header-checksum": (GOOD[:29] + b"\0\0\0\0" + GOOD[33:], "checksum of its IHDR"),
    "pixel-checksum": (GOOD[:-20] + b"\0\0\0\0" + GOOD[-16:], "checksum of its IDAT"),
    "zero-width": (rebuilt(header(width=0), idat(), IEND), "size 0x4"),
    "negative": (rebuilt(header(width=2**31), idat(), IEND), "impossible"),
    "colour-type": (rebuilt(header(rest=b"\x08\x05\0\0\0"), idat(), IEND), "colour type 5"),
    "bit-depth": (rebuilt(header(rest=b"\x04\x06\0\0\0"), idat(), IEND), "bit depth 4"),
    "interlace": (rebuilt(header(rest=b"\x08\x06\0\0\x02"), idat(), IEND), "interlace"),
    "rows-missing": (rebuilt(header(), idat(pack_rows(SMALL[:3], 8)), IEND), "ends early"),
    "one-byte-missing": (rebuilt(header(), idat(pack_rows(SMALL, 8)[:-1]), IEND), "ends early"),
    "not-deflate": (rebuilt(header(), chunk(b"IDAT", b"x" * 40), IEND), "decompressed"),
    "filter": (rebuilt(header(), idat(b"\x09" + pack_rows(SMALL, 8)[1:]), IEND), "decompressed"),
    "too-small-for-size": (rebuilt(header(9000, 9000), idat(), IEND), "cannot hold"),
    "split-pixels": (
        rebuilt(header(), idat(), chunk(b"tEXt", b"a\0b"), idat(), IEND),
        "not consecutive",
    ),
    "two-headers": (rebuilt(header(), header(), idat(), IEND), "two IHDR"),
    "unknown-critical": (rebuilt(header(), chunk(b"ABCD", b""), idat(), IEND), "ABCD"),
    "chunk-name": (rebuilt(header(), chunk(b"\0\0\0\0", b""), idat(), IEND), "four letters"),
    "no-palette": (rebuilt(header(rest=b"\x08\x03\0\0\0"), idat(), IEND), "palette"),
    "palette-length": (
        rebuilt(header(rest=b"\x08\x03\0\0\0"), chunk(b"PLTE", b"ab"), idat(), IEND),
        "palette",
    ),
    "palette-index": (
        make_png(np.full((2, 2, 1), 3), color=3, before=chunk(b"PLTE", b"abcdef")),
        "colour 3 of a palette of 2",
    ),
    "trns-length": (rebuilt(header(), chunk(b"tRNS", b"ab"), idat(), IEND), "tRNS"),
    "animated": (animated(), "animated"),
    "exif-turned": (rebuilt(header(), chunk(b"eXIf", EXIF), idat(), IEND), "orientation 6"),
    "exif-turned-late": (rebuilt(header(), idat(), chunk(b"eXIf", EXIF), IEND), "orientation 6"),
    "cgbi": (rebuilt(chunk(b"CgBI", b"\0\0\0\0"), header(), idat(), IEND), "CgBI"),
    "hdr": (rebuilt(header(), chunk(b"cICP", b"\x09\x10\0\x01"), idat(), IEND), "9/16/0/1"),
    "broken-profile": (
        rebuilt(header(), chunk(b"iCCP", b"P3\0\0" + zlib.compress(b"no profile")), idat(), IEND),
        "profile",
    ),
    "cut-profile": (
        rebuilt(header(), chunk(b"iCCP", b"P3\0\0" + zlib.compress(SRGB)[:-4]), idat(), IEND),
        "cut off",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_usable_png_is_refused_by_name(case: str, tmp_path: Path) -> None:
    """Every bad input is an ImageError that says what it is, names the file, and what to do."""
    data, words = REFUSED[case]
    path = tmp_path / "home.png"
    path.write_bytes(data)
    with pytest.raises(ImageError) as caught:
        read_image(path, name="designs/home.png")
    assert words in caught.value.what
    assert "designs/home.png" in str(caught.value)
    assert caught.value.expected
    assert caught.value.next_step


def test_an_lfs_pointer_says_the_command() -> None:
    """The way out of a Git LFS pointer is `git lfs pull`."""
    with pytest.raises(ImageError, match="git lfs pull"):
        read_image(LFS, name="a.png")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    """No file, a folder, a locked place: each has its own sentence."""
    with pytest.raises(ImageError, match="no such file"):
        read_image(tmp_path / "none.png", name="none.png")
    with pytest.raises(ImageError, match="folder"):
        read_image(tmp_path, name="designs")
    with pytest.raises(ImageError, match=r"no such file|cannot be read"):
        read_image(tmp_path / "a.png" / "b.png", name="b.png")


def test_the_extension_does_not_matter(tmp_path: Path) -> None:
    """A PNG called .jpg is read: the content decides."""
    path = tmp_path / "home.jpg"
    path.write_bytes(GOOD)
    assert np.array_equal(read_image(path, name="home.jpg"), SMALL)


def test_bytes_after_the_end_and_comments_are_ignored() -> None:
    """Trailing bytes, text chunks, even with a wrong checksum, change nothing."""
    comment = chunk(b"tEXt", b"Software\0Figma")[:-1] + b"x"
    bomb = chunk(b"zTXt", b"a\0\0" + zlib.compress(b"\0" * 5_000_000))
    data = rebuilt(header(), comment, bomb, idat(), comment, IEND) + b"trailing" * 50
    assert np.array_equal(read_image(data, name="a"), SMALL)


def test_too_many_pixels_are_refused_before_anything_is_decoded() -> None:
    """The declared size alone is enough; the limit is inclusive."""
    assert read_image(GOOD, name="a", max_pixels=24).shape == (4, 6, 4)
    with pytest.raises(ImageError, match="6x4 is 24 pixels"):
        read_image(GOOD, name="a", max_pixels=23)
    with pytest.raises(ImageError, match="too large"):
        read_image(rebuilt(header(2**31 - 1, 2**31 - 1), IEND), name="a")


@settings(max_examples=150, deadline=None)
@given(cut=st.integers(0, len(GOOD) - 1))
def test_no_prefix_of_a_png_is_ever_read(cut: int) -> None:
    """A file that was cut anywhere is refused, never half a picture."""
    with pytest.raises(ImageError):
        read_image(GOOD[:cut], name="a")


@settings(max_examples=200, deadline=None)
@given(at=st.integers(0, len(GOOD) - 1), flip=st.integers(1, 255))
def test_a_flipped_byte_is_noticed_or_harmless(at: int, flip: int) -> None:
    """One damaged byte gives an ImageError or the very same pixels (a comment's byte)."""
    data = bytearray(GOOD)
    data[at] ^= flip
    try:
        picture = read_image(bytes(data), name="a")
    except ImageError:
        return
    assert np.array_equal(picture, SMALL)


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=200), signed=st.booleans())
def test_arbitrary_bytes_never_raise_anything_else(data: bytes, *, signed: bool) -> None:
    """Whatever the bytes are, the answer is a picture or an ImageError."""
    with pytest.raises(ImageError):
        read_image((SIGNATURE if signed else b"") + data, name="a")


P3 = {
    b"rXYZ": (0.51512, 0.24120, -0.00105),
    b"gXYZ": (0.29198, 0.69225, 0.04189),
    b"bXYZ": (0.15710, 0.06657, 0.78407),
}
HP_SRGB = {  # the primaries in the profile that most "sRGB IEC61966-2.1" files carry
    b"rXYZ": (0.43607, 0.22249, 0.01392),
    b"gXYZ": (0.38515, 0.71687, 0.09708),
    b"bXYZ": (0.14307, 0.06061, 0.71410),
}


def matrix_profile(columns: dict[bytes, tuple[float, float, float]]) -> bytes:
    """Return a matrix profile with these primaries and sRGB's curve."""
    srgb = bytearray(SRGB)
    for index in range(struct.unpack_from(">I", srgb, 128)[0]):
        tag, offset, _ = struct.unpack_from(">4sII", srgb, 132 + 12 * index)
        if tag in columns:
            fixed = [round(value * 65536) for value in columns[tag]]
            struct.pack_into(">3i", srgb, offset + 8, *fixed)
    return bytes(srgb)


def icc_chunk(profile: bytes) -> bytes:
    """Return an iCCP chunk of *profile*."""
    return chunk(b"iCCP", b"x\0\0" + zlib.compress(profile))


def test_display_p3_is_converted_to_srgb() -> None:
    """A colour inside sRGB comes back as the numbers sRGB writes for it; alpha stays."""
    samples = np.zeros((2, 2, 4), np.uint8)
    samples[:] = (234, 51, 35, 128)  # sRGB red as Display P3 writes it
    picture = read_image(make_png(samples, color=6, before=icc_chunk(matrix_profile(P3))), name="a")
    assert np.abs(picture[0, 0].astype(int) - (255, 0, 0, 128)).max() <= 2


def test_an_srgb_profile_changes_no_pixel() -> None:
    """SRGB as an ICC profile, rounded or not, is left alone, bit for bit."""
    samples = random_samples(4, 8, size=(60, 60))
    for profile in (SRGB, matrix_profile(HP_SRGB)):
        picture = read_image(make_png(samples, color=6, before=icc_chunk(profile)), name="a")
        assert np.array_equal(picture, samples)


def test_from_pil_gives_the_same_pixels_as_the_file() -> None:
    """A PIL image of any usual mode becomes RGBA, with its transparency."""
    image = np.random.default_rng(3).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    rgba = Image.fromarray(image)
    assert np.array_equal(from_pil(rgba), image)
    opaque = np.dstack([image[..., :3], np.full((7, 5), 255, np.uint8)])
    assert np.array_equal(from_pil(rgba.convert("RGB")), opaque)
    grey = rgba.convert("L")
    assert np.array_equal(from_pil(grey)[..., 1], np.asarray(grey))
    deep = Image.fromarray(np.asarray(grey).astype(np.uint16) * 257)
    assert np.array_equal(from_pil(deep), from_pil(grey))


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (Image.new("CMYK", (2, 2)), "CMYK"),
        (Image.new("F", (2, 2)), "mode F"),
        (Image.new("I", (2, 2)), "mode I"),
        (Image.new("RGB", (0, 2)), "0x2"),
    ],
)
def test_from_pil_refuses_what_has_no_known_look(picture: Any, words: str) -> None:
    """Modes without a known range or look, and empty images, are ImageErrors."""
    with pytest.raises(ImageError, match=words):
        from_pil(picture)


def test_from_pil_refuses_a_turned_or_broken_image() -> None:
    """EXIF orientation and a truncated source are noticed."""
    with (
        Image.open(io.BytesIO(turned_jpeg())) as turned,
        pytest.raises(ImageError, match="orientation 6"),
    ):
        from_pil(turned)
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 4), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "PNG")
    with (
        Image.open(io.BytesIO(out.getvalue()[:400])) as cut,
        pytest.raises(ImageError, match="decoded"),
    ):
        from_pil(cut)


def pairs(folder: str) -> list[Any]:
    """Return the pairs of a shared corpus, or one skipped case where it is absent."""
    path = SHARED / folder / "pairs.json"
    if not path.is_file():
        reason = f"{path} is not here"
        return [pytest.param(None, None, marks=pytest.mark.skip(reason=reason))]
    return [
        pytest.param(path.parent, entry, id=entry["id"])
        for entry in json.loads(path.read_text("utf-8"))
    ]


@pytest.mark.parametrize(("folder", "entry"), pairs("png") + pairs("bugs"))
def test_public_pairs_are_read_right_or_refused(folder: Path, entry: dict[str, Any]) -> None:
    """PngSuite and re-made bug reports: equal where they match, refused by name where corrupt."""
    expected = entry["expected"]
    first, second = folder / entry["a"], folder / entry["b"]
    if expected["label"] == "error":
        with pytest.raises(ImageError, match=first.name) as caught:
            read_image(first, name=first.name)
        assert "LFS" in str(caught.value) or first.name != "lfs.png"
        return
    a, b = read_image(first, name=first.name), read_image(second, name=second.name)
    if expected.get("diff_pixels") == 0:
        # What lies under alpha 0 is not seen.
        seen_a, seen_b = (np.where(p[..., 3:] == 0, 0, p) for p in (a, b))
        assert np.array_equal(seen_a, seen_b)


def test_errors_have_four_parts() -> None:
    """An ImageError is a PixelloopError that prints what, where, expected and next step."""
    with pytest.raises(PixelloopError) as caught:
        read_image(b"GIF89a", name="x.png")
    lines = str(caught.value).splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["where", "expected", "next"]
