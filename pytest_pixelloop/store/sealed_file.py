"""Bytes that nobody reads by chance: enciphered, and known to be the ones that were written.

The cipher is a keystream (SHAKE-256 of key and random nonce) with an HMAC over everything. It keeps
text and pictures out of a search, a listing and a glance. It is no protection against somebody who
has the key, and the key lies in the user's own folder (store/vault.py).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import PixelloopError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAGIC = b"PIXELLOOP-SEALED-1\n"
#: Sizes are rounded up to powers of two from here on: a length would tell of a picture more.
SMALLEST = 1 << 18
_NONCE, _TAG, _LENGTH = 24, 32, 8


class SealError(PixelloopError):
    """Sealed bytes that are not what was sealed, or for which there is no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """What one sealed file holds: a record, and files by name."""

    record: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)


def sealed_bytes(key: bytes, parcel: Parcel, *, nonce: bytes | None = None) -> bytes:
    """Return *parcel* enciphered under *key*. *nonce* is random unless a test says otherwise."""
    nonce = nonce or secrets.token_bytes(_NONCE)
    text = _stream(_subkey(key, b"text"), nonce, _plain(parcel))
    return MAGIC + nonce + _tag(key, nonce, text) + text


def opened_bytes(key: bytes, data: bytes, *, name: str) -> Parcel:
    """Return what was sealed; SealError, which names *name*, where one bit of it is other."""
    start = len(MAGIC)
    nonce, tag = data[start : start + _NONCE], data[start + _NONCE : start + _NONCE + _TAG]
    text = data[start + _NONCE + _TAG :]
    if not data.startswith(MAGIC) or not hmac.compare_digest(tag, _tag(key, nonce, text)):
        raise SealError("a sealed file is not what was sealed", where=name)
    return _parcel(_stream(_subkey(key, b"text"), nonce, text))


def _plain(parcel: Parcel) -> bytes:
    names = sorted(parcel.files)
    index = {"record": parcel.record, "files": [[n, len(parcel.files[n])] for n in names]}
    head = json.dumps(index, separators=(",", ":"), allow_nan=False).encode("ascii")
    whole = len(head).to_bytes(_LENGTH) + head + b"".join(parcel.files[n] for n in names)
    size = max(SMALLEST, 1 << (len(whole) - 1).bit_length())
    return whole.ljust(size, b"\0")


def _parcel(whole: bytes) -> Parcel:
    end = _LENGTH + int.from_bytes(whole[:_LENGTH])
    index = json.loads(whole[_LENGTH:end])
    files: dict[str, bytes] = {}
    for name, size in index["files"]:
        files[name] = whole[end : end + size]
        end += size
    return Parcel(record=index["record"], files=files)


def _subkey(key: bytes, purpose: bytes) -> bytes:
    return hashlib.blake2b(purpose, key=key, digest_size=32).digest()


def _tag(key: bytes, nonce: bytes, text: bytes) -> bytes:
    return hmac.digest(_subkey(key, b"tag"), MAGIC + nonce + text, "sha256")


def _stream(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """Return *data* with the keystream of key and nonce laid over it; twice gives it back."""
    stream = hashlib.shake_256(key + nonce).digest(len(data))
    mixed = int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")
    return mixed.to_bytes(len(data), "little")
