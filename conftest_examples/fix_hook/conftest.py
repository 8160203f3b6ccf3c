"""The fixer is a hook: Python in the test session, without a command of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_pixelloop import FixBrief

BADGE = Path(__file__).parent / "site" / "badge.json"
RIGHT = {"fill": "#2563eb", "radius": 40}


def pytest_pixelloop_fix(brief: FixBrief, iteration: int) -> dict[str, Any] | None:
    """Repair one thing of the badge and say what that has cost; None hands the fix on."""
    if not brief.record["findings"]:
        return None
    print(f"iteration {iteration}: {len(brief.record['findings'])} findings")
    told = json.loads(BADGE.read_text("utf-8"))
    wrong = [name for name in RIGHT if told[name] != RIGHT[name]]
    if not wrong:
        return {"ok": False, "message": "nothing is left that this hook knows of"}
    told[wrong[0]] = RIGHT[wrong[0]]
    BADGE.write_text(json.dumps(told) + "\n", "utf-8")
    return {"cost_usd": 0.02, "tokens": 900}
