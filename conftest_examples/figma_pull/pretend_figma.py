"""A pretend Figma on this machine: one file with one frame, so that the example needs no account.

``start()`` gives the server; its address goes into ``PIXELLOOP_FIGMA_API``, where the real one has
nothing to be set.
"""

from __future__ import annotations

import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from PIL import Image, ImageDraw

KEY = "AbCdEfGhIjKlMnOpQrStUv"
FRAME = {"x": 300, "y": 200, "width": 48, "height": 32}
DOT = {"x": 308, "y": 208, "width": 16, "height": 16}


def color(text: str) -> dict[str, float]:
    """Return a colour as Figma writes it."""
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return {"r": red, "g": green, "b": blue, "a": 1}


def node(node_id: str, name: str, kind: str, box: dict[str, int], fill: str) -> dict[str, object]:
    """Return a node with a flat fill."""
    fills = [{"type": "SOLID", "blendMode": "NORMAL", "color": color(fill)}]
    return {"id": node_id, "name": name, "type": kind, "absoluteBoundingBox": box, "fills": fills}


def badge() -> dict[str, object]:
    """Return the frame: a dot on a grey ground."""
    dot = node("1:3", "dot", "RECTANGLE", DOT, "#2563eb")
    frame = node("1:2", "Badge", "FRAME", FRAME, "#f3f4f6")
    return {**frame, "clipsContent": True, "children": [dot]}


def picture(scale: int) -> bytes:
    """Return the frame as Figma would render it."""
    image = Image.new("RGBA", (48 * scale, 32 * scale), "#f3f4f6")
    x, y = (DOT["x"] - FRAME["x"]) * scale, (DOT["y"] - FRAME["y"]) * scale
    ImageDraw.Draw(image).rectangle((x, y, x + 16 * scale - 1, y + 16 * scale - 1), fill="#2563eb")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


class Figma(BaseHTTPRequestHandler):
    """Answers the four requests of a pull."""

    def do_GET(self) -> None:
        """Answer one of them."""
        host = f"http://127.0.0.1:{self.server.server_address[1]}"
        about = {"name": "Badges", "version": "7", "lastModified": "2026-01-02T03:04:05Z"}
        if self.path.startswith("/picture/"):
            self.answer(picture(2))
        elif self.path.startswith("/v1/images/"):
            self.answer({"err": None, "images": {"1:2": f"{host}/picture/1-2?signature=secret"}})
        elif "/nodes" in self.path:
            self.answer({**about, "nodes": {"1:2": {"document": badge(), "schemaVersion": 0}}})
        else:
            self.answer({"file": {"name": "Badges", "version": "7"}})

    def answer(self, value: object) -> None:
        """Send bytes, or JSON."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def start() -> ThreadingHTTPServer:
    """Return a running server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Figma)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
