"""What an installed distribution promises: names, entry points, types."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest_pixelloop


def test_entry_points() -> None:
    """The distribution registers the pytest plugin and the ``pixelloop`` command."""
    found = {
        (e.group, e.name): e.value
        for e in importlib.metadata.distribution("pytest-pixelloop").entry_points
    }
    assert found[("pytest11", "pixelloop")] == "pytest_pixelloop.plugin"
    assert found[("console_scripts", "pixelloop")] == "pytest_pixelloop.cli.main:main"


def test_version_is_said_once() -> None:
    """The package's version is the distribution's."""
    assert pytest_pixelloop.__version__ == importlib.metadata.version("pytest-pixelloop")


def test_types_are_shipped() -> None:
    """py.typed lies beside the package, so users' type checkers see the hints."""
    assert (Path(pytest_pixelloop.__file__).parent / "py.typed").is_file()
