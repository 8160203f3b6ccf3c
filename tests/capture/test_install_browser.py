"""``pixelloop browser`` and ``--install``: steps announced first, exit codes, what is used now."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_pixelloop.capture.browser import BrowserChoice
from pytest_pixelloop.capture.install import install_browser, run_step
from pytest_pixelloop.cli import browser_command
from pytest_pixelloop.core.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CHROMIUM = BrowserChoice(executable="/usr/bin/chromium", source="the command chromium")


class Machine:
    """A machine on which certain commands make a browser appear; records what happens, in order."""

    def __init__(self, *, helps: str = "", there: bool = False, fails: str = "never") -> None:
        self.there = there
        self.helps = helps
        self.fails = fails
        self.events: list[str] = []

    def say(self, line: str) -> None:
        """Record a line for the reader."""
        self.events.append(f"say {line.strip()}")

    def run(self, command: Sequence[str], environ: Mapping[str, str]) -> bool:
        """Record a command, and let it help or fail."""
        del environ
        line = " ".join(command)
        self.events.append(f"run {line}")
        if self.helps and self.helps in line:
            self.there = True
        return self.fails not in line

    def find(self, option: str | None, *, environ: Mapping[str, str]) -> BrowserChoice:
        """Return the browser when there is one."""
        del option, environ
        if not self.there:
            raise CaptureError("no Chromium was found", reason="no-browser")
        return CHROMIUM

    def install(self, *, apt: bool, environ: Mapping[str, str] | None = None) -> BrowserChoice:
        """Run the installation on this machine."""
        return install_browser(
            environ=environ or {},
            say=self.say,
            run=self.run,
            may_use_apt=apt,
            find=self.find,
        )

    @property
    def commands(self) -> list[str]:
        """The commands that were run."""
        return [event[4:] for event in self.events if event.startswith("run ")]


def test_a_browser_that_is_there_is_kept() -> None:
    """Nothing is installed where a browser is found, and that is said."""
    machine = Machine(there=True)
    assert machine.install(apt=True) == CHROMIUM
    assert machine.commands == []
    assert "nothing to install" in machine.events[0]


def test_playwrights_download_comes_first() -> None:
    """Playwright's download is tried first; when it helps nothing else is run."""
    machine = Machine(helps="playwright install")
    assert machine.install(apt=True) == CHROMIUM
    assert machine.commands == [f"{sys.executable} -m playwright install chromium"]


def test_debians_package_comes_second() -> None:
    """Where the download does not help, root with apt-get gets Debian's package."""
    machine = Machine(helps="install --yes chromium", fails="playwright install")
    assert machine.install(apt=True) == CHROMIUM
    assert machine.commands[1].endswith("apt-get update")
    assert machine.commands[2].endswith("apt-get install --yes chromium")


def test_a_failing_update_does_not_end_the_installation() -> None:
    """One broken package source must not keep the package from being installed."""
    machine = Machine(helps="install --yes chromium", fails="apt-get update")
    assert machine.install(apt=True) == CHROMIUM


def test_every_command_is_announced_before_it_runs() -> None:
    """Each command is said word by word right before it is run."""
    machine = Machine(helps="install --yes chromium", fails="playwright")
    machine.install(apt=True)
    for index, event in enumerate(machine.events):
        if event.startswith("run "):
            assert machine.events[index - 1] == f"say running: {event[4:]}"


def test_without_root_apt_is_not_touched() -> None:
    """Somebody who is not root sees why Debian's package was not tried."""
    machine = Machine()
    with pytest.raises(CaptureError) as caught:
        machine.install(apt=False)
    assert caught.value.reason == "no-browser"
    assert not any("apt-get" in command for command in machine.commands)
    assert any("needs root" in event for event in machine.events)


def test_a_wrong_name_is_not_healed_by_installing() -> None:
    """A browser asked for by name that is wrong stays an error: installing would not change it."""
    machine = Machine(helps="playwright")
    with pytest.raises(CaptureError):
        machine.install(apt=True, environ={"PIXELLOOP_BROWSER": "/nowhere"})
    assert machine.commands == []


def test_run_step_tells_success() -> None:
    """A step succeeds by its exit code; a command that is not there is a failure, no exception."""
    assert run_step([sys.executable, "-c", "pass"], {})
    assert not run_step([sys.executable, "-c", "raise SystemExit(3)"], {})
    assert not run_step(["/nowhere/command"], {})


def _arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    browser_command.add_parser(parser.add_subparsers())
    return parser.parse_args(["browser", *words])


@pytest.mark.skipif("os.name == 'nt'", reason="shell scripts")
def test_command_prints_what_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints executable, version, where it was found and the switches; exit code 0."""
    path = tmp_path / "my chromium"
    path.write_text("#!/bin/sh\necho Chromium 7.8.9\n", "utf-8")
    path.chmod(0o755)
    arguments = _arguments("--browser", str(path), "--browser-arg=--mine=1 2")
    assert arguments.run(arguments) == 0
    said = capsys.readouterr().out
    assert f"executable: {path}\n" in said
    assert "Chromium 7.8.9" in said
    assert "the option for the browser" in said
    assert "--disable-lcd-text" in said
    assert "'--mine=1 2'" in said


@pytest.mark.parametrize("words", [(), ("--install",)])
def test_command_without_a_browser_is_exit_code_2(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    """No browser: the commands to type on stderr, exit code 2, with and without --install."""
    monkeypatch.setenv("PIXELLOOP_BROWSER", str(tmp_path / "nowhere"))
    arguments = _arguments(*words)
    assert arguments.run(arguments) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert "pixelloop browser --install" in caught.err


def test_command_after_a_failed_installation_is_exit_code_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--install that did not help ends with exit code 2 and says so."""
    machine = Machine()

    def fail(option: str | None, **given: object) -> BrowserChoice:
        return machine.install(apt=True)

    monkeypatch.setattr(browser_command, "install_browser", fail)
    arguments = _arguments("--install")
    assert arguments.run(arguments) == 2
    assert "no browser could be installed" in capsys.readouterr().err
