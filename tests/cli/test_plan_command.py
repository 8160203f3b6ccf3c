"""``pixelloop plan``: what is planned, what it needs, and whether it can be made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = """\
schema_version: 1
designs:
  card:
    image: card@2x.png
    themes: {dark: {class: night}}
  flow:
    figma: "https://www.figma.com/design/AbCdEfGhIjKlMnOpQrStUv/Shop?node-id=1-3"
    viewports: {mobile: {width: 390}}
"""


@pytest.fixture
def designs(tmp_path: Path) -> Path:
    """Return a designs folder with one design on disk and one that was not pulled."""
    folder = tmp_path / "designs"
    folder.mkdir()
    (folder / "designs.yaml").write_text(MANIFEST, "utf-8")
    (folder / "card@2x.png").write_bytes(encode_png(np.full((20, 40, 4), 255, np.uint8)))
    return folder


def plan(designs: Path, *words: str) -> int:
    """Run the command."""
    return main(["plan", *words, "--designs", str(designs)])


def read(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the comparisons that were printed as JSON."""
    value = json.loads(capsys.readouterr().out)
    assert value["schema_version"] == 1
    comparisons: list[dict[str, Any]] = value["comparisons"]
    return comparisons


def test_everything_comparable_exits_0(designs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a comparison: label, name, size, gate and picture."""
    assert plan(designs, "card") == 0
    assert capsys.readouterr().out == (
        "card__dark  card: 20x10 at 2, gate design, designs/card@2x.png\n"
        "1 comparison, 1 can be made\n"
    )


def test_what_cannot_be_made_exits_1_with_the_reason(
    designs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reason and the command to type stand below the label; the others are listed too."""
    assert plan(designs) == 1
    out = capsys.readouterr().out
    assert "1-3__mobile  flow: undetermined:not-exported\n" in out
    assert "  next: pixelloop pull flow\n" in out
    assert out.endswith("2 comparisons, 1 can be made\n")


def test_json_tells_what_each_needs(designs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Viewport with size, scale and touch, theme with its hook, files and gate."""
    assert plan(designs, "--json") == 1
    card, flow = read(capsys)
    assert card["theme"] == {
        "name": "dark",
        "hook": {"color_scheme": "dark", "class": ["night"], "selector": "html"},
    }
    assert (card["viewport"]["width"], card["viewport"]["device_scale_factor"]) == (20, 2)
    assert (card["image"], card["nodes"], card["gate"]) == ("designs/card@2x.png", None, "design")
    assert (card["comparable"], flow["comparable"]) == (True, False)
    assert (flow["viewport"]["width"], flow["viewport"]["touch"]) == (390, True)
    assert (flow["reason"], flow["image"]) == ("not-exported", "designs/flow/1-3__mobile.png")


def test_viewports_and_themes_can_be_asked_for(
    designs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A theme that the design does not have is planned, as unthemable."""
    assert plan(designs, "card", "--theme", "dark,light", "--json") == 1
    assert [item["reason"] for item in read(capsys)] == [None, "unthemable"]


@pytest.mark.parametrize("words", [["crad"], ["card", "--theme", "drak"]])
def test_a_wrong_word_exits_2(
    designs: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A name or theme that nothing has is said with what was probably meant."""
    assert plan(designs, *words) == 2
    assert "did you mean" in capsys.readouterr().err


def test_a_wrong_manifest_exits_2(designs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown key is an error with its line, and there is no plan."""
    (designs / "designs.yaml").write_text("schema_version: 1\ndesign: {}\n", "utf-8")
    assert plan(designs) == 2
    told = capsys.readouterr()
    assert (told.out, "designs.yaml:2" in told.err) == ("", True)
