"""A command as words: split without a shell, its program found before anything runs."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_pixelloop.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What no command inherits: none needs access to the designs' home to do its work.
SECRETS = ("FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN")


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """Return *environ* as a command may inherit it."""
    return {k: v for k, v in environ.items() if k.upper() not in SECRETS}


def split_command(
    command: str,
    *,
    root: Path,
    environ: Mapping[str, str],
    option: str = "--fix-command",
    noun: str = "fix command",
) -> list[str]:
    """Return the command as words, the program as a path that exists.

    *noun* and *option* are how the command is called in messages. Raises ConfigurationError, worded
    for the person who wrote the command.
    """
    where = f"{option} {command!r}"
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise ConfigurationError(
            f"the {noun} cannot be split into words: {error}",
            where=where,
            expected="a program and its arguments, quoted as in a shell",
        ) from error
    if not words:
        raise ConfigurationError(
            f"the {noun} is empty", where=where, expected="a program and its arguments"
        )
    return [_find_program(words[0], root=root, environ=environ, where=where, noun=noun), *words[1:]]


def _find_program(
    word: str, *, root: Path, environ: Mapping[str, str], where: str, noun: str
) -> str:
    if Path(word).name != word:
        path = root / word
        if not path.is_file():
            raise ConfigurationError(
                f"the {noun}'s program does not exist: {word}",
                where=where,
                expected=f"a file, relative to {root}",
                next_step="correct the path; no shell is involved, so ~ and $VARIABLES stay as is",
            )
        if not os.access(path, os.X_OK):
            raise ConfigurationError(
                f"the {noun}'s program is not executable: {word}",
                where=where,
                next_step=f"chmod +x {word}",
            )
        return str(path)
    found = shutil.which(word, path=environ.get("PATH"))
    if found is None:
        raise ConfigurationError(
            f"the {noun}'s program is not found: {word}",
            where=where,
            expected="a program on PATH (no shell is involved: no pipes, aliases or built-ins)",
            next_step=f"a script in the project is written ./{word}",
        )
    return str(Path(found).absolute())
