"""``pixelloop verify`` of a page that never comes to rest."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path


def test_moving_page_exits_2_with_cause_and_pictures(
    site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cause and the element are printed, and both pictures lie beside the report."""
    try:
        find_browser(None, environ=os.environ)
    except CaptureError as error:
        pytest.skip(str(error))
    design = np.full((300, 400, 4), 255, np.uint8)
    design[30:80, 100:150] = (0, 102, 204, 255)
    write_png(tmp_path / "design.png", design)
    url, out = f"{site}/script-animation.html", tmp_path / "out"
    words = ["--design", str(tmp_path / "design.png"), "--scale", "1", "--timeout", "1"]
    assert main(["verify", *words, "--url", url, "--output", str(out)]) == 2
    told = capsys.readouterr().out
    assert "undetermined:unstable" in told
    assert "in #mover; cause: script animation" in told
    (path,) = out.glob("*.report.json")
    report = json.loads(path.read_text("utf-8"))
    assert report["instability"]["selector"] == "#mover"
    for key in ("unstable_1", "unstable_2"):
        assert (out / report["artifacts"][key]).stat().st_size > 100
