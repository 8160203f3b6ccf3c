"""``pixelloop verify`` with the channels beside the pixels."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path

BUTTON = (
    "<!doctype html><title>t</title><body style='margin:0;background:#fff'>"
    "<button disabled aria-label=Pay style='position:absolute;left:20px;top:20px;width:80px;"
    "height:40px;border:0;border-radius:0;background:#2563eb'></button>"
)


@pytest.fixture
def design(tmp_path: Path) -> Path:
    """Give a design: a blue box on white."""
    image = np.full((120, 200, 4), 255, np.uint8)
    image[20:60, 20:100, :3] = (37, 99, 235)
    write_png(tmp_path / "design.png", image)
    return tmp_path / "design.png"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--appearance", "gates"], "unknown mode"),
        (["--expect", "{folder}/nothing.txt"], "cannot be read"),
        (["--expect", "{folder}/wrong.txt"], "is no list item"),
        (["--expect", "{folder}/wrong.json"], "unknown key 'nome'"),
    ],
)
def test_wrong_words_exit_2(
    words: list[str], said: str, design: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are said before anything is opened."""
    (design.parent / "wrong.txt").write_text("button")
    (design.parent / "wrong.json").write_text('[{"role": "button", "nome": "Pay"}]')
    asked = [word.format(folder=design.parent) for word in words]
    assert main(["verify", "--design", str(design), "--actual", str(design), *asked]) == 2
    assert said in capsys.readouterr().err


def test_a_picture_with_expectations_is_judged_by_its_pixels(design: Path, tmp_path: Path) -> None:
    """The functional channel is skipped in words."""
    (tmp_path / "page.yml").write_text('- button "Pay"\n')
    out = tmp_path / "out.json"
    words = ["--expect", str(tmp_path / "page.yml"), "--json", str(out)]
    assert main(["verify", "--design", str(design), "--actual", str(design), *words]) == 0
    record: dict[str, Any] = json.loads(out.read_text("utf-8"))
    assert record["channels"]["functional"].startswith("skipped: a picture")
    assert record["channels"]["appearance"].startswith("skipped: a picture")


def test_a_page_that_looks_right_and_cannot_be_used_exits_1(design: Path, tmp_path: Path) -> None:
    """Expectations from a JSON file fail a page whose pixels match."""
    try:
        find_browser(None, environ=os.environ)
    except CaptureError as error:
        pytest.skip(str(error))
    (tmp_path / "page.html").write_text(BUTTON)
    (tmp_path / "expect.json").write_text('[{"role": "button", "name": "Pay", "enabled": true}]')
    out = tmp_path / "out.json"
    words = ["--url", (tmp_path / "page.html").as_uri(), "--json", str(out)]
    expect = ["--expect", str(tmp_path / "expect.json")]
    assert main(["verify", "--design", str(design), *words]) == 0
    assert main(["verify", "--design", str(design), *words, *expect]) == 1
    record = json.loads(out.read_text("utf-8"))
    assert record["verdicts"]["causes"] == ["functional"]
