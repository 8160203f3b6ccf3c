"""The pictures of one file's frames: asked for together, checked one by one, never half a picture.

A frame whose picture cannot be had at one scale is tried at a lower one, unless the manifest
fixed the scale. Each frame ends as a picture or as the error that says why there is none.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.sources.figma.errors import (
    FigmaError,
    FigmaPictureError,
    FigmaTooLargeError,
)
from pytest_pixelloop.sources.figma.export_size import (
    Export,
    lower_scale,
    megapixels,
    plan_export,
    put_together,
)
from pytest_pixelloop.sources.figma.fetch import fetch_addresses, fetch_picture
from pytest_pixelloop.sources.figma.picture import CheckedPicture, ScaledDownError, check_picture
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_pixelloop.core.design import DesignNode
    from pytest_pixelloop.sources.figma.client import FigmaClient

SMALLEST_USEFUL = 0.25
"""The scale below which a picture of a page says too little to be tried."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One frame to render. ``scale`` is the manifest's, None where it leaves it open."""

    root: DesignNode
    scale: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Job:
    frame: Frame
    export: Export
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return self.export.tiles or (self.frame.root.id,)


class Renderer:
    """Renders frames of the file *key* as they are in *version*."""

    def __init__(
        self, client: FigmaClient, key: str, *, version: str | None, say: Callable[[str], None]
    ) -> None:
        self._client = client
        self._key = key
        self._version = version
        self._say = say

    def pictures(
        self, frames: Iterable[Frame]
    ) -> Iterator[tuple[Frame, CheckedPicture | FigmaError]]:
        """Yield each frame with its picture or with the error that there is none."""
        jobs: list[_Job] = []
        for frame in frames:
            export = plan_export(frame.root, scale=frame.scale)
            if export is None:
                yield frame, _too_large(frame)
            else:
                jobs.append(_Job(frame=frame, export=export, notes=_noted(export)))
        while jobs:
            again: list[_Job] = []
            for scale in sorted({job.export.scale for job in jobs}, reverse=True):
                batch = [job for job in jobs if job.export.scale == scale]
                for job, result in self._batch(batch, scale):
                    if isinstance(result, _Job):
                        again.append(result)
                    else:
                        yield job.frame, result
            jobs = again

    def _batch(
        self, jobs: Sequence[_Job], scale: float
    ) -> Iterator[tuple[_Job, CheckedPicture | FigmaError | _Job]]:
        """Yield each job with its picture, its error, or the job to try instead."""
        ids = list(dict.fromkeys(node for job in jobs for node in job.ids))
        self._say(f"  rendering {len(ids)} at scale {scale:g}")
        addresses, failed = fetch_addresses(
            self._client, self._key, ids, scale=scale, version=self._version
        )
        for job in jobs:
            error = next((failed[node] for node in job.ids if node in failed), None)
            if error is not None:
                yield job, self._lower(job, error) or error
                continue
            try:
                urls = {node: addresses[node] for node in job.ids}
                yield job, self._picture(job, urls, scale)
            except FigmaError as problem:
                if problem.stops:
                    raise
                yield job, self._lower(job, problem) or problem

    def _picture(self, job: _Job, urls: dict[str, str], scale: float) -> CheckedPicture:
        root = job.frame.root
        if not job.export.tiles:
            picture = self._fitting(root, urls[root.id], scale)
            return dataclasses.replace(picture, notes=(*job.notes, *picture.notes))
        by_id = {child.id: child for child in root.children}
        parts = {node: self._fitting(by_id[node], url, scale).pixels for node, url in urls.items()}
        whole = encode_png(put_together(root, parts, scale=scale))
        picture = check_picture(whole, root, scale=scale)
        return dataclasses.replace(picture, notes=(*job.notes, *picture.notes))

    def _fitting(self, root: DesignNode, url: str, scale: float) -> CheckedPicture:
        """Return the picture at *url* when it fits; else that of the unclipped bounds."""
        data = fetch_picture(
            self._client, self._key, root.id, url, scale=scale, version=self._version
        )
        try:
            return check_picture(data, root, scale=scale)
        except ScaledDownError:
            raise
        except FigmaPictureError as error:
            if "does not fit" not in error.what:
                raise
            data = self._unclipped(root, scale) or b""
            if not data:
                raise
            return check_picture(data, root, scale=scale)

    def _unclipped(self, root: DesignNode, scale: float) -> bytes | None:
        url = self._client.images(
            self._key, [root.id], scale=scale, version=self._version, absolute_bounds=False
        )[root.id]
        return None if url is None else self._client.picture(url)

    def _lower(self, job: _Job, error: FigmaError) -> _Job | None:
        """Return the job at a lower scale, None when *error* is not about size or nothing is left.

        What Figma scaled down silently is asked for anew, at a scale it renders whole.
        """
        if not isinstance(error, FigmaTooLargeError | ScaledDownError):
            return None
        frame = job.frame
        assert frame.root.box is not None
        below = error.scale * 1.001 if isinstance(error, ScaledDownError) else job.export.scale
        scale = lower_scale(frame.root.box, below=min(below, job.export.scale))
        if frame.scale is not None or scale < SMALLEST_USEFUL or scale >= job.export.scale:
            return None
        why = printable(error.what, limit=120)
        note = f"{why}; fetched at scale {scale:g} in place of {job.export.scale:g}"
        self._say(f"  node {frame.root.id}: {note}")
        return _Job(frame=frame, export=Export(scale=scale), notes=(note,))


def _noted(export: Export) -> tuple[str, ...]:
    return () if export.note is None else (export.note,)


def _too_large(frame: Frame) -> FigmaPictureError:
    box = frame.root.box or Box(0, 0, 0, 0)
    scale = frame.scale or 1.0
    fitting = lower_scale(box, below=scale)
    return FigmaPictureError(
        f"{box.w:g}x{box.h:g} at scale {scale:g} is {megapixels(box, scale):.1f} megapixels; "
        f"Figma renders at most 32: set scale: {fitting:g} or leave it out"
    )
