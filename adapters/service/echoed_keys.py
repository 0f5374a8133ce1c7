"""Redaction of keys that a service echoes in its replies."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, TypeVar, cast

import msgspec

Value = TypeVar("Value")

_ROW_KINDS = {dict}
_LEAF_TYPES = frozenset({str, float, int, bool, type(None)})


class EchoRedactor:
    """Takes echoed keys out of replies. Its repr shows no key."""

    def __init__(self, mask: Callable[[str], str] = str) -> None:
        self._mask = mask

    def redact_keys(self, value: Value) -> Value:
        """Return rows or a page without any key; without a match, the same object."""
        # Search all texts at once: nearly no answer holds a key, so the check must be cheap.
        joined = "\0".join(_reply_texts(value))
        if self._mask(joined) == joined:
            return value
        return cast("Value", _redact_echoed_keys(value, self._mask))


def _reply_texts(value: object) -> list[str]:
    texts: list[str] = []
    level = value if type(value) is list else [value]
    while level:
        # Look at all values of a level at once: most levels are only rows, or only leaves.
        kinds = {*map(type, level)}
        if kinds == _ROW_KINDS:
            level = list(chain.from_iterable(map(dict.values, cast("list[Any]", level))))
            continue
        texts += [part for part in level if isinstance(part, str)]
        kinds -= _LEAF_TYPES
        nested = (part for part in level if type(part) in kinds) if kinds else ()
        level = list(chain.from_iterable(map(_nested_reply_values, nested)))
    return texts


def _nested_reply_values(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.astuple(value)
    return value if isinstance(value, list | tuple) else ()


def _redact_echoed_keys(value: object, mask: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {name: _redact_echoed_keys(part, mask) for name, part in value.items()}
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.asdict(value)
        return msgspec.structs.replace(
            value, **{name: _redact_echoed_keys(part, mask) for name, part in fields.items()}
        )
    if isinstance(value, list | tuple):
        return type(value)([_redact_echoed_keys(part, mask) for part in value])
    return value
