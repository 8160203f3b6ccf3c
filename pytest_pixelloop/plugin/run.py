"""The run of this pytest session: its directory, opened when first needed, and what it holds."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.plugin.goalposts import FileHashes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_pixelloop.capture.server import ServedApp
    from pytest_pixelloop.core.history import History
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.store.run_directory import RunDirectory
    from pytest_pixelloop.store.vision_answers import VisionAnswers


class Run:
    """One run directory for the session, shared by all workers of pytest-xdist.

    ``given_id`` is the run id that the controller handed to a worker, ``worker`` that one's name.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        given_id: str | None = None,
        worker: str | None = None,
        ignored: tuple[Path, ...] = (),
    ) -> None:
        self.settings = settings
        self.ignored = ignored
        self.hashes = FileHashes()
        self._given_id = given_id
        self._worker = worker
        self._directory: RunDirectory | None = None
        self._before: str | None = None
        self._browser: Any = None
        self._app: ServedApp | None = None

    @property
    def run_id(self) -> str | None:
        """The run's id, None as long as nothing needed the directory."""
        return self._directory.run_id if self._directory else None

    def open(self) -> RunDirectory:
        """Return the run directory; the first call makes it or finds the one to be continued."""
        if self._directory is None:
            from datetime import datetime  # noqa: PLC0415

            from pytest_pixelloop.store.run_directory import (  # noqa: PLC0415
                latest_run_id,
                open_run,
            )

            base = self.settings.run_root
            self._before = latest_run_id(base)
            self._directory = open_run(
                base,
                self._given_id or self.settings.run_id,
                now=datetime.now().astimezone(),
            )
        return self._directory

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
        if self._directory is None or self._given_id is not None:
            return None  # not opened, or the controller's to close
        if (self._directory.path / "tests").exists():
            return self._write_summary(self._directory)
        served = (self._directory.path / "serve").exists()
        if self.settings.run_id is None and not served:
            self._remove(self._directory)
        return None

    def _write_summary(self, directory: RunDirectory) -> str | None:
        from pytest_pixelloop.core.errors import PixelloopError  # noqa: PLC0415
        from pytest_pixelloop.report.derived_files import write_run_summary  # noqa: PLC0415
        from pytest_pixelloop.store.vision_answers import note_totals  # noqa: PLC0415

        try:
            write_run_summary(directory)
            note_totals(directory)
        except PixelloopError as error:
            return f"the summary of the run could not be written: {error}"
        return None

    def _remove(self, directory: RunDirectory) -> None:
        from pytest_pixelloop.store.atomic import write_text_atomic  # noqa: PLC0415
        from pytest_pixelloop.store.run_directory import LATEST_NAME  # noqa: PLC0415

        shutil.rmtree(directory.path, ignore_errors=True)
        latest = directory.base / LATEST_NAME
        if self._before is not None:
            write_text_atomic(latest, self._before + "\n")
            return
        latest.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # another session may have its run there
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
