"""Snapshots of a real page: where they lie, and what they show."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from pytest_pixelloop.plugin.snapshots import URL_VIEWPORT, browser_of, frame_of
from pytest_pixelloop.sources.snapshot import read_snapshot
from pytest_pixelloop.store.images import read_image, write_png
from pytest_pixelloop.store.png_chunks import picture_note

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import pytest

TEST = """
import pytest


@pytest.fixture
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 300, "height": 200}}


def test_page(page, assert_matches_design):
    page.set_content("<body style='margin:0;height:900px;background:#fff'>"
                     "<div id=a style='width:80px;height:40px;background:COLOUR'></div>")
    assert_matches_design(page, snapshot="whole")


def test_element(page, assert_matches_design):
    page.set_content("<div id=a style='width:80px;height:40px;background:COLOUR'><b>x</b></div>")
    assert_matches_design(page.locator("#a"), snapshot="part")
"""


def test_a_page_keeps_its_viewport(pytester: pytest.Pytester) -> None:
    """A page's snapshot is its viewport, an element's its box, named by browser and platform."""
    pytester.makepyfile(test_shots=TEST.replace("COLOUR", "#2563eb"))
    pytester.makeini("[pytest]\n")
    update = "--pixelloop-update=missing"
    pytester.runpytest_subprocess(update).assert_outcomes(failed=2)
    folder = pytester.path / "__screenshots__" / "test_shots.py"
    for name, size in (("whole", (300, 200)), ("part", (80, 40))):
        path = folder / f"{name}-chromium-{sys.platform}.png"
        design = read_snapshot(path, name=name, shown=name, scale=1)
        assert design.pixel_size == size
    pytester.runpytest_subprocess("--pixelloop-update=none").assert_outcomes(passed=2)
    pytester.makepyfile(test_shots=TEST.replace("COLOUR", "#dc2626"))
    pytester.runpytest_subprocess("--pixelloop-update=none").assert_outcomes(failed=2)


def test_another_environment_is_said_first(pytester: pytest.Pytester) -> None:
    """A snapshot keeps the environment that it was made in; where that is another, it is said."""
    pytester.makepyfile(test_shots=TEST.replace("COLOUR", "#2563eb"))
    pytester.makeini("[pytest]\n")
    pytester.runpytest_subprocess("-k", "test_page", "--pixelloop-update=missing")
    path = pytester.path / f"__screenshots__/test_shots.py/whole-chromium-{sys.platform}.png"
    note = json.loads(picture_note(path.read_bytes()) or "")
    assert note["browser"] == "chromium"
    image = read_image(path, name="snapshot")
    image[0, 0, :3] = 0
    image[5:20, 5:20, :3] = 0
    write_png(path, image, note=json.dumps({**note, "browser_version": "1.0"}))
    result = pytester.runpytest_subprocess("-k", "test_page", "--pixelloop-update=none")
    result.assert_outcomes(failed=1)
    lines = [
        line for line in result.outlines if "ENV_CHANGED" in line or "is not the design" in line
    ]
    assert lines[0].startswith("ENV_CHANGED: browser_version 1.0 -> ")


def test_what_is_no_page_has_no_browser() -> None:
    """Bytes and addresses have neither a browser nor a viewport of their own."""
    targets: list[Any] = [b"png", "http://localhost/"]
    asks: list[Callable[[Any], object]] = [browser_of, frame_of]
    assert [[ask(target) for ask in asks] for target in targets] == [[None, URL_VIEWPORT]] * 2
