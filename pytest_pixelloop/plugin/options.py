"""The command line and the ini file as one frozen value.

``option_table.py`` makes each option, its ini key and its help. Values stay plain strings and
numbers, because pytest-xdist copies them to its workers. Precedence: command line > ini > default.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_pixelloop.core.budget import BudgetLimits
from pytest_pixelloop.core.snapshot_place import DEFAULT_TEMPLATE, check_template
from pytest_pixelloop.plugin.channel_settings import ChannelSettings
from pytest_pixelloop.plugin.option_table import OPTIONS, Option
from pytest_pixelloop.plugin.shown_settings import ShownSettings, read_shown
from pytest_pixelloop.plugin.target_settings import TargetSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_pixelloop.core.tolerance import IterationCap

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user asked for, checked. Paths are absolute.

    ``told_fixer`` is the option or ini key that says who fixes, None where none does.
    """

    loop: bool
    cap: IterationCap
    tolerance: Mapping[str, float]
    ini_tolerance: Mapping[str, float]
    mode: str
    fix_command: str | None
    fix_timeout: float
    fix_wait: float | None
    fix_confirm: bool
    told_fixer: str | None
    budget: BudgetLimits
    patch_gate: str
    run_id: str | None
    shard: tuple[int, int] | None
    iterations_per_run: int | None
    noise_captures: int | None
    gate: str | None
    ini_gate: str | None
    designs: Path
    run_root: Path
    browser: str | None
    conditional_passes: bool
    overfit_probes: bool
    update: str | None
    snapshot_path: str
    sources: tuple[str, ...]
    rootpath: Path
    target: TargetSettings
    channels: ChannelSettings
    shown: ShownSettings

    @property
    def has_fixer(self) -> bool:
        """Whether something edits the sources between two measurements."""
        return self.loop and self.told_fixer is not None

    def relative(self, path: Path | str) -> str:
        """Return *path* relative to rootdir where possible: what people read and type."""
        try:
            return Path(path).relative_to(self.rootpath).as_posix()
        except ValueError:
            return str(path)


def add_options(parser: pytest.Parser) -> None:
    """Register every option and ini key of the table.

    Where another plugin already owns a short name such as ``--mode``, ours is registered as
    ``--pixelloop-mode`` instead: both plugins stay usable.
    """
    group = parser.getgroup("pixelloop", "is the page the design? (pytest-pixelloop)")
    for option in OPTIONS:
        if option.ini is not None:
            parser.addini(
                option.dest,
                option.help,
                type=option.ini,
                default=None if option.ini == "string" else [],
            )
        if option.flag is None:
            continue
        attributes: dict[str, Any] = {"dest": option.dest, "help": option.help, "default": None}
        if option.switch:
            attributes |= {"action": "store_true", "default": False}
        else:
            attributes["metavar"] = option.metavar
        try:
            group.addoption(option.flag, **attributes)
        except (ValueError, argparse.ArgumentError):
            group.addoption("--pixelloop-" + option.name.replace("_", "-"), **attributes)


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings of this session; ``pytest.UsageError`` names a wrong one.

    Only the iteration cap never stops the session: what is not a number from 1 to 99 becomes the
    default, and the cap's notes say so.
    """
    from pytest_pixelloop.core.tolerance import resolve_cap, split_cap_alias  # noqa: PLC0415

    flag_tolerance, alias = split_cap_alias(_flag(config, "tolerance") or "")
    ini_tolerance, ini_alias = split_cap_alias(_ini(config, "tolerance") or "")
    root = config.rootpath
    told_fixer, fixer = _told_fixer(config)
    return Settings(
        loop=bool(config.getoption("pixelloop_loop")),
        cap=resolve_cap(
            flag=_flag(config, "iteration_cap"),
            alias=alias,
            ini=_ini(config, "iteration_cap") or ini_alias,
        ),
        tolerance=_tolerance(flag_tolerance, where="--tolerance"),
        ini_tolerance=_tolerance(ini_tolerance, where="ini key pixelloop_tolerance"),
        mode=_choice(config, "mode") or "repair",
        fix_command=_text(config, "fix_command") if fixer == "fix_command" else None,
        fix_wait=_seconds(config, "fix_wait") if fixer == "fix_wait" else None,
        fix_confirm=bool(config.getoption("pixelloop_fix_confirm")),
        told_fixer=told_fixer,
        fix_timeout=_seconds(config, "fix_timeout"),
        budget=BudgetLimits(
            max_minutes=_amount(config, "max_minutes"),
            max_cost_usd=_amount(config, "max_cost_usd"),
            max_tokens=_count(config, "max_tokens"),
        ),
        patch_gate=_choice(config, "patch_gate") or "warn",
        run_id=_run_id(config),
        shard=_shard(config),
        iterations_per_run=_count(config, "iterations_per_run"),
        noise_captures=_count(config, "noise_captures"),
        gate=_one_of(_option("gate"), _flag(config, "gate"), where="--pixelloop-gate"),
        ini_gate=_one_of(_option("gate"), _ini(config, "gate"), where="ini key pixelloop_gate"),
        designs=root / (_text(config, "designs") or "designs"),
        run_root=root / (_text(config, "dir") or ".pixelloop"),
        browser=_text(config, "browser"),
        conditional_passes=_choice(config, "conditional") == "pass",
        overfit_probes=_switched(config, "overfit_probes"),
        update=_choice(config, "update"),
        snapshot_path=_snapshot_path(config),
        sources=tuple(config.getini("pixelloop_sources")),
        rootpath=root,
        shown=usage_error(
            lambda: read_shown(
                flags=(_flag(config, "viewport"), _flag(config, "theme")),
                inis=(_ini(config, "viewport"), _ini(config, "theme")),
            )
        ),
        target=TargetSettings(
            serve_command=_text(config, "serve_command"),
            serve_url=_text(config, "serve_url"),
            serve_timeout=_seconds(config, "serve_timeout"),
            serve_reuse=bool(config.getoption("pixelloop_serve_reuse")),
            capture_command=_text(config, "capture_command"),
            capture_timeout=_seconds(config, "capture_timeout"),
            capture_reload=tuple(config.getini("pixelloop_capture_reload")),
        ),
        channels=ChannelSettings(
            appearance=_flag(config, "appearance"),
            ini_appearance=_ini(config, "appearance"),
            allow=tuple(config.getini("pixelloop_appearance_allow")),
            vision_command=_text(config, "vision_command"),
            vision_timeout=_seconds(config, "vision_timeout"),
        ),
    )


def _option(name: str) -> Option:
    return next(option for option in OPTIONS if option.name == name)


def _flag(config: pytest.Config, name: str) -> str | None:
    value = config.getoption(f"pixelloop_{name}", None)
    return None if value is None else str(value)


def _ini(config: pytest.Config, name: str) -> str | None:
    value = config.getini(f"pixelloop_{name}")
    return None if value is None or value == "" else str(value)


def _given(config: pytest.Config, name: str) -> tuple[str | None, str]:
    """Return the value that holds, None for none, and where it was written."""
    option = _option(name)
    if option.flag is not None and (value := _flag(config, name)) is not None:
        return value, option.flag
    if option.ini is not None and (value := _ini(config, name)) is not None:
        return value, f"ini key {option.dest}"
    return None, "default"


def _switched(config: pytest.Config, name: str) -> bool:
    """Return whether a switch is on, by its flag or its ini key."""
    if config.getoption(f"pixelloop_{name}"):
        return True
    told = (_ini(config, name) or "off").strip().lower()
    if told not in {"on", "off"}:
        raise pytest.UsageError(f"ini key pixelloop_{name}: {told!r} is neither on nor off")
    return told == "on"


def _told_fixer(config: pytest.Config) -> tuple[str | None, str | None]:
    """Return the option or ini key that says who fixes, and which of the two kinds it is.

    One kind on the command line replaces another in the ini file; two in one place are an error.
    """
    kinds = ("fix_command", "fix_wait")
    for read, place in ((_flag, "the command line"), (_ini, "the ini file")):
        given = [_option(kind) for kind in kinds if read(config, kind) is not None]
        names = [o.flag if read is _flag else f"ini key {o.dest}" for o in given]
        if len(given) > 1:
            raise pytest.UsageError(
                f"two kinds of fixers at once: {' and '.join(map(str, names))} stand in {place}; "
                "give one of them"
            )
        if given:
            return names[0], given[0].name
    return None, None


def _text(config: pytest.Config, name: str) -> str | None:
    value, where = _given(config, name)
    if value is not None and not value.strip():
        raise pytest.UsageError(f"{where} is empty")
    return value


def _choice(config: pytest.Config, name: str) -> str | None:
    value, where = _given(config, name)
    return _one_of(_option(name), value, where=where)


def _one_of(option: Option, value: str | None, *, where: str) -> str | None:
    if value is not None and value not in option.choices:
        raise pytest.UsageError(f"{where}: {value!r} is not one of {', '.join(option.choices)}")
    return value


def _tolerance(text: str, *, where: str) -> Mapping[str, float]:
    from pytest_pixelloop.core.tolerance import parse_tolerance  # noqa: PLC0415

    return usage_error(lambda: parse_tolerance(text, where=where))


def _seconds(config: pytest.Config, name: str) -> float:
    value, where = _given(config, name)
    try:
        seconds = float(value or _option(name).default)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise pytest.UsageError(f"{where}: {value!r} is not a number of seconds above 0")
    return seconds


def _amount(config: pytest.Config, name: str) -> float | None:
    value, where = _given(config, name)
    if value is None:
        return None
    try:
        amount = float(value)
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount > 0):
        raise pytest.UsageError(f"{where}: {value!r} is not a number above 0")
    return amount


def _count(config: pytest.Config, name: str) -> int | None:
    value, where = _given(config, name)
    if value is None:
        return None
    if not (value.strip().isascii() and value.strip().isdigit() and int(value) >= 1):
        raise pytest.UsageError(f"{where}: {value!r} is not a whole number of 1 or more")
    return int(value)


def _run_id(config: pytest.Config) -> str | None:
    value = _text(config, "run_id")
    if value is None:
        return None
    from pytest_pixelloop.store.run_directory import check_run_id  # noqa: PLC0415

    usage_error(lambda: check_run_id(value))
    return value


def _shard(config: pytest.Config) -> tuple[int, int] | None:
    value = _text(config, "shard")
    if value is None:
        return None
    from pytest_pixelloop.store.collection_file import read_shard  # noqa: PLC0415

    return usage_error(lambda: read_shard(value, where="--pixelloop-shard"))


def _snapshot_path(config: pytest.Config) -> str:
    value = _text(config, "snapshot_path")
    if value is None:
        return DEFAULT_TEMPLATE

    return usage_error(lambda: check_template(value))


def usage_error(read: Callable[[], _T]) -> _T:
    """Return what *read* gives; a ConfigurationError becomes pytest's own usage error."""
    from pytest_pixelloop.core.errors import ConfigurationError  # noqa: PLC0415

    try:
        return read()
    except ConfigurationError as error:
        raise pytest.UsageError(str(error)) from None
