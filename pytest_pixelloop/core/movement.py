"""How one measurement relates to those before it: better, other, the same again."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_pixelloop.core.fingerprint import environment_changes, environment_line

if TYPE_CHECKING:
    from pytest_pixelloop.core.history import History, Measured


def improved(later: Measured, earlier: Measured) -> bool:
    """Tell whether the score fell; an unknown score on either side did not."""
    return later.score is not None and earlier.score is not None and later.score < earlier.score


def differs(before: Measured, last: Measured, noise_floor: float) -> bool:
    """Tell whether two measurements of the same sources differ by more than noise."""
    if before.score is None or last.score is None:
        return before.score is not last.score or before.delta_ids != last.delta_ids
    distance = abs(last.score - before.score)
    if noise_floor > 0:
        return distance > noise_floor
    return distance > 0 or before.delta_ids != last.delta_ids


def blamed(before: Measured, last: Measured) -> str:
    """Return what else explains that two measurements of the same sources differ."""
    then = {c.label: c.environment for c in before.comparisons}
    pairs = ((then.get(c.label, {}), c.environment) for c in last.comparisons)
    changes = dict.fromkeys(change for pair in pairs for change in environment_changes(*pair))
    return f"{environment_line(tuple(changes))}; " if changes else ""


def left(then: Measured, between: Measured, *, back: Measured) -> bool:
    """Tell whether *between* was another state than *then*, which *back* has come back to.

    Other findings are another state. The same findings with another score are one too, as when two
    wrong colours take turns on one node, but only where the score itself has come back.
    """
    if between.delta_ids != then.delta_ids:
        return True
    scores = (then.score, between.score, back.score)
    if any(score is None for score in scores):
        return False
    first, middle, last = (float(score) for score in scores if score is not None)
    return math.isclose(first, last, rel_tol=1e-6) and not math.isclose(first, middle, rel_tol=1e-6)


def same_error(history: History, limit: int) -> bool:
    """Tell whether one problem came back *limit* times while the score did not fall."""
    tail = history.measurements[-(limit + 1) :]
    if limit < 1 or len(tail) <= limit or tail[-1].problem is None:
        return False
    same = all(m.problem == tail[-1].problem for m in tail)
    return same and not any(improved(later, earlier) for earlier, later in pairwise(tail))
