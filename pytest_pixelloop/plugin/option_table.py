"""The table of options: each row makes a command-line option, its ini key and its help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pytest_pixelloop.core.judging import GATE_NAMES

IniType = Literal["string", "linelist"]
MODES = ("repair", "create")
CONDITIONAL = ("fail", "pass")
PATCH_GATES = ("off", "warn", "revert")
UPDATES = ("none", "missing", "changed", "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One setting: ``flag`` and ``ini`` may each be absent; ``default`` is what pytest shows."""

    name: str
    help: str
    flag: str | None = None
    ini: IniType | None = None
    metavar: str | None = None
    default: str = ""
    choices: tuple[str, ...] = ()
    switch: bool = False

    @property
    def dest(self) -> str:
        """The key in ``config.option`` and in the ini file; no other plugin has the prefix."""
        return f"pixelloop_{self.name}"


OPTIONS = (
    Option(
        name="loop",
        flag="--pixel-loop",
        switch=True,
        help="run a failing visual test again, with a fix in between, until it settles",
    ),
    Option(
        name="iteration_cap",
        flag="--iteration-cap",
        ini="string",
        metavar="N",
        help="at most N iterations of fix and measurement, 1 to 99 (default: 6)",
    ),
    Option(
        name="tolerance",
        flag="--tolerance",
        ini="string",
        metavar="K=V,...",
        help='how much may differ, for example "pixel=2,color_delta_e=3"',
    ),
    Option(
        name="viewport",
        flag="--viewport",
        ini="string",
        metavar="NAME|WxH,...",
        help="viewports to compare in: desktop, tablet, mobile, names of designs.yaml, sizes such "
        "as 1280x720 (default: all that a design names; the ini key is for those that name none)",
    ),
    Option(
        name="theme",
        flag="--theme",
        ini="string",
        metavar="NAME,...",
        help="themes to compare in, as --viewport",
    ),
    Option(
        name="mode",
        flag="--mode",
        metavar="|".join(MODES),
        default="repair",
        choices=MODES,
        help="repair measures first; create runs the fix first (default: repair)",
    ),
    Option(
        name="fix_command",
        flag="--fix-command",
        ini="string",
        metavar="CMD",
        help="command to run between two measurements; the brief is on its stdin (no shell)",
    ),
    Option(
        name="fix_timeout",
        flag="--fix-timeout",
        ini="string",
        metavar="SECONDS",
        default="600",
        help="stop the fix command after this time (default: 600)",
    ),
    Option(
        name="fix_wait",
        flag="--fix-wait",
        ini="string",
        metavar="SECONDS",
        help="in place of a command: wait so long for somebody to change the watched sources",
    ),
    Option(
        name="fix_confirm",
        flag="--fix-confirm",
        switch=True,
        help="show the patch of each fix and ask before it is measured; declined, it is taken back",
    ),
    Option(
        name="max_minutes",
        flag="--max-minutes",
        ini="string",
        metavar="MINUTES",
        help="end the loops of a run when they have taken this long, over all its processes",
    ),
    Option(
        name="max_cost_usd",
        flag="--max-cost-usd",
        ini="string",
        metavar="USD",
        help="end the loops of a run when its fixes and vision calls have cost this much",
    ),
    Option(
        name="max_tokens",
        flag="--max-tokens",
        ini="string",
        metavar="N",
        help="end the loops of a run when its fixes and vision calls have used so many tokens",
    ),
    Option(
        name="patch_gate",
        flag="--patch-gate",
        ini="string",
        metavar="|".join(PATCH_GATES),
        default="warn",
        choices=PATCH_GATES,
        help="what becomes of a fix that hides text, shows the design's picture, writes out values "
        "that have a name, or edits other files: off, warn, revert (default: warn)",
    ),
    Option(
        name="run_id",
        flag="--run-id",
        metavar="ID",
        help="name of the run directory; an existing one is continued",
    ),
    Option(
        name="shard",
        flag="--pixelloop-shard",
        metavar="N/M",
        help="this run is shard N of M, for pixelloop merge; it selects nothing by itself",
    ),
    Option(
        name="iterations_per_run",
        flag="--iterations-per-run",
        metavar="N",
        help="stop after N iterations in this process; continue with the same --run-id",
    ),
    Option(
        name="noise_captures",
        flag="--noise-captures",
        ini="string",
        metavar="N",
        help="capture each page N times before anything changes: what differs is its noise floor",
    ),
    Option(
        name="gate",
        flag="--pixelloop-gate",
        ini="string",
        metavar="|".join(GATE_NAMES),
        choices=GATE_NAMES,
        help="gate profile (default: by the kind of the design)",
    ),
    Option(
        name="designs",
        flag="--pixelloop-designs",
        ini="string",
        metavar="DIR",
        default="designs",
        help="folder with designs.yaml, relative to rootdir (default: designs)",
    ),
    Option(
        name="dir",
        flag="--pixelloop-dir",
        ini="string",
        metavar="DIR",
        default=".pixelloop",
        help="folder for runs, relative to rootdir (default: .pixelloop)",
    ),
    Option(
        name="browser",
        flag="--pixelloop-browser",
        ini="string",
        metavar="PATH",
        help="browser executable (default: PIXELLOOP_BROWSER, Playwright's, then the system's)",
    ),
    Option(
        name="serve_command",
        flag="--serve-command",
        ini="string",
        metavar="CMD",
        help="command that serves the application (no shell); started when a visual test needs "
        "it, ended at the end; {port} is a free port",
    ),
    Option(
        name="serve_url",
        flag="--serve-url",
        ini="string",
        metavar="URL",
        help="where the application answers, for example http://127.0.0.1:{port}/",
    ),
    Option(
        name="serve_timeout",
        flag="--serve-timeout",
        ini="string",
        metavar="SECONDS",
        default="60",
        help="how long the application may take to answer (default: 60)",
    ),
    Option(
        name="overfit_probes",
        flag="--overfit-probes",
        ini="string",
        switch=True,
        help="show a page that matches also wider, taller and with longer texts: what the design "
        "says is FILL or HUG has to follow (ini: on or off)",
    ),
    Option(
        name="serve_reuse",
        flag="--serve-reuse",
        switch=True,
        help="use what answers at --serve-url already, in place of starting it",
    ),
    Option(
        name="update",
        flag="--pixelloop-update",
        ini="string",
        metavar="|".join(UPDATES),
        choices=UPDATES,
        help="which snapshots to record: none, missing, changed (and missing), all "
        "(default: missing, under CI none; never in loop mode)",
    ),
    Option(
        name="snapshot_path",
        ini="string",
        help="where snapshots lie, relative to rootdir, with {test_dir} {test_file} {name} "
        "{-browser} {-platform}",
    ),
    Option(
        name="capture_command",
        flag="--capture-command",
        ini="string",
        metavar="CMD",
        help="command that renders in place of a browser (no shell): it writes <label>.png for "
        "every planned label into PIXELLOOP_CAPTURE_DIR; used where the target is None",
    ),
    Option(
        name="capture_timeout",
        flag="--capture-timeout",
        ini="string",
        metavar="SECONDS",
        default="120",
        help="stop the capture command after this time (default: 120)",
    ),
    Option(
        name="capture_reload",
        ini="linelist",
        help="up to three commands, one a line, that make what the capture command captures load "
        "the changed sources: reload, fresh start, restart",
    ),
    Option(
        name="appearance",
        flag="--appearance",
        ini="string",
        metavar="WORDS",
        help='the appearance channel: "gate" (default), "report" or "off", and check=P0|P1|P2|off, '
        "joined by commas",
    ),
    Option(
        name="appearance_allow",
        ini="linelist",
        help='what the appearance channel may overlook, one "[check:] pattern" a line',
    ),
    Option(
        name="vision_command",
        flag="--vision-command",
        ini="string",
        metavar="CMD",
        help="command that looks at each captured picture; JSON on stdin and on stdout (no shell)",
    ),
    Option(
        name="vision_timeout",
        flag="--vision-timeout",
        ini="string",
        metavar="SECONDS",
        default="60",
        help="stop the vision command after this time (default: 60)",
    ),
    Option(
        name="conditional",
        ini="string",
        default="fail",
        choices=CONDITIONAL,
        help='"pass" lets the verdict conditional through with a warning (default: fail)',
    ),
    Option(
        name="sources",
        ini="linelist",
        help="files and folders a fix may change, relative to rootdir (default: all of it)",
    ),
)
