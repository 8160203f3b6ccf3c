"""The pages of tests/site over HTTP, with the latencies and failures that are asked for."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

SITE = Path(__file__).parents[1] / "site"


class SiteHandler(SimpleHTTPRequestHandler):
    """Serves tests/site: ``?delay=S`` answers late, ``?hang`` never, /status/N with status N."""

    def __init__(self, *args: Any, over: threading.Event, **given: Any) -> None:
        self.over = over
        super().__init__(*args, directory=str(SITE), **given)

    def do_GET(self) -> None:
        """Answer."""
        parts = urlsplit(self.path)
        query = parse_qs(parts.query, keep_blank_values=True)
        if "hang" in query:
            self.over.wait()
            return
        if "delay" in query:
            time.sleep(float(query["delay"][0]))  # the latency that is tested
        if parts.path.startswith("/status/"):
            body = b"<!doctype html><h1>An error page</h1>"
            self.send_response(int(parts.path.rsplit("/", 1)[1]))
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        super().do_GET()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served_site() -> Iterator[str]:
    """Serve tests/site and give its URL without a slash at the end."""
    over = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SiteHandler, over=over))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()
