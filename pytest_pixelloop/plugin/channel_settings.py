"""What the user said about the channels beside the pixels, as written, and checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """The options ``--appearance`` and ``--vision-*`` and their ini keys."""

    appearance: str | None = None
    ini_appearance: str | None = None
    allow: tuple[str, ...] = ()
    vision_command: str | None = None
    vision_timeout: float = 60.0

    def refuse(self, *, root: Path) -> None:
        """Raise ``pytest.UsageError`` for words that mean nothing, and a command that is none."""
        from pytest_pixelloop.core.appearance import (  # noqa: PLC0415
            merge_appearance,
            parse_appearance,
        )
        from pytest_pixelloop.plugin.options import usage_error  # noqa: PLC0415

        usage_error(lambda: parse_appearance(self.appearance, where="--appearance"))
        ini = "ini key pixelloop_appearance"
        usage_error(lambda: parse_appearance(self.ini_appearance, where=ini))
        usage_error(lambda: merge_appearance(allow=self.allow, where=ini + "_allow"))
        if self.vision_command is not None:
            usage_error(lambda: self.vision_words(root=root))

    def vision_words(self, *, root: Path) -> list[str]:
        """Return the vision command as words, its program found."""
        from pytest_pixelloop.process.words import split_command  # noqa: PLC0415

        assert self.vision_command is not None
        return split_command(
            self.vision_command,
            root=root,
            environ=os.environ,
            option="--vision-command",
            noun="vision command",
        )
