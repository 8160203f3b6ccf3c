"""``pixelloop verify``: one comparison, or a batch of them, without pytest."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from pytest_pixelloop.checker import undetermined_report
from pytest_pixelloop.cli import request_screenshot
from pytest_pixelloop.cli.bridge_command import is_bridge_request, run_bridge
from pytest_pixelloop.cli.outcome import STDOUT, exit_code, print_report, write_report
from pytest_pixelloop.cli.request import Request, request_from_record
from pytest_pixelloop.cli.request_runner import RequestRunner
from pytest_pixelloop.cli.request_target import (
    RequestTargets,
    add_words,
    given_words,
    serving_of,
)
from pytest_pixelloop.core.errors import ConfigurationError, UndeterminedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_pixelloop.capture.server import Serving
    from pytest_pixelloop.core.verdict import ComparisonReport

#: A request is a few paths and numbers; a longer line is not one.
MAX_LINE = 1_000_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "verify",
        help="compare a page or a picture with a design",
        description="Compares a page or a picture with a design and names what differs.",
        epilog="exit codes: 0 pass, 1 conditional or fail, 2 could not run",
    )
    add = parser.add_argument
    add("name", nargs="?", metavar="NAME", help="a design of designs/designs.yaml")
    add("--design", type=Path, metavar="IMAGE", help="a design's PNG, in place of NAME")
    add("--nodes", type=Path, metavar="JSON", help="its node tree (Figma JSON)")
    add("--node", metavar="ID", help="the node, when the JSON holds several")
    add("--scale", type=float, help="the PNG's scale (default: derived from its size)")
    add("--designs", type=Path, default=Path("designs"), metavar="DIR", help="the designs folder")
    add("--viewport", help="viewports of NAME, separated by commas")
    add("--theme", help="themes of NAME, separated by commas")
    add("--url", help="the page to capture; viewport and scale follow the design")
    add("--actual", type=Path, metavar="IMAGE", help="a PNG in place of a page; needs no browser")
    add_words(parser)
    add("--gate", metavar="NAME", help="pixel or design (default: from the kind of design)")
    add("--tolerance", default="", metavar="K=V,...", help="limits, as in pytest")
    add("--mask", action="append", default=[], metavar="WHERE", help="x,y,w,h or CSS, repeatable")
    add("--appearance", metavar="WORDS", help="the appearance channel, as in pytest")
    add(
        "--expect",
        type=Path,
        metavar="FILE",
        help="expectations for assistive technology: an aria snapshot, or a JSON list",
    )
    add("--timeout", type=float, metavar="SECONDS", help="how long to wait for a stable page")
    add("--noise-captures", type=int, metavar="N", help="capture N times and tell what differs")
    add("--browser", metavar="PATH", help="the Chromium to use (default: pixelloop browser)")
    add("--browser-arg", action="append", default=[], metavar="ARG", help="one more browser switch")
    add("--output", type=Path, metavar="DIR", help="write the report and the pictures here")
    add("--json", type=Path, metavar="OUT", help="write the report JSON here ('-' prints it)")
    add(
        "--batch",
        type=Path,
        metavar="FILE.jsonl",
        help="one JSON request a line ('-' reads stdin), one JSON report a line, one browser",
    )
    request_screenshot.add_words(parser)
    _add_bridge_words(parser)
    parser.set_defaults(run=run)


def _add_bridge_words(parser: argparse.ArgumentParser) -> None:
    """Add what belongs to a bridge file (docs/bridge.md); any of it makes the request one."""
    add = parser.add_argument_group("a screen of a bridge file").add_argument
    add("--project", type=Path, metavar="DIR", help="the folder that holds .ddalkak/")
    add("--name", dest="bridge_name", metavar="NAME", help="its bridge/NAME.bridge.json")
    add("--screen", metavar="BREAKPOINT", help="default: desktop, else the first")
    add("--target", metavar="ID", help="one of the bridge's verify targets")
    add("--selector", metavar="CSS", help="only body: a screen is a whole page")
    add("--pass", dest="pass_confidence", type=float, metavar="RATIO", help="default 0.995")
    add("--conditional", dest="conditional_confidence", type=float, metavar="RATIO", help="0.98")
    add("--pixel-threshold", type=float, metavar="RATIO", help="default 0.1")


def run(arguments: argparse.Namespace) -> int:
    """Compare and return the exit code."""
    if is_bridge_request(arguments):
        if words := given_words(arguments) + request_screenshot.given_words(arguments):
            raise ConfigurationError(
                f"{', '.join(words)} cannot be used with a bridge file",
                expected="--url of a page that is served",
            )
        if arguments.project is None:
            arguments.project = Path()
        return run_bridge(arguments)
    for word in ("pass_confidence", "conditional_confidence", "pixel_threshold"):
        if getattr(arguments, word) is not None:
            raise ConfigurationError(
                "--pass, --conditional and --pixel-threshold belong to a bridge file",
                next_step="write --tolerance pass_confidence=...,threshold=..., or add --project",
            )
    request = Request(
        name=arguments.name,
        design=arguments.design,
        nodes=arguments.nodes,
        node=arguments.node,
        url=arguments.url,
        actual=arguments.actual,
        gate=arguments.gate,
        scale=arguments.scale,
        tolerance=arguments.tolerance,
        mask=tuple(arguments.mask),
        viewport=arguments.viewport,
        theme=arguments.theme,
        designs=arguments.designs,
        output=arguments.output,
        browser=arguments.browser,
        browser_arg=tuple(arguments.browser_arg),
        timeout=arguments.timeout,
        appearance=arguments.appearance,
        expect=_expectations(arguments.expect),
        nav=arguments.nav,
        capture_command=arguments.capture_command,
        capture_timeout=arguments.capture_timeout,
        noise_captures=arguments.noise_captures,
        screenshot=request_screenshot.screenshot_of(arguments),
        regions=request_screenshot.regions_of(arguments),
    )
    serving = serving_of(arguments)
    if arguments.batch is not None:
        return _batch(arguments.batch, request, arguments.json, serving)
    with RequestRunner(RequestTargets(serving)) as runner:
        reports = runner.reports(request)
    if arguments.json is not None and len(reports) != 1:
        raise ConfigurationError(
            f"--json holds one report and {request.name!r} plans {len(reports)} comparisons",
            next_step="choose one with --viewport or --theme, or write all with --output DIR",
        )
    for report in reports:
        write_report(report, arguments.json)
        print_report(report, arguments.json)
    return max(exit_code(report) for report in reports)


def _batch(path: Path, defaults: Request, json_path: Path | None, serving: Serving | None) -> int:
    """Answer every line of *path* and return the worst exit code; a bad line stops nothing."""
    if json_path is not None and json_path != STDOUT:
        json_path.parent.mkdir(parents=True, exist_ok=True)
        with json_path.open("w", encoding="utf-8") as out:
            return _answer(path, defaults, out, serving)
    return _answer(path, defaults, sys.stdout, serving)


def _answer(path: Path, defaults: Request, out: TextIO, serving: Serving | None) -> int:
    worst, answered = 0, 0
    with RequestRunner(RequestTargets(serving)) as runner:
        for number, line in _lines(path):
            for record, code in _answers(runner, line, f"{path}:{number}", defaults):
                out.write(json.dumps(record, ensure_ascii=True, allow_nan=False) + "\n")
                out.flush()  # a reader may act on one report before it sends the next request
                worst = max(worst, code)
                answered += 1
    if not answered:
        raise ConfigurationError("the batch holds no request", where=str(path))
    return worst


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    if path == STDOUT:
        yield from ((n, s) for n, s in enumerate(iter(sys.stdin.readline, ""), 1) if s.strip())
        return
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        yield from ((n, s) for n, s in enumerate(stream, 1) if s.strip())


def _answers(
    runner: RequestRunner, line: str, where: str, defaults: Request
) -> list[tuple[dict[str, Any], int]]:
    """Return (report, exit code) for one request line; a wrong line is a report that says so."""
    identity: Any = None
    try:
        record = _parsed(line, where)
        if isinstance(record, dict):
            identity = record.get("id")
        request = request_from_record(record, where=where, defaults=defaults)
        reports = runner.reports(request)
        target = record.get("json") if isinstance(record, dict) else None
        if isinstance(target, str) and len(reports) == 1:
            write_report(reports[0], Path(target))
    except ConfigurationError as error:
        problem = UndeterminedError(
            error.what,
            reason="bad-request",
            where=error.where or where,
            expected=error.expected,
            next_step=error.next_step,
        )
        reports = (undetermined_report("request", gate="none", error=problem),)
    return [(_with_identity(report, identity), exit_code(report)) for report in reports]


def _parsed(line: str, where: str) -> object:
    if len(line) > MAX_LINE:
        raise ConfigurationError(f"a batch line is longer than {MAX_LINE} characters", where=where)
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"a batch line is not JSON: {error}", where=where) from None


def _with_identity(report: ComparisonReport, identity: object) -> dict[str, Any]:
    record = report.as_record()
    return record if identity is None else {"id": identity, **record}


def _expectations(path: Path | None) -> Any:
    """Return what a file expects: JSON where it begins as such, else an aria snapshot."""
    if path is None:
        return None
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"the expectations cannot be read: {getattr(error, 'strerror', None) or error}",
            where=f"--expect {path}",
            expected="a text file in UTF-8",
        ) from None
    return json.loads(text) if _is_json(text) else text


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("[", "{")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False  # the reader of aria snapshots says what is wrong with it
    return True
