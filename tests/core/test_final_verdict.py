"""The final verdict: from channel results alone, and the same again from a report's JSON."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pytest_pixelloop.core.final_verdict import decide_verdict, evaluate_report


@pytest.mark.parametrize(
    ("results", "status", "causes"),
    [
        ({"visual": "pass"}, "pass", ()),
        ({"visual": "pass", "functional": "warn", "appearance": "warn"}, "pass", ()),
        ({"visual": "pass", "functional": "fail"}, "fail", ("functional",)),
        ({"visual": "pass", "appearance": "fail"}, "fail", ("appearance",)),
        ({"visual": "fail", "appearance": "fail"}, "fail", ("visual", "appearance")),
        ({"visual": "conditional", "functional": "warn"}, "conditional", ("visual",)),
        ({"visual": "conditional", "functional": "fail"}, "fail", ("functional",)),
        ({"visual": "undetermined:blank-capture", "appearance": "fail"},
         "undetermined:blank-capture", ("visual",)),
        ({"visual": "skipped", "functional": "pass"}, "pass", ()),
        ({"visual": "skipped", "functional": "skipped"},
         "undetermined:no-comparable-channel", ()),
        ({}, "undetermined:no-comparable-channel", ()),
        ({"visual": "pass", "style": "fail"}, "pass", ()),
        ({"visual": "passed"}, "undetermined:unknown-result", ("visual",)),
        ({"visual": "pass", "functional": "odd"}, "undetermined:unknown-result", ("functional",)),
    ],
)  # fmt: skip
def test_table(results: dict[str, str], status: str, causes: tuple[str, ...]) -> None:
    """Fail names its channels; warn and skipped count neither way; unknown is never a pass."""
    verdict = decide_verdict(results)
    assert (verdict.status, verdict.causes) == (status, causes)


def test_pass_needs_every_compared_channel_to_pass() -> None:
    """In all combinations, pass means: nothing failed or is open, something was compared."""
    words = ("pass", "conditional", "warn", "fail", "skipped", "undetermined:x", "?")
    for visual, functional, appearance in itertools.product(words, repeat=3):
        given = {"visual": visual, "functional": functional, "appearance": appearance}
        status = decide_verdict(given).status
        good = set(given.values()) <= {"pass", "warn", "skipped"} and set(given.values()) != {
            "skipped"
        }
        assert (status == "pass") is good, given


def finding(channel: str, **given: Any) -> dict[str, Any]:
    """Return a gating finding as reports hold it."""
    return {"channel": channel, "gating": True, "state": "open", **given}


@pytest.mark.parametrize(
    ("channels", "findings", "status"),
    [
        ({"functional": "skipped: x", "appearance": "off"}, [], "pass"),
        ({"functional": {"status": "compared", "result": "fail"}}, [finding("functional")], "fail"),
        ({"functional": {"status": "compared", "result": "fail"}},
         [finding("functional", state="excused")], "pass"),
        ({"appearance": {"status": "compared", "result": "warn"}},
         [finding("appearance", gating=False)], "pass"),
        ({"appearance": {"status": "compared", "result": "pass"}}, [finding("appearance")], "fail"),
        ({"style": {"status": "compared", "result": "fail"}}, [], "pass"),
        ({"appearance": {"status": "n/a"}}, [], "pass"),
    ],
)  # fmt: skip
def test_a_report_alone_gives_its_verdict_again(
    channels: dict[str, Any], findings: list[dict[str, Any]], status: str
) -> None:
    """What the stored findings and channel records say is all that is needed."""
    report = {"verdicts": {"visual": "pass"}, "channels": channels, "findings": findings}
    assert evaluate_report(report).status == status


def test_an_older_report_is_judged_by_its_status() -> None:
    """Without verdicts only the pictures gated."""
    assert evaluate_report({"status": "fail"}).status == "fail"
    assert evaluate_report({}).status == "undetermined"
