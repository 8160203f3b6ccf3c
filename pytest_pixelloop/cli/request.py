"""One comparison asked for without pytest: its words, and the runner that answers many of them."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pytest_pixelloop.capture.screenshot import CaptureOptions, capture_target
from pytest_pixelloop.capture.session import BrowserSession
from pytest_pixelloop.checker import channels_of, check, undetermined_report
from pytest_pixelloop.cli.request_target import RequestTargets
from pytest_pixelloop.core.errors import ConfigurationError, UndeterminedError
from pytest_pixelloop.core.geometry import Box
from pytest_pixelloop.core.tolerance import check_tolerance, parse_tolerance, resolve_tolerance
from pytest_pixelloop.sources.folder import design_from_files, load_design, plan_comparisons
from pytest_pixelloop.sources.judgements import read_excuses

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from pytest_pixelloop.checker import Channels
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.core.verdict import ComparisonReport

#: Designs kept decoded between requests: a batch often asks for one design many times.
CACHED_DESIGNS = 4
MOST_CAPTURES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to compare: ``name`` (of the manifest) or ``design``, with one thing to judge.

    That is ``url``, ``actual``, ``nav`` (with ``url`` as its application) or ``capture_command``;
    for a ``name`` the manifest may say it.
    """

    name: str | None = None
    design: Path | None = None
    nodes: Path | None = None
    node: str | None = None
    url: str | None = None
    actual: Path | None = None
    gate: str | None = None
    scale: float | None = None
    tolerance: str | Mapping[str, Any] = ""
    mask: tuple[str, ...] = ()
    viewport: str | None = None
    theme: str | None = None
    designs: Path = Path("designs")
    output: Path | None = None
    browser: str | None = None
    browser_arg: tuple[str, ...] = ()
    timeout: float | None = None
    appearance: str | Mapping[str, Any] | None = None
    expect: Any = None
    nav: Path | None = None
    capture_command: str | None = None
    capture_timeout: float = 120.0
    noise_captures: int | None = None


_PATHS = {"design", "nodes", "actual", "designs", "output", "nav"}
_LISTS = {"mask", "browser_arg"}
#: What a line of a batch may say: which program is run is for the command line alone.
_KNOWN = {f.name for f in dataclasses.fields(Request)} - {"capture_command", "capture_timeout"}


def request_from_record(record: object, *, where: str, defaults: Request) -> Request:
    """Return the request one JSON object of a batch asks for, on top of the command's own words.

    Raises ConfigurationError for something that is no object, an unknown key, or a wrong type.
    """
    if not isinstance(record, dict):
        raise ConfigurationError("a batch line is not a JSON object", where=where)
    changes: dict[str, Any] = {}
    for key, value in record.items():
        if key in {"id", "json"}:
            continue
        if key not in _KNOWN:
            raise ConfigurationError(
                f"unknown key {key!r} in a batch line",
                where=where,
                expected="one of " + ", ".join(sorted(_KNOWN | {"id", "json"})),
            )
        changes[key] = _value(key, value, where=where)
    return dataclasses.replace(defaults, **changes)


def _value(key: str, value: object, *, where: str) -> Any:
    if value is None:
        return () if key in _LISTS else ("" if key == "tolerance" else None)
    if key in _LISTS:
        items = value if isinstance(value, list) else [value]
        return tuple(",".join(map(str, i)) if isinstance(i, list) else str(i) for i in items)
    if key in {"scale", "timeout"}:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigurationError(f"{key} {value!r} is not a number", where=where)
        return float(value)
    if key == "noise_captures":
        if isinstance(value, bool) or not isinstance(value, int):
            raise ConfigurationError(f"{key} {value!r} is not a whole number", where=where)
        return value
    if key == "expect" or (key in {"tolerance", "appearance"} and isinstance(value, dict)):
        return value
    if not isinstance(value, str):
        raise ConfigurationError(f"{key} {value!r} is not a text", where=where)
    return Path(value) if key in _PATHS else value


def parse_mask(text: str) -> Box:
    """Return the box written as ``x,y,w,h`` in CSS px; ConfigurationError when it is not one."""
    try:
        x, y, w, h = (float(part) for part in text.split(","))
    except ValueError:
        x = y = w = h = -1.0
    if not (w > 0 and h > 0 and max(abs(x), abs(y), w, h) < 1e6):
        raise ConfigurationError(
            f"cannot read {text!r} as a mask", expected="x,y,w,h in CSS px, for example 0,0,120,40"
        )
    return Box(x, y, w, h)


class RequestRunner:
    """Answers requests one after the other with one browser, started when the first URL comes."""

    def __init__(self, targets: RequestTargets | None = None) -> None:
        self._targets = targets or RequestTargets()
        self._sessions: dict[tuple[str | None, tuple[str, ...]], BrowserSession] = {}
        self._designs: OrderedDict[tuple[Any, ...], tuple[Design, ...]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for session in self._sessions.values():
                session.close()
        finally:
            self._targets.close()

    def report(self, request: Request) -> ComparisonReport:
        """Return the report of the one comparison *request* asks for.

        Raises ConfigurationError when the words are wrong or name several comparisons.
        """
        reports = self.reports(request)
        if len(reports) != 1:
            labels = ", ".join(r.label for r in reports)
            raise ConfigurationError(
                f"{request.name!r} plans {len(reports)} comparisons: {labels}",
                expected="one",
                next_step="choose with --viewport or --theme",
            )
        return reports[0]

    def reports(self, request: Request) -> tuple[ComparisonReport, ...]:
        """Return the reports of all comparisons *request* asks for.

        What cannot be read or captured is an undetermined report, not an exception.
        Raises ConfigurationError when the words are wrong.
        """
        _refuse_wrong_words(request)
        self._targets.refuse(request)
        masks = tuple(parse_mask(text) for text in request.mask)
        given = _given_tolerance(request)
        _channels(request, None)  # refuses wrong words before anything is opened
        try:
            designs = self._load(request)
        except UndeterminedError as error:
            label = request.name or (request.design.stem if request.design else "design")
            return (
                undetermined_report(
                    _file_safe(label),
                    gate=request.gate or "design",
                    error=error,
                    folder=request.output,
                ),
            )
        target = self._targets.resolve(request, designs)
        return tuple(self._one(request, target, design, masks, given) for design in designs)

    def _one(
        self,
        request: Request,
        target: Any,
        design: Design,
        masks: tuple[Box, ...],
        given: Mapping[str, float],
    ) -> ComparisonReport:
        tolerance: Tolerance = resolve_tolerance(command_line=given, manifest=design.tolerance)
        channels = _channels(request, design)
        _refuse_manifest_options(design)

        def take() -> Capture:
            capture = capture_target(
                target,
                frame=design.frame,
                scale=design.scale,
                options=_options(request),
                browser=lambda: self._session(request).browser,
                viewport=design.viewport,
                theme=design.theme,
                viewport_size=design.viewport_size,
                touch=design.touch,
                mobile=design.mobile,
                hook=design.hook,
                axe=channels.wants_axe,
            )
            return dataclasses.replace(capture, masks=capture.masks + masks)

        try:
            capture = take()
            repeats = [take() for _ in range((request.noise_captures or 1) - 1)]
        except UndeterminedError as error:
            return undetermined_report(
                design.label,
                gate=request.gate or design.gate or "design",
                error=error,
                design=design,
                tolerance=tolerance,
                folder=request.output,
            )
        return check(
            design,
            capture,
            gate=request.gate,
            tolerance=tolerance,
            folder=request.output,
            repeats=repeats,
            channels=channels,
            excuses=read_excuses(request.designs) if request.name is not None else None,
        )

    def _session(self, request: Request) -> BrowserSession:
        key = (request.browser, request.browser_arg)
        if key not in self._sessions:
            for session in self._sessions.values():
                session.close()  # another set of arguments needs another browser: keep only one
            self._sessions = {
                key: BrowserSession(option=request.browser, arguments=request.browser_arg)
            }
        return self._sessions[key]

    def _load(self, request: Request) -> tuple[Design, ...]:
        key = (
            request.name,
            request.viewport,
            request.theme,
            request.node,
            request.scale,
            request.gate,
            *(_stamp(p) for p in (request.design, request.nodes, request.designs)),
        )
        if request.design is not None and key in self._designs:
            self._designs.move_to_end(key)
            return self._designs[key]
        if request.design is not None:
            designs: tuple[Design, ...] = (
                design_from_files(
                    request.design,
                    request.nodes,
                    node=request.node,
                    scale=request.scale,
                    gate=request.gate,
                ),
            )
        else:
            planned = plan_comparisons(
                request.designs, str(request.name), viewport=request.viewport, theme=request.theme
            )
            designs = tuple(load_design(item) for item in planned)
        self._designs[key] = designs
        while len(self._designs) > CACHED_DESIGNS:
            self._designs.popitem(last=False)
        return designs


def _stamp(path: Path | None) -> tuple[str, int, int] | None:
    """Return what tells a file from its later self, so that a cached design is never stale."""
    if path is None:
        return None
    try:
        info = path.stat()
    except OSError:
        return (str(path), -1, -1)
    return (str(path.absolute()), info.st_mtime_ns, info.st_size)


def _channels(request: Request, design: Design | None) -> Channels:
    expect = request.expect if isinstance(request.expect, list) else [request.expect]
    return channels_of(
        design,
        expect=[item for item in expect if item is not None],
        appearance=(request.appearance,),
        where="the request",
    )


def _given_tolerance(request: Request) -> dict[str, float]:
    if isinstance(request.tolerance, str):
        return parse_tolerance(request.tolerance)
    return check_tolerance(request.tolerance, where="tolerance")


def _refuse_manifest_options(design: Design) -> None:
    """Refuse what would be judged otherwise here than under pytest."""
    for word, said in (("screenshot", design.screenshot), ("regions", design.regions)):
        if said:
            raise ConfigurationError(
                f"{word}: of the design {design.name!r} is for pytest; this command does not "
                "know it yet",
                where="designs.yaml",
                next_step="compare it in a test: assert_matches_design(url, name)",
            )


def _options(request: Request) -> CaptureOptions:
    if request.timeout is None:
        return CaptureOptions()
    return CaptureOptions(timeout=request.timeout)


def _file_safe(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in text)[:80] or "design"


def _refuse_wrong_words(request: Request) -> None:
    if (request.name is None) == (request.design is None):
        raise ConfigurationError(
            "say which design: either a NAME of the manifest or --design IMAGE",
            next_step="pixelloop verify checkout --url URL, or pixelloop verify --design a.png ...",
        )
    told = [request.url or request.nav, request.actual, request.capture_command]
    if sum(word is not None for word in told) > 1:
        raise ConfigurationError(
            "say what to judge only once: --url URL (with or without --nav), --actual IMAGE, or "
            "--capture-command CMD"
        )
    if request.name is not None and request.scale is not None:
        raise ConfigurationError(
            "--scale belongs to --design, not to a manifest's NAME",
            next_step=f"write scale: under {request.name} in designs.yaml",
        )
    if request.timeout is not None and not 0 < request.timeout < 86_400:
        raise ConfigurationError(
            f"--timeout {request.timeout:g} is no waiting time", expected="seconds, more than 0"
        )
    if request.noise_captures is not None and not 1 <= request.noise_captures <= MOST_CAPTURES:
        raise ConfigurationError(
            f"--noise-captures {request.noise_captures} is out of range",
            expected=f"a whole number from 1 to {MOST_CAPTURES}",
        )
    if request.name is not None and (request.nodes or request.node):
        raise ConfigurationError("--nodes and --node belong to --design, not to a manifest's NAME")
    if request.nodes is None and request.node is not None:
        raise ConfigurationError("--node needs --nodes JSON to look the node up in")
