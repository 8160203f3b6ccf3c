"""What a picture depends on beside the page: the browser, its fonts, the system, this package.

Two pictures of one page are only comparable where these are the same. Where they are not, that is
said before anything else: ``ENV_CHANGED``.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.records import fingerprint_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_pixelloop.core.history import Measured

ENV_CHANGED = "ENV_CHANGED"
#: What a fingerprint holds, in the order in which changes are told.
NAMES = (
    "browser",
    "browser_version",
    "headless",
    "os",
    "device_scale_factor",
    "fonts",
    "plugin_version",
)


def fingerprint_of(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return the fingerprint of an environment with its ``digest``; empty without a browser.

    What is unknown is left away: it can be told apart from nothing.
    """
    if environment.get("browser") is None:
        return {}
    known = {n: str(environment[n]) for n in NAMES if environment.get(n) not in {None, "unknown"}}
    text = "".join(f"{name}\0{value}\n" for name, value in known.items())
    return {**known, "digest": hashlib.sha256(text.encode()).hexdigest()[:16]}


def environment_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which names of two fingerprints differ, each with both values: ``fonts a -> b``.

    Nothing where one of the two does not know a name, or holds nothing at all.
    """
    return tuple(
        f"{name} {printable(str(before[name]))} -> {printable(str(after[name]))}"
        for name in NAMES
        if name in before and name in after and str(before[name]) != str(after[name])
    )


def changes_since(
    measurements: Sequence[Measured], now: Iterable[tuple[str, Mapping[str, Any]]]
) -> tuple[str, ...]:
    """Return what is other now than where each label was measured first, without repetition.

    *now* are pairs of a label and its fingerprint.
    """
    first: dict[str, Mapping[str, str]] = {}
    for measured in measurements:
        for compared in measured.comparisons:
            if compared.environment:
                first.setdefault(compared.label, compared.environment)
    found: dict[str, None] = {}
    for label, fingerprint in now:
        for change in environment_changes(first.get(label, {}), fingerprint):
            found[change] = None
    return tuple(found)


def mark_changes(
    measurements: Sequence[Measured], reports: Sequence[dict[str, Any]]
) -> tuple[str, ...]:
    """Return what is other than when a label was measured first; written into *reports*, too."""
    now = [(str(r.get("label")), fingerprint_in(r)) for r in reports]
    for report, (label, fingerprint) in zip(reports, now, strict=True):
        own = changes_since(measurements, [(label, fingerprint)])
        if own:
            report["environment"]["changed"] = list(own)
            report["warnings"] = [environment_line(own), *(report.get("warnings") or ())]
    return changes_since(measurements, now)


def environment_line(changes: Sequence[str]) -> str:
    """Return the sentence that is said first where the environment is another."""
    return f"{ENV_CHANGED}: " + ", ".join(changes)
