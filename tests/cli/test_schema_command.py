"""``pixelloop schema brief``: the schema is shipped, is a schema, and is printed as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from pytest_pixelloop.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


def test_the_schema_of_the_brief_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output is the schema and nothing else, and the exit code is 0."""
    assert main(["schema", "brief"]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == "pixelloop brief"


def test_an_unknown_schema_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The known names are listed."""
    with pytest.raises(SystemExit) as stopped:
        main(["schema", "ledger"])
    assert stopped.value.code == 2
    assert "brief" in capsys.readouterr().err


def test_the_schema_lies_in_the_package(request: pytest.FixtureRequest) -> None:
    """It is where docs link to, beside the code that writes the brief."""
    root: Path = request.config.rootpath
    place = root / "pytest_pixelloop" / "report" / "brief.schema.json"
    assert json.loads(place.read_text("utf-8"))["properties"]["schema_version"] == {"const": 1}
