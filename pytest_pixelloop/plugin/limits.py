"""By which gate and which limits a comparison is judged, from every place that may say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.core.tolerance import Tolerance
    from pytest_pixelloop.plugin.options import Settings
    from pytest_pixelloop.plugin.wishes import Wishes


class Limits:
    """The limits of one test's comparisons. Call > marker > command line > manifest > ini."""

    def __init__(self, settings: Settings, marked: Wishes) -> None:
        self._settings = settings
        self._marked = marked

    def gate(self, design: Design | None, given: str | None) -> str | None:
        """Return the gate; None means by the kind of the design."""
        layers = (
            given,
            self._marked.gate,
            self._settings.gate,
            design.gate if design else None,
            self._settings.ini_gate,
        )
        return next((gate for gate in layers if gate is not None), None)

    def tolerance(
        self, design: Design | None, given: Mapping[str, float], *, gate: str | None = None
    ) -> Tolerance:
        """Return the limits of a comparison, each from the strongest place that gives it."""
        from pytest_pixelloop.core.tolerance import resolve_tolerance  # noqa: PLC0415

        return resolve_tolerance(
            call=given,
            marker=self._marked.tolerance,
            command_line=self._settings.tolerance,
            manifest=design.tolerance if design is not None else None,
            ini=self._settings.ini_tolerance,
            gate=gate,
        )
