"""Fingerprints of watched sources: content counts, times never prove anything alone."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.loop.watched import Fingerprint, WatchedSources, Watcher, changed_files

if TYPE_CHECKING:
    from pathlib import Path

FAR_FUTURE = 10**19


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a small project."""
    root = tmp_path / "project"
    (root / "static").mkdir(parents=True)
    (root / "static" / "style.css").write_text("a { color: red }")
    (root / "page.html").write_text("<p>")
    return root


def watcher(root: Path, *roots: str) -> Watcher:
    """Return a watcher to which every file is old enough to trust its times."""
    sources = WatchedSources(root=root, roots=tuple(root / r for r in roots))
    return Watcher(sources, now_ns=lambda: FAR_FUTURE)


def test_a_fingerprint_names_every_file_relative_to_the_root(project: Path) -> None:
    """Paths are relative, with slashes, and sorted."""
    assert list(watcher(project).fingerprint().files) == ["page.html", "static/style.css"]


def test_edited_added_and_removed_files_are_changes(project: Path) -> None:
    """Each kind of change is named; nothing else is."""
    watch = watcher(project)
    before = watch.fingerprint()
    assert changed_files(before, watch.fingerprint()) == ()
    (project / "page.html").write_text("<b>")
    (project / "new.css").write_text("")
    (project / "static" / "style.css").unlink()
    after = watch.fingerprint()
    assert changed_files(before, after) == ("new.css", "page.html", "static/style.css")
    assert before.digest != after.digest


def test_a_file_that_is_written_again_with_the_same_content_did_not_change(project: Path) -> None:
    """Content decides, not the time of writing."""
    watch = watcher(project)
    before = watch.fingerprint()
    page = project / "page.html"
    page.write_text(page.read_text())
    os.utime(page, ns=(1, 1))
    assert watch.fingerprint().digest == before.digest


def test_an_edit_that_keeps_size_and_time_is_seen(project: Path) -> None:
    """A fresh file is read again although its size and time stamp say that nothing happened."""
    page = project / "page.html"
    watch = Watcher(WatchedSources(root=project), now_ns=time.time_ns)
    before = watch.fingerprint()
    status = page.stat()
    page.write_text("<i>")
    os.utime(page, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert changed_files(before, watch.fingerprint()) == ("page.html",)


def test_a_stamp_within_the_racy_time_is_not_trusted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a clock beside the file's time the file is read each time, with a late one once."""
    reads: list[str] = []
    real = type(project).read_bytes

    def counted(path: Path) -> bytes:
        reads.append(path.name)
        return real(path)

    monkeypatch.setattr(type(project), "read_bytes", counted)
    fresh = Watcher(
        WatchedSources(root=project), now_ns=lambda: (project / "page.html").stat().st_ctime_ns
    )
    for _ in range(2):
        fresh.fingerprint()
    assert reads.count("page.html") == 2
    reads.clear()
    old = watcher(project)
    for _ in range(2):
        old.fingerprint()
    assert reads.count("page.html") == 1


@pytest.mark.parametrize(
    "folder", [".git", ".pixelloop", "node_modules", "__pycache__", "test-results", ".pytest_cache"]
)
def test_folders_without_sources_are_left_out(project: Path, folder: str) -> None:
    """Caches, packages, evidence and history are no sources, at any depth."""
    (project / "static" / folder).mkdir()
    (project / "static" / folder / "x").write_text("x")
    assert len(watcher(project).fingerprint().files) == 2


def test_a_virtual_environment_of_any_name_is_left_out(project: Path) -> None:
    """pyvenv.cfg tells a virtual environment, not its name."""
    (project / "myenv" / "lib").mkdir(parents=True)
    (project / "myenv" / "pyvenv.cfg").write_text("home = /usr")
    (project / "myenv" / "lib" / "x.py").write_text("x")
    assert len(watcher(project).fingerprint().files) == 2


def test_ignored_paths_are_left_out(project: Path) -> None:
    """Designs and other given places do not count as sources."""
    (project / "designs").mkdir()
    (project / "designs" / "a.png").write_text("x")
    sources = WatchedSources(root=project, ignore=(project / "designs", project / "page.html"))
    assert list(Watcher(sources).fingerprint().files) == ["static/style.css"]


def test_only_the_named_roots_are_watched(project: Path) -> None:
    """A root may be a folder or a file; one that is missing is simply not there yet."""
    watch = watcher(project, "static", "gone", "gone.css")
    before = watch.fingerprint()
    assert list(before.files) == ["static/style.css"]
    (project / "page.html").write_text("changed")
    assert watch.fingerprint() == before
    (project / "gone.css").write_text("")
    assert changed_files(before, watch.fingerprint()) == ("gone.css",)


def test_overlapping_roots_count_a_file_once(project: Path) -> None:
    """A file in two roots is one file."""
    assert len(watcher(project, "static", "static/style.css", ".").fingerprint().files) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_cannot_trap_the_walk_and_linked_files_are_read(project: Path) -> None:
    """A loop of folders ends, a linked file counts by content, a dangling link by its target."""
    (project / "static" / "loop").symlink_to(project, target_is_directory=True)
    outside = project.parent / "theme.css"
    outside.write_text("1")
    (project / "theme.css").symlink_to(outside)
    (project / "dangling").symlink_to(project / "nowhere")
    watch = watcher(project)
    before = watch.fingerprint()
    assert len(before.files) == 5
    assert before.files["dangling"].startswith("link:")
    outside.write_text("2")
    assert changed_files(before, watch.fingerprint()) == ("theme.css",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_a_named_pipe_is_not_read(project: Path) -> None:
    """A pipe in the sources cannot block the loop."""
    os.mkfifo(project / "pipe")
    assert watcher(project).fingerprint().files["pipe"] == "special"


@pytest.mark.parametrize(("files", "size", "word"), [(1, 10**6, "files"), (9, 5, "bytes")])
def test_too_many_sources_are_unknown_and_said(
    project: Path, files: int, size: int, word: str
) -> None:
    """Beyond the limit there is no digest that could prove "unchanged", and a note says why."""
    sources = WatchedSources(root=project, max_files=files, max_bytes=size)
    found = Watcher(sources).fingerprint()
    assert found.digest is None
    assert found.note is not None
    assert word in found.note
    assert "pixelloop_sources" in found.note


def test_a_large_file_is_told_apart_without_being_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A video among the sources does not slow the loop down, and a new one is still a change."""
    monkeypatch.setattr("pytest_pixelloop.loop.watched.MAX_HASHED", 4)
    watch = watcher(project)
    before = watch.fingerprint()
    assert before.files["static/style.css"].startswith("large:")
    (project / "static" / "style.css").write_text("another length of text")
    assert changed_files(before, watch.fingerprint()) == ("static/style.css",)


def test_a_digest_depends_on_names_and_contents_only(project: Path, tmp_path: Path) -> None:
    """Two equal trees have one digest, in whatever order they were written."""
    twin = tmp_path / "twin"
    (twin / "static").mkdir(parents=True)
    (twin / "page.html").write_text("<p>")
    (twin / "static" / "style.css").write_text("a { color: red }")
    assert watcher(twin).fingerprint().digest == watcher(project).fingerprint().digest
    assert Fingerprint(files={"a": "1"}).digest != Fingerprint(files={"a": "2"}).digest
