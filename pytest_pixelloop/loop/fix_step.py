"""One fix as the ledger sees it: started, running, ended, and what it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.records import FixOutcome, Kind, fix_ended_record, record
from pytest_pixelloop.core.verdict import CONDITIONAL, FAIL
from pytest_pixelloop.loop.patch_gate import patch_record, put_back_record
from pytest_pixelloop.loop.patch_text import patch_text
from pytest_pixelloop.loop.usage_file import clear_usage, read_usage_file
from pytest_pixelloop.loop.watched import changed_files
from pytest_pixelloop.process.process_table import process_identity
from pytest_pixelloop.store.atomic import write_bytes_atomic
from pytest_pixelloop.store.iteration_files import PROPOSALS_NAME, iteration_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_pixelloop.core.fix_brief import FixBrief
    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.core.measurement import LoopSettings
    from pytest_pixelloop.loop.fixer import Fixer, FixResult
    from pytest_pixelloop.loop.patch_gate import Before, PatchGate, PatchOutcome
    from pytest_pixelloop.loop.watched import Fingerprint, Watcher


class FixStep:
    """Runs the fix of one iteration after another and records each.

    ``add`` puts a record into the ledger, on disk before it returns. ``gate`` judges each patch;
    ``confirm`` gets the iteration, its patch and the file that it lies in, and tells whether the
    patch is to be measured. It needs a gate.
    """

    def __init__(
        self,
        fixer: Fixer,
        *,
        watcher: Watcher,
        folder: Path,
        add: Callable[[Mapping[str, Any]], None],
        clock: Callable[[], float],
        gate: PatchGate | None = None,
        confirm: Callable[[int, str, str], bool] | None = None,
    ) -> None:
        self._confirm = confirm
        self._gate = gate
        self._fixer = fixer
        self._watcher = watcher
        self._folder = folder
        self._add = add
        self._clock = clock

    @property
    def waits(self) -> bool:
        """Whether somebody else edits the sources, while the page is measured, too."""
        return self._fixer.waits

    def note(self, iteration: int) -> None:
        """Keep what is there now as what was there before the fix of *iteration*."""
        if self._gate is not None:
            self._gate.before(iteration)

    def run(
        self, brief: FixBrief, *, before: History, measured: Fingerprint | None = None
    ) -> Fingerprint:
        """Run the fix of the brief's iteration and return the sources as it left them.

        *before* is the history up to the fix; it tells whether this fix was interrupted once.
        *measured* are the sources that were measured last, as far as this process knows.
        """
        iteration = brief.iteration
        sources = self._watcher.fingerprint()
        digest = sources.digest
        if self._fixer.waits and brief.sources is not None:
            digest = brief.sources
            if measured is not None and measured.digest == digest:
                sources = measured
        held = self._gate.before(iteration) if self._gate is not None else None
        self._add(record(Kind.FIX_STARTED, at=self._clock(), iteration=iteration))
        output = self._folder / "fix" / f"{iteration:02d}.log"
        clear_usage(brief.usage_path)
        result = self._fixer.run(
            brief, output=output, started=lambda pid: self._note_process(iteration, pid)
        )
        usage = result.usage or read_usage_file(brief.usage_path)
        after = self._watcher.fingerprint()
        changed = changed_files(sources, after)
        outcome = _outcome(result, digest, after.digest, before)
        patch, error = None, _error(result, brief, outcome)
        if self._gate is not None and held is not None:
            judged = self._gate.after(held)
            patch = patch_record(judged, mode=self._gate.mode)
            if not judged.reverted and self._is_declined(self._gate, held, iteration):
                judged = self._gate.put_back(held)
                outcome, error = _declined(judged)
                patch |= put_back_record(judged) | {"declined": True}
            if judged.reverted:
                after = self._watcher.fingerprint()
            if patch.get("declined"):
                changed = changed_files(sources, after)
        known = sources.digest is not None and after.digest is not None
        self._add(
            fix_ended_record(
                at=self._clock(),
                iteration=iteration,
                outcome=outcome,
                exit_code=result.exit_code,
                seconds=result.seconds,
                changed=changed if known else (),
                output=output.relative_to(self._folder).as_posix(),
                error=error,
                patch=patch,
                by=self._fixer.by,
                usage=usage,
            )
        )
        if self._gate is not None:
            self._gate.forget()
        return after

    def _is_declined(self, gate: PatchGate, held: Before, iteration: int) -> bool:
        """Show what the fix did, if anything, and ask; tell whether it is to be taken back."""
        changes = gate.changes(held) if self._confirm is not None else ()
        if self._confirm is None or not changes:
            return False
        patch = patch_text(changes)
        path = self._folder / "fix" / f"{iteration:02d}.patch"
        write_bytes_atomic(path, patch.encode("utf-8", "surrogateescape"))
        return not self._confirm(iteration, patch, str(path))

    def _note_process(self, iteration: int, pid: int) -> None:
        self._add(
            record(
                Kind.FIX_RUNNING,
                at=self._clock(),
                iteration=iteration,
                pid=pid,
                identity=process_identity(pid),
            )
        )


def _declined(judged: PatchOutcome) -> tuple[FixOutcome, str]:
    if judged.kept:
        names = ", ".join(judged.kept[:5])
        return FixOutcome.CHANGED, f"the patch was declined and could not be taken back: {names}"
    return FixOutcome.UNCHANGED, "the patch was declined"


def _error(result: FixResult, brief: FixBrief, outcome: FixOutcome) -> str | None:
    if result.idle and outcome is not FixOutcome.UNCHANGED:
        return None  # somebody did something all the same
    if result.timed_out and brief.short:
        left = "all that was left of the budget's minutes"
        return f"was stopped after {brief.seconds:.0f} s, {left}"
    return result.error


def first_iteration(before: History, settings: LoopSettings) -> int:
    """Return the number of the first iteration of a process that found *before* in the ledger."""
    if before.highest is not None:
        return before.highest + 1
    if before.pending is not None:
        return before.pending.iteration
    return 1 if settings.looping and settings.mode == "create" else 0


def fix_is_due(before: History, iteration: int, *, conditional_passes: bool) -> bool:
    """Tell whether *iteration* starts with a fix.

    Not without a verdict to repair, and not when the fix of this very iteration ended before the
    process did.
    """
    if before.pending is not None and before.pending.fix is not None:
        return False
    if before.last is None:
        return iteration > 0
    if before.last.comparable_status == CONDITIONAL:
        return not conditional_passes
    return before.last.status == FAIL


def _outcome(
    result: FixResult, sources: str | None, after: str | None, before: History
) -> FixOutcome:
    """Return what a fix came to.

    A fix that was interrupted and is run again may find its work done: that is no useless fix.
    """
    if result.timed_out:
        return FixOutcome.TIMED_OUT
    if result.failed:
        return FixOutcome.FAILED
    if sources is None or after is None:
        return FixOutcome.UNKNOWN
    if sources != after:
        return FixOutcome.CHANGED
    measured = before.last.sources if before.last else None
    interrupted = before.pending is not None and measured not in {None, after}
    return FixOutcome.UNKNOWN if interrupted else FixOutcome.UNCHANGED


def fix_variables(
    brief: Mapping[str, Any],
    *,
    brief_path: Path,
    json_path: Path,
    folder: Path,
    root: Path,
    timeout: float,
    usage_path: Path,
    history: History,
) -> dict[str, str]:
    """Return the ``PIXELLOOP_*`` variables of a fix; an unknown figure is an empty text.

    *brief* is the brief's record. Nothing of held-out comparisons lies in the iteration's folder.
    """
    last = history.last
    pictures = str(iteration_folder(folder, last.iteration)) if last is not None else ""
    score = brief["score"]
    return {
        "PIXELLOOP_RUN_ID": str(brief["run_id"]),
        "PIXELLOOP_TEST_ID": str(brief["test_id"]).replace("\0", ""),
        "PIXELLOOP_ITERATION": str(brief["iteration"]),
        "PIXELLOOP_ITERATION_CAP": str(brief["iteration_cap"]),
        "PIXELLOOP_MODE": str(brief["mode"]),
        "PIXELLOOP_BRIEF": str(brief_path),
        "PIXELLOOP_BRIEF_JSON": str(json_path),
        "PIXELLOOP_ROOT": str(root),
        "PIXELLOOP_FIX_TIMEOUT": f"{timeout:g}",
        "PIXELLOOP_VERDICT": brief["verdict"] or "",
        "PIXELLOOP_SCORE": "" if score is None else str(score),
        "PIXELLOOP_DIFF_DIR": pictures,
        "PIXELLOOP_USAGE": str(usage_path),
        "PIXELLOOP_PROPOSALS": str(folder / PROPOSALS_NAME),
    }
