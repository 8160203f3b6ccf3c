"""What every test of the project may use."""

from __future__ import annotations

pytest_plugins = ["pytester"]
