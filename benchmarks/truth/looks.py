"""Writes pictures of cases to look at: design, capture and difference, cut to where it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from benchmarks.truth import gates

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.truth.cases import Case

_MARGIN = 24
_WIDEST = 900


def dump(case: Case, folder: Path, target: Path, *, scale: int, zoom: int = 2) -> Path:
    """Write design | capture | capture as is | difference of a case side by side."""
    pictures = [gates.picture(folder / "design.png"), gates.picture(folder / case.file)]
    plain = folder / "benign-as-is-0.png"
    if plain.exists():
        pictures.append(gates.picture(plain))
    h = min(p.shape[0] for p in pictures)
    w = min(p.shape[1] for p in pictures)
    x, y, right, low = 0, 0, w, h
    if case.area:
        ax, ay, aw, ah = (int(v * scale) for v in case.area)
        m = _MARGIN * scale
        x, y = max(ax - m, 0), max(ay - m, 0)
        right, low = min(ax + aw + m, w), min(ay + ah + m, h)
    cut = [p[y:low, x:right, :3] for p in pictures]
    cut.append(np.clip(np.abs(cut[0].astype(int) - cut[1]) * 3, 0, 255).astype(np.uint8))
    side = right - x < 2 * (low - y)
    gap = np.full((low - y, 4, 3) if side else (4, right - x, 3), (255, 0, 255), np.uint8)
    parts = [part for picture in cut for part in (picture, gap)][:-1]
    joined = np.concatenate(parts, axis=1 if side else 0)
    picture = Image.fromarray(joined)
    if max(right - x, low - y) * zoom <= _WIDEST:
        picture = picture.resize(
            (joined.shape[1] * zoom, joined.shape[0] * zoom), Image.Resampling.NEAREST
        )
    target.mkdir(parents=True, exist_ok=True)
    file = target / (case.id.replace("/", "__") + ".png")
    picture.save(file)
    return file
