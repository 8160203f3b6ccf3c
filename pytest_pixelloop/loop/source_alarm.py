"""Something may have changed: an alarm from the file system, or from a clock where there is none.

An alarm only says when to look. Whether anything did change is told by contents, so an alarm that
is lost costs time and nothing else, and one too many costs a look.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

#: With so many folders the system's own watches run short; then the clock does.
MAX_FOLDERS = 1000
TICK = 0.25
#: Seconds between two looks that no alarm asked for.
LOOK_WATCHED, LOOK_POLLED = 5.0, 1.0


class SourceAlarm:
    """Watches folders through ``watchfiles``, each by itself and not what lies below it.

    ``note`` takes the reason, once, when that is not possible; from then on time alone gives the
    alarm.
    """

    def __init__(
        self, note: Callable[[str], None], *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._note = note
        self._sleep = sleep
        self._folders: tuple[str, ...] = ()
        self._changes: Generator[Any] | None = None
        self._new = False
        self._polls = False

    @property
    def every(self) -> float:
        """After how many seconds to look although there was no alarm."""
        return LOOK_POLLED if self._polls else LOOK_WATCHED

    def follow(self, folders: Sequence[str]) -> None:
        """Watch these folders from now on."""
        if self._polls or tuple(folders) == self._folders:
            return
        self.close()
        self._folders = tuple(folders)
        if len(folders) > MAX_FOLDERS:
            self._poll(f"there are more than {MAX_FOLDERS} folders")
            return
        try:
            from watchfiles import watch  # noqa: PLC0415 - only who waits pays for it

            self._changes = watch(
                *folders,
                watch_filter=None,
                debounce=400,
                rust_timeout=int(TICK * 1000),
                yield_on_timeout=True,
                recursive=False,
            )
            self._new = True
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, waiting goes on
            self._poll(f"{type(error).__name__}: {error}")

    def wait(self) -> bool:
        """Wait a quarter of a second at most; tell whether to look."""
        if self._changes is None:
            self._sleep(TICK)
            return False
        first, self._new = self._new, False
        try:
            # What happened before the watch stood has given no alarm: hence one after the first.
            return bool(next(self._changes)) or first
        except Exception as error:  # noqa: BLE001 - no watches left, a folder that is gone, ...
            self._poll(f"{type(error).__name__}: {error}")
            return True

    def close(self) -> None:
        """Watch nothing any more."""
        if self._changes is not None:
            self._changes.close()
        self._changes = None

    def _poll(self, why: str) -> None:
        self.close()
        self._polls = True
        self._note(f"looking at the sources every {LOOK_POLLED:g} s, they cannot be watched: {why}")
