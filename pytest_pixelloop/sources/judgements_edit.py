"""Adding a judgement to ``judgements.yaml`` without touching what a person wrote there."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.sources.judgements import JUDGEMENTS_NAME, SCHEMA_VERSION, load_judgements
from pytest_pixelloop.store.atomic import write_text_atomic
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS = ("kind", "property", "reason", "issue", "expires", "version")


def add_judgement(folder: Path, entry: Mapping[str, str]) -> Path:
    """Append one entry to the file in *folder* and return the file's path.

    The text that is there stays as it is, comments included. The new text is read back before it
    replaces the old one. Raises ConfigurationError, with the lines to add by hand, for a file whose
    last block is not ``judgements:`` in block style, and for an entry that is already there.
    """
    path = folder / JUDGEMENTS_NAME
    added = _lines(entry)
    if os.path.lexists(path):
        before = read_file(path, name=str(path), error=ConfigurationError).decode("utf-8-sig")
        old = load_judgements(folder)
    else:
        before, old = f"schema_version: {SCHEMA_VERSION}\njudgements:\n", ()
    text = before if before.endswith("\n") else before + "\n"
    if not old and not text.rstrip().endswith("judgements:"):
        text += "judgements:\n"
    text += added
    with tempfile.TemporaryDirectory(dir=folder) as trial:
        (Path(trial) / JUDGEMENTS_NAME).write_text(text, encoding="utf-8")
        try:
            new = load_judgements(Path(trial))
        except ConfigurationError as error:
            raise _by_hand(path, added, error.what) from error
    if len(new) != len(old) + 1:
        raise _by_hand(path, added, "the entry would not be read back")
    write_text_atomic(path, text)
    return path


def _lines(entry: Mapping[str, str]) -> str:
    """Return the entry as YAML; JSON's double quotes are YAML's."""
    told = {"kind": "known", **entry}
    rows = [f"    {key}: {json.dumps(told[key])}" for key in _KEYS if told.get(key)]
    return f"  {json.dumps(told['delta_id'])}:\n" + "\n".join(rows) + "\n"


def _by_hand(path: Path, added: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"the judgement cannot be added: {why}",
        where=str(path),
        expected="a file that ends with its judgements: in block style",
        next_step="add it by hand:\n" + added,
    )
