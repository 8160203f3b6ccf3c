"""Snapshot mode against Playwright Test on the same pages, pictures and limits, in one run.

    npm install --prefix /tmp/peer @playwright/test
    python benchmarks/snapshot_peer.py --npm /tmp/peer [--browser /usr/bin/chromium]

Playwright Test records the baselines. Then each case shows a page, changed or not, and both tools
say pass or fail at the same limits. Printed are the cases, where the two differ, and whether both
captured the same pixels.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path

PAGES = {
    "button": "<button class=box>Sign in</button><p>Welcome back</p>",
    "table": "<table>" + "<tr><td>Order</td><td>12.40</td></tr>" * 6 + "</table>",
    "shapes": "<div class=box></div><div class=dot></div><svg width=60 height=60>"
    "<circle cx=30 cy=30 r=25 fill='#16a34a'/></svg>",
    "text": "<h1>Heading</h1><p>The quick brown fox jumps over the lazy dog, twice a day.</p>",
}
STYLE = """body{margin:16px;font:16px/1.5 'Liberation Sans';color:#111827;background:#fff}
.box{width:120px;height:40px;background:#2563eb;color:#fff;border:0}
.dot{width:40px;height:40px;border-radius:50%;background:#dc2626}
.wide{width:300px;height:80px;background:linear-gradient(#2563eb,#16a34a)}
td{padding:4px 8px;border:1px solid #d1d5db}"""
CHANGES = {
    "same": "",
    "token": ".box{background:#1d4ed8}td{border-color:#9ca3af}.wide{background:#2563eb}"
    "h1{color:#1f2937}",
    "red": ".box,.wide,td,h1{background:#dc2626}",
    "shift": "body{padding-left:1px}",
    "half": "body{padding-left:0.5px}",
}
LIMITS: dict[str, dict[str, float]] = {
    "default": {},
    "ratio": {"max_diff_pixel_ratio": 0.01},
    "both": {"max_diff_pixels": 5000, "max_diff_pixel_ratio": 0.001},
    "strict": {"threshold": 0.0},
}
CAMEL = {
    "max_diff_pixels": "maxDiffPixels",
    "max_diff_pixel_ratio": "maxDiffPixelRatio",
    "threshold": "threshold",
}

SPEC = """
const { test, expect } = require('@playwright/test');
const fs = require('fs');
for (const c of JSON.parse(fs.readFileSync(process.env.CASES, 'utf8')))
  test(c.id, async ({ page }) => {
    await page.setContent(c.html);
    await expect(page).toHaveScreenshot(c.page + '.png', c.camel);
  });
"""
CONFIG = """
module.exports = {
  testDir: '.', workers: 1, timeout: 60000, snapshotPathTemplate: 'baselines/{arg}{ext}',
  reporter: [['json', { outputFile: 'peer.json' }]], expect: { timeout: 2500 },
  use: { viewport: { width: 400, height: 300 },
         launchOptions: { executablePath: process.env.BROWSER, args: ['--no-sandbox'] } },
};
"""
TEST = """
import json, os, pathlib
import pytest

CASES = json.loads(pathlib.Path(os.environ["CASES"]).read_text())


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 400, "height": 300}}


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_case(page, case, assert_matches_design):
    page.set_content(case["html"])
    assert_matches_design(page, snapshot=case["page"], **case["limits"])
"""


def main() -> int:
    """Run both tools on all cases and print the table; exit code 1 where they differ."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--npm", type=Path, required=True, help="folder with node_modules")
    parser.add_argument("--browser", default=shutil.which("chromium") or "chromium")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="snapshot-peer-") as name:
        folder = Path(name)
        cases = _cases()
        _write(folder, cases, arguments.npm.resolve())
        environment = {
            **os.environ,
            "BROWSER": arguments.browser,
            "PIXELLOOP_BROWSER": arguments.browser,
            "NODE_PATH": str(arguments.npm.resolve() / "node_modules"),
        }
        plain = [c for c in cases if c["change"] == "same" and c["limit"] == "default"]
        _peer(folder, plain, environment, "all")
        peer = _peer(folder, cases, environment, "none")
        ours = _ours(folder, cases, environment)
        return _print(cases, peer, ours)


def _cases() -> list[dict[str, object]]:
    return [
        {
            "id": f"{page}-{change}-{limit}",
            "page": page,
            "change": change,
            "limit": limit,
            "html": f"<!doctype html><style>{STYLE}{CHANGES[change]}</style>{PAGES[page]}",
            "limits": LIMITS[limit],
            "camel": {CAMEL[key]: value for key, value in LIMITS[limit].items()},
        }
        for page, change, limit in product(PAGES, CHANGES, LIMITS)
    ]


def _write(folder: Path, cases: list[dict[str, object]], npm: Path) -> None:
    (folder / "node_modules").symlink_to(npm / "node_modules")
    (folder / "cases.spec.js").write_text(SPEC, encoding="utf-8")
    (folder / "playwright.config.js").write_text(CONFIG, encoding="utf-8")
    (folder / "test_cases.py").write_text(TEST, encoding="utf-8")
    (folder / "pytest.ini").write_text(
        "[pytest]\npixelloop_snapshot_path = baselines/{name}.png\n", encoding="utf-8"
    )
    (folder / "all.json").write_text(json.dumps(cases), encoding="utf-8")


def _peer(
    folder: Path, cases: list[dict[str, object]], environment: dict[str, str], update: str
) -> dict[str, bool]:
    path = folder / f"cases-{update}.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    command = ["node", "node_modules/@playwright/test/cli.js", "test"]
    subprocess.run(
        [*command, f"--update-snapshots={update}"],
        cwd=folder,
        env={**environment, "CASES": str(path)},
        check=False,
        capture_output=True,
    )
    found: dict[str, bool] = {}
    report = json.loads((folder / "peer.json").read_text("utf-8"))
    for suite in report["suites"]:
        for spec in suite["specs"]:
            found[spec["title"]] = bool(spec["ok"])
    return found


def _ours(
    folder: Path, cases: list[dict[str, object]], environment: dict[str, str]
) -> dict[str, bool]:
    path = folder / "cases-ours.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--pixelloop-update=none",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, "--junitxml=ours.xml"],
        cwd=folder,
        env={**environment, "CASES": str(path)},
        check=False,
        capture_output=True,
        text=True,
    )
    if not (folder / "ours.xml").is_file():
        sys.exit(done.stdout + done.stderr)
    found: dict[str, bool] = {}
    for case in ET.parse(folder / "ours.xml").iter("testcase"):
        title = str(case.get("name")).partition("[")[2].rstrip("]").removeprefix("chromium-")
        found[title] = case.find("failure") is None and case.find("error") is None
    return found


def _print(cases: list[dict[str, object]], peer: dict[str, bool], ours: dict[str, bool]) -> int:
    words = {True: "pass", False: "fail", None: "?"}
    differ = [str(c["id"]) for c in cases if peer.get(str(c["id"])) != ours.get(str(c["id"]))]
    passed = sum(1 for c in cases if peer.get(str(c["id"])))
    print(f"{len(cases)} cases, of which Playwright Test passes {passed}")
    for name in differ:
        told = f"Playwright Test {words[peer.get(name)]}, snapshot mode {words[ours.get(name)]}"
        print(f"  differs: {name}: {told}")
    print(f"same answer: {len(cases) - len(differ)} of {len(cases)}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
