"""Names that differ from each other: a repeated one gets a number."""

from collections.abc import Callable


class UniqueNames:
    """The names in use, and for each repeated name the next number to try."""

    def __init__(self) -> None:
        """Start without names."""
        self._used_names: set[str] = set()
        self._next_numbers: dict[str, int] = {}

    def reserve_name(self, name: str, add_number: Callable[[int], str]) -> str:
        """Return ``name``, or if it is in use, the first free one that ``add_number`` makes."""
        free_name, number = name, self._next_numbers.get(name, 2)
        while free_name in self._used_names:
            free_name, number = add_number(number), number + 1
        self._next_numbers[name] = number
        self._used_names.add(free_name)
        return free_name
