"""The brief as text: numbers first, the worst findings as property edits, 40 lines at most.

Everything in it is rendered from the record. What comes from designs and pages is untrusted: it
stays on its line, without control characters, and cannot pass for a line of the brief.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.report.lines import figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_LINES = 40
WORST = 8
OBJECTIONS = 2
WORSE = 4
PROBLEMS = 3
PICTURES = 3
TRIES = 3
#: The properties that a style sheet can set: a finding of another is told by its own sentence.
_SET = (
    "align", "background", "border", "box-shadow", "color", "fill", "filter", "font", "gap",
    "height", "justify", "left", "letter-spacing", "line-height", "opacity", "padding", "position",
    "stroke", "text", "top", "width", "row-gap", "column-gap", "backdrop-filter",
)  # fmt: skip
_TOLD = frozenset(("position", "alignment", "size", "image", "icon", "text-decoration"))


def brief_text(record: Mapping[str, Any], *, json_path: str) -> str:
    """Return the brief as text of at most 40 lines, rendered from its record."""
    for worst in range(WORST, 0, -1):
        lines = _lines(record, json_path, worst)
        if len(lines) <= MAX_LINES:
            break
    assert len(lines) <= MAX_LINES
    return "\n".join(lines) + "\n"


def _lines(record: Mapping[str, Any], json_path: str, worst: int) -> list[str]:
    iteration, cap = record["iteration"], record["iteration_cap"]
    lines = [
        f"pixelloop brief for iteration {iteration} of at most {cap}",
        f"test: {printable(str(record['test_id']))}",
        *_verdict(record),
        f"left: {_left(record)}",
    ]
    if record["verdict"] is not None:
        lines.extend(_since_lines(record))
        lines.extend(_edits(record, json_path, worst))
        lines.extend(_worse_lines(record))
        lines.extend(_problem_lines(record))
        lines.extend(_picture_lines(record))
    if record["last_fix"] is not None:
        lines.append(f"last fix: {printable(record['last_fix']['words'])}")
        lines.extend(_objection_lines(record["last_fix"]))
    return lines


def _left(record: Mapping[str, Any]) -> str:
    budget = record["budget"]
    count = budget["iterations_left"]
    words = [f"{count} iteration{'' if count == 1 else 's'}, this one included"]
    if budget["minutes_left"] is not None:
        words.append(f"{budget['minutes_left']:.1f} minutes")
    if budget["cost_usd_left"] is not None:
        words.append(f"{budget['cost_usd_left']:.2f} USD" + _unknown(budget["cost_unknown"]))
    if budget["tokens_left"] is not None:
        words.append(f"{budget['tokens_left']} tokens" + _unknown(budget["tokens_unknown"]))
    return ", ".join(words)


def _unknown(fixes: int) -> str:
    return f" (less {fixes} fix{'' if fixes == 1 else 'es'} of unknown usage)" if fixes else ""


def _since_lines(record: Mapping[str, Any]) -> list[str]:
    """Return what changed since the measurement before, and since the best one, as counts."""
    last, best = record["since_last"], record["since_best"]
    lines = []
    if last is not None:
        lines.append(f"since iteration {last['iteration']}: {_counts(last)}")
    if best is not None and (last is None or best["iteration"] != last["iteration"]):
        lines.append(f"since the best, iteration {best['iteration']}: {_counts(best)}")
    return lines


def _counts(changes: Mapping[str, Any]) -> str:
    told = [f"{len(changes[word])} {word}" for word in ("gone", "new", "smaller", "larger")]
    return "findings " + ", ".join(told)


def _objection_lines(fix: Mapping[str, Any]) -> list[str]:
    """Return what the patch gate held against the last fix, so that the next one knows."""
    objections = fix["objections"]
    if not objections:
        return []
    end = "it was taken back" if fix["reverted"] else "it stays"
    lines = [f"the patch gate objects to it ({end}): {len(objections)}"]
    for entry in objections[:OBJECTIONS]:
        place = printable(str(entry["path"]), limit=80) + (
            f":{entry['line']}" if entry["line"] else ""
        )
        lines.append(f"- {place}: {printable(str(entry['message']), limit=100)}")
    return lines


def _verdict(record: Mapping[str, Any]) -> list[str]:
    if record["verdict"] is None:
        why = f"the page is measured after this fix (mode {record['mode']})"
        return [f"verdict: nothing is measured yet; {why}"]
    facts = [f"score {figure(record['score'])}"]
    if record["score_change"] is not None:
        facts.append(f"change {record['score_change']:+.1f}")
    if record["best"] is not None:
        facts.append(
            f"best {figure(record['best']['score'])} at iteration {record['best']['iteration']}"
        )
    return [f"verdict: {printable(record['verdict'])} ({', '.join(facts)}); 0 is the aim"]


def _edits(record: Mapping[str, Any], json_path: str, worst: int) -> list[str]:
    findings = record["findings"]
    several = len({f["label"] for f in findings}) > 1
    lines = [f"open findings: {len(findings)}, worst first; all of them in {printable(json_path)}"]
    groups = _by_edit(findings)
    for number, (finding, *others) in enumerate(groups[:worst], start=1):
        where = f"[{printable(finding['label'], limit=60)}] " if several else ""
        lines.append(f"{number}. {where}{_told(finding)}{_also(others)}")
        lines.append(f"   {_place(finding)}")
        tried = _tried(finding)
        if tried:
            lines.append(f"   {tried}")
    left = sum(len(group) for group in groups[worst:])
    if left:
        lines.append(f"   ({left} more findings in the JSON file)")
    return lines


def _by_edit(findings: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the findings, those that one edit repairs together, in the order of the first."""
    groups: dict[object, list[Mapping[str, Any]]] = {}
    for at, finding in enumerate(findings):
        edit = finding["edit"]
        key = (finding["label"], edit["selector"], edit["property"], edit["value"]) if edit else at
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _also(others: Sequence[Mapping[str, Any]]) -> str:
    if not others:
        return ""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return f"; it explains, too: {printable(str(others[0]['message']), limit=80)}{more}"


def _told(finding: Mapping[str, Any]) -> str:
    """Return a finding as the edit that would repair it, else as its own sentence."""
    edit = finding["edit"]
    if edit is not None:
        says = f"set {_property(edit['property'])}{_of(edit['node'])} to {_wanted(edit)}, it is "
        says += shown_value(edit["actual"]) + _delta(finding, edit)
        return says
    if not _is_set(finding):
        return printable(str(finding["message"]))
    prop = finding["property"]
    wanted = _with_unit(finding["expected"], finding["unit"])
    actual = _with_unit(finding["actual"], finding["unit"])
    says = f"set {_property(prop)}{_of(finding['node'])} to {wanted}, it is {actual}"
    return says + _delta(finding, None)


def _is_set(finding: Mapping[str, Any]) -> bool:
    """Tell whether a finding without an edit names, all the same, what to set to which value."""
    prop = finding["property"]
    if prop is None or prop in _TOLD or not str(prop).startswith(_SET):
        return False
    return all(finding[key] is not None for key in ("expected", "actual", "node"))


def _property(name: Any) -> str:
    return "the text" if name == "text" else printable(str(name), limit=60)


def _of(node: Mapping[str, Any] | None) -> str:
    if not node:
        return ""
    name = printable(str(node.get("path") or node.get("name")), limit=80)
    return f" of {name}" + (f" ({printable(str(node['id']), limit=40)})" if node.get("id") else "")


def _wanted(edit: Mapping[str, Any]) -> str:
    """Return the value to write: the token's name where there is one, and what it comes to."""
    value, token = shown_value(edit["value"]), edit["token"]
    variable = f"the design's {printable(edit['variable'], limit=60)}" if edit["variable"] else ""
    if token is None:
        return value + (f" ({variable})" if variable else "")
    name = printable(token["name"], limit=60)
    if not token["agrees"]:
        now = printable(token["value"], limit=40)
        return f"{value} ({variable}; the project's {name} is {now}, {_at(token['place'])})"
    reference = printable(token["reference"], limit=60)
    why = variable if token["origin"] == "design" else "the token with that value"
    return f"{reference} ({value}, {why})"


def _at(place: str) -> str:
    return f"defined at {printable(place, limit=80)}"


def _delta(finding: Mapping[str, Any], edit: Mapping[str, Any] | None) -> str:
    """Return how far it is off; of an edit of something else than is seen, what is seen."""
    same = edit is None or _family(edit["property"]) == _family(finding["property"])
    if not same:
        return f"; seen as: {printable(str(finding['message']), limit=120)}"
    if finding["delta"] is None:
        return ""
    unit = f" {printable(str(finding['unit']), limit=20)}" if finding["unit"] else ""
    delta = finding["delta"]
    number = f"{delta:.4g}" if isinstance(delta, int | float) else shown_value(delta)
    return f", delta {number}{unit}"


def _family(name: Any) -> str:
    plain = str(name)
    for side in ("-top", "-right", "-bottom", "-left"):
        plain = plain.replace(side, "")
    return {
        "background": "background-color",
        "row-gap": "gap",
        "column-gap": "gap",
        "text-decoration": "text-decoration-line",
        "border": "border-width",
    }.get(plain, plain)


def _with_unit(value: Any, unit: Any) -> str:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}px" if plain and unit == "px" else shown_value(value)


def _place(finding: Mapping[str, Any]) -> str:
    edit = finding["edit"] or {}
    parts = []
    selector = edit.get("selector") or finding["selector"]
    if selector:
        parts.append(f"selector {printable(str(selector), limit=120)}")
    source = edit.get("source") or finding["source"]
    if source:
        parts.append(f"source {printable(str(source), limit=80)}")
    else:
        parts.extend(_found(place) for place in edit.get("places", ())[:1])
    if finding["box"]:
        parts.append("box " + ",".join(shown_value(v) for v in finding["box"]))
    parts.append(f"severity {figure(finding['severity'])}")
    parts.append(f"id {printable(finding['delta_id'], limit=80)}")
    if finding["crop"]:
        parts.append(f"crop {_short(finding['crop'])}")
    return "  ".join(parts)


_WHAT = {
    "declares": "source",
    "value": "source",
    "rule": "rule at",
    "words": "text at",
}


def _found(place: Mapping[str, Any]) -> str:
    return f"{_WHAT[place['what']]} {printable(str(place['path']), limit=80)}:{place['line']}"


def _tried(finding: Mapping[str, Any]) -> str:
    """Return which values were measured after fixes and did not help, or that none touched it."""
    tries = finding["tried"] if finding["edit"] or _is_set(finding) else []
    if tries:
        told = [
            f"{shown_value(t['actual'])} (iteration {t['iteration']}, severity "
            f"{figure(t['severity'])})"
            for t in tries[-TRIES:]
        ]
        more = len(tries) - len(told)
        earlier = f"; {more} earlier ones in the JSON file" if more else ""
        return f"tried, still open: {', '.join(told)}{earlier}"
    passed = finding["passed_over"]
    if passed:
        times = "the last fix" if passed == 1 else f"the last {passed} fixes"
        return f"it was the worst before, too: {times} did not change it"
    return ""


def shown_value(value: Any) -> str:
    """Return a JSON value on one line, a string as it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable(text, limit=80)


def _worse_lines(record: Mapping[str, Any]) -> list[str]:
    worse = record["worse_since_best"]
    if not worse:
        return []
    lines = [f"worse than at the best iteration ({record['best']['iteration']}): {len(worse)}"]
    for entry in worse[:WORSE]:
        then = entry["severity_at_best"]
        was = "new" if then is None else f"severity was {figure(then)}"
        word = entry["property"] or entry["kind"]
        lines.append(
            f"- {printable(str(word), limit=60)} {printable(entry['delta_id'], limit=80)}: "
            f"severity {figure(entry['severity'])}, {was}"
        )
    if len(worse) > WORSE:
        lines.append(f"  ({len(worse) - WORSE} more in the JSON file)")
    return lines


def _problem_lines(record: Mapping[str, Any]) -> list[str]:
    entries = record["undetermined"]
    lines = [
        f"{printable(str(e['label']), limit=60)}: {printable(e['status'], limit=60)}: "
        f"{printable(str(e['problem'] or 'no reason given'))}"
        for e in entries[:PROBLEMS]
    ]
    if len(entries) > PROBLEMS:
        lines.append(f"({len(entries) - PROBLEMS} more undetermined comparisons in the JSON file)")
    return lines


def _picture_lines(record: Mapping[str, Any]) -> list[str]:
    """Return the pictures of each comparison; their folder once, as it is the same for all."""
    entries = record["pictures"]
    lines = []
    for entry in entries[:PICTURES]:
        paths = {k: v for k, v in entry.items() if k != "label"}
        folder = next(iter(paths.values())).rpartition("/")[0]
        names = " ".join(f"{k}={printable(v.rpartition('/')[2])}" for k, v in paths.items())
        label = printable(str(entry["label"]), limit=60)
        lines.append(f"pictures {label}: in {printable(folder)}: {names}")
    if len(entries) > PICTURES:
        lines.append(f"({len(entries) - PICTURES} more sets of pictures in the JSON file)")
    if any(f["crop"] for f in record["findings"]):
        lines.append("crops of the findings (expected | actual): in the same folder")
    return lines


def _short(path: str) -> str:
    """Return the last folder and the name of a path whose beginning is told once."""
    return printable("/".join(path.split("/")[-2:]), limit=80)
