"""A few seeded kills of looping pytests; the long table is benchmarks/loop/kills.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc"),
    pytest.mark.skipif(not (ROOT / "benchmarks/loop").is_dir(), reason="needs the repository"),
]


def test_killed_loops_end_as_undisturbed_ones(tmp_path: Path) -> None:
    """Five SIGKILLs over several phases: every record kept, every end right, nothing left."""
    command = [sys.executable, "-m", "benchmarks.loop.kills", "--kills=5", "--browser-share=0"]
    done = subprocess.run(
        [*command, "--seed=3", f"--keep={tmp_path / 'kept'}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "right: every run resumed to the end of an undisturbed one" in done.stdout
