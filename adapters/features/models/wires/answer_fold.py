"""The part that the folds of all wires share: the failure that ends a stream."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from returns.result import Failure

from webseam.ports.errors import WebError
from webseam.ports.models import ChatRequest, Delta

from ..declaration.wire import AnswerResult


class AnswerFold(ABC):
    """Folds the events of one streamed answer; never raises."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        self.done = False
        self._request = request
        self._failure: WebError | None = None

    def finish(self) -> AnswerResult:
        """Return the answer, or the error."""
        return self._streamed_answer() if self._failure is None else Failure(self._failure)

    @abstractmethod
    def _streamed_answer(self) -> AnswerResult:
        """Return the answer of a stream that ended without an error event."""

    def _fail_stream(self, error: WebError) -> Sequence[Delta]:
        self.done = True
        self._failure = error
        return ()
