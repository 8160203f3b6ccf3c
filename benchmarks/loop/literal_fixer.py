"""A fixer without a thought of its own: it does what the brief's first property edit says.

Reads the brief's JSON, takes the first finding that has an edit, writes the token or the value into
the declaration that the brief points at, else into a rule of its own for the selector. Where that
was tried and changed nothing, the rule insists. Words are replaced where they stand.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

#: The style sheet that gets a rule where the brief points nowhere.
LAST = ("page.css", "page.scss", "page.module.css", "login.css", "settings.css")


def first_edit(brief: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the first finding that says what to set, and what."""
    return next(((f, f["edit"]) for f in brief["findings"] if f["edit"]), None)


def value_of(edit: dict[str, Any]) -> str:
    """Return what to write: the token's reference, where the project has it right."""
    token = edit["token"]
    return str(token["reference"] if token and token["agrees"] else edit["value"])


def shorthands(name: str) -> list[str]:
    """Return the shorthands that set a property, too: ``border-top`` of ``border-top-width``."""
    parts = name.split("-")
    return ["-".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)] + parts[-1:]


def in_place(place: dict[str, Any], edit: dict[str, Any]) -> bool:
    """Write the value into a declaration, or after the shorthand or the head of a rule."""
    path = Path(place["path"])
    lines = path.read_text("utf-8").splitlines(keepends=True)
    at = place["line"] - 1
    name, value = re.escape(edit["property"]), value_of(edit)
    new = lines[at]
    if place["what"] == "rule":
        new = new.replace("{", f"{{ {edit['property']}: {value};", 1)
    elif re.search(own := rf"((?<![\w-]){name}\s*:\s*)[^;}}\"]+", new):
        new = re.sub(own, lambda m: m[1] + value, new, count=1)
    else:
        short = "|".join(map(re.escape, shorthands(edit["property"])))
        new = re.sub(
            rf"((?<![\w-])(?:{short})\s*:\s*[^;}}\"]+)",
            lambda m: f"{m[1]}; {edit['property']}: {value}",
            new,
            count=1,
        )
    if new == lines[at]:
        return False
    lines[at] = new
    path.write_text("".join(lines), "utf-8")
    return True


def as_rule(edit: dict[str, Any], *, insist: bool) -> str:
    """Add a rule for the selector to the page's own style sheet."""
    sheets = [p for name in LAST for p in sorted(Path().rglob(name)) if "designs" not in p.parts]
    word = " !important" if insist else ""
    with sheets[0].open("a", encoding="utf-8") as stream:
        stream.write(f"\n{edit['selector']} {{ {edit['property']}: {value_of(edit)}{word}; }}\n")
    return str(sheets[0])


def replace_words(edit: dict[str, Any]) -> bool:
    """Replace the words, where they are found once or at the place that the brief names."""
    places = [Path(p["path"]) for p in edit["places"]] or sorted(Path("site").rglob("*.html"))
    for path in places:
        text = path.read_text("utf-8")
        if edit["actual"] in text:
            path.write_text(text.replace(edit["actual"], edit["value"], 1), "utf-8")
            return True
    return False


def main() -> int:
    """Apply one edit and say which."""
    os.chdir(os.environ["PIXELLOOP_ROOT"])
    found = first_edit(json.loads(Path(os.environ["PIXELLOOP_BRIEF_JSON"]).read_text("utf-8")))
    if found is None:
        print("the brief says nothing to set")
        return 0
    finding, edit = found
    insist = finding["passed_over"] > 0 or len(finding["tried"]) > 1
    if edit["action"] == "text":
        done = replace_words(edit)
    else:
        places = [] if insist else edit["places"][:1]
        done = any(in_place(place, edit) for place in places) or bool(as_rule(edit, insist=insist))
    print(edit["selector"], edit["property"], edit["actual"], "->", value_of(edit), done)
    return 0


if __name__ == "__main__":
    sys.exit(main())
