"""A served application in a real browser: addresses, ways that are kept, and the rung that is free.

Each test runs pytest on a small project in a process of its own.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from served_project import APP, app_command

from pytest_pixelloop.capture.browser import find_browser
from pytest_pixelloop.core.errors import CaptureError
from pytest_pixelloop.sources.nav import load_nav
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """<!doctype html><meta charset=utf-8><style>body{margin:0;background:#fff}
#box{width:100px;height:50px;background:#dc2626}#box.open{background:BOX}
button{position:absolute;left:0;top:60px;opacity:0}</style><div id=box></div>
<button data-testid=open onclick="box.className='open'">Open</button>
"""
GREEN = "#16a34a"
#: Repairs the page with its second run: there are two iterations.
FIXER = """
import pathlib
page, turn = pathlib.Path("page.html"), pathlib.Path("turn.txt")
if turn.exists():
    page.write_text(page.read_text().replace("#7c3aed", "#16a34a"))
turn.write_text("1")
page.write_text(page.read_text() + "<!-- edited -->")
"""
BY_PAGE = """
def test_card(page, assert_matches_design):
    page.goto("/page.html")
    page.get_by_test_id("open").click()
    assert_matches_design(page, "card")
"""
BY_ROUTE = """
def test_card(page_route, assert_matches_design):
    page = page_route.open("/page.html")
    page_route.tap(test_id="open")
    assert_matches_design(page, "card")
"""
BY_ADDRESS = """
def test_card(assert_matches_design):
    assert_matches_design("/page.html", "card")
"""
BY_NOTHING = """
def test_card(assert_matches_design):
    assert_matches_design(None, "card")
"""
NAV = "schema_version: 1\nroute: /page.html\nsteps:\n  - tap: {test_id: open}\n"
URL = "http://127.0.0.1:{port}/"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Give a served page whose box has to be opened, and its design; or skip without a browser."""
    try:
        find_browser(None, environ=os.environ)
    except CaptureError as error:
        pytest.skip(str(error))
    image = np.full((100, 200, 4), 255, np.uint8)
    image[:50, :100, :3] = (22, 163, 74)
    designs = pytester.mkdir("designs")
    write_png(designs / "card.png", image)
    head = "schema_version: 1\ndesigns:\n  card:\n    image: card.png\n    nav: nav.yaml\n"
    (designs / "designs.yaml").write_text(head)
    (designs / "nav.yaml").write_text(NAV)
    for name, text in (("app.py", APP), ("fixer.py", FIXER)):
        (pytester.path / name).write_text(text)
    (pytester.path / "page.html").write_text(PAGE.replace("BOX", GREEN))
    return pytester


def run(project: pytest.Pytester, test: str, *words: str, fault: str = "none") -> pytest.RunResult:
    """Run the one test of the project."""
    (project.path / "test_card.py").write_text(test)
    quiet = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    serve = ("--serve-command", app_command(fault=fault), "--serve-url", URL)
    return project.runpytest_subprocess(*quiet, *serve, *words)


def loop(project: pytest.Pytester, test: str, *, fault: str = "none") -> pytest.RunResult:
    """Loop over a page that is right after two fixes."""
    (project.path / "page.html").write_text(PAGE.replace("BOX", "#7c3aed"))
    words = ("--pixel-loop", "--fix-command", f"{sys.executable} fixer.py")
    return run(project, test, *words, fault=fault)


def kept(project: pytest.Pytester, name: str) -> Path:
    """Return a file of the looped test in the last run."""
    runs = sorted((project.path / ".pixelloop" / "runs").iterdir())
    found = [p for p in runs[-1].glob(f"tests/*/{name}") if "after-the-last" not in p.parent.name]
    assert len(found) == 1
    return found[0]


def summary(project: pytest.Pytester) -> dict[str, Any]:
    """Return what the looped test came to."""
    value: dict[str, Any] = json.loads(kept(project, "summary.json").read_text("utf-8"))
    return value


@pytest.mark.parametrize(
    ("test", "steps"), [(BY_PAGE, 0), (BY_ROUTE, 1), (BY_NOTHING, 1)], ids=["page", "route", "none"]
)
def test_the_way_is_kept(project: pytest.Pytester, test: str, steps: int) -> None:
    """Of a page its address is kept, of a page_route and a nav.yaml the steps too."""
    run(project, test).assert_outcomes(passed=1)
    recipe = load_nav(kept(project, "nav.yaml"))
    assert recipe.route == "/page.html"
    assert len(recipe.steps) == steps


def test_an_address_inside_the_application(project: pytest.Pytester) -> None:
    """A target such as /page.html is opened in the served application, as it is."""
    page = PAGE.replace("#dc2626", GREEN)
    (project.path / "page.html").write_text(page)
    run(project, BY_ADDRESS).assert_outcomes(passed=1)


def test_a_way_is_written_once_over_all_iterations(project: pytest.Pytester) -> None:
    """Three measurements of one way write nav.yaml once."""
    spy = "import pytest_pixelloop.sources.nav as nav\nkeep = nav.keep_nav\n"
    spy += "def note(path, recipe):\n    written = keep(path, recipe)\n"
    spy += "    open('kept.txt', 'a').write(f'{written}\\n')\n    return written\n"
    (project.path / "conftest.py").write_text(spy + "nav.keep_nav = note\n")
    loop(project, BY_ROUTE).assert_outcomes(passed=1)
    assert summary(project)["iterations"] == 2
    assert (project.path / "kept.txt").read_text().split() == ["True", "False", "False"]


def test_a_step_that_fails_is_no_mismatch(project: pytest.Pytester) -> None:
    """A way that does not lead there is undetermined and names the step; nothing is fixed."""
    (project.path / "designs" / "nav.yaml").write_text(NAV.replace("open}", "gone}"))
    result = loop(project, BY_NOTHING)
    result.assert_outcomes(failed=1)
    assert summary(project)["status"] == "undetermined:capture-failed"
    result.stdout.fnmatch_lines(["*step 1 of 1 (tap test id 'gone')*"])


@pytest.mark.parametrize("test", [BY_NOTHING, BY_ADDRESS], ids=["none", "address"])
def test_a_page_that_fails_once_is_opened_again(project: pytest.Pytester, test: str) -> None:
    """Rung 0: the page answers 503 once; it is opened again, and no restart is spent."""
    (project.path / "page.html").write_text(PAGE.replace("#dc2626", GREEN).replace("BOX", GREEN))
    words = ("--pixel-loop",)
    result = run(project, test, *words, fault="flaky")
    result.assert_outcomes(passed=1)
    assert summary(project)["restarts"] == 0
    result.stdout.fnmatch_lines(["*[[]0/6] reload   - rung 0, the page again (restarts=0/2)*503*"])
