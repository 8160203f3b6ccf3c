"""Nodes and pictures of one Figma file, in as few requests as Figma lets through.

Everything is asked for at once first. What Figma calls too much is halved, down to a single node,
whose scale is lowered then. One node that cannot be had does not take the others with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pytest_pixelloop.sources.figma.errors import (
    FigmaError,
    FigmaPictureError,
    FigmaTooLargeError,
    FigmaUnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_pixelloop.sources.figma.client import FigmaClient, NodesAnswer

_T = TypeVar("_T")
MOST_NODES, MOST_IMAGES, MOST_CHARACTERS = 400, 50, 4000
NULL_PAUSE = 2.0
"""Seconds before a picture that was not rendered is asked for once more."""


def in_pieces(
    ids: Sequence[str],
    ask: Callable[[Sequence[str]], Mapping[str, _T]],
    *,
    most: int,
    split_on: tuple[type[FigmaError], ...] = (FigmaTooLargeError,),
) -> tuple[dict[str, _T], dict[str, FigmaError]]:
    """Return what *ask* gave for the *ids*, and the error for each id that failed alone.

    A piece that is too large is halved. A server error splits a piece once, and not its halves
    again: a server that is down would be asked ever more. An error that stops everything is
    raised.
    """
    found: dict[str, _T] = {}
    failed: dict[str, FigmaError] = {}
    stack = [(piece, False) for piece in reversed(_chunks(ids, most))]
    while stack:
        piece, is_half = stack.pop()
        try:
            found.update(ask(piece))
        except split_on as error:
            if error.stops:
                raise
            if len(piece) == 1 or (is_half and not isinstance(error, FigmaTooLargeError)):
                failed.update(dict.fromkeys(piece, error))
                continue
            middle = (len(piece) + 1) // 2
            stack.append((piece[middle:], True))
            stack.append((piece[:middle], True))
    return found, failed


def _chunks(ids: Sequence[str], most: int) -> list[list[str]]:
    """Return *ids* without repeats in pieces that fit into one request's address."""
    chunks: list[list[str]] = []
    length = 0
    for node in dict.fromkeys(ids):
        size = len(node) + 6  # ":" and "," become three characters each
        if not chunks or len(chunks[-1]) >= most or length + size > MOST_CHARACTERS:
            chunks.append([])
            length = 0
        chunks[-1].append(node)
        length += size
    return chunks


def fetch_nodes(
    client: FigmaClient, key: str, ids: Sequence[str]
) -> tuple[dict[str, NodesAnswer], dict[str, FigmaError]]:
    """Return for each id the answer that it is in, and the error of each that failed."""

    def ask(piece: Sequence[str]) -> Mapping[str, NodesAnswer]:
        answer = client.nodes(key, piece)
        return dict.fromkeys(piece, answer)

    return in_pieces(ids, ask, most=MOST_NODES)


def fetch_addresses(
    client: FigmaClient, key: str, ids: Sequence[str], *, scale: float, version: str | None
) -> tuple[dict[str, str], dict[str, FigmaError]]:
    """Return where each rendered picture lies, and the error of each that was not rendered.

    What Figma answers with null is asked for once more after a pause.
    """

    def ask(piece: Sequence[str]) -> Mapping[str, str | None]:
        return client.images(key, piece, scale=scale, version=version)

    split_on = (FigmaTooLargeError, FigmaUnavailableError)
    found, failed = in_pieces(ids, ask, most=MOST_IMAGES, split_on=split_on)
    nulls = [node for node, url in found.items() if url is None]
    if nulls:
        client.pause(NULL_PAUSE)
        again, failed_again = in_pieces(nulls, ask, most=MOST_IMAGES, split_on=split_on)
        found |= again
        failed |= failed_again
    for node, url in found.items():
        if url is None:
            failed.setdefault(node, _not_rendered(node))
    return {node: url for node, url in found.items() if url is not None}, failed


def fetch_picture(
    client: FigmaClient,
    key: str,
    node: str,
    url: str,
    *,
    scale: float,
    version: str | None,
) -> bytes:
    """Return the bytes at *url*; an address that expired is asked for anew, once."""
    try:
        return client.picture(url)
    except FigmaPictureError:
        fresh = client.images(key, [node], scale=scale, version=version)[node]
        if fresh is None:
            raise _not_rendered(node) from None
        return client.picture(fresh)


def _not_rendered(node: str) -> FigmaPictureError:
    return FigmaPictureError(
        f"Figma rendered nothing for node {node} (null), twice",
        expected="a node that is visible, not of opacity 0, and paints something",
        next_step="look at the node in Figma; pull again",
    )
