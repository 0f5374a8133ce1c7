"""The stream of Gemini's own API, put together into the answer it would have been.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from .....ports.errors import BadPayload, ConnectionLost, WebError
from .....ports.models.chat import ChatRequest, Delta, NormalizedResponse, ToolCallDelta
from ....values.json_values import as_mapping, as_objects, json_or_none, text
from ...declaration.wire import Json, StreamEvent
from ...refusals.errors import embedded_error
from .fragments import CallFragments
from .gemini_answers import normalize_response, read_calls, text_and_thoughts, validate_response


class GeminiFold:
    """One answer as it is being written. Each event is an answer in itself, with the next parts."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        """Begin with nothing said."""
        self.done = False
        self._request = request
        self._failure: WebError | None = None
        self._around: Json = {}
        self._candidate: Json = {}
        self._parts: list[Mapping[str, object]] = []
        self._called = 0
        self._open: CallFragments | None = None

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return what it adds."""
        data = event.data.strip()
        if self.done or not data:
            return ()
        chunk = json_or_none(data)
        if event.failed or event.name == "error":
            return self._fail(embedded_error(data if chunk is None else chunk))
        if not isinstance(chunk, Mapping):
            return self._fail(BadPayload(problem="not_json"))
        first = as_objects(chunk.get("candidates"))
        # Counts may come by themselves, after the last words.
        refused, counts = validate_response(chunk), as_mapping(chunk.get("usageMetadata"))
        if refused is not None and (not isinstance(refused, BadPayload) or not counts):
            return self._fail(refused)
        self._around.update({name: chunk[name] for name in chunk if chunk[name]})
        return self._take(first[0]) if first else ()

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer, or why there is none."""
        if self._failure is not None:
            return Failure(self._failure)
        if not text(self._candidate.get("finishReason")):
            # There is no other mark of the end.
            return Failure(ConnectionLost())
        if self._open is not None:
            # The end came before the call's own.
            self._parts.append(self._open.whole())
            self._open = None
        whole = {**self._candidate, "content": {"parts": self._parts}}
        return normalize_response({**self._around, "candidates": [whole]}, self._request)

    def _fail(self, error: WebError) -> Sequence[Delta]:
        self.done = True
        self._failure = error
        return ()

    def _take(self, candidate: Mapping[str, object]) -> Sequence[Delta]:
        parts = self._joined(as_objects(as_mapping(candidate.get("content")).get("parts")))
        self._candidate.update(candidate)
        words, thoughts = text_and_thoughts(parts)
        deltas = [Delta(text=words, reasoning=thoughts)] if words or thoughts else []
        for call in read_calls(parts, self._request, len(self._parts)):
            piece = ToolCallDelta(
                index=self._called, id=call.id, name=call.name, arguments=call.arguments
            )
            deltas.append(Delta(tool_call=piece))
            self._called += 1
        self._parts += parts
        return deltas

    def _joined(self, parts: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
        """Return the parts that are whole; a call whose arguments still come is held back."""
        whole: list[Mapping[str, object]] = []
        for part in parts:
            call = as_mapping(part.get("functionCall"))
            if self._open is None and call.get("willContinue") is not True:
                whole.append(part)
            elif self._open is None:
                self._open = CallFragments(part)
            elif "functionCall" not in part:
                whole.append(part)
            elif not self._open.add(part):
                whole.append(self._open.whole())
                self._open = None
        return whole
