"""The sources a fixer may edit, fingerprinted by content: did anything change, and what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedSources:
    """Where the sources of the page are.

    ``root`` is what changed paths are told relative to, ``roots`` the watched files and folders
    (none = ``root``). ``ignore`` are further files and folders to leave out, for example the
    designs and the run directory.
    """

    root: Path
    roots: tuple[Path, ...] = ()
    ignore: tuple[Path, ...] = ()
