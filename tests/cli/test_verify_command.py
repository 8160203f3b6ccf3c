"""``pixelloop verify`` and ``pixelloop diff``: exit codes, texts and files, without a browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pytest_pixelloop.cli.main import main
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def _page(*, button: tuple[int, int, int] = (37, 99, 235)) -> NDArray[np.uint8]:
    image = np.full((120, 200, 4), 255, dtype=np.uint8)
    image[20:60, 20:100, :3] = button
    image[80:84, 10:190, :3] = (17, 24, 39)
    return image


def _nodes() -> dict[str, Any]:
    def box(x: float, y: float, w: float, h: float) -> dict[str, float]:
        return {"x": x, "y": y, "width": w, "height": h}

    button = {
        "id": "1:2",
        "name": "button",
        "type": "RECTANGLE",
        "absoluteBoundingBox": box(120, 220, 80, 40),
        "fills": [{"type": "SOLID", "color": {"r": 0.145, "g": 0.388, "b": 0.922, "a": 1}}],
    }
    frame = {
        "id": "1:1",
        "name": "page",
        "type": "FRAME",
        "absoluteBoundingBox": box(100, 200, 200, 120),
        "fills": [{"type": "SOLID", "color": {"r": 1, "g": 1, "b": 1, "a": 1}}],
        "clipsContent": True,
        "children": [button],
    }
    return {"nodes": {"1:1": {"document": frame}}}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return a design, its nodes, the same picture, and one with a red button."""
    paths = {
        name: tmp_path / f"{name}.png" for name in ("design", "same", "red", "cut", "other_size")
    }
    write_png(paths["design"], _page())
    write_png(paths["same"], _page())
    write_png(paths["red"], _page(button=(220, 38, 38)))
    write_png(paths["other_size"], _page()[:110])
    paths["cut"].write_bytes(paths["design"].read_bytes()[:-30])
    paths["nodes"] = tmp_path / "nodes.json"
    paths["nodes"].write_text(json.dumps(_nodes()), encoding="utf-8")
    return paths


def _verify(files: dict[str, Path], actual: str, *words: str) -> int:
    design = ["--design", str(files["design"]), "--nodes", str(files["nodes"])]
    return main(["verify", *design, "--actual", str(files[actual]), *words])


@pytest.mark.parametrize("gate", ["pixel", "design"])
def test_equal_pictures_exit_0(
    files: dict[str, Path], gate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A picture that is the design is a pass: exit code 0, and the first line says so."""
    assert _verify(files, "same", "--gate", gate) == 0
    assert capsys.readouterr().out.startswith("1-1: pass")


@pytest.mark.parametrize("gate", ["pixel", "design"])
def test_a_difference_exits_1_and_names_the_node(
    files: dict[str, Path], gate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A red button is a fail: exit code 1, and the text names the design node."""
    assert _verify(files, "red", "--gate", gate) == 1
    out = capsys.readouterr().out
    assert out.startswith("1-1: fail")
    assert "button" in out


def test_a_cut_off_picture_exits_2(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A truncated PNG can prove nothing: undetermined, exit code 2, never a mismatch."""
    assert _verify(files, "cut") == 2
    out = capsys.readouterr().out
    assert "undetermined" in out
    assert "truncated" in out


def test_a_missing_design_exits_2(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A design that is not there is undetermined:figma-unreadable."""
    code = main(["verify", "--design", str(tmp_path / "no.png"), "--actual", str(files["same"])])
    assert code == 2
    assert "undetermined:figma-unreadable" in capsys.readouterr().out


def test_another_size_exits_1_with_both_sizes(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A picture of another size is a fail that names both sizes, and still has a diff picture."""
    out_dir = files["design"].parent / "out"
    assert _verify(files, "other_size", "--gate", "pixel", "--output", str(out_dir)) == 1
    text = capsys.readouterr().out
    assert "200x120" in text
    assert "200x110" in text
    assert (out_dir / "1-1.diff.png").is_file()


def test_a_mask_hides_what_it_covers_and_nothing_else(files: dict[str, Path]) -> None:
    """A mask over the button makes the red one pass; one beside it does not."""
    assert _verify(files, "red", "--gate", "pixel", "--mask", "20,20,80,40") == 0
    assert _verify(files, "red", "--gate", "pixel", "--mask", "20,20,70,40") == 1


def test_the_report_holds_the_contracts_keys(files: dict[str, Path]) -> None:
    """``--json`` writes the report with every key that callers branch on."""
    out = files["design"].parent / "deep" / "report.json"
    assert _verify(files, "red", "--gate", "pixel", "--json", str(out)) == 1
    report = json.loads(out.read_text("utf-8"))
    expected = {"schema_version", "label", "status", "gate", "score", "score_version"}
    expected |= {"confidence", "pixels", "size", "regions", "findings", "channels", "comparator"}
    expected |= {"environment", "durations"}
    assert expected <= set(report)
    assert report["comparator"]["name"]
    assert report["pixels"]["mismatch"] == 3200
    assert [r["node_id"] for r in report["regions"]] == ["1:2"]
    finding = report["findings"][0]
    assert finding["delta_id"] == "1-1/node:1:2"
    assert finding["box"] == [20, 20, 80, 40]
    assert finding["severity"] == pytest.approx(report["score"])
    assert finding["share"] == pytest.approx(1.0)


def test_noise_of_a_page_is_told_on_request(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """``--noise-captures`` tells how far the captures differ from each other, twice."""
    out = files["design"].parent / "report.json"
    words = ("--noise-captures", "3", "--json", str(out))
    assert _verify(files, "same", *words) == 0
    assert "noise floor 0.0 over 3 captures, which are equal" in capsys.readouterr().out
    noise = json.loads(out.read_text("utf-8"))["noise"]
    assert (noise["captures"], noise["floor"], noise["pixels"]) == (3, 0, 0)


def test_json_dash_prints_one_object(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """``--json -`` prints the report and nothing else."""
    assert _verify(files, "same", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["status"] == "pass"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["verify", "--actual", "a.png"], "say which design"),
        (["verify", "x", "--design", "a.png", "--actual", "b.png"], "say which design"),
        (["verify", "--design", "a.png"], "say what to judge"),
        (["verify", "--design", "a.png", "--actual", "b.png", "--url", "u"], "say what to judge"),
        (["verify", "--design", "a.png", "--node", "1:2", "--actual", "b.png"], "--nodes"),
        (["verify", "x", "--nodes", "n.json", "--actual", "b.png"], "--design"),
        (["verify", "--design", "a.png", "--actual", "b.png", "--mask", "1,2,3"], "mask"),
        (["verify", "--design", "a.png", "--actual", "b.png", "--mask", "0,0,0,4"], "mask"),
        (["verify", "--design", "a.png", "--actual", "b.png", "--tolerance", "pix=1"], "pix"),
        (["verify", "--design", "a.png", "--actual", "b.png", "--noise-captures", "0"], "captures"),
        (["verify", "nowhere", "--designs", "none", "--actual", "b.png"], "none"),
    ],
)
def test_wrong_words_exit_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words that cannot be meant are refused in words, exit code 2, no traceback."""
    assert main(words) == 2
    captured = capsys.readouterr()
    assert said in captured.err + captured.out
    assert "Traceback" not in captured.err + captured.out


def test_a_batch_answers_every_line_in_order(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each request line gets its report line; a bad line is answered and stops nothing."""
    requests: list[object] = [
        {"id": "same", "actual": str(files["same"])},
        {"id": "red", "actual": str(files["red"]), "gate": "pixel"},
        {"id": "masked", "actual": str(files["red"]), "gate": "pixel", "mask": ["20,20,80,40"]},
        {"id": "masked2", "actual": str(files["red"]), "gate": "pixel", "mask": [[20, 20, 80, 40]]},
        {"id": "cut", "actual": str(files["cut"])},
        {"id": "typo", "actuall": str(files["same"])},
        ["no", "object"],
        {"id": "tolerant", "actual": str(files["same"]), "tolerance": {"pixel": 1}},
    ]
    batch = tmp_path / "batch.jsonl"
    batch.write_text("\n".join([*map(json.dumps, requests), "not json", ""]), encoding="utf-8")
    design = ["--design", str(files["design"]), "--nodes", str(files["nodes"])]
    assert main(["verify", *design, "--batch", str(batch)]) == 2
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(a.get("id"), a["status"].split(":")[0]) for a in answers] == [
        ("same", "pass"),
        ("red", "fail"),
        ("masked", "pass"),
        ("masked2", "pass"),
        ("cut", "undetermined"),
        ("typo", "undetermined"),
        (None, "undetermined"),
        ("tolerant", "pass"),
        (None, "undetermined"),
    ]
    assert "actuall" in answers[5]["problem"]


def test_a_batch_never_answers_from_an_overwritten_design(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A design file that changed between two requests is read again."""
    del capsys
    from pytest_pixelloop.cli.request import Request
    from pytest_pixelloop.cli.request_runner import RequestRunner

    request = Request(design=files["design"], actual=files["red"], gate="pixel")
    with RequestRunner() as runner:
        assert runner.report(request).status == "fail"
        write_png(files["design"], _page(button=(220, 38, 38)))
        assert runner.report(request).status == "pass"
    assert tmp_path.is_dir()


def test_an_empty_batch_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A batch without a single request is no success."""
    (tmp_path / "empty.jsonl").write_text("\n\n", encoding="utf-8")
    assert main(["verify", "--batch", str(tmp_path / "empty.jsonl")]) == 2
    assert "no request" in capsys.readouterr().err


def test_diff_compares_two_files(files: dict[str, Path]) -> None:
    """``pixelloop diff`` exits 0 for equal pictures, 1 for different ones, 2 for a broken one."""
    assert main(["diff", str(files["design"]), str(files["same"])]) == 0
    assert main(["diff", str(files["design"]), str(files["red"])]) == 1
    assert main(["diff", str(files["design"]), str(files["cut"])]) == 2


def test_a_blank_capture_is_no_page(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A picture of one colour against a design of several is undetermined:blank-capture."""
    blank = tmp_path / "blank.png"
    write_png(blank, np.full((120, 200, 4), 255, dtype=np.uint8))
    files["blank"] = blank
    assert _verify(files, "blank") == 2
    assert "undetermined:blank-capture" in capsys.readouterr().out
