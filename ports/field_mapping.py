"""A struct that is also a mapping of its fields, so that ``dict``, pandas and JSON take it."""

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import cast

import msgspec


class FieldMapping(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The methods of a mapping over the fields of a struct."""

    def __getitem__(self, name: str) -> object:
        if name in self.__struct_fields__:
            return getattr(self, name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__struct_fields__)

    def __len__(self) -> int:
        return len(self.__struct_fields__)

    def keys(self) -> KeysView[str]:
        """Return the names of the fields."""
        return KeysView(cast("Mapping[str, object]", self))

    def values(self) -> ValuesView[object]:
        """Return the values of the fields."""
        return ValuesView(cast("Mapping[str, object]", self))

    def items(self) -> ItemsView[str, object]:
        """Return the fields as pairs."""
        return ItemsView(cast("Mapping[str, object]", self))

    def get(self, name: str, default: object = None) -> object:
        """Return a field, or ``default`` if there is no such field."""
        return self[name] if name in self.__struct_fields__ else default

    def to_dict(self) -> dict[str, object]:
        """Return the fields as plain values, for JSON and for data frames."""
        return cast("dict[str, object]", msgspec.to_builtins(self))


# pandas makes columns of the fields of a mapping. msgspec's metaclass allows no ABC as a base.
Mapping.register(FieldMapping)
