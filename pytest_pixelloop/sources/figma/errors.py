"""What can go wrong between here and Figma, one class for each thing that is acted on."""

from __future__ import annotations

from pytest_pixelloop.core.errors import PixelloopError


class FigmaError(PixelloopError):
    """Figma did not give what was asked for. ``stops`` says: nor will it give anything else.

    ``final`` says that the design is not there (deleted, not paintable): what was fetched of it
    earlier is no longer the design. Everything else may be different in an hour.
    """

    stops = False
    final = False


class FigmaUnreachableError(FigmaError):
    """No answer: no connection, no TLS, a proxy, a time-out, an answer that ends early."""

    stops = True


class FigmaUnavailableError(FigmaError):
    """Figma answered with a server error, several times."""


class FigmaRefusedError(FigmaError):
    """The token is wrong, expired, or may not do this (401, 403)."""


class FigmaTokenError(FigmaRefusedError):
    """The token itself is wrong or expired: every further request would be refused."""

    stops = True


class FigmaNotFoundError(FigmaError):
    """There is no such file for this token's account (404)."""


class FigmaTooLargeError(FigmaError):
    """Too much was asked for at once: fewer ids or a lower scale may work."""


class FigmaAnswerError(FigmaError):
    """The answer is no JSON, or not the JSON that the API describes."""


class FigmaRateLimitedError(FigmaError):
    """Figma asks to wait longer than the user allowed (429).

    ``retry_after`` is in seconds, None when Figma did not say; ``plan_tier``, ``limit_type`` and
    ``upgrade_link`` are its headers, None where it sent none.
    """

    stops = True

    def __init__(
        self,
        what: str,
        *,
        retry_after: float | None,
        plan_tier: str | None,
        limit_type: str | None,
        upgrade_link: str | None,
        where: str = "",
        expected: str = "",
        next_step: str = "",
    ) -> None:
        super().__init__(what, where=where, expected=expected, next_step=next_step)
        self.retry_after = retry_after
        self.plan_tier = plan_tier
        self.limit_type = limit_type
        self.upgrade_link = upgrade_link


class FigmaGoneError(FigmaError):
    """The node is not in the file, is hidden there, or paints nothing."""

    final = True


class FigmaPictureError(FigmaError):
    """The picture does not fit its node, or cannot be had at the scale that is asked for."""
