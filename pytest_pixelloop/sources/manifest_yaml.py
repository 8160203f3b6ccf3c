"""YAML values that know their line, so that every mistake in a manifest can be pointed at.

The file is only composed, never constructed: no tag makes an object, an alias is not expanded,
and ``12:34`` stays the text it is instead of becoming YAML's base-60 number 754.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from pytest_pixelloop.core.errors import ConfigurationError
from pytest_pixelloop.core.explain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_SCALARS = ("str", "int", "float", "bool", "null", "timestamp", "merge", "value")
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """One value of the file: ``what`` says which in words, ``shown`` is the file's name."""

    node: Any
    what: str
    shown: str

    @property
    def where(self) -> str:
        """File and line, as ``designs/designs.yaml:7``."""
        return f"{self.shown}:{self.node.start_mark.line + 1}"

    @property
    def is_null(self) -> bool:
        """Whether nothing stands behind the colon."""
        return bool(self.node.tag == _TAG + "null")

    @property
    def is_scalar(self) -> bool:
        """Whether it is one word, number or text, and not nothing."""
        return isinstance(self.node, yaml.ScalarNode) and not self.is_null

    def value(self) -> object:
        """Return what stands there as plain Python: a scalar, or a list or mapping of scalars.

        Nothing nested any deeper: aliases of aliases would grow without end.
        """
        if self.is_null:
            return None
        if isinstance(self.node, yaml.MappingNode):
            return {key: field.plain() for key, field in self.mapping().items()}
        if self.is_list:
            return [item.plain() for item in self.listed()]
        return self.plain()

    def mapping(self, known: Iterable[str] | None = None) -> dict[str, Field]:
        """Return the fields of a mapping by key, in the file's order; null is an empty one.

        Raises ConfigurationError when this is no mapping, when a key is given twice, or when a
        key is not among the *known* ones.
        """
        if self.is_null:
            return {}
        if not isinstance(self.node, yaml.MappingNode):
            raise self.wrong("a mapping (key: value)")
        fields: dict[str, Field] = {}
        allowed = None if known is None else tuple(known)
        for key_node, value_node in self.node.value:
            key = self._key(key_node)
            if key == "<<" or (allowed is not None and key not in allowed):
                raise self._unknown(key, key_node, allowed or ())
            if key in fields:
                raise ConfigurationError(
                    f"key {printable(key)!r} is given twice in {self.what}",
                    where=f"{self.shown}:{key_node.start_mark.line + 1}",
                    expected="every key once",
                )
            fields[key] = Field(
                node=value_node, what=f"{printable(key)!r} of {self.what}", shown=self.shown
            )
        return fields

    def text(self) -> str:
        """Return a text that is not empty."""
        if not self._is("str") or not self.node.value.strip():
            raise self.wrong("a text")
        return str(self.node.value)

    def raw(self) -> str:
        """Return a text, or a number as it was written: an id such as 12:34 needs no quotes."""
        if not (self._is("str") or self._is("int") or self._is("float") or self._is("timestamp")):
            raise self.wrong('a text, such as "12:34"')
        if not self.node.value.strip():
            raise self.wrong('a text, such as "12:34"')
        return str(self.node.value)

    def number(self) -> float:
        """Return a finite number."""
        try:
            value = float(self.node.value) if self._is("int") or self._is("float") else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.wrong("a number")
        return value

    def boolean(self) -> bool:
        """Return true or false."""
        word = self.node.value.lower() if self._is("bool") else ""
        if word not in _TRUE + _FALSE:
            raise self.wrong("true or false")
        return word in _TRUE

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.node, yaml.SequenceNode)

    def listed(self) -> tuple[Field, ...]:
        """Return the items of a list."""
        if not self.is_list:
            raise self.wrong('a list of texts, such as [".clock"]')
        return tuple(
            Field(node=n, what=f"an item of {self.what}", shown=self.shown) for n in self._sub
        )

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(item.text() for item in self.listed())

    def items(self) -> tuple[Field, ...]:
        """Return the items of a list; anything else is its own only item."""
        return self.listed() if self.is_list else (self,)

    def plain(self) -> object:
        """Return a scalar as the number, boolean or text that it is."""
        if self._is("bool"):
            return self.boolean()
        if self._is("int") or self._is("float"):
            return self.number()
        return self.text()

    def wrong(self, expected: str) -> ConfigurationError:
        """Return the error that this is not what was *expected*."""
        return ConfigurationError(
            f"{self.what} is {self._description()}", where=self.where, expected=expected
        )

    @property
    def _sub(self) -> Any:
        return self.node.value

    def _is(self, kind: str) -> bool:
        return isinstance(self.node, yaml.ScalarNode) and self.node.tag == _TAG + kind

    def _description(self) -> str:
        if isinstance(self.node, yaml.MappingNode):
            return "a mapping"
        if isinstance(self.node, yaml.SequenceNode):
            return "a list"
        if self.is_null:
            return "empty"
        if self.node.tag.removeprefix(_TAG) not in _SCALARS:
            return f"tagged {printable(self.node.tag, limit=40)}"
        return printable(repr(self.node.value), limit=60)

    def _key(self, key_node: Any) -> str:
        if not isinstance(key_node, yaml.ScalarNode) or not key_node.value.strip():
            raise ConfigurationError(
                f"a key in {self.what} is no text",
                where=f"{self.shown}:{key_node.start_mark.line + 1}",
                expected="key: value",
            )
        return str(key_node.value)

    def _unknown(self, key: str, key_node: Any, known: tuple[str, ...]) -> ConfigurationError:
        close = difflib.get_close_matches(key, known, n=1)
        hint = f'did you mean "{close[0]}"?' if close else ""
        if key == "<<":
            hint = "merge keys are not supported: repeat the keys, or use defaults"
        return ConfigurationError(
            f"unknown key {printable(key)!r} in {self.what}",
            where=f"{self.shown}:{key_node.start_mark.line + 1}",
            expected="one of " + ", ".join(known) if known else "",
            next_step=hint,
        )


def compose_yaml(data: bytes, *, shown: str, what: str = "the manifest") -> Field:
    """Return the one document of a YAML file as a field; *what* it is called in messages.

    Raises ConfigurationError for what is no YAML in UTF-8, is empty, or nested too deeply.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigurationError(
            f"{what} is not UTF-8 text", where=f"{shown}:{line}", expected="YAML in UTF-8"
        ) from error
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f"{shown}:{mark.line + 1}" if mark is not None else shown
        raise ConfigurationError(
            f"{what} is not valid YAML: {printable(str(error.problem or error.context))}",
            where=at,
        ) from error
    except (yaml.YAMLError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else printable(str(error))
        raise ConfigurationError(f"{what} is not valid YAML: {why}", where=shown) from error
    if node is None:
        raise ConfigurationError(
            f"{what} is empty",
            where=shown,
            expected="schema_version: 1 and designs:" if what == "the manifest" else "",
        )
    return Field(node=node, what=what, shown=shown)
