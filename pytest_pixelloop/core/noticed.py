"""What a comparison noticed that decides nothing, and that somebody should read all the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_NOTICES = 3
_NONE_GIVEN = "skipped: no expectations"
#: Errors of the page are findings of the appearance channel, which says whether they are told.
_OF_THE_PAGE = re.compile(r"\d+ (console|page) errors?: ")


def notices(warnings: tuple[str, ...] | list[str], channels: Mapping[str, Any]) -> list[str]:
    """Return one text for each thing that was asked for and not had, at most MOST_NOTICES + 1.

    *warnings* and *channels* are those of a report: a mask without a match, an expected element
    that is not in the tree, somebody who was to look and did not.
    """
    told = [str(text) for text in warnings if not _OF_THE_PAGE.match(str(text))]
    told += [*_not_found(channels.get("functional")), *_not_looked(channels.get("appearance"))]
    told = list(dict.fromkeys(told))
    if len(told) > MOST_NOTICES:
        told = [*told[:MOST_NOTICES], f"and {len(told) - MOST_NOTICES} more: see the report"]
    return told


def _not_found(functional: Any) -> list[str]:
    if isinstance(functional, str):
        if not functional.startswith("skipped: ") or functional.startswith(_NONE_GIVEN):
            return []
        return [f"expectations {functional}"]
    count = functional.get("warn_count") if isinstance(functional, dict) else 0
    if not count:
        return []
    what = "1 expected element is" if count == 1 else f"{count} expected elements are"
    return [f"{what} not in the tree: see <label>.functional.json"]


def _not_looked(appearance: Any) -> list[str]:
    vision = appearance.get("vision") if isinstance(appearance, dict) else None
    asked = vision.get("asked") if isinstance(vision, dict) else None
    states = [str(one.get("status", "")) for one in asked or ()]
    return [f"vision {status}" for status in states if status.startswith("not run")]
