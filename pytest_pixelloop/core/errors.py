"""Every error this package raises, in four parts: what, where, what was expected, what to do."""

from __future__ import annotations


class PixelloopError(Exception):
    """An error that tells what happened, where, what was expected and the next command to type."""

    def __init__(
        self, what: str, *, where: str = "", expected: str = "", next_step: str = ""
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.expected = expected
        self.next_step = next_step

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.next_step:
            lines.append(f"  next: {self.next_step}")
        return "\n".join(lines)


class ConfigurationError(PixelloopError):
    """A user's option, manifest key or tolerance is wrong (``pytest.UsageError``, exit code 2)."""


class UndeterminedError(PixelloopError):
    """Nothing can be said about the page: never a mismatch, never green, never looped on.

    ``reason`` is the word after ``undetermined:`` in every status.
    """

    def __init__(
        self,
        what: str,
        *,
        reason: str,
        where: str = "",
        expected: str = "",
        next_step: str = "",
    ) -> None:
        super().__init__(what, where=where, expected=expected, next_step=next_step)
        self.reason = reason

    @property
    def status(self) -> str:
        """The status string, ``undetermined:<reason>``."""
        return f"undetermined:{self.reason}"


class DesignUnreadableError(UndeterminedError):
    """The design is missing, corrupt, stale or does not fit its node tree."""

    def __init__(
        self,
        what: str,
        *,
        reason: str = "figma-unreadable",
        where: str = "",
        expected: str = "",
        next_step: str = "",
    ) -> None:
        super().__init__(what, reason=reason, where=where, expected=expected, next_step=next_step)


class DesignNotExportedError(DesignUnreadableError):
    """The design is planned and its picture is not on disk yet, or is not in Figma any more."""

    def __init__(
        self, what: str, *, where: str = "", expected: str = "", next_step: str = ""
    ) -> None:
        super().__init__(
            what, reason="not-exported", where=where, expected=expected, next_step=next_step
        )


class ImageError(PixelloopError):
    """A picture cannot be used: missing, truncated, corrupt, of a refused kind, or too large.

    Whoever asked for the picture knows whether it was a design or a capture and raises the
    matching :class:`UndeterminedError` from it.
    """


class CaptureError(UndeterminedError):
    """The page could not be captured in a way that can be trusted.

    Reasons in use: ``capture-failed``, ``blank-capture``, ``truncated-capture``, ``unstable``,
    ``unreachable``, ``no-browser``, ``image-unreadable``.
    """


class LedgerError(PixelloopError):
    """A run's ledger cannot be read or written. Nothing in it is changed or dropped."""


class VisualMismatchError(AssertionError):
    """The page is not the design. The message is the whole explanation; no traceback is needed."""
