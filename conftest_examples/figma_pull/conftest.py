"""Pulls the design from the pretend Figma before the tests, and stops it: tests need no Figma.

In a project of your own there is no such conftest: you type ``pixelloop pull`` when the design has
changed, look at what it says, and commit ``designs/``.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pretend_figma


def pytest_sessionstart() -> None:
    """Pull once."""
    figma = pretend_figma.start()
    api = f"http://127.0.0.1:{figma.server_address[1]}"
    environment = {**os.environ, "FIGMA_TOKEN": "figd_pretended", "PIXELLOOP_FIGMA_API": api}
    subprocess.run([sys.executable, "-m", "pytest_pixelloop", "pull"], env=environment, check=True)
    figma.shutdown()
    figma.server_close()
