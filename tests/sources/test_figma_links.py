"""Figma links: every form that people paste, and a clear word for what is none."""

from __future__ import annotations

import pytest

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.sources.figma.links import FigmaLink, parse_link
from pytest_pixelloop.sources.manifest import load_manifest

KEY = "AbCdEfGhIjKlMnOpQrStUv"
BRANCH = "BrAnCh0123456789abcdef"
LINKS = {
    f"https://www.figma.com/design/{KEY}/Shop?node-id=12-340": "12:340",
    f"https://www.figma.com/design/{KEY}/Shop?node-id=12-340&m=dev&t=abc-1": "12:340",
    f"https://www.figma.com/design/{KEY}/Shop?m=dev&node-id=12%3A340#frag": "12:340",
    f"https://www.figma.com/file/{KEY}/Shop?type=design&node-id=12%3A340&mode=dev": "12:340",
    f"https://www.figma.com/file/{KEY}?node-id=12:340": "12:340",
    f"https://figma.com/proto/{KEY}/Shop?node-id=12-340&starting-point-node-id=1%3A1": "12:340",
    f"https://www.figma.com/proto/{KEY}/Shop?starting-point-node-id=12%3A340": "12:340",
    f"https://embed.figma.com/design/{KEY}/Shop?node-id=12-340&embed-host=share": "12:340",
    f"https://acme.figma.com/design/{KEY}/Caf%C3%A9%20%E2%9C%93?node-id=12-340": "12:340",
    f"www.figma.com/design/{KEY}/Shop?node-id=12-340": "12:340",
    f"http://www.figma.com/design/{KEY}/Shop?node-id=12-340": "12:340",
    f"https://www.figma-gov.com/design/{KEY}/Shop?node-id=12-340": "12:340",
    f"https://www.figma.com/design/{KEY}/Shop?node-id=I12-3%3B4-5": "I12:3;4:5",
    f"https://www.figma.com/design/{KEY}/Shop?node-id=I226%3A4164%3B204%3A3756%3B204%3A3535": (
        "I226:4164;204:3756;204:3535"
    ),
    f"https://www.figma.com/embed?embed_host=x&url=https%3A%2F%2Fwww.figma.com%2Fdesign%2F{KEY}"
    "%2FShop%3Fnode-id%3D12-340": "12:340",
    f"https://www.figma.com/design/{KEY}/Shop": None,
    f"https://www.figma.com/design/{KEY}": None,
}


@pytest.mark.parametrize("text", LINKS)
def test_a_link_names_file_and_node(text: str) -> None:
    """Key and canonical node id come out of every form."""
    assert parse_link(text) == FigmaLink(key=KEY, node=LINKS[text])


@pytest.mark.parametrize("kind", ["design", "file"])
def test_a_branch_is_a_file_of_its_own(kind: str) -> None:
    """Of a branch link the branch's key counts."""
    text = f"https://www.figma.com/{kind}/{KEY}/branch/{BRANCH}/Shop?node-id=1-2"
    assert parse_link(text) == FigmaLink(key=BRANCH, node="1:2", branch=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"https://www.figma.com/board/{KEY}/x?node-id=1-2", "a FigJam board"),
        (f"https://www.figma.com/slides/{KEY}/x", "a Figma Slides deck"),
        (f"https://www.figma.com/deck/{KEY}/x", "a Figma Slides deck"),
        (f"https://www.figma.com/make/{KEY}/x", "a Figma Make file"),
        (f"https://www.figma.com/site/{KEY}/x", "a Figma Sites file"),
        ("https://www.figma.com/community/file/123456", "a Community page"),
        ("https://www.figma.com/files/recent", "names no design file"),
        ("https://www.figma.com/", "names no design file"),
        (f"https://www.figma.com/design/{KEY[:5]}..%2f/x", "names no design file"),
        (f"https://www.figma.com/design/{KEY}/branch", "a branch without its key"),
        (f"https://www.figma.com/design/{KEY}/x?node-id=abc", "which is none"),
        (f"https://notfigma.com/design/{KEY}/x", "is no Figma link"),
        (f"https://figma.com.evil.test/design/{KEY}/x", "is no Figma link"),
        (f"https://figma.com@evil.test/design/{KEY}/x", "is no Figma link"),
        (f"file:///design/{KEY}", "is no Figma link"),
        ("checkout.png", "is no Figma link"),
        ("", "is no Figma link"),
    ],
)
def test_what_is_no_design_link_is_named(text: str, words: str) -> None:
    """Boards, slides, other hosts and broken links are refused with what they are."""
    with pytest.raises(ConfigurationError, match=words):
        parse_link(text)


def test_a_wrong_link_in_the_manifest_has_its_line(tmp_path: object) -> None:
    """The manifest is refused at the line of the link, of a design and of a viewport."""
    from pathlib import Path

    path = Path(str(tmp_path)) / "designs.yaml"
    path.write_text("schema_version: 1\ndesigns:\n  a: {figma: nonsense}\n", "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_manifest(path)
    assert caught.value.where.endswith("designs.yaml:3")
    path.write_text(
        f"schema_version: 1\ndesigns:\n  a:\n    figma: https://www.figma.com/design/{KEY}/x\n"
        f"    viewports:\n      m: {{figma: 'https://www.figma.com/board/{KEY}/x'}}\n",
        "utf-8",
    )
    with pytest.raises(ConfigurationError) as caught:
        load_manifest(path)
    assert caught.value.where.endswith("designs.yaml:6")
