"""Fields of an answer that nothing here knows: kept in ``provider_data``, never sent back.

A wire declares the fields that it reads, keeps under their own names, or leaves out on purpose.
All others are kept by their path, so that no field of a provider is lost in silence.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

# The field of ``provider_data``. Names with an underscore in front are never sent to a provider.
UNREAD_FIELD = "_unread"
# A server may send anything: more than this is named, and its value left out.
_MAX_UNREAD_FIELDS, _MAX_UNREAD_BYTES = 100, 32 * 1024


class KnownFields(NamedTuple):
    """The names that are known in an object, and the known fields of the objects inside it."""

    names: frozenset[str]
    inside: tuple[tuple[str, "KnownFields"], ...] = ()


def known(*names: str, **inside: KnownFields) -> KnownFields:
    """Return the known fields of an object; those in ``inside`` are objects, or lists of them."""
    return KnownFields(frozenset({*names, *inside}), tuple(inside.items()))


def find_unread_fields(
    value: object, fields: KnownFields, path: str, unread: dict[str, object]
) -> None:
    """Add the fields of ``value`` that are not known to ``unread``, by their paths."""
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            find_unread_fields(item, fields, f"{path}[{index}]", unread)
        return
    if not isinstance(value, Mapping):
        return
    if not value.keys() <= fields.names:
        for name in value:
            if name not in fields.names and says_something(value[name]):
                unread[f"{path}.{name}"] = value[name]
    for name, inner in fields.inside:
        if part := value.get(name):
            find_unread_fields(part, inner, f"{path}.{name}", unread)


def says_something(value: object) -> bool:
    """Tell whether a value is more than null or nothing; 0 and false are values."""
    return value not in (None, "", [], {})


def keep_unread_fields(unread: Mapping[str, object]) -> dict[str, object]:
    """Return ``unread`` as a field of ``provider_data``, bounded; none if there is nothing."""
    if not unread:
        return {}
    kept: dict[str, object] = {}
    bytes_left = _MAX_UNREAD_BYTES
    for path, value in unread.items():
        if len(kept) == _MAX_UNREAD_FIELDS:
            kept["…"] = f"({len(unread) - len(kept)} fields left out)"
            break
        size = _json_size(value)
        if size <= bytes_left:
            kept[path] = value
            bytes_left -= size
        else:
            kept[path] = f"({size} bytes left out)"
    return {UNREAD_FIELD: kept}


def _json_size(value: object) -> int:
    try:
        return len(msgspec.json.encode(value))
    except (ValueError, TypeError, RecursionError):
        # Nested as deep as Python's limit, for instance.
        return _MAX_UNREAD_BYTES + 1
