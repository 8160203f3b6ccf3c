"""A Figma of our own: real HTTP on loopback, with every trouble that the real one makes.

The shapes are those of the REST API's answers. Pictures are painted from the node trees: each node
with a solid fill is a rectangle, cut as an export of Figma is (its bounding box, or the unclipped
bounds by default), scaled down silently above ``max_pixels``. They lie on a second server, at
signed addresses, as Figma's lie at another host.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.placement import unclipped_bounds
from pytest_pixelloop.sources.figma_nodes import build_tree
from pytest_pixelloop.store.images import encode_png

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TOKEN = "figd_Q7-secret_of_the_tests_0123456789"
SIGNATURE = "X-Amz-Signature=5igned0123"
DROP = -1
CUT = -2


def box(x: float, y: float, w: float, h: float) -> dict[str, float]:
    """Return a raw rectangle."""
    return {"x": x, "y": y, "width": w, "height": h}


def paint(color: str, opacity: float = 1.0) -> dict[str, Any]:
    """Return a solid paint of a colour such as ``#2563eb``."""
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return {
        "type": "SOLID",
        "blendMode": "NORMAL",
        "color": {"r": red, "g": green, "b": blue, "a": opacity},
    }


def frame(
    node_id: str, rectangle: dict[str, float], *children: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    """Return a raw frame that clips its content and has a white fill."""
    return {
        "id": node_id,
        "name": f"Frame {node_id}",
        "type": "FRAME",
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "clipsContent": True,
        "fills": [paint("#ffffff")],
        "strokes": [],
        "effects": [],
        "absoluteBoundingBox": rectangle,
        "absoluteRenderBounds": rectangle,
        "children": list(children),
        **fields,
    }


def rect(
    node_id: str, rectangle: dict[str, float], color: str = "#2563eb", **fields: Any
) -> dict[str, Any]:
    """Return a raw rectangle of one colour."""
    return {
        "id": node_id,
        "name": f"Rectangle {node_id}",
        "type": "RECTANGLE",
        "blendMode": "PASS_THROUGH",
        "fills": [paint(color)],
        "absoluteBoundingBox": rectangle,
        **fields,
    }


def card(node_id: str = "1:2", *, color: str = "#2563eb", x: float = 100) -> dict[str, Any]:
    """Return a frame of 40x30 with a bar and a button in it."""
    number = node_id.rsplit(":", maxsplit=1)[-1]
    return frame(
        node_id,
        box(x, 50, 40, 30),
        rect(f"7:{number}1", box(x + 4, 54, 32, 4), "#111827", name="bar"),
        rect(f"7:{number}2", box(x + 4, 64, 16, 10), color, name="button"),
    )


@dataclass(slots=True)
class FigmaFile:
    """One design file: its nodes by id and how it is now."""

    nodes: dict[str, dict[str, Any]]
    name: str = "Shop"
    version: str = "100"
    last_modified: str = "2026-01-02T03:04:05Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What to answer in place of the truth. ``status`` DROP or CUT breaks the connection."""

    status: int = 200
    body: bytes | dict[str, Any] = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Trouble:
    """A reply for the next *times* requests whose path contains *path* and whose query fits."""

    path: str
    reply: Reply
    times: int = 1
    when: Callable[[dict[str, str]], bool] = lambda _query: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it came."""

    host: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]


class FigmaServer:
    """The API at ``api``, the pictures at ``cdn``; ``files`` by key; ``seen`` are all requests."""

    def __init__(self) -> None:
        self.files: dict[str, FigmaFile] = {}
        self.troubles: list[Trouble] = []
        self.seen: list[Seen] = []
        self.null_images: Counter[str] = Counter()
        self.bodies: dict[str, bytes] = {}
        self.max_pixels = 32_000_000
        self.lock = threading.Lock()
        self._servers = [_serve(self, "api"), _serve(self, "cdn")]
        self.api, self.cdn = (f"http://127.0.0.1:{s.server_address[1]}" for s in self._servers)

    def close(self) -> None:
        """Stop both servers."""
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def trouble(self, path: str, reply: Reply, *, times: int = 1, **fields: Any) -> None:
        """Answer the next requests to *path* with *reply*."""
        self.troubles.append(Trouble(path=path, reply=reply, times=times, **fields))

    def paths(self, host: str = "api") -> list[str]:
        """Return the paths that were asked for, without the file key."""
        return [s.path.removeprefix("/v1/") for s in self.seen if s.host == host]

    def answer(self, host: str, path: str, query: dict[str, str], headers: dict[str, str]) -> Reply:
        """Return the reply to one request."""
        with self.lock:
            self.seen.append(Seen(host=host, path=path, query=query, headers=headers))
            for trouble in self.troubles:
                if trouble.times > 0 and trouble.path in path and trouble.when(query):
                    trouble.times -= 1
                    return trouble.reply
        if host == "cdn":
            return self._picture(path, query)
        if headers.get("x-figma-token") != TOKEN:
            return Reply(status=403, body={"status": 403, "err": "Invalid token"})
        parts = path.strip("/").split("/")
        kind, key = parts[1], parts[2]
        if key not in self.files:
            return Reply(status=404, body={"status": 404, "err": "Not found"})
        if kind == "images":
            return self._images(key, query)
        return self._nodes(key, query) if parts[3] == "nodes" else self._meta(key)

    def _meta(self, key: str) -> Reply:
        file = self.files[key]
        told = {"name": file.name, "version": file.version, "last_touched_at": file.last_modified}
        return Reply(body={"file": {**told, "editorType": "figma", "creator": {"handle": "x"}}})

    def _nodes(self, key: str, query: dict[str, str]) -> Reply:
        file = self.files[key]
        found = {}
        for node in query["ids"].split(","):
            document = file.nodes.get(node)
            found[node] = document and {
                "document": document,
                "components": {},
                "componentSets": {},
                "schemaVersion": 0,
                "styles": {},
            }
        body = {
            "name": file.name,
            "lastModified": file.last_modified,
            "version": file.version,
            "role": "viewer",
            "editorType": "figma",
            "thumbnailUrl": f"{self.cdn}/thumb?{SIGNATURE}",
            "nodes": found,
        }
        packed = gzip.compress(json.dumps(body).encode())
        return Reply(body=packed, headers={"Content-Encoding": "gzip"})

    def _images(self, key: str, query: dict[str, str]) -> Reply:
        absolute = query.get("use_absolute_bounds", "false")
        images: dict[str, str | None] = {}
        for node in query["ids"].split(","):
            raw = self._find(key, node)
            missing = raw is None or raw.get("visible") is False or raw.get("opacity") == 0
            if self.null_images[node] > 0 or missing:
                self.null_images[node] -= 1
                images[node] = None
                continue
            name = f"{key}/{node}/{query['scale']}/{absolute}".replace(":", "-").replace(";", "_")
            images[node] = f"{self.cdn}/{name}?node={node}&{SIGNATURE}"
        return Reply(body={"err": None, "images": images})

    def _find(self, key: str, node: str) -> dict[str, Any] | None:
        stack = list(self.files[key].nodes.values())
        while stack:
            raw = stack.pop()
            if raw["id"] == node:
                return raw
            stack.extend(raw.get("children", ()))
        return None

    def _picture(self, path: str, query: dict[str, str]) -> Reply:
        key, _, scale, absolute = path.strip("/").split("/")
        if SIGNATURE.partition("=")[0] not in query:
            return Reply(status=403, body=b"<Error><Code>AccessDenied</Code></Error>")
        raw = self._find(key, query["node"])
        assert raw is not None
        if query["node"] in self.bodies:
            return Reply(body=self.bodies[query["node"]])
        data = render(raw, float(scale), absolute=absolute == "true", max_pixels=self.max_pixels)
        return Reply(body=data, headers={"Content-Type": "image/png"})


def render(raw: dict[str, Any], scale: float, *, absolute: bool, max_pixels: int) -> bytes:
    """Return the PNG that an export of the node *raw* gives."""
    root = build_tree(raw)
    bounds = root.box if absolute else unclipped_bounds(root)
    assert root.box is not None
    assert bounds is not None
    area = bounds.w * bounds.h * scale * scale
    if area > max_pixels:
        scale *= (max_pixels / area) ** 0.5
    width, height = (max(int(v * scale + 0.5), 1) for v in (bounds.w, bounds.h))
    image = np.zeros((height, width, 4), np.uint8)
    for placed in place_nodes(root):
        fills = placed.node.properties.get("fills") or []
        if not fills or fills[-1].get("visible") is False or "color" not in fills[-1]:
            continue
        color = fills[-1]["color"]
        visible = placed.box.intersection(placed.clip) if root.clips else placed.box
        if visible is None:
            continue
        at = visible.shifted(root.box.x - bounds.x, root.box.y - bounds.y).scaled(scale)
        x0, y0, x1, y1 = (max(int(v + 0.5), 0) for v in (at.x, at.y, at.right, at.bottom))
        image[y0:y1, x0:x1] = [round(color[k] * 255) for k in "rgba"]
    return encode_png(image)


def _serve(figma: FigmaServer, host: str) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {k: v[0] for k, v in parse_qs(parts.query).items()}
            headers = {k.lower(): v for k, v in self.headers.items()}
            self._send(figma.answer(host, parts.path, query, headers))

        def _send(self, reply: Reply) -> None:
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            if reply.status == DROP:
                self.connection.close()
                return
            self.send_response(200 if reply.status == CUT else reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body) + (100 if reply.status == CUT else 0)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server
