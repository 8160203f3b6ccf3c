"""``pixelloop verify`` with screenshot options and matching levels: flags, manifest, batch."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.store.images import read_image, write_png

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "schema_version: 1\ndesigns:\n  card: {image: card.png, gate: pixel"
#: The design is white with a green box; here a red bar is too much, and a late box pushes.
PAGE = """<!doctype html><style>body{margin:0;background:#fff}#box{width:100px;height:50px;
background:#16a34a}#bar{position:absolute;left:120px;top:60px;width:60px;height:30px;
background:#dc2626}</style><div id=box></div><div id=bar class=extra></div>"""
PUSHED = PAGE.replace("<div id=box>", '<div class=push style="height:20px"></div><div id=box>')
BAR = "120,60,60,30"


def _browser_missing() -> bool:
    try:
        find_browser(None, environ=os.environ)
    except CaptureError:
        return True
    return False


needs_browser = pytest.mark.skipif(_browser_missing(), reason="no Chromium: pixelloop browser")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the current folder: the design ``card``, pages and a picture with too much in them."""
    image = np.full((100, 200, 4), 255, np.uint8)
    image[:50, :100, :3] = (22, 163, 74)
    (tmp_path / "designs").mkdir()
    write_png(tmp_path / "designs" / "card.png", image)
    image[60:90, 120:180, :3] = (220, 38, 38)
    write_png(tmp_path / "extra.png", image)
    manifest(tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "pushed.html").write_text(PUSHED)
    (tmp_path / "calm.css").write_text("#bar { display: none }")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(folder: Path, more: str = "") -> None:
    """Write the manifest of the design, with *more* keys."""
    (folder / "designs" / "designs.yaml").write_text(f"{HEAD}{more}}}\n")


def report(folder: Path, label: str = "card") -> dict[str, Any]:
    """Return a report that was written with ``--output out``."""
    value: dict[str, Any] = json.loads((folder / "out" / f"{label}.report.json").read_text("utf-8"))
    return value


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("", 1),
        (f', mask: ["{BAR}"]', 0),
        (f', regions: {{"{BAR}": ignore}}', 0),
        (f', regions: {{"{BAR}": strict}}', 1),
        (", screenshot: {clip: [0, 0, 110, 100]}", 0),
        (", screenshot: {clip: [0, 0, 200, 80]}", 1),
    ],
)
def test_what_the_manifest_says_holds(project: Path, more: str, code: int) -> None:
    """Masks, regions and options of a design are those of a test, and stand in the report."""
    manifest(project, more)
    assert main(["verify", "card", "--actual", "extra.png", "--output", "out"]) == code
    found = report(project)["screenshot"]
    assert bool(found["masks"] or found["regions"] or found.get("options")) == bool(more)


def test_a_flag_wins_over_the_manifest_and_masks_add_up(project: Path) -> None:
    """--clip replaces the manifest's clip, --mask-color paints, --mask is one mask more."""
    manifest(project, ", mask: ['0,0,10,10'], screenshot: {clip: [0, 0, 110, 100]}")
    words = ["verify", "card", "--actual", "extra.png", "--output", "out"]
    assert main([*words, "--clip", "0,0,200,80"]) == 1
    assert report(project)["size"]["actual"] == [200, 80]
    assert main([*words, "--clip", "0,0,200,80", "--mask", BAR, "--mask-color", "#0000ff"]) == 0
    assert len(report(project)["screenshot"]["masks"]) == 2
    picture = read_image(project / "out" / "card.actual.png", name="actual")
    assert picture[5, 5, :3].tolist() == picture[70, 130, :3].tolist() == [0, 0, 255]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--clip", "0,0,0,4"], "--clip"),
        (["--mask-color", "nothing"], "--mask-color"),
        (["--animations", "off"], "one of disabled, allow"),
        (["--caret", "show"], "one of hide, initial"),
        (["--region", ".a"], "TARGET=LEVEL"),
        (["--region", ".a=loose"], "unknown matching level 'loose'"),
        (["--region", "node=Nope=strict"], "no visible node 'Nope'"),
        (["--hide", " "], "CSS selector"),
        (["--mask", "1,2"], "--mask"),
        (["--project", ".", "--hide", ".a"], "--hide cannot be used with a bridge file"),
    ],
)
def test_wrong_words_are_told(
    project: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A value that a flag cannot have is refused in words, with the flag's name: exit code 2."""
    assert main(["verify", "card", "--actual", str(project / "extra.png"), *words]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err + captured.out


def test_an_unreadable_design_hides_no_other(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the viewports of one NAME each has its report; the broken and the absent are named."""
    (project / "designs" / "cut.png").write_bytes((project / "extra.png").read_bytes()[:-30])
    views = "{a: {image: cut.png}, b: {image: card.png}, c: {image: no.png}, d: {image: card.png}}"
    manifest(project, f", viewports: {views}")
    actual = str(project / "designs" / "card.png")
    words = ["verify", "card", "--actual", actual, "--output", "out"]
    assert main(words) == 2
    found = {label: report(project, f"card__{label}")["status"] for label in "abcd"}
    assert found == {
        "a": "undetermined:figma-unreadable",
        "b": "pass",
        "c": "undetermined:figma-unreadable",
        "d": "pass",
    }
    out = capsys.readouterr().out
    assert [out.index(f"card__{label}:") for label in "abcd"] == sorted(
        out.index(f"card__{label}:") for label in "abcd"
    )
    assert main([*words, "--viewport", "b,d"]) == 0


def test_a_batch_knows_the_words(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The flags are keys of a line; a line's key replaces the command's, null takes it away."""
    extra = {"name": "card", "actual": "extra.png"}
    lines = [
        {"id": "command", **extra},
        {"id": "null", **extra, "clip": None},
        {"id": "own", **extra, "clip": [0, 0, 200, 100], "regions": {BAR: "ignore"}},
        {"id": "wrong", **extra, "caret": "show"},
        {"id": "type", **extra, "full_page": "yes"},
        {"id": "after", **extra},
    ]
    (project / "batch.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert main(["verify", "--batch", "batch.jsonl", "--clip", "0,0,110,100"]) == 2
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(a["id"], a["status"]) for a in answers] == [
        ("command", "pass"),
        ("null", "fail"),
        ("own", "pass"),
        ("wrong", "undetermined:bad-request"),
        ("type", "undetermined:bad-request"),
        ("after", "pass"),
    ]
    assert "batch.jsonl:4" in answers[3]["problem"]


@needs_browser
def test_flags_hold_for_a_page(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each flag does to a page what its word does in a test: one browser, one line each."""
    page = {"name": "card", "url": str(project / "page.html")}
    pushed = {"name": "card", "url": str(project / "pushed.html"), "hide": "#bar"}
    lines: list[tuple[str, dict[str, Any]]] = [
        ("fail", page),
        ("pass", {**page, "hide": [".extra"]}),
        ("pass", {**page, "remove": "#bar"}),
        ("pass", {**page, "mask": "#bar"}),
        ("pass", {**page, "style": "#bar { opacity: 0 }"}),
        ("pass", {**page, "style_path": "calm.css"}),
        ("pass", {**page, "regions": {"#bar": "ignore"}}),
        ("fail", {**page, "regions": {"#box": "ignore"}}),
        ("fail", pushed),
        ("pass", {**pushed, "remove": ".push"}),
        ("pass", {**page, "hide": "#bar", "scroll_through": True, "full_page": False}),
    ]
    (project / "batch.jsonl").write_text("\n".join(json.dumps(line) for _, line in lines))
    main(["verify", "--batch", "batch.jsonl"])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [a["status"] for a in answers] == [status for status, _ in lines]
    words = ["verify", "card", "--url", "page.html"]
    assert main(words) == 1
    assert main([*words, "--style-path", "calm.css", "--no-full-page", "--caret", "initial"]) == 0
    assert main([*words, "--region", "#bar=ignore", "--animations", "allow"]) == 0
