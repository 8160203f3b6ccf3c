"""The file judgements.yaml: read whole or refused with its line."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.excusing import ExcuseKind
from pytest_pixelloop.sources.judgements import load_judgements

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "schema_version: 1\njudgements:\n"


def _written(folder: Path, text: str | bytes) -> Path:
    designs = folder / "designs"
    designs.mkdir()
    data = text if isinstance(text, bytes) else text.encode()
    (designs / "judgements.yaml").write_bytes(data)
    return designs


def test_every_key_is_read(tmp_path: Path) -> None:
    """An entry comes back with all it says, and with its line; a list gives several."""
    folder = _written(
        tmp_path,
        HEAD + "  1-2/node:1:3:\n"
        "    kind: known\n    reason: spring\n    property: color\n    issue: 112\n"
        "    expires: 2027-03-31\n"
        '  "1-2/px:8,8,16,16":\n    - {kind: version, reason: old build, version: 44}\n'
        "    - {kind: known, reason: x, property: opacity}\n",
    )
    first, second, third = load_judgements(folder)
    assert (first.delta_id, first.kind, first.reason) == (
        "1-2/node:1:3",
        ExcuseKind.KNOWN,
        "spring",
    )
    assert (first.property, first.issue) == ("color", "112")
    assert first.expires == dt.date(2027, 3, 31)
    assert first.where == "designs/judgements.yaml:4"
    assert (second.delta_id, second.version) == ("1-2/px:8,8,16,16", "44")
    assert third.property == "opacity"


def test_no_file_is_no_judgement(tmp_path: Path) -> None:
    """A project without the file has no excuses."""
    assert load_judgements(tmp_path) == ()
    assert load_judgements(_written(tmp_path, "schema_version: 1\n")) == ()


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", "judgements.yaml", "is empty"),
        ("judgements: {}", ":1", "schema_version"),
        ("schema_version: 2", ":1", "schema_version"),
        (b"\xff\xfe", ":1", "not UTF-8"),
        ("schema_version: [", "judgements.yaml:", "not valid YAML"),
        (HEAD + "  nonsense: {kind: known, reason: x}", ":3", "no delta_id"),
        (HEAD + "  a/node:1: {kind: known}", ":3", "has no reason"),
        (HEAD + "  a/node:1: {reason: x}", ":3", "has no kind"),
        (HEAD + "  a/node:1: {kind: fine, reason: x}", ":3", "known or version"),
        (HEAD + "  a/node:1: {kind: known, reason: ''}", ":3", "a text"),
        (HEAD + "  a/node:1: {kind: known, reason: x, until: 2027}", ":3", "unknown key 'until'"),
        (HEAD + "  a/node:1: {kind: known, reason: x, expires: soon}", ":3", "a day, such as"),
        (HEAD + "  a/node:1: {kind: known, reason: x, expires: 2027-02-30}", ":3", "a day"),
        (
            HEAD + "  a/node:1: [{kind: known, reason: x}, {kind: version, reason: y}]",
            ":3",
            "twice",
        ),
    ],
)
def test_a_mistake_names_its_line(tmp_path: Path, text: str | bytes, line: str, told: str) -> None:
    """A file with a mistake excuses nothing and says where it is wrong."""
    with pytest.raises(ConfigurationError) as caught:
        load_judgements(_written(tmp_path, text))
    assert told in str(caught.value)
    assert line in str(caught.value)
