"""A bridge against a real page: anchors, matches and style checks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path


def _browser_missing() -> bool:
    try:
        find_browser(None, environ=os.environ)
    except CaptureError:
        return True
    return False


pytestmark = pytest.mark.skipif(_browser_missing(), reason="no Chromium: pixelloop browser")

PAGE = """<!doctype html><style>
body {{ margin: 0; background: #fff; height: 300px; position: relative; }}
div {{ position: absolute; }}
.card {{ left: 20px; top: 20px; width: 200px; height: 200px; background: #f3f4f6; }}
.save {{ left: 20px; top: 20px; width: 80px; height: 40px; background: {save}; {extra} }}
</style><body><div class=card data-dk="children[0]"><div class=save {anchor}></div></div></body>
"""


def _verify(
    folder: Path, *, save: str = "#2563eb", anchor: str, extra: str = ""
) -> tuple[int, Any]:
    (folder / ".ddalkak" / "bridge").mkdir(parents=True)
    image = np.full((300, 400, 4), 255, dtype=np.uint8)
    image[20:220, 20:220, :3] = (243, 244, 246)
    image[40:80, 40:120, :3] = (37, 99, 235)
    write_png(folder / "base.png", image)
    save_node = {
        "name": "Save",
        "bbox": [40, 40, 80, 40],
        "styles": {"backgroundColor": "#2563eb", "borderRadius": 0},
    }
    card = {"name": "Card", "bbox": [20, 20, 200, 200], "children": [save_node]}
    bridge = {
        "screens": [
            {
                "breakpoint": "desktop",
                "frame": {"w": 400, "h": 300},
                "screenshot": "a",
                "children": [card],
            }
        ],
        "assets": [{"id": "a", "export": "base.png"}],
    }
    (folder / ".ddalkak/bridge/form.bridge.json").write_text(json.dumps(bridge), "utf-8")
    page = folder / "page.html"
    page.write_text(PAGE.format(save=save, anchor=anchor, extra=extra), "utf-8")
    words = ["verify", "--project", str(folder), "--name", "form", "--url", page.as_uri()]
    # A process of its own: Playwright's synchronous API runs once a thread.
    command = [sys.executable, "-m", "pytest_pixelloop", *words]
    code = subprocess.run(command, check=False, capture_output=True).returncode
    report = folder / ".ddalkak/reports/form.desktop.visual.json"
    return code, json.loads(report.read_text("utf-8"))


def test_an_anchored_page_passes_with_every_check(tmp_path: Path) -> None:
    """A page that is the design passes; anchors match exactly, and all checks are listed."""
    code, record = _verify(tmp_path, anchor='data-dk="children[0].children[0]"')
    assert (code, record["statuses"]) == (0, {"pixel": "pass", "style": "pass"})
    found = {m["node_id"]: (m["found_by"], m["confidence"]) for m in record["matches"]}
    assert found["form/Card/Save"] == ("anchor", 1.0)
    checks = record["checks"]
    assert checks["summary"]["failed"] == 0
    save = {i["property"]: i for i in checks["items"] if i["node_id"] == "form/Card/Save"}
    assert set(save) == {"x", "y", "width", "height", "background-color", "border-radius"}
    assert save["background-color"]["tolerance"] == 3
    assert save["x"]["tolerance"] == 2


@pytest.mark.parametrize(
    ("anchor", "field", "value"),
    [
        ('data-dk="children[7]"', "unknown", ["children[7]"]),
        ('data-dk="children[0]"', "duplicates", ["form/Card"]),
        ("", "missing", ["form", "form/Card/Save"]),
    ],
)
def test_wrong_anchors_are_listed_and_gate_nothing(
    tmp_path: Path, anchor: str, field: str, value: list[str]
) -> None:
    """Duplicate, unknown and missing anchors are advisory."""
    code, record = _verify(tmp_path, anchor=anchor)
    assert code == 0
    assert record["anchors"][field] == value


def test_a_wrong_style_is_a_failed_check_and_the_pixels_decide(tmp_path: Path) -> None:
    """A colour within the pixel threshold passes the gate, and its check fails, advisory."""
    code, record = _verify(
        tmp_path, save="#2a66eb", anchor='data-dk="children[0].children[0]"', extra="top: 20.5px;"
    )
    assert code == 0
    assert record["statuses"] == {"pixel": "pass", "style": "fail"}
    failed = [i["property"] for i in record["checks"]["items"] if not i["pass"]]
    assert failed == ["background-color"]
