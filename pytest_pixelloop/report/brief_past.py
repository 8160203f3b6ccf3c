"""What a brief says of earlier iterations: what is gone or new since, and what has been tried.

All of it is read from the reports of the measurements. A try is a value that the page had after a
fix while the finding was open: whoever set it, it did not help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    #: An iteration and its findings, as a brief lists them.
    Past = tuple[int, Sequence[Mapping[str, Any]]]

#: How much a severity must change to be called other: less is arithmetic.
GROWTH = 1e-6
#: The part by which it must change to be told: all of a page's severities breathe with each fix.
NOTABLE = 0.06


def identity(finding: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what makes two findings of two iterations one: node, kind and property."""
    return str(finding["delta_id"]), str(finding["kind"]), str(finding["property"])


def changes_since(
    findings: Sequence[Mapping[str, Any]], past: Past | None
) -> dict[str, Any] | None:
    """Return what is ``gone``, ``new``, ``smaller`` and ``larger`` than at an earlier iteration."""
    if past is None:
        return None
    iteration, before = past
    then = {identity(f): f for f in before}
    now = {identity(f): f for f in findings}
    found: dict[str, list[dict[str, Any]]] = {"gone": [], "new": [], "smaller": [], "larger": []}
    found["gone"] = [_entry(f, None, f) for key, f in then.items() if key not in now]
    for key, finding in now.items():
        if key not in then:
            found["new"].append(_entry(finding, finding, None))
            continue
        was = then[key]["severity"] or 0.0
        grown = (finding["severity"] or 0.0) - was
        if abs(grown) > max(NOTABLE * was, GROWTH):
            word = "larger" if grown > 0 else "smaller"
            found[word].append(_entry(finding, finding, then[key]))
    return {"iteration": iteration, **found}


def _entry(
    finding: Mapping[str, Any], now: Mapping[str, Any] | None, then: Mapping[str, Any] | None
) -> dict[str, Any]:
    return {
        "delta_id": finding["delta_id"],
        "kind": finding["kind"],
        "property": finding["property"],
        "severity": None if now is None else now["severity"],
        "severity_then": None if then is None else then["severity"],
    }


def with_past(finding: Mapping[str, Any], past: Sequence[Past]) -> dict[str, Any]:
    """Return a finding with what was ``tried`` on it, and ``since`` when its value stands.

    ``passed_over`` counts the last fixes that left it as it was although it was the worst of all.
    *past* are all measurements in order, the last one, which the finding is of, among them.
    """
    tries: list[dict[str, Any]] = []
    since: int | None = None
    before: Any = None
    for iteration, findings in past:
        same = next((f for f in findings if _same_spot(f, finding)), None)
        if same is None:
            since = None
            continue
        value = _measured(same)
        if since is None or value != before:
            since, before = iteration, value
            if iteration > past[0][0]:
                tries.append(
                    {"iteration": iteration, "actual": value, "severity": same["severity"]}
                )
    passed = 0
    for (_, findings), (_, after) in zip(reversed(past[:-1]), reversed(past[1:]), strict=True):
        if not findings or not after or not _stands(findings[0], after, finding):
            break
        passed += 1
    return {**finding, "since": since, "passed_over": passed, "tried": tries}


def _stands(
    worst: Mapping[str, Any], after: Sequence[Mapping[str, Any]], finding: Mapping[str, Any]
) -> bool:
    """Tell whether a finding was the worst and has the same value at the next measurement."""
    same = next((f for f in after if _same_spot(f, finding)), None)
    return _same_spot(worst, finding) and same is not None and _measured(same) == _measured(worst)


def _same_spot(finding: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if finding["delta_id"] != other["delta_id"]:
        return False
    one, two = finding.get("edit"), other.get("edit")
    if one and two:
        return bool(one["property"] == two["property"] and one["selector"] == two["selector"])
    return bool(finding["property"] == other["property"])


def _measured(finding: Mapping[str, Any]) -> Any:
    return finding["edit"]["actual"] if finding.get("edit") else finding["actual"]
