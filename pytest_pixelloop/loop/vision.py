"""Asking somebody outside to look at a picture: a command or a hook, once, within a budget."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.appearance_channel import Outside
from pytest_pixelloop.core.vision import (
    NOT_ASKED,
    VISION_SCHEMA_VERSION,
    AnswerError,
    VisionBudget,
    read_answer,
    read_cost,
)
from pytest_pixelloop.process.json_command import ask_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_pixelloop.core.appearance import Issue
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.store.vision_answers import VisionAnswers

COMPARED = "compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Somebody to ask. ``name`` is ``command`` or ``hook``, ``identity`` tells it from others.

    ``ask`` gets the capture and the question and gives ``{"answer": ...}`` or ``{"problem": ...}``,
    with ``seconds`` where they are known. It never raises. ``patience`` is how long it may take.
    """

    name: str
    identity: str
    ask: Callable[[Capture, Mapping[str, Any]], Mapping[str, Any]]
    patience: float = 60.0


def command_witness(
    argv: Sequence[str], *, root: Path, environ: Mapping[str, str], timeout: float
) -> Witness:
    """Return the witness that a command is: the question on its stdin, the answer on its stdout."""

    def ask(_capture: Capture, question: Mapping[str, Any]) -> Mapping[str, Any]:
        got = ask_command(argv, question, root=root, environ=environ, timeout=timeout)
        return {"answer": got.value, "problem": got.problem, "seconds": got.seconds}

    return Witness(name="command", identity="\0".join(argv), ask=ask, patience=timeout)


class Vision:
    """Puts each picture of a run once to each witness, as long as the budget lasts."""

    def __init__(
        self,
        answers: Callable[[], VisionAnswers],
        witnesses: Sequence[Witness],
        *,
        budget: VisionBudget | None = None,
    ) -> None:
        self._answers = answers
        self._witnesses = tuple(witnesses)
        self._budget = budget or VisionBudget()

    def __call__(self, capture: Capture, label: str) -> Outside:
        """Return what the witnesses say of *capture*; never raises for what they do."""
        if not self._witnesses:
            return Outside(vision={"status": NOT_ASKED})
        issues: list[Issue] = []
        asked: list[dict[str, Any]] = []
        for witness in self._witnesses:
            found, record = self._one(witness, capture, label)
            issues += found
            asked.append(record)
        done = [a for a in asked if a["status"] == COMPARED]
        return Outside(
            issues=tuple(issues),
            vision={
                "status": COMPARED if done else asked[0]["status"],
                "asked": asked,
                "run_total": self._answers().spent().as_record(),
            },
        )

    def _one(
        self, witness: Witness, capture: Capture, label: str
    ) -> tuple[tuple[Issue, ...], dict[str, Any]]:
        answers = self._answers()
        key = answers.key(capture.image, asked=f"{witness.name}\0{witness.identity}")
        kept = answers.read(key)
        cached = kept is not None
        if kept is None:
            refusal = self._budget.refusal(answers.spent())
            if refusal:
                return (), {"by": witness.name, "status": f"not run: {refusal}"}
            kept = self._ask(witness, capture, label, key)
        if kept is None:
            status = "not run: another process asked about this picture and got no answer"
            return (), {"by": witness.name, "status": status}
        return self._read(witness.name, kept, cached=cached)

    def _ask(
        self, witness: Witness, capture: Capture, label: str, key: str
    ) -> dict[str, Any] | None:
        answers = self._answers()
        if not answers.claim(key):
            return answers.await_other(key, timeout=witness.patience)
        question = {
            "schema_version": VISION_SCHEMA_VERSION,
            "label": label,
            "image": str(answers.picture(key, capture.image)),
            "size": list(capture.pixel_size),
            "scale": capture.scale,
            "viewport": capture.viewport,
            "theme": capture.theme,
            "source": capture.source,
        }
        got: dict[str, Any] = {"by": witness.name, "label": label}
        got.update(witness.ask(capture, question))
        answers.keep(key, got)
        excess = self._budget.excess(answers.spent())
        if excess and not got.get("problem"):
            # It is paid for and kept, but what came too dear is not used, now or later.
            got["problem"] = excess
            answers.keep(key, got)
        return got

    def _read(
        self, name: str, kept: Mapping[str, Any], *, cached: bool
    ) -> tuple[tuple[Issue, ...], dict[str, Any]]:
        record: dict[str, Any] = {"by": name, "cached": cached, "seconds": kept.get("seconds")}
        answer = kept.get("answer")
        with contextlib.suppress(AnswerError):
            record["tokens"], record["cost_usd"] = read_cost(answer)
        problem = str(kept.get("problem") or "")
        if problem:
            return (), {**record, "status": f"not run: the vision {name} {_verb(problem)}"}
        try:
            read = read_answer(answer)
        except AnswerError as error:
            return (), {
                **record,
                "status": f"not run: the vision {name}'s answer is unusable: {error}",
            }
        return read.issues, {**record, "status": COMPARED, "findings": len(read.issues)}


def _verb(problem: str) -> str:
    """Return a problem as it goes on after its subject."""
    return problem if not problem[:1].isdigit() else f"went beyond the budget: {problem}"
