"""A scripted web application as a real process on loopback, and its faults."""

from __future__ import annotations

import shlex
import socket
import sys
from pathlib import Path

#: ``python app.py PORT FAULT``. Files beside it steer it, so that no test has to wait by sleeping.
APP = r'''
"""A web application with one fault."""
import os, pathlib, signal, socket, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = pathlib.Path(__file__).parent
port, fault = int(sys.argv[1]), (sys.argv[2:] or ["none"])[0]
starts = HERE / "starts.txt"
with starts.open("a") as stream:
    stream.write(f"{os.getpid()}\n")
count = len(starts.read_text().splitlines())
print("application start", count, flush=True)
if fault == "dies-at-start":
    print("cannot find module 'left-pad'", file=sys.stderr, flush=True)
    sys.exit(3)
if fault == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if fault == "child":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    (HERE / "child.pid").write_text(str(child.pid))
if fault == "hangs":
    listener = socket.create_server(("127.0.0.1", port))
    threading.Event().wait()
if fault == "babbles":
    listener = socket.create_server(("127.0.0.1", port))
    while True:
        connection, _ = listener.accept()
        connection.sendall(b"220 mail.example ESMTP\r\n")
        connection.close()


SEEN = set()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        told = HERE / "fault.txt"
        now = told.read_text() if told.exists() else fault
        if now.endswith("-once"):
            now = now.removesuffix("-once") if count == 1 else "none"
        if now == "die" or (now == "die-in-page" and self.path == "/page.json"):
            print("fatal: out of luck", flush=True)
            os._exit(7)
        if now == "hang":
            threading.Event().wait()
        flaky = now == "flaky" and "page" in self.path and self.path not in SEEN
        SEEN.add(self.path)
        status = 503 if flaky else 500 if now == "500" else 401 if now == "401" else 200
        page = HERE / (self.path.partition("?")[0].strip("/") or "page.html")
        body = page.read_bytes() if page.is_file() else b"<!doctype html><p>hello</p>"
        if self.path == "/env":
            body = "\n".join(f"{k}={v}" for k, v in sorted(os.environ.items())).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
'''


def app_command(port: str = "{port}", fault: str = "none") -> str:
    """Return the command that serves the application of the current folder."""
    return f"{shlex.quote(sys.executable)} app.py {port} {fault}"


def lives(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def unused_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
