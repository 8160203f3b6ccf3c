"""Single values of the manifest: paths, node ids, scales, lengths, each refused with its line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.judging import GATE_NAMES
from pytest_pixelloop.core.tolerance import check_tolerance
from pytest_pixelloop.sources.figma.links import parse_link
from pytest_pixelloop.sources.node_ids import canonical_id

if TYPE_CHECKING:
    from pytest_pixelloop.sources.manifest_yaml import Field

_LARGEST_SCALE = 64


def path_of(value: Field | None, folder: Path) -> Path | None:
    """Return a path of the manifest as an absolute one, refusing what leaves the project.

    The project is the folder that holds the designs folder. Symbolic links are not followed for
    this: build systems put whole projects together out of links.
    """
    if value is None:
        return None
    text = value.text()
    if "\\" in text or "\0" in text:
        raise value.wrong('a path with "/" between its parts')
    path = Path(os.path.normpath(folder / text))
    if not path.is_relative_to(folder.parent):
        raise ConfigurationError(
            f"{value.what} is {printable(text)!r}, which leads out of the project",
            where=value.where,
            expected=f'a path relative to the manifest that stays below "{folder.parent.name}"',
            next_step="copy the file into the designs folder",
        )
    return path


def node_of(value: Field | None) -> str | None:
    """Return a node id in its canonical form."""
    return None if value is None else canonical_id(value.raw())


def figma_of(value: Field | None) -> str | None:
    """Return a Figma link as written, checked now so that the mistake has a line."""
    if value is None:
        return None
    text = value.text()
    parse_link(text, where=value.where)
    return text


def linked_node_of(value: Field | None) -> str | None:
    """Return the node that a Figma link names, None where there is none."""
    return None if value is None else parse_link(value.text(), where=value.where).node


def gate_of(value: Field | None) -> str | None:
    """Return the name of a gate."""
    return None if value is None else word_of(value, GATE_NAMES)


def word_of(value: Field, known: tuple[str, ...]) -> str:
    """Return one of the *known* words."""
    word = value.text()
    if word not in known:
        raise value.wrong("one of " + ", ".join(known))
    return word


def scale_of(value: Field | None) -> float | None:
    """Return device px per CSS px."""
    if value is None:
        return None
    scale = value.number()
    if not 0 < scale <= _LARGEST_SCALE:
        raise value.wrong(f"device px per CSS px: a number above 0, at most {_LARGEST_SCALE}")
    return scale


def length_of(value: Field | None) -> int | None:
    """Return a length in whole CSS px."""
    if value is None:
        return None
    length = value.number()
    if length < 1 or length != int(length):
        raise value.wrong("a whole number of CSS px")
    return int(length)


def tolerance_of(value: Field | None) -> dict[str, float]:
    """Return the limits of a tolerance, checked key by key."""
    checked: dict[str, float] = {}
    for key, limit in (value.mapping() if value is not None else {}).items():
        checked |= check_tolerance({key: limit.plain()}, where=limit.where)
    return checked
