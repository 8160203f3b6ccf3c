"""Masks that cover more of a picture than when it was first measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.history import History

#: What a repaired layout may do to the share (0..1) of a picture that masks cover: a masked element
#: may become this much larger, or this much of the picture, whichever is more.
TIMES, MORE = 1.25, 0.01
#: The share that masks may cover whose elements were not there when the picture was measured first.
FROM_NOTHING = 0.05


def allowed_share(first: float) -> float:
    """Return up to which share masks may cover that covered *first* at the first measurement."""
    return FROM_NOTHING if first <= 0 else max(first * TIMES, first + MORE)


def grown_masks(history: History, reports: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return in words the masks of *reports* that cover more than their growth allows.

    What a mask covers is not judged, so a page can pass by growing its masked element over what is
    wrong. *reports* are those of a measurement that *history* may hold already, or not yet.
    """
    first = history.first(lambda compared: compared.masked)
    found = []
    for report in reports:
        label, now = str(report.get("label")), masked_share_in(report)
        if now is None or label not in first:
            continue
        iteration, before = first[label]
        if now > allowed_share(before):
            found.append(
                f"the masks of {label} cover {now:.1%} of the picture, {before:.1%} at iteration "
                f"{iteration}: what they hide now is not judged"
            )
    return tuple(found)


def masked_share_in(report: Mapping[str, Any]) -> float | None:
    """Return which share of the picture the masks of a report cover, None where it says nothing."""
    screenshot = report.get("screenshot")
    share = screenshot.get("masked_share") if isinstance(screenshot, dict) else None
    return float(share) if isinstance(share, int | float) else None
