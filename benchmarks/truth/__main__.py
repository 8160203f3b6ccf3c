"""``python -m benchmarks.truth``: make the corpus if needed, run the gates, print the figures."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.truth import cases, corpus, evaluate, looks, tables, timing

if TYPE_CHECKING:
    from benchmarks.truth.page import Page

_GROUPS = (cases.BENIGN, cases.DEFECT, cases.NESTED, cases.OTHER)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth", description=__doc__)
    add = parser.add_argument
    add("--cache", type=Path, default=Path(".truth-cache"), help="folder of the corpus")
    add("--browser", default=None, help="Chromium to capture with (default: the one on the path)")
    add("--seed", type=int, default=1)
    add("--processes", type=int, default=2)
    add("--gate", action="append", help="design, pixel, pixelmatch:<ratio>; may be repeated")
    add("--only", action="append", default=[], metavar="KIND", help="cases of this kind")
    add("--group", action="append", default=[], choices=_GROUPS)
    add("--page", action="append", default=[], metavar="NAME")
    add("--set", default="bench", choices=("bench", "unseen"), help="which pages")
    add("--no-dom", action="store_true", help="judge bare pictures, without the DOM snapshot")
    add("--list-failures", action="store_true")
    add("--list-findings", action="store_true", help="every case with its findings")
    add("--dump", type=Path, metavar="DIR", help="pictures of the failing cases")
    add("--dump-all", type=Path, metavar="DIR", help="pictures of all chosen cases")
    add("--quick", action="store_true", help="about a third of the cases, always the same")
    add("--corpus-only", action="store_true", help="make the corpus, judge nothing")
    add("--timing", action="store_true", help="only the timing of one comparison")
    return parser.parse_args()


def _browser(option: str | None) -> str:
    found = option or next(
        (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))),
        None,
    )
    if found is None:
        sys.exit("no Chromium found: install one or pass --browser PATH")
    return found


def _report(
    arguments: argparse.Namespace, pages: tuple[Page, ...], folders: dict[str, Path], gate: str
) -> None:
    started = time.perf_counter()
    results = evaluate.run(
        folders,
        pages=pages,
        gate=gate,
        kinds=tuple(arguments.only),
        groups=tuple(arguments.group),
        processes=arguments.processes,
        with_dom=not arguments.no_dom,
        one_in=3 if arguments.quick else 1,
    )
    took = time.perf_counter() - started
    held = {page.name for page in pages if page.holdout}
    open_part = [r for r in results if r.case.page not in held]
    if open_part:
        tables.show(open_part, title=f"gate {gate}, {len(open_part)} cases, {took:.0f} s")
    held_part = [r for r in results if r.case.page in held]
    if held_part:
        tables.show(held_part, title=f"gate {gate}, held-back pages, {len(held_part)} cases")
    if arguments.list_failures:
        tables.list_failures(results)
    if arguments.list_findings:
        for r in results:
            print(f"{r.case.id} [{r.status}] {r.case.detail}", *r.summary, sep="\n      ")
    scales = {page.name: page.scale for page in pages}
    for result in results:
        case = result.case
        target = arguments.dump_all or arguments.dump
        if target and (arguments.dump_all or not tables.right_or_wrong(result)):
            looks.dump(case, folders[case.page], target, scale=scales[case.page])


def main() -> None:
    arguments = _arguments()
    started = time.perf_counter()
    pages = corpus.pages_of(arguments.set)
    folders = corpus.make(
        arguments.cache,
        pages=pages,
        executable=_browser(arguments.browser),
        seed=arguments.seed,
        processes=arguments.processes,
        only=tuple(arguments.page),
    )
    counts = dict.fromkeys(_GROUPS, 0)
    for folder in folders.values():
        for case in corpus.load_cases(folder):
            counts[case.group] += 1
    print(f"corpus: {len(folders)} pages, {counts}, {time.perf_counter() - started:.0f} s")
    if arguments.corpus_only:
        return
    if arguments.timing:
        timing.show(folders)
        return
    for gate in arguments.gate or ("design", "pixel", "pixelmatch:0", "pixelmatch:0.01"):
        try:
            _report(arguments, pages, folders, gate)
        except ImportError as error:
            print(f"\n== gate {gate}: not there ({error})")
    if not arguments.gate and not arguments.only and not arguments.page:
        timing.show(folders)


if __name__ == "__main__":
    main()
