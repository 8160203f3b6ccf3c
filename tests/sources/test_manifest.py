"""The manifest: what it may say, and where every mistake in it is pointed at."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.sources import manifest_yaml
from pytest_pixelloop.sources.manifest import Manifest, load_manifest

ROOT = Path(__file__).resolve().parents[2]

FULL = """\
schema_version: 1
defaults: {tolerance: {pixel: 2, color_delta_e: 2}, mask: [".ad"]}
designs:
  checkout:
    image: checkout/12-340.png            # or figma: URL, or bridge: FILE
    nodes: checkout/12-340.nodes.json     # optional
    node: "12:340"                        # optional, when the node file holds several
    gate: design                          # optional: pixel | design | snapshot
    scale: 2                              # optional, else derived
    viewports: {desktop: {node: "12:340"}, mobile: {node: "12:512", width: 390, height: 844}}
    themes: {light: {}, dark: {node: "12:777"}}
    tolerance: {pixel: 0}
    mask: [".clock"]
    hold_out: false
  login: {image: ../exports/login.png, hold_out: true}
  soon: {figma: "https://www.figma.com/design/abc/x?node-id=1-2"}
  screen: {bridge: ../.ddalkak/bridge/login.bridge.json}
"""


def load(text: str | bytes, folder: Path) -> Manifest:
    """Return the manifest of *text*, written to ``designs/designs.yaml``."""
    path = folder / "designs" / "designs.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_manifest(path)


def test_the_documented_manifest_is_read(tmp_path: Path) -> None:
    """Every key of the documentation arrives, paths are absolute, defaults are filled in."""
    manifest = load(FULL, tmp_path)
    folder = tmp_path / "designs"
    checkout = manifest.designs["checkout"]
    assert checkout.image == folder / "checkout" / "12-340.png"
    assert checkout.nodes == folder / "checkout" / "12-340.nodes.json"
    assert (checkout.node, checkout.gate, checkout.scale) == ("12:340", "design", 2)
    assert [(v.name, v.node, v.size) for v in checkout.viewports] == [
        ("desktop", "12:340", (None, None)),
        ("mobile", "12:512", (390, 844)),
    ]
    assert [(t.name, t.node) for t in checkout.themes] == [("light", None), ("dark", "12:777")]
    assert checkout.tolerance == {"pixel": 0, "color_delta_e": 2}
    assert (checkout.mask, checkout.hold_out, checkout.line) == ((".clock",), False, 5)
    login = manifest.designs["login"]
    assert (login.image, login.hold_out) == (tmp_path / "exports" / "login.png", True)
    assert (login.mask, login.tolerance) == ((".ad",), {"pixel": 2, "color_delta_e": 2})


@pytest.mark.parametrize("written", ["12:34", "12-34", '"12:34"', "'12%3A34'", "59:59", "1:2"])
def test_a_node_id_needs_no_quotes(written: str, tmp_path: Path) -> None:
    """YAML's base-60 numbers do not turn 12:34 into 754."""
    manifest = load(f"schema_version: 1\ndesigns: {{a: {{node: {written}}}}}", tmp_path)
    expected = written.strip("\"'").replace("%3A", ":").replace("-", ":")
    assert manifest.designs["a"].node == expected


def test_an_entry_may_be_empty_and_named_like_a_number(tmp_path: Path) -> None:
    """Names are texts, whatever YAML would make of them."""
    manifest = load("schema_version: 1\ndesigns:\n  404:\n  on: {}\n  a/b:\n", tmp_path)
    assert list(manifest.designs) == ["404", "on", "a/b"]


def test_the_manifest_in_the_documentation_is_valid(tmp_path: Path) -> None:
    """What docs/designs.md shows can be copied."""
    text = (ROOT / "docs" / "designs.md").read_text("utf-8")
    shown = text.split("```yaml\n", 1)[1].split("```", 1)[0]
    assert list(load(shown, tmp_path).designs) == ["checkout", "badge"]


def test_anchors_may_be_reused(tmp_path: Path) -> None:
    """A plain alias stands for its value."""
    text = "schema_version: 1\ndesigns:\n  a: {mask: &m [x]}\n  b: {mask: *m}\n"
    assert load(text, tmp_path).designs["b"].mask == ("x",)


ONE = "schema_version: 1\ndesigns:\n  home:\n    "
BAD: dict[str, tuple[str | bytes, str, str, str]] = {
    "unknown-key": (ONE + "imge: a.png", ":4", "unknown key 'imge' in design 'home'", "image"),
    "unknown-key-list": (ONE + "foo: 1", ":4", "unknown key 'foo'", "hold_out"),
    "unknown-top": ("schema_version: 1\ndesign: {}", ":2", "unknown key 'design'", "designs"),
    "unknown-default": (
        "schema_version: 1\ndefaults: {viewport: 1}\ndesigns: {}",
        ":2",
        "unknown key 'viewport'",
        "tolerance",
    ),
    "unknown-viewport-key": (
        ONE + "viewports: {mobile: {widht: 3}}",
        ":4",
        "unknown key 'widht'",
        "width",
    ),
    "unknown-theme-key": (ONE + "themes: {dark: {width: 3}}", ":4", "unknown key 'width'", "node"),
    "unknown-tolerance": (ONE + "tolerance: {pixels: 3}", ":4", "tolerance key 'pixels'", "pixel"),
    "tolerance-value": (ONE + "tolerance: {pixel: -1}", ":4", "pixel", "0 or more"),
    "tolerance-word": (ONE + "tolerance: {pixel: six}", ":4", "'six'", "0 or more"),
    "tolerance-bool": (ONE + "tolerance: {pixel: true}", ":4", "True", "0 or more"),
    "tolerance-inf": (ONE + "tolerance: {pixel: .inf}", ":4", "pixel", "number"),
    "tolerance-list": (ONE + "tolerance: [1]", ":4", "a list", "mapping"),
    "tolerance-null": (ONE + "tolerance: {pixel: }", ":4", "empty", "text"),
    "duplicate-design": ("schema_version: 1\ndesigns:\n  a: {}\n  a: {}", ":4", "twice", "once"),
    "duplicate-key": (ONE + "image: a.png\n    image: b.png", ":5", "'image' is given twice", ""),
    "gate": (ONE + "gate: strict", ":4", "'strict'", "design, pixel"),
    "scale-word": (ONE + "scale: two", ":4", "'two'", "a number"),
    "scale-zero": (ONE + "scale: 0", ":4", "'0'", "above 0"),
    "scale-negative": (ONE + "scale: -2", ":4", "'-2'", "above 0"),
    "scale-nan": (ONE + "scale: .nan", ":4", "'.nan'", "number"),
    "scale-quoted": (ONE + 'scale: "2"', ":4", "'2'", "number"),
    "scale-list": (ONE + "scale: [2]", ":4", "a list", "number"),
    "hold-out": (ONE + "hold_out: maybe", ":4", "'maybe'", "true or false"),
    "hold-out-number": (ONE + "hold_out: 1", ":4", "'1'", "true or false"),
    "mask-text": (ONE + "mask: .clock", ":4", "'.clock'", "list"),
    "mask-item": (ONE + "mask: [{a: 1}]", ":4", "a mapping", "text"),
    "image-list": (ONE + "image: [a.png]", ":4", "a list", "text"),
    "image-number": (ONE + "image: 5", ":4", "'5'", "text"),
    "image-empty": (ONE + "image:", ":4", "empty", "text"),
    "image-blank": (ONE + "image: '  '", ":4", "'image'", "text"),
    "node-list": (ONE + "node: [1]", ":4", "a list", "12:34"),
    "width": (ONE + "viewports: {m: {width: 1.5}}", ":4", "'1.5'", "whole number"),
    "width-zero": (ONE + "viewports: {m: {width: 0}}", ":4", "'0'", "whole number"),
    "viewports-list": (ONE + "viewports: [mobile]", ":4", "a list", "mapping"),
    "viewport-name": (ONE + "viewports: {a/b: {}}", ":4", "'a/b'", "letters"),
    "viewport-separator": (ONE + "viewports: {a__b: {}}", ":4", "'a__b'", "letters"),
    "entry-text": ("schema_version: 1\ndesigns:\n  home: a.png", ":3", "'a.png'", "mapping"),
    "designs-list": ("schema_version: 1\ndesigns: [a]", ":2", "a list", "mapping"),
    "no-designs": ("schema_version: 1", "designs.yaml", "no designs", "designs:"),
    "no-version": ("designs: {}", ":1", "schema_version", "schema_version: 1"),
    "new-version": ("schema_version: 2\ndesigns: {}", ":1", "schema_version 2", "1"),
    "word-version": ("schema_version: one\ndesigns: {}", ":1", "'one'", "number"),
    "name-up": ("schema_version: 1\ndesigns:\n  ../a: {}", ":3", "../a", "name"),
    "name-slash": ("schema_version: 1\ndesigns:\n  a//b: {}", ":3", "a//b", "name"),
    "name-backslash": ("schema_version: 1\ndesigns:\n  'a\\b': {}", ":3", "name", "letters"),
    "name-control": ('schema_version: 1\ndesigns:\n  "a\\u202eb": {}', ":3", "name", "letters"),
    "outside": (ONE + "image: ../../x.png", ":4", "leads out of the project", "stays below"),
    "outside-hidden": (ONE + "image: a/../../../x.png", ":4", "leads out", "stays below"),
    "absolute": (ONE + "image: /etc/passwd", ":4", "leads out", "relative"),
    "nodes-outside": (ONE + "nodes: ../../x.json", ":4", "leads out", "stays below"),
    "viewport-outside": (
        ONE + "viewports: {m: {image: ../../x.png}}",
        ":4",
        "leads out",
        "stays below",
    ),
    "backslash": (ONE + "image: a\\b.png", ":4", "'image'", '"/"'),
    "bridge-and-image": (ONE + "image: a.png\n    bridge: b.json", ":5", "bridge", "one of"),
    "merge": ("schema_version: 1\ndesigns:\n  a: &a {}\n  b:\n    <<: *a", ":5", "'<<'", "merge"),
    "merge-designs": ("schema_version: 1\ndesigns:\n  a: &a {}\n  <<: *a", ":4", "'<<'", "merge"),
    "empty": ("", "designs.yaml", "empty", "designs:"),
    "comment-only": ("# nothing\n", "designs.yaml", "empty", "designs:"),
    "list": ("- a\n", ":1", "a list", "mapping"),
    "syntax": ("schema_version: 1\ndesigns: {a: [}\n", ":2", "not valid YAML", ""),
    "tab": ("schema_version: 1\ndesigns:\n\ta: 1\n", ":3", "not valid YAML", ""),
    "undefined-alias": ("schema_version: 1\ndesigns: {a: *b}", ":2", "not valid YAML", "alias"),
    "two-documents": ("schema_version: 1\n---\na: 1\n", ":2", "not valid YAML", ""),
    "control-character": ("schema_version: 1\n\x01: 2", "designs.yaml", "not valid YAML", ""),
    "not-utf-8": (b"schema_version: 1\n# \xff\n", ":2", "UTF-8", "UTF-8"),
    "python-tag": (ONE + "image: !!python/name:os.system x", ":4", "tagged", "text"),
    "complex-key": ("schema_version: 1\ndesigns:\n  [a]: {}", ":3", "key", "key: value"),
    "deep": ("schema_version: 1\ndesigns: " + "[" * 20_000, "", "not valid YAML", ""),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_is_pointed_at(case: str, tmp_path: Path) -> None:
    """Every wrong manifest is a ConfigurationError with file, line, key and what is right."""
    text, where, words, hint = BAD[case]
    with pytest.raises(ConfigurationError) as caught:
        load(text, tmp_path)
    assert caught.value.where.startswith("designs/designs.yaml")
    assert caught.value.where.endswith(where)
    assert words in caught.value.what
    assert hint in str(caught.value)


@pytest.mark.parametrize("case", ["syntax", "tab", "undefined-alias", "control-character", "deep"])
def test_without_the_c_loader_mistakes_are_pointed_at_too(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyYAML without libyaml gives the same kind of error."""
    monkeypatch.setattr(manifest_yaml, "_LOADER", yaml.SafeLoader)
    with pytest.raises(ConfigurationError, match="not valid YAML"):
        load(BAD[case][0], tmp_path)


def test_a_misspelt_key_gets_a_suggestion(tmp_path: Path) -> None:
    """The nearest known key is offered."""
    with pytest.raises(ConfigurationError, match='did you mean "viewports"'):
        load(ONE + "viewport: {}", tmp_path)


def test_an_absolute_path_inside_the_project_is_allowed(tmp_path: Path) -> None:
    """Only where a path leads matters, not how it is written."""
    path = tmp_path / "exports" / "a.png"
    assert load(ONE + f"image: {path}", tmp_path).designs["home"].image == path


def test_ten_billion_laughs_cost_nothing(tmp_path: Path) -> None:
    """Nested aliases are refused by their type, not expanded."""
    lines = ["schema_version: 1", "designs:", "  a: {mask: &a [x, x]}"]
    for level in range(1, 60):
        before, this = chr(96 + level) if level < 2 else f"n{level - 1}", f"n{level}"
        lines.append(f"  {this}: {{mask: &{this} [*{before}, *{before}]}}")
    with pytest.raises(ConfigurationError, match="expected: a text"):
        load("\n".join(lines), tmp_path)


def test_a_missing_or_unreadable_manifest_is_a_clear_error(tmp_path: Path) -> None:
    """No file and a folder in its place are told apart."""
    with pytest.raises(ConfigurationError, match="no such file"):
        load_manifest(tmp_path / "designs" / "designs.yaml")
    (tmp_path / "designs" / "designs.yaml").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match="folder"):
        load_manifest(tmp_path / "designs" / "designs.yaml")


@settings(max_examples=150, deadline=None)
@given(body=st.text(alphabet="abi mge:{}[],-\"'&*!|>#%\n\t0.1<", max_size=60))
def test_arbitrary_yaml_never_raises_anything_else(
    body: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever stands in the file, the answer is a manifest or a ConfigurationError."""
    folder = tmp_path_factory.getbasetemp()
    try:
        manifest = load(f"schema_version: 1\ndesigns:\n  a: {body}", folder)
    except ConfigurationError:
        return
    assert "a" in manifest.designs
