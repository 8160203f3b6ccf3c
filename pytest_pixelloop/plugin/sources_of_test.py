"""The files that make a test what it is: its module, conftests, local plugins, the ini file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.plugin.goalposts import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from pytest_pixelloop.plugin.run import Run

#: Ini files in the order in which pytest takes the first, with what makes one of them count.
_OWN = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_SHARED = {"pyproject.toml": "[tool.pytest", "tox.ini": "[pytest]", "setup.cfg": "[tool:pytest]"}
_ORDER = (*_OWN, *_SHARED)


def sources_of(item: pytest.Item) -> tuple[Path, ...]:
    """Return the files whose every edit counts, those that are not there included.

    A conftest that does not exist counts too: one that appears may redefine the assertion. So do
    local plugins, argument files, and an ini file that would be taken before the one there is.
    """
    config = item.config
    root = config.rootpath
    folders = [f for f in item.path.parents if f == root or f.is_relative_to(root)]
    found = [item.path, *(folder / "conftest.py" for folder in folders)]
    if config.inipath is not None:
        found.append(config.inipath)
    found += _local_plugins(config)
    found += [
        (config.invocation_params.dir / argument[1:]).absolute()
        for argument in map(str, config.invocation_params.args)
        if argument.startswith("@")
    ]
    found += [path for path in _better_inis(item) if path.name in _OWN]
    return tuple(dict.fromkeys(found))


def _local_plugins(config: pytest.Config) -> Iterator[Path]:
    """Yield the files of the plugins, conftests among them, that the project itself brings."""
    for plugin in config.pluginmanager.get_plugins():
        file = getattr(plugin, "__file__", None)
        path = Path(file) if isinstance(file, str) else None
        if path is None or not path.is_relative_to(config.rootpath):
            continue
        if not {"site-packages", "dist-packages"} & set(path.parts):
            yield path


def _better_inis(item: pytest.Item) -> Iterator[Path]:
    """Yield the ini files, there or not, that pytest would take before the one it has taken."""
    taken = item.config.inipath
    for folder in dict.fromkeys((*item.path.parents, item.config.rootpath)):
        last = taken is not None and folder == taken.parent
        for name in _ORDER:
            if last and taken is not None and name == taken.name:
                return
            yield folder / name
        if last:
            return


def settings_beside(item: pytest.Item, *, digest: Callable[[Path], str]) -> dict[str, str]:
    """Return by name the hashes of what may change pytest by appearing, where no single file tells.

    Files that other tools share count by the part that is pytest's, and of the conftests that
    pytest looks for in folders called ``test*`` all together.
    """
    found = {}
    for path in _better_inis(item):
        marker = _SHARED.get(path.name)
        if marker is not None:
            found[_relative(path, item)] = _part(path, marker)
    start = {item.config.rootpath, item.config.invocation_params.dir}
    beside = {c for folder in start for c in folder.glob("test*/conftest.py")}
    whole = sorted((_relative(path, item), digest(path)) for path in beside)
    text = repr(whole).encode("utf-8", "surrogatepass")
    found["test*/conftest.py"] = hashlib.sha256(text).hexdigest() if whole else ABSENT
    return found


def goalposts_beside(item: pytest.Item, *, run: Run) -> dict[str, str]:
    """Return the goalposts of a looped test that no file of its own tells."""
    beside = settings_beside(item, digest=run.hashes.of)
    return {
        **{f"test:{name}": value for name, value in beside.items()},
        **run.judging_code.fingerprints(),
    }


def _part(path: Path, marker: str) -> str:
    """Return a hash of what a shared file says from pytest's first section on, absent without."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return ABSENT
    _, found, rest = text.partition(marker)
    if not found:
        return ABSENT
    return hashlib.sha256(rest.encode("utf-8", "surrogatepass")).hexdigest()


def _relative(path: Path, item: pytest.Item) -> str:
    try:
        return path.relative_to(item.config.rootpath).as_posix()
    except ValueError:
        return path.as_posix()
