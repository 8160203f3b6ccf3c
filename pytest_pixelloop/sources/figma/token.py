"""The Figma access token: read here and nowhere else, and never shown.

The value lives in one object that hides itself from ``repr``, ``str``, pickling and, through
:meth:`Token.hidden`, from every text that came from outside and might repeat it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote

from pytest_pixelloop.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES = ("FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN")
HIDDEN = "[token]"
_OAUTH_PREFIX = "figu_"
_SHORTEST = 8


class Token:
    """An access token that goes into a request's headers and into nothing else."""

    __slots__ = ("_secret", "variable")

    def __init__(self, secret: str, *, variable: str) -> None:
        self._secret = secret
        self.variable = variable

    def __repr__(self) -> str:
        return f"Token({self.variable})"

    def __reduce__(self) -> NoReturn:
        message = "a token is not pickled"
        raise TypeError(message)

    def headers(self) -> dict[str, str]:
        """Return the header that carries the token: OAuth tokens go as Bearer."""
        if self._secret.startswith(_OAUTH_PREFIX):
            return {"Authorization": f"Bearer {self._secret}"}
        return {"X-Figma-Token": self._secret}

    def hidden(self, text: str) -> str:
        """Return *text* with the token struck out, also where it is percent-encoded."""
        for form in (self._secret, quote(self._secret, safe="")):
            text = text.replace(form, HIDDEN)
        return text

    def is_in(self, data: bytes) -> bool:
        """Tell whether *data* holds the token: such bytes are not written anywhere."""
        return self._secret.encode() in data


def read_token(environ: Mapping[str, str]) -> Token:
    """Return the token of ``FIGMA_TOKEN``, else of ``FIGMA_ACCESS_TOKEN``.

    Raises ConfigurationError when neither is set, and for a value that cannot be a token; the
    value is never part of the message.
    """
    variable = next((name for name in VARIABLES if environ.get(name, "").strip()), None)
    if variable is None:
        raise ConfigurationError(
            "there is no Figma access token",
            where="environment: " + ", ".join(VARIABLES),
            expected="a personal access token with the scopes file_content:read and "
            "file_metadata:read",
            next_step="make one in Figma (Settings, Security, Personal access tokens) and export "
            "it as FIGMA_TOKEN",
        )
    secret = environ[variable].strip()
    if len(secret) < _SHORTEST or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise ConfigurationError(
            f"the value of {variable} cannot be a Figma access token",
            where=f"environment: {variable}",
            expected="one word of ASCII letters, digits and the like, as Figma shows it once",
            next_step="copy the token again; it is not repeated here",
        )
    return Token(secret, variable=variable)
