"""``pixelloop merge``: shards become one run, whole, or it is said why not and nothing is made."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from measured_run import Made, edit_json, make_run

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.store.run_lock import RunLock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = [f"test_m.py::test_{letter}" for letter in "abcdef"]


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give three shards of six collected tests, one of them looped, one skipped; all pass."""
    base = tmp_path_factory.mktemp("project") / ".pixelloop"
    for number, own in enumerate((NAMES[:2], NAMES[2:4], NAMES[4:5]), start=1):
        tests = [
            Made(name, (12, 0) if name == NAMES[0] else (0,), looping=name == NAMES[0])
            for name in own
        ]
        skipped = NAMES[5:] if number == 3 else []
        make_run(base, f"s{number}", tests, collected=NAMES, shard=(number, 3), skipped=skipped)
    return base


@pytest.fixture
def base(made: Path, tmp_path: Path) -> Path:
    """Give a copy of the shards."""
    shutil.copytree(made, tmp_path / "base")
    return tmp_path / "base"


def merge(base: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return exit code and what is printed."""
    code = main(["merge", "--dir", str(base), *words])
    told = capsys.readouterr()
    return code, told.out + told.err


def undeclared(base: Path) -> None:
    """Take from each shard what says which one it is."""
    for path in base.glob("runs/*/collection.json"):
        edit_json(path, shard=None)


def test_shards_become_one_run(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every test of every shard is in the merged run once, byte for byte, and it evaluates."""
    before = tree(base)
    code, text = merge(base, capsys, "s1", "s2", "s3", "-o", "all")
    assert code == 0, text
    assert "5 tests (1 converged, 4 pass)" in text
    merged = tree(base / "runs/all")
    for name, data in before.items():
        if "/tests/" in name:
            assert merged.pop("tests/" + name.partition("/tests/")[2]) == data
    assert not [name for name in merged if name.startswith("tests/")]
    told = json.loads(merged["run.json"])
    assert [row["tests"] for row in told["merged"]] == [2, 2, 1]
    assert told["not_recorded"] == {NAMES[5]: "skipped"}
    assert json.loads(merged["collection.json"])["selected"] == NAMES
    assert json.loads(merged["summary.json"])["status"] == "converged"
    assert main(["evaluate", "--dir", str(base), "last"]) == 0
    assert "run all: 5 tests, 6 iterations" in capsys.readouterr().out
    assert {name: data for name, data in tree(base).items() if "/all/" not in name} == {
        **before,
        "latest": b"all\n",
    }


@pytest.mark.parametrize("declared", [True, False])
def test_the_order_of_the_shards_changes_no_byte(
    base: Path, capsys: pytest.CaptureFixture[str], *, declared: bool
) -> None:
    """Whatever order they are named in, the same shards give the same run."""
    if not declared:
        undeclared(base)
    seen = []
    for order in itertools.permutations(("s1", "s2", "s3")):
        assert merge(base, capsys, *order, "-o", str(base.parent / "out" / "whole"))[0] == 0
        seen.append(tree(base.parent / "out" / "whole"))
        shutil.rmtree(base.parent / "out")
    assert all(one == seen[0] for one in seen[1:])


def test_a_failing_test_is_merged_and_told(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The merged run of a failing shard is there; the exit code is the gate of the whole."""
    make_run(base, "s4", [Made("test_m.py::test_g", (12,), looping=False)])
    for number in (1, 2, 3, 4):
        edit_json(base / f"runs/s{number}/collection.json", shard=[number, 4])
    code, text = merge(base, capsys, "s1", "s2", "s3", "s4", "-o", "all")
    assert code == 1
    assert "1 fail" in text
    assert main(["evaluate", "--dir", str(base), "all"]) == 0


def _again(base: Path) -> None:
    make_run(base, "s2b", [Made(NAMES[2], (0,), looping=False)], collected=NAMES)
    undeclared(base)


REFUSED: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "shard missing": (lambda _base: None, "s1 s3", "missing: shard 2/3"),
    "test missing": (undeclared, "s1 s3", f"{NAMES[2]}, {NAMES[3]} are collected and in no shard"),
    "shard twice": (lambda _base: None, "s1 s2 s2 s3", "given twice: shard 2/3"),
    "test twice": (
        _again,
        "s1 s2 s2b s3",
        f"{NAMES[2]} is in more than one shard: s2, s2b",
    ),
    "some undeclared": (
        lambda base: edit_json(base / "runs/s3/collection.json", shard=None),
        "s1 s2 s3",
        "s3 does not say which shard it is, and others do",
    ),
    "other count": (
        lambda base: edit_json(base / "runs/s3/collection.json", shard=[3, 4]),
        "s1 s2 s3",
        "the shards say that there are 3 and 4 of them",
    ),
    "other version": (
        lambda base: edit_json(base / "runs/s3/run.json", version="0.0.9"),
        "s1 s2 s3",
        "different versions of pytest-pixelloop: s3 (shard 3/3) by 0.0.9, s1 (shard 1/3) by",
    ),
    "other designs": (
        lambda base: edit_json(
            base / "runs/s3/collection.json", goalposts={"design:designs.yaml": "2"}
        ),
        "s1 s2 s3",
        "design:designs.yaml is another one in s3 (shard 3/3) than in s1 (shard 1/3): 2 and 1",
    ),
    "not ended": (
        lambda base: (base / "runs/s2/run.json").write_text(
            json.dumps({"schema_version": 1, "run_id": "s2", "started": "x", "version": "0.1.0"})
        ),
        "s1 s2 s3",
        "s2 (shard 2/3) has no end: its session was killed",
    ),
    "not run": (
        lambda base: edit_json(base / "runs/s3/run.json", not_recorded={NAMES[5]: "not-run"}),
        "s1 s2 s3",
        f"s3 (shard 3/3): {NAMES[5]} is selected and never run",
    ),
    "record lost": (
        lambda base: shutil.rmtree(next(base.glob("runs/s2/tests/*test_c*"))),
        "s1 s2 s3",
        f"s2 (shard 2/3): the records of {NAMES[2]} are missing",
    ),
    "no collection": (
        lambda base: (base / "runs/s2/collection.json").unlink(),
        "s1 s2 s3",
        "the run s2 does not know which tests it was to hold",
    ),
    "newer schema": (
        lambda base: edit_json(base / "runs/s2/run.json", schema_version=2),
        "s1 s2 s3",
        "run.json of s2 cannot be read: it has schema_version 2",
    ),
    "broken ledger": (
        lambda base: next(base.glob("runs/s2/tests/*/ledger.jsonl")).write_text("x\ny\n"),
        "s1 s2 s3",
        "line 1 of the ledger is no record",
    ),
    "no such run": (lambda _base: None, "s1 s2 s9", "there is no run s9"),
    "name taken": (lambda base: (base / "runs/all").mkdir(), "s1 s2 s3", "there is something"),
    "link": (
        lambda base: (base / "runs/s2/tests/away").symlink_to(base),
        "s1 s2 s3",
        "a run that is merged holds no links",
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_the_whole_is_refused(
    base: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """The reason is named, exit code 2, and not one file is made or changed."""
    spoil, words, expected = REFUSED[name]
    spoil(base)
    before = tree(base)
    code, text = merge(base, capsys, *words.split(), "-o", "all")
    assert code == 2
    assert expected in text
    assert tree(base) == before
    assert not list(base.rglob(".tmp-*"))


def test_deselected_tests_may_be_left_out_on_purpose(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nobody says how many shards there are, leaving tests out is said by a flag."""
    undeclared(base)
    code, text = merge(base, capsys, "s1", "s3", "-o", "all", "--deselected")
    assert code == 0, text


def test_a_run_that_somebody_works_on_is_not_merged(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who works on it is named."""
    with RunLock(base / "runs/s2"):
        code, text = merge(base, capsys, "s1", "s2", "s3", "-o", "all")
    assert code == 2
    assert "s2 (shard 2/3) is being worked on: process " in text


def test_a_copy_that_fails_leaves_nothing(
    base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk in the middle is told, and there is neither a half run nor a temporary one."""
    real, calls = shutil.copyfile, itertools.count()

    def copyfile(source: Path, target: Path) -> Path:
        if next(calls) == 9:
            raise OSError(28, "No space left on device", str(target))
        return real(source, target)

    monkeypatch.setattr(shutil, "copyfile", copyfile)
    code, text = merge(base, capsys, "s1", "s2", "s3", "-o", "all")
    assert code == 2
    assert "No space left on device" in text
    assert {path.name for path in (base / "runs").iterdir()} == {"s1", "s2", "s3"}
