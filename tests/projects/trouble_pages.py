"""One page for each trouble a capture may meet, with the one right answer.

Read by the tests, which repeat each capture a few times, and by ``benchmarks/captures.py``, which
repeats it twenty times and prints a table.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.unstable import UnstableCaptureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_pixelloop.core.capture import Capture

FRAME = (400.0, 300.0)
Colour = tuple[int, int, int]
RED, GREEN, BLUE, WHITE = (204, 0, 0), (0, 170, 0), (0, 102, 204), (255, 255, 255)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A page and what its capture must be.

    ``pixels`` maps places (CSS px) to the colours a right picture has there; ``size`` is in CSS px.
    ``cause`` is that of the refusal where the page cannot be captured; ``warning`` is a part of
    what must be said. ``steps`` are done with an open page before each capture; without them a
    URL is captured, in a context of its own each time.
    """

    name: str
    page: str
    pixels: Mapping[tuple[float, float], Colour] = field(default_factory=dict)
    size: tuple[int, int] = (400, 300)
    scale: float = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    theme: str | None = None
    cause: str | None = None
    element: str | None = None
    warning: str | None = None
    steps: Callable[[Any], None] | None = None
    style: str = ""
    focus: str | None = None
    how: str = ""


def _hover(page: Any) -> None:
    page.mouse.move(100, 60)
    page.wait_for_function("document.querySelector('#card').matches(':hover')")


def _half_a_blink(page: Any) -> None:
    page.wait_for_timeout(170)


TROUBLES = (
    Trouble(name="late font", page="late-font.html", pixels={(40, 40): (0, 51, 102)}),
    Trouble(
        name="lazy image", page="lazy-image.html", pixels={(100, 6050): GREEN}, size=(400, 6100)
    ),
    Trouble(
        name="sticky header over 12,000 px",
        page="long-sticky.html",
        pixels={
            (10, 20): RED,
            (10, 60): WHITE,
            (10, 5980): (221, 238, 255),
            (360, 280): (0, 102, 0),
        },
        size=(400, 12_000),
    ),
    Trouble(name="infinite CSS animation", page="css-infinite.html", pixels={(20, 100): BLUE}),
    Trouble(
        name="infinite CSS animation, allowed",
        page="css-infinite.html",
        options={"animations": "allow"},
        cause="CSS animation",
        element="#mover",
    ),
    Trouble(name="SVG animation", page="smil.html", pixels={(20, 100): BLUE}),
    Trouble(
        name="requestAnimationFrame animation",
        page="script-animation.html",
        cause="script animation",
        element="#mover",
    ),
    Trouble(
        name="requestAnimationFrame animation, clock frozen",
        page="script-animation.html",
        options={"clock": "2026-03-01T09:30:00"},
        how="clock=...",
    ),
    Trouble(
        name="clock and random numbers",
        page="random.html",
        options={"clock": "2026-03-01T09:30:00", "random_seed": 7},
        how="clock=..., random_seed=7",
    ),
    Trouble(name="clock and random numbers, running", page="random.html", cause="script animation"),
    Trouble(
        name="GIF",
        page="gif.html",
        pixels={(20, 100): RED, (20, 170): RED, (20, 240): BLUE},
    ),
    Trouble(name="video", page="video.html", pixels={(40, 120): RED}),
    Trouble(
        name="video that cannot be paused",
        page="moving-video.html",
        cause="video",
        element="#stream",
    ),
    Trouble(name="blinking caret", page="fields.html", steps=_half_a_blink, focus="#styled"),
    Trouble(
        name="layout shift after 2 s",
        page="layout-shift.html",
        pixels={(20, 20): (255, 204, 0)},
        options={"quiet": 2.2},
        how="quiet=2.2",
    ),
    Trouble(
        name="layout shift after 2 s, clock frozen",
        page="layout-shift.html",
        pixels={(20, 20): (255, 204, 0)},
        options={"clock": "2026-03-01T09:30:00"},
        how="clock=...",
    ),
    Trouble(name="page that grows", page="growing.html", cause="layout"),
    Trouble(name="late request", page="late-request.html", pixels={(390 - 10, 100): GREEN}),
    Trouble(name="aria-busy", page="busy.html", pixels={(380, 100): GREEN}),
    Trouble(
        name="late background images", page="late-background.html", pixels={(20, 140): (0, 170, 0)}
    ),
    Trouble(name="scale 1.25", page="scale.html", scale=1.25),
    Trouble(name="scale 1.5", page="scale.html", scale=1.5),
    Trouble(name="iframe", page="frame.html", pixels={(150, 81): (51, 51, 51), (33, 217): RED}),
    Trouble(name="shadow DOM", page="shadow.html", pixels={(200, 90): (204, 221, 238)}),
    Trouble(
        name="canvas application",
        page="canvas.html",
        pixels={(40, 60): BLUE},
        style="drawn on a canvas",
    ),
    Trouble(
        name="canvas that moves",
        page="canvas.html?moves",
        cause="script animation on a canvas",
        element="#app",
    ),
    Trouble(
        name="position: fixed", page="fixed-header.html", pixels={(10, 20): RED}, size=(400, 3300)
    ),
    Trouble(
        name="right to left",
        page="rtl.html",
        pixels={(660, 20): BLUE, (5, 95): (0, 102, 0)},
        size=(700, 300),
    ),
    Trouble(name="emoji", page="emoji.html"),
    Trouble(
        name="dark by media query",
        page="dark.html",
        theme="dark",
        pixels={(390, 290): (17, 17, 17)},
    ),
    Trouble(name="dark by class", page="dark-class.html?dark", pixels={(390, 290): (17, 17, 17)}),
    Trouble(
        name="print-only rules", page="print.html", pixels={(20, 90): (0, 102, 0), (20, 150): WHITE}
    ),
    Trouble(
        name="body of no height", page="zero-body.html", pixels={(100, 710): BLUE}, size=(400, 720)
    ),
    Trouble(name="horizontal overflow", page="wide.html", size=(900, 300)),
    Trouble(
        name="16,000 px",
        page="tall-16000.html",
        pixels={(20, 15_980): (0, 0, 0)},
        size=(400, 16_000),
    ),
    Trouble(
        name="20,000 px", page="tall.html", pixels={(10, 19_999): (0, 0, 0)}, size=(400, 20_000)
    ),
    Trouble(name="console error", page="errors.html", warning="console error"),
    Trouble(
        name="404 image", page="broken-image.html", warning="1 image failed to load: nowhere.png"
    ),
    Trouble(
        name="404 font",
        page="missing-font.html",
        warning="1 font face failed to load, another font is used: Nowhere",
    ),
    Trouble(name="disabled button", page="disabled.html"),
    Trouble(
        name="element under a modal",
        page="modal.html",
        pixels={(390, 10): (119, 119, 119)},
        focus="#d",
    ),
    Trouble(name="hover left over", page="fields.html", steps=_hover, focus="#styled"),
    Trouble(name="focus ring", page="focus.html?focus", focus="#b"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one capture came to: ``captured``, or the cause of the refusal, and what is wrong."""

    words: str
    wrong: tuple[str, ...]
    picture: str


def take(trouble: Trouble, *, site: str, browser: Any, page: Any = None) -> Outcome:
    """Capture the page of *trouble* once and hold it against its right answer."""
    options = {"timeout": 1.5 if trouble.cause else 8.0, **trouble.options}
    if trouble.steps is not None:
        trouble.steps(page)
    target = f"{site}/{trouble.page}" if trouble.steps is None else page
    try:
        capture = capture_target(
            target,
            frame=FRAME,
            scale=trouble.scale,
            options=CaptureOptions(**options),
            browser=lambda: browser,
            theme=trouble.theme,
        )
    except UnstableCaptureError as error:
        return Outcome(
            words=f"unstable: {error.cause} in {error.element or 'the page'}",
            wrong=_wrong_refusal(trouble, error),
            picture="",
        )
    return Outcome(
        words="captured",
        wrong=_wrong_capture(trouble, capture),
        picture=hashlib.sha256(capture.image.tobytes()).hexdigest(),
    )


def _wrong_refusal(trouble: Trouble, error: UnstableCaptureError) -> tuple[str, ...]:
    if str(error.cause) == trouble.cause and trouble.element in {None, error.element}:
        return ()
    return (f"refused with {error.cause} in {error.element}, not {trouble.cause}",)


def _wrong_capture(trouble: Trouble, capture: Capture) -> tuple[str, ...]:
    wrong = [f"captured, not refused with {trouble.cause}"] if trouble.cause else []
    width, height = (round(side * trouble.scale) for side in trouble.size)
    if capture.pixel_size != (width, height):
        wrong.append(f"{capture.pixel_size} px, not {(width, height)}")
        return tuple(wrong)
    for (x, y), colour in trouble.pixels.items():
        found = tuple(
            int(v) for v in capture.image[int(y * trouble.scale), int(x * trouble.scale), :3]
        )
        # Video is stored in a colour space of its own and comes back a little off.
        if max(abs(a - b) for a, b in zip(found, colour, strict=True)) > 6:
            wrong.append(f"{found} at ({x:g}, {y:g}), not {colour}")
    if trouble.warning and not any(trouble.warning in w for w in capture.warnings):
        wrong.append(f"no warning {trouble.warning!r} in {capture.warnings}")
    if trouble.focus != capture.environment["focus"]:
        wrong.append(f"focus {capture.environment['focus']}, not {trouble.focus}")
    reason = capture.dom.reason if capture.dom else "no DOM"
    if trouble.style not in reason or bool(trouble.style) != bool(reason):
        wrong.append(f"style: {reason!r}, not {trouble.style!r}")
    return tuple(wrong)
