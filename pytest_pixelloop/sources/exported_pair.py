"""A design out of an exported picture and the node file beside it: how one lies over the other."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.design import Design, DesignNode, Placement
from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.core.placement import USUAL_SCALES, frame_image, place_export
from pytest_pixelloop.sources.figma_nodes import NodeFile, read_nodes
from pytest_pixelloop.sources.node_ids import label_of
from pytest_pixelloop.sources.picture_file import read_picture
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

_SCALE_IN_NAME = re.compile(r".*@(\d{1,2}(?:\.\d{1,2})?)x", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedPair:
    """A picture and its node file: where they lie, and what they are called in messages."""

    image: Path
    nodes: Path | None
    image_name: str
    nodes_name: str | None


def design_of_pair(
    files: ExportedPair, *, name: str, node: str | None, scale: float | None, width: int | None
) -> Design:
    """Return the design that a picture and its tree are together, the *node* of it.

    Raises DesignUnreadableError when one cannot be read, or they do not fit together.
    """
    picture, data = read_picture(files.image, name=files.image_name)
    nodes, nodes_bytes = _read_tree(files)
    root = nodes.node(node) if nodes is not None else None
    placement, framed, frame = _place(picture, root, files, scale=scale, width=width)
    return Design(
        name=name,
        label=label_of(name, node=own_id(root) if root else node),
        image=framed,
        frame=frame,
        scale=placement.scale,
        root=root,
        placement=placement,
        files=tuple(str(p) for p in (files.image, files.nodes) if p is not None),
        provenance={
            "image": files.image_name,
            "nodes": files.nodes_name,
            "file_key": nodes.file_key if nodes else None,
            "node": root.id if root else node,
            "version": nodes.version if nodes else None,
            "last_modified": nodes.last_modified if nodes else None,
            "sha256": {
                "image": hashlib.sha256(data).hexdigest(),
                "nodes": hashlib.sha256(nodes_bytes).hexdigest() if nodes_bytes else None,
            },
            "placement": {
                "rule": placement.rule,
                "scale": placement.scale,
                "origin": list(placement.origin),
                "picture": [int(picture.shape[1]), int(picture.shape[0])],
            },
        },
    )


def _read_tree(files: ExportedPair) -> tuple[NodeFile | None, bytes | None]:
    if files.nodes is None or files.nodes_name is None:
        return None, None
    data = read_file(files.nodes, name=files.nodes_name, error=DesignUnreadableError)
    return read_nodes(data, name=files.nodes_name), data


def _place(
    picture: NDArray[np.uint8],
    root: DesignNode | None,
    files: ExportedPair,
    *,
    scale: float | None,
    width: int | None,
) -> tuple[Placement, NDArray[np.uint8], tuple[float, float]]:
    """Return how the picture lies over the frame, the frame's picture, and its CSS size."""
    columns, rows = int(picture.shape[1]), int(picture.shape[0])
    if root is None or root.box is None:
        bare = scale or _bare_scale(files.image.stem, columns, width)
        placement = Placement(scale=bare, origin=(0.0, 0.0), rule="given")
        return placement, picture, (columns / bare, rows / bare)
    try:
        placement = place_export((columns, rows), root, scale=scale)
    except DesignUnreadableError as error:
        raise DesignUnreadableError(
            error.what,
            where=f"{files.image_name} with {files.nodes_name}",
            expected=error.expected,
            next_step=error.next_step,
        ) from error
    frame = (root.box.w, root.box.h)
    return placement, frame_image(picture, placement, frame), frame


def _bare_scale(stem: str, columns: int, width: int | None) -> float:
    """Return the scale of a picture without a tree: ``@2x`` in its name, its viewport, else 1."""
    named = _SCALE_IN_NAME.fullmatch(stem)
    if named and float(named.group(1)) > 0:
        return float(named.group(1))
    if width is not None and columns / width in USUAL_SCALES:
        return columns / width
    return 1.0


def own_id(root: DesignNode) -> str | None:
    """Return a node's id, None for one that its file gives none."""
    return root.id if isinstance(root.properties.get("id"), str) else None
