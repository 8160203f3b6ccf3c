"""The texts of the watched sources that style or say something, as a brief looks into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.loop.watched import Watcher

ENDINGS = frozenset(
    (
        *("css", "scss", "sass", "less", "html", "htm", "vue", "svelte", "astro"),
        *("js", "mjs", "cjs", "ts", "jsx", "tsx", "json", "yaml", "yml", "toml"),
    )
)
MAX_FILE = 1_000_000
MAX_ALL = 20_000_000


class StyleFiles:
    """Reads the sources again and again, each file only when it has changed.

    A file above MAX_FILE is a bundle or data, and is left out; so is what comes, in the order of
    paths, after MAX_ALL.
    """

    def __init__(self, root: Path, watcher: Watcher) -> None:
        self._root = root
        self._watcher = watcher
        self._known: dict[str, tuple[str, str | None]] = {}

    def texts(self) -> dict[str, str]:
        """Return the texts by their paths below the root; of sources beyond all limits, nothing."""
        known: dict[str, tuple[str, str | None]] = {}
        found: dict[str, str] = {}
        total = 0
        for name, digest in self._watcher.fingerprint().files.items():
            if name.rsplit(".", 1)[-1].lower() not in ENDINGS:
                continue
            before = self._known.get(name)
            text = before[1] if before and before[0] == digest else _read(self._root / name)
            known[name] = digest, text
            total += len(text or "")
            if text is not None and total <= MAX_ALL:
                found[name] = text
        self._known = known
        return found


def _read(path: Path) -> str | None:
    try:
        if path.stat().st_size > MAX_FILE:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    return None if b"\0" in data else data.decode("utf-8", "replace")
