"""axe-core in the page, where the user has installed an extra that carries it."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_pixelloop.capture.problems import first_line, playwright_error_types
from pytest_pixelloop.core.axe import NOT_INSTALLED, AxeReport, AxeViolation
from pytest_pixelloop.core.geometry import Box

#: The distribution that the extra ``axe`` installs carries axe-core under this name.
_CARRIER, _FILE = "axe_playwright_python", "axe.min.js"
_PATIENCE_MS = 10_000
_MOST = 200
#: Judged by checks of our own, on what was painted.
_OURS = ("color-contrast", "color-contrast-enhanced", "target-size")
_RUN = """async (root, [off, patience, most]) => {
  const axe = window.axe, rules = {};
  for (const rule of off) rules[rule] = { enabled: false };
  let timer;
  const late = new Promise((_, no) => {
    timer = setTimeout(() => no(new Error('axe-core did not end')), patience);
  });
  try {
    const run = axe.run(root, { rules, elementRef: true, resultTypes: ['violations'] });
    const found = await Promise.race([run, late]);
    const out = [];
    for (const violation of found.violations) {
      for (const node of violation.nodes) {
        if (out.length >= most) break;
        const box = node.element ? node.element.getBoundingClientRect() : null;
        out.push({
          rule: violation.id, impact: node.impact || violation.impact || '', help: violation.help,
          url: violation.helpUrl, selector: node.target.flat(5).join(' >> '),
          box: box && box.width && box.height ? [box.x, box.y, box.width, box.height] : null,
        });
      }
    }
    return { version: found.testEngine.version, violations: out };
  } finally { clearTimeout(timer); }
}"""


def run_axe(page: Any, *, locator: Any, origin: tuple[float, float]) -> AxeReport:
    """Return what axe-core says of *page*, or of *locator*'s element on it. Never raises.

    *origin* is where the picture's corner lies in the viewport. A page that has an ``axe`` of its
    own keeps it, and is not looked at.
    """
    script = _script()
    if script is None:
        return AxeReport(reason=NOT_INSTALLED)
    try:
        if page.evaluate("() => window.axe !== undefined"):
            return AxeReport(reason="not run: the page has something called axe itself")
        page.evaluate(script)
        try:
            target = page.locator("html") if locator is None else locator
            found = target.evaluate(_RUN, [list(_OURS), _PATIENCE_MS, _MOST])
        finally:
            page.evaluate("() => { delete window.axe; }")
    except playwright_error_types() as error:
        return AxeReport(reason=f"not run: {first_line(error)}")
    return _report(found, (-origin[0], -origin[1]))


def _report(found: Any, shift: tuple[float, float]) -> AxeReport:
    return AxeReport(
        version=str(found["version"]),
        violations=tuple(
            AxeViolation(
                rule=str(v["rule"]),
                impact=str(v["impact"]),
                help=str(v["help"]),
                selector=str(v["selector"])[:300],
                url=str(v["url"]),
                box=Box(*v["box"]).shifted(*shift) if v["box"] else None,
            )
            for v in found["violations"]
        ),
    )


@lru_cache(maxsize=1)
def _script() -> str | None:
    """Return axe-core's source, None when nothing that carries it is installed."""
    found = importlib.util.find_spec(_CARRIER)
    if found is None or not found.submodule_search_locations:
        return None
    path = Path(found.submodule_search_locations[0]) / _FILE
    return path.read_text("utf-8") if path.is_file() else None
