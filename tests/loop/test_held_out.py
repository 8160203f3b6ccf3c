"""Held-out comparisons are sealed while a loop runs, and told when it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_pixelloop.core.errors import LedgerError
from pytest_pixelloop.core.ledger import fold
from pytest_pixelloop.core.measurement import Measurement
from pytest_pixelloop.core.replay import replay
from pytest_pixelloop.loop import held_out
from pytest_pixelloop.store.ledger_file import LedgerFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.loop.conftest import Project

#: Words and figures that only the held-out comparisons of these tests have.
SECRETS = ("zz-node", "yy-node", "731.25", "219.5", "957.75", "THE HIDDEN PICTURE")


def measuring(project: Project, *, until: int = 99) -> Callable[[int, Path], Measurement]:
    """Return a measurement with two held-out comparisons, which pass from iteration *until* on."""

    def measure(number: int, folder: Path) -> Measurement:
        visible = 7.0 if number < 1 else 0.0
        hidden = number < until
        (folder / "1-2.actual.png").write_bytes(b"a picture to be seen")
        status = "fail" if hidden or visible else "pass"
        left = 731.25 - number if hidden else 0.0
        wrong = {"zz-node": left} if hidden else {}
        other = {"yy-node": 219.5} if hidden else {}
        reports = (
            project.report(
                "1-2",
                "fail" if visible else "pass",
                visible,
                {"a": visible} if visible else {},
                actual="1-2.actual.png",
            ),
            project.report(
                "secret",
                "fail" if hidden else "pass",
                left,
                wrong,
                hold_out=True,
                actual="secret.actual.png",
            ),
            project.report("other", "fail" if hidden else "pass", 219.5 if hidden else 0.0, other),
        )
        reports[2]["design"]["hold_out"] = True
        return Measurement(
            status=status,
            score=sum(r["score"] for r in reports),
            delta_ids=tuple(f["delta_id"] for r in reports for f in r["findings"]),
            channels={"visual": "compared"},
            reports=tuple({**r, "channels": {"visual": "compared"}} for r in reports),
            held_out_files={"secret.actual.png": b"THE HIDDEN PICTURE %d" % number},
        )

    return measure


def readable(project: Project) -> str:
    """Return everything that lies in the project and was printed, as one text."""
    files = [p for p in sorted(project.root.rglob("*")) if p.is_file()]
    told = "".join(p.read_bytes().decode("utf-8", "replace") for p in files)
    return told + "\n".join(project.lines)


def sealed_files(project: Project) -> list[Path]:
    """Return the sealed files of the test."""
    return sorted((project.folder / "sealed").glob("*.sealed"))


def keys() -> list[Path]:
    """Return the keys that lie in the user's state folder."""
    return sorted(Path(os.environ["XDG_STATE_HOME"]).glob("pytest-pixelloop/keys/*.json"))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a state folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_nothing_of_them_can_be_read_before_the_loop_has_ended(project: Project) -> None:
    """No file, line or variable tells anything of two held-out comparisons, until the end does."""
    seen: list[str] = []

    def measure(number: int, folder: Path) -> Measurement:
        seen.append(readable(project))
        return measuring(project, until=2)(number, folder)

    fix = (
        "pathlib.Path('.pixelloop/seen').open('a').write(sys.stdin.read() + str(os.environ) + "
        "''.join(p.read_bytes().decode('utf-8', 'replace') for p in pathlib.Path('.')"
        ".rglob('*') if p.is_file() and p.name not in ('seen', 'fix.py')))\n"
        "page['edit'] = iteration; page_file.write_text(json.dumps(page))\n"
    )
    looped = project.loop(fix, measure=measure)
    assert looped.status == "converged"
    assert looped.measured == [0, 1, 2]
    whole = "".join(seen) + (project.root / ".pixelloop/seen").read_text()
    assert "a picture to be seen" in whole
    assert [word for word in SECRETS if word in whole] == []
    after = readable(project)
    assert [word for word in SECRETS if word not in after] == []


def test_the_end_tells_reports_pictures_and_every_iteration(project: Project) -> None:
    """Once the loop has ended all evidence lies where that of any comparison does."""
    looped = project.loop("save(a=iteration)", measure=measuring(project), cap=1)
    assert looped.status == "not-converged:cap-exhausted"
    for number in (0, 1):
        folder = project.folder / f"diff/0{number}"
        names = {p.name for p in folder.iterdir()}
        reports = {"1-2.report.json", "secret.report.json", "other.report.json"}
        assert names == {*reports, "1-2.actual.png", "secret.actual.png"}
        assert (folder / "secret.actual.png").read_bytes() == b"THE HIDDEN PICTURE %d" % number
        assert "zz-node" in (project.folder / f"diff/0{number}.yaml").read_text()
    held = looped.summary.record["held_out"]
    assert [(c["label"], c["score"]) for c in held["comparisons"]] == [
        ("secret", 730.25),
        ("other", 219.5),
    ]
    assert (held["state"], held["blind"]) == ("told", True)
    assert "## Held out\n\n- secret: fail, score 730.2" in (
        project.folder / "summary.md"
    ).read_text("utf-8")
    assert (project.folder / "compare/render/secret.png").exists()
    assert project.history.scores == (957.75, 949.75)
    assert sealed_files(project) == []
    assert not (project.folder / "sealed").exists()
    assert keys() == []


def test_decisions_are_made_by_everything_that_was_measured(project: Project) -> None:
    """A page that passes what is shown has not converged, and stalls by the hidden score."""
    looped = project.loop("save(a=iteration)", measure=constant(project))
    assert looped.status == "not-converged:stalled"
    assert looped.measured == [0, 1, 2, 3]


def constant(project: Project) -> Callable[[int, Path], Measurement]:
    """Return a measurement whose hidden score stays while the page changes."""

    def measure(_number: int, folder: Path) -> Measurement:
        return measuring(project)(5, folder)

    return measure


def test_the_seal_holds_between_the_processes_of_one_run(project: Project) -> None:
    """With one iteration a process the evidence stays sealed, and the end tells all of it."""
    for number in range(2):
        looped = project.loop(
            "save(a=iteration)", measure=measuring(project, until=2), iterations_per_run=1
        )
        assert looped.status == "in-progress"
        assert looped.summary.record["held_out"]["state"] == "sealed"
        assert all(step.same for step in replay(project.records))
        assert [word for word in SECRETS if word in readable(project)] == []
        assert len(sealed_files(project)) == number + 1
        assert len(keys()) == 1
    looped = project.loop(
        "save(a=iteration)", measure=measuring(project, until=2), iterations_per_run=1
    )
    assert looped.status == "converged"
    assert project.history.scores == (957.75, 949.75, 0.0)
    assert all(step.same for step in replay(project.records))
    assert (project.folder / "diff/00/secret.report.json").exists()
    assert keys() == []


def test_an_interrupted_loop_stays_sealed(project: Project) -> None:
    """Ctrl-C ends no loop: the next process goes on with it, and is told no more than before."""
    measure = measuring(project, until=2)

    def interrupt(number: int, folder: Path) -> Measurement:
        if number == 1:
            raise KeyboardInterrupt
        return measure(number, folder)

    with pytest.raises(KeyboardInterrupt):
        project.loop("save(a=iteration)", measure=interrupt)
    assert [word for word in SECRETS if word in readable(project)] == []
    assert project.loop("save(a=iteration)", measure=measure).status == "converged"
    assert project.history.scores == (957.75, 949.75, 0.0)


def remove(path: Path) -> None:
    """Take the sealed file away."""
    path.unlink()


def edit(path: Path) -> None:
    """Change one bit of the sealed file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def exchange(path: Path) -> None:
    """Put another iteration's sealed file in its place."""
    shutil.copy(path.with_name("00.sealed"), path)


def forget(_path: Path) -> None:
    """Take the key away."""
    for key in keys():
        key.unlink()


@pytest.mark.parametrize("tamper", [remove, edit, exchange, forget])
def test_sealed_evidence_that_is_touched_between_processes_is_never_green(
    project: Project, tamper: Callable[[Path], None]
) -> None:
    """A sealed file that is gone, edited, exchanged or without its key ends every later process."""
    for _ in range(2):
        project.loop("save(a=iteration)", measure=measuring(project, until=2), iterations_per_run=1)
    tamper(project.folder / "sealed/01.sealed")
    for _ in range(2):
        looped = project.loop("save(a=iteration)", measure=measuring(project, until=2))
        assert looped.status == "undetermined:seal-broken"
        assert not looped.summary.passed
        assert looped.measured == []
        assert "iteration 1: " in looped.summary.reason


@pytest.mark.parametrize("tamper", [remove, edit])
def test_sealed_evidence_that_a_fix_touches_ends_the_loop_at_once(
    project: Project, tamper: Callable[[Path], None]
) -> None:
    """A fixer that takes or edits what is sealed wins nothing, though the page then passes."""

    def measure(number: int, folder: Path) -> Measurement:
        if number == 1:
            tamper(project.folder / "sealed/00.sealed")
        return measuring(project, until=1)(number, folder)

    looped = project.loop("save(a=iteration)", measure=measure)
    assert looped.status == "undetermined:seal-broken"
    assert looped.measured == [0, 1]


def test_a_ledger_whose_figures_were_not_the_sealed_ones_is_refused(project: Project) -> None:
    """What the end tells is bound to what was measured: other figures are no ledger."""
    project.loop("save(a=iteration)", measure=measuring(project), cap=1)
    records = json.loads(json.dumps(project.records))
    (line,) = [r for r in records if r["kind"] == "unsealed" and r["iteration"] == 1]
    line["hidden"]["score"] = 0.0
    with pytest.raises(LedgerError, match="was not sealed with these figures"):
        fold(records)


def test_a_process_killed_while_it_opens_is_finished_by_the_next(project: Project) -> None:
    """When the ledger has told everything and no file was moved yet, nothing is lost."""
    project.loop("save(a=iteration)", measure=measuring(project), cap=3, iterations_per_run=2)
    kept, key = sealed_files(project)[0].read_bytes(), keys()[0].read_bytes()
    key_path = keys()[0]
    project.loop("save(a=iteration)", measure=measuring(project), cap=2)
    (project.folder / "sealed").mkdir()
    (project.folder / "sealed/00.sealed").write_bytes(kept)
    key_path.write_bytes(key)
    (project.folder / "diff/00/secret.actual.png").unlink()
    project.loop("save(a=iteration)", measure=measuring(project), cap=3)
    picture = project.folder / "diff/00/secret.actual.png"
    assert picture.read_bytes() == b"THE HIDDEN PICTURE 0"
    assert sealed_files(project) == []
    assert keys() == []


def test_a_run_that_goes_on_after_it_was_told_is_not_called_blind(project: Project) -> None:
    """A larger cap goes on, sealed anew; that the fixer may know the first part stays written."""
    project.loop("save(a=iteration)", measure=measuring(project, until=3), cap=1)
    looped = project.loop("save(a=9 + iteration)", measure=measuring(project, until=3), cap=6)
    assert looped.status == "converged"
    held = looped.summary.record["held_out"]
    assert (held["blind"], held["disclosed_after"]) == (False, 1)
    assert "not blind" in (project.folder / "summary.md").read_text("utf-8")


def test_the_plain_gate_seals_nothing(project: Project) -> None:
    """Without a loop there is nobody to hide anything from."""
    looped = project.loop(measure=measuring(project), looping=False)
    assert looped.status == "fail"
    assert (project.folder / "diff/00/secret.report.json").exists()
    assert keys() == []


def killed_before(project: Project, count: int, measure: Callable[..., Measurement]) -> bool:
    """Loop in a process that is killed before its *count*-th write; tell whether there was one."""
    child = os.fork()
    if child == 0:
        left = count

        def counting(real: Callable[..., None]) -> Callable[..., None]:
            def write(*args: Any) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                real(*args)

            return write

        written: Any = held_out
        written.write_bytes_atomic = counting(written.write_bytes_atomic)
        LedgerFile.append = counting(LedgerFile.append)  # type: ignore[method-assign]
        project.loop(measure=measure)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_a_kill_before_any_write_loses_nothing(project: Project) -> None:
    """Killed before each write of ledger or evidence in turn, the run converges with all of it.

    Until then nothing that is held out can be read, whichever write was the last.
    """

    def measure(number: int, folder: Path) -> Measurement:
        project.page(edit=time.time_ns())  # as if somebody edited: the next measurement may differ
        return measuring(project, until=2)(number, folder)

    kills = 0
    while True:
        shutil.rmtree(project.root / ".pixelloop", ignore_errors=True)
        if not killed_before(project, kills + 1, measure):
            break
        kills += 1
        project.lines = []
        if "unsealed" not in {r["kind"] for r in project.records}:
            assert [word for word in SECRETS if word in readable(project)] == [], kills
        assert project.loop(measure=measure).status == "converged", kills
        for measured in project.history.measurements[:2]:
            folder = project.folder / f"diff/{measured.iteration:02d}"
            assert (folder / "secret.actual.png").exists(), kills
            assert [c.label for c in measured.comparisons] == ["1-2", "secret", "other"]
    assert kills > 12


def test_the_files_tell_nothing_by_their_length(project: Project) -> None:
    """One that fails, with pictures of any size, is as long as one that passes."""

    def measure(number: int, folder: Path) -> Measurement:
        found = measuring(project, until=1)(number, folder)
        return Measurement(
            **{
                **{name: getattr(found, name) for name in found.__slots__},
                "held_out_files": {"secret.actual.png": bytes(1000 + 100_000 * number)},
                "status": "fail",
            }
        )

    project.loop("save(a=iteration)", measure=measure, cap=3, iterations_per_run=2)
    sizes: set[Any] = {p.stat().st_size for p in sealed_files(project)}
    assert len(sizes) == 1
