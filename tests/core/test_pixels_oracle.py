"""compare_pixels against npm pixelmatch 7.2 and PyPI pixelmatch 0.4: mask for mask.

The npm answers are committed (oracle/expectations.json), so that no Node is needed. With Node and
``npm install --prefix tests/core/oracle`` they are asked for again, live. New ones are written by

    python tests/core/test_pixels_oracle.py --write
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from pytest_pixelloop.core import pixels as pixels_module
from pytest_pixelloop.core.pixels import compare_pixels, paint_diff

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

ORACLE = Path(__file__).parent / "oracle"
EXPECTATIONS = ORACLE / "expectations.json"
PACKAGE = ORACLE / "node_modules" / "pixelmatch"
SIZES = ((1, 1), (1, 7), (9, 1), (2, 2), (3, 3), (2, 31), (17, 13), (33, 20), (40, 31), (64, 9))
THRESHOLDS = (0.0, 0.02, 0.1, 0.3, 1.0)
KINDS = ("noise", "palette", "discs", "strokes", "near", "steps", "ghosts")
ROUNDS = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pair:
    """Two pictures of one size."""

    name: str
    expected: Picture
    actual: Picture

    @property
    def opaque(self) -> bool:
        """Whether no pixel of either picture lets the background through."""
        return bool((self.expected[..., 3] == 255).all() and (self.actual[..., 3] == 255).all())


class Dice:
    """Random numbers that are the same for ever: splitmix64 over a counter."""

    def __init__(self, seed: int) -> None:
        self._state = np.uint64(seed * 7919 + 1)

    def integers(self, shape: tuple[int, ...], limit: int) -> NDArray[np.int64]:
        """Return an array of numbers below *limit*."""
        count = int(np.prod(shape))
        with np.errstate(over="ignore"):
            z = self._state + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(
                0x9E3779B97F4A7C15
            )
            self._state = z[-1]
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
        return ((z >> np.uint64(11)) % np.uint64(limit)).astype(np.int64).reshape(shape)

    def numbers(self, count: int, limit: float) -> list[float]:
        """Return *count* fractions below *limit*."""
        return [float(n) * limit / 4096 for n in self.integers((count,), 4096)]


def _cover(base: NDArray[np.float64], color: NDArray[np.int64], share: NDArray[np.float64]) -> Any:
    share = np.clip(share, 0, 1)[..., np.newaxis]
    return base * (1 - share) + color * share


def _discs(dice: Dice, height: int, width: int) -> tuple[Any, Any]:
    y, x = np.mgrid[0:height, 0:width] + 0.5
    first = np.zeros((height, width, 4)) + dice.integers((4,), 256)
    second = first.copy()
    for _ in range(3):
        cx, cy = dice.numbers(1, width)[0], dice.numbers(1, height)[0]
        dx, dy, radius = *dice.numbers(2, 1.5), dice.numbers(1, 9)[0]
        color = dice.integers((4,), 256)
        first = _cover(first, color, radius - np.sqrt((x - cx) ** 2 + (y - cy) ** 2))
        second = _cover(second, color, radius - np.sqrt((x - cx - dx) ** 2 + (y - cy - dy) ** 2))
    return first, second


def _strokes(dice: Dice, height: int, width: int) -> tuple[Any, Any]:
    y, x = np.mgrid[0:height, 0:width] + 0.5
    first = np.zeros((height, width, 4)) + dice.integers((4,), 256)
    second = first.copy()
    for _ in range(4):
        slope, start, moved, half = *dice.numbers(1, 2), *dice.numbers(2, height), 0.8
        color = dice.integers((4,), 256)
        first = _cover(first, color, half + 0.5 - np.abs(y - start - slope * (x - width / 2)))
        away = moved / height - 0.5
        second = _cover(
            second, color, half + 0.5 - np.abs(y - start - away - slope * (x - width / 2))
        )
    return first, second


def _pictures(kind: str, dice: Dice, height: int, width: int) -> tuple[Any, Any]:
    shape = (height, width, 4)
    if kind == "noise":
        first, second = dice.integers(shape, 256), dice.integers(shape, 256)
        return first, np.where(dice.integers((height, width, 1), 2) == 1, first, second)
    if kind == "palette":  # few colours: many equal neighbours, all ways through the sibling rule
        colors = dice.integers((4, 4), 256)
        colors[:, 3] = (0, 128, 255, 255)
        return colors[dice.integers(shape[:2], 4)], colors[dice.integers(shape[:2], 4)]
    if kind == "ghosts":  # several colours that cannot be seen, beside some that can
        colors = np.array([(0, 0, 0, 0), (255, 255, 0, 0), (255, 255, 255, 255), (0, 0, 0, 255)])
        return colors[dice.integers(shape[:2], 4)], colors[dice.integers(shape[:2], 4)]
    if kind == "near":  # steps around every threshold, and bytes that differ unseen
        first = np.zeros(shape, np.int64) + dice.integers((4,), 256)
        return first, first + dice.integers(shape, 60) - 30
    if kind == "steps":  # monotone ramps beside flat areas, moved
        ramp = np.minimum(np.arange(width + 4) * 24, 230)[np.newaxis, :, np.newaxis]
        picture = np.zeros((height, width + 4, 4), np.int64) + ramp
        picture += (dice.integers((height, 1, 1), 3) == 0) * 16
        return picture[:, :width], picture[:, 3 : width + 3]
    return (_discs if kind == "discs" else _strokes)(dice, height, width)


def generated_pairs(*, rounds: int = ROUNDS, seed: int = 0) -> Iterable[Pair]:
    """Yield the generated pairs: every kind, opaque and translucent in turn, all sizes."""
    for number in range(rounds * len(KINDS)):
        kind = KINDS[number % len(KINDS)]
        width, height = SIZES[(number * 7 + number // len(SIZES)) % len(SIZES)]
        pictures = []
        for values in _pictures(kind, Dice(number + seed * 1000), height, width):
            picture = np.clip(values, 0, 255).astype(np.uint8)
            if number // len(KINDS) % 2 == 0:
                picture[..., 3] = 255
            pictures.append(picture)
        name = f"{number:02}-{kind}-{width}x{height}"
        yield Pair(name=name, expected=pictures[0], actual=pictures[1])


def screenshot_pairs() -> Iterable[Pair]:
    """Yield the twelve pairs of real screenshots."""
    for after in sorted((ORACLE / "screenshots").glob("*--*.png")):
        before = after.with_name(after.name.split("--")[0] + ".png")
        first, second = (np.asarray(Image.open(f).convert("RGBA")) for f in (before, after))
        yield Pair(name=after.stem, expected=first, actual=second)


@functools.cache
def _pairs() -> dict[str, Pair]:
    return {pair.name: pair for pair in (*generated_pairs(), *screenshot_pairs())}


def _options() -> list[tuple[float, bool]]:
    return [(threshold, include) for threshold in THRESHOLDS for include in (False, True)]


def _digest(*arrays: NDArray[Any]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _answer_of_npm(picture: Picture, mismatch: int) -> dict[str, Any]:
    red = (picture == (255, 0, 0, 255)).all(axis=2)
    yellow = (picture == (255, 255, 0, 255)).all(axis=2)
    return {
        "mismatch": mismatch,
        "antialiased": int(yellow.sum()),
        "masks": _digest(red, yellow),
        "picture": _digest(picture),
    }


def _our_answer(pair: Pair, threshold: float, include: bool) -> dict[str, Any]:  # noqa: FBT001
    diff = compare_pixels(
        pair.expected, pair.actual, threshold=threshold, include_antialiased=include
    )
    return {
        "mismatch": diff.mismatch,
        "antialiased": diff.antialiased,
        "masks": _digest(diff.mask, diff.antialiased_mask),
        "picture": _digest(paint_diff(pair.expected, pair.actual, diff)),
    }


def ask_npm(pairs: Iterable[Pair]) -> dict[str, dict[str, Any]]:
    """Return npm pixelmatch's answer for every pair and option, keyed by the pair's name."""
    asked = list(pairs)
    requests = [
        json.dumps(
            {
                "expected": base64.b64encode(pair.expected.tobytes()).decode(),
                "actual": base64.b64encode(pair.actual.tobytes()).decode(),
                "width": pair.expected.shape[1],
                "height": pair.expected.shape[0],
                "threshold": threshold,
                "includeAA": include,
            }
        )
        for pair in asked
        for threshold, include in _options()
    ]
    output = subprocess.run(
        ["node", str(ORACLE / "pixelmatch_oracle.mjs"), str(PACKAGE)],
        input="\n".join(requests),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    answers = iter(output)
    result: dict[str, dict[str, Any]] = {}
    for pair in asked:
        rows = {}
        for threshold, include in _options():
            answer = json.loads(next(answers))
            raw = np.frombuffer(base64.b64decode(answer["picture"]), np.uint8)
            key = f"{threshold}{'+aa' if include else ''}"
            rows[key] = _answer_of_npm(raw.reshape(pair.expected.shape), answer["mismatch"])
        result[pair.name] = {"input": _digest(pair.expected, pair.actual), "answers": rows}
    return result


def _live_or_skip() -> None:
    if shutil.which("node") is None or not PACKAGE.is_dir():
        pytest.skip("needs Node and: npm install --prefix tests/core/oracle")


def _expectations() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = json.loads(EXPECTATIONS.read_text(encoding="utf-8"))
    return loaded


def test_the_committed_expectations_cover_what_they_promise() -> None:
    """60 or more generated pairs, 12 screenshots, alpha, smoothing, 1 px sides: none is missing."""
    pairs, recorded = _pairs(), _expectations()
    assert set(recorded) == set(pairs)
    assert len(pairs) - 12 >= 60
    assert sum(1 for pair in pairs.values() if not pair.opaque) >= 20
    assert sum(1 for pair in pairs.values() if 1 in pair.expected.shape[:2]) >= 10
    smoothed = [n for n, r in recorded.items() if r["answers"]["0.1"]["antialiased"] > 0]
    assert len(smoothed) >= 20
    assert sum(1 for name in smoothed if "--" in name) >= 10


@pytest.mark.parametrize("name", sorted(_pairs()))
def test_counts_masks_and_picture_equal_npm_pixelmatch(name: str) -> None:
    """Count, mask, anti-aliased mask and painted picture are those of npm pixelmatch 7.2."""
    pair, recorded = _pairs()[name], _expectations()[name]
    assert _digest(pair.expected, pair.actual) == recorded["input"], "the generator has changed"
    for threshold, include in _options():
        key = f"{threshold}{'+aa' if include else ''}"
        assert _our_answer(pair, threshold, include) == recorded["answers"][key], key


def test_npm_pixelmatch_still_says_what_was_recorded() -> None:
    """The committed expectations are npm pixelmatch's own words, asked for again live."""
    _live_or_skip()
    assert ask_npm(_pairs().values()) == _expectations()


@pytest.mark.parametrize("seed", range(1, 5))
def test_fresh_pairs_equal_npm_pixelmatch_live(seed: int) -> None:
    """Pairs that nobody has looked at before agree as well."""
    _live_or_skip()
    pairs = list(generated_pairs(seed=seed))
    answers = ask_npm(pairs)
    for pair in pairs:
        for threshold, include in _options():
            key = f"{threshold}{'+aa' if include else ''}"
            ours = _our_answer(pair, threshold, include)
            assert ours == answers[pair.name]["answers"][key], (pair.name, key)


@pytest.mark.parametrize("name", sorted(_pairs()))
def test_opaque_pictures_equal_pypi_pixelmatch(name: str) -> None:
    """On opaque pictures count and masks are those of the Python package, 0.4."""
    pixelmatch = pytest.importorskip("pixelmatch").pixelmatch
    pair = _pairs()[name]
    if not pair.opaque:
        pair = Pair(name=name, expected=pair.expected.copy(), actual=pair.actual.copy())
        pair.expected[..., 3] = pair.actual[..., 3] = 255
    height, width = pair.expected.shape[:2]
    for threshold, include in ((0.1, False), (0.0, True)):
        picture = [0] * (height * width * 4)
        count = pixelmatch(
            pair.expected.ravel().tolist(),
            pair.actual.ravel().tolist(),
            width,
            height,
            output=picture,
            threshold=threshold,
            includeAA=include,
        )
        raw = np.array(picture, np.uint8).reshape(height, width, 4)
        theirs = _answer_of_npm(raw, count)
        ours = _our_answer(pair, threshold, include)
        assert {k: ours[k] for k in ("mismatch", "antialiased", "masks")} == {
            k: theirs[k] for k in ("mismatch", "antialiased", "masks")
        }


def test_the_result_does_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Going through the pixels in blocks of 7 gives what one go gives."""
    pairs = list(_pairs().values())[:24]
    whole = [compare_pixels(p.expected, p.actual, threshold=0.02) for p in pairs]
    monkeypatch.setattr(pixels_module, "BAND", 50)
    monkeypatch.setattr(pixels_module, "BLOCK", 7)
    for pair, reference in zip(pairs, whole, strict=True):
        diff = compare_pixels(pair.expected, pair.actual, threshold=0.02)
        assert np.array_equal(diff.mask, reference.mask)
        assert np.array_equal(diff.antialiased_mask, reference.antialiased_mask)
        assert np.array_equal(diff.deltas, reference.deltas)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    EXPECTATIONS.write_text(
        json.dumps(ask_npm(_pairs().values()), indent=0, sort_keys=True) + "\n", encoding="utf-8"
    )
