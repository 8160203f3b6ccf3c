"""The template that says where snapshots lie, and what may stand in it."""

from __future__ import annotations

import re

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable

DEFAULT_TEMPLATE = "{test_dir}/__screenshots__/{test_file}/{name}{-browser}{-platform}.png"
TOKENS = ("test_dir", "test_file", "name", "browser", "platform")
TOKEN = re.compile(r"\{(-?)([^{}]*)\}")


def check_template(template: str) -> str:
    """Return *template*, or raise ConfigurationError that lists the tokens it may hold."""
    wrong = [m[0] for m in TOKEN.finditer(template) if m[2] not in TOKENS]
    if wrong or not template.endswith(".png") or "{name}" not in template:
        raise ConfigurationError(
            f"cannot use {printable(template)!r} as the place of snapshots"
            + (f": unknown token {wrong[0]}" if wrong else ""),
            where="pixelloop_snapshot_path",
            expected=f"a path with {{name}} that ends in .png, such as {DEFAULT_TEMPLATE}",
        )
    return template
