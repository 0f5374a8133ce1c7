"""What all callbacks of one call are told, and how they are called."""

import copy
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from ...ports.middleware import MIDDLEWARE_VERSION, OBSERVER_VERSION, Caller, Log
from ..boundary import attempt

Payload = TypeVar("Payload")


def fresh(payload: Payload) -> Payload:
    """Return a deep copy; of what cannot be copied deeply, as much of one as there can be.

    >>> inner = {"a": [1]}
    >>> fresh(inner) == inner, fresh(inner)["a"] is inner["a"]
    (True, False)
    """
    return attempt(lambda: copy.deepcopy(payload)).value_or(_shallow(payload))


def _shallow(payload: Payload) -> Payload:
    return attempt(lambda: copy.copy(payload)).value_or(payload)


def shown(payload: object, names: Mapping[str, str]) -> object:
    """Return ``payload`` with its fields under their other names too; ``names`` are theirs to ours.

    >>> shown({"query": "q", "max_results": 9}, {"limit": "max_results"})
    {'query': 'q', 'max_results': 9, 'limit': 9}
    """
    if not isinstance(payload, dict):
        return payload
    return payload | {other: payload[ours] for other, ours in names.items() if ours in payload}


def taken(before: object, given: object, names: Mapping[str, str]) -> object:
    """Return what was made of ``before`` under our names alone.

    >>> names = {"limit": "max_results"}
    >>> taken({"max_results": 9}, {"max_results": 9, "limit": 3}, names)
    {'max_results': 3}
    >>> taken({"max_results": 9}, {"max_results": 3, "limit": 9}, names)
    {'max_results': 3}
    """
    if not isinstance(given, dict):
        return given
    fields = dict(given)
    for other in names.keys() & fields.keys():
        ours, said = names[other], fields.pop(other)
        changed = not isinstance(before, dict) or before.get(ours) != said
        if changed or ours not in fields:
            fields[ours] = said
    return fields


class Situation(msgspec.Struct, frozen=True, kw_only=True):
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
            **fresh(dict(self.context)),
            self.payload: fresh(shown(payload, self.names)),
            f"original_{self.payload}": fresh(shown(original, self.names)),
        }

    def taken(self, before: object, given: object) -> object:
        """Return what a callback made of the payload ``before``, in a copy that is ours alone."""
        return taken(before, fresh(given), self.names)
