"""``nav.yaml``: read strictly, written so that it reads the same, and left alone otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.route import Action, Recipe, Step
from pytest_pixelloop.sources.manifest import load_manifest
from pytest_pixelloop.sources.nav import keep_nav, load_nav, nav_text, read_nav

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """\
schema_version: 1
route: /checkout
steps:
  - tap: {test_id: open-cart}
  - scroll_to: {role: heading, name: Summary}
  - enter_text: {role: textbox, name: E-mail, text: 12:30, value: ada@example.com}
  - enter_text: {test_id: password, env: SHOP_PASSWORD}
settle_ms: 250
"""


def test_everything_that_can_be_said() -> None:
    """Route, the three kinds of steps with each kind of address, and the wait."""
    assert read_nav(WHOLE.encode(), shown="nav.yaml") == Recipe(
        route="/checkout",
        steps=(
            Step(action=Action.TAP, test_id="open-cart"),
            Step(action=Action.SCROLL_TO, role="heading", name="Summary"),
            Step(
                action=Action.ENTER_TEXT,
                role="textbox",
                name="E-mail",
                text="12:30",
                value="ada@example.com",
            ),
            Step(action=Action.ENTER_TEXT, test_id="password", env="SHOP_PASSWORD"),
        ),
        settle_ms=250,
    )


HEAD = "schema_version: 1\nroute: /x\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("route: /x\n", 1, "schema_version"),
        ("schema_version: 2\nroute: /x\n", 1, "is '2' 1, the only version"),
        (HEAD + "steps:\n  - {}\n", 4, "one of tap"),
        ("schema_version: 1\n", 1, "no route"),
        (HEAD + "stepz: []\n", 3, "unknown key 'stepz'"),
        (HEAD + "steps: tap\n", 3, "list of steps"),
        (HEAD + "steps:\n  - click: {text: A}\n", 4, "unknown key 'click'"),
        (HEAD + "steps:\n  - tap: {}\n", 4, "test_id, role"),
        (
            HEAD + "steps:\n  - tap: {text: A}\n    scroll_to: {text: B}\n",
            4,
            "not tap and scroll_to",
        ),
        (HEAD + "steps:\n  - tap: {name: A}\n", 4, "test_id, role"),
        (HEAD + "steps:\n  - tap: {text: A, name: B}\n", 4, "together with a role"),
        (HEAD + "steps:\n  - tap: {role: 'x > y'}\n", 4, "ARIA role"),
        (HEAD + "steps:\n  - tap: {text: A, value: B}\n", 4, "unknown key 'value'"),
        (HEAD + "steps:\n  - enter_text: {text: A}\n", 4, "either value"),
        (HEAD + "steps:\n  - enter_text: {text: A, value: B, env: C}\n", 4, "either value"),
        (HEAD + "steps:\n  - enter_text: {text: A, env: $(id)}\n", 4, "environment variable"),
        (HEAD + "settle_ms: -1\n", 3, "milliseconds"),
        (HEAD + "settle_ms: 1000000000\n", 3, "milliseconds"),
        (HEAD + "settle_ms: soon\n", 3, "number"),
        ("schema_version: 1\nroute: javascript:alert(1)\n", 2, "URL"),
        ("schema_version: 1\nroute: '/a b'\n", 2, "URL"),
        (HEAD + "steps: !!python/object/apply:os.system [id]\n", 3, ""),
        (HEAD + "a: &a [*a]\n", 3, ""),
        (HEAD + "\tx: 1\n", 3, "YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, said: str) -> None:
    """An unknown key, a wrong value or a tag names the file and the line, and nothing is run."""
    with pytest.raises(ConfigurationError) as caught:
        read_nav(text.encode(), shown="nav.yaml")
    error = caught.value
    assert error.where == f"nav.yaml:{line}"
    assert said in f"{error.what} {error.expected}"


def test_more_steps_than_a_way_has_are_refused() -> None:
    """A file of thousands of steps is no recipe."""
    text = HEAD + "steps:\n" + "  - tap: {text: A}\n" * 201
    with pytest.raises(ConfigurationError):
        read_nav(text.encode(), shown="nav.yaml")


TEXTS = st.text(min_size=1, max_size=20).filter(lambda s: s.strip() and s.isprintable())
STEPS = st.builds(
    lambda test_id, text, value: Step(
        action=Action.ENTER_TEXT if value is not None else Action.TAP,
        test_id=test_id,
        text=text,
        value=value,
    ),
    test_id=TEXTS,
    text=st.none() | TEXTS,
    value=st.none() | st.just("") | TEXTS,
)


@given(steps=st.lists(STEPS, max_size=4).map(tuple), settle=st.integers(0, 60_000))
def test_what_is_written_reads_the_same(steps: tuple[Step, ...], settle: int) -> None:
    """Any recipe survives its file, texts that look like numbers or YAML too."""
    recipe = Recipe(route="/a?b=c#d", steps=steps, settle_ms=settle)
    assert read_nav(nav_text(recipe).encode(), shown="nav.yaml") == recipe


def test_a_way_is_written_once_and_again_only_when_it_changes(tmp_path: Path) -> None:
    """The same way leaves the file alone, another one or an unreadable file rewrites it."""
    path = tmp_path / "nav.yaml"
    assert keep_nav(path, Recipe(route="/a"))
    edited = path.read_text().replace("settle_ms: 0", "settle_ms: 900")
    path.write_text(edited)
    assert not keep_nav(path, Recipe(route="/a"))
    assert path.read_text() == edited
    assert keep_nav(path, Recipe(route="/b"))
    assert load_nav(path).route == "/b"
    path.write_text("torn")
    assert keep_nav(path, Recipe(route="/b"))


def test_a_design_names_its_way_and_its_renderer(tmp_path: Path) -> None:
    """The manifest's keys nav (a path inside the project) and capture_command."""
    path = tmp_path / "designs" / "designs.yaml"
    path.parent.mkdir()
    head = "schema_version: 1\ndesigns:\n  card:\n    image: card.png\n"
    path.write_text(head + "    nav: card/nav.yaml\n    capture_command: ./render.sh --fast\n")
    entry = load_manifest(path).designs["card"]
    assert entry.nav == tmp_path / "designs" / "card" / "nav.yaml"
    assert entry.capture_command == "./render.sh --fast"
    path.write_text(head + "    nav: ../../elsewhere.yaml\n")
    with pytest.raises(ConfigurationError, match="leads out of the project"):
        load_manifest(path)
