"""What a command printed, bounded: its beginning and its end."""

from __future__ import annotations

import threading

HEAD = 128 * 1024
TAIL = 128 * 1024


class KeptOutput:
    """Bytes as they come in; of more than *head* + *tail* bytes the middle is left out, and said.

    Safe to be fed by one thread and read by another.
    """

    def __init__(self, *, head: int = HEAD, tail: int = TAIL) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._limits = (head, tail)
        self._dropped = 0
        self._lock = threading.Lock()

    def add(self, chunk: bytes) -> None:
        """Take the next bytes."""
        head, tail = self._limits
        with self._lock:
            free = head - len(self._head)
            self._head += chunk[:free]
            self._tail += chunk[free:]
            extra = len(self._tail) - tail
            if extra > 0:
                del self._tail[:extra]
                self._dropped += extra

    def text(self) -> bytes:
        """Return what is kept."""
        with self._lock:
            middle = f"\n[... {self._dropped} bytes left out ...]\n" if self._dropped else ""
            return bytes(self._head) + middle.encode("ascii") + bytes(self._tail)
