"""Capture every page of trouble many times and print what came of it, as a table.

    python -m benchmarks.captures [--times 20] [--only WORDS] [--no-protocol]

Exit code 1 when a page was captured wrongly, not alike each time, or refused with another cause
than its own. ``--no-protocol`` takes the pictures as in browsers without Chromium's protocol.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "projects"))

from site_server import served_site
from trouble_pages import FRAME, TROUBLES, Trouble, take

from pytest_pixelloop.capture.session import BrowserSession


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", default="", help="pages whose name holds these words")
    parser.add_argument("--no-protocol", action="store_true")
    arguments = parser.parse_args()
    if arguments.no_protocol:
        import pytest_pixelloop.capture.camera

        pytest_pixelloop.capture.camera.browser_name = lambda _: "firefox"
    print("| page | outcome | right and identical | seconds each | how |")
    print("|---|---|---|---|---|")
    bad = 0
    with served_site() as site, BrowserSession() as session:
        for trouble in TROUBLES:
            if arguments.only in trouble.name:
                bad += not row(trouble, site=site, browser=session.browser, times=arguments.times)
    return 1 if bad else 0


def row(trouble: Trouble, *, site: str, browser: Any, times: int) -> bool:
    """Print the line of one page; tell whether every capture was right and like the others."""
    width, height = int(FRAME[0]), int(FRAME[1])
    context = browser.new_context(viewport={"width": width, "height": height})
    page = None
    if trouble.steps is not None:
        page = context.new_page()
        page.goto(f"{site}/{trouble.page}")
    started = time.perf_counter()
    outcomes = [take(trouble, site=site, browser=browser, page=page) for _ in range(times)]
    seconds = (time.perf_counter() - started) / times
    context.close()
    words = Counter(o.words for o in outcomes)
    (_, picture), _count = Counter((o.words, o.picture) for o in outcomes).most_common(1)[0]
    good = sum(1 for o in outcomes if not o.wrong and o.picture == picture)
    told = "; ".join(words) if len(words) == 1 else str(dict(words))
    print(
        f"| {trouble.name} | {told} | {good}/{times} | {seconds:.1f} | {trouble.how} |", flush=True
    )
    for problem in dict.fromkeys(p for o in outcomes for p in o.wrong):
        print(f"    {problem}")
    return good == times


if __name__ == "__main__":
    sys.exit(main())
