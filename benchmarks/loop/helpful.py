"""Does the brief help? A fixer that applies its first property edit literally, on broken pages.

    python -m benchmarks.loop.helpful [--only NAME ...] [--keep DIR] [--browser PATH]

Each page of ``helpful_cases.py`` becomes a project of its own: the design drawn by resvg with its
node tree (``benchmarks/truth``), the page with its styles in files and defects in them, a test, and
``literal_fixer.py``. ``pytest --pixel-loop`` runs in it. Printed are the findings at the start and
the iterations used; more than findings + 2, or another end than converged, is a failure.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.loop.helpful_cases import CASES, CSS, MODULES, SCSS, Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.truth.page import Page

ROOT = Path(__file__).parents[2]
QUICKSTART = ROOT / "conftest_examples" / "quickstart"
CAP = 16
_STYLE = re.compile(r"<style(?: id=base)?>(.*?)</style>", re.DOTALL)
_INI = """[pytest]
addopts = --pixel-loop --iteration-cap={cap} --fix-command "python fix.py"
pixelloop_sources = site
"""
_TEST = '''"""The page against its design."""

from built import build


def test_page(page, assert_matches_design):
    """The page is the design."""
    page.goto(build())
    assert_matches_design(page, "{name}")
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one page."""

    name: str
    findings: int
    iterations: int
    status: str
    scores: tuple[float, ...]
    seconds: float

    @property
    def helped(self) -> bool:
        """Whether it converged within its findings + 2 iterations."""
        return self.status == "converged" and self.iterations <= self.findings + 2


def pretty(css: str) -> str:
    """Return a style sheet with a line for each declaration."""
    lines = re.sub(r"\s*\{\s*", " {\n  ", css.strip())
    lines = re.sub(r";\s*(?=[\w-])", ";\n  ", lines)
    return re.sub(r";?\s*\}\s*", ";\n}\n", lines)


def broken_rules(css: str, broken: Broken) -> str:
    """Return a style sheet with the wrong values in it."""
    for selector, name, value in broken.rules:
        head = re.search(rf"^{re.escape(selector)} \{{\n(.*?)^\}}", css, re.MULTILINE | re.DOTALL)
        assert head, f"{broken.name}: no rule {selector}"
        body, known = re.subn(
            rf"(^  {name}:)[^;]+;", lambda m, v=value: f"{m[1]} {v};", head[1], flags=re.MULTILINE
        )
        body = body if known else f"{body}  {name}: {value};\n"
        css = css[: head.start(1)] + body + css[head.end(1) :]
    return css


def _write_page(site: Path, page: Page, broken: Broken) -> None:
    base, own = (m[1] for m in _STYLE.finditer(page.html))
    tokens, _, plain = base.partition("}")
    tokens = pretty(tokens + "}")
    html = _STYLE.sub("", page.html)
    for right, wrong in broken.html:
        assert right in html, f"{broken.name}: no {right}"
        html = html.replace(right, wrong, 1)
    sheets = {"tokens": tokens, "base": pretty(plain), "page": pretty(own)}
    if broken.style == SCSS:
        sheets = {k: re.sub(r"var\(--([\w-]+)\)", r"$\1", v) for k, v in sheets.items()}
        names = re.findall(r"--([\w-]+):\s*([^;]+);", tokens)
        sheets["tokens"] = "".join(f"${n}: {v};\n" for n, v in names)
        html = re.sub(r"var\(--([\w-]+)\)", lambda m: dict(names)[m[1]], html)
    for name, value in broken.tokens:
        sheets["tokens"] = re.sub(rf"([$-]{name}:)[^;]+;", rf"\1 {value};", sheets["tokens"])
    sheets["page"] = broken_rules(sheets["page"], broken)
    ending = {CSS: "css", MODULES: "css", SCSS: "scss"}[broken.style]
    for name, text in sheets.items():
        module = ".module" if broken.style == MODULES and name == "page" else ""
        (site / f"{name}{module}.{ending}").write_text(text, "utf-8")
    (site / "page.html").write_text(html, "utf-8")


def write_project(folder: Path, broken: Broken, designs: Path) -> None:
    """Write the project of one broken page into a new folder."""
    shutil.copytree(designs / broken.page, folder / "designs")
    name = broken.page.rpartition("/")[2]
    site = folder / "site"
    if broken.page.startswith("quickstart/"):
        shutil.copytree(QUICKSTART / "site", site)
        for other in {"login", "settings"} - {name}:
            (site / f"{other}.css").unlink()
            (site / f"{other}.html").unlink()
        (site / f"{name}.html").rename(site / "page.html")
    else:
        from benchmarks.truth.page import FOLDER, load_page

        site.mkdir()
        _write_page(site, load_page(FOLDER / f"{broken.page}.html"), broken)
    shutil.copy(Path(__file__).with_name("literal_fixer.py"), folder / "fix.py")
    shutil.copy(Path(__file__).with_name("built.py"), folder / "built.py")
    (folder / "test_page.py").write_text(_TEST.format(name=name), "utf-8")
    (folder / "pytest.ini").write_text(_INI.format(cap=CAP), "utf-8")


def draw_designs(folder: Path, pages: set[str], *, executable: str) -> None:
    """Draw the designs of these pages, each into a ``designs`` folder of its own."""
    from benchmarks.truth import benign
    from benchmarks.truth.page import FOLDER, load_page
    from benchmarks.truth.page_cases import Shelf, _write_design
    from benchmarks.truth.studio import Browsers, Studio

    with Browsers(executable, folder) as browsers:
        for name in sorted(pages):
            target = folder / name
            if name.startswith("quickstart/"):
                plain = name.rpartition("/")[2]
                shutil.copytree(QUICKSTART / "designs" / plain, target / plain)
                (nodes,) = (target / plain).glob("*.nodes.json")
                stem = nodes.name.removesuffix(".nodes.json")
                _write_manifest(target, plain, f"{plain}/{stem}.png", f"{plain}/{nodes.name}")
                continue
            page = load_page(FOLDER / f"{name}.html")
            target.mkdir(parents=True)
            studio = Studio(page=page, browser=browsers.on(benign.IDEAL))
            with studio.opened():
                studio.load()
                _write_design(Shelf(folder=target, page=page), studio.layout()[0].layout)
            (target / "design.svg").unlink()
            _write_manifest(target, name, "design.png", "nodes.json")


def _write_manifest(folder: Path, name: str, image: str, nodes: str) -> None:
    lines = ["schema_version: 1", "designs:", f"  {name}:", f"    image: {image}"]
    lines += [f"    nodes: {nodes}", ""]
    (folder / "designs.yaml").write_text("\n".join(lines), "utf-8")


def run_project(folder: Path, *, browser: str | None = None) -> Outcome:
    """Run the loop in a project and return what became of it."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environ = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    words = [f"--pixelloop-browser={browser}"] if browser else []
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *words],
        cwd=folder, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    (folder / "output.txt").write_text(done.stdout + done.stderr, "utf-8")
    return read_outcome(folder, seconds=time.perf_counter() - started)


def read_outcome(folder: Path, *, seconds: float = 0.0) -> Outcome:
    """Return what the only looped test of a project came to."""
    found = [
        json.loads(p.read_text("utf-8"))
        for p in sorted(folder.glob(".pixelloop/runs/*/tests/*/summary.json"))
    ]
    looped = [r for r in found if r["rule"] != "gate"]
    if not looped:
        return Outcome(
            name=folder.name, findings=0, iterations=0, status="no run", scores=(), seconds=seconds
        )
    return Outcome(
        name=folder.name,
        findings=sum(1 for f in _first_findings(folder)),
        iterations=looped[0]["iterations"],
        status=looped[0]["status"],
        scores=tuple(looped[0]["score_history"]),
        seconds=seconds,
    )


def _first_findings(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob(".pixelloop/runs/*/tests/*/diff/00/*.report.json")):
        report = json.loads(path.read_text("utf-8"))
        yield from (f for f in report["findings"] if f["gating"] and f["state"] == "open")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loop.helpful", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the projects here")
    parser.add_argument("--browser", help="Chromium (default: the one on the path)")
    return parser.parse_args()


def main() -> int:
    """Run all cases, print the table, return 1 when one was not helped."""
    arguments = _arguments()
    cases = [c for c in CASES if not arguments.only or c.name in arguments.only]
    browser = arguments.browser or shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "no Chromium found: pass --browser PATH"
    keep = arguments.keep or Path(tempfile.mkdtemp(prefix="helpful-"))
    keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as designs:
        draw_designs(Path(designs), {c.page for c in cases}, executable=browser)
        print(f"{'page':20} {'findings':>8} {'iterations':>10}  status", flush=True)
        outcomes = []
        for case in cases:
            write_project(keep / case.name, case, Path(designs))
            outcome = run_project(keep / case.name, browser=arguments.browser)
            outcomes.append(outcome)
            mark = "" if outcome.helped else "   <--"
            print(
                f"{outcome.name:20} {outcome.findings:8} {outcome.iterations:10}  "
                f"{outcome.status}{mark}",
                flush=True,
            )
    helped = sum(o.helped for o in outcomes)
    used = sum(o.iterations for o in outcomes)
    print(
        f"{helped} of {len(outcomes)} converged within findings + 2; "
        f"{sum(o.findings for o in outcomes)} findings, {used} iterations in all; {keep}"
    )
    return 0 if helped == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
