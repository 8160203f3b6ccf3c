"""Words of a design that a page showed by text when a run first measured it, and no longer does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.history import History

#: The share of texts that must still be text of those that were at first, where they were as many.
KEPT, LEAST = 0.5, 3
_NOTHING = {"none": "nothing that can be seen"}


def shown_in(report: Mapping[str, Any]) -> dict[str, int]:
    """Return by what a report says that the design's texts are shown, {} where it says nothing."""
    screenshot = report.get("screenshot")
    counts = screenshot.get("texts") if isinstance(screenshot, dict) else None
    if not isinstance(counts, dict):
        return {}
    return {str(k): v for k, v in counts.items() if isinstance(v, int)}


def texts_in(report: Mapping[str, Any]) -> int | None:
    """Return how many texts of the design a report says to be text, None where it says nothing."""
    counts = shown_in(report)
    return counts.get("text", 0) if counts else None


def lost_texts(history: History, reports: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return in words the reports whose page shows far fewer words by text than at first.

    What has no absolute measure (a canvas, a frame, a closed shadow tree may be what a page is made
    of) has one within a run: what was text when the page was first measured is not to be redrawn.
    """
    first = history.first(lambda compared: compared.texts)
    found = []
    for report in reports:
        label, counts = str(report.get("label")), shown_in(report)
        iteration, before = first.get(label, (0, 0))
        now = counts.get("text", 0)
        if before < LEAST or (counts and now >= KEPT * before):
            continue
        if not counts:
            found.append(
                f"by what the words of {label} are shown can no longer be seen: {before} texts of "
                f"the design were text in the page at iteration {iteration}"
            )
            continue
        others = [k for k in sorted(counts) if k not in {"text", "outside"}]
        shown = ", ".join(f"{counts[k]} by {_NOTHING.get(k, 'a ' + k)}" for k in others)
        found.append(
            f"the words of {label} are no longer text: {before} texts of the design were text in "
            f"the page at iteration {iteration}, {now} are now ({shown})"
        )
    return tuple(found)
