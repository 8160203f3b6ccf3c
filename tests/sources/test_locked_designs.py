"""The lock: hand-made changes are errors, never green, and never the wrong error."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.core.errors import (
    ConfigurationError,
    DesignNotExportedError,
    DesignUnreadableError,
)
from pytest_pixelloop.sources.folder import load_design, plan_comparisons
from pytest_pixelloop.sources.lock import (
    Lock,
    LockEntry,
    MissingLabel,
    commit_label,
    lock_text,
    pending_path,
    read_lock,
    settle,
    write_lock,
)
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_pixelloop.core.design import Design

URL = "https://www.figma.com/design/KeyOne/Shop?node-id=1-2"


def sha(data: bytes) -> str:
    """Return the hash of bytes."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def picture(level: int = 200) -> bytes:
    """Return a PNG of 80x60."""
    image = np.full((60, 80, 4), 255, np.uint8)
    image[10:20, 10:20, 0] = level
    return encode_png(image)


def nodes(name: str = "Card") -> bytes:
    """Return a node file of a frame of 40x30."""
    box = {"x": 0, "y": 0, "width": 40, "height": 30}
    node = {"id": "1:2", "name": name, "type": "FRAME", "absoluteBoundingBox": box}
    return json.dumps({"version": "9", "nodes": {"1:2": {"document": node}}}).encode()


def entry(image: bytes, tree: bytes | None, **more: Any) -> LockEntry:
    """Return the lock's entry for the label."""
    fields: dict[str, Any] = {
        "name": "card",
        "label": "1-2",
        "source": "figma",
        "image": "card/1-2.png",
        "image_sha256": sha(image),
        "nodes": None if tree is None else "card/1-2.nodes.json",
        "nodes_sha256": None if tree is None else sha(tree),
        "file_key": "KeyOne",
        "node": "1:2",
        "version": "100",
        "scale": 2.0,
    }
    return LockEntry(**(fields | more))


@pytest.fixture
def designs(tmp_path: Path) -> Path:
    """Return a designs folder with one locked design."""
    folder = tmp_path / "designs"
    folder.mkdir()
    text = f'schema_version: 1\ndesigns:\n  card: {{figma: "{URL}"}}\n'
    (folder / "designs.yaml").write_text(text, "utf-8")
    commit_label(folder, entry(picture(), nodes()), image=picture(), nodes=nodes())
    return folder


def load(folder: Path) -> Design:
    """Return the design."""
    return load_design(plan_comparisons(folder, "card")[0])


def test_a_locked_design_is_loaded_with_its_version(designs: Path) -> None:
    """The version in reports is the lock's: the node file may be older and the same."""
    design = load(designs)
    assert design.provenance["version"] == "100"
    assert design.provenance["file_key"] == "KeyOne"


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "picture": (
        lambda d: (d / "card/1-2.png").write_bytes(picture(1)),
        "1-2.png is not the file that was fetched",
    ),
    "nodes": (
        lambda d: (d / "card/1-2.nodes.json").write_bytes(nodes("Other")),
        r"1-2.nodes.json is not the file that was fetched",
    ),
    "picture gone": (
        lambda d: (d / "card/1-2.png").unlink(),
        "1-2.png is in designs.lock, but the file is missing",
    ),
    "nodes gone": (
        lambda d: (d / "card/1-2.nodes.json").unlink(),
        "1-2.nodes.json is in designs.lock, but the file is missing",
    ),
    "cut": (
        lambda d: (d / "card/1-2.png").write_bytes(picture()[:-30]),
        "the PNG is truncated",
    ),
    "lfs": (
        lambda d: (d / "card/1-2.png").write_bytes(
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
        ),
        "Git LFS pointer",
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_file_changed_by_hand_is_refused(designs: Path, case: str) -> None:
    """Changed, cut, missing or a pointer: undetermined with what to type, never a comparison."""
    change, words = CHANGES[case]
    change(designs)
    with pytest.raises(DesignUnreadableError, match=words) as caught:
        load(designs)
    assert caught.value.status == "undetermined:figma-unreadable"


def test_the_refusal_says_what_to_type(designs: Path) -> None:
    """Restore it, pull it, or give a file of one's own another name."""
    (designs / "card" / "1-2.png").write_bytes(picture(1))
    with pytest.raises(DesignUnreadableError) as caught:
        load(designs)
    assert "pixelloop pull card" in caught.value.next_step
    assert caught.value.where == "designs/designs.lock"


def test_a_link_to_another_file_is_refused(designs: Path) -> None:
    """The manifest was pointed at another file: what was fetched is not that design."""
    text = (designs / "designs.yaml").read_text("utf-8").replace("KeyOne", "KeyTwo")
    (designs / "designs.yaml").write_text(text, "utf-8")
    with pytest.raises(DesignUnreadableError, match="KeyTwo") as caught:
        load(designs)
    assert caught.value.next_step == "pixelloop pull card"


def test_a_link_to_another_node_is_not_pulled(designs: Path) -> None:
    """Another node is another label: not exported yet, with the command to type."""
    text = (designs / "designs.yaml").read_text("utf-8").replace("1-2", "1-3")
    (designs / "designs.yaml").write_text(text, "utf-8")
    with pytest.raises(DesignNotExportedError, match="next: pixelloop pull card") as caught:
        load(designs)
    assert caught.value.status == "undetermined:not-exported"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("<<<<<<< ours\n{}\n", "merge conflict"),
        ('{"schema_version": 1}', "cannot be read"),
        ('{"schema_version": 7, "designs": {}}', "schema_version 7"),
        ('{"schema_version": 1, "designs": {"a": {"b": {"source": "figma"}}}}', "cannot be read"),
        ("[]", "cannot be read"),
    ],
)
def test_a_lock_that_cannot_be_read_vouches_for_nothing(
    designs: Path, text: str, words: str
) -> None:
    """A broken lock is a configuration error with the way out, never an empty lock."""
    (designs / "designs.lock").write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=words):
        load(designs)


def test_a_lock_cannot_name_files_outside(designs: Path) -> None:
    """Paths of the lock stay in the designs folder."""
    for path in ("../x.png", "/etc/passwd", "a\\b.png", "C:/x.png"):
        write_lock(
            designs, Lock().with_entry(dataclasses.replace(entry(picture(), None), image=path))
        )
        with pytest.raises(ConfigurationError, match="no path in the designs folder"):
            read_lock(designs)


def test_the_lock_is_sorted_and_comes_back(designs: Path) -> None:
    """Entries in any order give the same bytes, and reading gives what was written."""
    first, second = entry(picture(), nodes()), entry(picture(1), None, name="a", label="a")
    gap = MissingLabel(name="z", label="9-9", why="null", final=True, at="2026-01-01T00:00:00Z")
    one = Lock(missing={("z", "9-9"): gap}).with_entry(first).with_entry(second)
    two = Lock(missing={("z", "9-9"): gap}).with_entry(second).with_entry(first)
    assert lock_text(one) == lock_text(two)
    write_lock(designs, one)
    assert lock_text(read_lock(designs)) == lock_text(one)


def test_before_the_lock_says_so_a_new_file_is_not_the_design(designs: Path) -> None:
    """Files that wait beside the old ones are not read, and settle() removes them."""
    waiting = pending_path(designs / "card" / "1-2.png")
    waiting.write_bytes(picture(1))
    assert load(designs).image[12, 12, 0] == 200
    settle(designs)
    assert not waiting.exists()
    assert load(designs).image[12, 12, 0] == 200


def test_once_the_lock_says_so_a_waiting_file_is_the_design(designs: Path) -> None:
    """Between the lock and the renames the new picture and tree are read, both of them."""
    image, tree = picture(1), nodes("New")
    pending_path(designs / "card" / "1-2.png").write_bytes(image)
    pending_path(designs / "card" / "1-2.nodes.json").write_bytes(tree)
    write_lock(designs, read_lock(designs).with_entry(entry(image, tree)))
    for _ in range(2):
        design = load(designs)
        assert design.root is not None
        assert (design.image[12, 12, 0], design.root.name) == (1, "New")
        settle(designs)
    assert (designs / "card" / "1-2.png").read_bytes() == image
    assert not list(designs.rglob(".next-*"))


def test_a_design_without_lock_is_as_before(tmp_path: Path) -> None:
    """A picture exported by hand into the default place needs no lock."""
    folder = tmp_path / "designs"
    (folder / "card").mkdir(parents=True)
    (folder / "card" / "1-2.png").write_bytes(picture())
    text = f'schema_version: 1\ndesigns:\n  card: {{figma: "{URL}"}}\n'
    (folder / "designs.yaml").write_text(text, "utf-8")
    assert load(folder).label == "1-2"


def test_a_picture_before_a_locked_one_is_taken(designs: Path) -> None:
    """A label's own picture comes before the one of its node, locked or not."""
    text = f'schema_version: 1\ndesigns:\n  card: {{figma: "{URL}", themes: {{light: {{}}}}}}\n'
    (designs / "designs.yaml").write_text(text, "utf-8")
    assert load(designs).image[12, 12, 0] == 200
    (designs / "card" / "1-2__light.png").write_bytes(picture(7))
    assert load(designs).image[12, 12, 0] == 7


def test_a_gap_for_a_while_does_not_hide_what_is_there(designs: Path) -> None:
    """Only a design that is gone for good makes its older files stale."""
    for final in (False, True):
        gap = MissingLabel(name="card", label="1-2", why="node 1:2 is gone", final=final)
        lock = read_lock(designs)
        write_lock(designs, Lock(entries=lock.entries, missing={("card", "1-2"): gap}))
        if final:
            with pytest.raises(DesignNotExportedError, match="node 1:2 is gone"):
                load(designs)
        else:
            assert load(designs).label == "1-2"
