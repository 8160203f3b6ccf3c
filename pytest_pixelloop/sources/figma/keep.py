"""One fetched design into the designs folder: what changed, the files, the lock."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.sources.figma.errors import FigmaAnswerError
from pytest_pixelloop.sources.label_nodes import label_nodes, same_entry
from pytest_pixelloop.sources.lock import LockEntry, commit_label, locked_path, read_lock
from pytest_pixelloop.sources.told_changes import told_changes
from pytest_pixelloop.store.images import read_image

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from pytest_pixelloop.sources.figma.client import NodesAnswer
    from pytest_pixelloop.sources.figma.picture import CheckedPicture
    from pytest_pixelloop.sources.figma.wanted import Wanted


class Keeper:
    """Keeps designs in *folder*. Bytes that hold the token are refused."""

    def __init__(
        self, folder: Path, *, holds_token: Callable[[bytes], bool], now: Callable[[], datetime]
    ) -> None:
        self._folder = folder
        self._holds_token = holds_token
        self._now = now

    def keep(
        self, one: Wanted, answer: NodesAnswer, picture: CheckedPicture, *, probed: str | None
    ) -> list[str]:
        """Make the picture and its tree the design of the label; return lines that tell about it.

        A part that did not change keeps its old bytes, so that nothing moves in version control.
        """
        before = self._before(one)
        image, nodes = picture.data, self._nodes(one, answer)
        if before is not None:
            old_image, old_nodes = before
            entry = answer.entries[one.node]
            if entry is not None and same_entry(old_nodes, one.node, entry):
                nodes = old_nodes
            if _same_pixels(old_image, picture):
                image = old_image
        if self._holds_token(image) or self._holds_token(nodes):
            raise FigmaAnswerError("the answer holds the access token: nothing of it is kept")
        entry_now = self._entry(one, answer, picture, image, nodes, probed=probed)
        commit_label(self._folder, entry_now, image=image, nodes=nodes)
        height, width = picture.pixels.shape[:2]
        told = f"{width}x{height} px, scale {picture.scale:g}"
        return [
            f"{told}, {_news(before, image, nodes)}",
            *(f"note: {note}" for note in picture.notes),
            *(told_changes(before[1], nodes, node=one.node) if before is not None else ()),
        ]

    def keep_group(self, one: Wanted, answer: NodesAnswer, *, probed: str | None) -> None:
        """Keep the tree of a section or component set, which tells which frames it stands for."""
        nodes = self._nodes(one, answer)
        before = read_lock(self._folder).entries.get((one.name, one.label))
        old = self._bytes(before.nodes, before.nodes_sha256) if before is not None else None
        entry = answer.entries[one.node]
        if old is not None and entry is not None and same_entry(old, one.node, entry):
            nodes = old
        if self._holds_token(nodes):
            raise FigmaAnswerError("the answer holds the access token: nothing of it is kept")
        now = self._entry(one, answer, None, None, nodes, probed=probed)
        commit_label(self._folder, now, image=None, nodes=nodes)

    def _nodes(self, one: Wanted, answer: NodesAnswer) -> bytes:
        entry = answer.entries[one.node]
        assert entry is not None
        return label_nodes(
            one.node,
            entry,
            name=answer.name,
            file_key=one.key,
            version=answer.version,
            last_modified=answer.last_modified,
        )

    def _entry(
        self,
        one: Wanted,
        answer: NodesAnswer,
        picture: CheckedPicture | None,
        image: bytes | None,
        nodes: bytes,
        *,
        probed: str | None,
    ) -> LockEntry:
        return LockEntry(
            name=one.name,
            label=one.label,
            source="figma",
            image=None if image is None else one.image,
            image_sha256=None if image is None else _digest(image),
            nodes=one.nodes,
            nodes_sha256=_digest(nodes),
            file_key=one.key,
            node=one.node,
            version=answer.version,
            probed=probed,
            last_modified=answer.last_modified,
            fetched_at=self._now().strftime("%Y-%m-%dT%H:%M:%SZ"),
            scale=picture.scale if picture is not None else None,
            notes=picture.notes if picture is not None else (),
        )

    def _before(self, one: Wanted) -> tuple[bytes, bytes] | None:
        """Return the label's picture and tree as the lock has them, None where it has none."""
        entry = read_lock(self._folder).entries.get((one.name, one.label))
        if entry is None:
            return None
        image = self._bytes(entry.image, entry.image_sha256)
        nodes = self._bytes(entry.nodes, entry.nodes_sha256)
        return None if image is None or nodes is None else (image, nodes)

    def _bytes(self, relative: str | None, sha256: str | None) -> bytes | None:
        """Return a file as the lock has it, None where it is another or gone."""
        if relative is None or sha256 is None:
            return None
        try:
            data = locked_path(self._folder / relative, sha256).read_bytes()
        except OSError:
            return None
        return data if _digest(data) == sha256 else None


def _news(before: tuple[bytes, bytes] | None, image: bytes, nodes: bytes) -> str:
    if before is None:
        return "new"
    parts = [
        word
        for word, same in (("picture", before[0] == image), ("nodes", before[1] == nodes))
        if not same
    ]
    return f"changed ({' and '.join(parts)})" if parts else "unchanged"


def _same_pixels(old: bytes, picture: CheckedPicture) -> bool:
    if old == picture.data:
        return True
    try:
        return np.array_equal(read_image(old, name="the picture before"), picture.pixels)
    except PixelloopError:
        return False


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
