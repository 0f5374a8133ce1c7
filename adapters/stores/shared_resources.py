"""Resources that many clients of one process share, such as connections to one server."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class SharedResources(Generic[Value]):
    """One value for each name, with a count of its users. Safe to use from several threads."""

    def __init__(self) -> None:
        """Start without values."""
        self._lock = threading.Lock()
        self._lent: dict[Hashable, tuple[Value, int]] = {}

    def borrow(self, name: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a name; the first caller makes it."""
        with self._lock:
            value, count = self._lent.get(name) or (make(), 0)
            self._lent[name] = (value, count + 1)
            return value

    def find_lent(self, name: Hashable) -> Value | None:
        """Return the value of a name if it has users; else None."""
        with self._lock:
            entry = self._lent.get(name)
        return None if entry is None else entry[0]

    def lent_values(self) -> list[Value]:
        """Return every value that has users."""
        with self._lock:
            return [value for value, _ in self._lent.values()]

    def return_borrowed(self, name: Hashable) -> Value | None:
        """Return a borrowed value; the last user gets it back, to close it."""
        with self._lock:
            value, count = self._lent.pop(name)
            if count == 1:
                return value
            self._lent[name] = (value, count - 1)
            return None
