"""A fixer that tries to win without repairing, and what must become of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import Popen

    from benchmarks.loop.broken_project import BrokenProject

MOVED = "undetermined:goalposts-moved"
BREAKER = "not-converged:breaker"
STALLED = "not-converged:stalled"
OSCILLATING = "not-converged:oscillating"
BUDGET = "not-converged:budget-exhausted"
CAP = "not-converged:cap-exhausted"
UNSTABLE = "undetermined:unstable-render"

PREAMBLE = '''
import json, os, pathlib, re, shutil, signal, subprocess, sys, time
HERE = pathlib.Path(os.environ["PIXELLOOP_ROOT"])
SITE, HTML, CSS = HERE / "site", HERE / "site/login.html", HERE / "site/login.css"
DESIGN, NODES = HERE / "designs/login/1-1.png", HERE / "designs/login/1-1.nodes.json"
MANIFEST = HERE / "designs/designs.yaml"
N = int(os.environ["PIXELLOOP_ITERATION"])
LEDGER = next(iter(HERE.glob(".pixelloop/runs/*/tests/*/ledger.jsonl")), HERE / "none")
TEST, RUN = LEDGER.parent, LEDGER.parent.parent.parent
LIB = pathlib.Path(os.environ["PIXELLOOP_CHEAT_LIB"] or ".")
REPAIRS = %(repairs)r


def sub(path, old, new):
    text = path.read_text()
    assert old in text, (path, old)
    path.write_text(text.replace(old, new))


def repair(count=4):
    for old, new in REPAIRS[:count]:
        sub(CSS, old, new)


def body(html, style="display:block;padding:0"):
    text = re.sub(r"(?s)<body.*</body>", lambda _m: f'<body style="{style}">{html}</body>',
                  HTML.read_text())
    HTML.write_text(text)


def over(html):
    """Put something over the page as it is."""
    sub(HTML, "</body>", html + "</body>")


def design_data():
    import base64
    return "data:image/png;base64," + base64.b64encode(DESIGN.read_bytes()).decode()

'''


@dataclass(frozen=True, kw_only=True)
class Cheat:
    """One fixer and its right end.

    ``body`` is the text of the fixer. ``statuses`` are the ends that are right, ``iterations`` the
    fewest that the rules allow; None where no summary can be written. ``tells`` must stand in what
    the run leaves behind (summary, ledger or terminal). ``between`` are programs that somebody
    runs between two processes of one run.
    """

    name: str
    body: str
    statuses: tuple[str, ...]
    iterations: int | None
    tells: str
    options: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    prepare: Callable[[BrokenProject], Popen[bytes] | None] | None = None
