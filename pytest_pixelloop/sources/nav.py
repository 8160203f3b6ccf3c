"""The file ``nav.yaml``: the way to a page.

schema_version: 1
route: /checkout             # a URL, or an address inside the application
steps:                       # optional
  - tap: {test_id: open-cart}
  - scroll_to: {role: heading, name: Summary}
  - enter_text: {role: textbox, name: E-mail, value: ada@example.com}
  - enter_text: {test_id: password, env: SHOP_PASSWORD}
settle_ms: 250               # optional, waited after the last step
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.route import SCHEMES, Action, Recipe, Step
from pytest_pixelloop.sources.manifest import shown_path
from pytest_pixelloop.sources.manifest_yaml import compose_yaml
from pytest_pixelloop.store.atomic import write_text_atomic
from pytest_pixelloop.store.disk import read_file

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_pixelloop.sources.manifest_yaml import Field

NAV_NAME = "nav.yaml"
SCHEMA_VERSION = 1
MAX_BYTES = 1_000_000
MAX_STEPS = 200
MAX_SETTLE_MS = 60_000

_TOP = ("schema_version", "route", "steps", "settle_ms")
_ADDRESS = ("test_id", "role", "name", "text")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}", re.ASCII)
_ROLE = re.compile(r"[a-z]{1,40}", re.ASCII)


def load_nav(path: Path) -> Recipe:
    """Return the recipe in the file *path*.

    Raises ConfigurationError that names file and line for everything that is not right in it.
    """
    path = path.absolute()
    shown = shown_path(path, project=path.parent.parent)
    data = read_file(path, name=shown, error=ConfigurationError, max_bytes=MAX_BYTES)
    return read_nav(data, shown=shown)


def read_nav(data: bytes, *, shown: str) -> Recipe:
    """Return the recipe that *data*, the content of the file *shown*, tells."""
    top = compose_yaml(data, shown=shown, what="the route file").mapping(_TOP)
    version = top.get("schema_version")
    if version is None:
        raise ConfigurationError(
            "the route file does not say its schema_version",
            where=f"{shown}:1",
            expected=f"schema_version: {SCHEMA_VERSION}",
        )
    if version.number() != SCHEMA_VERSION:
        raise version.wrong(f"{SCHEMA_VERSION}, the only version that is known here")
    if "route" not in top:
        raise ConfigurationError(
            "the route file has no route", where=f"{shown}:1", expected="route: /checkout"
        )
    return Recipe(
        route=_route(top["route"]),
        steps=_steps(top["steps"]) if "steps" in top else (),
        settle_ms=_settle(top["settle_ms"]) if "settle_ms" in top else 0,
    )


def nav_text(recipe: Recipe) -> str:
    """Return *recipe* as the text of a ``nav.yaml``: keys in the order of the format."""
    steps: list[dict[str, Any]] = []
    for step in recipe.steps:
        keys = (*_ADDRESS, "value", "env")
        told = {key: getattr(step, key) for key in keys if getattr(step, key) is not None}
        steps.append({str(step.action): told})
    record = {
        "schema_version": SCHEMA_VERSION,
        "route": recipe.route,
        "steps": steps,
        "settle_ms": recipe.settle_ms,
    }
    text: str = yaml.safe_dump(record, sort_keys=False, allow_unicode=False, width=1_000_000)
    return text


def keep_nav(path: Path, recipe: Recipe) -> bool:
    """Write *recipe* to *path* where that holds none, or another way; tell whether it was written.

    A file that tells the same way is left as it is, so a longer ``settle_ms`` written by a person
    stays.
    """
    try:
        if load_nav(path).leads_as(recipe):
            return False
    except ConfigurationError:
        pass
    write_text_atomic(path, nav_text(recipe))
    return True


def _route(value: Field) -> str:
    route = value.text()
    scheme = urlsplit(route).scheme
    if (scheme and scheme not in SCHEMES) or any(not c.isprintable() or c == " " for c in route):
        raise value.wrong("a URL (http, https, file), or an address such as /checkout")
    return route


def _settle(value: Field) -> int:
    number = value.number()
    if not 0 <= number <= MAX_SETTLE_MS or number != int(number):
        raise value.wrong(f"a whole number of milliseconds, at most {MAX_SETTLE_MS}")
    return int(number)


def _steps(value: Field) -> tuple[Step, ...]:
    if value.is_null:
        return ()
    if value.node.id != "sequence":
        raise value.wrong("a list of steps")
    items = value.items()
    if len(items) > MAX_STEPS:
        raise value.wrong(f"a list of at most {MAX_STEPS} steps")
    return tuple(_step(item) for item in items)


def _step(item: Field) -> Step:
    told = item.mapping(tuple(Action))
    if len(told) > 1:
        raise item.wrong(f"one action a step, not {' and '.join(told)}; begin each with '- '")
    if not told:
        raise item.wrong(f"one of {', '.join(Action)} with the address of an element")
    ((word, value),) = told.items()
    action = Action(word)
    typed = ("value", "env") if action is Action.ENTER_TEXT else ()
    own = value.mapping((*_ADDRESS, *typed))
    texts = {key: own[key].raw() for key in own if key != "value"}
    if not {"test_id", "role", "text"} & set(own):
        raise value.wrong("test_id, role (with name) or text")
    if "name" in own and "role" not in own:
        raise own["name"].wrong("a name together with a role")
    if "role" in texts and not _ROLE.fullmatch(texts["role"]):
        raise own["role"].wrong("an ARIA role, such as button")
    if typed and ("value" in own) == ("env" in own):
        raise value.wrong("either value: TEXT or env: VARIABLE")
    if "env" in texts and not _VARIABLE.fullmatch(texts["env"]):
        raise own["env"].wrong("the name of an environment variable")
    return Step(action=action, value=_typed(own.get("value")), **texts)


def _typed(value: Field | None) -> str | None:
    """Return what is typed: any text, an empty one too, which clears the field."""
    if value is None:
        return None
    if value.node.id == "scalar" and value.node.tag.endswith(":str"):
        return str(value.node.value)
    return value.raw()
