"""What a test's target is: a page, the way to one, or pictures; and how it is reached again."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.plugin.pictures import Pictures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from pytest_pixelloop.capture.capture_command import Renderer
    from pytest_pixelloop.capture.page_route import PageRoute
    from pytest_pixelloop.capture.server import ServedApp
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.errors import CaptureError
    from pytest_pixelloop.core.route import Recipe
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.run import Run
    from pytest_pixelloop.session import LoopSession

#: Ends of a test behind which an application that is gone may stand.
_DOUBTFUL = frozenset(
    {"undetermined:test-error", "undetermined:setup-error", "undetermined:capture-failed"}
)
UNREACHABLE = "undetermined:unreachable"


class Targets:
    """The targets of one test, over all its iterations.

    ``session`` gives the test's session once there is one, ``folder`` the iteration's folder.
    ``routes`` are the pages whose way is kept in the iteration that runs.
    """

    def __init__(
        self,
        run: Run,
        *,
        looping: bool,
        session: Callable[[], LoopSession | None],
        folder: Callable[[], Path],
        routes: list[PageRoute],
    ) -> None:
        self._run = run
        self._looping = looping
        self._session = session
        self._folder = folder
        self._routes = routes
        self._pictures = Pictures(run.settings, folder=folder, own_work=self._own_work)
        self._kept = False
        self._rung: Any = None

    @property
    def _settings(self) -> Settings:
        return self._run.settings

    @property
    def _app(self) -> ServedApp | None:
        return self._run.app

    def begin(self) -> None:
        """Forget what the previous iteration captured."""
        self._pictures.begin()
        self._kept = False

    def resolve(self, target: Any, planned: Sequence[Any], designs: Sequence[Design]) -> Any:
        """Return what is captured for *target* in the comparisons *planned* with *designs*.

        None is what the command line or the manifest name for the design: a capture command, or
        the way to a page. An address such as ``/checkout`` is one of the served application, which
        answers when this returns. What cannot be reached is a target that says so when it is
        captured. Raises ConfigurationError where nothing is named.
        """
        from pytest_pixelloop.capture.rendering import Unreached  # noqa: PLC0415
        from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415

        if not designs:
            return target  # nothing will be captured
        if target is None:
            target = self._named(planned, designs)
        elif isinstance(target, str) and target.startswith("/") and self._app is not None:
            target = target if Path(target).exists() else self._inside(target)
        elif isinstance(target, str) and target.startswith("/") and not Path(target).exists():
            return Unreached(error=_nothing_there(target))
        try:
            self._look_after(target)
        except CaptureError as error:
            return Unreached(error=error)
        return target

    def again(self, target: Any, error: Exception) -> Any:
        """Take rung 0 for a target that was not reached; return what to capture now, or None.

        A URL is simply opened anew. A page is reloaded only where its way is known: of any other
        nobody can tell what a reload would lose.
        """
        newer = self._pictures.newer(target)
        if newer is not None or not self._may_reload(target, error):
            return newer
        if self._pictures.used:
            return self._pictures.once_more(target)
        route = self._route_of(target)
        return target if route is None or _replayed(route) else None

    def _may_reload(self, target: Any, error: Exception) -> bool:
        """Tell whether rung 0 is there for *target*, and take it."""
        from pytest_pixelloop.capture.rendering import Unreached  # noqa: PLC0415
        from pytest_pixelloop.core.reload import Rung  # noqa: PLC0415

        session = self._session()
        if not self._looping or getattr(error, "reason", "") != "unreachable" or session is None:
            return False
        if self._pictures.used:
            there = Rung.PAGE in self._pictures.rungs
        elif self._app is None or isinstance(target, Unreached):
            there = False  # an application that does not answer is not helped by a reload
        else:
            there = not _is_page(target) or self._route_of(target) is not None
        return there and session.ladder.climb({Rung.PAGE}, str(error), by=self._by) is not None

    def captured(self, target: Any, take: Callable[[Any], Capture]) -> Capture:
        """Return what *take* gives for *target*, after rung 0 where it was not reached at first."""
        from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415

        try:
            capture = take(target)
        except CaptureError as error:
            target = self.again(target, error)
            if target is None:
                raise
            capture = take(target)
        self.keep(target)
        return capture

    def keep(self, target: Any) -> None:
        """Keep the way to what was just captured, the first of each iteration, as ``nav.yaml``."""
        recipe = None if self._kept else self._recipe(target)
        if recipe is None:
            return
        self._folder()  # under the plain gate this opens the session
        session = self._session()
        assert session is not None
        from pytest_pixelloop.sources.nav import NAV_NAME, keep_nav  # noqa: PLC0415

        self._kept = True
        keep_nav(session.folder / NAV_NAME, recipe)

    def trouble(self, status: str) -> CaptureError | None:
        """Return why the application is not to be reached, where *status* may come from that."""
        if status not in _DOUBTFUL or self._app is None:
            return None
        return self._app.trouble()

    @property
    def may_climb(self) -> bool:
        """Whether there is a ladder for this test at all."""
        return self._looping and self._has_ladder

    def climb(self, status: str, why: str) -> bool:
        """Choose the next rung after a run of the test; tell whether there is one."""
        session = self._session()
        if session is None or not self.may_climb:
            return False
        if status != UNREACHABLE:
            session.ladder.reached()
            self._rung = None
            return False
        self._rung = session.ladder.climb(self._rungs(), why, by=self._by)
        return self._rung is not None

    def reload(self) -> None:
        """Take the chosen rung. The test, run again, tells whether that was of use."""
        from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415
        from pytest_pixelloop.core.reload import Rung  # noqa: PLC0415

        session = self._session()
        assert session is not None
        session.measure_again()
        if self._pictures.used:
            self._pictures.reload(self._rung)
        elif self._rung is Rung.APPLICATION and self._app is not None:
            try:
                with self._own_work():
                    self._app.restart()
            except CaptureError:
                return  # it remembers, and says so before the test begins

    def _own_work(self) -> AbstractContextManager[None]:
        """Return the block in which what is written below the sources is a reload's own work."""
        session = self._session()
        return nullcontext() if session is None else session.moving.own_work()

    @property
    def _by(self) -> str | None:
        """What is done on a rung, where that is a command of the user's."""
        return "its reload command" if self._pictures.used else None

    @property
    def _has_ladder(self) -> bool:
        return self._app is not None or bool(self._pictures.rungs)

    def _rungs(self) -> set[Any]:
        """Return the rungs of a test that is run again: its fixtures give it a fresh context."""
        from pytest_pixelloop.core.reload import Rung  # noqa: PLC0415

        if self._pictures.used:
            return self._pictures.rungs - {Rung.PAGE}
        restartable = self._app is not None and self._app.restartable
        return {Rung.CONTEXT, Rung.APPLICATION} if restartable else {Rung.CONTEXT}

    def _named(self, planned: Sequence[Any], designs: Sequence[Design]) -> Any:
        from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

        renderer = self._pictures.renderer(planned)
        if renderer is not None:
            return self._rendered(renderer, planned, designs)
        nav = next((item.nav for item in planned if item.nav is not None), None)
        if nav is None:
            raise ConfigurationError(
                "nothing to capture is named: the target is None",
                where=f"design {planned[0].name!r}" if planned else "",
                expected="a target in the call; or --capture-command; or capture_command: or nav: "
                "in the manifest",
                next_step="pass a page, a URL or a picture, or write nav: FILE under the design",
            )
        from pytest_pixelloop.core.route import Destination  # noqa: PLC0415
        from pytest_pixelloop.sources.nav import load_nav  # noqa: PLC0415

        source = self._settings.relative(nav)
        base = self._app.url if self._app is not None else None
        return Destination(recipe=load_nav(nav), base=base, source=source)

    def _rendered(
        self, renderer: Renderer, planned: Sequence[Any], designs: Sequence[Design]
    ) -> Any:
        """Return the pictures of a capture command, which is told first that sources changed."""
        from pytest_pixelloop.core.reload import Rung  # noqa: PLC0415

        wanted = self._pictures.use(renderer, planned, designs)
        session = self._session()
        due = self._looping and session is not None and session.iteration > 0
        if due and session is not None and self._rung is None and Rung.PAGE in self._pictures.rungs:
            session.ladder.climb({Rung.PAGE}, "the sources have changed", by=self._by)
            return self._pictures.reloaded(wanted)
        return self._pictures.render(wanted)

    def _inside(self, address: str) -> str:
        from pytest_pixelloop.core.route import absolute_url  # noqa: PLC0415

        assert self._app is not None
        return absolute_url(address, base=self._app.url)

    def _look_after(self, target: Any) -> None:
        """See to it that the application answers, where the target is a page of it."""
        if self._app is None:
            return
        from pytest_pixelloop.capture.probe import address_of  # noqa: PLC0415
        from pytest_pixelloop.core.route import Destination  # noqa: PLC0415

        url = target.url if isinstance(target, Destination) else target
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            return
        if address_of(url) == address_of(self._app.url):
            self._app.ready(again=self._looping)

    def _route_of(self, target: Any) -> PageRoute | None:
        same = (route for route in self._routes if route.recipe and route.page is target)
        return next(same, None)

    def _recipe(self, target: Any) -> Recipe | None:
        """Return the way to *target*, None for a picture, or for a page that has no address.

        Of a page that the test led by itself only the address is known, and nothing is made up.
        """
        from pytest_pixelloop.core.route import Destination, Recipe, route_of  # noqa: PLC0415

        if isinstance(target, Destination):
            return target.recipe
        route = self._route_of(target)
        if route is not None:
            return route.recipe
        page = target if _is_page(target) else getattr(target, "page", None)
        url = str(page.url) if page is not None else target
        if not isinstance(url, str) or not url.startswith(("http://", "https://", "file:")):
            return None
        return Recipe(route=route_of(url, base=self._app.url if self._app is not None else None))


def _nothing_there(target: str) -> CaptureError:
    """Return the error that *target* is neither a file nor, nothing being served, an address."""
    from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415

    return CaptureError(
        "there is no such file",
        reason="image-unreadable",
        where=target,
        next_step="check the path; if a page of the application is meant, say where it is served: "
        "--serve-url http://127.0.0.1:8000/",
    )


def _is_page(target: Any) -> bool:
    return hasattr(target, "goto") and hasattr(target, "url")


def _replayed(route: PageRoute) -> bool:
    from pytest_pixelloop.capture.problems import playwright_error_types  # noqa: PLC0415
    from pytest_pixelloop.core.errors import CaptureError  # noqa: PLC0415

    try:
        route.replay()
    except CaptureError:
        return False
    except playwright_error_types():
        return False
    return True
