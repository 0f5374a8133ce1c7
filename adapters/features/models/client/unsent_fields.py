"""What of a request is not sent, for requests that come again and again.

To find it, a request is built several times with other values. Most calls of a program have the
same settings and other messages, so what was found for the settings is kept.
"""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from webseam.ports.models import ChatRequest

from ..declaration.provider import Provider
from ..declaration.unsent_messages import find_unsent_message_fields, message_probes
from ..declaration.wire import Wire, find_unsent_fields

_MAX_STORED = 256


class UnsentFields:
    """Finds the fields that one wire does not send to one provider."""

    def __init__(self, wire: Wire, provider: Provider) -> None:
        self._wire, self._provider = wire, provider
        self._found: dict[bytes, tuple[str, ...]] = {}

    def find(self, request: ChatRequest) -> tuple[str, ...]:
        """Return the names of what a request has and the provider is not sent, each once."""
        settings = replace(request, messages=(), deadline=None)
        names = [
            *self._find_once(settings, find_unsent_fields),
            *self._wire.unsent_history(request, self._provider),
        ]
        for probe in message_probes(request.messages):
            alone = ChatRequest(model=request.model, messages=(probe,))
            names += self._find_once(alone, find_unsent_message_fields)
        return tuple(dict.fromkeys(names))

    def _find_once(
        self, request: ChatRequest, find: Callable[[ChatRequest, Wire, Provider], tuple[str, ...]]
    ) -> tuple[str, ...]:
        try:
            key = msgspec.json.encode(request)
        except (TypeError, ValueError, RecursionError):
            # A caller may put any object into a field.
            return find(request, self._wire, self._provider)
        if key not in self._found:
            if len(self._found) == _MAX_STORED:
                self._found.clear()
            self._found[key] = find(request, self._wire, self._provider)
        return self._found[key]
