"""A suite without visual tests pays nothing: what is imported, asserted by module names."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from drawn_project import Project

HEAVY = ("numpy", "cv2", "PIL", "yaml", "jinja2", "watchfiles")
PROBE = """
import json, sys, pytest
code = pytest.main(sys.argv[1:])
print("MODULES", json.dumps({"code": int(code), "seen": sorted(sys.modules)}))
"""


def modules_after(project: Project, *arguments: str) -> set[str]:
    """Return the names of all modules that a pytest run with these arguments imported."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "-p", "no:hypothesispytest", *arguments],
        cwd=project.path,
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [row for row in done.stdout.splitlines() if row.startswith("MODULES")]
    told = json.loads(line.removeprefix("MODULES"))
    assert told["code"] == 0, done.stdout
    return set(told["seen"])


def roots(modules: set[str]) -> set[str]:
    """Return the top-level names of modules."""
    return {name.partition(".")[0] for name in modules}


@pytest.mark.parametrize("arguments", [["--collect-only"], [], ["--pixel-loop"]])
def test_plain_suite_imports_nothing_heavy(project: Project, arguments: list[str]) -> None:
    """Collecting or running plain tests, looped or not, imports no heavy package."""
    project.write("test_card.py", "def test_card():\n    pass\n")
    seen = modules_after(project, "-p", "no:playwright", *arguments)
    assert not roots(seen) & {*HEAVY, "playwright"}
    loaded = {name for name in seen if name.startswith("pytest_pixelloop.")}
    allowed = ("pytest_pixelloop.plugin", "pytest_pixelloop.core", "pytest_pixelloop.store")
    rooms = {".".join(name.split(".")[:2]) for name in loaded}
    assert rooms <= (set(allowed) if "--pixel-loop" in arguments else set(allowed[:2]))


def test_collecting_visual_tests_imports_nothing_heavy(project: Project) -> None:
    """Collecting a suite with fixtures, marker and imported assertion is as light."""
    project.write(
        "test_card.py",
        "import pytest\nfrom pytest_pixelloop import assert_matches_design\n"
        "@pytest.mark.design('card', tolerance='pixel=1', gate='pixel')\n"
        "def test_card(figma_baseline):\n    pass\n",
    )
    seen = modules_after(project, "-p", "no:playwright", "--collect-only", "--pixel-loop")
    assert not roots(seen) & {*HEAVY, "playwright"}


def test_comparing_pictures_needs_no_playwright(project: Project) -> None:
    """Bytes, paths and PIL images are compared without playwright and without a browser."""
    project.write(
        "test_card.py",
        "import io\nfrom PIL import Image\nfrom draw import page, HERE\n"
        "def test_card(assert_matches_design):\n"
        "    assert_matches_design(page(), 'card')\n"
        "    (HERE / 'page.png').write_bytes(page())\n"
        "    assert_matches_design(HERE / 'page.png', 'card')\n"
        "    assert_matches_design(str(HERE / 'page.png'), 'card')\n"
        "    assert_matches_design(Image.open(io.BytesIO(page())), 'card')\n",
    )
    seen = modules_after(project, "-p", "no:playwright")
    assert "cv2" in seen
    assert "playwright" not in roots(seen)


def test_importing_the_package_is_free(project: Project) -> None:
    """``import pytest_pixelloop`` loads none of its rooms, and names what it lacks."""
    code = (
        "import sys, pytest_pixelloop as p; print(sorted(m for m in sys.modules "
        "if m.startswith('pytest_pixelloop') or m == 'pytest'), hasattr(p, 'nothing'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['pytest_pixelloop'] False"


def test_assertion_outside_a_test_is_refused(project: Project) -> None:
    """The imported assertion outside a running test says where it belongs."""
    code = "import pytest_pixelloop as p; p.assert_matches_design(b'', 'card')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "assert_matches_design was called outside a running test" in done.stderr


def test_assertion_while_collecting_is_refused(project: Project) -> None:
    """At import time of a test module there is no test yet."""
    project.write(
        "test_card.py",
        "from pytest_pixelloop import assert_matches_design\nassert_matches_design(b'', 'card')\n",
    )
    result = project.run_apart()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*called outside a running test*"])
