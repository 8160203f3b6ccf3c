"""The fixture of the tests of serving: applications that are ended after each test."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from served_project import APP, app_command

from pytest_pixelloop.capture.server import ServedApp, Serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., ServedApp]]:
    """Give a function that makes an application with a fault; all are ended after the test."""
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    apps: list[ServedApp] = []

    def make(fault: str = "none", **given: Any) -> ServedApp:
        number = len(apps)
        told: dict[str, Any] = {
            "url": "http://127.0.0.1:{port}/",
            "command": app_command(fault=fault),
            "timeout": 20.0,
            **given,
        }
        app = ServedApp(
            Serving(**told),
            root=tmp_path,
            environ=dict(os.environ),
            output=lambda: tmp_path / f"{number}.log",
            records=tmp_path / "records",
        )
        apps.append(app)
        return app

    yield make
    for app in apps:
        app.stop()
