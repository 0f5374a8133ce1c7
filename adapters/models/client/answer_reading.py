"""What came back over HTTP, as an answer: one JSON document, or a stream of events."""

from collections.abc import Sequence

import httpx
import msgspec
from returns.result import Failure, Result

from ....ports.errors import BadPayload, WebError
from ....ports.models.chat import ChatRequest, Delta, NormalizedResponse, ToolCallDelta
from ...values.json_values import json_or_none
from ..declaration.wire import RefusedAnswer, StreamEvent, Wire


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
        content, streamed = answer.unwrap().content or "", "".join(self._told)
        rest = content.removeprefix(streamed) if content.startswith(streamed) else ""
        return (Delta(text=rest),) if rest else ()


_MAX_ERROR_BYTES = 500
_BOM = b"\xef\xbb\xbf"
_EVENTS = (b"data:", b"event:", b":", b"id:", b"error:")


def is_stream(response: httpx.Response, wire: Wire) -> bool:
    """Tell whether a success comes as events; some servers do that unasked, others never."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return response.is_success and kind == wire.accept


def read_answer(
    response: httpx.Response, body: bytes, wire: Wire, request: ChatRequest, now: float
) -> Result[NormalizedResponse, WebError]:
    """Return the answer in a whole body, or what the status or the body says instead."""
    if is_stream(response, wire):
        return _read_events(body, wire, request)
    payload = json_or_none(body.removeprefix(_BOM))
    if response.is_success and payload is None and body.lstrip().startswith(_EVENTS):
        # Events under another name.
        return _read_events(body, wire, request)
    if not response.is_success:
        return Failure(wire.refusal(refused_answer(response, body, request.model, now)))
    if payload is None:
        kind = response.headers.get("content-type", "none")
        detail = f"content type {kind}"
        return Failure(BadPayload(problem="not_json", status=response.status_code, detail=detail))
    answer = wire.normalize_response(payload, request)
    if not isinstance(payload, dict):
        return answer
    return answer.map(lambda response: msgspec.structs.replace(response, raw=payload))


def refused_answer(response: httpx.Response, body: bytes, model: str, now: float) -> RefusedAnswer:
    """Return what a response without success says: its JSON, else the beginning of its text."""
    payload = json_or_none(body.removeprefix(_BOM))
    words = body[:_MAX_ERROR_BYTES].decode("utf-8", "replace") if payload is None else payload
    status, headers = response.status_code, response.headers
    return RefusedAnswer(status=status, headers=headers, payload=words, model=model, now=now)


def _read_events(
    body: bytes, wire: Wire, request: ChatRequest
) -> Result[NormalizedResponse, WebError]:
    reader = EventReader(wire, request)
    reader.feed(body)
    return reader.finish()[1]


def answer_deltas(answer: Result[NormalizedResponse, WebError]) -> Sequence[Delta]:
    """Return a whole answer in pieces, for who asked a server to stream that cannot."""
    if isinstance(answer, Failure):
        return ()
    response = answer.unwrap()
    thoughts = response.reasoning or response.reasoning_content or ""
    piece = Delta(text=response.content or "", reasoning=thoughts)
    calls = (
        ToolCallDelta(index=index, id=call.id, name=call.name, arguments=call.arguments)
        for index, call in enumerate(response.tool_calls)
    )
    spoken = [piece] if piece.text or piece.reasoning else []
    return [*spoken, *(Delta(tool_call=call) for call in calls)]
