"""Sealed bytes come back as they were, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.store.sealed_file import (
    SMALLEST,
    Parcel,
    SealError,
    opened_bytes,
    sealed_bytes,
)

KEY = bytes(range(32))
NAMES = st.text("abc.-_", min_size=1, max_size=8)
PARCELS = st.builds(
    Parcel,
    record=st.dictionaries(NAMES, st.integers() | st.text(max_size=9), max_size=3),
    files=st.dictionaries(NAMES, st.binary(max_size=99), max_size=3),
)


@given(parcel=PARCELS)
def test_what_is_sealed_comes_back(parcel: Parcel) -> None:
    """Record and files are the same after sealing and opening, whatever they hold."""
    assert opened_bytes(KEY, sealed_bytes(KEY, parcel), name="x") == parcel


@given(place=st.integers(0, 2_000), bit=st.integers(0, 7))
def test_one_other_bit_is_refused(place: int, bit: int) -> None:
    """No byte of head, tag or text can be another one."""
    data = bytearray(sealed_bytes(KEY, Parcel(record={"score": 41.0})))
    data[place] ^= 1 << bit
    with pytest.raises(SealError, match="is not what was sealed"):
        opened_bytes(KEY, bytes(data), name="x")


def test_another_key_and_a_cut_file_are_refused() -> None:
    """Nothing is read with the wrong key, nor from a part."""
    data = sealed_bytes(KEY, Parcel(record={}))
    for key, part in ((bytes(32), data), (KEY, data[:-1]), (KEY, b""), (KEY, data[:40])):
        with pytest.raises(SealError):
            opened_bytes(key, part, name="x")


def test_nothing_shows_and_lengths_are_rounded() -> None:
    """Neither words nor the size of a picture can be seen from outside; no two seals are alike."""
    small = sealed_bytes(KEY, Parcel(record={"label": "checkout"}, files={"a": b"secret"}))
    large = sealed_bytes(KEY, Parcel(record={"label": "checkout"}, files={"a": bytes(200_000)}))
    assert b"checkout" not in small
    assert b"secret" not in small
    assert len(small) == len(large) > SMALLEST
    assert small != sealed_bytes(KEY, Parcel(record={"label": "checkout"}, files={"a": b"secret"}))
