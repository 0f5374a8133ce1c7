"""Open data that was written flat, as a list in which each value names others by their places.

Nuxt writes it so (devalue), and React Router (turbo-stream), where names of properties are places,
too.
"""

import re
from typing import Final

_MAX_VALUE_DEPTH: Final = 60
_MAX_VALUES: Final = 100_000
_PLACE: Final = re.compile(r"_([0-9]{1,8})")


def unflatten(values: object) -> object:
    """Return what a flat list says, from its first value on; anything else as it is.

    >>> unflatten([{"title": 1}, "The quay"]), unflatten([{"_1": 2}, "title", "The quay"])
    ({'title': 'The quay'}, {'title': 'The quay'})
    """
    if not isinstance(values, list) or not values:
        return values
    return _Flat(values).at(0, 0)


class _Flat:
    def __init__(self, values: list[object]) -> None:
        self._values = values
        self._left = _MAX_VALUES

    def at(self, place: object, depth: int) -> object:
        """Return the value at a place; what is none of the list's says nothing."""
        self._left -= 1
        if isinstance(place, bool) or not isinstance(place, int) or self._left < 0:
            return None
        if depth > _MAX_VALUE_DEPTH or not 0 <= place < len(self._values):
            return None
        value = self._values[place]
        if isinstance(value, dict):
            return {self._key(name): self.at(one, depth + 1) for name, one in value.items()}
        if isinstance(value, list):
            # The first may say what sort of list it is.
            return [one for inner in value if (one := self.at(inner, depth + 1)) is not None]
        return value

    def _key(self, name: str) -> str:
        # Python refuses to read very long numbers.
        place = _PLACE.fullmatch(name)
        if place is None or int(place[1]) >= len(self._values):
            return name
        key = self._values[int(place[1])]
        return key if isinstance(key, str) else name
