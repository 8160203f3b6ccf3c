"""The file in which a fixer says what a fix has cost: whatever stands there, nothing breaks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.budget import Usage
from pytest_pixelloop.loop.usage_file import clear_usage, read_usage_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


def _big(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1_000_000_000)


def _link(path: Path) -> None:
    good = path.with_name("good.json")
    good.write_text('{"cost_usd": 0, "tokens": 0}')
    path.symlink_to(good)


HOSTILE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "truncated": (lambda p: p.write_text('{"cost_usd": 0.'), "not valid JSON"),
    "empty": (lambda p: p.write_text(""), "not valid JSON"),
    "binary": (lambda p: p.write_bytes(b"\xff\xfe\0\1"), "not valid JSON"),
    "deep": (lambda p: p.write_text("[" * 60_000), "not valid JSON"),
    "digits": (lambda p: p.write_text('{"tokens": ' + "9" * 6000 + "}"), "not valid JSON"),
    "a key twice": (
        lambda p: p.write_text('{"cost_usd": 9, "cost_usd": 0}'),
        "the report is not valid JSON",
    ),
    "not a number": (lambda p: p.write_text('{"cost_usd": NaN}'), "cost_usd nan is not"),
    "array": (lambda p: p.write_text("[1]"), "no JSON object"),
    "1 GB": (_big, "larger than"),
    "folder": (lambda p: p.mkdir(), "cannot be read|not a regular file"),
    "link": (_link, "it is a link"),
    "link to nothing": (lambda p: p.symlink_to("nowhere"), "it is a link"),
    "pipe": (os.mkfifo, "not a regular file"),
}


@posix
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_reports_are_unknown_and_said(tmp_path: Path, case: str) -> None:
    """No content and no kind of file raises, hangs or counts as a cost of 0."""
    make, said = HOSTILE[case]
    path = tmp_path / "01.usage.json"
    make(path)
    usage = read_usage_file(path)
    assert usage is not None
    assert (usage.cost_usd, usage.tokens) == (None, None)
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(usage.problem)


def test_a_good_report_is_read_and_none_is_none(tmp_path: Path) -> None:
    """What is written down counts; where nothing is, nothing is said."""
    path = tmp_path / "fix" / "01.usage.json"
    clear_usage(path)
    assert read_usage_file(path) is None
    path.write_text('{"cost_usd": 0.25, "input_tokens": 30, "output_tokens": 4}')
    assert read_usage_file(path) == Usage(cost_usd=0.25, tokens=34)
    clear_usage(path)
    assert read_usage_file(path) is None
