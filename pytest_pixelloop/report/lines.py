"""The loop as a transcript: one line for each thing that happened, one when it is over.

Plain ASCII, so that every terminal and log shows it. What is left out of a line is counted and
told where to be found, never called "some".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.budget import Usage
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.measurement import compared_channels
from pytest_pixelloop.core.records import FixOutcome
from pytest_pixelloop.core.reload import MAX_RESTARTS, Rung
from pytest_pixelloop.core.verdict import CONDITIONAL, FAIL, PASS, is_undetermined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.budget import BudgetLimits
    from pytest_pixelloop.core.history import Fix, History, Measured, Pending

NAMED = 5
_RUNGS = {
    Rung.PAGE: "the page again",
    Rung.CONTEXT: "a fresh browser context",
    Rung.APPLICATION: "the application is restarted",
}
_DONE = {"hook": "the hook is done", "wait": "somebody changed the sources"}
_MARKS = {PASS: "v", CONDITIONAL: "~", FAIL: "x"}


def ascii_line(text: str, *, limit: int = 400) -> str:
    """Return *text* on one line in plain ASCII, everything else escaped."""
    return printable(text, limit=limit).encode("ascii", "backslashreplace").decode("ascii")


def figure(score: float | None) -> str:
    """Return a score as lines show it."""
    return "unknown" if score is None else f"{score:.1f}"


def compare_line(history: History, *, cap: int) -> str:
    """Return the line of the last measurement.

    ``[3/6] compare  x score 41.0 -> 17.0 (3 open regions, channels=visual)``; the first number is
    the iteration before, left out where there is none.
    """
    last = history.last
    assert last is not None
    score = figure(last.score)
    if len(history.measurements) > 1:
        score = f"{figure(history.measurements[-2].score)} -> {score}"
    count = len(last.delta_ids)
    facts = [f"{count} open region{'' if count == 1 else 's'}", *_channels(last)]
    facts.extend(_left_out(last))
    if last.sealed:
        facts.append("held out: sealed")
    if history.restarts:
        facts.append(_restarts(history))
    word = f"{last.status}, " if is_undetermined(last.status) else ""
    text = f"{word}score {score} ({', '.join(facts)})"
    return _line(
        _place(history, last.iteration, cap), "compare", _MARKS.get(last.status, "?"), text
    )


def _channels(last: Measured) -> list[str]:
    compared = compared_channels(last.channels)
    skipped = sorted(set(last.channels) - set(compared))
    facts = ["channels=" + ("+".join(compared) or "none")]
    if skipped:
        facts.append("skipped=" + "+".join(skipped))
    return facts


def _left_out(last: Measured) -> list[str]:
    """Return which comparisons could not be made, by label and reason."""
    return [
        f"{c.label}: {c.status}"
        for c in last.comparisons
        if is_undetermined(c.status) and c.status != last.status
    ]


def fix_line(history: History, fix: Fix, *, cap: int) -> str:
    """Return the line of a fix that is over."""
    fine = fix.outcome in {FixOutcome.CHANGED, FixOutcome.UNKNOWN}
    text = f"{fix_words(fix)}, {fix.seconds:.1f} s, {changed_words(fix)}"
    usage = usage_words(fix.usage, limits=history.limits)
    if usage:
        text += f", {usage}"
    if history.restarts:
        text += f", {_restarts(history)}"
    return _line(_place(history, fix.iteration, cap), "fix", "v" if fine else "x", text)


def patch_lines(fix: Fix) -> list[str]:
    """Return a line for each objection of the patch gate, five at most, and what it put back."""
    patch = fix.patch or {}
    found = [
        note_line(f"patch gate: {_patch_place(entry)}: {entry['message']}")
        for entry in fix.objections[:NAMED]
    ]
    more = int(patch.get("finding_count") or 0) - len(found)
    if more > 0:
        found.append(note_line(f"patch gate: {more} more (ledger.jsonl names them)"))
    if fix.declined:
        count = int(patch.get("reverted_count") or 0)
        found.append(note_line(f"the patch was declined, {count} files are as before"))
    elif fix.reverted:
        count = int(patch.get("reverted_count") or 0)
        found.append(note_line(f"patch gate: the patch is taken back, {count} files are as before"))
    if patch.get("not_put_back"):
        names = ", ".join(patch["not_put_back"][:NAMED])
        found.append(note_line(f"patch gate: could not be put back: {names}"))
    if patch.get("note"):
        found.append(note_line(str(patch["note"])))
    return found


def wait_line(
    history: History, *, cap: int, iteration: int, seconds: float, roots: Sequence[str], brief: str
) -> str:
    """Return the line that tells a person what is waited for, and how to go on or to stop."""
    where = ", ".join(roots[:NAMED]) + (
        f" and {len(roots) - NAMED} more (pixelloop_sources)" if len(roots) > NAMED else ""
    )
    text = (
        f"waiting up to {round(seconds, 1):g} s for a change below {where}; "
        f"the brief is {brief}; Ctrl-C ends the loop"
    )
    return _line(_place(history, iteration, cap), "fix", "-", text)


def _patch_place(entry: Mapping[str, Any]) -> str:
    line = entry.get("line")
    return str(entry["path"]) + (f":{line}" if line else "")


def reload_line(history: History, rung: Rung, why: str, *, cap: int, by: str | None = None) -> str:
    """Return the line of a rung of the reload ladder, with the restarts that are spent.

    *by* says what is done where that is not what is done for a page.
    """
    number = history.pending.iteration if history.pending else (history.highest or 0)
    words = f"rung {int(rung)}, {by or _RUNGS[rung]}"
    text = f"{words} ({_restarts(history)}): {why.splitlines()[0] if why else 'unreachable'}"
    return _line(_place(history, number, cap), "reload", "-", text)


def _restarts(history: History) -> str:
    return f"restarts={history.restarts}/{MAX_RESTARTS}"


def fix_words(fix: Fix) -> str:
    """Return how a fix ended."""
    if fix.outcome is FixOutcome.TIMED_OUT:
        return fix.error or "timed out and was killed"
    if fix.error:
        return fix.error
    return _DONE.get(fix.by) or f"exit code {fix.exit_code}"


def usage_words(usage: Usage | None, *, limits: BudgetLimits) -> str:
    """Return what a fix has cost, "" where it did not say so and nobody wants to know."""
    told = usage or Usage()
    parts = []
    if told.cost_usd is not None:
        parts.append(f"{told.cost_usd:.4g} USD")
    if told.tokens is not None:
        parts.append(f"{told.tokens} tokens")
    wanted = (
        (told.cost_usd is None and limits.max_cost_usd is not None)
        or (told.tokens is None and limits.max_tokens is not None)
        or told.problem is not None
    )
    if wanted:
        why = f" ({told.problem})" if told.problem else ""
        parts.append(f"usage unknown{why}" if not parts else f"the rest of its usage unknown{why}")
    return ", ".join(parts)


def changed_words(fix: Fix) -> str:
    """Return which files a fix changed: five by name, the number of the others."""
    if fix.outcome is FixOutcome.UNKNOWN:
        return "changed files unknown"
    if not fix.changed_count:
        if fix.by == "wait" and fix.outcome is FixOutcome.CHANGED:
            return "changed before this process began"
        return "no watched file changed"
    names = ", ".join(fix.changed[:NAMED])
    more = fix.changed_count - min(NAMED, len(fix.changed))
    return f"changed {names}" + (f" and {more} more (ledger.jsonl names them)" if more > 0 else "")


def resumed_line(history: History, *, cap: int, left: Pending | None) -> str:
    """Return the line of a run that goes on: where it stood and what was interrupted."""
    highest = history.highest
    parts = ["nothing was measured yet" if highest is None else f"iteration {highest} is recorded"]
    if left is not None:
        again = (
            "its fix is run again"
            if left.phase == "fix"
            else "it is measured, without another fix"
            if left.fix
            else "it is measured again"
        )
        parts.append(f"iteration {left.iteration} was interrupted in its {left.phase}: {again}")
    if history.restarts:
        parts.append(_restarts(history))
    number = left.iteration if left else (highest or 0)
    return _line(_place(history, number, cap), "resumed", "-", "; ".join(parts))


def note_line(text: str) -> str:
    """Return a line that tells what the user should know once."""
    return ascii_line(f"note: {text}")


def terminal_line(record: Mapping[str, Any], *, summary: str) -> str:
    """Return the one line that ends the transcript, rendered from a summary record."""
    status = record["status"]
    good = status in {"converged", PASS}
    mark = "v" if good else "?" if is_undetermined(status) else _MARKS.get(status, "x")
    count = record["iterations"]
    place = f"[{count}/{record['iteration_cap']}]" if record["looping"] else "[gate]"
    parts = [f"{status} after {count} iteration{'' if count == 1 else 's'}"]
    if not record["looping"]:
        parts = [status]
    parts[0] += _scores(record["score_history"])
    if record["restarts"]:
        parts[0] += f", restarts={record['restarts']}/{MAX_RESTARTS}"
    if not good:
        parts.append(record["reason"])
        parts.extend(_best(record))
        parts.extend(_residual(record["residual_delta_ids"]))
    if record["budget_words"] and record["rule"] != "budget":
        parts.append("spent: " + ", ".join(record["budget_words"]))
    if record["held_out"]["state"] == "sealed":
        parts.append("held out: sealed")
    parts.append(summary)
    return _line(place, "ended", mark, "; ".join(parts), limit=1000)


def held_out_words(told: Mapping[str, Any]) -> list[str]:
    """Return what a summary record says of the held-out comparisons, one line each."""
    if told["state"] == "none":
        return []
    if told["state"] != "told":
        return ["held-out comparisons were measured, and are sealed until the loop ends"]
    lines = []
    for entry in told["comparisons"]:
        ids = entry["delta_ids"]
        more = f", {len(ids)} open: {', '.join(ids[:NAMED])}" if ids else ""
        more += f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
        lines.append(
            f"held out: {entry['label']}: {entry['status']}, score {figure(entry['score'])}{more}"
        )
    if told["blind"] is False:
        lines.append(
            "held out: not blind: what they measured was told after iteration "
            f"{told['disclosed_after']} of this run"
        )
    return [ascii_line(line) for line in lines]


def _scores(scores: Sequence[float | None]) -> str:
    if not scores:
        return ", nothing measured"
    if len(scores) == 1:
        return f", score {figure(scores[0])}"
    return f", score {figure(scores[0])} -> {figure(scores[-1])}"


def _best(record: Mapping[str, Any]) -> list[str]:
    """Return where the page was closer to the design than it is at the end."""
    scores, best = record["score_history"], record["best_score"]
    if best is None or scores[-1] is None or scores[-1] <= best:
        return []
    return [f"best was {figure(best)} at iteration {record['best_iteration']}"]


def _residual(delta_ids: Sequence[str]) -> list[str]:
    if not delta_ids:
        return []
    more = len(delta_ids) - NAMED
    rest = f" and {more} more (the summary names them)" if more > 0 else ""
    return [f"{len(delta_ids)} open: " + ", ".join(delta_ids[:NAMED]) + rest]


def _place(history: History, iteration: int, cap: int) -> str:
    return f"[{iteration}/{cap}]" if history.looping else "[gate]"


def _line(place: str, word: str, mark: str, text: str, *, limit: int = 400) -> str:
    return ascii_line(f"{place} {word:<8} {mark} {text}", limit=limit)
