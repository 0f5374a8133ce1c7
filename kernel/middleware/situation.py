"""What all callbacks of one call are told, and how they are called."""

from collections.abc import Mapping

import msgspec

from ...ports.middleware import MIDDLEWARE_VERSION, OBSERVER_VERSION, Caller, Log
from .copies import fresh


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """The call that callbacks are called about.

    ``context`` has the ids and names that apply. ``payload`` is the name that the request goes by:
    ``args`` for a tool, ``request`` for a model.
    """

    context: Mapping[str, object]
    payload: str
    call: Caller
    log: Log

    def told(self, payload: object, original: object) -> dict[str, object]:
        """Return what a middleware is told, all of it in copies of its own."""
        return {
            "telemetry_schema_version": OBSERVER_VERSION,
            "middleware_schema_version": MIDDLEWARE_VERSION,
            **fresh(dict(self.context)),
            self.payload: fresh(payload),
            f"original_{self.payload}": fresh(original),
        }
