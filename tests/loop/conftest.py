"""A project whose page is a JSON file: real files, real fixers, measured without a browser."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.core.tolerance import IterationCap
from pytest_pixelloop.session import (
    Decision,
    LoopSession,
    LoopSettings,
    Measurement,
    Summary,
    WatchedSources,
)
from pytest_pixelloop.store.ledger_file import read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pytest_pixelloop.core.history import History

PRELUDE = """
import json, os, pathlib, sys, time
page_file = pathlib.Path("page.json")
page = json.loads(page_file.read_text())
iteration = int(os.environ["PIXELLOOP_ITERATION"])
def save(**findings): page_file.write_text(json.dumps({**findings, "edit": iteration}))
"""


@dataclass
class Ticks:
    """A clock that goes on by one second each time it is read."""

    now: float = 0.0

    def __call__(self) -> float:
        """Return the next second."""
        self.now += 1.0
        return self.now


@dataclass
class Looped:
    """What a loop came to."""

    summary: Summary
    lines: list[str]
    decisions: list[Decision]
    measured: list[int]
    session: LoopSession

    @property
    def status(self) -> str:
        """The final status."""
        return self.summary.status


@dataclass
class Project:
    """A folder with a page, a design and a test; findings are ``name: severity`` in page.json."""

    root: Path
    clock: Ticks = field(default_factory=Ticks)
    goalposts: tuple[str, ...] = ("design.png", "test_page.py")

    @property
    def folder(self) -> Path:
        """The test's folder in the run directory."""
        return self.root / ".pixelloop" / "runs" / "r" / "tests" / "t"

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """The ledger's records."""
        return read_records(self.folder / "ledger.jsonl")

    @property
    def history(self) -> History:
        """The history that the ledger on disk tells."""
        return fold(self.records)

    def page(self, **findings: Any) -> None:
        """Write the page."""
        (self.root / "page.json").write_text(json.dumps(findings))

    def fixer(self, code: str) -> str:
        """Return the command of a fixer made of *code*, kept where it is no source."""
        path = self.root / ".pixelloop" / "fix.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(PRELUDE + code)
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    def hashes(self) -> dict[str, str]:
        """Return the goalposts: what the verdict is measured against."""
        found = {}
        for name in self.goalposts:
            path = self.root / name
            found[name] = (
                hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "absent"
            )
        return found

    def measure(self, number: int, folder: Path) -> Measurement:
        """Return what the page as it is now gives; undetermined without a design or a page."""
        assert folder.is_dir()
        assert list(folder.iterdir()) == []
        page = json.loads((self.root / "page.json").read_text())
        if not (self.root / "design.png").exists():
            return Measurement(status="undetermined:figma-unreadable", problem="no design")
        if page.get("blank"):
            return Measurement(status="undetermined:blank-capture", problem="all one colour")
        findings = {k: v for k, v in page.items() if isinstance(v, int | float) and k != "edit"}
        status = "fail" if findings else "pass"
        score = None if page.get("unknown") else float(sum(findings.values()))
        picture = f"{number}.actual.png"
        (folder / picture).write_text(f"picture {number}")
        return Measurement(
            status=status,
            score=score,
            delta_ids=tuple(findings),
            channels={"visual": "compared", "style": "skipped: not asked for"},
            reports=(self.report("1-2", status, score, findings, actual=picture),),
        )

    @staticmethod
    def report(
        label: str,
        status: str,
        score: float | None,
        findings: Mapping[str, float],
        *,
        hold_out: bool = False,
        **artifacts: str,
    ) -> dict[str, Any]:
        """Return a report as ComparisonReport.as_record() words it."""
        return {
            "label": label,
            "status": status,
            "gate": "design",
            "score": score,
            "design": {"name": "page", "hold_out": hold_out},
            "artifacts": artifacts,
            "problem": None,
            "findings": [
                {
                    "delta_id": f"{label}/node:{name}",
                    "kind": "color",
                    "channel": "visual",
                    "node": {"id": name, "name": name.upper(), "path": f"Page/{name.upper()}"},
                    "element": {"selector": f".{name}", "text": "", "source": None},
                    "property": "background-color",
                    "expected": "#ffffff",
                    "actual": "#000000",
                    "delta": severity,
                    "unit": "dE00",
                    "box": [0, 0, 10, 10],
                    "severity": severity,
                    "share": 1.0,
                    "gating": True,
                    "state": "open",
                    "confidence": 1.0,
                    "message": f"{name} is wrong",
                }
                for name, severity in findings.items()
            ],
        }

    def session(self, command: str | None = None, **told: Any) -> LoopSession:
        """Return the session that works on this project's run."""
        cap = told.pop("cap", 6)
        told.setdefault("looping", True)
        settings = LoopSettings(
            cap=cap if isinstance(cap, IterationCap) else IterationCap(value=cap, source="flag"),
            fix_command=command,
            **{"fix_timeout": 60.0, **told},
        )
        self.lines: list[str] = []
        return LoopSession(
            folder=self.folder,
            run_id="r",
            test_id="test_page.py::test_it",
            root=self.root,
            settings=settings,
            goalposts=self.hashes,
            sources=WatchedSources(root=self.root, ignore=(self.root / "design.png",)),
            clock=self.clock,
            say=self.lines.append,
            environ=dict(os.environ),
        )

    def loop(
        self,
        fix: str | None = None,
        *,
        measure: Callable[[int, Path], Measurement] | None = None,
        **told: Any,
    ) -> Looped:
        """Loop until the session ends and return what it came to."""
        session = self.session(None if fix is None else self.fixer(fix), **told)
        decisions: list[Decision] = []
        measured: list[int] = []
        try:
            if session.prepare():
                while True:
                    measured.append(session.iteration)
                    value = (measure or self.measure)(session.iteration, session.iteration_folder)
                    decisions.append(session.record(value))
                    if not decisions[-1].again:
                        break
                    session.advance()
        except BaseException as error:
            session.abort(repr(error))
            raise
        summary = session.finish()
        return Looped(
            summary=summary,
            lines=self.lines,
            decisions=decisions,
            measured=measured,
            session=session,
        )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project with two findings."""
    # Only a power cut could tell the difference, and it makes hundreds of loops slow.
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    root = tmp_path / "project"
    root.mkdir()
    (root / "design.png").write_bytes(b"the design")
    (root / "test_page.py").write_text("def test_it(): ...\n")
    made = Project(root=root)
    made.page(a=30.0, b=11.0)
    return made
