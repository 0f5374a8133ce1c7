"""Define a wrapper that hides keys."""

from collections.abc import Callable
from typing import Any, TypeAlias

# Takes keys out of rows or a page, and changes nothing else.
KeyRedactor: TypeAlias = Callable[[Any], Any]


class Secret:
    """A key that never shows in a repr, a log line or an error; ``reveal`` is for the wire."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Hide ``value``."""
        self._value = value

    def reveal(self) -> str:
        """Return the key itself."""
        return self._value

    def __repr__(self) -> str:
        return "Secret('***')"

    def __bool__(self) -> bool:
        return bool(self._value)
