"""The layers of the package: imports point down only, heavy third parties stay in their rooms."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pytest_pixelloop

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(pytest_pixelloop.__file__).parent
RANKS = {
    "core": 0,
    "store": 1,
    "process": 1,
    "sources": 2,
    "capture": 2,
    "loop": 2,
    "report": 2,
    "checker": 3,
    "session": 3,
    "cli": 4,
    "plugin": 4,
}
#: A room's name, or a file's stem where only one file may import the package.
ROOMS = {
    "playwright": {"capture"},
    "pytest": {"plugin"},
    "_pytest": {"plugin"},
    "pluggy": {"plugin"},
    "jinja2": {"report"},
    "yaml": {"sources", "store", "report"},
    "PIL": {"store", "capture"},
    "cv2": {"core", "store"},
    "numpy": {"core", "store", "sources", "capture", "checker"},
    "watchfiles": {"loop"},
    "httpx": {"sources"},
    "requests": {"sources"},
}
PURE_BANNED = {
    "os",
    "pathlib",
    "io",
    "time",
    "subprocess",
    "socket",
    "random",
    "tempfile",
    "shutil",
}
HEAVY = ("numpy", "cv2", "PIL", "yaml", "jinja2", "watchfiles")
MODULES = sorted(PACKAGE.rglob("*.py"))


def _room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _imports(tree: ast.AST, *, typing_only: bool) -> Iterator[str]:
    """Yield the dotted names a module imports, those under TYPE_CHECKING only when asked."""
    for node in ast.iter_child_nodes(tree):
        if _is_type_checking(node) and not typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from _imports(node, typing_only=typing_only)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down_only(path: Path) -> None:
    """A module imports its own room and lower ones, never a room beside or above it."""
    room = _room(path)
    rank = RANKS.get(room)
    if rank is None:
        return  # __init__ and __main__ are the doors
    wrong = []
    for name in _imports(ast.parse(path.read_text("utf-8")), typing_only=True):
        parts = name.split(".")
        if parts[0] != "pytest_pixelloop" or len(parts) < 2 or parts[1] not in RANKS:
            continue
        if parts[1] != room and RANKS[parts[1]] >= rank:
            wrong.append(name)
    assert not wrong, f"{room} (layer {rank}) imports up or sideways: {sorted(set(wrong))}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_third_parties_stay_in_their_rooms(path: Path) -> None:
    """A heavy third-party package is imported at run time only by the room that owns it."""
    room = _room(path)
    tree = ast.parse(path.read_text("utf-8"))
    wrong = {
        name
        for name in _imports(tree, typing_only=False)
        if (rooms := ROOMS.get(name.split(".")[0])) is not None and room not in rooms
    }
    assert not wrong, f"{path.name} imports {sorted(wrong)} outside its room"


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "core").rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_core_is_pure(path: Path) -> None:
    """core/ imports nothing that reads files, the clock, the environment or randomness."""
    tree = ast.parse(path.read_text("utf-8"))
    wrong = {n for n in _imports(tree, typing_only=False) if n.split(".")[0] in PURE_BANNED}
    assert not wrong


def test_every_room_is_known() -> None:
    """A new top-level room or module has to be given a layer."""
    rooms = {_room(p) for p in MODULES} - {"__init__", "__main__"}
    assert rooms <= set(RANKS)


def test_no_junk_drawers() -> None:
    """No module is called utils, helpers, common, misc or manager."""
    bad = {"utils", "helpers", "common", "misc", "manager"}
    assert not [p for p in MODULES if p.stem.strip("_") in bad]


def test_modules_stay_readable() -> None:
    """No module grows past 400 lines: split by noun before that."""
    long = {
        str(p.relative_to(PACKAGE)): n
        for p in MODULES
        if (n := len(p.read_text("utf-8").splitlines())) > 400
    }
    assert not long


@pytest.mark.parametrize("module", ["pytest_pixelloop", "pytest_pixelloop.plugin"])
def test_plugin_import_is_light(module: str) -> None:
    """Importing the package or its plugin imports no heavy third party and no playwright."""
    code = (
        f"import sys, {module}; print([m for m in {(*HEAVY, 'playwright')!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
