"""Styles that hold on a page while it is captured: hidden and removed elements, the user's own CSS.

They are adopted style sheets: no element is added to the page, and a content security policy does
not keep them out.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.capture import scripts
from pytest_pixelloop.capture.problems import first_line, playwright_error_types
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from types import TracebackType

    from pytest_pixelloop.capture.options import CaptureOptions

MAX_BYTES = 4_000_000

_SHEETS = (
    """({ css, selectors }) => {"""
    + scripts.ROOTS
    + """
  for (const selector of selectors) document.createDocumentFragment().querySelector(selector);
  const sheets = new Map(), counts = selectors.map(() => 0);
  return {
    // Called before every picture: frames and shadow roots come while a page settles.
    adopt() {
      for (const root of roots()) {
        if (sheets.has(root)) continue;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
        sheets.set(root, sheet);
      }
      selectors.forEach((selector, i) => {
        const found = roots().reduce((n, root) => n + root.querySelectorAll(selector).length, 0);
        counts[i] = Math.max(counts[i], found);
      });
      return counts;
    },
    restore() {
      for (const [root, sheet] of sheets) {
        root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
      }
    },
  };
}"""
)


def style_text(options: CaptureOptions) -> str:
    """Return the user's own CSS: that of the files, then that of the call.

    Raises ConfigurationError for a file that cannot be read.
    """
    parts = []
    for path in options.style_path:
        data = read_file(Path(path), name=str(path), error=ConfigurationError, max_bytes=MAX_BYTES)
        try:
            parts.append(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ConfigurationError(
                "the style file is not UTF-8 text", where=str(path), expected="CSS"
            ) from error
    return "\n".join((*parts, *options.style))


class PageStyles:
    """Holds the styles on all frames and open shadow roots of a page, as a context manager."""

    def __init__(self, page: Any, options: CaptureOptions) -> None:
        self._page = page
        self._hide, self._remove = options.hide, options.remove
        rules = [f"{s}, {_inside(s)} {{ visibility: hidden !important; }}" for s in options.hide]
        rules += [f"{s} {{ display: none !important; }}" for s in options.remove]
        self._wishes = {
            "css": "\n".join((style_text(options), *rules)),
            "selectors": [*options.hide, *options.remove],
        }
        self._empty = not self._wishes["css"]
        self._frames: dict[Any, Any] = {}
        self._counts: dict[Any, list[int]] = {}

    def __enter__(self) -> Self:
        self.adopt()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for handle in self._frames.values():
            with contextlib.suppress(*playwright_error_types()):
                handle.evaluate("sheets => sheets.restore()")
                handle.dispose()
        self._frames.clear()

    def adopt(self) -> None:
        """Put the styles on frames and shadow roots that have come since."""
        if self._empty:
            return
        for frame in self._page.frames:
            try:
                if frame not in self._frames:
                    self._frames[frame] = frame.evaluate_handle(_SHEETS, self._wishes)
                self._counts[frame] = self._frames[frame].evaluate("sheets => sheets.adopt()")
            except playwright_error_types() as error:
                self._frames.pop(frame, None)
                if "valid selector" in str(error):
                    raise self._wrong_selector(error) from error
                if frame == self._page.main_frame:
                    raise
                # A frame that is gone, or that shows no document.

    def warnings(self) -> list[str]:
        """Return a sentence for each selector that never matched anything."""
        words = [("hide", s) for s in self._hide] + [("remove", s) for s in self._remove]
        return [
            f"{word} {selector!r} matches nothing"
            for i, (word, selector) in enumerate(words)
            if not any(counts[i] for counts in self._counts.values())
        ]

    def _wrong_selector(self, error: Exception) -> ConfigurationError:
        named = [s for s in (*self._hide, *self._remove) if f"'{s}'" in str(error)]
        word = "hide" if named and named[0] in self._hide else "remove"
        return ConfigurationError(
            f"{(named or ['it'])[0]!r} is no CSS selector",
            where=word,
            expected=f"a selector as in a style sheet ({first_line(error)})",
        )


def _inside(selector: str) -> str:
    """Return the selector of everything inside: a child may have a visibility of its own."""
    return f":is({selector}) *"
