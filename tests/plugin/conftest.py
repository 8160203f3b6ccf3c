"""The fixture of the plugin's tests: a small project drawn without a browser."""

from __future__ import annotations

import json

import pytest
from drawn_project import CARD_TEST, DRAW, FIXER, MANIFEST, RIGHT, Project, draw


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Give a project with the design ``card``, one test, and a page that is right."""
    for name in ("CI", "BUILD_NUMBER"):  # with them pytest tells a failure whole a second time
        monkeypatch.delenv(name, raising=False)
    project = Project(pytester=pytester)
    pytester.makeini("[pytest]\n")
    project.write("draw.py", DRAW)
    project.write("fixer.py", FIXER)
    project.write("right.json", json.dumps(RIGHT))
    project.write("designs/designs.yaml", MANIFEST)
    project.write("designs/card.png", draw(RIGHT))
    project.write("test_card.py", CARD_TEST)
    project.spoil()
    pytester.syspathinsert()
    return project
