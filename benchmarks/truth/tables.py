"""Prints results: rates by kind, what was hit and named, monotony, and the failures."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

from benchmarks.truth.cases import BENIGN, DEFECT, NESTED, OTHER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.truth.evaluate import Result


def _share(right: int, total: int) -> str:
    return f"{right:4d}/{total:<4d} {100 * right / total:6.1f} %" if total else "   -"


def _by_kind(results: Iterable[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        found[result.case.kind].append(result)
    return dict(sorted(found.items()))


def _counted(results: list[Result], right: Callable[[Result], bool]) -> tuple[int, int]:
    return sum(right(r) for r in results), len(results)


def monotony(results: list[Result]) -> tuple[int, int]:
    """Return how many pairs of nested sets have strictly ordered scores, of how many."""
    chains: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        if result.case.group == NESTED:
            chains[result.case.chain].append(result)
    right = total = 0
    for chain in chains.values():
        chain.sort(key=lambda r: r.case.level)
        for low, high in combinations(chain, 2):
            total += 1
            right += low.score is not None and high.score is not None and low.score < high.score
    return right, total


def right_or_wrong(result: Result) -> bool:
    """Tell whether the gate's pass or refusal is the truth; nested sets must be refused."""
    return result.passed == (result.case.group == BENIGN)


def _defect_table(defects: list[Result]) -> None:
    print(f"  {'defect kind':18s} {'not passed':>19s}  first  in 3  exact  property  (+advisory)")
    for kind, group in (*_by_kind(defects).items(), ("ALL", defects)):
        if not group:
            continue
        n = len(group)
        first = sum(r.hit == 0 for r in group)
        three = sum(r.hit is not None and r.hit < 3 for r in group)
        exact = sum(r.exact is not None and r.exact < 3 for r in group)
        styled = [r for r in group if r.case.properties]
        named = advised = "     -"
        if styled:
            named = f"{100 * sum(r.named for r in styled) / len(styled):6.0f}"
            advised = f"{100 * sum(r.named_advisory for r in styled) / len(styled):6.0f}"
        print(
            f"  {kind:18s} {_share(*_counted(group, lambda r: not r.passed)):>19s} "
            f"{100 * first / n:6.0f} {100 * three / n:5.0f} {100 * exact / n:6.0f}"
            f"  {named}  {advised}"
        )


def show(results: list[Result], *, title: str) -> None:
    """Print one gate's figures."""
    print(f"\n== {title}")
    defects = [r for r in results if r.case.group == DEFECT]
    benign = [r for r in results if r.case.group == BENIGN]
    if defects:
        _defect_table(defects)
    if benign:
        print(f"  {'benign kind':18s} {'passed':>19s}")
        drifted = [r for r in benign if r.case.kind.endswith("-drifted")]
        kept = [r for r in benign if r not in drifted]
        for kind, group in _by_kind(kept).items():
            print(f"  {kind:18s} {_share(*_counted(group, lambda r: r.passed)):>19s}")
        print(f"  {'ALL':18s} {_share(*_counted(kept, lambda r: r.passed)):>19s}")
        if drifted:
            text = _share(*_counted(drifted, lambda r: r.passed))
            print(f"  {'(drifted layout)':18s} {text:>19s}   a box moved > 2 px: not counted")
    _show_rest(results)


def _show_rest(results: list[Result]) -> None:
    other = [r for r in results if r.case.group == OTHER]
    for kind, group in _by_kind(other).items():
        refused, n = _counted(group, lambda r: not r.passed)
        single = sum(r.status.startswith("undetermined") or len(r.summary) == 1 for r in group)
        print(f"  {kind:18s} {_share(refused, n):>19s} refused, {single} as one line of its own")
    if any(r.case.group == NESTED for r in results):
        print(f"  {'monotony':18s} {_share(*monotony(results)):>19s} pairs of nested sets")
    seconds = sorted(r.seconds for r in results)
    errors = sum(r.status == "error" for r in results)
    if seconds:
        middle = seconds[len(seconds) // 2]
        print(f"  seconds a case: median {middle:.3f}, longest {seconds[-1]:.3f}; errors: {errors}")


def list_failures(results: list[Result]) -> None:
    """Print every case that was judged wrongly, or whose node was missed, with the findings."""
    for r in results:
        missed = r.case.group == DEFECT and (r.hit is None or r.hit > 2)
        if right_or_wrong(r) and not missed and r.status != "error":
            continue
        print(f"{r.case.id} [{r.status}] {r.case.detail} (changed px {r.case.pixels})")
        for line in r.summary:
            print(f"      {line}")
