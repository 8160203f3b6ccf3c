"""What one test asks of the channels beside the pixels: by call, marker, options and manifest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from pytest_pixelloop.checker import Channels
    from pytest_pixelloop.core.capture import Capture
    from pytest_pixelloop.core.design import Design
    from pytest_pixelloop.loop.vision import Vision, Witness
    from pytest_pixelloop.plugin.run import Run
    from pytest_pixelloop.plugin.wishes import Wishes


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a call asks for: expectations, words for the appearance channel, its allow list."""

    expect: Any = None
    appearance: str | Mapping[str, Any] | None = None
    allow: Sequence[str] = ()


NOTHING_ASKED = Asked()


def asked_of(options: Mapping[str, Any]) -> Asked:
    """Return what the keywords of a call ask for."""
    allow = options.get("allow") or ()
    return Asked(
        expect=options.get("expect"),
        appearance=options.get("appearance"),
        allow=(allow,) if isinstance(allow, str) else tuple(allow),
    )


class ChannelsOfTest:
    """Puts together what is asked of the captures of one test."""

    def __init__(self, item: pytest.Item, *, run: Run, marked: Wishes) -> None:
        self._item = item
        self._run = run
        self._marked = marked
        self._vision: Vision | None = None

    def of(self, design: Design | None, asked: Asked) -> Channels:
        """Return what is asked of a capture that is held against *design*.

        The words for the appearance channel: call > marker > command line > manifest > ini.
        Expectations and allow entries add up. ConfigurationError names the place of a wrong word.
        """
        from pytest_pixelloop.checker import channels_of  # noqa: PLC0415

        settings, marked = self._run.settings.channels, self._marked
        expect = [asked.expect] if isinstance(asked.expect, str | Mapping) else asked.expect or ()
        return channels_of(
            design,
            expect=[*expect, *marked.expect],
            appearance=(asked.appearance, *marked.appearance, settings.appearance),
            fallback=settings.ini_appearance,
            allow=[*asked.allow, *marked.allow, *settings.allow],
            outside=self._outside(),
            where="assert_matches_design",
        )

    def _outside(self) -> Vision:
        if self._vision is None:
            from pytest_pixelloop.core.vision import VisionBudget  # noqa: PLC0415
            from pytest_pixelloop.loop.vision import Vision  # noqa: PLC0415

            limits = self._run.settings.budget
            self._vision = Vision(
                self._run.vision_answers,
                self._witnesses(),
                budget=VisionBudget(max_cost_usd=limits.max_cost_usd, max_tokens=limits.max_tokens),
            )
        return self._vision

    def _witnesses(self) -> list[Witness]:
        from pytest_pixelloop.loop.vision import Witness, command_witness  # noqa: PLC0415
        from pytest_pixelloop.process.words import without_secrets  # noqa: PLC0415

        settings = self._run.settings
        witnesses: list[Witness] = []
        if settings.channels.vision_command is not None:
            witnesses.append(
                command_witness(
                    settings.channels.vision_words(root=settings.rootpath),
                    root=settings.rootpath,
                    environ=without_secrets(os.environ),
                    timeout=settings.channels.vision_timeout,
                )
            )
        hook = self._item.ihook.pytest_pixelloop_vision
        named = [str(impl.plugin_name) for impl in hook.get_hookimpls()]
        if named:
            identity = "\0".join(sorted(named))
            witnesses.append(Witness(name="hook", identity=identity, ask=self._ask_hook))
        return witnesses

    def _ask_hook(self, capture: Capture, _question: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            results = self._item.ihook.pytest_pixelloop_vision(capture=capture)
        except Exception as error:  # noqa: BLE001 - a hook of the user must not fail the test
            return {"problem": f"raised {type(error).__name__}: {error}"}
        return merged_answers([result for result in results if result is not None])


def merged_answers(results: Sequence[Any]) -> Mapping[str, Any]:
    """Return the answers of several hooks as one, or the problem that none answered."""
    if not results:
        return {"problem": "gave no answer"}
    whole: dict[str, Any] = {"findings": [], "tokens": 0, "cost_usd": 0.0}
    for result in results:
        part = result if isinstance(result, Mapping) else {"findings": result}
        try:
            whole["findings"] += list(part["findings"])
            whole["tokens"] += part.get("tokens", 0)
            whole["cost_usd"] += part.get("cost_usd", 0.0)
        except (KeyError, TypeError) as error:
            return {"problem": f"gave an answer that is none: {error}"}
    return {"answer": whole}
