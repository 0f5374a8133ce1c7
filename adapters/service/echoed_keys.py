"""Redaction of keys that a service echoes in its replies."""

from collections.abc import Callable
from typing import TypeVar, cast

import msgspec

Value = TypeVar("Value")


class EchoRedactor:
    """Takes echoed keys out of replies. Its repr shows no key."""

    def __init__(self, mask: Callable[[str], str] = str) -> None:
        self._mask = mask

    def redact_keys(self, value: Value) -> Value:
        """Return rows or a page without any key; without a match, the same object."""
        # Search all texts at once: nearly no answer holds a key, so the check must be cheap.
        # MessagePack escapes nothing: each text stands in it as its bytes.
        try:
            packed = msgspec.msgpack.encode(value).decode("latin-1")
        except (TypeError, ValueError, OverflowError, RecursionError):
            packed = None
        if packed is not None and self._mask(packed) == packed:
            return value
        return cast("Value", _redact_echoed_keys(value, self._mask))


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
