"""The command line's own words: every option is explained, and no stream makes it stumble."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pytest_pixelloop.cli.main import build_parser, main
from pytest_pixelloop.store.images import write_png

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _options() -> list[tuple[str, argparse.Action]]:
    """Return every option and argument of every subcommand."""
    parser = build_parser()
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return [
        (name, action)
        for name, command in commands.choices.items()
        for action in command._actions
        if "--help" not in action.option_strings
    ]


def test_every_option_says_what_it_is_for() -> None:
    """``--help`` explains each option and argument, and calls no default None."""
    silent = [
        (name, action.option_strings or action.dest)
        for name, action in _options()
        if not action.help
    ]
    assert silent == []
    build_parser()
    for name, action in _options():
        told = str(action.help)
        assert "%(default)s" not in told or action.default is not None, (name, action.dest)


def test_every_flag_is_in_the_documentation() -> None:
    """Each flag of each subcommand is named in docs/, the negated form of a switch by its word."""
    pages = "\n".join(path.read_text("utf-8") for path in sorted(DOCS.glob("*.md")))
    missing = [
        (name, flag)
        for name, action in _options()
        for flag in action.option_strings
        if flag.startswith("--") and flag.replace("--no-", "--") not in pages
    ]
    assert missing == []


@pytest.mark.parametrize("words", [["plan"], ["plan", "--json"], ["verify", "Größe"]])
def test_a_narrow_stream_escapes_names(tmp_path: Path, words: list[str]) -> None:
    """On a stream that cannot write a name the command answers as ever; JSON stays JSON."""
    (tmp_path / "designs").mkdir()
    (tmp_path / "designs" / "designs.yaml").write_text(
        "schema_version: 1\ndesigns:\n  Größe: {image: a.png}\n", "utf-8"
    )
    write_png(tmp_path / "designs" / "a.png", np.full((20, 40, 4), 255, np.uint8))
    if words[0] == "verify":
        words = [*words, "--actual", str(tmp_path / "designs" / "a.png")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest_pixelloop", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.returncode == 0
    if "--json" in words:
        assert json.loads(done.stdout)["comparisons"][0]["entry"] == "Größe"
    else:
        assert b"Gr\\xf6\\xdfe" in done.stdout


@pytest.mark.parametrize("command", ["plan", "pull"])
def test_without_a_manifest_the_way_to_one_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """A newcomer without ``designs.yaml`` reads what belongs into it and what to type."""
    assert main([command, "--designs", str(tmp_path / "designs")]) == 2
    told = capsys.readouterr().err
    assert "there is no manifest yet" in told
    assert "schema_version: 1" in told
    assert "pixelloop import" in told


@pytest.mark.parametrize(
    "key", ["scale", "timeout", '"tolerance": {"pixel": HUGE}, "x', '"clip": [0, 0, HUGE, 9], "x']
)
def test_a_number_that_no_float_holds_is_a_bad_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    """A batch line with a number of hundreds of digits is answered; the next line is made."""
    picture = tmp_path / "a.png"
    write_png(picture, np.full((20, 40, 4), 255, np.uint8))
    huge = "1" + "0" * 400
    pair = f'"design": "{picture.as_posix()}", "actual": "{picture.as_posix()}"'
    hostile = f'"{key}": {huge}' if key.isalpha() else key.rpartition(", ")[0].replace("HUGE", huge)
    batch = tmp_path / "batch.jsonl"
    batch.write_text(f"{{{pair}, {hostile}}}\n{{{pair}}}\n", "utf-8")
    assert main(["verify", "--batch", str(batch)]) == 2
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [r["status"] for r in reports] == ["undetermined:bad-request", "pass"]


@pytest.mark.parametrize("key", ["design", "nodes", "actual", "designs", "url"])
@pytest.mark.parametrize("text", ["a\0b.png", "\ud800.png"])
def test_what_no_file_can_be_called_is_a_bad_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str, text: str
) -> None:
    """A NUL or half a surrogate pair in a batch line is answered in words."""
    picture = tmp_path / "a.png"
    write_png(picture, np.full((20, 40, 4), 255, np.uint8))
    request = {"design": str(picture), "actual": str(picture), key: text}
    batch = tmp_path / "batch.jsonl"
    batch.write_text(json.dumps(request) + "\n", "utf-8")
    assert main(["verify", "--batch", str(batch)]) == 2
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == "undetermined:bad-request"
    assert key in report["problem"]


def test_an_exporter_s_half_surrogates_are_kept_as_escapes(tmp_path: Path) -> None:
    """A folder whose sidecar holds half a surrogate pair is imported, and its lock is JSON."""
    folder = tmp_path / "card"
    folder.mkdir()
    write_png(folder / "card.png", np.full((20, 40, 4), 255, np.uint8))
    frame = {
        "id": "1:1",
        "name": "f",
        "type": "FRAME",
        "absoluteBoundingBox": {"x": 0, "y": 0, "width": 40, "height": 20},
    }
    (folder / "tree.json").write_text(json.dumps(frame), "utf-8")
    (folder / "pixelloop.json").write_text(json.dumps({"version": "\ud800"}), "utf-8")
    designs = tmp_path / "designs"
    assert main(["import", str(folder), "--designs", str(designs)]) == 0
    assert "\\ud800" in (designs / "designs.lock").read_text("utf-8")
    assert main(["plan", "--designs", str(designs)]) == 0


def test_a_fault_of_its_own_is_no_mismatch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody foresaw exits with 2, could not run: Python's own 1 reads as another page."""

    def broken(arguments: object) -> int:
        raise ZeroDivisionError(arguments)

    monkeypatch.setattr("pytest_pixelloop.cli.schema_command.run", broken)
    assert main(["schema", "brief"]) == 2
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert "nothing was judged" in told
