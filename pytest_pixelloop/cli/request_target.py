"""What a command is asked to capture: a URL, a picture, a way to a page, or a renderer."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.capture_command import CaptureCommand, Renderer
from pytest_pixelloop.capture.probe import address_of
from pytest_pixelloop.capture.rendering import Unreached
from pytest_pixelloop.capture.server import ServedApp, Serving, check_serving
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.core.route import Destination, absolute_url
from pytest_pixelloop.sources.folder import plan_comparisons
from pytest_pixelloop.sources.nav import load_nav

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_pixelloop.cli.request import Request
    from pytest_pixelloop.core.design import Design

WORDS = ("nav", "capture_command", "serve_command", "serve_url")
_SERVE_TIMEOUT = 60.0
_HTTP = ("http://", "https://")


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add the words that say what is captured and how it is served."""
    add = parser.add_argument
    add("--nav", type=Path, metavar="FILE", help="follow this route (nav.yaml) before the capture")
    add("--serve-command", metavar="CMD", help="start the application with this, end it afterwards")
    add("--serve-url", metavar="URL", help="where it answers; {port} in both is a free port")
    add(
        "--serve-timeout",
        type=float,
        default=_SERVE_TIMEOUT,
        metavar="SECONDS",
        help="how long it may take until it answers (default: %(default)g)",
    )
    add("--serve-reuse", action="store_true", help="use what answers at --serve-url already")
    add("--capture-command", metavar="CMD", help="a command that writes <label>.png, no browser")
    add(
        "--capture-timeout",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="how long that may take (default: %(default)g)",
    )


def given_words(arguments: argparse.Namespace) -> list[str]:
    """Return which of the words were used, as they are written."""
    used = [word for word in WORDS if getattr(arguments, word) is not None]
    return ["--" + word.replace("_", "-") for word in used]


def serving_of(arguments: argparse.Namespace) -> Serving | None:
    """Return what is to be served, None for nothing; ConfigurationError for wrong words."""
    if arguments.serve_url is None:
        if arguments.serve_command is not None or arguments.serve_reuse:
            raise ConfigurationError(
                "--serve-command needs --serve-url",
                expected="the address at which the application answers",
                next_step="add --serve-url http://127.0.0.1:8000/",
            )
        return None
    for name in ("serve_timeout", "capture_timeout"):
        if not 0 < getattr(arguments, name) < 86_400:
            raise ConfigurationError(
                f"--{name.replace('_', '-')} {getattr(arguments, name):g} is no waiting time",
                expected="seconds, more than 0",
            )
    serving = Serving(
        url=arguments.serve_url,
        command=arguments.serve_command,
        timeout=arguments.serve_timeout,
        reuse=arguments.serve_reuse,
    )
    check_serving(serving)
    return serving


class RequestTargets:
    """Gives the target of each request; the application is started when one needs it."""

    def __init__(self, serving: Serving | None = None, *, root: Path | None = None) -> None:
        self._root = root or Path.cwd()
        self._folder: Path | None = None
        self._starts = 0
        self._app = None if serving is None else self._served(serving)
        self._failed = False

    def close(self) -> None:
        """End the application; its output is kept where it could not be reached."""
        if self._app is not None:
            self._app.stop()
            with contextlib.suppress(OSError):
                (self._root / ".pixelloop").rmdir()  # only where nothing else is in it
        if self._folder is not None and not self._failed:
            shutil.rmtree(self._folder, ignore_errors=True)

    def refuse(self, request: Request) -> None:
        """Raise ConfigurationError where nothing to capture is named, nor can be by a manifest."""
        told = (request.url, request.actual, request.nav, request.capture_command, request.name)
        if self._app is None and all(word is None for word in told):
            raise _nothing_named()

    def resolve(self, request: Request, designs: Sequence[Design]) -> Any:
        """Return what is captured for *request*; what cannot be reached says so when captured.

        Raises ConfigurationError where nothing to capture is named.
        """
        target = self._named(request, designs)
        try:
            self._look_after(target)
        except CaptureError as error:
            target = Unreached(error=error)
        self._failed = self._failed or isinstance(target, Unreached)
        return target

    def _named(self, request: Request, designs: Sequence[Design]) -> Any:
        base = self._app.url if self._app is not None else None
        if request.actual is not None:
            return request.actual
        if request.capture_command is not None:
            return self._rendered(request.capture_command, "--capture-command", request, designs)
        if request.nav is not None:
            start = request.url if request.url is not None else base
            return _destination(request.nav, start)
        if request.url is not None:
            inside = base is not None and request.url.startswith("/")
            return absolute_url(request.url, base=base) if inside else request.url
        return self._planned(request, designs, base)

    def _planned(self, request: Request, designs: Sequence[Design], base: str | None) -> Any:
        """Return what the manifest names for the design, else the served address itself."""
        plan = plan_comparisons(request.designs, request.name) if request.name is not None else ()
        command = next((p.capture_command for p in plan if p.capture_command is not None), None)
        if command is not None:
            return self._rendered(command, "capture_command", request, designs)
        nav = next((p.nav for p in plan if p.nav is not None), None)
        if nav is not None:
            return _destination(nav, base)
        if base is not None:
            return base
        raise _nothing_named()

    def _rendered(
        self, command: str, option: str, request: Request, designs: Sequence[Design]
    ) -> Any:
        renderer = Renderer(
            command=command, root=self._root, timeout=request.capture_timeout, option=option
        )
        folder = request.output if request.output is not None else self._own_folder()
        return CaptureCommand(renderer, environ=dict(os.environ)).render(designs, folder)

    def _look_after(self, target: Any) -> None:
        if self._app is None:
            return
        url = target.url if isinstance(target, Destination) else target
        inside = isinstance(url, str) and url.startswith(_HTTP)
        if inside and address_of(url) == address_of(self._app.url):
            self._app.ready(again=True)

    def _served(self, serving: Serving) -> ServedApp:
        return ServedApp(
            serving,
            root=self._root,
            environ=dict(os.environ),
            output=self._log,
            records=self._root / ".pixelloop" / "serving",
        )

    def _log(self) -> Path:
        self._starts += 1
        return self._own_folder() / f"serve-{self._starts}.log"

    def _own_folder(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pixelloop-"))
        return self._folder


def _nothing_named() -> ConfigurationError:
    return ConfigurationError(
        "say what to judge: --url URL, --actual IMAGE, --nav FILE or --capture-command CMD",
        expected="one of them, or nav: or capture_command: under the design in designs.yaml",
    )


def _destination(nav: Path, base: str | None) -> Destination:
    return Destination(recipe=load_nav(nav), base=base, source=str(nav))
