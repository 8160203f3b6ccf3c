"""Records as YAML: the head of summary.md and the short record of one iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_pixelloop.core.history import Measured

ITERATION_SCHEMA_VERSION = 1


def yaml_text(value: Any) -> str:
    """Return *value* as YAML: keys in their own order, no line folded, ASCII.

    Unescaped, some characters that YAML takes for line breaks would not come back.
    """
    import yaml  # noqa: PLC0415 - only a run that writes files pays for it

    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=False, width=1_000_000)
    return text


def iteration_yaml(measured: Measured) -> str:
    """Return ``diff/NN.yaml``: delta_ids, score and channels of one iteration."""
    return yaml_text(
        {
            "schema_version": ITERATION_SCHEMA_VERSION,
            "iteration": measured.iteration,
            "status": measured.status,
            "score": measured.score,
            "delta_ids": list(measured.delta_ids),
            "channels": dict(measured.channels),
        }
    )
