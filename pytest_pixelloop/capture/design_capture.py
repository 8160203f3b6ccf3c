"""Captures for designs: each in its own viewport and theme, with the options that hold for it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.capture.options import CaptureOptions
from pytest_pixelloop.capture.problems import is_gone
from pytest_pixelloop.capture.screenshot import capture_target
from pytest_pixelloop.capture.side_by_side import at_once, side_by_side
from pytest_pixelloop.capture.target import Kind, kind_of
from pytest_pixelloop.core.blank import is_one_colour
from pytest_pixelloop.core.design_clip import clip_design
from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.judged_regions import moved_into, sort_regions
from pytest_pixelloop.core.screenshot_words import read_target
from pytest_pixelloop.core.shown_texts import text_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.levels import RegionWish


@dataclass(frozen=True, slots=True, kw_only=True)
class Shooting:
    """One capture to be taken: for a design, with options and regions that hold, checked."""

    design: Design
    options: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[RegionWish, ...] = ()
    axe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A capture with the design it is to be compared with: cut as the capture is."""

    design: Design
    capture: Capture


def is_element(target: Any) -> bool:
    """Tell whether *target* is an element of a page, which has a viewport around it."""
    return kind_of(target) is Kind.LOCATOR


def capture_designs(
    target: Any,
    shootings: Sequence[Shooting],
    *,
    browser: Callable[[], Any],
) -> Iterator[Shot | Exception]:
    """Yield for each shooting, in order, its capture, or the error that it ended with.

    A URL is opened for several designs at a time, each in a context of its own. A given page is
    shown in one viewport after the other, and put back after each. *browser* gives a running
    browser for a URL.
    """
    kind = _attempt(partial(kind_of, target))
    if kind is not Kind.URL or len(shootings) == 1:
        for shooting in shootings:
            yield _attempt(partial(_take, target, shooting, browser))
        return
    for start in range(0, len(shootings), at_once()):
        yield from _together(target, shootings[start : start + at_once()], browser)


def _together(
    url: Any, shootings: Sequence[Shooting], browser: Callable[[], Any]
) -> Iterator[Shot | Exception]:
    running = _attempt(browser)
    if isinstance(running, Exception):
        yield from (running for _ in shootings)
        return
    # With a fixed browser: starting another one belongs to the caller's own stack.
    work = [partial(_take, url, shooting, lambda: running, again=False) for shooting in shootings]
    try:
        outcomes: Sequence[Shot | Exception] = side_by_side(running, work)
    except Exception as error:
        if not is_gone(error):
            raise
        outcomes = [error for _ in shootings]
    for shooting, outcome in zip(shootings, outcomes, strict=True):
        if isinstance(outcome, Exception) and is_gone(outcome.__cause__ or outcome):
            yield _attempt(partial(_take, url, shooting, browser))
        else:
            yield outcome


def _attempt(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - given back to whoever asked
        return error


def _take(
    target: Any, shooting: Shooting, browser: Callable[[], Any], *, again: bool = True
) -> Shot:
    kind = kind_of(target)
    design = shooting.design
    options = dict(shooting.options)
    _refuse_other_scale(design, options.pop("scale", "device"))
    clip = options.get("clip")
    part = design if clip is None else clip_design(design, clip)
    inside = clip if part is not design else None
    regions = sort_regions(shooting.regions, design)
    masks = (*design.mask, *options.pop("mask", ()), *regions.masks)
    capture = capture_target(
        target,
        frame=design.frame,
        scale=design.scale,
        options=CaptureOptions(
            **options,
            mask=tuple(moved_into(read_target(mask, where="mask"), inside) for mask in masks),
            regions=tuple(
                dataclasses.replace(wish, target=moved_into(wish.target, inside))
                for wish in regions.wishes
            ),
        ),
        browser=browser,
        viewport=design.viewport,
        theme=design.theme,
        viewport_size=design.surroundings if kind is Kind.LOCATOR else design.viewport_size,
        touch=design.touch,
        mobile=design.mobile,
        hook=design.hook,
        blank="accept" if is_one_colour(part.image) else "wait",
        again=again,
        axe=shooting.axe,
        texts=tuple(placed.box for placed in text_nodes(part)),
    )
    named = tuple(
        dataclasses.replace(region, boxes=tuple(moved_into(box, inside) for box in region.boxes))
        for region in regions.nodes
    )
    return Shot(
        design=part,
        capture=dataclasses.replace(capture, regions=(*named, *capture.regions)),
    )


def _refuse_other_scale(design: Design, scale: str) -> None:
    if scale == "css" and design.scale != 1:
        raise ConfigurationError(
            f'scale="css" gives 1 px per CSS px, and the design {design.label!r} has '
            f"{design.scale:g}",
            where="scale",
            expected='"device": as many as the design has',
            next_step="export the design at scale 1, or leave scale away",
        )
