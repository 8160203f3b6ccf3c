"""A vision command is asked once a picture, within a budget, and believed no further."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_pixelloop.core.appearance import parse_appearance
from pytest_pixelloop.core.appearance_channel import judge_appearance
from pytest_pixelloop.core.capture import Capture
from pytest_pixelloop.core.page_events import PageEvents
from pytest_pixelloop.core.vision import AnswerError, VisionBudget, read_answer
from pytest_pixelloop.loop.vision import Vision, Witness, command_witness
from pytest_pixelloop.store.vision_answers import VisionAnswers

P0 = {"message": "the logo is upside down", "priority": "P0", "box": [1, 2, 3, 4]}
P1 = {"message": "the icons differ in style", "priority": "P1"}
SCRIPT = '''
"""A scripted witness: notes that it was asked, then does what the first word says."""
import json, os, pathlib, sys, time
question = json.load(sys.stdin)
pathlib.Path("asked.jsonl").open("a").write(json.dumps(question) + "\\n")
what = sys.argv[1]
P0 = {"message": "the logo is upside down", "priority": "P0", "box": [1, 2, 3, 4]}
if what == "hang":
    os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"])
    time.sleep(600)
elif what == "garbage":
    print("I see a page. It looks nice.")
elif what == "half":
    print(json.dumps({"findings": [P0, {"priority": "P0"}]}))
elif what == "nan":
    print('{"findings": [], "cost_usd": NaN}')
elif what == "crash":
    print(json.dumps({"findings": [P0], "tokens": 7}))
    sys.exit("no credit left")
elif what == "flood":
    while True:
        sys.stdout.write("x" * 65536)
elif what == "deaf":
    os.close(0)
    print(json.dumps({"findings": []}))
elif what == "fine":
    print(json.dumps({"findings": [], "tokens": 100, "cost_usd": 0.25}))
elif what == "accuse":
    print(json.dumps({"findings": [P0], "tokens": 100, "cost_usd": 0.25}))
'''


def capture(shade: int = 200) -> Capture:
    """Return a picture with something in it."""
    image = np.full((20, 30, 4), 255, np.uint8)
    image[5:9, 5:9, :3] = shade
    return Capture(image=image, scale=1, source="test", viewport="desktop")


def vision(tmp_path: Path, what: str, *, timeout: float = 30.0, **budget: Any) -> Vision:
    """Return a vision that asks the scripted command."""
    script = tmp_path / "witness.py"
    script.write_text(SCRIPT)
    witness = command_witness(
        [sys.executable, str(script), what], root=tmp_path, environ=os.environ, timeout=timeout
    )
    answers = VisionAnswers(tmp_path / "vision")
    return Vision(lambda: answers, [witness], budget=VisionBudget(**budget))


def asked(tmp_path: Path) -> list[dict[str, Any]]:
    """Return the questions that the command got."""
    path = tmp_path / "asked.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize(
    ("what", "timeout", "said", "tokens"),
    [
        ("hang", 1.0, "gave no answer within 1 s", 0),
        ("garbage", 30.0, "did not print JSON", 0),
        ("half", 30.0, "finding 2 has no message", 0),
        ("nan", 30.0, "unusable", 0),
        ("crash", 30.0, "ended with exit code 1: no credit left", 7),
        ("flood", 30.0, "exit code -", 0),
        ("gone", 30.0, "did not print JSON", 0),
    ],
)
def test_a_witness_that_fails_is_no_pass_and_no_fail(
    what: str, timeout: float, said: str, tokens: int, tmp_path: Path
) -> None:
    """Hang, garbage, half an answer, a crash: the channel says so in words, and nothing is used."""
    if what == "flood":
        timeout, said = 3.0, "gave no answer within 3 s"
    outside = vision(tmp_path, what, timeout=timeout)(capture(), "page")
    assert outside.issues == ()
    assert outside.vision is not None
    assert outside.vision["status"].startswith("not run: ")
    assert said in outside.vision["status"]
    assert outside.vision["run_total"] == {"calls": 1, "tokens": tokens, "cost_usd": 0.0}
    bare = judge_appearance(capture(), label="page", outside=outside)
    assert not isinstance(bare.record, str)
    assert bare.record["status"] == "skipped"
    page = dataclasses.replace(capture(), events=PageEvents())
    result = judge_appearance(page, label="page", outside=outside)
    assert not isinstance(result.record, str)
    assert result.record["result"] == "pass"
    json.dumps([bare.record, result.record], allow_nan=False)


def test_a_p0_of_a_witness_fails_this_channel_as_its_source_says(tmp_path: Path) -> None:
    """The finding gates, is marked, and can be taken down by the user's priority."""
    outside = vision(tmp_path, "accuse")(capture(), "page")
    result = judge_appearance(capture(), label="page", outside=outside)
    (found,) = result.findings
    assert (found.source, found.priority, found.gating) == ("vision", "P0", True)
    assert found.delta_id == "page/px:0,0,8,8"
    softer = parse_appearance("vision=P1", where="test")
    (found,) = judge_appearance(capture(), label="page", outside=outside, settings=softer).findings
    assert not found.gating


def test_equal_pictures_are_asked_about_once_in_a_run(tmp_path: Path) -> None:
    """The second comparison, another process, and a failed answer take what is on disk."""
    first = vision(tmp_path, "accuse")(capture(), "one")
    again = vision(tmp_path, "accuse")(capture(), "two")
    assert len(asked(tmp_path)) == 1
    assert first.issues == again.issues
    assert again.vision is not None
    assert again.vision["asked"][0]["cached"] is True
    assert again.vision["run_total"] == {"calls": 1, "tokens": 100, "cost_usd": 0.25}
    vision(tmp_path, "accuse")(capture(shade=10), "three")
    assert len(asked(tmp_path)) == 2
    vision(tmp_path, "garbage")(capture(), "four")
    vision(tmp_path, "garbage")(capture(), "five")
    assert len(asked(tmp_path)) == 3


def test_the_question_names_a_picture_that_is_there(tmp_path: Path) -> None:
    """The command gets label, path, size, scale and viewport in one JSON object."""
    vision(tmp_path, "fine")(capture(), "page")
    (question,) = asked(tmp_path)
    assert question["label"] == "page"
    assert (question["size"], question["viewport"]) == ([30, 20], "desktop")
    assert Path(question["image"]).read_bytes().startswith(b"\x89PNG")


def test_a_spent_budget_refuses_further_calls(tmp_path: Path) -> None:
    """Once the run has cost what it may, nobody is asked again; what is known stays."""
    one = vision(tmp_path, "fine", max_cost_usd=0.25)
    one(capture(), "page")
    refused = one(capture(shade=10), "page")
    assert refused.vision is not None
    assert refused.vision["status"] == "not run: the budget of 0.25 USD is spent"
    kept = one(capture(), "page")
    assert kept.vision is not None
    assert kept.vision["status"] == "compared"
    assert len(asked(tmp_path)) == 1


@pytest.mark.parametrize("budget", [{"max_cost_usd": 0.2}, {"max_tokens": 99}])
def test_an_answer_that_costs_more_than_the_budget_is_not_used(
    budget: dict[str, Any], tmp_path: Path
) -> None:
    """It is paid for, counted and said, and its P0 fails nothing, now or from the cache."""
    dear = vision(tmp_path, "accuse", **budget)
    for _ in range(2):
        outside = dear(capture(), "page")
        assert outside.issues == ()
        assert outside.vision is not None
        assert "more than the budget" in outside.vision["status"]
        assert outside.vision["run_total"]["tokens"] == 100
    assert len(asked(tmp_path)) == 1


def test_two_processes_that_ask_at_once_ask_once(tmp_path: Path) -> None:
    """Whoever comes second waits for the answer of the first."""
    entered, go = threading.Event(), threading.Event()
    calls: list[str] = []

    def ask(_capture: Capture, question: Any) -> dict[str, Any]:
        calls.append(question["label"])
        entered.set()
        go.wait(30)
        return {"answer": {"findings": [P1]}}

    answers = [VisionAnswers(tmp_path / "v", sleep=lambda _seconds: go.set()) for _ in range(2)]
    witness = Witness(name="hook", identity="x", ask=ask)
    results: list[Any] = []
    first = threading.Thread(
        target=lambda: results.append(Vision(lambda: answers[0], [witness])(capture(), "one"))
    )
    first.start()
    assert entered.wait(30)
    second = Vision(lambda: answers[1], [witness])(capture(), "two")
    first.join(30)
    assert calls == ["one"]
    assert [i.message for i in second.issues] == [P1["message"]]
    assert second.issues == results[0].issues


def test_nobody_to_ask_is_said() -> None:
    """Without a command and a hook the channel says: not run."""
    outside = Vision(lambda: VisionAnswers(Path("nowhere")), [])(capture(), "page")
    assert outside.vision == {"status": "not run: no vision command and no hook"}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"findings": "none"},
        {"findings": [3]},
        {"findings": [{"message": " "}]},
        {"findings": [{"message": "m", "priority": "P3"}]},
        {"findings": [{"message": "m", "box": [1, 2, 3]}]},
        {"findings": [{"message": "m", "box": [1, 2, 0, 3]}]},
        {"findings": [{"message": "m", "box": [1, 2, float("inf"), 3]}]},
        {"findings": [{"message": "m", "confidence": 2}]},
        {"findings": [], "tokens": -1},
        {"findings": [], "tokens": True},
        {"findings": [], "cost_usd": "cheap"},
        {"findings": [{"message": "m"}] * 51},
    ],
)
def test_only_the_form_is_an_answer(answer: Any) -> None:
    """Whatever is not of the form is refused whole."""
    with pytest.raises(AnswerError):
        read_answer(answer)


def test_a_readable_answer_is_read() -> None:
    """Message, priority, place, confidence and cost come through; control characters do not."""
    read = read_answer(
        {"findings": [{**P0, "message": "red\x1b[31m"}, {"message": "m"}], "tokens": 3, "x": 1}
    )
    assert [str(i.priority) for i in read.issues] == ["P0", "P2"]
    assert "\x1b" not in read.issues[0].message
    assert read.tokens == 3
