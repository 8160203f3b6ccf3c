"""axe-core on a captured page: only where an extra brought it, leaving nothing behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.capture import axe
from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.core.appearance_channel import judge_appearance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUICK = CaptureOptions(timeout=0.5)
#: What axe-core looks like from outside: one violation on the first button, and what it was told.
FAKE = """window.axe = { async run(root, options) {
  const button = root.querySelector('button');
  window.told = Object.keys(options.rules);
  if (window.behave === 'throw') throw new Error('no luck');
  return { testEngine: { version: '9.9.9' }, violations: [
    { id: 'button-name', impact: 'critical', help: 'Buttons must be named', helpUrl: 'https://x/',
      nodes: [{ impact: 'critical', target: ['button'], element: button }] },
    { id: 'region', impact: 'moderate', help: 'Landmarks', helpUrl: '',
      nodes: [{ impact: 'moderate', target: [['#host', 'p']], element: null }] } ] };
} };"""


@pytest.fixture
def carrier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put a distribution that carries something like axe-core on the path."""
    package = tmp_path / "axe_playwright_python"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('it is never imported')")
    (package / "axe.min.js").write_text(FAKE)
    monkeypatch.syspath_prepend(str(tmp_path))
    axe._script.cache_clear()
    yield
    axe._script.cache_clear()


@pytest.fixture
def page(open_page: Callable[..., Any]) -> Any:
    """Give a page with a nameless button."""
    page = open_page("about:blank", viewport={"width": 400, "height": 300})
    page.set_content(
        "<body style='margin:0'><p>x</p><button style='position:absolute;left:40px;top:50px;"
        "width:30px;height:20px'></button></body>"
    )
    return page


def _capture(page: Any, **given: Any) -> Any:
    return capture_target(page, frame=(400, 300), scale=1, options=QUICK, **given)


@pytest.mark.usefixtures("carrier")
def test_violations_are_findings_that_never_fail_by_default(page: Any) -> None:
    """Critical is P1, moderate P2, each with rule and place; our own checks are left to us."""
    capture = _capture(page, axe=True)
    result = judge_appearance(capture, label="page")
    found = [f for f in result.findings if f.source == "axe"]
    assert [(f.evidence["rule"], f.priority, f.gating) for f in found] == [
        ("button-name", "P1", False),
        ("region", "P2", False),
    ]
    assert found[0].box.as_list() == [40, 50, 30, 20]
    assert not isinstance(result.record, str)
    assert result.record["axe"] == {"status": "compared", "version": "9.9.9", "violations": 2}
    assert {"color-contrast", "target-size"} <= set(page.evaluate("window.told"))
    assert page.evaluate("typeof window.axe") == "undefined"


@pytest.mark.usefixtures("carrier")
def test_it_is_run_only_when_asked(page: Any) -> None:
    """A capture for nobody who wants it pays nothing."""
    assert _capture(page).axe is None


@pytest.mark.usefixtures("carrier")
@pytest.mark.parametrize(
    ("script", "said"),
    [("window.behave = 'throw'", "no luck"), ("window.axe = 1", "something called axe itself")],
)
def test_what_goes_wrong_is_said(page: Any, script: str, said: str) -> None:
    """It throws, or the page has its own: not run, and why; no pass, no fail."""
    page.evaluate(script)
    capture = _capture(page, axe=True)
    assert said in capture.axe.reason
    assert capture.axe.issues() == ()


def test_absent_it_says_how_to_get_it(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the channel says: not installed, and the command to type."""
    monkeypatch.setattr(axe, "_script", lambda: None)
    record = judge_appearance(_capture(page, axe=True), label="page").record
    assert not isinstance(record, str)
    assert "pip install 'pytest-pixelloop[axe]'" in record["axe"]["status"]
