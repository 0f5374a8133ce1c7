"""Caches within limits. For a pure function of few values, ``functools.lru_cache`` is enough."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentValues(Generic[Key, Value]):
    """The values used last, within a total size and an age in seconds."""

    def __init__(
        self,
        max_size: int,
        *,
        size: Callable[[Value], int] = lambda _value: 1,
        max_age: float = 0.0,
        now: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Drop values of more than ``max_age`` by the clock ``now``."""
        self._max_size, self._total, self._value_size = max_size, 0, size
        self._max_age, self._now = max_age, now
        self._entries: OrderedDict[Key, tuple[float, Value]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Return a value, which becomes the last one used; None if it is too old or missing."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if self._now() - entry[0] > self._max_age:
            self._remove(key)
            return None
        self._entries.move_to_end(key)
        return entry[1]

    def put(self, key: Key, value: Value) -> list[Value]:
        """Store a value; return the values that no longer fit, which were unused for longest."""
        if key in self._entries:
            self._remove(key)
        self._entries[key] = (self._now(), value)
        self._total += self._value_size(value)
        evicted: list[Value] = []
        while self._total > self._max_size:
            evicted.append(self._remove(next(iter(self._entries))))
        return evicted

    def values(self) -> list[Value]:
        """Return all values; the one that was unused for longest comes first."""
        return [value for _, value in self._entries.values()]

    def clear(self) -> list[Value]:
        """Remove all values and return them."""
        return [self._remove(key) for key in list(self._entries)]

    def _remove(self, key: Key) -> Value:
        _, value = self._entries.pop(key)
        self._total -= self._value_size(value)
        return value


class ComputedValues(dict[Key, Value]):
    """Values by key, computed on first use, and forgotten all at once when there are too many.

    A hit costs no call of Python code, so it is several times faster than ``lru_cache``.
    """

    def __init__(self, compute: Callable[[Key], Value], max_values: int) -> None:
        """Start empty."""
        super().__init__()
        self._compute, self._max_values = compute, max_values

    def __missing__(self, key: Key) -> Value:
        """Compute and store the value of ``key``."""
        if len(self) >= self._max_values:
            self.clear()
        self[key] = value = self._compute(key)
        return value
