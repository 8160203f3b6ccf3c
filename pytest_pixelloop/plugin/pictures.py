"""Pictures that a capture command makes, for one test."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pytest_pixelloop.capture.capture_command import CaptureCommand, Renderer
    from pytest_pixelloop.capture.rendering import Rendering, Unreached
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.errors import CaptureError
    from pytest_pixelloop.plugin.options import Settings


class Pictures:
    """The capture command of a test and what it gave last.

    ``folder`` is the iteration's. ``own_work`` is entered while a reload command runs: what that
    writes is no edit of the page under the camera.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        folder: Callable[[], Path],
        own_work: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._own_work = own_work
        self._command: CaptureCommand | None = None
        self._wanted: tuple[Design, ...] = ()
        self._replaced: tuple[Any, Any] | None = None

    @property
    def used(self) -> bool:
        """Whether this iteration's target is a capture command."""
        return self._command is not None

    @property
    def rungs(self) -> set[Any]:
        """The rungs of the reload ladder that the user gave commands for."""
        from pytest_pixelloop.core.reload import Rung  # noqa: PLC0415

        return {rung for rung in Rung if self._command and rung < self._command.rungs}

    def begin(self) -> None:
        """Forget the previous iteration."""
        self._command = None
        self._replaced = None

    def renderer(self, planned: Sequence[Any]) -> Renderer | None:
        """Return the capture command: of the command line or ini file, else of the manifest."""
        from pytest_pixelloop.capture.capture_command import Renderer  # noqa: PLC0415

        target = self._settings.target
        named = next((p.capture_command for p in planned if p.capture_command is not None), None)
        command = target.capture_command or named
        if command is None:
            return None
        return Renderer(
            command=command,
            root=self._settings.rootpath,
            timeout=target.capture_timeout,
            reloads=target.capture_reload,
            option="--capture-command" if target.capture_command else "capture_command",
        )

    def use(
        self, renderer: Renderer, planned: Sequence[Any], designs: Sequence[Design]
    ) -> tuple[Design, ...]:
        """Take *renderer* for this iteration; return the designs under their planned labels."""
        from pytest_pixelloop.capture.capture_command import CaptureCommand  # noqa: PLC0415

        self._command = CaptureCommand(renderer, environ=dict(os.environ))
        known = {p.label for p in planned}
        labels = {(p.name, p.viewport, p.theme): p.label for p in planned}
        self._wanted = tuple(
            d
            if d.label in known
            else dataclasses.replace(d, label=labels.get((d.name, d.viewport, d.theme), d.label))
            for d in designs
        )
        return self._wanted

    def render(self, wanted: Sequence[Design]) -> Rendering | Unreached:
        """Return what the command gives now."""
        assert self._command is not None
        return self._command.render(wanted, self._folder())

    def reloaded(self, wanted: Sequence[Design]) -> Rendering | Unreached:
        """Return what the command gives after rung 0, or why that did not work."""
        from pytest_pixelloop.capture.rendering import Unreached  # noqa: PLC0415

        error = self.reload(0)
        return Unreached(error=error) if error is not None else self.render(wanted)

    def once_more(self, target: Any) -> Any:
        """Return what replaces *target* after rung 0, for all its comparisons."""
        self._replaced = (target, self.reloaded(self._wanted))
        return self._replaced[1]

    def newer(self, target: Any) -> Any:
        """Return what replaced *target* already, None where nothing did."""
        if self._replaced is not None and self._replaced[0] is target:
            return self._replaced[1]
        return None

    def reload(self, rung: int) -> CaptureError | None:
        """Run the command of *rung*, return how it failed. Its use is seen at the next capture."""
        assert self._command is not None
        with self._own_work():
            return self._command.reload(rung, self._folder())
