"""What this plugin costs a suite that has no visual test: collection of 2,000 plain tests.

Runs ``pytest --collect-only`` with the plugin and with ``-p no:pixelloop`` in turn, each in a
process of its own, so that both see the same machine. Counted is processor time (user and system)
of the whole process, which a busy machine disturbs less than the clock on the wall. Prints the
median, the lowest time and the overhead, and the spread of the pairs.

    python benchmarks/collect_only.py [--rounds 15] [--tests 2000]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = 40


def make_suite(folder: Path, tests: int) -> None:
    """Write *tests* plain tests into files of equal size."""
    each = tests // FILES
    for number in range(FILES):
        lines = [f"def test_{index}():\n    assert {index} >= 0\n" for index in range(each)]
        (folder / f"test_plain_{number:02d}.py").write_text("\n".join(lines), "utf-8")


def collect(folder: Path, *extra: str) -> float:
    """Return the seconds of processor time that one collection takes."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, *extra], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tests", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_suite(folder, options.tests)
        collect(folder)  # compiles and rewrites the files once, for both
        plain: list[float] = []
        loaded: list[float] = []
        for number in range(options.rounds):
            order = [(plain, ("-p", "no:pixelloop")), (loaded, ())]
            for times, extra in order if number % 2 else reversed(order):
                times.append(collect(folder, *extra))
    ratios = [b / a - 1 for a, b in zip(plain, loaded, strict=True)]
    for what, times in (("without", plain), ("with", loaded)):
        print(f"{what:>8}: median {statistics.median(times):.3f} s, lowest {min(times):.3f} s")
    print(
        f"overhead: {min(loaded) / min(plain) - 1:+.1%} of the lowest, "
        f"{statistics.median(ratios):+.1%} median of {len(ratios)} pairs "
        f"({min(ratios):+.1%} to {max(ratios):+.1%})"
    )


if __name__ == "__main__":
    main()
