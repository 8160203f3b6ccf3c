"""The loop's session of one test, put together from the settings."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.plugin.confirm import Confirm
from pytest_pixelloop.plugin.fixers import hook_fixer
from pytest_pixelloop.plugin.patch_gate import patch_gate
from pytest_pixelloop.session import LoopSession, LoopSettings, WatchedSources
from pytest_pixelloop.session.fixing import FixPlugin
from pytest_pixelloop.store.ledger_file import read_records
from pytest_pixelloop.store.run_directory import LEDGER_NAME
from pytest_pixelloop.store.run_spending import RunSpending

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from pytest_pixelloop.plugin.goalposts import Goalposts
    from pytest_pixelloop.plugin.run import Run


def open_session(
    test_id: str,
    *,
    run: Run,
    item: pytest.Item,
    goalposts: Goalposts,
    looping: bool,
    say: Callable[[str], None],
) -> LoopSession:
    """Return the session of the test *test_id*, not yet prepared.

    The goalposts are told what the run has held the test to before.
    """
    settings = run.settings
    directory = run.open()
    folder = directory.test_folder(test_id)
    goalposts.recall(fold(read_records(folder / LEDGER_NAME)).goalposts)
    sources = WatchedSources(
        root=settings.rootpath,
        roots=tuple(settings.rootpath / source for source in settings.sources),
        ignore=(settings.designs, settings.run_root, *run.ignored),
    )
    spending = RunSpending(directory)
    hook = hook_fixer(item, settings) if looping else None
    fixed = hook is not None or (looping and settings.has_fixer)
    return LoopSession(
        folder=folder,
        run_id=directory.run_id,
        test_id=test_id,
        root=settings.rootpath,
        settings=LoopSettings(
            looping=looping,
            cap=settings.cap,
            mode=settings.mode,
            fix_command=settings.fix_command if looping else None,
            fix_wait=settings.fix_wait if looping else None,
            fix_hook=hook is not None,
            fix_timeout=settings.fix_timeout,
            iterations_per_run=settings.iterations_per_run,
            conditional_passes=settings.conditional_passes,
            budget=settings.budget,
        ),
        goalposts=goalposts.current,
        sources=sources,
        patch_gate=patch_gate(settings, sources, run=directory.path, folder=folder, fixed=fixed),
        clock=time.time,
        say=say,
        environ=dict(os.environ),
        plugin=FixPlugin(
            hook=hook,
            confirm=Confirm(item.config) if settings.fix_confirm and looping else None,
        ),
        elsewhere=lambda: spending.elsewhere(folder),
    )
