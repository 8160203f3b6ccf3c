"""Who fixes: one of a command, a hook and somebody who is waited for, never two of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_pixelloop.loop.fixer import Fixer
    from pytest_pixelloop.plugin.options import Settings

HOOK = "pytest_pixelloop_fix"
_NEEDS_LOOP = ("fix_command", "fix_wait", "fix_confirm", "max_minutes")


def hooks_of(hook: Any) -> list[str]:
    """Return who implements the fixing hook, by plugin name; *hook* is a relay of hooks."""
    return sorted({str(impl.plugin_name) for impl in getattr(hook, HOOK).get_hookimpls()})


def hook_fixer(item: pytest.Item, settings: Settings) -> Fixer | None:
    """Return the fixer that the hooks of *item* are, None where there are none.

    Raises ConfigurationError where another fixer is told as well, or for a worker of pytest-xdist.
    """
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415
    from pytest_pixelloop.plugin.fix_hook import HookFixer  # noqa: PLC0415

    names = hooks_of(item.ihook)
    if not settings.loop or not names:
        return None
    if settings.told_fixer is not None:
        raise ConfigurationError(_two(settings.told_fixer, names))
    if hasattr(item.config, "workerinput"):
        raise ConfigurationError(_DISTRIBUTED, where=f"{HOOK} of {', '.join(names)}")
    return HookFixer(item)


_DISTRIBUTED = (
    "--pixel-loop with a fix cannot be combined with -n: every worker would edit and measure the "
    "same sources; run with -n0"
)


def refuse_fixers(config: pytest.Config, settings: Settings) -> None:
    """Refuse what cannot work, with the way out; asked before and after all conftests are read."""
    option: Any = config.option
    for name in _NEEDS_LOOP:
        if getattr(option, f"pixelloop_{name}") and not settings.loop:
            flag = "--" + name.replace("_", "-")
            raise pytest.UsageError(f"{flag} does nothing without --pixel-loop: add --pixel-loop")
    if not settings.loop:
        return
    names = hooks_of(config.pluginmanager.hook)
    if names and settings.told_fixer is not None:
        raise pytest.UsageError(_two(settings.told_fixer, names))
    if settings.told_fixer is None and not names:
        return
    distributed = getattr(option, "numprocesses", None) or getattr(option, "dist", "no") != "no"
    if distributed:
        raise pytest.UsageError(_DISTRIBUTED)
    if getattr(option, "usepdb", False):
        raise pytest.UsageError(
            "--pixel-loop with a fix cannot be combined with --pdb: the fix would wait for the "
            "debugger; drop --pdb"
        )


def refuse_command(settings: Settings) -> None:
    """Refuse a fix command that cannot be started."""
    if settings.fix_command is None or not settings.loop:
        return
    from pytest_pixelloop.plugin.options import usage_error  # noqa: PLC0415
    from pytest_pixelloop.process.words import split_command  # noqa: PLC0415

    command = settings.fix_command
    usage_error(lambda: split_command(command, root=settings.rootpath, environ=os.environ))


def _two(told: str, names: Sequence[str]) -> str:
    return (
        f"two kinds of fixers at once: {told}, and the hook {HOOK} of {', '.join(names)}. "
        "Give one of them: leave the option or ini key away, or the hook "
        f"(-p no:{names[0]} for a plugin)"
    )


class FixersOfCollection:
    """Looks again when every conftest file is read: one below the rootdir may bring a hook."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse before anything runs."""
        refuse_fixers(session.config, self._settings)
        if self._settings.fix_confirm:
            self._refuse_confirming_nothing(session)

    def _refuse_confirming_nothing(self, session: pytest.Session) -> None:
        fixed = self._settings.told_fixer or hooks_of(session.config.pluginmanager.hook)
        if session.items and not fixed:
            raise pytest.UsageError(
                "--fix-confirm has nothing to confirm: give --fix-command, --fix-wait or the hook "
                + HOOK
            )
