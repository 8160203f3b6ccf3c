"""The example of a section: its frames by name, and the plan that tells what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_frames_of_a_section_are_screens(tmp_path: Path) -> None:
    """Two frames pass by their names; the plan names the third, which has none, and exits 1."""
    work = tmp_path / "work"
    run = [sys.executable, str(ROOT / "conftest_examples/run.py"), "sections", "--to", str(work)]
    done = subprocess.run(
        [*run, "-p", "no:playwright"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    command = [sys.executable, "-m", "pytest_pixelloop", "plan"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=work)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1-1  status/Ready: 96x32 at 1, gate design, designs/status/1-1.png" in done.stdout
    assert "1-3  status/Frame 3: undetermined:unnamed-frame" in done.stdout
    assert "3 comparisons, 2 can be made" in done.stdout
