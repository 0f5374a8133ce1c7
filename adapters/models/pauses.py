"""Answers that come in parts: a model may stop in the middle of its provider's tools' work."""

from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.models import ChatRequest, NormalizedResponse
from .wire import Wire

MOST_PAUSES = 10


class Pauses:
    """What to ask next, and the parts so far. After too many the answer stays as it is."""

    def __init__(self, wire: Wire, request: ChatRequest) -> None:
        """Begin with what was asked."""
        self.request = request
        self._wire = wire
        self._held: NormalizedResponse | None = None
        self._left = MOST_PAUSES

    def take(
        self, result: Result[NormalizedResponse, WebError]
    ) -> Result[NormalizedResponse, WebError] | None:
        """Return the whole answer; None when ``request`` is now the one that goes on."""
        if isinstance(result, Failure):
            return result
        part = result.unwrap()
        whole = part if self._held is None else self._wire.joined(self._held, part)
        following = self._wire.continued(self.request, part)
        if following is None or not self._left:
            return Success(whole)
        self.request, self._held, self._left = following, whole, self._left - 1
        return None
