"""What the user said about the application that is captured: how it is served or rendered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_pixelloop.capture.server import Serving

#: Rungs of the reload ladder.
RUNGS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSettings:
    """The options ``--serve-*`` and ``--capture-*``, as written."""

    serve_command: str | None = None
    serve_url: str | None = None
    serve_timeout: float = 60.0
    serve_reuse: bool = False
    capture_command: str | None = None
    capture_timeout: float = 120.0
    capture_reload: tuple[str, ...] = ()

    def serving(self) -> Serving | None:
        """Return what is to be served, None for nothing."""
        if self.serve_url is None:
            return None
        from pytest_pixelloop.capture.server import Serving  # noqa: PLC0415

        return Serving(
            url=self.serve_url,
            command=self.serve_command,
            timeout=self.serve_timeout,
            reuse=self.serve_reuse,
        )

    def refuse(self, *, distributed: bool) -> None:
        """Raise ``pytest.UsageError`` for words that cannot work together, with the way out."""
        if len(self.capture_reload) > RUNGS:
            raise pytest.UsageError(
                f"{len(self.capture_reload)} reload commands are given: the ladder has {RUNGS} "
                "rungs (reload, fresh start, restart)"
            )
        if self.serve_url is None:
            if self.serve_command is not None or self.serve_reuse:
                raise pytest.UsageError(
                    "--serve-command needs --serve-url: the address at which the application "
                    "answers, for example --serve-url http://127.0.0.1:8000/"
                )
            return
        from pytest_pixelloop.capture.server import check_serving  # noqa: PLC0415
        from pytest_pixelloop.plugin.options import usage_error  # noqa: PLC0415

        serving = self.serving()
        assert serving is not None
        usage_error(lambda: check_serving(serving))
        alone = serving.command is not None and not serving.has_own_port and not serving.reuse
        if distributed and alone:
            raise pytest.UsageError(
                "--serve-command with a fixed port cannot be combined with -n: every worker "
                "starts an application of its own; write {port} in --serve-command and "
                "--serve-url, or start it yourself and add --serve-reuse, or run with -n0"
            )
