"""What all callbacks of one call are told, and how they are called."""

import copy
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from ...ports.middleware import MIDDLEWARE_VERSION, OBSERVER_VERSION, Caller, Log
from ..boundary import attempt_call

Payload = TypeVar("Payload")


def deep_copy(payload: Payload) -> Payload:
    """Return a deep copy; of what cannot be copied deeply, as much of one as there can be.

    >>> inner = {"a": [1]}
    >>> deep_copy(inner) == inner, deep_copy(inner)["a"] is inner["a"]
    (True, False)
    """
    return attempt_call(lambda: copy.deepcopy(payload)).value_or(_shallow(payload))


def _shallow(payload: Payload) -> Payload:
    return attempt_call(lambda: copy.copy(payload)).value_or(payload)


def with_aliases(payload: object, names: Mapping[str, str]) -> object:
    """Return ``payload`` with its fields under their other names too; ``names`` are theirs to ours.

    >>> with_aliases({"query": "q", "max_results": 9}, {"limit": "max_results"})
    {'query': 'q', 'max_results': 9, 'limit': 9}
    """
    if not isinstance(payload, dict):
        return payload
    return payload | {other: payload[ours] for other, ours in names.items() if ours in payload}


def without_aliases(original: object, changed_payload: object, names: Mapping[str, str]) -> object:
    """Return what was made of ``original`` under our names alone.

    >>> names = {"limit": "max_results"}
    >>> without_aliases({"max_results": 9}, {"max_results": 9, "limit": 3}, names)
    {'max_results': 3}
    >>> without_aliases({"max_results": 9}, {"max_results": 3, "limit": 9}, names)
    {'max_results': 3}
    """
    if not isinstance(changed_payload, dict):
        return changed_payload
    fields = dict(changed_payload)
    for other in names.keys() & fields.keys():
        ours, said = names[other], fields.pop(other)
        changed = not isinstance(original, dict) or original.get(ours) != said
        if changed or ours not in fields:
            fields[ours] = said
    return fields


class CallContext(msgspec.Struct, frozen=True, kw_only=True):
    """The call that callbacks are called about.

    ``context`` has the ids and names that apply. ``payload`` is the name that the request goes by:
    ``args`` for a tool, ``request`` for a model; ``names`` are other names of fields in it.
    """

    context: Mapping[str, object]
    payload: str
    call: Caller
    log: Log
    names: Mapping[str, str] = {}

    def told(self, payload: object, original: object) -> dict[str, object]:
        """Return what a middleware is told, all of it in copies of its own."""
        return {
            "telemetry_schema_version": OBSERVER_VERSION,
            "middleware_schema_version": MIDDLEWARE_VERSION,
            **deep_copy(dict(self.context)),
            self.payload: deep_copy(with_aliases(payload, self.names)),
            f"original_{self.payload}": deep_copy(with_aliases(original, self.names)),
        }

    def taken(self, before: object, given: object) -> object:
        """Return what a callback made of the payload ``before``, in a copy that is ours alone."""
        return without_aliases(before, deep_copy(given), self.names)
