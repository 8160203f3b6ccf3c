"""Starts the one who edits. With a person in that place nothing is needed here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def somebody() -> Iterator[None]:
    """Let somebody edit the page while the tests run."""
    with (HERE / "somebody.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "somebody.py"], cwd=HERE, stdout=log, stderr=log
        )
        yield
        process.kill()
        process.wait()
