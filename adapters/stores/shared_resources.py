"""What many clients of one process share, such as connections to one server."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class SharedResources(Generic[Value]):
    """One value a name, made for the first who wants it, and nobody's after the last gave it back.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        """Begin with nothing lent."""
        self._lock = threading.Lock()
        self._lent: dict[Hashable, tuple[Value, int]] = {}

    def borrow(self, name: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of that name."""
        with self._lock:
            value, count = self._lent.get(name) or (make(), 0)
            self._lent[name] = (value, count + 1)
            return value

    def find(self, name: Hashable) -> Value | None:
        """Return what is lent under that name right now."""
        with self._lock:
            entry = self._lent.get(name)
        return None if entry is None else entry[0]

    def give_back(self, name: Hashable) -> Value | None:
        """Let go of what was borrowed once; whoever was the last gets it, to end it."""
        with self._lock:
            value, count = self._lent.pop(name)
            if count == 1:
                return value
            self._lent[name] = (value, count - 1)
            return None
