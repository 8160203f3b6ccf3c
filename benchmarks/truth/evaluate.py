"""Runs gates over the corpus and keeps, for each case, what they answered and if it was right."""

from __future__ import annotations

import time
import traceback
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchmarks.truth import gates
from benchmarks.truth.cases import DEFECT, NESTED, Case
from benchmarks.truth.corpus import load_cases
from pytest_pixelloop.core.attributing import property_family

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.truth.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One gate's answer to one case, judged by the truth.

    ``hit`` is the place of the first finding on an accepted node (0 = first), None for none;
    ``exact`` the same for the changed nodes alone. ``named`` tells whether a finding among the
    first three that hits also names the property; ``named_advisory`` counts advisory findings
    on an accepted node too. ``summary`` is what to print of it.
    """

    case: Case
    gate: str
    status: str
    score: float | None
    seconds: float
    hit: int | None = None
    exact: int | None = None
    named: bool = False
    named_advisory: bool = False
    summary: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the gate let the case through."""
        return self.status == "pass"


def _key(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "").replace(" ", "")


def _overlaps(box: Sequence[float], other: Sequence[float]) -> bool:
    x, y = max(box[0], other[0]), max(box[1], other[1])
    w = min(box[0] + box[2], other[0] + other[2]) - x
    h = min(box[1] + box[3], other[1] + other[3]) - y
    return w > 0 and h > 0 and w * h >= 0.5 * min(box[2] * box[3], other[2] * other[3])


def _on(finding: Any, ids: tuple[str, ...], case: Case) -> bool:
    if finding.node is not None and finding.node.id in ids:
        return True
    box = finding.box.as_list()
    if case.extra_box and (finding.node is None or finding.kind == "extra"):
        return _overlaps(box, case.extra_box)
    return finding.node is None and bool(case.area) and _overlaps(box, case.area)


def _names(finding: Any, case: Case) -> bool:
    word = finding.property or ""
    words = (word, property_family(word), *word.replace("/", ",").replace(" ", ",").split(","))
    parts = {_key(p) for p in words if p}
    return bool(parts & {_key(p) for p in case.properties})


def _judge_hits(result: Result, answer: gates.Answer) -> Result:
    case = result.case
    hits = [i for i, f in enumerate(answer.findings) if _on(f, case.accepted, case)]
    exact = [i for i, f in enumerate(answer.findings) if _on(f, case.changed, case)]
    leading = [answer.findings[i] for i in hits if i < 3]
    advisory = [f for f in answer.advisory if _on(f, case.accepted, case)]
    return replace(
        result,
        hit=hits[0] if hits else None,
        exact=exact[0] if exact else None,
        named=any(_names(f, case) for f in leading),
        named_advisory=any(_names(f, case) for f in (*leading, *advisory)),
    )


def _judge_case(
    judge: gates.Judge, gate: str, design: Any, case: Case, folder: Path, *, with_dom: bool
) -> Result:
    capture = gates.load_capture(folder / case.file, scale=int(design.scale), with_dom=with_dom)
    started = time.perf_counter()
    try:
        answer = judge(design, capture)
    except Exception:  # noqa: BLE001 - a gate that raises is a result to print, not the end
        answer = gates.Answer(status="error", score=None)
        trace = traceback.format_exc().splitlines()[-4:]
        return Result(case=case, gate=gate, status="error", score=None, seconds=0.0,
                      summary=tuple(trace))  # fmt: skip
    result = Result(
        case=case,
        gate=gate,
        status=answer.status,
        score=answer.score,
        seconds=time.perf_counter() - started,
        summary=tuple(
            f"{f.severity:.3g} {f.node.id if f.node else '-'} {f.kind}/{f.property}: {f.message}"
            for f in answer.findings[:6]
        ),
    )
    return _judge_hits(result, answer) if case.group == DEFECT else result


def _work(
    task: tuple[Page, Path, str, tuple[str, ...], tuple[str, ...], bool, int],
) -> list[Result]:
    page, folder, gate, kinds, groups, with_dom, one_in = task
    design = gates.load_design(folder, name=page.name, scale=page.scale)
    judge = gates.find(gate)
    return [
        _judge_case(judge, gate, design, case, folder, with_dom=with_dom)
        for case in load_cases(folder)
        if (not kinds or case.kind in kinds)
        and (not groups or case.group in groups)
        and (case.group == NESTED or zlib.crc32(case.id.encode()) % one_in == 0)
    ]


def run(
    folders: dict[str, Path],
    *,
    pages: tuple[Page, ...],
    gate: str,
    kinds: tuple[str, ...] = (),
    groups: tuple[str, ...] = (),
    processes: int = 2,
    with_dom: bool = True,
    one_in: int = 1,
) -> list[Result]:
    """Return the gate's results, in the order of pages and cases.

    *one_in* 3 judges a third of the single cases, chosen by name; nested sets stay whole.
    """
    gates.find(gate)
    tasks = [
        (page, folders[page.name], gate, kinds, groups, with_dom, one_in)
        for page in pages
        if page.name in folders
    ]
    if processes == 1:
        return [result for task in tasks for result in _work(task)]
    with ProcessPoolExecutor(processes) as pool:
        return [result for part in pool.map(_work, tasks) for result in part]
