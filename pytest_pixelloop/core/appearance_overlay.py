"""The error that a development server lays over a page in place of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_pixelloop.core.appearance import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.core.appearance_scene import View
    from pytest_pixelloop.core.dom import Element

_TAG = "vite-error-overlay"
_IDS = re.compile(r"#(webpack-dev-server-client-overlay|__parcel__error__overlay__)$")
_TOLD = 300


def check_overlay(view: View) -> Iterator[Issue]:
    """Yield the overlay in which Vite, webpack-dev-server or Parcel tells that a source is broken.

    What lies below is not the page, so nothing else that is found explains more.
    """
    for element in view.elements:
        if element.tag == _TAG or _IDS.search(element.selector):
            words = _words(view, element)
            yield Issue(
                check="error-overlay",
                message=f"the development server shows an error in place of the page: {words}",
                box=element.box,
                element=element,
                expected="the page",
                actual=words,
            )
            return


def _words(view: View, overlay: Element) -> str:
    """Return what an overlay says, from its top."""
    inside = {overlay.index}
    texts = [overlay.text]
    for element in view.elements:
        if element.parent in inside:
            inside.add(element.index)
            texts.append(element.text)
    told = " ".join(text for text in texts if text)
    return told[:_TOLD] or "it has no text that can be read"
