"""What the command line and the ini file say about the viewports and themes that are compared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSettings:
    """Names and sizes as asked for; empty where nothing is said.

    Those of the ini file hold for designs that name no viewports or themes.
    """

    viewports: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    ini_viewports: tuple[str, ...] = ()
    ini_themes: tuple[str, ...] = ()

    def as_record(self) -> dict[str, list[str]]:
        """Return them as a goalpost: which comparisons there are depends on them."""
        return {
            "viewport": list(self.viewports),
            "theme": list(self.themes),
            "ini_viewport": list(self.ini_viewports),
            "ini_theme": list(self.ini_themes),
        }


def read_shown(
    *, flags: tuple[str | None, str | None], inis: tuple[str | None, str | None]
) -> ShownSettings:
    """Return the settings for (viewport, theme) on the command line and in the ini file.

    Raises ConfigurationError for what is no list of names or sizes.
    """
    from pytest_pixelloop.core.viewports import read_themes, read_viewports  # noqa: PLC0415

    return ShownSettings(
        viewports=read_viewports(flags[0], where="--viewport"),
        themes=read_themes(flags[1], where="--theme"),
        ini_viewports=read_viewports(inis[0], where="ini key pixelloop_viewport"),
        ini_themes=read_themes(inis[1], where="ini key pixelloop_theme"),
    )
