"""A page of a real toolchain; runs where ``npm install`` was run in the project before."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from benchmarks.loop import vite

if TYPE_CHECKING:
    from pathlib import Path

MODULES = vite.PROJECT / "node_modules"
needs_packages = pytest.mark.skipif(
    not MODULES.is_dir() or vite.missing() is not None,
    reason="npm install in benchmarks/loop/vite_project, and Chromium",
)


def test_the_project_is_broken_in_what_its_cases_say() -> None:
    """Every case's test and the lock file are there, and the page's module is not yet mended."""
    assert all((vite.PROJECT / f"{case.test}.py").is_file() for case in vite.CASES.values())
    assert (vite.PROJECT / "package-lock.json").is_file()
    assert "#16a34a" in (vite.PROJECT / "src" / "Plans.module.css").read_text("utf-8")


@needs_packages
def test_a_page_served_by_vite_converges_though_its_server_is_killed(tmp_path: Path) -> None:
    """CSS modules, hot reload and a dead server: the ladder is climbed and the page gets there."""
    project = tmp_path / "project"
    shutil.copytree(vite.PROJECT, project, ignore=shutil.ignore_patterns("node_modules"))
    (project / "node_modules").symlink_to(MODULES)
    record = vite.run(project, vite.CASES["kill-npx"])
    assert vite.as_it_must(record, vite.CASES["kill-npx"]), record["printed"]
