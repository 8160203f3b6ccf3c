"""From what a call, its markers, the command line and the manifest say to the captures to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_pixelloop.plugin.wishes import first_said, lenient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_pixelloop.capture.design_capture import Shooting
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.wishes import Wishes
    from pytest_pixelloop.sources.folder import PlannedComparison


def plan(
    settings: Settings, marked: Wishes, call: Wishes, *, target: Any = None
) -> tuple[PlannedComparison, ...]:
    """Return the comparisons that are asked for: call > marker > command line > manifest > ini.

    *target* is what will be captured, None where that is not known yet.
    """
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415
    from pytest_pixelloop.sources.folder import plan_comparisons  # noqa: PLC0415

    name = call.name or marked.name
    if name is None:
        raise ConfigurationError(
            "no design is named",
            expected='a name of the manifest: assert_matches_design(page, "checkout")',
            next_step='give the name in the call or in @pytest.mark.design("checkout")',
        )
    return plan_comparisons(
        settings.designs,
        name,
        viewport=first_said(call.viewports, marked.viewports, settings.shown.viewports) or None,
        theme=first_said(call.themes, marked.themes, settings.shown.themes) or None,
        otherwise=(settings.shown.ini_viewports, settings.shown.ini_themes),
        element=target is not None and _is_element(target),
    )


def _is_element(target: Any) -> bool:
    from pytest_pixelloop.capture.design_capture import is_element  # noqa: PLC0415

    return bool(lenient(lambda: is_element(target), otherwise=False))


def shooting_of(design: Design, marked: Wishes, call: Wishes) -> Shooting:
    """Return the capture to take for *design*: call > marker > manifest, masks and styles added."""
    from pytest_pixelloop.capture.design_capture import Shooting  # noqa: PLC0415
    from pytest_pixelloop.core.levels import lay_regions_over  # noqa: PLC0415
    from pytest_pixelloop.core.screenshot_words import lay_over  # noqa: PLC0415

    return Shooting(
        design=design,
        options=lay_over(design.screenshot, marked.screenshot, call.screenshot),
        regions=lay_regions_over(design.regions, marked.regions, call.regions),
    )


def conditions_of_page(wishes: Wishes) -> dict[str, Any]:
    """Return the conditions of a comparison that no design of the manifest has a say in."""
    from pytest_pixelloop.capture.conditions import told_conditions  # noqa: PLC0415

    return told_conditions(wishes.screenshot, wishes.regions)


def as_wishes(given: Mapping[str, Any], *, kind: type, where: str, root: Path) -> Wishes:
    """Return the keywords of a call, checked against the TypedDict *kind* that lists them."""
    from pytest_pixelloop.plugin.keywords import words_of  # noqa: PLC0415
    from pytest_pixelloop.plugin.wishes import read_wishes  # noqa: PLC0415

    return read_wishes(given, known=words_of(kind), where=where, root=root)
