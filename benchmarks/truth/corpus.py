"""Makes the corpus: designs, captures and truth, in a cache folder, page by page.

A page is made anew only when its template, its settings or the code that makes it changes.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_pixelloop
from benchmarks.truth import cases as truth
from benchmarks.truth.page import FOLDER, Page, load_page, load_pages
from benchmarks.truth.page_cases import Shelf, make_page
from benchmarks.truth.studio import Browsers

if TYPE_CHECKING:
    from benchmarks.truth.cases import Case

HERE = Path(__file__).parent
PRODUCT = Path(pytest_pixelloop.__file__).parent
#: What judges and prints; a change there makes no other corpus.
_JUDGING = {"__main__", "corpus", "evaluate", "gates", "looks", "tables", "timing"}


def pages_of(name: str) -> tuple[Page, ...]:
    """Return the pages of a set: ``bench``, or those of the folder of that name in ``pages/``."""
    if name == "bench":
        return load_pages()
    return tuple(load_page(path) for path in sorted((FOLDER / name).glob("*.html")))


def fingerprint(page: Page, *, seed: int) -> str:
    """Return what the page's part of the corpus depends on, as a short hash.

    Python files count by their syntax tree, so that a comment makes nothing anew. The product's
    DOM snapshot is part of a capture.
    """
    digest = hashlib.sha256(f"{seed}/{page}".encode())
    for path in sorted(HERE.glob("*.*")):
        if path.suffix == ".py" and path.stem not in _JUDGING:
            digest.update(ast.dump(ast.parse(path.read_text(encoding="utf-8"))).encode())
        elif path.suffix == ".js":
            digest.update(path.read_bytes())
    for name in ("core/dom.py", "capture/dom.py", "capture/dom_snapshot.js"):
        digest.update((PRODUCT / name).read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    page: Page
    other: Page
    folder: Path


def _work(tasks: list[_Task], executable: str, seed: int) -> None:
    cache = tasks[0].folder.parent
    with Browsers(executable, cache) as browsers:
        for task in tasks:
            started = time.perf_counter()
            draft = cache / f"draft-{os.getpid()}-{task.folder.name}"
            draft.mkdir(parents=True)
            shelf = Shelf(folder=draft, page=task.page)
            make_page(shelf, browsers, task.other, seed)
            lines = "".join(json.dumps(case.as_record()) + "\n" for case in shelf.cases)
            (draft / "cases.jsonl").write_text(lines, encoding="utf-8")
            _settle(draft, task.folder)
            took = time.perf_counter() - started
            print(f"{task.page.name}: {len(shelf.cases)} captures in {took:.0f} s", flush=True)


def _settle(draft: Path, folder: Path) -> None:
    """Put a finished page in its place; of older versions, keep the newest: it may be in use."""
    if folder.exists():
        shutil.rmtree(draft)
        return
    older = sorted(folder.parent.glob(f"{folder.name.split('.')[0]}.*"), key=_age)
    for old in older[:-1]:
        shutil.rmtree(old)
    draft.rename(folder)


def _age(path: Path) -> float:
    return path.stat().st_mtime


def make(
    cache: Path,
    *,
    pages: tuple[Page, ...],
    executable: str,
    seed: int,
    processes: int = 2,
    only: tuple[str, ...] = (),
) -> dict[str, Path]:
    """Make what is missing in the cache and return the folder of each page."""
    cache.mkdir(parents=True, exist_ok=True)
    (cache / ".gitignore").write_text("*\n", encoding="utf-8")
    tasks = [
        _Task(
            page=page,
            other=pages[(at + 1) % len(pages)],
            folder=cache / f"{page.name}.{fingerprint(page, seed=seed)}",
        )
        for at, page in enumerate(pages)
        if not only or page.name in only
    ]
    missing = [task for task in tasks if not (task.folder / "cases.jsonl").exists()]
    parts = [part for at in range(processes) if (part := missing[at::processes])]
    if parts:
        with ProcessPoolExecutor(processes) as pool:
            for done in [pool.submit(_work, part, executable, seed) for part in parts]:
                done.result()
    return {task.page.name: task.folder for task in tasks}


def load_cases(folder: Path) -> list[Case]:
    """Return the cases of one page's folder."""
    text = (folder / "cases.jsonl").read_text(encoding="utf-8")
    return [truth.from_record(json.loads(line)) for line in text.splitlines()]
