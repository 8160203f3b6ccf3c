"""Showing a page in a theme: by colour scheme, class, attribute or storage, and back again."""

from __future__ import annotations

import contextlib
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.problems import first_line, playwright_error_types
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.core.viewports import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_pixelloop.core.viewports import ThemeHook

_STORE = """({ local, session, otherLocal, otherSession, tell }) => {
  const undo = [];
  const change = (area, wanted, others) => {
    let storage;
    try { storage = window[area]; storage.length; } catch { return; }  // data: URLs have none
    const set = (key, value) => {
      const before = storage.getItem(key);
      if (before === value) return;
      if (value === null) storage.removeItem(key); else storage.setItem(key, value);
      // Other tabs of an application are told by this event; some listen to it for their theme.
      if (tell) dispatchEvent(new StorageEvent('storage', {
        key, oldValue: before, newValue: value, storageArea: storage, url: location.href }));
      undo.push(() => set(key, before));
    };
    for (const [key, value] of Object.entries(wanted)) set(key, value);
    for (const [key, value] of others) if (storage.getItem(key) === value) set(key, null);
  };
  change('localStorage', local, otherLocal);
  change('sessionStorage', session, otherSession);
  return { restore() { for (const step of undo.splice(0).reverse()) step(); } };
}"""

_MARK = """({ selector, classes, attributes, otherClasses, otherAttributes }) => {
  const undo = [], elements = [...document.querySelectorAll(selector)];
  const put = (element, name, value) => {
    const before = element.getAttribute(name);
    if (before === value) return;
    if (value === null) element.removeAttribute(name); else element.setAttribute(name, value);
    undo.push(() => {
      if (element.getAttribute(name) !== value) return;  // the page has changed it since
      if (before === null) element.removeAttribute(name); else element.setAttribute(name, before);
    });
  };
  for (const element of elements) {
    const names = new Set(element.classList);
    for (const name of otherClasses) names.delete(name);
    for (const name of classes) names.add(name);
    const text = [...names].join(' ');
    if (text !== [...element.classList].join(' ')) put(element, 'class', text || null);
    for (const [name, value] of otherAttributes) {
      if (element.getAttribute(name) === value) put(element, name, null);
    }
    for (const [name, value] of Object.entries(attributes)) put(element, name, value);
  }
  return {
    count: elements.length,
    holds() {
      return elements.every((element) => element.isConnected
        && classes.every((name) => element.classList.contains(name))
        && !otherClasses.some((name) => element.classList.contains(name))
        && Object.entries(attributes).every(([n, v]) => element.getAttribute(n) === v));
    },
    restore() { for (const step of undo.splice(0).reverse()) step(); },
  };
}"""


def scheme_of(theme: str | None, hook: ThemeHook | None) -> str | None:
    """Return the colour scheme that a theme means: what its hook says, else its own name."""
    if hook is not None and hook.color_scheme is not None:
        return hook.color_scheme
    return theme if theme in SCHEMES else None


def storage_script(hook: ThemeHook) -> str:
    """Return the script that fills the storages before a page's own scripts run."""
    wishes = json.dumps({**_stores(hook), "tell": False})
    return f"if (window === window.top) ({_STORE})({wishes});"


@contextmanager
def themed(
    page: Any, theme: str | None, hook: ThemeHook | None, *, opened: bool, warnings: list[str]
) -> Iterator[None]:
    """Show *page* in a theme, and put everything back afterwards.

    *opened* tells that the page was opened for this capture with the storages filled already. A
    page that was given is not loaded again: it would lose what the test did on it.

    Raises CaptureError when no element is there that could carry the theme.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(_colour_scheme(page, scheme_of(theme, hook)))
        if hook is not None and hook.stores and not opened:
            stack.enter_context(
                _kept(page.evaluate_handle(_STORE, {**_stores(hook), "tell": True}))
            )
            if not hook.marks and hook.color_scheme is None:
                warnings.append(
                    f"theme {theme} is kept in a storage, which a page reads when it loads; this "
                    "page was given open and was only told by a storage event (a URL is loaded "
                    "with it)"
                )
        if hook is None or not hook.marks:
            yield
            return
        marks = stack.enter_context(_kept(_mark(page, theme, hook)))
        yield
        with contextlib.suppress(*playwright_error_types()):
            if not marks.evaluate("marks => marks.holds()"):
                warnings.append(f"the page took theme {theme} off again while it was captured")


def _stores(hook: ThemeHook) -> dict[str, object]:
    return {
        "local": dict(hook.local_storage),
        "session": dict(hook.session_storage),
        "otherLocal": [list(item) for item in hook.other_local],
        "otherSession": [list(item) for item in hook.other_session],
    }


def _mark(page: Any, theme: str | None, hook: ThemeHook) -> Any:
    wishes = {
        "selector": hook.selector,
        "classes": list(hook.classes),
        "attributes": dict(hook.attributes),
        "otherClasses": list(hook.other_classes),
        "otherAttributes": [list(item) for item in hook.other_attributes],
    }
    try:
        marks = page.evaluate_handle(_MARK, wishes)
    except playwright_error_types() as error:
        if "valid selector" not in str(error):
            raise
        raise ConfigurationError(
            f"{hook.selector!r} is no CSS selector",
            where=f"selector of theme {theme}",
            expected=first_line(error),
        ) from error
    if (hook.classes or hook.attributes) and not marks.evaluate("marks => marks.count"):
        raise CaptureError(
            f"theme {theme} cannot be switched on: {hook.selector!r} matches nothing",
            reason="capture-failed",
            where=str(page.url),
            expected="an element that carries the theme's class or attribute",
            next_step=f"correct selector: of theme {theme} in the manifest",
        )
    return marks


@contextmanager
def _kept(handle: Any) -> Iterator[Any]:
    """Give a handle with ``restore``, which is called and let go of afterwards."""
    try:
        yield handle
    finally:
        with contextlib.suppress(*playwright_error_types()):
            handle.evaluate("handle => handle.restore()")
            handle.dispose()


@contextmanager
def _colour_scheme(page: Any, scheme: str | None) -> Iterator[None]:
    """Emulate *scheme* where the page does not have it, and put it back."""
    if scheme is None or (before := page.evaluate(scripts.SCHEME)) == scheme:
        yield
        return
    page.emulate_media(color_scheme=scheme)
    try:
        yield
    finally:
        with contextlib.suppress(*playwright_error_types()):
            page.emulate_media(color_scheme=before)
