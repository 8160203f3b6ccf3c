"""Time one comparison, arrays to verdict with regions, beside PyPI pixelmatch in the same run.

    python benchmarks/compare_pixels.py                  # both pages; about two minutes
    python benchmarks/compare_pixels.py --skip-tall      # 1280 x 800 only
    python benchmarks/compare_pixels.py --skip-peer      # without PyPI pixelmatch

Seconds are CPU seconds of all threads, so that a busy machine does not decide the ratio. PyPI
pixelmatch only counts pixels; this package also places the design nodes, attributes every
pixel, words the findings and scores them. Both have to count the same, or the run stops.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from typing import TYPE_CHECKING

import cv2
import numpy as np

from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.design import Design, DesignNode
from pytest_pixelloop.core.gate_pixel import judge_pixel
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.tolerance import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pytest_pixelloop.core.verdict import Judgement

    Picture = NDArray[np.uint8]

CARD = (304, 148)
WORDS = ("Orders", "Pay now", "Delivery on Monday", "Two items left", "Settings", "Ada Lovelace")
ROUNDS = 5


def draw_page(width: int, height: int, *, wrong: bool) -> Picture:
    """Return a page of cards: blocks, smoothed text, discs. *wrong* breaks every third card."""
    rng = np.random.default_rng(20)
    page = np.full((height, width, 3), 250, np.uint8)
    for number, (x, y) in enumerate(_corners(width, height)):
        color = tuple(int(v) for v in rng.integers(20, 220, 3))
        broken = wrong and number % 3 == 0
        shift = 1 if broken and number % 2 == 0 else 0
        cv2.rectangle(page, (x, y), (x + CARD[0], y + CARD[1]), (255, 255, 255), -1)
        cv2.rectangle(page, (x, y), (x + CARD[0], y + CARD[1]), (210, 213, 219), 1)
        cv2.circle(page, (x + 28, y + 28 + shift), 14, color, -1, cv2.LINE_AA)
        for line in range(3):
            at = (x + 54, y + 32 + shift + 24 * line)
            text = WORDS[(number + line) % len(WORDS)]
            cv2.putText(page, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (31, 41, 55), 1, cv2.LINE_AA)
        fill = (200, 60, 40) if broken and number % 2 else (235, 99, 37)
        cv2.rectangle(page, (x + 54, y + 104), (x + 150, y + 132), fill, -1, cv2.LINE_AA)
    return _rgba(page)


def rasterised_otherwise(page: Picture) -> Picture:
    """Return the page as another rasteriser draws it: every edge smoothed a third of a px aside."""
    move = np.array([[1, 0, 0.3], [0, 1, 0.2]], np.float64)
    size = (page.shape[1], page.shape[0])
    moved = cv2.warpAffine(
        page, move, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(moved, np.uint8)


def _corners(width: int, height: int) -> list[tuple[int, int]]:
    return [
        (x, y)
        for y in range(8, height - CARD[1], CARD[1] + 12)
        for x in range(8, width - CARD[0], CARD[0] + 12)
    ]


def _rgba(page: Picture) -> Picture:
    return np.dstack([page, np.full(page.shape[:2], 255, np.uint8)])


def tree(width: int, height: int, nodes: int) -> DesignNode:
    """Return a tree of about *nodes* nodes over the page: cards, and parts in each of them."""
    corners = _corners(width, height)
    parts = max(1, (nodes - 1) // len(corners) - 1)
    cards = []
    for number, (x, y) in enumerate(corners):
        step = CARD[1] / parts
        children = tuple(
            DesignNode(
                id=f"{number}:{k}",
                name=f"part {k}",
                type="TEXT",
                box=Box(x + 4.5, y + k * step, CARD[0] - 9, step * 0.9),
            )
            for k in range(parts)
        )
        cards.append(
            DesignNode(
                id=f"card:{number}",
                name=f"card {number}",
                type="FRAME",
                box=Box(x, y, *CARD),
                clips=True,
                children=children,
            )
        )
    return DesignNode(
        id="0:1", name="page", type="FRAME", box=Box(0, 0, width, height), children=tuple(cards)
    )


def timed(expected: Picture, actual: Picture, root: DesignNode | None) -> tuple[float, Judgement]:
    """Return the median CPU seconds from arrays to verdict, and the verdict."""
    height, width = expected.shape[:2]
    design = Design(
        name="bench", label="bench", image=expected, frame=(width, height), scale=1, root=root
    )
    capture = Capture(image=actual, scale=1, source="benchmark")
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        judgement = judge_pixel(design, capture, tolerance=Tolerance())
        times.append(time.process_time() - started)
    return statistics.median(times), judgement


def timed_peer(expected: Picture, actual: Picture) -> tuple[float, int]:
    """Return PyPI pixelmatch's CPU seconds for one run, and its count."""
    from pixelmatch import pixelmatch

    first, second = expected.tobytes(), actual.tobytes()
    started = time.process_time()
    count = pixelmatch(first, second, expected.shape[1], expected.shape[0], threshold=0.1)
    return time.process_time() - started, int(count)


def report(width: int, height: int, *, peer: bool) -> None:
    """Print the rows of one page size."""
    expected, broken = (draw_page(width, height, wrong=wrong) for wrong in (False, True))
    rendered = rasterised_otherwise(broken)
    for name, actual in (("a broken page", broken), ("design and render", rendered)):
        theirs, count = timed_peer(expected, actual) if peer else (None, None)
        if theirs is not None:
            _row(width, height, f"{name}: PyPI pixelmatch", theirs, count, theirs)
        for nodes in (150, 1000, 0):
            root = tree(width, height, nodes) if nodes else None
            seconds, judgement = timed(expected, actual, root)
            mismatch = judgement.pixels["mismatch"]
            if count is not None and mismatch != count:
                sys.exit(f"{mismatch} mismatched px, PyPI pixelmatch says {count}")
            found = f"{name}: {nodes} nodes, {len(judgement.regions)} regions"
            _row(width, height, found, seconds, mismatch, theirs)
    root = tree(width, height, 1000)
    seconds, judgement = timed(expected, expected.copy(), root)
    _row(width, height, "equal pictures: 1000 nodes", seconds, 0, None)
    inverted = expected ^ np.array([255, 255, 255, 0], np.uint8)
    noise = np.random.default_rng(1).integers(0, 256, expected.shape, dtype=np.uint8)
    noise[..., 3] = 255
    for name, worst in (("all inverted", inverted), ("noise", noise)):
        seconds, judgement = timed(expected, worst, root)
        _row(width, height, f"{name}: 1000 nodes", seconds, judgement.pixels["mismatch"], None)


def _row(
    width: int, height: int, what: str, seconds: float, count: int | None, peer: float | None
) -> None:
    ratio = f"{peer / seconds:8.0f}x" if peer is not None else f"{'-':>9}"
    print(
        f"| {width}x{height:<5} | {what:<42} | {seconds:9.4f} | {count:>9} | {ratio} |", flush=True
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--skip-tall", action="store_true", help="leave out 1280 x 9591")
    parser.add_argument("--skip-peer", action="store_true", help="leave out PyPI pixelmatch")
    options = parser.parse_args()
    print(f"| {'page':<10} | {'what':<42} | {'seconds':>9} | {'px':>9} | {'faster':>9} |")
    print(f"|{'-' * 12}|{'-' * 44}|{'-' * 11}|{'-' * 11}|{'-' * 11}|")
    report(1280, 800, peer=not options.skip_peer)
    if not options.skip_tall:
        report(1280, 9591, peer=not options.skip_peer)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"\npeak memory of the whole run: {peak} MB; CPU seconds, median of {ROUNDS} runs")


if __name__ == "__main__":
    main()
