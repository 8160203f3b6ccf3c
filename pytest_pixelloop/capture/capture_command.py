"""A command in place of a browser: it writes a picture for each planned comparison.

It is run once for all comparisons of a design, in an empty folder that is made for this one call,
so nothing an earlier call left can be taken for its result. A picture that was merely copied with
its old time, linked, or not written at all is a failed capture of that label.
"""

from __future__ import annotations

import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.rendering import Rendering, Unreached
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.process.command import Ended, run_command
from pytest_pixelloop.process.words import split_command, without_secrets
from pytest_pixelloop.store.atomic import write_bytes_atomic, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_pixelloop.core.design import Design

PLAN_SCHEMA_VERSION = 1
LAST_LINES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """A capture command as the user wrote it. ``option`` is where it stands, ``root`` its folder.

    ``reloads`` are the commands of the reload ladder, rung 0 first.
    """

    command: str
    root: Path
    timeout: float = 120.0
    reloads: tuple[str, ...] = ()
    option: str = "--capture-command"


class CaptureCommand:
    """Runs a renderer. Raises ConfigurationError for a command that cannot be run at all."""

    def __init__(self, renderer: Renderer, *, environ: Mapping[str, str]) -> None:
        self._renderer = renderer
        self._environ = without_secrets(environ)
        self._argv = self._words(renderer.command, renderer.option)
        self._reloads = [self._words(c, "--capture-reload") for c in renderer.reloads]

    @property
    def rungs(self) -> int:
        """How many rungs of the reload ladder there are commands for."""
        return len(self._reloads)

    def render(self, designs: Sequence[Design], folder: Path) -> Rendering | Unreached:
        """Return a picture for each of *designs*, or why there is none.

        Plan, pictures and what was printed are kept in a new folder inside *folder*. The label of
        a picture is that of its design. A command that fails as a whole is a target that was not
        reached.
        """
        folder.mkdir(parents=True, exist_ok=True)
        call = Path(tempfile.mkdtemp(prefix="capture-", dir=folder))
        pictures = call / "pictures"
        pictures.mkdir()
        plan = call / "plan.json"
        write_json(plan, plan_record(designs))
        ended = self._run(
            self._argv,
            call / "command.log",
            variables={
                "PIXELLOOP_CAPTURE_DIR": str(pictures),
                "PIXELLOOP_LABELS": "\n".join(d.label for d in designs),
                "PIXELLOOP_PLAN": str(plan),
                "PIXELLOOP_DESIGN": designs[0].name if designs else "",
            },
        )
        if ended.failed:
            return Unreached(error=self._failed(self._renderer.command, ended, call))
        begun = plan.stat().st_mtime_ns
        return Rendering(
            pictures={
                (d.viewport, d.theme): self._picture(pictures, d.label, begun) for d in designs
            },
            environment={
                "renderer": "command",
                "program": Path(self._argv[0]).name,
                "seconds": round(ended.seconds, 3),
            },
        )

    def reload(self, rung: int, folder: Path) -> CaptureError | None:
        """Run the reload command of *rung*; return why it did not work, None when it did."""
        folder.mkdir(parents=True, exist_ok=True)
        call = Path(tempfile.mkdtemp(prefix=f"reload-{rung}-", dir=folder))
        ended = self._run(
            self._reloads[rung], call / "command.log", variables={"PIXELLOOP_RUNG": str(rung)}
        )
        return self._failed(self._renderer.reloads[rung], ended, call) if ended.failed else None

    def _words(self, command: str, option: str) -> list[str]:
        return split_command(
            command,
            root=self._renderer.root,
            environ=self._environ,
            option=option,
            noun="capture command" if option != "--capture-reload" else "reload command",
        )

    def _run(self, argv: Sequence[str], log: Path, *, variables: Mapping[str, str]) -> Ended:
        return run_command(
            argv,
            cwd=self._renderer.root,
            environ={**self._environ, **variables},
            timeout=self._renderer.timeout,
            keep=lambda printed: write_bytes_atomic(log, printed),
        )

    def _failed(self, command: str, ended: Ended, call: Path) -> CaptureError:
        limit = f" (of {self._renderer.timeout:g} s)" if ended.timed_out else ""
        lines = _last_lines(call / "command.log")
        return CaptureError(
            f"the capture command {ended.words}{limit}",
            reason="unreachable",
            where="\n".join([f"{command!r}; its output is in {call / 'command.log'}", *lines]),
            expected="exit code 0, after <label>.png was written for every planned label",
            next_step="run it by hand with PIXELLOOP_CAPTURE_DIR=. "
            f"PIXELLOOP_PLAN={call / 'plan.json'}",
        )

    def _picture(self, folder: Path, label: str, begun: int) -> Path | CaptureError:
        """Return the picture of *label* if this call wrote it, else why it is none."""
        path = folder / f"{label}.png"
        problem = _not_written_now(path, begun)
        if problem is not None:
            return CaptureError(
                f"{label}: {problem}",
                reason="capture-failed",
                where=str(path),
                expected=f"{label}.png in PIXELLOOP_CAPTURE_DIR, written by this call",
                next_step="the labels stand in PIXELLOOP_LABELS, their sizes in PIXELLOOP_PLAN",
            )
        return path


def plan_record(designs: Sequence[Design]) -> dict[str, Any]:
    """Return what ``plan.json`` tells the command: each label with its size and its variant."""
    return {
        "schema_version": PLAN_SCHEMA_VERSION,
        "design": designs[0].name if designs else None,
        "comparisons": [
            {
                "label": design.label,
                "file": f"{design.label}.png",
                "width": design.frame[0],
                "height": design.frame[1],
                "scale": design.scale,
                "pixel_width": design.pixel_size[0],
                "pixel_height": design.pixel_size[1],
                "viewport": design.viewport,
                "theme": design.theme,
            }
            for design in designs
        ],
    }


def _not_written_now(path: Path, begun: int) -> str | None:
    """Return why the file at *path* is not a picture that was written since *begun*.

    ``begun`` is the time of a file in the same folder tree, so both come from one clock.
    """
    try:
        found = path.lstat()
    except OSError:
        if not path.parent.is_dir():
            return "the capture command removed the folder of its pictures"
        others = sorted(p.name for p in path.parent.iterdir())[:8]
        return "the capture command wrote no picture" + (
            f" (it wrote {', '.join(others)})" if others else ""
        )
    linked = stat.S_ISLNK(found.st_mode)
    if not linked and not stat.S_ISREG(found.st_mode):
        return "the picture is no file"
    if linked or found.st_nlink > 1:
        return "the picture is a link to a file that lies elsewhere"
    if found.st_mtime_ns < begun:
        return "the picture is older than this call: it was copied, not rendered"
    return None


def _last_lines(log: Path) -> list[str]:
    try:
        text = log.read_bytes()[-8192:].decode("utf-8", "replace")
    except OSError:
        return []
    lines = ["".join(c if c.isprintable() else " " for c in line) for line in text.splitlines()]
    return [f"    | {line[:200].rstrip()}" for line in lines if line.strip()][-LAST_LINES:]
