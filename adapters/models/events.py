"""A stream's bytes to an answer: the framing and the fold of a wire, joined."""

from collections.abc import Sequence

from returns.result import Failure, Result

from ...ports.errors import WebError
from ...ports.models import ChatRequest, Delta, NormalizedResponse
from .wire import StreamEvent, Wire


class EventReader:
    """One stream. Any split of its bytes gives the same deltas, put together, and answer."""

    def __init__(self, wire: Wire, request: ChatRequest | None = None) -> None:
        """Begin before the first byte."""
        self._frames = wire.frames()
        self._fold = wire.fold(request)
        self._failure: WebError | None = None

    @property
    def done(self) -> bool:
        """Whether nothing that could still come matters."""
        return self._failure is not None or self._fold.done

    def feed(self, piece: bytes) -> Sequence[Delta]:
        """Take the next bytes and return what they add."""
        return () if self.done else self._take(self._frames.feed(piece))

    def finish(self) -> tuple[Sequence[Delta], Result[NormalizedResponse, WebError]]:
        """Take the end: return what it adds, and the answer."""
        deltas = () if self.done else self._take(self._frames.finish())
        if self._failure is not None:
            return deltas, Failure(self._failure)
        return deltas, self._fold.finish()

    def _take(self, framed: Result[Sequence[StreamEvent], WebError]) -> Sequence[Delta]:
        if isinstance(framed, Failure):
            self._failure = framed.failure()
            return ()
        return [delta for event in framed.unwrap() for delta in self._fold.feed(event)]
