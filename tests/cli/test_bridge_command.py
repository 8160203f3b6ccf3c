"""``pixelloop verify --project``: a bridge's screens judged, without a browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.core.errors import DesignUnreadableError
from pytest_pixelloop.sources.bridge import load_bridge
from pytest_pixelloop.sources.folder import load_design, plan_comparisons
from pytest_pixelloop.store.images import read_image, write_png

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

WIDTH, HEIGHT = 400, 300
FIELDS = {
    *("version", "schema_version", "status", "passed", "confidence", "implementationRate"),
    *("statuses", "thresholds", "pixels", "viewport", "artifacts", "source", "regions"),
    *("anchors", "matches", "checks", "problem", "warnings", "size", "styleReason"),
}


def _picture(*, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.uint8]:
    image = np.full((height, width, 4), 255, dtype=np.uint8)
    image[40:80, 40:80, :3] = (37, 99, 235)
    return image


def _bridge() -> dict[str, Any]:
    def screen(breakpoint_: str, width: int, asset: str) -> dict[str, Any]:
        button = {"name": "Button", "type": "frame", "bbox": [40, 40, 40, 40], "children": []}
        card = {"name": "Card", "type": "frame", "bbox": [20, 20, 200, 200], "children": [button]}
        return {
            "breakpoint": breakpoint_,
            "frame": {"w": width, "h": HEIGHT},
            "screenshot": asset,
            "children": [card],
        }

    return {
        "screens": [screen("mobile", 200, "m"), screen("desktop", WIDTH, "d")],
        "assets": [
            {"id": "d", "export": "exports/desktop.png"},
            {"id": "m", "export": "exports/mobile.png"},
        ],
        "verify": {
            "targets": [
                {"id": "site", "kind": "web"},
                {"id": "phone", "kind": "ios"},
                {"id": "canvas", "kind": "flutter"},
            ]
        },
    }


class Project:
    """A project in the described shape, and what a verification of it leaves."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.actual = path / "actual.png"
        (path / ".ddalkak" / "bridge").mkdir(parents=True)
        (path / "exports").mkdir()
        write_png(path / "exports" / "desktop.png", _picture())
        write_png(path / "exports" / "mobile.png", _picture(width=200))
        self.write(_bridge())

    @property
    def file(self) -> Path:
        """The bridge file."""
        return self.path / ".ddalkak" / "bridge" / "login-page.bridge.json"

    def write(self, bridge: dict[str, Any]) -> None:
        """Replace the bridge file."""
        self.file.write_text(json.dumps(bridge), encoding="utf-8")

    def verify(self, actual: NDArray[np.uint8], *words: str) -> int:
        """Verify the picture *actual* and return the exit code."""
        write_png(self.actual, actual)
        named = ["--project", str(self.path), "--name", "login-page"]
        return main(["verify", *named, "--actual", str(self.actual), *words])

    def report(self, breakpoint_: str = "desktop", folder: Path | None = None) -> dict[str, Any]:
        """Return the visual.json of one screen."""
        place = folder or self.path / ".ddalkak" / "reports"
        text = (place / f"login-page.{breakpoint_}.visual.json").read_text("utf-8")
        record = json.loads(text)
        assert isinstance(record, dict)
        return record


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give a project with a desktop and a mobile screen."""
    return Project(tmp_path / "shop")


def _different(count: int, *, at: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the design with *count* px painted red from *at* (row, column), ten rows high."""
    image = _picture()
    row, column = at
    image[row : row + 10, column : column + count // 10, :3] = (220, 38, 38)
    return image


def test_equal_pictures_pass_with_all_five_artefacts(project: Project) -> None:
    """A render that is the baseline exits 0, and all artefacts hold what their names say."""
    assert project.verify(_picture()) == 0
    reports = project.path / ".ddalkak" / "reports"
    assert sorted(p.name for p in reports.iterdir()) == [
        "login-page.desktop.baseline.png",
        "login-page.desktop.diff.png",
        "login-page.desktop.render.png",
        "login-page.desktop.visual.json",
        "login-page.verify.md",
    ]
    record = project.report()
    assert set(record) == FIELDS
    assert record["version"] == "2.0"
    assert (record["status"], record["passed"]) == ("pass", True)
    assert (record["confidence"], record["implementationRate"]) == (1.0, 100.0)
    assert record["statuses"] == {"pixel": "pass", "style": "n/a"}
    assert record["thresholds"] == {
        "pass": 0.995,
        "conditional": 0.98,
        "pixelThreshold": 0.1,
        "regionConditional": 0.03,
        "regionFail": 0.10,
    }
    assert record["pixels"] == {"total": WIDTH * HEIGHT, "mismatch": 0, "mismatchRatio": 0.0}
    assert record["viewport"] == {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1}
    assert record["artifacts"] == {
        name: f"login-page.desktop.{name}.png" for name in ("baseline", "render", "diff")
    }
    assert record["source"]["bridge"] == ".ddalkak/bridge/login-page.bridge.json"
    assert record["source"]["baseline"] == "exports/desktop.png"
    assert record["checks"]["gating"] is False
    rendered = read_image(reports / "login-page.desktop.render.png", name="render")
    assert np.array_equal(rendered, _picture())


@pytest.mark.parametrize(
    ("count", "at", "status", "code"),
    [
        (500, (200, 250), "pass", 0),  # 0.4 % of the page, 0.4 % of the frame
        (1200, (200, 250), "conditional", 1),  # 1 % of the page
        (3000, (250, 50), "fail", 1),  # 2.5 % of the page: by confidence
        (60, (50, 50), "conditional", 1),  # 3.75 % of the button, 0.05 % of the page
        (200, (50, 50), "fail", 1),  # 12.5 % of the button, 0.17 % of the page: by region
    ],
)
def test_the_status_follows_confidence_and_regions(
    project: Project, count: int, at: tuple[int, int], status: str, code: int
) -> None:
    """Pass, conditional and fail are decided by the whole page and by the worst node."""
    assert project.verify(_different(count, at=at)) == code
    record = project.report()
    assert record["status"] == status
    assert record["pixels"]["mismatch"] == count
    assert record["implementationRate"] == round(100 * (1 - count / (WIDTH * HEIGHT)), 3)
    nodes = {region["node_id"] for region in record["regions"]}
    assert nodes == {"login-page/Card/Button" if at == (50, 50) else "login-page"}


def test_limits_are_words_of_the_command(project: Project) -> None:
    """--pass, --conditional and --pixel-threshold move the limits and are reported."""
    changed = _different(1200, at=(200, 250))
    assert project.verify(changed, "--pass", "0.98", "--conditional", "0.9") == 0
    assert project.report()["thresholds"]["pass"] == 0.98
    assert project.verify(changed, "--conditional", "0.995") == 1
    assert project.report()["status"] == "fail"
    assert project.verify(changed, "--pixel-threshold", "1") == 0
    assert project.report()["pixels"]["mismatch"] == 0
    assert project.verify(changed, "--pass", "1.5") == 2


def test_a_screen_is_chosen_by_breakpoint(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Desktop is preferred although it comes second; --screen mobile is the other one."""
    out = project.path / "elsewhere"
    assert project.verify(_picture(width=200), "--screen", "mobile", "--output", str(out)) == 0
    assert project.report("mobile", out)["viewport"]["width"] == 200
    assert project.verify(_picture(), "--screen", "tablet") == 2
    told = capsys.readouterr().err
    assert 'no screen "tablet"' in told
    assert "mobile, desktop" in told


def test_the_first_screen_stands_in_for_a_missing_desktop(project: Project) -> None:
    """Without a desktop screen the first one is verified."""
    bridge = _bridge()
    bridge["screens"][1]["breakpoint"] = "wide"
    project.write(bridge)
    assert project.verify(_picture(width=200)) == 0
    assert project.report("mobile")["passed"]


@pytest.mark.parametrize("how", ["file", "asset", "screenshot", "truncated"])
def test_without_a_baseline_nothing_is_judged(
    project: Project, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No baseline is exit code 2, and none is ever made from a render."""
    bridge, path = _bridge(), project.path / "exports" / "desktop.png"
    if how == "file":
        path.unlink()
    elif how == "asset":
        bridge["assets"] = []
    elif how == "screenshot":
        del bridge["screens"][1]["screenshot"]
    else:
        path.write_bytes(path.read_bytes()[:-20])
    project.write(bridge)
    assert project.verify(_picture()) == 2
    told = capsys.readouterr().out
    assert ("truncated" if how == "truncated" else "no baseline") in told
    assert path.is_file() is (how != "file")
    assert project.report()["passed"] is False


def test_a_stale_pass_is_not_left_behind(project: Project) -> None:
    """After a run that could not judge, nothing in the reports folder says pass."""
    assert project.verify(_picture()) == 0
    (project.path / "exports" / "desktop.png").unlink()
    assert project.verify(_picture()) == 2
    reports = project.path / ".ddalkak" / "reports"
    assert not list(reports.glob("*.png"))
    record = project.report()
    assert record["status"].startswith("undetermined")
    assert record["implementationRate"] is None
    assert "100" not in (reports / "login-page.verify.md").read_text("utf-8")


def test_another_size_fails_with_a_diff(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """A render of another size is a fail that names both sizes and still has a diff."""
    assert project.verify(_picture(height=280)) == 1
    record = project.report()
    assert record["size"] == {"expected": [400, 300], "actual": [400, 280]}
    assert (project.path / ".ddalkak/reports/login-page.desktop.diff.png").is_file()
    assert "400x280" in capsys.readouterr().out


def test_a_target_without_provider_is_blocked(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """An iOS target stops as blocked with exit code 2, whatever picture is handed in."""
    assert project.verify(_picture(), "--target", "phone") == 2
    assert "blocked: no provider" in capsys.readouterr().out
    assert project.report()["status"] == "undetermined:blocked"
    assert project.verify(_picture(), "--target", "fridge") == 2
    assert "site (web), phone (ios), canvas (flutter)" in capsys.readouterr().err


def test_a_flutter_target_has_no_style(project: Project) -> None:
    """A canvas page is judged by its pixels; its style is n/a, and the reason is said."""
    assert project.verify(_picture(), "--target", "canvas") == 0
    record = project.report()
    assert record["statuses"] == {"pixel": "pass", "style": "n/a"}
    assert "flutter" in record["styleReason"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--selector", "#app"], "--selector '#app' is not supported"),
        (["--design", "a.png"], "--design does not belong to a bridge file"),
        (["--viewport", "mobile"], "--viewport does not belong to a bridge file"),
        (["--url", "http://localhost:1"], "either --url URL or --actual IMAGE"),
        (["--name", "../../etc"], "cannot be the name of a bridge"),
        (["--name", "login"], "did you mean login-page?"),
    ],
)
def test_wrong_words_exit_2(
    project: Project, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A word that a bridge knows nothing of is an error in words."""
    assert project.verify(_picture(), *words) == 2
    assert told in capsys.readouterr().err


def test_the_name_may_come_from_the_config(project: Project) -> None:
    """Without --name the config names the bridge; without a config the only one is taken."""
    write_png(project.actual, _picture())
    words = ["verify", "--project", str(project.path), "--actual", str(project.actual)]
    assert main(words) == 0
    other = project.file.with_name("other.bridge.json")
    other.write_bytes(project.file.read_bytes())
    assert main(words) == 2
    config = project.path / ".ddalkak" / "ddalkak.config.json"
    config.write_text('{"name": "login-page"}', encoding="utf-8")
    assert main(words) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "bridge file is empty"),
        ("[1]", "not an object"),
        ("{}", "has no screens"),
        ('{"screens": [{"breakpoint": "desktop"}]}', "screens[0] has no frame size"),
        ('{"screens": [{"frame": {"w": 1e9, "h": 4}}]}', "screens[0] has no frame size"),
        ("{" * 100_000, "not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"screens": [', "ends early"),
        (
            '{"screens": [{"frame": {"w": 4, "h": 4}}], "verify": {"targets": [{}]}}',
            "verify.targets[0] does not say its kind",
        ),
    ],
)
def test_what_is_no_bridge_file_is_refused_in_words(
    project: Project, text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hostile and broken files are sentences with the file's name, never tracebacks."""
    project.file.write_text(text, encoding="utf-8")
    assert project.verify(_picture()) == 2
    err = capsys.readouterr().err
    assert told in err
    assert ".ddalkak/bridge/login-page.bridge.json" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("export", ["../secret.png", "/etc/hostname", "a\\b.png", "x\0.png"])
def test_a_baseline_stays_inside_the_project(
    project: Project, export: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A path that leads out of the project is refused."""
    bridge = _bridge()
    bridge["assets"][0]["export"] = export
    project.write(bridge)
    assert project.verify(_picture()) == 2
    assert "leads out of the project" in capsys.readouterr().out


def test_names_from_the_file_cannot_act_in_the_report(project: Project) -> None:
    """Control characters and Markdown in a node's name are made harmless."""
    bridge = _bridge()
    bridge["screens"][1]["children"][0]["children"][0]["name"] = "\x1b[2J|<img src=x>`"
    project.write(bridge)
    assert project.verify(_different(200, at=(50, 50))) == 1
    text = (project.path / ".ddalkak/reports/login-page.verify.md").read_text("utf-8")
    assert "\x1b" not in text
    assert "<img" not in text


def test_nodes_are_named_by_their_path_and_keep_their_index(project: Project) -> None:
    """Twins get a number, own ids are kept, and what is no node still counts as a child."""
    bridge = _bridge()
    twin = {"name": "Row", "bbox": [0, 0, 10, 10]}
    bridge["screens"][1]["children"] = [
        twin,
        "junk",
        dict(twin),
        {"name": "Title", "id": "own", "bbox": [0, 0, 50, 10], "runs": [{"text": "a"}, "b"]},
    ]
    project.write(bridge)
    manifest = project.path / "designs"
    manifest.mkdir()
    text = "schema_version: 1\ndesigns:\n  login: {bridge: ../.ddalkak/bridge/%s}\n"
    (manifest / "designs.yaml").write_text(text % project.file.name, encoding="utf-8")
    design = load_design(plan_comparisons(manifest, "login")[0])
    assert design.root is not None
    ids = [child.id for child in design.root.children]
    assert ids == ["login-page/Row", "login-page/node", "login-page/Row#2", "own"]
    assert [child.visible for child in design.root.children] == [True, False, True, True]
    assert (design.root.children[3].type, design.root.children[3].characters) == ("TEXT", "ab")


def test_the_manifest_names_a_bridge(project: Project) -> None:
    """Its viewports are breakpoints, its gate is pixel, and its pictures are the exports."""
    folder = project.path / "designs"
    folder.mkdir()
    (folder / "designs.yaml").write_text(
        "schema_version: 1\ndesigns:\n  login:\n"
        "    bridge: ../.ddalkak/bridge/login-page.bridge.json\n"
        "    viewports: {desktop: {}, mobile: {}, watch: {}}\n"
        "    tolerance: {pass_confidence: 0.9}\n",
        encoding="utf-8",
    )
    planned = plan_comparisons(folder, "login")
    assert [p.label for p in planned] == ["login__desktop", "login__mobile", "login__watch"]
    designs = [load_design(p) for p in planned[:2]]
    assert [d.frame for d in designs] == [(400, 300), (200, 300)]
    assert {d.gate for d in designs} == {"pixel"}
    assert designs[0].tolerance == {"pass_confidence": 0.9}
    assert np.array_equal(designs[0].image, _picture())
    with pytest.raises(DesignUnreadableError, match='no screen "watch"'):
        load_design(planned[2])


def test_css_words_become_the_properties_of_a_design(project: Project) -> None:
    """Colours, radius and type are read from styles, whichever way their names are written."""
    bridge = _bridge()
    bridge["screens"][1]["children"] = [
        {
            "name": "Card",
            "bbox": [0, 0, 50, 50],
            "styles": {"background-color": "#2563eb", "borderRadius": "8px"},
            "children": [
                {
                    "name": "Label",
                    "type": "text",
                    "text": "Sign in",
                    "bbox": [0, 0, 20, 10],
                    "styles": {"color": "rgb(17, 24, 39)", "fontSize": 14, "fontWeight": "bold"},
                }
            ],
        }
    ]
    project.write(bridge)
    file = load_bridge(project.file, project=project.path)
    from pytest_pixelloop.core.node_style import radii_of, solid_fill, text_style
    from pytest_pixelloop.sources.bridge_file import screen_tree

    card = screen_tree(file.screen(), shown="x").children[0]
    label = card.children[0]
    assert str(solid_fill(card)) == "#2563eb"
    assert radii_of(card) == (8, 8, 8, 8)
    assert str(solid_fill(label)) == "#111827"
    assert text_style(label) == {"fontSize": 14, "fontWeight": 700}
