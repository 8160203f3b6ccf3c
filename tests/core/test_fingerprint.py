"""What pictures depend on beside the page, and what is said where it is another."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.fingerprint import (
    NAMES,
    changes_since,
    environment_changes,
    environment_line,
    fingerprint_of,
)
from pytest_pixelloop.core.history import Compared, History, Measured
from pytest_pixelloop.core.stopping import Limits, decide

ENVIRONMENT: dict[str, Any] = {
    "browser": "chromium",
    "browser_version": "156.0.1",
    "headless": True,
    "os": "Linux x86_64",
    "device_scale_factor": 2.0,
    "fonts": "abc",
    "plugin_version": "0.1.0",
    "focus": "#b",
}


def _compared(
    label: str, environment: dict[str, str], noise_floor: float | None = None
) -> Compared:
    return Compared(
        label=label,
        design=label,
        status="fail",
        gate="design",
        score=1.0,
        delta_ids=(),
        excused=(),
        hold_out=False,
        report=f"{label}.report.json",
        environment=environment,
        noise_floor=noise_floor,
    )


def _measured(iteration: int, *comparisons: Compared, score: float = 1.0) -> Measured:
    return Measured(
        iteration=iteration,
        status="fail",
        score=score,
        delta_ids=("a",),
        channels={"visual": "compared"},
        comparisons=comparisons,
        sources="same",
    )


@pytest.mark.parametrize("name", NAMES)
def test_each_name_changes_the_digest_and_is_told(name: str) -> None:
    """Every name of a fingerprint counts, and a change is told with both values."""
    before = fingerprint_of(ENVIRONMENT)
    after = fingerprint_of({**ENVIRONMENT, name: "other"})
    assert before["digest"] != after["digest"]
    assert environment_changes(before, after) == (f"{name} {ENVIRONMENT[name]} -> other",)


def test_what_belongs_to_the_page_is_not_in_it() -> None:
    """Focus, colour scheme and the like differ with the page and are no environment."""
    other = {**ENVIRONMENT, "focus": None, "color_scheme": "dark", "viewport": [1, 2]}
    assert fingerprint_of(other) == fingerprint_of(ENVIRONMENT)


def test_unknown_names_are_no_change_and_pictures_have_no_environment() -> None:
    """What one side does not know cannot differ; a picture from a file was made with nothing."""
    assert fingerprint_of({}) == {}
    assert environment_changes({}, fingerprint_of(ENVIRONMENT)) == ()
    unknown = fingerprint_of({**ENVIRONMENT, "headless": None, "browser_version": "unknown"})
    assert "headless" not in unknown
    assert environment_changes(unknown, fingerprint_of(ENVIRONMENT)) == ()


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=5)))
def test_equal_environments_never_differ(environment: dict[str, str]) -> None:
    """A fingerprint differs in nothing from itself, whatever it holds."""
    found = fingerprint_of({"browser": "x", **environment})
    assert environment_changes(found, found) == ()
    assert found == fingerprint_of(dict(reversed({"browser": "x", **environment}.items())))


def test_each_label_is_held_to_its_first_measurement() -> None:
    """A label is compared with where it was measured first; equal changes are told once."""
    old, new = {"fonts": "a", "os": "L"}, {"fonts": "b", "os": "L"}
    story = (
        _measured(0, _compared("x", old), _compared("y", {})),
        _measured(1, _compared("x", new), _compared("y", old)),
    )
    assert changes_since(story, [("x", new), ("y", new), ("z", new)]) == ("fonts a -> b",)
    assert changes_since(story, [("x", old)]) == ()
    assert environment_line(("fonts a -> b", "os L -> W")) == "ENV_CHANGED: fonts a -> b, os L -> W"


def test_unstable_blames_another_environment_first() -> None:
    """Where the sources stood still but the browser did not, the reason begins with that."""
    history = History(
        measurements=(
            _measured(0, _compared("x", {"fonts": "a"})),
            _measured(1, _compared("x", {"fonts": "b"}), score=3.0),
        )
    )
    decision = decide(history, Limits(cap=6), now=0.0)
    assert decision.status == "undetermined:unstable-render"
    assert decision.reason.startswith("ENV_CHANGED: fonts a -> b; no watched source changed")


@pytest.mark.parametrize(
    ("floor", "score", "unstable"),
    [(None, 1.5, True), (0.0, 1.5, True), (0.4, 1.5, True), (0.6, 1.5, False), (0.6, 1.7, True)],
)
def test_measured_noise_floor_is_used(floor: float | None, score: float, unstable: bool) -> None:  # noqa: FBT001
    """A score may move by the noise that was measured, and by no more."""
    measurements = (
        _measured(0, _compared("x", {}, floor)),
        dataclasses.replace(_measured(1, _compared("x", {}), score=score), delta_ids=("b",)),
    )
    decision = decide(History(measurements=measurements), Limits(cap=6), now=0.0)
    assert (decision.status == "undetermined:unstable-render") is unstable
    if unstable and floor:
        assert f"noise floor of {floor}" in decision.reason


def test_noise_floors_of_all_labels_add_up() -> None:
    """A test's floor is the sum of those of its labels, each as it was measured last."""
    history = History(
        measurements=(
            _measured(0, _compared("x", {}, 1.0), _compared("y", {}, 0.5)),
            _measured(1, _compared("x", {}, 2.0), _compared("y", {})),
        )
    )
    assert history.noise_floor == 2.5
