"""Tokens by name: the design's own first, else the only one of a value, never a guess."""

from __future__ import annotations

import pytest

from pytest_pixelloop.core.bound_names import bound_name
from pytest_pixelloop.core.design import DesignNode
from pytest_pixelloop.core.design_tokens import find_tokens
from pytest_pixelloop.core.token_names import NamedToken, find_token

FILES = {
    "app.css": ":root {\n  --ds-color-primary: #2563eb;\n  --blue-600: #2563eb;\n"
    "  --radius-lg: 8px;\n  --space-2: 8px;\n  --gone: #ffffff;\n}",
    "vars.scss": "$brand-line: #e5e7eb;\n$text-base: 16px;",
    "tokens.json": '{"textMuted": "#6b7280"}',
}
TOKENS = find_tokens(FILES)


def named(value: str, prop: str, variable: str | None = None) -> tuple[str, str] | None:
    """Return reference and origin of the token for a value."""
    found = find_token(TOKENS, value, css_property=prop, variable=variable)
    return (found.reference, found.origin) if found else None


@pytest.mark.parametrize(
    ("value", "prop", "variable", "wanted"),
    [
        ("#2563eb", "color", "color/primary", ("var(--ds-color-primary)", "design")),
        ("#2563eb", "color", "Blue 600", ("var(--blue-600)", "design")),
        ("#2563eb", "color", None, None),  # two tokens have that value
        ("rgb(229 231 235)", "border-color", None, ("$brand-line", "value")),
        ("#6b7280", "color", "Text/Muted", ("textMuted", "design")),
        ("8px", "border-radius", None, ("var(--radius-lg)", "value")),
        ("8px", "row-gap", None, ("var(--space-2)", "value")),
        ("8px", "width", None, None),  # no token is meant for widths
        ("1rem", "font-size", None, ("$text-base", "value")),
        ("#123456", "color", "No/Such", None),
        ("Welcome", "text", None, None),
    ],
)
def test_a_token_is_found_by_name_or_by_its_only_value(
    value: str, prop: str, variable: str | None, wanted: tuple[str, str] | None
) -> None:
    """Names agree by their words, however they are spelled; two tokens of a value are none."""
    assert named(value, prop, variable) == wanted


def test_a_project_token_of_another_value_does_not_agree() -> None:
    """The design's name is the project's, too, with another value: that is told, not written."""
    found = find_token(TOKENS, "#1d4ed8", css_property="color", variable="blue-600")
    assert found == NamedToken(
        name="--blue-600",
        reference="var(--blue-600)",
        origin="design",
        value="#2563eb",
        place="app.css:3",
        agrees=False,
    )


def test_the_order_of_files_changes_no_token() -> None:
    """The same files in any order give the same tokens, places and values."""
    assert find_tokens(dict(reversed(FILES.items()))) == TOKENS


def test_names_come_from_variables_before_styles() -> None:
    """A variable goes before a style; several names, or an id without a name, are none."""
    alias = {"type": "VARIABLE_ALIAS", "id": "V:1"}
    names = {"V:1": "space/m", "V:2": "space/l", "S:1": "Primary"}

    def name(prop: str, **properties: object) -> str | None:
        node = DesignNode(id="1", name="", type="FRAME", properties=properties, names=names)
        return bound_name(node, prop)

    assert name("row-gap", boundVariables={"itemSpacing": alias}) == "space/m"
    assert name("font-size", boundVariables={"fontSize": [alias]}) == "space/m"
    assert name("background-color", styles={"fill": "S:1"}) == "Primary"
    fill = {"type": "SOLID", "boundVariables": {"color": alias}}
    assert name("color", fills=[fill], styles={"fill": "S:1"}) == "space/m"
    corners = {"topLeftRadius": alias, "topRightRadius": {"id": "V:2"}}
    assert name("border-radius", boundVariables=corners) is None
    assert name("width", boundVariables={"width": {"id": "V:9"}}) is None
    assert name("color", boundVariables="nonsense", fills=7, styles=[]) is None
