"""Gets both designs before the tests: tests need no Figma.

In a project of your own there is no such conftest: you type ``pixelloop pull`` (or ``import``) when
the design has changed, look at what it says, and commit ``designs/``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pretend_figma

HERE = Path(__file__).parent


def pytest_sessionstart() -> None:
    """Pull one design; import the other from what an agent exported."""
    figma = pretend_figma.start()
    api = f"http://127.0.0.1:{figma.server_address[1]}"
    pixelloop("pull", FIGMA_TOKEN="figd_pretended", PIXELLOOP_FIGMA_API=api)
    figma.shutdown()
    figma.server_close()
    (HERE / "exported" / "screenshot.png").write_bytes(pretend_figma.picture(2))
    pixelloop("import", "exported", "--name", "badge-of-an-agent")


def pixelloop(*words: str, **environment: str) -> None:
    """Run a command in this folder."""
    command = [sys.executable, "-m", "pytest_pixelloop", *words]
    subprocess.run(command, cwd=HERE, env={**os.environ, **environment}, check=True)
