"""``pixelloop plan``: which comparisons the manifest plans, and which of them can be made.

Nothing is captured and nothing is fetched. Exit codes: 0 every comparison has its design side,
1 some have not, 2 the manifest or a word is wrong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import UndeterminedError
from pytest_pixelloop.core.explain import printable
from pytest_pixelloop.sources.manifest import MANIFEST_NAME, load_manifest

if TYPE_CHECKING:
    import argparse

SCHEMA_VERSION = 1
COMPARABLE, NOT_ALL = 0, 1


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand's words."""
    parser = subparsers.add_parser(
        "plan",
        help="list the comparisons that the manifest plans",
        description="Lists the comparisons of designs: frames, themes and viewports with their "
        "labels and files, and why a comparison cannot be made. Captures and fetches nothing.",
        epilog="exit codes: 0 all can be compared, 1 some cannot, 2 the manifest is wrong",
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="designs, also NAME/FRAME (default: all)")
    add("--designs", type=Path, default=Path("designs"), metavar="DIR", help="the designs folder")
    add("--viewport", metavar="NAMES", help="viewports, by name or size, joined by commas")
    add("--theme", metavar="NAMES", help="themes, joined by commas")
    add("--json", action="store_true", help="print what each comparison needs as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan and return the exit code."""
    manifest = load_manifest(arguments.designs.absolute() / MANIFEST_NAME)
    names = list(dict.fromkeys(arguments.names)) or list(manifest.designs)
    records = [
        record
        for name in names
        for record in _records(
            arguments.designs, name, viewport=arguments.viewport, theme=arguments.theme
        )
    ]
    if arguments.json:
        plan = {"schema_version": SCHEMA_VERSION, "comparisons": records}
        print(json.dumps(plan, indent=2, ensure_ascii=True, allow_nan=False))
    else:
        for record in records:
            print("\n".join(_lines(record)))
        able = sum(record["comparable"] for record in records)
        print(f"{len(records)} comparison{'s' * (len(records) != 1)}, {able} can be made")
    return COMPARABLE if all(record["comparable"] for record in records) else NOT_ALL


def _records(
    designs: Path, name: str, *, viewport: str | None, theme: str | None
) -> list[dict[str, Any]]:
    from pytest_pixelloop.sources.folder import load_design, plan_comparisons  # noqa: PLC0415
    from pytest_pixelloop.sources.plan_record import plan_record  # noqa: PLC0415

    records = []
    for planned in plan_comparisons(designs, name, viewport=viewport, theme=theme):
        try:
            side = load_design(planned)
        except UndeterminedError as error:
            records.append(plan_record(planned, error))
        else:
            records.append(plan_record(planned, side))
    return records


def _lines(record: dict[str, Any]) -> list[str]:
    head = f"{printable(record['label'])}  {printable(record['name'])}"
    if record["comparable"]:
        view = record["viewport"]
        size = f"{view['width']}x{view['height']} at {view['device_scale_factor']:g}"
        return [f"{head}: {size}, gate {record['gate']}, {printable(record['image'])}"]
    lines = [f"{head}: undetermined:{record['reason']}", f"  {printable(record['problem'])}"]
    if record["next"]:
        lines.append(f"  next: {printable(record['next'])}")
    return lines
