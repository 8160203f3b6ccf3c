"""An application with a weak spot: it ends when a style sheet changes while it runs.

``python app.py PORT`` serves ``site/``. Many development servers are like this once: they crash on
a half-written file, or lose their port when they restart themselves.
"""

import os
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).parent / "site"
SHEET = SITE / "tiles.css"
DIED = SITE.parent / "died.txt"
STARTED_WITH = SHEET.read_bytes()


class Handler(SimpleHTTPRequestHandler):
    """Serves the site until its style sheet is another one."""

    def do_GET(self) -> None:
        """Answer, or end."""
        if SHEET.read_bytes() != STARTED_WITH and not DIED.exists():
            DIED.touch()
            print("tiles.css has changed, giving up", flush=True)
            os._exit(1)
        super().do_GET()


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), partial(Handler, directory=SITE))
print("serving", SITE, flush=True)
server.serve_forever()
