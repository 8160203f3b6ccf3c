"""Words by text or by a picture of it: pages that cheat, and honest pages that look like it."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.shown_texts import find_shown_texts
from pytest_pixelloop.core.geometry import Box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.capture.session import BrowserSession

#: Where the words of the page lie: one line each, 30 px high.
BOXES = tuple(Box(20.0, 20.0 + 60 * n, 300.0, 30.0) for n in range(4))
WORDS = "".join(f'<p style="top:{20 + 60 * n}px">Words of line {n}</p>' for n in range(4))


def picture(alpha: int, size: int = 40) -> str:
    """Return a data URL of a picture with that much opacity (0..255)."""
    stream = io.BytesIO()
    Image.new("RGBA", (size, size), (90, 120, 200, alpha)).save(stream, "PNG")
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()


SOLID, VEIL = picture(255), picture(30)
_OVER = "position:absolute;left:0;top:0;width:400px;height:300px"
ALL = {"text": 4}
#: Honest pages, by what they are; each shows its words by text.
HONEST = {
    "plain": WORDS,
    "words on a photo": f'<img src="{SOLID}" style="{_OVER}">{WORDS}',
    "words in a box with a photo": f'<div style="{_OVER};background:url({SOLID}) 0 0/'
    f'100% 100%">{WORDS}</div>',
    "a link stretched over all": f'{WORDS}<a href="/" style="{_OVER}"></a>',
    "a grain of tiles over all": f'{WORDS}<i style="{_OVER};background:url({SOLID})"></i>',
    "a veil over all": f'{WORDS}<i style="{_OVER};background:url({VEIL}) 0 0/100% 100%"></i>',
    "a faint picture over all": f'{WORDS}<img src="{SOLID}" style="{_OVER};opacity:.1">',
    "a blended picture over all": WORDS
    + f'<img src="{SOLID}" style="{_OVER};mix-blend-mode:soft-light">',
    "words on a gradient": f"{WORDS.replace('<p style=', '<p class=g style=')}",
    "an icon before each line": WORDS.replace("<p ", "<p class=icon "),
    "fields": WORDS.replace("<p ", "<input value='typed words' ").replace("</p>", ""),
    "an open shadow tree": f"<div id=h></div><script>h.attachShadow({{mode:'open'}}).innerHTML="
    f"`<style>p{{position:absolute;left:20px;margin:0;font:20px serif}}</style>{WORDS}`</script>",
    "a frame of the same origin": f'<iframe style="{_OVER};border:0" srcdoc="<style>p{{position:'
    f"absolute;left:20px;margin:0;font:20px serif}}</style>{WORDS.replace(chr(34), chr(39))}"
    '"></iframe>',
    "a modal over a photo": f'<img src="{SOLID}" style="{_OVER}"><dialog id=d style="{_OVER}">'
    f"{WORDS}</dialog><script>d.showModal()</script>",
}
#: Pages that show no words, by what shows them.
CHEATING = {
    "an image": (f'<img src="{SOLID}" style="{_OVER}">', "picture"),
    "a background": (f'<b style="{_OVER};background:url({SOLID}) 0 0/100% 100%"></b>', "picture"),
    "an image over the words": (f'{WORDS}<img src="{SOLID}" style="{_OVER}">', "picture"),
    "one that lets clicks through": (
        f'{WORDS}<img src="{SOLID}" style="{_OVER};pointer-events:none">',
        "picture",
    ),
    "a pseudo element over the words": (
        (
            f"<style>body::after{{content:'';{_OVER};background:url({SOLID}) 0 0/100% 100%}}"
            f"</style>{WORDS}"
        ),
        "picture",
    ),
    "transparent words on an image": (
        f'<style>p{{color:transparent}}</style><img src="{SOLID}" style="{_OVER}">{WORDS}',
        "picture",
    ),
    "words of no opacity on an image": (
        f'<style>p{{opacity:.01}}</style><img src="{SOLID}" style="{_OVER}">{WORDS}',
        "picture",
    ),
    "an image in SVG": (
        (
            f'<svg style="{_OVER}"><image href="{SOLID}" width="400" height="300" '
            'preserveAspectRatio="none"/></svg>'
        ),
        "picture",
    ),
    "a border image": (
        (
            '<b style="position:absolute;left:0;top:0;border:solid;border-width:150px 200px;'
            f'border-image:url({SOLID}) 50%"></b>'
        ),
        "picture",
    ),
    "content": (f'<b style="{_OVER};content:url({SOLID})"></b>', "picture"),
    "an image in an open shadow tree": (
        (
            "<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML="
            f"`<img src='{SOLID}' style='{_OVER}'>`</script>"
        ),
        "picture",
    ),
    "a canvas": (f'<canvas style="{_OVER}"></canvas>', "canvas"),
    "nothing": ("", "none"),
    "a page that hides the browser's own words": (
        (
            '<form name="elementsFromPoint"><input name="getRootNode" type="hidden"></form>'
            '<form name="createElement"></form><form name="createRange"></form>'
            f'<img name="adoptedStyleSheets" src="{SOLID}" style="{_OVER}">'
        ),
        "picture",
    ),
    "a page that answers for itself": (
        (
            f'<img src="{SOLID}" style="{_OVER}"><p id=p style="top:600px">Words</p><script>'
            "Document.prototype.elementsFromPoint = () => [document.getElementById('p')];"
            "Range.prototype.getClientRects = () => [{left:0,top:0,right:999,bottom:999,height:9}]"
            "</script>"
        ),
        "picture",
    ),
}


@pytest.fixture(scope="module")
def page(session: BrowserSession) -> Iterator[Any]:
    """Give one page that each test fills anew."""
    page = session.browser.new_page(viewport={"width": 400, "height": 300})
    yield page
    page.close()


STYLE = (
    "body{margin:0}p,input{position:absolute;left:20px;margin:0;font:20px serif;width:200px}"
    ".g{color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text}"
    f".icon::before{{content:url({picture(255, 12)})}}"
)


def counts(page: Any, body: str) -> dict[str, int]:
    """Return by what a page shows its four lines, before its words are taken away."""
    page.set_content(f"<!doctype html><style>{STYLE}</style>{body}")
    shown = find_shown_texts(page, BOXES, origin=(0.0, 0.0))
    assert shown is not None
    return shown.counts()


@pytest.mark.parametrize("case", HONEST)
def test_words_are_seen_to_be_text(page: Any, case: str) -> None:
    """A page that shows its words by text is believed, whatever lies under or over them."""
    assert counts(page, HONEST[case]) == ALL


@pytest.mark.parametrize("case", CHEATING)
def test_words_that_something_else_shows_are_no_text(page: Any, case: str) -> None:
    """Words that a picture shows are told from text, also where text hides behind it."""
    body, kind = CHEATING[case]
    assert counts(page, body) == {kind: 4}


def captured(session: BrowserSession, body: str) -> dict[str, int]:
    """Return by what a capture of a page says that its four lines are shown."""
    page = session.browser.new_page(viewport={"width": 400, "height": 300})
    try:
        page.set_content(f"<!doctype html><style>{STYLE}</style>{body}")
        capture = capture_target(
            page, frame=(400, 300), scale=1, options=CaptureOptions(timeout=2), texts=BOXES
        )
        assert page.evaluate("document.adoptedStyleSheets.length") == 0
    finally:
        page.close()
    assert capture.shown_texts is not None
    return capture.shown_texts.counts()


CLOSED = (
    "<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML="
    "`<style>p{position:absolute;left:20px;margin:0;font:20px serif;color:#123}</style>"
    "{}`</script>"
)


@pytest.mark.parametrize("body", [*HONEST.values(), CLOSED.replace("{}", WORDS)])
def test_words_that_go_when_the_text_is_hidden_are_text(session: BrowserSession, body: str) -> None:
    """An honest page is believed by a capture, also where its elements cannot be looked at."""
    assert captured(session, body) == ALL


@pytest.fixture(scope="module")
def drawn(session: BrowserSession) -> str:
    """Give a data URL of the picture of the four lines on white."""
    page = session.browser.new_page(viewport={"width": 400, "height": 300})
    page.set_content(f"<!doctype html><style>{STYLE}</style>{WORDS}")
    data = base64.b64encode(page.screenshot()).decode()
    page.close()
    return f"data:image/png;base64,{data}"


#: Ways to paint a picture of words that no list of elements names; PIC is the picture's address.
PAINTING = {
    "an image in a closed shadow tree": CLOSED.replace("{}", f'<img src="PIC" style="{_OVER}">'),
    "a button of a form": f'<input type=image src="PIC" style="{_OVER}">',
    "a filter of the body": "<svg width=0 height=0><filter id=f x=0 y=0 width=1 height=1>"
    '<feImage href="PIC"/></filter></svg><style>body{width:400px;height:300px;filter:url(#f)}'
    "</style>",
    "stripes of gradients": f'<i style="{_OVER};background:#fff"></i>'
    + "".join(
        f'<i style="position:absolute;left:20px;width:300px;height:1px;top:{y}px;background:'
        'linear-gradient(90deg,#000 30%,#fff 30%,#fff 40%,#000 40%,#000 70%,#fff 70%)"></i>'
        for n in range(4)
        for y in range(25 + 60 * n, 45 + 60 * n, 3)
    ),
}


@pytest.mark.parametrize("words", ["", WORDS, WORDS.replace("Words of line", "<s></s>.")])
@pytest.mark.parametrize("case", PAINTING)
def test_words_that_stay_when_the_text_is_hidden_are_paint(
    session: BrowserSession, drawn: str, case: str, words: str
) -> None:
    """However it is painted, over words, without words or over a dot of text, it is no text."""
    assert "text" not in captured(session, words + PAINTING[case].replace("PIC", drawn))


def test_words_over_a_picture_of_the_same_words_are_a_fig_leaf(
    session: BrowserSession, drawn: str
) -> None:
    """Words that can be taken away without a trace are in the picture below; others are text."""
    below = f'<div style="{_OVER};background:url({drawn})">{{}}</div>'
    assert captured(session, below.format(WORDS)) == {"picture": 4}
    photo = f'<div style="{_OVER};background:url({SOLID}) 0 0/100% 100%">{WORDS}</div>'
    assert captured(session, photo) == ALL
    noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3), np.uint8)
    stream = io.BytesIO()
    Image.fromarray(noise).save(stream, "PNG")
    busy = "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()
    white = WORDS.replace("<p ", "<p class=w ") + "<style>.w{color:#fff;font-size:26px}</style>"
    assert captured(session, f'<img src="{busy}" style="{_OVER}">{white}') == ALL


def test_the_page_is_as_before(page: Any) -> None:
    """Looking leaves no style, no element and no handler behind."""
    page.set_content('<i style="pointer-events:none">x</i>')
    before = page.content()
    find_shown_texts(page, BOXES, origin=(0.0, 0.0))
    assert page.content() == before
    assert page.evaluate("document.adoptedStyleSheets.length") == 0
