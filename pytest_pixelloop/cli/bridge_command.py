"""``pixelloop verify --project DIR --name NAME``: one screen of a bridge file, five artefacts.

Exit codes: 0 pass, 1 conditional or fail, 2 could not run. Whatever happens after the screen is
known, the report of this run replaces that of an earlier one: a stale pass is never left behind.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.screenshot import CaptureOptions, capture_target
from pytest_pixelloop.checker import check, undetermined_report
from pytest_pixelloop.cli.outcome import exit_code, print_report
from pytest_pixelloop.core.canvas import compare_on_canvas
from pytest_pixelloop.core.design import place_nodes
from pytest_pixelloop.core.errors import ConfigurationError, UndeterminedError
from pytest_pixelloop.core.matching import match
from pytest_pixelloop.core.pixels import paint_diff_mask
from pytest_pixelloop.core.style_checks import check_styles
from pytest_pixelloop.core.tolerance import check_tolerance, parse_tolerance, resolve_tolerance
from pytest_pixelloop.report.bridge_report import verify_markdown, visual_record
from pytest_pixelloop.sources.bridge import bridge_design, find_bridge, load_bridge
from pytest_pixelloop.sources.node_ids import safe_name
from pytest_pixelloop.store.atomic import write_json, write_text_atomic
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import ComparisonReport
    from pytest_pixelloop.sources.bridge_file import Bridge, Screen, Target

REPORTS = ".ddalkak/reports"
_PICTURES = ("baseline", "render", "diff")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """One verification: what, against which page, judged how, written where."""

    bridge: Bridge
    path: Path
    project: Path
    screen: Screen
    target: Target
    url: str | None
    actual: Path | None
    tolerance: Tolerance
    gate: str
    timeout: float | None
    browser: str | None
    browser_arg: tuple[str, ...]
    output: Path

    @property
    def stem(self) -> str:
        return safe_name(f"{self.bridge.name}.{self.screen.breakpoint}")

    def artefact(self, ending: str) -> Path:
        return self.output / f"{self.stem}.{ending}"


def is_bridge_request(arguments: argparse.Namespace) -> bool:
    """Tell whether the words ask for a bridge file rather than for a design of the manifest."""
    words = ("project", "bridge_name", "screen", "target", "selector")
    return any(getattr(arguments, word) is not None for word in words)


def run_bridge(arguments: argparse.Namespace) -> int:
    """Verify one screen, write its artefacts, print the result and return the exit code.

    Raises ConfigurationError for wrong words and DesignUnreadableError where there is no bridge,
    no such screen, or no baseline.
    """
    job = _job(arguments)
    report, design, capture = _compare(job)
    record = _record(job, report, design, capture)
    _write(job, record, design, capture)
    print_report(report, None)
    print(f"report: {job.artefact('visual.json')}")
    return exit_code(report)


def _job(arguments: argparse.Namespace) -> _Job:
    _refuse_wrong_words(arguments)
    project = arguments.project.absolute()
    if not project.is_dir():
        raise ConfigurationError(
            "the project is not a folder", where=str(arguments.project), expected="--project DIR"
        )
    path = find_bridge(project, arguments.bridge_name or arguments.name)
    bridge = load_bridge(path, project=project)
    return _Job(
        bridge=bridge,
        path=path,
        project=project,
        screen=bridge.screen(arguments.screen),
        target=bridge.target(arguments.target),
        url=arguments.url,
        actual=arguments.actual,
        tolerance=resolve_tolerance(command_line=_limits(arguments)),
        gate=arguments.gate or "pixel",
        timeout=arguments.timeout,
        browser=arguments.browser,
        browser_arg=tuple(arguments.browser_arg),
        output=arguments.output or project / REPORTS,
    )


def _refuse_wrong_words(arguments: argparse.Namespace) -> None:
    if arguments.selector not in (None, "body"):
        raise ConfigurationError(
            f"--selector {arguments.selector!r} is not supported",
            expected="body: a bridge's screen is a whole page",
            next_step="leave --selector out",
        )
    if arguments.bridge_name and arguments.name and arguments.bridge_name != arguments.name:
        raise ConfigurationError("two names are given", expected="NAME or --name NAME, not both")
    foreign = ("design", "nodes", "node", "scale", "viewport", "theme", "batch", "json", "mask")
    for word in foreign:
        if getattr(arguments, word):
            raise ConfigurationError(
                f"--{word} does not belong to a bridge file",
                expected="--project, --name, --screen, --target, --output, --pass, --conditional, "
                "--pixel-threshold",
            )
    if (arguments.url is None) == (arguments.actual is None):
        raise ConfigurationError("say what to judge: either --url URL or --actual IMAGE")
    if arguments.timeout is not None and not 0 < arguments.timeout < 86_400:
        raise ConfigurationError(
            f"--timeout {arguments.timeout:g} is no waiting time", expected="seconds, more than 0"
        )


def _limits(arguments: argparse.Namespace) -> dict[str, float]:
    limits = parse_tolerance(arguments.tolerance)
    for key, flag, value in (
        ("pass_confidence", "--pass", arguments.pass_confidence),
        ("conditional_confidence", "--conditional", arguments.conditional_confidence),
        ("threshold", "--pixel-threshold", arguments.pixel_threshold),
    ):
        if value is not None:
            limits |= check_tolerance({key: value}, where=flag)
    return limits


def _compare(job: _Job) -> tuple[ComparisonReport, Design | None, Capture | None]:
    design = None
    try:
        _refuse_blocked(job)
        design = bridge_design(job.bridge, job.screen, path=job.path, project=job.project)
        capture = _capture(job, design)
    except UndeterminedError as error:
        label = design.label if design else job.stem
        report = undetermined_report(
            label, gate=job.gate, error=error, design=design, tolerance=job.tolerance
        )
        return report, design, None
    report = check(design, capture, gate=job.gate, tolerance=job.tolerance)
    return report, design, capture


def _refuse_blocked(job: _Job) -> None:
    if job.target.blocked:
        raise UndeterminedError(
            f"blocked: no provider for {job.target.kind}",
            reason="blocked",
            where=f"target {job.target.id} of {job.bridge.shown}",
            expected="web or flutter: these are captured in the browser",
            next_step="choose another with --target ID, or hand in its picture with --actual and "
            "--target web",
        )


def _capture(job: _Job, design: Design) -> Capture:
    options = CaptureOptions(browser_args=job.browser_arg)
    if job.timeout is not None:
        options = CaptureOptions(browser_args=job.browser_arg, timeout=job.timeout)
    with contextlib.ExitStack() as stack:

        def browser() -> Any:
            from pytest_pixelloop.capture.session import BrowserSession  # noqa: PLC0415

            session = BrowserSession(option=job.browser, arguments=job.browser_arg)
            return stack.enter_context(session).browser

        return capture_target(
            job.url if job.url is not None else job.actual,
            frame=design.frame,
            scale=design.scale,
            options=options,
            browser=browser,
            viewport=design.viewport,
            viewport_size=design.viewport_size,
        )


def _record(
    job: _Job, report: ComparisonReport, design: Design | None, capture: Capture | None
) -> dict[str, Any]:
    compared = report.confidence is not None and capture is not None
    pictures = _PICTURES if compared else _PICTURES[: 1 if design is not None else 0]
    width, height = job.screen.frame
    return visual_record(
        report.as_record(),
        source={
            "name": job.bridge.name,
            "bridge": job.bridge.shown,
            "screen": job.screen.name,
            "breakpoint": job.screen.breakpoint,
            "baseline": design.provenance["image"] if design is not None else None,
            "url": capture.source if capture is not None else job.url or str(job.actual),
            "target": {"id": job.target.id, "kind": job.target.kind},
            "sha256": design.provenance["sha256"] if design is not None else None,
        },
        viewport={"width": width, "height": height, "deviceScaleFactor": 1},
        artifacts={name: job.artefact(f"{name}.png").name for name in pictures},
        style=_style(job, design, capture) if compared else {"reason": "nothing was compared"},
    )


def _style(job: _Job, design: Design | None, capture: Capture | None) -> Mapping[str, Any]:
    if not job.target.has_dom:
        return {"reason": f"a {job.target.kind} page has no elements to look at"}
    dom = capture.dom if capture is not None else None
    if dom is None or not dom.meaningful:
        return {"reason": dom.reason if dom is not None else "a picture has no elements"}
    assert design is not None
    assert design.root is not None
    placed = place_nodes(design.root)
    matches = match(placed, dom)
    return {
        "anchors": matches.anchors.as_record(),
        "matches": matches.as_records(),
        "checks": check_styles(placed, matches).as_record(),
    }


def _write(
    job: _Job, record: dict[str, Any], design: Design | None, capture: Capture | None
) -> None:
    """Write pictures first, then the records that name them; drop what an earlier run left."""
    job.output.mkdir(parents=True, exist_ok=True)
    for name in _PICTURES:
        if name not in record["artifacts"]:
            job.artefact(f"{name}.png").unlink(missing_ok=True)
    if "baseline" in record["artifacts"]:
        assert design is not None
        write_png(job.artefact("baseline.png"), design.image)
    if "render" in record["artifacts"]:
        assert design is not None
        assert capture is not None
        write_png(job.artefact("render.png"), capture.image)
        canvas = compare_on_canvas(
            design.image, capture.image, threshold=job.tolerance.threshold, masks=()
        )
        picture = paint_diff_mask(design.image, capture.image, canvas.diff.mask)
        write_png(job.artefact("diff.png"), picture)
    write_json(job.artefact("visual.json"), record)
    markdown = job.output / f"{safe_name(job.bridge.name)}.verify.md"
    write_text_atomic(markdown, verify_markdown(record))
