"""The reload ladder as a pure rule: which rung is next, and that it always comes to an end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.reload import MAX_RESTARTS, Rung, next_rung

P, C, A = Rung.PAGE, Rung.CONTEXT, Rung.APPLICATION
ALL = (P, C, A)


@pytest.mark.parametrize(
    ("taken", "restarts", "available", "rung"),
    [
        ([], [], ALL, P),
        ([P], [], ALL, C),
        ([P, C], [C], ALL, A),
        ([P, C, A], [C, A], ALL, None),
        ([], [], (C, A), C),
        ([C], [C], (C,), None),
        # In a later episode: what was of no use makes way for the rung above it.
        ([], [C], ALL, P),
        ([P], [C], ALL, A),
        ([], [C], (C,), C),
        ([], [A], (A,), A),
        # Both restarts spent: only the free rung is left.
        ([], [C, A], ALL, P),
        ([P], [C, A], ALL, None),
        ([], [C, A], (C, A), None),
        ([], [], (), None),
    ],
)
def test_the_next_rung(
    taken: list[Rung], restarts: list[Rung], available: tuple[Rung, ...], rung: Rung | None
) -> None:
    """One goes up, none is repeated, and the restarts are shared."""
    assert next_rung(taken, restarts=restarts, available=available) is rung


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from(ALL)), st.booleans()),  # what is there, is it of use
        max_size=30,
    )
)
def test_no_story_has_more_than_two_restarts(story: list[tuple[set[Rung], bool]]) -> None:
    """Whatever is available and whatever helps, a loop has at most two restarts, rungs going up."""
    taken: list[Rung] = []
    restarts: list[Rung] = []
    for available, helps in story:
        rung = next_rung(taken, restarts=restarts, available=available)
        if rung is None:
            continue
        assert rung in available
        assert not taken or rung > taken[-1]
        taken.append(rung)
        if rung is not P:
            restarts.append(rung)
        if helps:
            taken.clear()
    assert len(restarts) <= MAX_RESTARTS
