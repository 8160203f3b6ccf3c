"""The hook that fixes: called like any fixer, and whatever it does is a fix that ended somehow."""

from __future__ import annotations

import io
import time
import traceback
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.budget import read_usage
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.loop.fixer import FixResult
from pytest_pixelloop.process.kept_output import KeptOutput
from pytest_pixelloop.store.atomic import write_bytes_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_pixelloop.core.budget import Usage
    from pytest_pixelloop.core.fix_brief import FixBrief

_USAGE = ("cost_usd", "tokens", "input_tokens", "output_tokens")
_EXPECTED = "expected None, True, False or a mapping"


class HookFixer:
    """Calls ``pytest_pixelloop_fix`` for one test; what it prints is kept in the fix's log."""

    by = "hook"
    waits = False

    def __init__(self, item: pytest.Item, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._item = item
        self._clock = clock

    def run(
        self,
        brief: FixBrief,
        *,
        output: Path,
        started: Callable[[int], None] = lambda _pid: None,  # noqa: ARG002 - it has no process
    ) -> FixResult:
        """Return what the hook says; an exception in it is a failed fix.

        Only Ctrl-C and ``pytest.exit()`` pass.
        """
        begin = self._clock()
        kept = KeptOutput()
        printed: Any = _Printed(kept)
        error, idle, usage = None, False, None
        try:
            with redirect_stdout(printed), redirect_stderr(printed):
                answer = self._item.ihook.pytest_pixelloop_fix(
                    brief=brief,
                    iteration=brief.iteration,
                    item=self._item,
                    config=self._item.config,
                )
                error, idle, usage = _read(answer)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as raised:  # noqa: BLE001 - pytest.fail() and sys.exit(), too
            printed.write(traceback.format_exc())
            error = printable(f"the hook raised {type(raised).__name__}: {raised}", limit=400)
        finally:
            write_bytes_atomic(output, kept.text())
        seconds = self._clock() - begin
        return FixResult(exit_code=None, seconds=seconds, error=error, idle=idle, usage=usage)


def _read(answer: Any) -> tuple[str | None, bool, Usage | None]:
    """Return what is wrong, whether nobody did anything, and what it cost where that was said."""
    if answer is None:
        return "no pytest_pixelloop_fix took this fix", True, None
    if isinstance(answer, bool):
        return None if answer else "the hook returned False", False, None
    if not isinstance(answer, Mapping):
        kind = type(answer).__name__
        return f"the hook returned a value of type {kind}, {_EXPECTED}", False, None
    usage = read_usage(answer) if any(key in answer for key in _USAGE) else None
    good = answer.get("ok", True)
    if not isinstance(good, bool):
        return f"the hook returned ok={printable(repr(good), limit=40)}, not a bool", False, usage
    message = answer.get("message")
    if good:
        return None, False, usage
    words = "the hook returned ok=False"
    return words + (f": {printable(str(message), limit=300)}" if message else ""), False, usage


class _Printed(io.TextIOBase):
    """A text stream that keeps what is written to it, bounded in size."""

    def __init__(self, kept: KeptOutput) -> None:
        self._kept = kept

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep *text*."""
        self._kept.add(text.encode("utf-8", "backslashreplace"))
        return len(text)
