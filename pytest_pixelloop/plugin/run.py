"""The run of this pytest session: its directory, opened when first needed, and what it holds."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.plugin.goalposts import BESIDE_MANIFEST, FileHashes
from pytest_pixelloop.plugin.judging_code import JudgingCode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from pytest_pixelloop.capture.server import ServedApp
    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.store.collection_file import Collection
    from pytest_pixelloop.store.run_directory import RunDirectory
    from pytest_pixelloop.store.run_lock import RunLock
    from pytest_pixelloop.store.vision_answers import VisionAnswers


class Run:
    """One run directory for the session, shared by all workers of pytest-xdist.

    ``given`` is what the controller handed to a worker, ``worker`` that one's name. ``outcomes``
    are how tests were reported, by node id.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        given: Mapping[str, Any] | None = None,
        worker: str | None = None,
        ignored: tuple[Path, ...] = (),
    ) -> None:
        self.settings = settings
        self.ignored = ignored
        self.hashes = FileHashes()
        self.judging_code = JudgingCode(self.hashes)
        self.outcomes: dict[str, str] = {}
        self._given = given or {}
        self._worker = worker
        self._session: str | None = self._given.get("session")
        self._started: str | None = self._given.get("started")
        self._given_out = False
        self._lock: RunLock | None = None
        self._expected: Collection | None = None
        self._directory: RunDirectory | None = None
        self._before: str | None = None
        self._browser: Any = None
        self._app: ServedApp | None = None

    @property
    def run_id(self) -> str | None:
        """The run's id, None as long as nothing needed the directory."""
        return self._directory.run_id if self._directory else None

    def open(self) -> RunDirectory:
        """Return the run directory; the first call makes it or finds the one to be continued.

        Raises ConfigurationError while another session works on that run.
        """
        if self._directory is None:
            from pytest_pixelloop.store.run_directory import (  # noqa: PLC0415
                latest_run_id,
                open_run,
            )

            self._refuse_each()
            base = self.settings.run_root
            self._before = latest_run_id(base)
            given = self._given.get("run_id") or self.settings.run_id
            directory = open_run(base, given, now=self._now(), session=self._session)
            if self._worker is None:
                from pytest_pixelloop.store.run_lock import RunLock  # noqa: PLC0415

                self._lock = RunLock(directory.path)
                self._tidy(directory)
            self._directory = directory
            self._note_expected()
        return self._directory

    def _tidy(self, directory: RunDirectory) -> None:
        """Remove what a killed session was writing; tests are tidied by who loops them."""
        from pytest_pixelloop.store.run_directory import remove_abandoned  # noqa: PLC0415

        for folder in (directory.path, directory.path / "kept-sources", directory.path / "vision"):
            remove_abandoned(folder, deep=False)

    @property
    def left_by(self) -> str | None:
        """Who worked on the run before and is gone without an end, in words."""
        holder = self._lock.left_by if self._lock is not None else None
        return holder.words if holder is not None else None

    def _now(self) -> datetime:
        from datetime import datetime  # noqa: PLC0415

        if self._started is not None:
            return datetime.fromisoformat(self._started)
        return datetime.now().astimezone()

    def _refuse_each(self) -> None:
        if self._given.get("dist") == "each":
            from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

            raise ConfigurationError(
                "visual tests cannot be run with --dist each: every worker would measure the same "
                "test of the same run",
                next_step="run one session for each environment, or --dist load",
            )

    def share(self, session: str, *, dist: str) -> dict[str, Any]:
        """Return what a worker needs to be part of this run, which need not be open yet.

        *session* is the same for all workers; whichever needs the run first makes it.
        """
        self._given_out = True
        if self._started is None:
            self._session, self._started = session, self._now().isoformat()
        return {
            "run_id": self.run_id or self.settings.run_id,
            "session": self._session,
            "started": self._started,
            "dist": dist,
        }

    def part(self) -> dict[str, str] | None:
        """Return where this worker recorded its tests, None when it recorded none."""
        if self._directory is None:
            return None
        import socket  # noqa: PLC0415

        return {"path": str(self._directory.path), "host": socket.gethostname()}

    def take_part(self, worker: str, part: Mapping[str, str]) -> str | None:
        """Take in what a *worker* recorded in another folder than this run's.

        Returns what is to be told: nothing for a worker that shares the folder.
        """
        from pathlib import Path  # noqa: PLC0415

        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415
        from pytest_pixelloop.store.run_directory import RUN_NAME  # noqa: PLC0415
        from pytest_pixelloop.store.run_merge import take_in  # noqa: PLC0415

        run, there = self._directory or self._opened_by_workers() or self.open(), part["path"]
        if Path(there) == run.path:
            return None
        if not (Path(there) / RUN_NAME).is_file():
            return (
                f"{worker} recorded its tests on {part['host']}: "
                f"rsync -a {part['host']}:{there}/tests/ {run.path}/tests/"
            )
        try:
            return f"{worker}: {take_in(run, Path(there))} tests taken in from {there}"
        except PixelloopError as error:
            return str(error)

    def expect(self, collected: tuple[str, ...], selected: tuple[str, ...]) -> None:
        """Note which visual tests this session has found and is to run."""
        from pytest_pixelloop.store.collection_file import Collection  # noqa: PLC0415

        self._expected = Collection(
            collected=frozenset(collected),
            selected=frozenset(selected),
            shard=self.settings.shard,
            goalposts=self._common_goalposts(),
        )
        self._note_expected()

    def _common_goalposts(self) -> dict[str, str]:
        """Return the hashes of the files that say what all designs are and what is excused."""
        paths = [self.settings.designs / name for name in BESIDE_MANIFEST]
        return {f"design:{self.settings.relative(p)}": self.hashes.of(p) for p in paths}

    def _note_expected(self) -> None:
        if self._directory is not None and self._expected is not None:
            from pytest_pixelloop.store.collection_file import note_collection  # noqa: PLC0415

            note_collection(self._directory.path, self._expected)

    def browser(self) -> Any:
        """Return a browser of our own, for URLs where pytest-playwright gives none."""
        if self._browser is None:
            from pytest_pixelloop.capture.session import BrowserSession  # noqa: PLC0415

            self._browser = BrowserSession(option=self.settings.browser)
        return self._browser.browser

    @property
    def app(self) -> ServedApp | None:
        """The served application, not started by this; None where none was asked for."""
        if self._app is None and (serving := self.settings.target.serving()) is not None:
            import os  # noqa: PLC0415

            from pytest_pixelloop.capture.server import ServedApp  # noqa: PLC0415

            self._app = ServedApp(
                serving,
                root=self.settings.rootpath,
                environ=dict(os.environ),
                output=self._serve_log,
                records=self.settings.run_root / "serving",
            )
        return self._app

    def vision_answers(self) -> VisionAnswers:
        """Return what was said of the run's pictures so far."""
        from pytest_pixelloop.store.vision_answers import VisionAnswers  # noqa: PLC0415

        return VisionAnswers(self.open().path / "vision")

    def _serve_log(self) -> Path:
        """Return a file of the run that no start of the application has written yet."""
        folder = self.open().path / "serve"
        folder.mkdir(parents=True, exist_ok=True)
        prefix = f"{self._worker}-" if self._worker else ""
        return folder / f"{prefix}{len(list(folder.glob(f'{prefix}*.log'))) + 1}.log"

    def close(self) -> str | None:
        """Write the run's summary, or leave no trace of a run that held no visual test.

        Returns what went wrong, in words, None when nothing did.
        """
        if self._browser is not None:
            self._browser.close()
            self._browser = None
        if self._app is not None:
            self._app.stop()
        if self._worker is not None:
            return None  # the controller's to close
        try:
            directory = self._directory or self._opened_by_workers()
            return None if directory is None else self._close(directory)
        finally:
            if self._lock is not None:
                self._lock.close()

    def _opened_by_workers(self) -> RunDirectory | None:
        if self._session is None or self.settings.run_id is not None:
            return None
        from pytest_pixelloop.store.run_directory import run_of_session  # noqa: PLC0415

        base = self.settings.run_root
        self._directory = run_of_session(base, now=self._now(), session=self._session)
        return self._directory

    def _close(self, directory: RunDirectory) -> str | None:
        if (directory.path / "tests").exists():
            return self._write_summary(directory)
        served = (directory.path / "serve").exists()
        if self.settings.run_id is None and not served:
            self._remove(directory)
        return None

    def _write_summary(self, directory: RunDirectory) -> str | None:
        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415
        from pytest_pixelloop.report.derived_files import write_run_summary  # noqa: PLC0415
        from pytest_pixelloop.store.run_directory import note_end, note_outcomes  # noqa: PLC0415
        from pytest_pixelloop.store.vision_answers import note_totals  # noqa: PLC0415

        try:
            note_outcomes(directory, self.outcomes)
            record = write_run_summary(directory)
            note_totals(directory)
            note_end(directory, now=self._end())
        except PixelloopError as error:
            return f"the summary of the run could not be written: {error}"
        stale = [test["test_id"] for test in record["tests"] if test["stale"]]
        return f"not measured since the last patch: {', '.join(stale)}" if stale else None

    def unreported(self) -> dict[str, dict[str, Any]]:
        """Return what became of the tests whose worker crashed, by node id.

        A worker that crashes reports nothing of the test it was at. Its ledger tells whether that
        was cut off, or was over and recorded already.
        """
        if self._directory is None or not self._given_out:
            return {}
        from pytest_pixelloop.core.history import INTERRUPTED  # noqa: PLC0415
        from pytest_pixelloop.core.summary import CRASHED  # noqa: PLC0415
        from pytest_pixelloop.store.run_directory import not_recorded  # noqa: PLC0415

        silent = not_recorded(self._directory)
        found: dict[str, dict[str, Any]] = {
            test_id: {
                "status": INTERRUPTED,
                "score": "unknown",
                "iterations": 0,
                "path": "its worker crashed",
            }
            for test_id, word in silent.items()
            if word == CRASHED
        }
        for folder, history in self._directory.histories():
            test_id = history.test_id or ""
            if history.end is None or self.outcomes.get(test_id) == CRASHED:
                score = history.last.score if history.last else None
                found[test_id] = {
                    "status": history.status,
                    "score": "unknown" if score is None else f"{score:.1f}",
                    "iterations": history.highest or 0,
                    "path": self.settings.relative(folder / "summary.md"),
                }
        return found

    def _end(self) -> datetime:
        from datetime import datetime  # noqa: PLC0415

        return datetime.now().astimezone()

    def _remove(self, directory: RunDirectory) -> None:
        from pytest_pixelloop.store.atomic import write_text_atomic  # noqa: PLC0415
        from pytest_pixelloop.store.run_directory import LATEST_NAME  # noqa: PLC0415

        if self._lock is not None:
            self._lock.close()  # an open file cannot be removed everywhere
        shutil.rmtree(directory.path, ignore_errors=True)
        latest = directory.base / LATEST_NAME
        if self._before is not None:
            write_text_atomic(latest, self._before + "\n")
            return
        with contextlib.suppress(OSError):  # another session may have its run there
            latest.unlink(missing_ok=True)
            (directory.base / "runs").rmdir()
            (directory.base / ".gitignore").unlink(missing_ok=True)
            directory.base.rmdir()


class RunView:
    """Read access to the run of this session, as the fixture ``pixelloop_ledger`` gives it.

    Everything is folded from the ledgers on disk at the moment it is asked for.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def run_id(self) -> str:
        """The run's id, ``YYYYMMDD-HHMM[-n]`` or what ``--run-id`` said."""
        return self._run.open().run_id

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self._run.open().path

    @property
    def histories(self) -> Mapping[str, History]:
        """The history of each visual test of the run, by node id, sorted."""
        found = {h.test_id: h for _folder, h in self._run.open().histories() if h.test_id}
        return dict(sorted(found.items()))

    @property
    def tests(self) -> tuple[str, ...]:
        """The node ids of the run's visual tests, sorted."""
        return tuple(self.histories)
