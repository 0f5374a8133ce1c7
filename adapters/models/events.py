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
        self._told: list[str] = []

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
        answer = self._fold.finish()
        return (*deltas, *self._untold(answer)), answer

    def _take(self, framed: Result[Sequence[StreamEvent], WebError]) -> Sequence[Delta]:
        if isinstance(framed, Failure):
            self._failure = framed.failure()
            return ()
        deltas = [delta for event in framed.unwrap() for delta in self._fold.feed(event)]
        self._told += [delta.text for delta in deltas]
        return deltas

    def _untold(self, answer: Result[NormalizedResponse, WebError]) -> Sequence[Delta]:
        """Return the text that only the whole answer shows, such as a refusal's.

        Where it does not go on from what was told, that is taken back.
        """
        if isinstance(answer, Failure):
            return ()
        content, told = answer.unwrap().content or "", "".join(self._told)
        rest = content.removeprefix(told) if content.startswith(told) else ""
        return (Delta(text=rest),) if rest else ()
