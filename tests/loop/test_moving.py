"""A page that is edited while it is measured is measured again, and never passes on the move."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.loop.moving import TRIES, MovingSources
from pytest_pixelloop.loop.watched import WatchedSources, Watcher

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_pixelloop.core.measurement import Measurement
    from tests.loop.conftest import Project


@pytest.fixture
def moving(tmp_path: Path) -> MovingSources:
    """Give a look at the sources of a page, at the begin of a measurement after a fix."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "page.css").write_text("a")
    (tmp_path / "site" / "link.css").symlink_to("page.css")
    watcher = Watcher(WatchedSources(root=tmp_path))
    found = MovingSources(watcher, root=tmp_path)
    found.begin(watcher.fingerprint(), fixed=True)
    return found


def _swap(site: Path) -> None:
    os.utime(site / "page.css", ns=(1, 1))
    (site / "page.css").rename(site / "away")
    (site / "page.css").write_text("b")
    (site / "away").replace(site / "page.css")


def _write(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("built")


def _relink(site: Path) -> None:
    (site / "link.css").unlink()
    (site / "link.css").symlink_to("page.css")


WRITES: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "edit": (lambda site: (site / "page.css").write_text("b"), ("site/link.css", "site/page.css")),
    "new file": (lambda site: (site / "new.js").write_text(""), ("site/new.js",)),
    "swapped and put back": (_swap, ("site/link.css", "site/page.css")),
    "link made anew": (_relink, ("site/link.css",)),
    "log": (lambda site: (site / "server.log").write_text("x"), ()),
    "build of a development server": (lambda site: _write(site / ".next" / "page.js"), ()),
    "database": (lambda site: (site / "app.sqlite3").write_text("x"), ()),
    "nothing": (lambda _site: None, ()),
}


@pytest.mark.parametrize("case", WRITES)
def test_what_is_written_under_the_camera_is_seen(
    moving: MovingSources, tmp_path: Path, case: str
) -> None:
    """Content, times and links count; what applications write as they run does not."""
    write, names = WRITES[case]
    write(tmp_path / "site")
    assert moving.changed() == names


def test_what_a_test_writes_itself_is_learned_before_the_first_fix(tmp_path: Path) -> None:
    """Files of the kind that changed in a measurement before any fix are left out later."""
    watcher = Watcher(WatchedSources(root=tmp_path))
    moving = MovingSources(watcher, root=tmp_path)
    (tmp_path / "shots").mkdir()
    (tmp_path / "page.css").write_text("a")
    moving.begin(watcher.fingerprint(), fixed=False)
    (tmp_path / "shots" / "first.png").write_text("a")
    assert moving.changed() == ()
    moving.begin(watcher.fingerprint(), fixed=True)
    (tmp_path / "shots" / "second.png").write_text("a")
    assert moving.changed() == ()
    (tmp_path / "page.css").write_text("b")
    assert moving.changed() == ("page.css",)


def test_what_a_reload_writes_is_its_own_work(moving: MovingSources, tmp_path: Path) -> None:
    """Files of a reload are left out, also taken away ones; an edit before or after it counts."""
    site = tmp_path / "site"
    (site / "early.css").write_text("a")
    with moving.own_work():
        (site / "loaded.json").write_text("a")
        (site / "link.css").unlink()
    assert moving.changed() == ("site/early.css",)
    (site / "loaded.json").write_text("b")
    (site / "link.css").write_text("b")
    assert moving.changed() == ("site/early.css", "site/link.css", "site/loaded.json")


def test_a_reload_that_fails_has_worked_all_the_same(moving: MovingSources, tmp_path: Path) -> None:
    """What was written before the error is left out, and the error goes on."""

    def fail() -> None:
        with moving.own_work():
            (tmp_path / "site" / "loaded.json").write_text("a")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert moving.changed() == ()


def test_a_measurement_is_tried_again_twice(moving: MovingSources, tmp_path: Path) -> None:
    """Each try begins with the sources as they are; the third move is not tried again."""
    for number in range(TRIES):
        (tmp_path / "site" / "page.css").write_text(f"b{number}")
        assert moving.again() is not None
        assert moving.changed() == ()
    (tmp_path / "site" / "page.css").write_text("c")
    assert moving.again() is None
    assert moving.changed()


def test_nobody_passes_on_the_move(project: Project) -> None:
    """A page that passes while its sources are edited ends as unstable, and says which."""

    def measure(number: int, folder: Path) -> Measurement:
        found = project.measure(number, folder)
        if number == 1:
            (project.root / "page.json").write_text('{"b": 3}')
        return found

    project.page(a=9)
    looped = project.loop("save()", measure=measure)
    assert looped.status == "undetermined:unstable-render"
    assert looped.measured == [0, 1]
    assert "page.json did not stand still" in looped.summary.reason


def test_a_page_that_fails_on_the_move_is_fixed_on(project: Project) -> None:
    """Nothing is won by a failing measurement: the loop goes on."""

    def measure(number: int, folder: Path) -> Measurement:
        found = project.measure(number, folder)
        if number == 1:
            project.page(a=3, moved=1)
        return found

    project.page(a=9)
    looped = project.loop("save(**({'a': 4} if iteration == 1 else {}))", measure=measure)
    assert looped.status == "converged"
