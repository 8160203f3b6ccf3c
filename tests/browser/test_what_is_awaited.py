"""What a page still waits for, what it is given back, and what cannot be stopped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.frozen import freeze_page
from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.unstable import Cause, UnstableCaptureError
from pytest_pixelloop.checker import undetermined_report
from pytest_pixelloop.store.images import read_image

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_pixelloop.core.capture import Capture

FRAME = (400.0, 300.0)
GREEN = [0, 170, 0, 255]
SHORT = CaptureOptions(timeout=1.0)


def _take(page: Any, **options: Any) -> Capture:
    return capture_target(page, frame=FRAME, scale=1, options=CaptureOptions(**options))


def test_request_under_way_is_waited_for_on_an_open_page(
    site: str, open_page: Callable[..., Any]
) -> None:
    """A request that a page made before the capture is waited for; with ``ignore`` it is not."""
    page = open_page(f"{site}/dark.html")
    page.evaluate("() => { fetch('/green.svg?hang'); }")
    assert _take(page, network="ignore").warnings == ()
    late = _take(open_page(f"{site}/late-request.html"))
    assert late.image[100, 380].tolist() == GREEN
    assert late.warnings == ()


def test_what_never_comes_is_a_warning_and_costs_the_time_once(
    site: str, open_page: Callable[..., Any]
) -> None:
    """A request without an answer, a background that hangs, a list that stays busy: all said."""
    page = open_page(f"{site}/dark.html")
    page.evaluate(
        "() => { fetch('/green.svg?hang'); document.body.innerHTML += "
        "'<p id=list aria-busy=true>x</p><i style=\"background:url(/red.svg?hang)\">y</i>'; }"
    )
    said = _take(page, timeout=1.0).warnings
    assert "1 element still aria-busy after 1 s: #list" in said
    assert "1 background image still loading after 1 s" in said
    assert "1 request not answered after 1 s: green.svg" in said


def test_request_that_begins_while_the_page_settles_is_waited_for(
    site: str, open_page: Callable[..., Any]
) -> None:
    """Two equal pictures are not enough while a request that began meanwhile is open."""
    page = open_page(f"{site}/dark.html")
    page.evaluate(
        "() => { setTimeout(() => fetch('/green.svg?delay=0.9').then(() => {"
        "document.body.style.background = 'rgb(0, 170, 0)'; }), 20); }"
    )
    page.wait_for_timeout(100)  # it began after the load's network was at rest, and before
    assert _take(page).image[290, 390].tolist() == GREEN


def test_requests_of_another_document_are_nobodys(site: str, open_page: Callable[..., Any]) -> None:
    """What the page before this one asked for is not waited for, whatever became of it."""
    page = open_page(f"{site}/dark.html")
    page.evaluate("() => { fetch('/green.svg?hang'); fetch('/red.svg'); }")
    page.goto(f"{site}/scale.html")
    page.evaluate("() => { new EventSource('/green.svg?hang'); }")  # never idle
    assert _take(page).warnings == ()


def test_failed_background_image_is_a_warning(site: str, open_page: Callable[..., Any]) -> None:
    """A background image that fails is named as an image is."""
    page = open_page(f"{site}/dark.html")
    page.evaluate("() => { document.body.style.backgroundImage = 'url(gone.png)'; }")
    assert "1 background image failed to load: gone.png" in _take(page).warnings


def test_background_images_are_not_fetched_twice(site: str, open_page: Callable[..., Any]) -> None:
    """Asking whether a background image is there makes no request of its own."""
    page = open_page("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}/late-background.html")
    _take(page)
    assert len([url for url in asked if "green.svg" in url]) == 1


def test_what_is_stopped_goes_on_afterwards(site: str, open_page: Callable[..., Any]) -> None:
    """A video plays on, an SVG moves on, a GIF is the file again, and no style stays."""
    page = open_page(f"{site}/video.html")
    page.wait_for_function("plays.currentTime > 0.2")
    _take(page)
    page.wait_for_function("!plays.paused && plays.currentTime > 0")
    assert page.evaluate("waits.paused && waits.currentTime === 0")
    page = open_page(f"{site}/smil.html")
    _take(page)
    assert not page.evaluate("document.querySelector('svg').animationsPaused()")
    page = open_page(f"{site}/gif.html")
    _take(page)
    for name in ("blink", "behind", "rest"):
        assert page.get_attribute(f"#{name}", "style") is None


def test_what_is_allowed_to_move_is_not_touched(site: str, open_page: Callable[..., Any]) -> None:
    """With animations allowed a GIF moves, and is named as what it is."""
    with pytest.raises(UnstableCaptureError) as caught:
        _take(open_page(f"{site}/gif.html"), animations="allow", timeout=1.0, quiet=1.0)
    assert caught.value.cause is Cause.PICTURE


def test_caret_is_told_apart_from_a_script(site: str, open_page: Callable[..., Any]) -> None:
    """A line of one px inside the focused field is its caret, a larger box there is not."""
    page = open_page(f"{site}/dark.html")
    page.set_content("<input id=field style='margin:40px;width:200px;font-size:24px' value=a>")
    page.focus("#field")
    box = page.locator("#field").bounding_box()
    x, y = box["x"] + 20, box["y"] + 5
    found = [page.evaluate(f"box => ({scripts.MOVER})(box).name()", [x, y, w, 20]) for w in (1, 40)]
    assert [f["cause"] for f in found] == ["caret", "script animation"]
    assert found[0]["selector"] == "#field"


def test_network_that_changes_the_page_is_named(site: str, open_page: Callable[..., Any]) -> None:
    """A page that shows another answer each time is unstable because of the network."""
    page = open_page(f"{site}/dark.html")
    page.evaluate(
        "() => { let n = 0; const ask = () => fetch('/green.svg?n=' + n).then(() => {"
        "document.querySelector('h1').textContent = 'Answer ' + n++; setTimeout(ask, 30); });"
        "ask(); }"
    )
    with pytest.raises(UnstableCaptureError) as caught:
        _take(page, timeout=1.0)
    assert caught.value.cause is Cause.NETWORK
    assert caught.value.element == "body > h1"


def test_both_pictures_are_kept_beside_the_report(
    site: str, open_page: Callable[..., Any], tmp_path: Path
) -> None:
    """The report names cause, selector, box and both pictures, which lie beside it."""
    with pytest.raises(UnstableCaptureError) as caught:
        _take(open_page(f"{site}/script-animation.html"), timeout=1.0)
    undetermined_report("1-1", gate="design", error=caught.value, folder=tmp_path)
    report = json.loads((tmp_path / "1-1.report.json").read_text("utf-8"))
    assert report["status"] == "undetermined:unstable"
    assert report["instability"]["cause"] == "script animation"
    assert report["instability"]["selector"] == "#mover"
    assert report["instability"]["box"][1:] == [30, report["instability"]["box"][2], 50]
    assert "cause: script animation" in report["problem"]
    for number, picture in enumerate(caught.value.pictures, 1):
        name = report["artifacts"][f"unstable_{number}"]
        np.testing.assert_array_equal(read_image(tmp_path / name, name=name), picture)


def test_page_frozen_before_it_is_opened(site: str, open_page: Callable[..., Any]) -> None:
    """A page whose clock was stopped beforehand is the same each time, from one page to another."""
    pictures = []
    for _ in range(2):
        page = open_page("about:blank")
        freeze_page(page, clock="2026-03-01T09:30:00", random_seed=3)
        page.goto(f"{site}/random.html")
        options = {"clock": "2026-03-01T09:30:00", "random_seed": 3}
        pictures += [_take(page, **options).image for _ in range(2)]
        assert page.inner_text("#time") == "2026-03-01T09:30:04.980Z"
    for picture in pictures[1:]:
        np.testing.assert_array_equal(picture, pictures[0])


def test_open_page_has_its_own_clock_again(site: str, open_page: Callable[..., Any]) -> None:
    """Date and Math.random of an open page stand still for the capture only."""
    page = open_page(f"{site}/random.html")
    page.evaluate("() => { box.remove(); }")  # the time goes on being drawn
    before = page.evaluate("[Date, Math.random].map((f) => f.toString())")
    first, second = (_take(page, clock="2026-03-01T09:30:00", random_seed=1) for _ in range(2))
    np.testing.assert_array_equal(first.image, second.image)
    assert page.evaluate("[Date, Math.random].map((f) => f.toString())") == before
    page.wait_for_function("new Date(time.textContent).getTime() > 1772357400000")


def test_shadow_and_same_origin_frame_are_in_the_snapshot(
    site: str, open_page: Callable[..., Any]
) -> None:
    """What is in an open shadow root and in a frame of the same origin is in the DOM snapshot."""
    for name, text in (("frame.html", "Inside"), ("shadow.html", "In the shadow")):
        dom = _take(open_page(f"{site}/{name}")).dom
        assert dom is not None
        assert dom.meaningful
        assert text in {e.text for e in dom.elements}
