"""The words of a capture's stability, as users write them in a call, marker or manifest."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.screenshot_words import check_screenshot

GOOD = {"network": "ignore", "quiet": 2500, "clock": "2026-03-01T09:30:00", "random_seed": 7}


def test_words_become_the_options_of_a_capture() -> None:
    """Each word is an option of a capture; times are milliseconds, as all of Playwright's."""
    found = check_screenshot(GOOD, where=lambda _: "the call")
    assert found == {**GOOD, "quiet": 2.5}
    assert dataclasses.asdict(CaptureOptions(**found)).items() >= found.items()
    assert check_screenshot({"clock": 1772357400}, where=lambda _: "")["clock"] == 1772357400


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("network", "wait"),
        ("quiet", 2.5),
        ("quiet", "long"),
        ("clock", "noon"),
        ("clock", True),
        ("clock", float("nan")),
        ("random_seed", 1.5),
        ("random_seed", True),
    ],
)
def test_what_a_word_cannot_be_is_refused_by_its_name(word: str, value: object) -> None:
    """A wrong value is an error that names the word and the place where it was written."""
    with pytest.raises(ConfigurationError) as caught:
        check_screenshot({word: value}, where=lambda _: "the call")
    assert f"{word}, the call" in str(caught.value)
