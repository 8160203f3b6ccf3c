"""Markdown tables out of untrusted texts: one cell, one table, for every report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def cell(value: Any) -> str:
    """Return *value* on one line, with nothing in it that Markdown or HTML would act on."""
    text = printable(str(value), limit=400)
    for character in "\\|`*>[]":
        text = text.replace(character, "\\" + character)
    return text.replace("<", "&lt;")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table and the empty one after it; none without rows."""
    body = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + "---|" * len(head)
    return ["| " + " | ".join(head) + " |", rule, *body, ""] if body else []
