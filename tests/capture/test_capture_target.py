"""What a target is, and captures that need no browser: bytes, files, PIL images."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.target import Kind, kind_of, url_of
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.store.images import encode_png

FRAME = (4.0, 3.0)


class FakePage:
    """Looks like a Page."""

    def goto(self) -> None:
        """Do nothing."""

    screenshot = evaluate = goto


class FakeLocator:
    """Looks like a Locator."""

    def bounding_box(self) -> None:
        """Do nothing."""

    screenshot = wait_for = evaluate = bounding_box


def _picture(mode: str = "RGB") -> PIL.Image.Image:
    image = PIL.Image.new("RGB", (4, 3), "white")
    image.putpixel((1, 2), (10, 20, 30))
    return image.convert(mode)


def _png(mode: str = "RGB") -> bytes:
    stream = io.BytesIO()
    _picture(mode).save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (FakePage(), Kind.PAGE),
        (FakeLocator(), Kind.LOCATOR),
        (b"", Kind.DATA),
        (bytearray(b"x"), Kind.DATA),
        (Path("a.png"), Kind.FILE),
        ("a.png", Kind.FILE),
        ("some/folder.d/a.png", Kind.FILE),
        ("missing", Kind.FILE),
        ("C:\\pictures\\a.png", Kind.FILE),
        (_picture(), Kind.PICTURE),
        ("http://localhost:3000/", Kind.URL),
        ("HTTPS://example.test/a.png", Kind.URL),
        ("file:///tmp/page.html", Kind.URL),
        ("data:text/html,<p>hello", Kind.URL),
        ("data:text/html," + "x" * 5000, Kind.URL),
        ("about:blank", Kind.URL),
    ],
)
def test_kind_of_target(target: Any, kind: Kind) -> None:
    """A target's kind is told by what it is, not by what is installed."""
    assert kind_of(target) is kind


@pytest.mark.parametrize(
    "text", ["localhost:3000", "localhost/path", "127.0.0.1:8000/a", "my-app.test:80", "[::1]:80/"]
)
def test_url_without_scheme_is_corrected(text: str) -> None:
    """A URL without its scheme is an error that writes it right, not a missing file."""
    with pytest.raises(CaptureError, match=f"write http://{text}".replace("[", r"\[")) as caught:
        kind_of(text)
    assert caught.value.reason == "unreachable"


@pytest.mark.parametrize("target", [3, None, object(), ["a.png"]])
def test_anything_else_is_refused(target: Any) -> None:
    """What cannot be captured is refused by the name of its type."""
    with pytest.raises(CaptureError, match=type(target).__name__):
        capture_target(target, frame=FRAME, scale=1)


def test_asynchronous_page_is_refused() -> None:
    """A page of Playwright's asynchronous API is refused in words that name it."""
    page = type("Page", (FakePage,), {"__module__": "playwright.async_api._generated"})()
    with pytest.raises(CaptureError, match="asynchronous Page"):
        kind_of(page)


def test_html_file_is_a_page(tmp_path: Path) -> None:
    """An HTML file given by its path is opened in the browser, as text and as Path."""
    page = tmp_path / "my page.html"
    page.write_text("<p>hello", "utf-8")
    for target in (page, str(page)):
        assert kind_of(target) is Kind.URL
        assert url_of(target) == page.as_uri()
    assert kind_of(str(tmp_path / "missing.html")) is Kind.FILE


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "LA"])
def test_pil_image_is_taken_as_it_is(mode: str) -> None:
    """A PIL image in any plain mode gives its pixels as RGBA; the design's scale is kept."""
    picture = _picture(mode)
    capture = capture_target(picture, frame=FRAME, scale=2, viewport="desktop", theme="dark")
    assert capture.image.dtype == np.uint8
    np.testing.assert_array_equal(capture.image, np.asarray(picture.convert("RGBA")))
    assert (capture.scale, capture.viewport, capture.theme) == (2, "desktop", "dark")


def test_pil_image_is_copied() -> None:
    """Painting on the PIL image afterwards does not change the capture."""
    picture = _picture("RGBA")
    capture = capture_target(picture, frame=FRAME, scale=1)
    picture.putpixel((0, 0), (0, 0, 0, 0))
    assert capture.image[0, 0].tolist() == [255, 255, 255, 255]


@pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "LAB", "I", "F"])
def test_pil_image_of_another_colour_space_is_refused(mode: str) -> None:
    """A PIL image whose colours have no single meaning in sRGB is refused by its mode."""
    picture = PIL.Image.new(mode, (2, 2))
    with pytest.raises(CaptureError, match=mode) as caught:
        capture_target(picture, frame=FRAME, scale=1)
    assert caught.value.status == "undetermined:image-unreadable"


def test_empty_pil_image_is_refused() -> None:
    """A PIL image without pixels is refused."""
    with pytest.raises(CaptureError, match="empty"):
        capture_target(PIL.Image.new("RGB", (0, 3)), frame=FRAME, scale=1)


def test_pil_image_of_a_broken_file_is_refused() -> None:
    """A PIL image reads its file late: its early end is told in words, as of a path."""
    whole = encode_png(np.random.default_rng(0).integers(0, 256, (64, 64, 4), dtype=np.uint8))
    with (
        PIL.Image.open(io.BytesIO(whole[:400])) as cut,
        pytest.raises(CaptureError, match="decoded") as caught,
    ):
        capture_target(cut, frame=FRAME, scale=1)
    assert caught.value.status == "undetermined:image-unreadable"


def test_bytes_and_file_give_the_same(tmp_path: Path) -> None:
    """PNG bytes, a Path and a text path give the same pixels; the source says which it was."""
    path = tmp_path / "shot.png"
    path.write_bytes(_png())
    captures = [
        capture_target(target, frame=FRAME, scale=1)
        for target in (_png(), bytearray(_png()), path, str(path))
    ]
    for capture in captures:
        np.testing.assert_array_equal(capture.image, captures[0].image)
    assert [c.source for c in captures] == ["PNG bytes", "PNG bytes", str(path), str(path)]


@pytest.mark.parametrize("data", [b"", b"not a png", _png()[:40]])
def test_unreadable_picture_is_undetermined(tmp_path: Path, data: bytes) -> None:
    """A picture that cannot be read is undetermined with its name, never a comparison."""
    path = tmp_path / "broken.png"
    path.write_bytes(data)
    for target in (data, path, tmp_path / "missing.png"):
        with pytest.raises(CaptureError) as caught:
            capture_target(target, frame=FRAME, scale=1)
        assert caught.value.reason == "image-unreadable"


def test_masks_of_a_picture() -> None:
    """Boxes are masks of a picture in every way to write them; a selector is said to be unused."""
    mask = (Box(1, 2, 3, 4), (5, 6, 7, 8), [1.5, 0, 2, 2], "9,10,11,12", ".clock")
    capture = capture_target(_png(), frame=FRAME, scale=1, options=CaptureOptions(mask=mask))
    assert capture.masks == (
        Box(1, 2, 3, 4),
        Box(5, 6, 7, 8),
        Box(1.5, 0, 2, 2),
        Box(9, 10, 11, 12),
    )
    (warning,) = capture.warnings
    assert ".clock" in warning


@pytest.mark.parametrize(
    "mask", [3, (1, 2, 3), (1, 2, 3, "x"), (60, 200), "60,200", (1, 2, 0, 4), None]
)
def test_wrong_mask_is_refused(mask: Any) -> None:
    """A mask that is neither a box, a text nor a locator is a wrong word, with what is right."""
    with pytest.raises(ConfigurationError, match=r"is no mask(?s:.*)a CSS selector, a Locator, or"):
        capture_target(_png(), frame=FRAME, scale=1, options=CaptureOptions(mask=(mask,)))


def test_durations_are_measured_by_the_given_clock() -> None:
    """The time a picture takes is measured by the injected clock."""
    ticks = iter([10.0, 12.5])
    capture = capture_target(_png(), frame=FRAME, scale=1, clock=lambda: next(ticks))
    assert capture.durations == {"decode": 2.5}


def test_pictures_do_not_import_playwright(tmp_path: Path) -> None:
    """Bytes, a path and a PIL image are captured without importing playwright."""
    path = tmp_path / "shot.png"
    path.write_bytes(_png())
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "import PIL.Image\n"
        "from pytest_pixelloop.capture.screenshot import capture_target\n"
        "path = Path(sys.argv[1])\n"
        "for target in (path, str(path), path.read_bytes(), PIL.Image.open(path)):\n"
        "    capture_target(target, frame=(4, 3), scale=1)\n"
        "print([m for m in sys.modules if m.startswith('playwright')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
