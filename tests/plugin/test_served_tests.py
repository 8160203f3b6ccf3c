"""``--serve-command`` under pytest: started when needed, ended at the end, named when it fails.

The tests look at a real application on loopback without a browser: what it answers is drawn.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from served_project import APP, app_command, lives, unused_port

if TYPE_CHECKING:
    from drawn_project import Project

LOOK = """
import json, urllib.request
import draw


def look(url):
    with urllib.request.urlopen(url + "page.json", timeout=20) as answer:
        return draw.draw(json.loads(answer.read()))
"""

SERVED_TEST = """
from look import look


def test_card(pixelloop_url, assert_matches_design):
    assert_matches_design(look(pixelloop_url), "card")


def test_other(pixelloop_url, assert_matches_design):
    assert_matches_design(look(pixelloop_url), "card")
"""
URL = "http://127.0.0.1:{port}/"


@pytest.fixture
def served(project: Project) -> Project:
    """Give a project whose two tests look at a served page."""
    project.write("app.py", APP)
    project.write("look.py", LOOK)
    project.write("test_card.py", SERVED_TEST)
    return project


def serve(fault: str = "none", *, timeout: str = "30") -> tuple[str, ...]:
    """Return the options that serve the application with a fault."""
    command = app_command(fault=fault)
    return ("--serve-command", command, "--serve-url", URL, "--serve-timeout", timeout)


def starts(project: Project) -> list[int]:
    """Return the process id of every start of the application."""
    path = project.path / "starts.txt"
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def test_one_application_serves_all_tests_and_is_ended(served: Project) -> None:
    """Two visual tests, one start; its output is kept in the run; nothing runs afterwards."""
    served.run(*serve("child")).assert_outcomes(passed=2)
    (pid,) = starts(served)
    child = int((served.path / "child.pid").read_text())
    assert not lives(pid)
    assert not lives(child)
    (log,) = served.runs[-1].glob("serve/*.log")
    assert "application start 1" in log.read_text()
    assert not (served.path / ".pixelloop" / "serving").exists()


def test_a_session_without_visual_pages_starts_nothing(served: Project) -> None:
    """A test that is not visual, or that compares pictures only, costs no application."""
    served.write(
        "test_card.py",
        "from draw import page\n"
        "def test_card(assert_matches_design):\n    assert_matches_design(page(), 'card')\n"
        "def test_other(): pass\n",
    )
    served.run(*serve()).assert_outcomes(passed=2)
    assert not starts(served)


def test_the_ini_file_may_say_it(served: Project) -> None:
    """pixelloop_serve_command, _url and _timeout are the same settings."""
    served.pytester.makeini(
        "[pytest]\n"
        f"pixelloop_serve_command = {app_command()}\n"
        f"pixelloop_serve_url = {URL}\npixelloop_serve_timeout = 30\n"
    )
    served.run().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("fault", "timeout", "said"),
    [
        ("dies-at-start", "30", "*ended by itself before it answered, with exit code 3*"),
        ("hangs", "1", "*does not answer within*"),
        ("500", "1", "*answers with status 500*"),
    ],
)
def test_one_that_does_not_come_up_is_undetermined(
    served: Project, fault: str, timeout: str, said: str
) -> None:
    """Every test says why in words, with the last lines and what to type, and nothing waits on."""
    result = served.run(*serve(fault, timeout=timeout))
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([said, "*| application start 1*", "*next: cd * app.py *"])
    assert "Traceback" not in result.stdout.str()
    assert served.summary("test_other")["status"] == "undetermined:unreachable"
    assert len(starts(served)) == 1


def test_its_death_between_two_tests_is_named(served: Project) -> None:
    """The application dies in the first test: it and the next one name the exit code."""
    kill = "\n    open('fault.txt', 'w').write('die-once')\n    look(pixelloop_url)\n"
    served.write("test_card.py", SERVED_TEST.replace('"card")\n\n\n', '"card")' + kill + "\n\n"))
    result = served.run(*serve())
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["*ended by itself while it was used, with exit code 7*"])
    assert served.summary("test_other")["status"] == "undetermined:unreachable"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--serve-command", "x"), "*--serve-command needs --serve-url*"),
        (("--serve-url", "localhost:80"), "*is not the address of an application*"),
        (("--serve-url", URL), "*has no meaning without a command*"),
        (("--serve-url", URL, "--serve-command", "x"), "*{port} stands in only one*"),
        (("--serve-url", "http://h/", "--serve-timeout", "0"), "*--serve-timeout*above 0*"),
    ],
)
def test_wrong_words_are_usage_errors(served: Project, words: tuple[str, ...], said: str) -> None:
    """What cannot work is refused before anything runs."""
    result = served.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_every_worker_has_an_application_of_its_own(served: Project) -> None:
    """With {port} each worker of pytest-xdist serves for itself; all are ended."""
    served.run_apart("-n2", *serve()).assert_outcomes(passed=2)  # one test for each worker
    pids = starts(served)
    assert len(pids) == 2
    assert not any(lives(pid) for pid in pids)
    logs = {path.name for path in served.runs[-1].glob("serve/*.log")}
    assert logs == {"gw0-1.log", "gw1-1.log"}


def test_a_fixed_port_is_refused_with_workers(served: Project) -> None:
    """Two workers cannot both start it on one port: said with the ways out."""
    port = str(unused_port())
    words = ("--serve-command", app_command(port), "--serve-url", f"http://127.0.0.1:{port}/")
    result = served.run_apart("-n2", *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*cannot be combined with -n*{port}*"])


STOPPED = """
import os, signal
from look import look


def test_card(pixelloop_url, assert_matches_design):
    assert_matches_design(look(pixelloop_url), "card")
    os.kill(os.getpid(), getattr(signal, os.environ["SIGNAL"]))
    signal.pause()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_session_that_is_stopped_leaves_nothing_behind(
    served: Project, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Ctrl-C and SIGTERM end the application with the session; after SIGKILL the next run does."""
    served.write("test_card.py", STOPPED)
    monkeypatch.setenv("SIGNAL", name)
    result = served.run_apart(*serve("child"))
    assert result.ret != 0
    pids = [*starts(served), int((served.path / "child.pid").read_text())]
    if name == "SIGKILL":
        assert all(lives(pid) for pid in pids)
        served.write("test_card.py", SERVED_TEST)
        served.run_apart(*serve()).assert_outcomes(passed=2)
    assert not any(lives(pid) for pid in pids)


def test_the_address_is_the_base_url_of_pages(served: Project) -> None:
    """pytest-playwright's base_url is the served address, and asking for it starts nothing."""
    served.write(
        "test_card.py",
        "def test_base(base_url):\n    assert base_url.startswith('http://127.0.0.1:')\n",
    )
    words = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    served.pytester.runpytest_subprocess(*words, *serve()).assert_outcomes(passed=1)
    assert not starts(served)
    given = ("--base-url", "http://127.0.0.1:1/given")
    result = served.pytester.runpytest_subprocess(*words, *serve(), *given)
    result.assert_outcomes(passed=1)


def test_reuse_looks_at_what_runs_already(served: Project) -> None:
    """With --serve-reuse an application that answers is used and left running."""
    port = unused_port()
    words = shlex.split(app_command(str(port)))
    running = subprocess.Popen(
        [sys.executable, *words[1:]], cwd=served.path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert running.stdout is not None
        running.stdout.readline()
        url = f"http://127.0.0.1:{port}/"
        result = served.run("--serve-url", url, "--serve-command", app_command(str(port)))
        result.stdout.fnmatch_lines(["*answers at*already*", "*--serve-reuse*"])
        served.run("--serve-url", url, "--serve-reuse").assert_outcomes(passed=2)
        assert running.poll() is None
        assert len(starts(served)) == 1
    finally:
        os.kill(running.pid, signal.SIGTERM)
        running.communicate()
