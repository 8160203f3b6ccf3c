"""The words of the appearance channel: its checks, their priorities, and what a user may change.

P0 is what a release is stopped for: it fails the comparison. P1 and P2 are reported.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_pixelloop.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_pixelloop.core.dom import Element
    from pytest_pixelloop.core.geometry import Box


class Priority(StrEnum):
    """How bad it is; ``off`` is no priority but the wish not to look."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    OFF = "off"


#: Every check of this package, with its priority when nobody changes it.
CHECKS: Mapping[str, Priority] = MappingProxyType(
    {
        "blank": Priority.P0,
        "error-overlay": Priority.P0,
        "broken-image": Priority.P0,
        "broken-background": Priority.P1,
        "font-failed": Priority.P1,
        "font-fallback": Priority.P2,
        "text-clipped": Priority.P1,
        "text-overlap": Priority.P1,
        "horizontal-overflow": Priority.P1,
        "off-screen": Priority.P1,
        "contrast": Priority.P1,
        "touch-target": Priority.P1,
        "touch-target-44": Priority.P2,
        "page-error": Priority.P1,
        "console-error": Priority.P2,
        "failed-request": Priority.P1,
        "axe": Priority.P1,
        "vision": Priority.P1,
    }
)
MODES = ("gate", "report", "off")
VISION = "vision"
#: Severity of a finding by its priority. Only a gating one enters the score.
SEVERITY: Mapping[str, float] = MappingProxyType({"P0": 10.0, "P1": 4.0, "P2": 1.0})


@dataclass(frozen=True, slots=True, kw_only=True)
class AppearanceSettings:
    """How the channel is run: ``gate`` lets P0 fail, ``report`` lets nothing fail, ``off`` rests.

    ``mode`` "" is what nobody said: ``gate`` for designs, ``report`` for recorded snapshots, which
    hold a page against what it was and not against what it should be.
    ``priorities`` overrides CHECKS by name. ``allow`` are entries ``[check:]pattern``, the pattern
    found in a selector, a text, a message or a URL, ``*`` standing for anything.
    """

    mode: str = ""
    priorities: Mapping[str, Priority] = field(default_factory=dict)
    allow: tuple[str, ...] = ()

    def priority(self, check: str) -> Priority:
        """Return the priority of a check. axe never comes above P1 unless it is asked to."""
        return self.priorities.get(check, CHECKS.get(check, Priority.P1))

    def for_gate(self, gate: str) -> AppearanceSettings:
        """Return the settings with the mode decided for a gate profile."""
        if self.mode:
            return self
        return replace(self, mode="report" if gate == "snapshot" else "gate")

    def as_record(self) -> dict[str, Any]:
        """Return the settings as plain JSON: what the verdict is measured by."""
        return {
            "mode": self.mode,
            "priorities": {k: str(v) for k, v in sorted(self.priorities.items())},
            "allow": list(self.allow),
        }


DEFAULT_APPEARANCE = AppearanceSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing that a check found, before it becomes a finding.

    ``box`` is in CSS px of the picture, None where there is no place. ``priority`` None means the
    check's own. ``at`` is the place that an allow list may name beside selector and message.
    """

    check: str
    message: str
    box: Box | None = None
    element: Element | None = None
    expected: Any = None
    actual: Any = None
    delta: float | None = None
    unit: str | None = None
    at: str = ""
    priority: Priority | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    source: str | None = None


def parse_appearance(value: str | Mapping[str, Any] | None, *, where: str) -> AppearanceSettings:
    """Return the settings that ``"gate,contrast=P0,console-error=off"`` or a mapping asks for.

    A mapping has the checks as keys, and ``mode``. Raises ConfigurationError for unknown words.
    """
    mode: str | None = None
    priorities: dict[str, Priority] = {}
    for key, word in _pairs(value, where):
        if key == "mode":
            if word not in MODES:
                raise _unknown("mode of the appearance channel", word, MODES, where)
            mode = word
        elif key not in CHECKS:
            raise _unknown("check", key, CHECKS, where)
        elif word not in list(Priority):
            raise _unknown(f"priority of {key}", word, [str(p) for p in Priority], where)
        else:
            priorities[key] = Priority(word)
    return AppearanceSettings(mode=mode or "", priorities=priorities)


def merge_appearance(
    *layers: str | Mapping[str, Any] | None, allow: Iterable[str] = (), where: str
) -> AppearanceSettings:
    """Return the settings of several layers, the strongest first, check by check."""
    mode, priorities = None, dict[str, Priority]()
    for layer in layers:
        if layer is None:
            continue
        said = parse_appearance(layer, where=where)
        if mode is None and any(key == "mode" for key, _ in _pairs(layer, where)):
            mode = said.mode
        priorities = {**said.priorities, **priorities}
    entries = list(allow)
    for entry in entries:
        _allow_parts(entry, where)
    return AppearanceSettings(
        mode=mode or "", priorities=priorities, allow=tuple(dict.fromkeys(entries))
    )


def is_allowed(issue: Issue, allow: Sequence[str]) -> bool:
    """Tell whether an entry of the allow list names this issue."""
    texts = [issue.message, issue.at]
    if issue.element is not None:
        texts += [issue.element.selector, issue.element.text]
    for entry in allow:
        check, pattern = _allow_parts(entry, "the allow list")
        if check in {"*", issue.check} and any(
            fnmatch.fnmatchcase(text, f"*{pattern}*") for text in texts if text
        ):
            return True
    return False


def _allow_parts(entry: object, where: str) -> tuple[str, str]:
    """Return check and pattern of an entry; ``*`` is every check. ``[`` is no pattern sign."""
    if not isinstance(entry, str):
        raise ConfigurationError(
            f"the allow entry {entry!r} is no text",
            where=where,
            expected='"[check:] pattern", for example "contrast: .badge"',
        )
    check, colon, pattern = entry.partition(":")
    if not colon or (check.strip() not in CHECKS and check.strip() != "*"):
        check, pattern = "*", entry
    if not pattern.strip() or (pattern.strip() == "*" and check.strip() == "*"):
        raise ConfigurationError(
            f"the allow entry {entry!r} names nothing",
            where=where,
            expected='"[check:] pattern", for example "contrast: .badge"',
        )
    return check.strip(), pattern.strip().replace("[", "[[]")


def _pairs(value: str | Mapping[str, Any] | None, where: str) -> list[tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [(str(key), _word(word)) for key, word in value.items()]
    if not isinstance(value, str):
        raise ConfigurationError(
            f"appearance {value!r} is neither a text nor a mapping",
            where=where,
            expected='"gate", "report" or "off", then check=P0|P1|P2|off, joined by commas',
        )
    pairs: list[tuple[str, str]] = []
    for part in filter(None, (p.strip() for p in value.split(","))):
        key, equals, word = part.partition("=")
        pairs.append((key.strip(), word.strip()) if equals else ("mode", part))
    return pairs


def _word(value: Any) -> str:
    """Return a value as the word that was meant: YAML reads a bare ``off`` as false."""
    return "off" if value is False else str(value)


def _unknown(what: str, word: str, known: Iterable[str], where: str) -> ConfigurationError:
    names = [str(name) for name in known]
    close = difflib.get_close_matches(word, names, n=1)
    return ConfigurationError(
        f"unknown {what} {word!r}",
        where=where,
        expected="one of " + ", ".join(names),
        next_step=f"did you mean {close[0]!r}?" if close else "",
    )
