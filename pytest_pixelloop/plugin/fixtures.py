"""The fixtures of a visual test, and the same assertion as a function to import."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pytest_pixelloop.plugin.channels import asked_of
from pytest_pixelloop.plugin.state import plugin_key, routes_key, running_item

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from typing import Unpack

    from pytest_pixelloop.capture.page_route import PageRoute
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.verdict import Verdict
    from pytest_pixelloop.plugin.keywords import (
        AssertOptions,
        RenderOptions,
        VerdictOptions,
        Which,
    )
    from pytest_pixelloop.plugin.run import RunView
    from pytest_pixelloop.plugin.visual_test import VisualTest


class FigmaBaseline(Protocol):
    """What the fixture ``figma_baseline`` gives."""

    def __call__(self, name: str | None = None, **which: Unpack[Which]) -> Design:
        """Return the one design of that name, viewport and theme."""


class RenderCapture(Protocol):
    """What the fixture ``render_capture`` gives."""

    def __call__(self, target: Any, **options: Unpack[RenderOptions]) -> Capture:
        """Return what a page, locator, URL, PNG bytes, path or PIL image shows."""


class VisualVerdict(Protocol):
    """What the fixture ``visual_verdict`` gives."""

    def __call__(
        self, baseline: Design, capture: Capture, **options: Unpack[VerdictOptions]
    ) -> Verdict:
        """Return the verdict, recorded in the run directory; it raises nothing on a mismatch."""


class AssertMatchesDesign(Protocol):
    """What the fixture ``assert_matches_design`` gives."""

    def __call__(
        self, target: Any, name: str | None = None, **options: Unpack[AssertOptions]
    ) -> None:
        """Raise unless *target* is the design in every viewport and theme it plans.

        With *snapshot* it is held against the picture recorded under that name (True: under the
        test's name), with Playwright's words.
        """


@pytest.fixture
def figma_baseline(request: pytest.FixtureRequest) -> FigmaBaseline:
    """Load a design by name, viewport and theme."""
    test = _test_of(request.node)

    def figma_baseline(name: str | None = None, **which: Unpack[Which]) -> Design:
        __tracebackhide__ = True
        return test.measuring.baseline(name, which)

    return figma_baseline


@pytest.fixture
def render_capture(request: pytest.FixtureRequest) -> RenderCapture:
    """Capture a page, locator, URL or picture in the size of its design."""
    test = _test_of(request.node)

    def render_capture(target: Any, **options: Unpack[RenderOptions]) -> Capture:
        __tracebackhide__ = True
        return test.measuring.capture(target, options, baseline=options.get("baseline"))

    return render_capture


@pytest.fixture
def visual_verdict(request: pytest.FixtureRequest) -> VisualVerdict:
    """Compare a capture with a design and give the verdict, without raising."""
    test = _test_of(request.node)

    def visual_verdict(
        baseline: Design, capture: Capture, **options: Unpack[VerdictOptions]
    ) -> Verdict:
        __tracebackhide__ = True
        return test.shown(test.measuring.verdict(baseline, capture, options))

    return visual_verdict


@pytest.fixture(name="assert_matches_design")
def assert_matches_design_fixture(request: pytest.FixtureRequest) -> AssertMatchesDesign:
    """Assert that a page is the design, in every viewport and theme it plans."""
    test = _test_of(request.node)

    def assert_matches_design(
        target: Any, name: str | None = None, **options: Unpack[AssertOptions]
    ) -> None:
        __tracebackhide__ = True
        _assert_matches_design(test, target, name, options)

    return assert_matches_design


@pytest.fixture(scope="session")
def pixelloop_ledger(pytestconfig: pytest.Config) -> RunView:
    """Read access to this run: run_id, path, tests, histories."""
    from pytest_pixelloop.plugin.run import RunView  # noqa: PLC0415

    return RunView(pytestconfig.stash[plugin_key].run)


@pytest.fixture
def page_route(request: pytest.FixtureRequest) -> Generator[PageRoute]:
    """Lead pytest-playwright's page so that the way is kept: open, tap, scroll_to, enter_text.

    What was done stands in ``nav.yaml`` beside the test's ledger and can be followed without the
    test.
    """
    from pytest_pixelloop.capture.page_route import PageRoute  # noqa: PLC0415

    run = request.config.stash[plugin_key].run
    base = request.config.getoption("base_url", None) or (run.app.url if run.app else None)
    page = request.getfixturevalue("page")
    route = PageRoute(lambda: page, base=base)
    routes = request.node.stash.setdefault(routes_key, [])
    routes.append(route)
    yield route
    routes.remove(route)


@pytest.fixture(scope="session")
def pixelloop_url(pytestconfig: pytest.Config) -> str:
    """Return the address of the served application, which answers (``--serve-url``)."""
    from pytest_pixelloop.plugin.serving import served_app  # noqa: PLC0415

    app = served_app(pytestconfig)
    app.ready()
    return app.url


def assert_matches_design(
    target: Any, name: str | None = None, **options: Unpack[AssertOptions]
) -> None:
    """Raise unless *target* is the design *name* in every viewport and theme it plans.

    *target* is a Page, a Locator, a URL, PNG bytes, a path or a PIL image. With *snapshot* it is
    held against the picture recorded under that name (True: under the test's name). Works inside
    a running test; the fixture of the same name is the same assertion.

    Raises VisualMismatchError for a difference, UndeterminedError where nothing can be said, and
    ConfigurationError for wrong words or outside a test.
    """
    __tracebackhide__ = True
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    item = running_item.get()
    if item is None:
        raise ConfigurationError(
            "assert_matches_design was called outside a running test",
            expected="a call inside a test function that pytest runs, in the test's own thread, "
            "with the plugin on (no -p no:pixelloop)",
            next_step="in a fixture, use the fixture assert_matches_design; without pytest, "
            "use `pixelloop verify`",
        )
    _assert_matches_design(_test_of(item), target, name, options)


def _assert_matches_design(
    test: VisualTest, target: Any, name: str | None, options: Mapping[str, Any]
) -> None:
    __tracebackhide__ = True
    from pytest_pixelloop.core.errors import (  # noqa: PLC0415
        UndeterminedError,
        VisualMismatchError,
    )
    from pytest_pixelloop.core.verdict import CONDITIONAL, is_undetermined  # noqa: PLC0415

    wishes = test.measuring.wishes(options, name=name)
    snapshot = options.get("snapshot")
    if snapshot is not None and snapshot is not False:
        _refuse_beside_snapshot(
            name=name, **{word: options.get(word) for word in ("gate", "viewport", "theme")}
        )
        verdict = test.measuring.compare_snapshot(target, snapshot, wishes)
    else:
        verdict = test.measuring.compare(target, wishes, asked_of(options))
    for warning in (w for r in verdict.reports for w in r.warnings if r.gate == "snapshot"):
        warnings.warn(pytest.PytestWarning(warning), stacklevel=3)
    if verdict.passed:
        return
    text = test.shown(verdict).explain()
    if is_undetermined(verdict.status):
        raise UndeterminedError(text, reason=verdict.status.partition(":")[2])
    if verdict.status == CONDITIONAL and test.conditional_passes:
        warnings.warn(pytest.PytestWarning(text), stacklevel=3)
        return
    raise VisualMismatchError(text)


def _refuse_beside_snapshot(**words: object) -> None:
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    for word, value in words.items():
        if value is not None:
            raise ConfigurationError(
                f"snapshot= and {word}= do not go together",
                where="assert_matches_design",
                expected="a design of the manifest, or the name of a snapshot; the page of a "
                "snapshot keeps its viewport",
            )


def _test_of(item: pytest.Item) -> VisualTest:
    return item.config.stash[plugin_key].visual_test(item)
