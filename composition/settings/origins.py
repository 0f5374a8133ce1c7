"""Where a value came from, and a value that remembers it."""

from typing import Literal, TypeAlias

import msgspec

KeyPath: TypeAlias = tuple[str, ...]
Layer: TypeAlias = Literal["argument", "environment", "dotenv", "file", "default"]


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The layer, the file or variable or option, and the line where there are lines."""

    layer: Layer
    name: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """Return the place in the words of an error message."""
        if self.line is None:
            return self.name or self.layer
        return f"{self.name}:{self.line}"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One value as it was written: a text, a number, a yes or no, or a list; never a block.

    ``texts`` are the spellings of the value or of each in the list, so that a key of digits stays
    the key that it is. Nothing of it shows in a repr: it may be a key.
    """

    value: object
    origin: Origin
    texts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Entry({str(self.origin)!r})"


DEFAULT = Origin(layer="default")


def spelled(path: KeyPath) -> str:
    """Return a path as people write it.

    >>> spelled(("cache", "minutes"))
    'cache.minutes'
    """
    return ".".join(path)
