"""Raster pictures of the pages, made by formula: landscapes, faces, products; and re-encodings."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Picture = NDArray[np.uint8]


def _bytes(picture: NDArray[np.float64]) -> Picture:
    clipped: Picture = np.clip(picture, 0, 255).astype(np.uint8)
    return clipped


def photo(seed: int, width: int, height: int) -> Picture:
    """Return a landscape-like picture: sky, hills, fine grain. Same seed, same bytes."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    x, y = x / width, y / height
    top, low = rng.uniform(60, 255, 3), rng.uniform(90, 255, 3)
    picture = top + (low - top) * y[..., None]
    sun = np.exp(-(((x - rng.uniform(0.2, 0.8)) ** 2 + (y - 0.3) ** 2) / 0.01))
    picture += sun[..., None] * np.array([120.0, 100.0, 40.0])
    for layer in range(4):
        phase, freq = rng.uniform(0, 6.3, 3), rng.uniform(2, 14, 3)
        ridge = sum(
            np.sin(x * f + p) / (i + 1) for i, (f, p) in enumerate(zip(freq, phase, strict=False))
        )
        edge = 0.45 + 0.14 * layer + 0.07 * ridge
        cover = np.clip((y - edge) * height / 1.5, 0, 1)[..., None]
        colour = rng.uniform(20, 170, 3) * (1 - 0.15 * layer)
        picture = picture * (1 - cover) + (colour + 30 * (y[..., None] - 0.5)) * cover
    grain = rng.normal(0, 6, (height, width, 1))
    return _bytes(picture + grain)


def face(seed: int, size: int) -> Picture:
    """Return an avatar-like picture: backdrop, shoulders, head, hair."""
    rng = np.random.default_rng(1000 + seed)
    y, x = np.mgrid[0:size, 0:size].astype(np.float64) / size
    picture = np.ones((size, size, 3)) * rng.uniform(120, 240, 3)
    picture += (30 * (x - y))[..., None]
    skin = np.array([224.0, 172.0, 138.0]) * rng.uniform(0.55, 1.05)
    for colour, cx, cy, rx, ry in (
        (rng.uniform(30, 220, 3), 0.5, 1.05, 0.42, 0.38),
        (rng.uniform(20, 120, 3), 0.5, 0.36, 0.25, 0.27),
        (skin, 0.5, 0.44, 0.19, 0.24),
    ):
        distance = np.sqrt(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2)
        cover = np.clip((1 - distance) * size * rx, 0, 1)[..., None]
        picture = picture * (1 - cover) + (colour + 25 * (0.5 - x)[..., None]) * cover
    return _bytes(picture + rng.normal(0, 3, (size, size, 1)))


def product(seed: int, width: int, height: int) -> Picture:
    """Return a product-like picture: one shaded object on a plain backdrop."""
    rng = np.random.default_rng(2000 + seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    x, y = x / width, y / height
    picture = np.ones((height, width, 3)) * rng.uniform(215, 250, 3) - (20 * y)[..., None]
    power = rng.choice([2.0, 4.0, 8.0])
    shape = (np.abs(x - 0.5) / rng.uniform(0.2, 0.32)) ** power
    shape += (np.abs(y - 0.52) / rng.uniform(0.25, 0.36)) ** power
    cover = np.clip((1 - shape) * width / 8, 0, 1)[..., None]
    shade = (1.15 - 0.7 * x)[..., None]
    picture = picture * (1 - cover) + rng.uniform(30, 220, 3) * shade * cover
    stripe = (np.sin(y * rng.uniform(20, 60)) > 0.6)[..., None] * cover
    picture = picture * (1 - 0.4 * stripe)
    return _bytes(picture + rng.normal(0, 2, (height, width, 1)))


def data_uri(picture: Picture) -> str:
    """Return the picture as a data URI, encoded as a site's photos are: JPEG, quality 92."""
    return _jpeg(Image.fromarray(picture), quality=92)


def _jpeg(picture: Image.Image, *, quality: int) -> str:
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=quality, subsampling=0)
    return "data:image/jpeg;base64," + base64.b64encode(stream.getvalue()).decode()


def reencoded(uri: str, *, quality: int = 85) -> str:
    """Return the picture of a data URI after one more trip through JPEG, as a data URI."""
    raw = base64.b64decode(uri.split(",", 1)[1])
    return _jpeg(Image.open(io.BytesIO(raw)).convert("RGB"), quality=quality)


def rescaled(uri: str, *, factor: float = 1.5) -> str:
    """Return the picture of a data URI resampled by *factor*, as an export at 1.5x would be."""
    raw = base64.b64decode(uri.split(",", 1)[1])
    picture = Image.open(io.BytesIO(raw)).convert("RGB")
    size = (round(picture.width * factor), round(picture.height * factor))
    return data_uri(np.asarray(picture.resize(size, Image.Resampling.LANCZOS)))
