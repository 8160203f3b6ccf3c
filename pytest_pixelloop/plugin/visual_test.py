"""One visual test from its first iteration to its end: between pytest and the loop's session."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.plugin.channels import ChannelsOfTest
from pytest_pixelloop.plugin.goalposts import Goalposts
from pytest_pixelloop.plugin.loop import fixture_value
from pytest_pixelloop.plugin.marker import read_markers
from pytest_pixelloop.plugin.measuring import Measuring
from pytest_pixelloop.plugin.outcome import outcome_of, problem_of
from pytest_pixelloop.plugin.snapshots import Snapshots
from pytest_pixelloop.plugin.sources_of_test import goalposts_beside, sources_of
from pytest_pixelloop.plugin.state import routes_key
from pytest_pixelloop.plugin.targets import Targets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_pixelloop.core.errors import CaptureError
    from pytest_pixelloop.core.measurement import Measurement
    from pytest_pixelloop.core.summary import Summary
    from pytest_pixelloop.core.verdict import Verdict
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.regressions import Regressions
    from pytest_pixelloop.plugin.run import Run
    from pytest_pixelloop.session import LoopSession


class VisualTest:
    """What a test's fixtures record, and what becomes of it.

    ``looping`` False is the plain gate: the session is opened by the first use of a fixture and
    ended with the test. ``say`` writes a line to the terminal, the ``title`` before the first one.
    ``test_id`` names it in the run directory, by default the node id.
    """

    def __init__(
        self,
        item: pytest.Item,
        *,
        run: Run,
        looping: bool,
        say: Callable[[str], None],
        title: str | None,
        regressions: Regressions,
        test_id: str | None = None,
    ) -> None:
        from pytest_pixelloop import __version__  # noqa: PLC0415

        self.looping = looping
        self.summary: Summary | None = None
        self._item = item
        self._nodeid = test_id or item.nodeid
        self._regressions = regressions
        self._patches = 0
        self._moved = False
        self._run = run
        self._settings: Settings = run.settings
        self._say_now = say
        self._title = title
        self._lines: list[str] = []
        self._marked = read_markers(item)
        self._measured: Measurement | None = None
        self._gone: CaptureError | None = None
        self._session: LoopSession | None = None
        self._refused = False
        self._goalposts = Goalposts(
            root=self._settings.rootpath,
            sources=sources_of(item),
            designs=self._settings.designs if looping else None,
            options={
                "tolerance": [self._settings.tolerance, self._settings.ini_tolerance],
                "gate": [self._settings.gate, self._settings.ini_gate],
                "conditional": self._settings.conditional_passes,
                **({"overfit_probes": "on"} if self._settings.overfit_probes else {}),
                "capture_command": self._settings.target.capture_command,
                "shown": self._settings.shown.as_record(),
                "version": __version__,
            },
            hashes=run.hashes,
            more=lambda: goalposts_beside(item, run=run) if looping else {},
        )
        self.targets = Targets(
            run,
            looping=looping,
            session=lambda: self._session,
            folder=self._folder,
            routes=item.stash.setdefault(routes_key, []),
        )
        self.begin()

    # What the protocol of plugin/loop.py asks of a looped test.

    def prepare(self) -> str | None:
        """Start or resume; return why there is nothing to measure, None when there is."""
        session = self._open_session()
        self._patches = self._count_patches()
        ready = session.prepare()
        self._note_patches()
        if ready:
            return None
        self.summary = session.finish()
        return f"nothing was measured: {self.summary.status}\n{self.summary.reason}"

    def begin(self) -> None:
        """Forget what the previous iteration recorded."""
        self.targets.begin()
        self.measuring = Measuring(
            settings=self._settings,
            marked=self._marked,
            goalposts=self._goalposts,
            folder=self._folder,
            browser=self._browser,
            targets=self.targets,
            channels=ChannelsOfTest(self._item, run=self._run, marked=self._marked),
            snapshots=Snapshots(
                self._settings, test_file=self._item.path, test_name=self._item.name
            ),
            # The floor belongs to the page: once, before the first fix.
            captures=(self._settings.noise_captures or 1) if self._measured is None else 1,
            sealing=self.looping,
        )

    def climb(self, report: pytest.TestReport, info: pytest.CallInfo[None]) -> bool:
        """Tell whether the iteration is to be run again, because its target was not reached."""
        self._moved = self._moves(report, info)
        if self._moved:
            return True
        if not self.targets.may_climb:
            return False
        measured = self._measurement(report, info)
        return self.targets.climb(measured.status, measured.problem or "")

    def reload(self) -> None:
        """Do what climb() decided: a fresh context by running again, or a restart before that."""
        if self._moved and self._session is not None:
            self._session.measure_again()
        else:
            self.targets.reload()

    def _moves(self, report: pytest.TestReport, info: pytest.CallInfo[None]) -> bool:
        """Tell whether a page that would pass is measured again: it was edited under the camera."""
        if self._session is None or not self.looping or report.when != "call":
            return False
        passes = self._lets_through(self._measurement(report, info).status)
        return passes and self._session.moved()

    def decide(self, report: pytest.TestReport, info: pytest.CallInfo[None]) -> bool:
        """Record what was measured; tell whether there is another iteration."""
        assert self._session is not None
        self.measuring.snapshots.flush(info.excinfo.value if info.excinfo else None)
        self._measured = self._measurement(report, info)
        decision = self._session.record(self._measured)
        if not decision.again:
            self.summary = self._session.finish()
        return decision.again

    def refusal(self, report: pytest.TestReport) -> BaseException | None:
        """Return why a test fails whatever it says itself: what it was measured against moved."""
        from pytest_pixelloop.core.errors import UndeterminedError  # noqa: PLC0415
        from pytest_pixelloop.core.verdict import is_undetermined  # noqa: PLC0415

        if self._measured is None or self.summary is None or not self.looping:
            return None
        if report.failed:
            if not is_undetermined(self.summary.status) or is_undetermined(self._measured.status):
                return None
            return UndeterminedError(
                f"nothing can be said about the page: {self.summary.status}\n"
                f"  {self.summary.reason}",
                reason=self.summary.status.partition(":")[2],
                next_step=f"see {self._settings.relative(self.summary.path)}",
            )
        if not report.passed:
            return None
        if self.summary.passed or not self._must_pass(self._measured.status):
            return None
        return UndeterminedError(
            f"the test passes, but its loop ended as {self.summary.status}\n"
            f"  {self.summary.reason}",
            reason=self.summary.status.partition(":")[2],
            next_step=f"see {self._settings.relative(self.summary.path)}",
        )

    def _must_pass(self, measured: str) -> bool:
        """Tell whether a green test would be a lie unless the loop converged.

        A test that passes in spite of a verdict it asked for has judged for itself. One that asks
        for the assertion and compares nothing has had its assertion taken away.
        """
        if self._lets_through(measured):
            return True
        asked = "assert_matches_design" in getattr(self._item, "fixturenames", ())
        return asked and not self.measuring.touched

    def describe(self, report: pytest.TestReport) -> None:
        """Put plain figures on *report*: other processes and other plugins may read them."""
        from pytest_pixelloop.report.lines import held_out_words  # noqa: PLC0415

        figures: Any = report
        figures.pixelloop_lines, self._lines = self._lines, []
        if self._gone is not None and report.failed:
            report.sections.append(("pixelloop: the application", str(self._gone)))
        if self.summary is None:
            return
        scores = self.summary.record["score_history"]
        score = scores[-1] if scores else None
        figures.pixelloop_status = self.summary.status
        figures.pixelloop_score = "unknown" if score is None else f"{score:.1f}"
        figures.pixelloop_iterations = int(self.summary.record.get("iterations") or 0)
        figures.pixelloop_path = self._settings.relative(self.summary.path)
        figures.pixelloop_environment = list(self.summary.record.get("environment_changed") or ())
        figures.pixelloop_notices = self._notices()
        if report.when == "call" and report.passed and self.summary.passed:
            self._regressions.passed(self._item)
        if self.looping and report.failed:
            told = held_out_words(self.summary.record["held_out"])
            text = "\n".join([self.summary.text, *told, figures.pixelloop_path])
            report.sections.append(("pixelloop", text))

    def _notices(self) -> list[str]:
        """Return what was noticed in a test that matches: nobody reads the report of one."""
        from pytest_pixelloop.core.explain import printable  # noqa: PLC0415
        from pytest_pixelloop.core.noticed import notices  # noqa: PLC0415

        if self._measured is None or self.summary is None or not self.summary.passed:
            return []
        return [
            printable(f"{report.get('label')}: {text}")
            for report in self._measured.reports
            for text in notices(report.get("warnings") or [], report.get("channels") or {})
        ]

    def advance(self) -> None:
        """Run the fix and go to the next iteration."""
        assert self._session is not None
        self._session.advance()
        self._note_patches()

    def abort(self, reason: str) -> None:
        """End the loop, or the gate, without a verdict; nothing if it has ended."""
        if self._session is not None and self.summary is None:
            self.summary = self._session.abort(reason)

    def _note_patches(self) -> None:
        before, self._patches = self._patches, self._count_patches()
        self._regressions.patched(self._patches - before)

    def _count_patches(self) -> int:
        """Return how many fixes of this test, in any process, may have changed sources."""
        from pytest_pixelloop.store.ledger_file import read_records  # noqa: PLC0415
        from pytest_pixelloop.store.run_directory import LEDGER_NAME  # noqa: PLC0415

        assert self._session is not None
        records = read_records(self._session.folder / LEDGER_NAME)
        fixes = [r for r in records if r["kind"] == "fix-ended"]
        return sum(1 for r in fixes if r["outcome"] != "unchanged" or r.get("changed_count"))

    # What the plain gate needs of it.

    def end_gate(self, report: pytest.TestReport, info: pytest.CallInfo[None]) -> None:
        """Record the verdict of a test that is not looped, if it asked for one."""
        if self.looping or self.summary is not None or self._refused:
            return
        if not self.measuring.touched and report.failed:
            self._measurement(report, info)  # tells whether the application was not there
        if not self.measuring.touched and self._gone is None:
            return
        self._folder()  # a test that only failed to load its design leaves a record too
        self.decide(report, info)

    def _folder(self) -> Path:
        """Return this iteration's folder. Under the plain gate this opens the session."""
        from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

        if self._session is None:
            session, ready = self._opened()
            if not ready:
                self.summary = session.finish()
                raise ConfigurationError(
                    f"nothing can be measured: {self.summary.status}",
                    where=self._settings.relative(self.summary.path),
                    expected=self.summary.reason,
                    next_step="leave --run-id away to start a new run",
                )
        assert self._session is not None
        if self.summary is not None:
            raise ConfigurationError(
                "a comparison was asked for after the test had ended",
                where=self._nodeid,
                expected="comparisons in the test or in the setup of its fixtures",
            )
        return self._session.iteration_folder

    def _opened(self) -> tuple[LoopSession, bool]:
        """Return the session of a gate, begun; one that cannot begin is not begun again."""
        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415

        try:
            session = self._open_session()
            return session, session.prepare()
        except PixelloopError:
            self._session, self._refused = None, True
            raise

    def _open_session(self) -> LoopSession:
        from pytest_pixelloop.plugin.sessions import open_session  # noqa: PLC0415

        self._session = open_session(
            self._nodeid,
            run=self._run,
            item=self._item,
            goalposts=self._goalposts,
            looping=self.looping,
            say=self._say,
        )
        return self._session

    def _say(self, line: str) -> None:
        if not self.looping:
            return
        if self._title is not None:
            self._say_now(self._title)
            self._title = None
        self._lines.append(line)
        self._say_now(line)

    def _measurement(self, report: pytest.TestReport, info: pytest.CallInfo[None]) -> Measurement:
        from pytest_pixelloop.core.measurement import Measurement, merged_channels  # noqa: PLC0415
        from pytest_pixelloop.core.verdict import is_undetermined, sum_scores  # noqa: PLC0415

        reports = tuple(self.measuring.reports)
        status, problem = outcome_of(
            report,
            info.excinfo.value if info.excinfo else None,
            statuses=tuple(r.status for r in reports),
            lets_through=self._lets_through,
            looping=self.looping,
        )
        self._gone = self.targets.trouble(status)
        if self._gone is not None:
            status, problem = self._gone.status, self._gone.what
        return Measurement(
            status=status,
            score=sum_scores((r.status, r.score) for r in reports),
            delta_ids=tuple(sorted({d for r in reports for d in r.delta_ids})),
            channels=merged_channels(r.channels for r in reports),
            reports=tuple(r.as_record() for r in reports),
            held_out_files=dict(self.measuring.held_out_files),
            problem=(problem_of(status, reports) or problem) if is_undetermined(status) else None,
        )

    def _browser(self) -> Any:
        """Return pytest-playwright's browser, or one of our own where that plugin is off."""
        try:
            return fixture_value(self._item, "browser")
        except pytest.FixtureLookupError:
            return self._run.browser()

    @property
    def conditional_passes(self) -> bool:
        """Whether the verdict ``conditional`` passes a test."""
        return self._settings.conditional_passes

    def shown(self, verdict: Verdict) -> Verdict:
        """Return *verdict* as a loop may tell it: without the held-out comparisons.

        Whoever edits between two processes of a loop reads the terminal.
        """
        shown = tuple(r for r in verdict.reports if not r.design.get("hold_out"))
        sealed = len(verdict.reports) - len(shown)
        if not self.looping or not sealed:
            return verdict
        return dataclasses.replace(verdict, reports=shown, sealed=sealed, whole=verdict.status)

    def _lets_through(self, status: str) -> bool:
        return status == "pass" or (status == "conditional" and self._settings.conditional_passes)
