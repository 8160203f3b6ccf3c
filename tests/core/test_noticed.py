"""What is noticed and decides nothing."""

from __future__ import annotations

import pytest

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.functional import NO_EXPECTATIONS
from pytest_pixelloop.core.noticed import MOST_NOTICES, notices
from pytest_pixelloop.core.screenshot_words import WORDS
from pytest_pixelloop.core.viewports import read_themes


def test_what_was_asked_for_and_not_had_is_told() -> None:
    """Warnings, expected elements that are absent, and a look that did not happen."""
    channels = {
        "functional": {"status": "compared", "warn_count": 2},
        "appearance": {
            "vision": {"asked": [{"status": "not run: it hung"}, {"status": "compared"}]}
        },
    }
    told = notices(("the mask #x matches nothing",), channels)
    assert told[0] == "the mask #x matches nothing"
    assert told[1].startswith("2 expected elements are not in the tree")
    assert told[2:] == ["vision not run: it hung"]


def test_expectations_that_nobody_could_check_are_told() -> None:
    """A picture has no roles: that is said where something was expected, and only there."""
    assert notices((), {"functional": "skipped: a picture has no page"}) == [
        "expectations skipped: a picture has no page"
    ]
    assert notices((), {"functional": NO_EXPECTATIONS}) == []


def test_errors_of_the_page_belong_to_their_channel() -> None:
    """The appearance channel tells them, or was told not to."""
    assert notices(("2 console errors: a", "1 page error: b"), {"appearance": "off"}) == []


def test_many_are_counted() -> None:
    """A flood of warnings stays readable."""
    told = notices([f"w{number}" for number in range(9)], {})
    assert len(told) == MOST_NOTICES + 1
    assert told[-1] == f"and {9 - MOST_NOTICES} more: see the report"


@pytest.mark.parametrize("value", ["", "light,", [], 5])
def test_wrong_themes_are_told_as_themes(value: object) -> None:
    """The text says what a theme is, not what a viewport is."""
    with pytest.raises(ConfigurationError) as caught:
        read_themes(value, where="test")
    assert caught.value.expected == 'names, as "light,dark"'


def test_a_time_beyond_the_longest_is_told_both_ends() -> None:
    """Whoever writes too much is not told to write more."""
    with pytest.raises(ConfigurationError) as caught:
        WORDS["quiet"](1e9, "test")
    assert "100 to 86400000" in str(caught.value.expected)
