"""The served application: real processes on loopback, with every fault they are known for."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from served_project import APP, app_command, lives, unused_port

from pytest_pixelloop.capture.probe import ask, check_url
from pytest_pixelloop.core.errors import CaptureError, ConfigurationError
from pytest_pixelloop.process.group import await_reaping

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_pixelloop.capture.server import ServedApp

    Make = Callable[..., ServedApp]

WRAPPER = """
import os, pathlib, subprocess, sys
pathlib.Path("leader.txt").write_text(str(os.getpid()))
subprocess.run([sys.executable, "app.py", sys.argv[1]])
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="identities of processes from /proc")


def _pids(folder: Path) -> list[int]:
    """Return the process id of every start of the application, the first one first."""
    path = folder / "starts.txt"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return str(answer.read().decode())


@linux
def test_it_is_started_once_when_asked_for_and_ended_with_its_children(
    served: Make, tmp_path: Path
) -> None:
    """The address alone starts nothing; ready() starts once; stop() ends the whole group."""
    app = served("child")
    assert app.url.startswith("http://127.0.0.1:")
    assert not _pids(tmp_path)
    app.ready()
    app.ready()
    app.ready(again=True)
    (pid,) = _pids(tmp_path)
    child = int((tmp_path / "child.pid").read_text())
    assert lives(pid)
    assert lives(child)
    app.stop()
    assert not lives(pid)
    assert not lives(child)
    assert not (tmp_path / "records").exists()


@linux
def test_one_that_ignores_being_asked_is_killed(
    served: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGTERM is a question; what does not heed it is killed after the grace."""
    monkeypatch.setattr("pytest_pixelloop.capture.server.GRACE", 0.1)
    app = served("stubborn")
    app.ready()
    (pid,) = _pids(tmp_path)
    app.stop()
    assert not lives(pid)


def test_it_inherits_no_token_and_learns_its_address(
    served: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The application gets PIXELLOOP_SERVE_URL and PIXELLOOP_PORT, and no Figma token."""
    monkeypatch.setenv("FIGMA_TOKEN", "figd_secret")
    app = served()
    app.ready()
    told = _get(app.url + "env")
    assert f"PIXELLOOP_SERVE_URL={app.url}" in told
    assert "figd_secret" not in told


@pytest.mark.parametrize(
    ("fault", "timeout", "said"),
    [
        ("dies-at-start", 20.0, "ended by itself before it answered, with exit code 3"),
        ("hangs", 1.0, "does not answer within"),
        ("babbles", 1.0, "answers with something that is not HTTP"),
        ("500", 1.0, "answers with status 500"),
    ],
)
def test_one_that_does_not_come_up_is_named_and_ended(
    served: Make, tmp_path: Path, fault: str, timeout: float, said: str
) -> None:
    """Unreachable, with the fault in words, the last lines printed, and the command to type."""
    app = served(fault, timeout=timeout)
    with pytest.raises(CaptureError) as caught:
        app.ready()
    error = caught.value
    assert error.reason == "unreachable"
    assert said in error.what
    assert "app.py" in error.next_step
    assert app.url.rsplit(":", 1)[1].strip("/") in error.next_step
    assert "| application start 1" in error.where
    assert all(not lives(pid) for pid in _pids(tmp_path))


def test_the_last_lines_of_its_output_are_told(served: Make, tmp_path: Path) -> None:
    """What it printed before it died stands in the message, and whole in its log."""
    app = served("dies-at-start")
    with pytest.raises(CaptureError, match="left-pad") as caught:
        app.ready()
    assert str(tmp_path / "0.log") in caught.value.where
    assert b"left-pad" in (tmp_path / "0.log").read_bytes()


def test_it_is_not_started_again_unasked(served: Make, tmp_path: Path) -> None:
    """After a failed start every further question gets the same answer at once."""
    app = served("dies-at-start")
    for again in (False, False, True):
        with pytest.raises(CaptureError, match="exit code 3"):
            app.ready(again=again)
    assert len(_pids(tmp_path)) == 1


def test_its_death_while_in_use_is_noticed_and_named(served: Make, tmp_path: Path) -> None:
    """A process that ends between two captures is named with its exit code; restart() helps."""
    app = served()
    app.ready()
    assert app.trouble() is None
    (tmp_path / "fault.txt").write_text("die-once")
    with pytest.raises(OSError, match=r"."):
        _get(app.url)
    trouble = app.trouble()
    assert trouble is not None
    assert "ended by itself while it was used, with exit code 7" in trouble.what
    assert "| fatal: out of luck" in trouble.where
    with pytest.raises(CaptureError, match="exit code 7"):
        app.ready()
    app.restart()
    assert app.trouble() is None
    assert len(_pids(tmp_path)) == 2


@linux
def test_a_wrapper_that_is_killed_alone_keeps_no_port(served: Make, tmp_path: Path) -> None:
    """A command that only starts the application (npx) may die before it: restart() helps."""
    (tmp_path / "wrapper.py").write_text(WRAPPER, encoding="utf-8")
    app = served(command=f"{shlex.quote(sys.executable)} wrapper.py {{port}}")
    app.ready()
    leader = int((tmp_path / "leader.txt").read_text())
    os.kill(leader, signal.SIGKILL)
    while app.trouble() is None:
        time.sleep(0.01)
    assert lives(_pids(tmp_path)[0])
    app.restart()
    assert app.trouble() is None
    assert not lives(_pids(tmp_path)[0])


@linux
def test_what_was_adopted_and_killed_is_reaped(tmp_path: Path) -> None:
    """A process of a killed group that has become a child of this one leaves no number behind."""
    child = os.fork()
    if child == 0:
        os.setsid()
        (tmp_path / "leads").touch()
        os._exit(0)
    while not (tmp_path / "leads").exists():
        time.sleep(0.01)
    await_reaping(child, timeout=30)
    with pytest.raises(ProcessLookupError):
        os.killpg(child, 0)


def test_one_that_breaks_after_a_change_is_unreachable_until_it_answers(
    served: Make, tmp_path: Path
) -> None:
    """After a fix it has to answer again; a 500 for all of the timeout is unreachable."""
    app = served(timeout=1.0)
    app.ready()
    (tmp_path / "fault.txt").write_text("500")
    with pytest.raises(CaptureError, match="answers with status 500"):
        app.ready(again=True)
    assert app.trouble() is not None
    (tmp_path / "fault.txt").unlink()
    app.ready(again=True)
    assert app.trouble() is None
    assert len(_pids(tmp_path)) == 1


def test_an_answer_below_500_is_an_application_that_works(served: Make) -> None:
    """A page that asks for a login is up."""
    served("401").ready()


def test_a_taken_port_is_refused_in_words(served: Make, tmp_path: Path) -> None:
    """What answers already is somebody else's: never captured by accident, unless asked for."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        app = served(url=f"http://127.0.0.1:{port}/", command=app_command(str(port)))
        with pytest.raises(ConfigurationError, match="already") as caught:
            app.ready()
    assert "--serve-reuse" in caught.value.next_step
    assert not _pids(tmp_path)


def test_reuse_takes_what_answers_and_leaves_it_running(served: Make, tmp_path: Path) -> None:
    """With reuse nothing is started, ended or restarted; without anything there it is started."""
    first = served()
    first.ready()
    second = served(url=first.url, reuse=True)
    second.ready()
    assert len(_pids(tmp_path)) == 1
    assert not second.restartable
    second.stop()
    assert first.trouble() is None
    third = served(reuse=True)
    third.ready()
    assert third.restartable
    assert len(_pids(tmp_path)) == 2


def test_an_address_alone_is_only_asked(served: Make) -> None:
    """Without a command nothing is started, and what to type is said."""
    app = served(url=f"http://127.0.0.1:{unused_port()}/", command=None)
    with pytest.raises(CaptureError, match="cannot be reached") as caught:
        app.ready()
    assert "--serve-command" in caught.value.next_step
    assert not app.restartable


def test_what_somebody_else_runs_is_asked_again(served: Make) -> None:
    """An application that is not ours may come up later: asked once more, it is used."""
    port = unused_port()
    app = served(url=f"http://127.0.0.1:{port}/", command=None)
    for again in (False, True):
        with pytest.raises(CaptureError):
            app.ready(again=again)
    served(url=f"http://127.0.0.1:{port}/", command=app_command(str(port))).ready()
    with pytest.raises(CaptureError):
        app.ready()
    app.ready(again=True)
    app.ready()
    assert app.trouble() is None


def test_a_program_that_is_not_there_is_a_configuration_error(served: Make) -> None:
    """A command that cannot be run is the user's word to correct."""
    with pytest.raises(ConfigurationError, match="serve command's program is not found"):
        served(command="no-such-program-anywhere {port}").ready()


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://127.0.0.1/", "http://", "http://h:99999/", "http://a b/"]
)
def test_a_wrong_address_is_refused(url: str) -> None:
    """An address is http or https, with a host and a port that can be."""
    with pytest.raises(ConfigurationError, match="address of an application"):
        check_url(url, where="--serve-url")


def test_a_trickle_of_bytes_does_not_stretch_the_timeout() -> None:
    """An answer that comes byte by byte for ever ends with the timeout."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def trickle() -> None:
            connection, _ = listener.accept()
            with connection:
                while not over.wait(0.01):
                    try:
                        connection.sendall(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        answer = ask(f"http://127.0.0.1:{listener.getsockname()[1]}/", timeout=0.3)
        over.set()
        thread.join()
    assert answer.status is None
    assert "does not answer within 0.3 s" in answer.words


OWNER = """
import signal
for number in (signal.SIGHUP, signal.SIGTERM):  # nohup has them ignored
    signal.signal(number, signal.SIG_DFL)
import os, pathlib, sys, time
from pytest_pixelloop.capture.server import ServedApp, Serving
here = pathlib.Path(sys.argv[1])
app = ServedApp(
    Serving(url="http://127.0.0.1:{port}/", command=sys.argv[2], timeout=20.0),
    root=here, environ=dict(os.environ), output=lambda: here / "owner.log",
    records=here / "records",
)
app.ready()
print("ready", flush=True)
time.sleep(600)
"""


def _owner(folder: Path) -> subprocess.Popen[str]:
    """Start a process that serves an application, and return when it does."""
    (folder / "app.py").write_text(APP, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder), app_command(fault="child")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_ends_the_owner_ends_the_application(
    tmp_path: Path, number: signal.Signals
) -> None:
    """SIGTERM, SIGHUP and Ctrl-C end application and children, and the owner as they would."""
    owner = _owner(tmp_path)
    (pid,) = _pids(tmp_path)
    child = int((tmp_path / "child.pid").read_text())
    owner.send_signal(number)
    assert owner.wait(60) == -number
    assert not lives(pid)
    assert not lives(child)
    assert not (tmp_path / "records").exists()


@linux
def test_what_a_killed_owner_left_is_ended_by_the_next_one(served: Make, tmp_path: Path) -> None:
    """After SIGKILL the application still runs; the next start ends it, children too."""
    owner = _owner(tmp_path)
    owner.kill()
    owner.wait()
    (orphan,) = _pids(tmp_path)
    child = int((tmp_path / "child.pid").read_text())
    assert lives(orphan)
    served().ready()
    assert not lives(orphan)
    assert not lives(child)


@linux
def test_an_orphan_on_the_same_port_is_no_stranger(served: Make, tmp_path: Path) -> None:
    """A left application gives its fixed port free for the next one."""
    owner = _owner(tmp_path)
    (record,) = (tmp_path / "records").iterdir()
    server = json.loads(record.read_text())["server"]["pid"]
    port = Path(f"/proc/{server}/cmdline").read_bytes().split(b"\0")[2].decode()
    owner.kill()
    owner.wait()
    served(url=f"http://127.0.0.1:{port}/", command=app_command(port)).ready()


@linux
def test_only_proven_orphans_are_ended(served: Make, tmp_path: Path) -> None:
    """What another living session serves goes on, and so does a process that got an old id."""
    owner = _owner(tmp_path)
    (pid,) = _pids(tmp_path)
    innocent = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
    )
    stale = {"pid": innocent.pid, "identity": "1"}
    forged = {"schema_version": 1, "program": "x", "server": stale, "owner": stale}
    (tmp_path / "records" / "1-2.json").write_text(json.dumps(forged))
    (tmp_path / "records" / "torn.json").write_text('{"server":')
    served().ready()
    try:
        assert lives(pid)
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()
        owner.send_signal(signal.SIGTERM)
        owner.wait()
