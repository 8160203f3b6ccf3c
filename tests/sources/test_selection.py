"""Which comparisons are planned for the viewports and themes that a test asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pytest_pixelloop.core.errors import ConfigurationError, DesignUnreadableError
from pytest_pixelloop.sources.folder import load_design, plan_comparisons
from pytest_pixelloop.sources.manifest import load_manifest
from pytest_pixelloop.store.images import write_png

if TYPE_CHECKING:
    from pathlib import Path

TWO = """\
  checkout:
    viewports:
      desktop: {image: wide.png}
      mobile: {image: narrow.png, width: 390}
"""
BARE = "  home: {image: wide.png}\n"


@pytest.fixture
def designs(tmp_path: Path) -> Path:
    """Give a designs folder with a picture 1440 px wide and one of 390 px."""
    folder = tmp_path / "designs"
    folder.mkdir()
    for name, size in (("wide", (1024, 1440)), ("narrow", (700, 390)), ("button", (40, 120))):
        write_png(folder / f"{name}.png", np.full((*size, 4), 255, np.uint8))
    return folder


def write(folder: Path, designs: str, before: str = "") -> Path:
    """Write the manifest and return its folder."""
    (folder / "designs.yaml").write_text(f"schema_version: 1\n{before}designs:\n{designs}", "utf-8")
    return folder


def test_viewports_come_in_the_order_they_are_asked_for(designs: Path) -> None:
    """A list, a text with commas and a size that the design calls otherwise all choose."""
    write(designs, TWO)
    for asked in ("mobile,desktop", ["mobile", "desktop"], ("390x844", "desktop")):
        planned = plan_comparisons(designs, "checkout", viewport=asked)
        assert [p.label for p in planned] == ["checkout__mobile", "checkout__desktop"]
    assert [p.viewport for p in plan_comparisons(designs, "checkout")] == ["desktop", "mobile"]


def test_a_viewport_that_a_design_has_not_is_planned_and_refused(designs: Path) -> None:
    """It keeps its own label and says which viewports there are; the others are not touched."""
    write(designs, TWO)
    planned = plan_comparisons(designs, "checkout", viewport="mobile,tablet,1280x720")
    assert [p.label for p in planned] == [
        "checkout__mobile",
        "checkout__tablet",
        "checkout__1280x720",
    ]
    assert load_design(planned[0]).viewport == "mobile"
    for item in planned[1:]:
        with pytest.raises(DesignUnreadableError) as caught:
            load_design(item)
        assert f'at viewport "{item.viewport}"' in str(caught.value)
        assert "the manifest names desktop, mobile for it" in str(caught.value)


def test_a_frame_alone_is_that_of_the_viewport_of_its_width(designs: Path) -> None:
    """A design without viewports is compared at the asked ones of its width, and refused else."""
    write(designs, BARE)
    planned = plan_comparisons(designs, "home", viewport="desktop,mobile,1440x900")
    assert [p.label for p in planned] == ["home__desktop", "home__mobile", "home__1440x900"]
    desktop, exact = load_design(planned[0]), load_design(planned[2])
    assert (desktop.viewport, desktop.viewport_size) == ("desktop", (1440, 1024))
    assert (exact.viewport_size, exact.touch) == ((1440, 900), None)
    assert (desktop.touch, desktop.mobile) == (False, False)
    with pytest.raises(DesignUnreadableError, match="its frame is 1440 px wide, not 390"):
        load_design(planned[1])


def test_without_a_wish_a_frame_alone_keeps_its_label(designs: Path) -> None:
    """Nothing asked for: one comparison, under the design's own name, as large as the frame."""
    write(designs, BARE)
    (planned,) = plan_comparisons(designs, "home")
    assert (planned.label, load_design(planned).viewport_size) == ("home", None)


def test_an_elements_design_is_compared_at_every_viewport(designs: Path) -> None:
    """The viewport is what is around an element; its design has no width to compare it with."""
    write(designs, "  button: {image: button.png}\n")
    planned = plan_comparisons(designs, "button", viewport="desktop,390x600", element=True)
    loaded = [load_design(item) for item in planned]
    assert [(d.label, d.surroundings) for d in loaded] == [
        ("button__desktop", (1440, 900)),
        ("button__390x600", (390, 600)),
    ]


def test_viewports_for_all_designs_stand_at_the_top(designs: Path) -> None:
    """A shared viewport has a size and a device; a design's own keys win over it."""
    write(
        designs,
        BARE + "  small: {viewports: {kiosk: {image: narrow.png, height: 1000}}}\n",
        before="viewports: {kiosk: {width: 1440, height: 500, touch: true}}\n",
    )
    home = load_design(plan_comparisons(designs, "home", viewport="kiosk")[0])
    assert (home.viewport_size, home.touch, home.mobile) == ((1440, 500), True, None)
    small = load_design(plan_comparisons(designs, "small")[0])
    assert (small.viewport_size, small.touch) == ((1440, 1000), True)


def test_phones_and_tablets_have_touch_unless_the_manifest_says_otherwise(designs: Path) -> None:
    """The names tablet and mobile stand for a device, also where the design has the frame."""
    write(
        designs,
        "  a: {viewports: {mobile: {image: narrow.png}, desktop: {image: wide.png}}}\n"
        "  b: {viewports: {mobile: {image: narrow.png, touch: false}}}\n",
    )
    loaded = [load_design(p) for p in plan_comparisons(designs, "a")]
    assert [(d.touch, d.mobile) for d in loaded] == [(True, True), (False, False)]
    assert loaded[0].viewport_size is None, "the frame decides the size"
    (own,) = (load_design(p) for p in plan_comparisons(designs, "b"))
    assert (own.touch, own.mobile) == (False, True)


def test_viewports_of_the_ini_file_are_for_designs_that_name_none(designs: Path) -> None:
    """The manifest is closer than the ini file."""
    write(designs, TWO + BARE)
    ini = (("1440x900",), ())
    assert [p.label for p in plan_comparisons(designs, "home", otherwise=ini)] == ["home__1440x900"]
    assert len(plan_comparisons(designs, "checkout", otherwise=ini)) == 2


def test_a_theme_that_a_design_has_not_is_planned_and_refused(designs: Path) -> None:
    """A picture belongs to the theme it was drawn in: a design that names none has none."""
    write(designs, BARE + "  two: {themes: {light: {image: wide.png}}}\n")
    (planned,) = plan_comparisons(designs, "home", theme="dark")
    with pytest.raises(DesignUnreadableError, match="names no themes for it"):
        load_design(planned)
    light, dark = plan_comparisons(designs, "two", theme="light,dark")
    assert (light.label, dark.label) == ("two__light", "two__dark")
    with pytest.raises(DesignUnreadableError, match="names light for it"):
        load_design(dark)


def test_theme_hooks_know_their_siblings(designs: Path) -> None:
    """What only another theme sets is known to each: it has to be gone from the page."""
    write(
        designs,
        "  home:\n    themes:\n      light: {image: wide.png}\n"
        "      dark: {image: wide.png, class: dark night, selector: body}\n"
        "      sepia: {image: wide.png, color_scheme: light, attribute: {data-theme: sepia}}\n",
        before="themes:\n  contrast: {local_storage: {contrast: 1}}\n",
    )
    light, dark, sepia = (load_design(p).hook for p in plan_comparisons(designs, "home"))
    assert light is not None
    assert dark is not None
    assert sepia is not None
    assert (light.color_scheme, light.classes) == ("light", ())
    assert light.other_classes == ("dark", "night")
    assert light.other_attributes == (("data-theme", "sepia"),)
    assert light.other_local == (("contrast", "1"),)
    assert (dark.color_scheme, dark.selector, dark.other_classes) == ("dark", "body", ())
    assert (sepia.color_scheme, dict(sepia.attributes)) == ("light", {"data-theme": "sepia"})


def test_a_shared_theme_switches_a_design_that_only_names_it(designs: Path) -> None:
    """How a theme is switched on stands once at the top; a design's own hook replaces it."""
    write(
        designs,
        "  a: {themes: {dark: {image: wide.png}}}\n"
        "  b: {themes: {dark: {image: wide.png, session_storage: {t: d}}}}\n",
        before="themes: {dark: {attribute: {data-theme: dark}}}\n",
    )
    shared = load_design(plan_comparisons(designs, "a")[0]).hook
    own = load_design(plan_comparisons(designs, "b")[0]).hook
    assert shared is not None
    assert own is not None
    assert dict(shared.attributes) == {"data-theme": "dark"}
    assert (dict(own.attributes), dict(own.session_storage)) == ({}, {"t": "d"})


def test_screenshot_options_and_regions_are_read(designs: Path) -> None:
    """Defaults and the design's own are laid over each other; style files are absolute."""
    write(
        designs,
        "  home:\n    image: wide.png\n    mask: ['.ad', [0, 0, 20, 10]]\n"
        "    screenshot: {hide: .b, full_page: false, style_path: extra.css, timeout: 8000,\n"
        "      clip: {x: 0, y: 0, width: 5, height: 6}}\n"
        "    regions: {.price: data, '12:3': layout}\n",
        before="defaults: {screenshot: {hide: [.a], full_page: true, caret: initial},"
        " regions: {.price: text}}\n",
    )
    entry = load_manifest(designs / "designs.yaml").designs["home"]
    shot = dict(entry.screenshot)
    assert (shot["hide"], shot["full_page"], shot["caret"]) == ((".a", ".b"), False, "initial")
    assert (shot["timeout"], shot["style_path"]) == (8.0, (designs / "extra.css",))
    assert shot["clip"].as_list() == [0, 0, 5, 6]
    assert entry.mask == (".ad", "0,0,20,10")
    assert [(r.words, str(r.level)) for r in entry.regions] == [
        (".price", "data"),
        ("12:3", "layout"),
    ]


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("screenshot: {hid: .a}", "unknown key 'hid'(?s:.*)mean \"hide\""),
        ("screenshot: {timeout: 5}", "milliseconds(?s:.*)write 5000"),
        ("screenshot: {caret: none}", "one of hide, initial"),
        ("screenshot: {clip: [1, 2]}", "is no clip"),
        ("screenshot: {style_path: ../../x.css}", "leads out of the project"),
        ("mask: ['60,200']", "is no mask"),
        ("mask: [[1, 2]]", "expected: a text"),
        ("regions: {.a: loose}", "unknown matching level 'loose'(?s:.*)strict, layout"),
        ("themes: {dark: {color_scheme: night}}", "one of light, dark, no-preference"),
        ("themes: {dark: {attribute: [x]}}", "a mapping"),
        ("viewports: {mobile: {touch: 1}}", "true or false"),
    ],
)
def test_a_mistake_names_its_line(designs: Path, written: str, what: str) -> None:
    """Everything that a key cannot mean is refused where it stands."""
    write(designs, f"  home:\n    image: wide.png\n    {written}\n")
    with pytest.raises(ConfigurationError, match=what) as caught:
        load_manifest(designs / "designs.yaml")
    assert "designs/designs.yaml:5" in str(caught.value)


def test_a_shared_viewport_needs_a_size(designs: Path) -> None:
    """One that is not built in has to say how large it is."""
    write(designs, BARE, before="viewports: {kiosk: {width: 3}}\n")
    with pytest.raises(ConfigurationError, match="has no size"):
        load_manifest(designs / "designs.yaml")
