"""A Figma to pull from, a project that does, and a search for the token after every test."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

import pytest
from figma_project import Project
from figma_server import SIGNATURE, TOKEN, FigmaServer

from pytest_pixelloop.cli import pull_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def figma() -> Iterator[FigmaServer]:
    """Return a running Figma without files."""
    server = FigmaServer()
    yield server
    server.close()


@pytest.fixture
def project(
    tmp_path: Path,
    figma: FigmaServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Project]:
    """Return an empty project that pulls from *figma* without ever sleeping.

    After the test, no file of it and no printed or logged line may hold the token or a signed
    address, and no request to the picture host may have carried the token.
    """
    caplog.set_level(0)
    for name in ("FIGMA_ACCESS_TOKEN", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FIGMA_TOKEN", TOKEN)
    monkeypatch.setenv("PIXELLOOP_FIGMA_API", figma.api)
    made = Project(tmp_path / "shop", figma, capsys)
    made.path.mkdir()
    made.designs.mkdir()
    monkeypatch.setattr(pull_command, "time", types.SimpleNamespace(sleep=made.waits.append))
    yield made
    told = capsys.readouterr()
    texts = [*made.printed, told.out, told.err, caplog.text]
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    for secret in (TOKEN, SIGNATURE):
        assert not [text for text in texts if secret in text]
        assert not [p for p in files if secret.encode() in p.read_bytes()]
    assert not [s for s in figma.seen if s.host == "cdn" and TOKEN in str(s.headers)]
