"""A project whose designs come from a Figma of our own, and what its commands said."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.sources.folder import load_design, plan_comparisons

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from figma_server import FigmaServer

    from pytest_pixelloop.core.design import Design

KEY = "AbCdEfGhIjKlMnOpQrStUv"


def link(node: str = "1-2", key: str = KEY) -> str:
    """Return a Figma link to a node."""
    return f"https://www.figma.com/design/{key}/Shop?node-id={node}"


@dataclass(frozen=True, slots=True)
class Said:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        """Everything that was printed."""
        return self.out + self.err


@dataclass(slots=True)
class Project:
    """A project folder with ``designs/`` in it, and the server it pulls from."""

    path: Path
    figma: FigmaServer
    capsys: pytest.CaptureFixture[str]
    waits: list[float] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)

    @property
    def designs(self) -> Path:
        """The designs folder."""
        return self.path / "designs"

    @property
    def lock(self) -> dict[str, Any]:
        """What stands in designs.lock."""
        value: dict[str, Any] = json.loads((self.designs / "designs.lock").read_text("utf-8"))
        return value

    def manifest(self, *lines: str) -> None:
        """Write the manifest with these lines below ``designs:``."""
        self.designs.mkdir(exist_ok=True)
        text = "schema_version: 1\ndesigns:\n" + "".join(f"  {line}\n" for line in lines)
        (self.designs / "designs.yaml").write_text(text, "utf-8")

    def run(self, *words: str) -> Said:
        """Run a command of ``pixelloop`` on the project."""
        code = main([*words, "--designs", str(self.designs)])
        told = self.capsys.readouterr()
        self.printed.append(told.out + told.err)
        return Said(code, told.out, told.err)

    def pull(self, *words: str) -> Said:
        """Run ``pixelloop pull``."""
        return self.run("pull", *words)

    def load(
        self, name: str = "card", *, theme: str | None = None, viewport: str | None = None
    ) -> Design:
        """Return the one design of that name, as a test loads it."""
        (planned,) = plan_comparisons(self.designs, name, theme=theme, viewport=viewport)
        return load_design(planned)

    def tree(self) -> dict[str, bytes]:
        """Return every file below the designs folder by its path."""
        return {
            p.relative_to(self.designs).as_posix(): p.read_bytes()
            for p in sorted(self.designs.rglob("*"))
            if p.is_file()
        }
