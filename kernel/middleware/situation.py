"""What all callbacks of one call are told, and how they are called."""

from collections.abc import Mapping

import msgspec

from ...ports.middleware import MIDDLEWARE_VERSION, OBSERVER_VERSION, Caller, Log
from .copies import fresh
from .names import shown, taken


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
