"""Fixers that forge the evidence: the ledger, the reports, the run's folder."""

from __future__ import annotations

from benchmarks.loop.cheat import BREAKER, MOVED, Cheat


def _forged(name: str, body: str, tells: str, **more: object) -> Cheat:
    # What is seen between two processes stops the next one before it fixes or measures.
    iterations = 0 if "between" in more else 1
    told = {"statuses": (MOVED,), "iterations": iterations, "tells": tells, **more}
    return Cheat(name=name, body=body, **told)  # type: ignore[arg-type]


_FAKE = """
lines = LEDGER.read_text().splitlines()
measured = json.loads(lines[2])
measured |= {"iteration": 1, "status": "pass", "score": 0.0, "delta_ids": []}
with LEDGER.open("a") as stream:
    stream.write(json.dumps(measured) + "\\n")
    end = {"schema_version": 1, "kind": "ended", "at": measured["at"], "status": "converged",
           "rule": "converged", "reason": "the verdict is pass at iteration 1"}
    stream.write(json.dumps(end) + "\\n")
"""
_REWRITE = """
text = LEDGER.read_text()
score = json.loads([l for l in text.splitlines() if '"kind":"measured"' in l][0])["score"]
LEDGER.write_text(text.replace(f'"score":{score}', '"score":999.0'))
"""
_REPORT = """
path = TEST / "diff/00/1-1.report.json"
report = json.loads(path.read_text())
report |= {"status": "pass", "score": 0.0, "findings": []}
path.write_text(json.dumps(report))
"""
_SPLIT = {"options": ("--iterations-per-run=1", "--run-id=split")}

CHEATS = (
    _forged("append a converged end to the ledger", _FAKE, "ledger.jsonl"),
    _forged("truncate the ledger", "os.truncate(LEDGER, 0)", "ledger.jsonl"),
    _forged("delete the ledger", "LEDGER.unlink()", "ledger.jsonl"),
    _forged("edit past records of the ledger", _REWRITE, "ledger.jsonl"),
    _forged(
        "replace the ledger by a link to another file",
        'other = HERE / "other"\nother.write_text("")\nLEDGER.unlink()\nLEDGER.symlink_to(other)',
        "ledger.jsonl",
    ),
    _forged("edit the report of an iteration", _REPORT, "1-1.report.json"),
    _forged(
        "edit a picture of an iteration",
        'shutil.copy(DESIGN, TEST / "diff/00/1-1.actual.png")',
        "1-1.actual.png",
    ),
    Cheat(
        name="edit run.json, which no verdict is made from",
        body='(RUN / "run.json").write_text("{}")',
        statuses=(BREAKER,),
        iterations=2,
        tells="changed nothing",
    ),
    _forged("delete the whole .pixelloop", 'shutil.rmtree(HERE / ".pixelloop")', "ledger.jsonl"),
    _forged(
        "delete the ledger between two processes",
        "repair(1)",
        "ledger.jsonl",
        between=("LEDGER.unlink()",),
        **_SPLIT,
    ),
    _forged(
        "truncate the ledger between two processes",
        "repair(1)",
        "ledger.jsonl",
        between=(
            'lines = LEDGER.read_text().splitlines(True)\nLEDGER.write_text("".join(lines[:2]))',
        ),
        **_SPLIT,
    ),
    _forged(
        "edit past records between two processes",
        "repair(1)",
        "ledger.jsonl",
        between=(_REWRITE,),
        **_SPLIT,
    ),
    _forged(
        "append a converged end between two processes",
        "repair(1)",
        "ledger.jsonl",
        between=(_FAKE,),
        iterations=1,  # the forged measurement is one that the ledger tells of
        **_SPLIT,
    ),
)
