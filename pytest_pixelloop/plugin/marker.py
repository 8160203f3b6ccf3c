"""The marker ``design``: what a test says about its designs, checked before anything runs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.plugin.keywords import MarkOptions, words_of
from pytest_pixelloop.plugin.wishes import Wishes, read_wishes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "design"
REGISTRATION = (
    "design(name=None, **options): a visual test (pytest-pixelloop); gives the defaults of its "
    "comparisons, in the keywords of assert_matches_design"
)


def read_markers(item: pytest.Item) -> Wishes:
    """Return what the markers of *item* say; ``pytest.UsageError`` names the test and the fault.

    Together, the closest marker first, key by key.
    """
    said = Wishes()
    for mark in item.iter_markers(NAME):
        said = said.over(_read(mark, item.nodeid, item.config.rootpath))
    return said


def _read(mark: pytest.Mark, nodeid: str, root: Path) -> Wishes:
    from pytest_pixelloop.plugin.options import usage_error  # noqa: PLC0415

    where = f"@pytest.mark.{NAME} of {nodeid}"
    if len(mark.args) > 1 or (mark.args and "name" in mark.kwargs):
        raise pytest.UsageError(f"{where}: one name is expected, got {mark.args!r}")
    given = {**({"name": mark.args[0]} if mark.args else {}), **mark.kwargs}
    known = ("name", *words_of(MarkOptions))
    wishes = usage_error(lambda: read_wishes(given, known=known, where=where, root=root))
    asked: dict[str, Any] = {
        word: read(given[word])
        for word, read in channel_readers(where).items()
        if given.get(word) is not None
    }
    return dataclasses.replace(wishes, **asked)


def channel_readers(where: str) -> dict[str, Callable[[Any], tuple[Any, ...]]]:
    """Return the readers of what a marker asks of the channels beside the pixels."""
    from pytest_pixelloop.core.appearance import merge_appearance, parse_appearance  # noqa: PLC0415
    from pytest_pixelloop.core.expectations import read_expectations  # noqa: PLC0415
    from pytest_pixelloop.plugin.options import usage_error  # noqa: PLC0415

    def appearance(value: Any) -> tuple[Any, ...]:
        usage_error(lambda: parse_appearance(value, where=where))
        return (value,)

    def allow(value: Any) -> tuple[Any, ...]:
        entries = (value,) if isinstance(value, str) else tuple(value)
        return usage_error(lambda: merge_appearance(allow=entries, where=where)).allow

    return {
        "expect": lambda value: usage_error(lambda: read_expectations(value, where=where)),
        "appearance": appearance,
        "allow": allow,
    }
