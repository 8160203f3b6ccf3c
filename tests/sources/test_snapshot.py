"""Where snapshots lie, and what is read from there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.errors import ConfigurationError, DesignUnreadableError
from pytest_pixelloop.core.snapshot_place import DEFAULT_TEMPLATE
from pytest_pixelloop.sources.snapshot import read_snapshot, snapshot_path
from pytest_pixelloop.store.images import write_png

ROOT = Path("/project")
FILE = ROOT / "tests" / "test_shop.py"


@pytest.mark.parametrize(
    ("name", "browser", "platform", "place"),
    [
        ("checkout", "chromium", "linux", "test_shop.py/checkout-chromium-linux.png"),
        ("checkout.png", None, None, "test_shop.py/checkout.png"),
        ("checkout", None, "darwin", "test_shop.py/checkout-darwin.png"),
        ("a/b", "firefox", None, "test_shop.py/a/b-firefox.png"),
    ],
)
def test_the_place_follows_the_template(
    name: str, browser: str | None, platform: str | None, place: str
) -> None:
    """Browser and platform are left out with their dash where there are none."""
    path = snapshot_path(
        DEFAULT_TEMPLATE, root=ROOT, test_file=FILE, name=name, browser=browser, platform=platform
    )
    assert path == ROOT / "tests" / "__screenshots__" / place


@given(st.text(max_size=60))
def test_no_name_leads_out_of_its_place(name: str) -> None:
    """Whatever a test calls it, the file lies in the folder of the test, or the name is refused."""
    try:
        path = snapshot_path(DEFAULT_TEMPLATE, root=ROOT, test_file=FILE, name=name)
    except ConfigurationError:
        return
    assert path.is_relative_to(ROOT / "tests" / "__screenshots__" / "test_shop.py")
    assert path.suffix == ".png"


@pytest.mark.parametrize(
    "template", ["{test_dir}/x.png", "{name}", "{nme}.png", "{project}/{name}.png", "../{name}.png"]
)
def test_a_template_that_cannot_work_is_refused(template: str) -> None:
    """A template without the name, with an unknown token or that leads out is an error."""
    with pytest.raises(ConfigurationError):
        snapshot_path(template, root=ROOT, test_file=FILE, name="a")


def test_a_recorded_picture_is_a_design_of_the_snapshot_gate(tmp_path: Path) -> None:
    """Frame and scale are those of the capture it is held against."""
    write_png(tmp_path / "a.png", np.full((20, 40, 4), 255, dtype=np.uint8))
    design = read_snapshot(tmp_path / "a.png", name="a", shown="a.png", scale=2)
    assert (design.gate, design.frame, design.scale) == ("snapshot", (20, 10), 2)
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes()[:-9])
    with pytest.raises(DesignUnreadableError, match="truncated"):
        read_snapshot(tmp_path / "b.png", name="b", shown="b.png", scale=2)
    with pytest.raises(DesignUnreadableError, match="no such file"):
        read_snapshot(tmp_path / "c.png", name="c", shown="c.png", scale=2)
