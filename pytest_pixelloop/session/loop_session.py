"""One looped test, without pytest: prepare, (measure, record, advance)*, finish.

    session = LoopSession(...)
    try:
        if session.prepare():
            while session.record(measure(session.iteration, session.iteration_folder)).again:
                session.advance()
    except BaseException as error:
        session.abort(repr(error))
        raise
    summary = session.finish()

Whatever happens is a line of the ledger first. Decisions, briefs and summaries are made from the
history that the lines on disk tell, so a process that is killed at any point loses nothing that
was recorded, and the next one goes on from there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.budget import Spent
from pytest_pixelloop.core.errors import PixelloopError
from pytest_pixelloop.core.fingerprint import environment_line, mark_changes
from pytest_pixelloop.core.history import IN_PROGRESS, INTERRUPTED, History
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.core.measurement import resumed_cap
from pytest_pixelloop.core.noise import noise_line
from pytest_pixelloop.core.records import (
    Kind,
    measured_record,
    plain,
    record,
    session_record,
)
from pytest_pixelloop.core.replay import limits_record
from pytest_pixelloop.core.sealing import is_held_out
from pytest_pixelloop.core.stopping import (
    CONVERGED,
    Decision,
    Limits,
    decide,
    decide_entry,
    moved_decision,
    seal_broken,
)
from pytest_pixelloop.core.summary import Summary, summary_of, summary_record
from pytest_pixelloop.core.verdict import is_undetermined
from pytest_pixelloop.loop.fix_step import first_iteration, fix_is_due
from pytest_pixelloop.loop.held_out import HeldOut
from pytest_pixelloop.loop.moving import MovingSources
from pytest_pixelloop.loop.reload import ReloadLadder
from pytest_pixelloop.loop.watched import Fingerprint, Watcher
from pytest_pixelloop.process.group import kill_marked, kill_orphan
from pytest_pixelloop.report.derived_files import shown_path, write_iterations, write_summary
from pytest_pixelloop.report.lines import (
    ascii_line,
    compare_line,
    note_line,
    reload_line,
    resumed_line,
    terminal_line,
)
from pytest_pixelloop.session.evidence import Evidence
from pytest_pixelloop.session.fixing import Fixing, FixPlugin
from pytest_pixelloop.store.file_lock import this_process
from pytest_pixelloop.store.iteration_files import (
    evidence_of,
    fresh_iteration_folder,
    iteration_folder,
    write_reports,
)
from pytest_pixelloop.store.ledger_file import LedgerFile
from pytest_pixelloop.store.run_directory import LEDGER_NAME, remove_abandoned
from pytest_pixelloop.store.vault import Vault, state_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_pixelloop.core.measurement import LoopSettings, Measurement
    from pytest_pixelloop.loop.patch_gate import PatchGate
    from pytest_pixelloop.loop.watched import WatchedSources


class LoopSession:
    """The loop over one test: everything between two measurements, and what is kept of them.

    ``folder`` is the test's own folder in the run directory, ``root`` the folder the fixer runs
    in. ``goalposts`` gives name -> hash of everything the verdict is measured against and must not
    raise (a missing file is a value such as ``"absent"``). ``clock`` gives seconds; ``say`` takes
    one finished line for the terminal. ``environ`` is what the fixer inherits. ``patch_gate``
    judges what each fix did to the files. ``elsewhere`` gives what the run has spent outside this
    test; it is asked where there is a budget.
    """

    def __init__(
        self,
        *,
        folder: Path,
        run_id: str,
        test_id: str,
        root: Path,
        settings: LoopSettings,
        goalposts: Callable[[], Mapping[str, str]],
        sources: WatchedSources,
        clock: Callable[[], float],
        say: Callable[[str], None],
        environ: Mapping[str, str],
        patch_gate: PatchGate | None = None,
        elsewhere: Callable[[], Spent] = Spent,
        plugin: FixPlugin | None = None,
    ) -> None:
        self.folder = folder
        self.run_id = run_id
        self.test_id = test_id
        self.root = root
        self.settings = settings
        self._goalposts = goalposts
        self._watcher = Watcher(sources)
        self.moving = MovingSources(self._watcher, root=root)
        self._patch_gate = patch_gate
        self._elsewhere = elsewhere
        self._plugin = plugin or FixPlugin()
        self._clock = clock
        self._say = say
        self._environ = environ
        self._held_out = HeldOut(folder, Vault(state_folders(environ)))
        self._ledger: LedgerFile | None = None
        self._fixes: Fixing  # from prepare() on
        self.ladder = ReloadLadder(
            history=lambda: self._history,
            add=self._add,
            say=lambda rung, why, by: self._say(
                reload_line(self._history, rung, why, by=by, cap=self.settings.cap.value)
            ),
            clock=clock,
        )
        self._iteration = 0
        self._sources = Fingerprint()
        self._measured_here = 0
        self._decision: Decision | None = None
        self._summary: Summary | None = None

    @property
    def iteration(self) -> int:
        """The number of the iteration now being measured."""
        return self._iteration

    @property
    def iteration_folder(self) -> Path:
        """The folder ``diff/NN`` of the iteration now being measured; it exists."""
        return iteration_folder(self.folder, self._iteration)

    def prepare(self) -> bool:
        """Start or resume; tell whether there is something to measure.

        Runs the fix first where the mode or the resumed state asks for it. False means that
        nothing is to be measured (the cap is spent, the goalposts moved): finish() tells why.
        Raises ConfigurationError when the fix command cannot be run at all, LedgerError when the
        ledger cannot be used.
        """
        ledger = LedgerFile(self.folder / LEDGER_NAME, linked=True)
        try:
            fold(ledger.records)
            self._held_out.pick_up(ledger.records)
        except PixelloopError:
            ledger.close()
            raise
        self._ledger = ledger
        self._evidence = Evidence(self.folder, ledger, looping=self.settings.looping)
        before = self._history
        recorded = (before.iteration_cap, before.iteration_cap_source)
        cap = resumed_cap(self.settings.cap, recorded=recorded)
        budget = self.settings.budget.or_else(before.limits)
        self.settings = replace(self.settings, cap=cap, budget=budget)
        self._add(
            session_record(
                Kind.RESUMED if before.processes else Kind.START,
                at=self._clock(),
                run_id=self.run_id,
                test_id=self.test_id,
                settings=self.settings,
                goalposts=self._goalposts(),
                forged=self._evidence.forged_since(),
                limits=limits_record(self._limits),
                process=this_process(),
                elsewhere=self._elsewhere() if self.settings.budget.any else None,
                seal_broken=self._held_out.broken(),
            )
        )
        try:
            self._fixes = self._make_fixing()
        except PixelloopError as error:
            self.abort(error.what)
            raise
        if before.processes:
            self._pick_up(before)
        self._iteration = first_iteration(before, self.settings)
        self._decision = decide_entry(self._history, self._limits)
        if self._decision is not None:
            return False
        self._begin(before)
        return True

    def record(self, measurement: Measurement) -> Decision:
        """Return what to do next; the measurement is on disk before this returns."""
        reports = [plain(report) for report in measurement.reports]
        before = self._history
        # An iteration that is measured again is compared with those before it.
        earlier = [m for m in before.measurements if m.iteration < self._iteration]
        changed = mark_changes(earlier, reports)
        shown = [r for r in reports if not (self.settings.looping and is_held_out(r))]
        names = write_reports(self.iteration_folder, reports, without=lambda r: r not in shown)
        line = measured_record(
            measurement,
            at=self._clock(),
            iteration=self._iteration,
            reports=names,
            sources=self._sources.digest if self.settings.looping else None,
            known_goalposts=before.goalposts,
            goalposts=self._goalposts(),
            environment_changed=changed,
            forged=self._evidence.forged(),
            grown=self._evidence.hidden(before, reports, status=measurement.status),
            evidence=evidence_of(self.iteration_folder, names, reports),
            elsewhere=self._elsewhere() if self.settings.budget.any else None,
            seal_broken=self._held_out.broken(),
            moving=self.moving.changed(),
        )
        if len(shown) < len(reports):
            files = measurement.held_out_files
            line = self._held_out.seal(line, reports=reports, files=files)
        self._add(line)
        self._measured_here += 1
        self._decision = decide(self._history, self._limits, now=self._clock())
        told = self._told
        write_iterations(self.folder, told)
        if self.settings.looping and self._decision.status != "converged":
            # For whoever edits next, a person between two processes too.
            self._fixes.brief(self._iteration + 1)
        for report in shown:
            if report.get("noise"):
                self._say(note_line(f"{report['label']}: {noise_line(report['noise'])}"))
        if changed:
            self._say(ascii_line(environment_line(changed)))
        self._say(compare_line(told, cap=self.settings.cap.value))
        self._evidence.keep(self.iteration_folder)
        return self._decision

    def moved(self) -> bool:
        """Tell whether to measure again, with the sources as they are now: they did not stand."""
        sources = self.moving.again()
        if sources is not None:
            self._sources = sources
            self._say(note_line("measuring again: its sources were written meanwhile"))
        return sources is not None

    def measure_again(self) -> None:
        """Begin the iteration's measurement anew, in an empty folder: nothing of it is recorded."""
        fresh_iteration_folder(self.folder, self._iteration)

    def advance(self) -> None:
        """Run the fix, if there is one, and go to the next iteration.

        Only after a record() that said ``again``.
        """
        assert self._decision is not None
        assert self._decision.again
        self._iteration += 1
        self._begin(self._history)

    def finish(self) -> Summary:
        """Return what the loop came to, with the end recorded and the summaries written.

        Idempotent. A loop that is finished without a final decision counts as interrupted.
        """
        decision = self._decision
        if decision is None or decision.again:
            return self._end(INTERRUPTED, None, "the loop was left before it was decided")
        assert decision.status is not None
        return self._end(decision.status, decision.rule, decision.reason)

    def abort(self, reason: str) -> Summary:
        """End as ``undetermined:interrupted``: an exception that is no verdict, or Ctrl-C.

        Raises nothing of its own: the reason for the abort must not be hidden by a full disk.
        """
        try:
            return self._end(INTERRUPTED, None, reason)
        except PixelloopError as error:
            self._say(note_line(f"the end of the loop could not be written: {error.what}"))
            self._close()
            return self._unwritten(reason)

    @property
    def _history(self) -> History:
        """Everything that was measured: what is decided by."""
        return fold(self._held_out.joined(self._ledger.records)) if self._ledger else History()

    @property
    def _told(self) -> History:
        """What the ledger tells: without what is sealed, until the loop has ended."""
        return fold(self._ledger.records) if self._ledger else History()

    @property
    def _limits(self) -> Limits:
        told = self.settings
        return Limits(
            cap=told.cap.value,
            looping=told.looping,
            breaker=told.breaker_limit,
            noise_floor=told.noise_floor,
            iterations_per_run=told.iterations_per_run,
            measured_here=self._measured_here,
            conditional_passes=told.conditional_passes,
        )

    def _add(self, line: Mapping[str, Any]) -> None:
        assert self._ledger is not None
        self._ledger.append(line)

    def _make_fixing(self) -> Fixing:
        return Fixing(
            folder=self.folder,
            root=self.root,
            settings=self.settings,
            watcher=self._watcher,
            gate=self._patch_gate,
            environ=self._environ,
            clock=self._clock,
            say=self._say,
            add=self._add,
            history=lambda: self._history,
            plugin=self._plugin,
        )

    def _pick_up(self, before: History) -> None:
        """Say where the run stood, make lost files again, stop a fixer that was left running."""
        left = before.pending
        self._say(resumed_line(before, cap=self.settings.cap.value, left=left))
        running = before.running
        stray = kill_marked("PIXELLOOP_BRIEF", str(self.folder / "brief.md"))
        if stray or (running is not None and kill_orphan(running.pid, identity=running.identity)):
            number = left.iteration if left is not None else before.highest
            self._say(note_line(f"the fix of iteration {number} still ran: killed it"))
        remove_abandoned(self.folder, deep=True)
        write_iterations(self.folder, self._told)

    def _begin(self, before: History) -> None:
        """Start the iteration: its fix, where one is due, then an empty folder to measure into."""
        number = self._iteration
        due = fix_is_due(before, number, conditional_passes=self.settings.conditional_passes)
        fixed = due and self._fixes.possible
        self._add(record(Kind.ITERATION_STARTED, at=self._clock(), iteration=number, fix=fixed))
        if fixed:
            self._sources = self._fixes.run(number, before=before, measured=self._sources)
        elif self.settings.looping:
            self._sources = self._watcher.fingerprint()
        self.moving.begin(self._sources, fixed=fixed)
        self._fixes.measuring(number)
        fresh_iteration_folder(self.folder, self._iteration)

    def _end(self, status: str, rule: str | None, reason: str) -> Summary:
        if self._summary is not None:
            return self._summary
        ledger, now = self._ledger, self._clock()
        if ledger is None:
            return self._unwritten(reason)  # prepare() never got hold of the ledger
        if status == CONVERGED and (forged := self._evidence.forged()):
            moved = moved_decision(forged)
            status, rule, reason = str(moved.status), moved.rule, moved.reason
        if status not in {IN_PROGRESS, INTERRUPTED}:
            broken = self._held_out.open(add=self._add, records=lambda: ledger.records, at=now)
            if broken and not is_undetermined(status):
                lost = seal_broken(broken)
                status, rule, reason = str(lost.status), lost.rule, lost.reason
            if self._told.disclosed_after is not None:
                write_iterations(self.folder, self._told, anew=True)
        self._add(record(Kind.ENDED, at=now, status=status, rule=rule, reason=reason))
        written = write_summary(self.folder, self._told)
        self._close()
        self._summary = self._summarised(written)
        place = shown_path(self._summary.path, root=self.root)
        self._say(terminal_line(written, summary=place))
        return self._summary

    def _unwritten(self, reason: str) -> Summary:
        told = summary_record(History(run_id=self.run_id, test_id=self.test_id))
        self._summary = self._summarised({**told, "reason": reason})
        return self._summary

    def _summarised(self, told: Mapping[str, Any]) -> Summary:
        passes = self.settings.conditional_passes
        return summary_of(told, path=self.folder / "summary.md", conditional_passes=passes)

    def _close(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
