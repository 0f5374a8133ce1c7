"""Model answers from HTTP responses: one JSON document, or a stream of events."""

from collections.abc import Sequence

import httpx
import msgspec
from returns.result import Failure

from webseam.adapters.values.json_values import json_or_none
from webseam.ports.errors import BadPayload, WebError
from webseam.ports.models import ChatRequest, Delta, NormalizedResponse, ToolCallDelta

from ..declaration.wire import AnswerResult, EventsResult, RefusedAnswer, Wire

_MAX_ERROR_BYTES = 500
_BOM = b"\xef\xbb\xbf"
_EVENT_STREAM_STARTS = (b"data:", b"event:", b":", b"id:", b"error:")


class EventReader:
    """Reads one stream; any split of its bytes gives the same text and the same answer."""

    def __init__(self, wire: Wire, request: ChatRequest | None = None) -> None:
        self._frames = wire.frames()
        self._fold = wire.fold(request)
        self._failure: WebError | None = None
        self._streamed_texts: list[str] = []
        self._streamed_thoughts: list[str] = []
        self._has_streamed_calls = False

    @property
    def done(self) -> bool:
        """Whether the answer has ended; later bytes are ignored."""
        return self._failure is not None or self._fold.done

    def feed(self, piece: bytes) -> Sequence[Delta]:
        """Take the next bytes and return their deltas."""
        return () if self.done else self._fold_events(self._frames.feed(piece))

    def finish(self) -> tuple[Sequence[Delta], AnswerResult]:
        """Take the end of the stream; return the last deltas, and the answer."""
        deltas = () if self.done else self._fold_events(self._frames.finish())
        if self._failure is not None:
            return deltas, Failure(self._failure)
        answer = self._fold.finish()
        return (*deltas, *self._missing_deltas(answer)), answer

    def _fold_events(self, framed: EventsResult) -> Sequence[Delta]:
        if isinstance(framed, Failure):
            self._failure = framed.failure()
            return ()
        deltas = [delta for event in framed.unwrap() for delta in self._fold.feed(event)]
        for delta in deltas:
            if delta.text:
                self._streamed_texts.append(delta.text)
            if delta.reasoning:
                self._streamed_thoughts.append(delta.reasoning)
            if delta.tool_call is not None:
                self._has_streamed_calls = True
        return deltas

    def _missing_deltas(self, answer: AnswerResult) -> Sequence[Delta]:
        """Return what only the complete answer has.

        A refusal's text is one, and so is a second choice, or commentary that turned out to be the
        answer.
        """
        if isinstance(answer, Failure):
            return ()
        response = answer.unwrap()
        thoughts = response.reasoning or response.reasoning_content or ""
        rest = Delta(
            text=_rest_after(self._streamed_texts, response.content or ""),
            reasoning=_rest_after(self._streamed_thoughts, thoughts),
        )
        calls = [] if self._has_streamed_calls else _call_deltas(response)
        return [*([rest] if rest.text or rest.reasoning else []), *calls]


def _rest_after(pieces: Sequence[str], whole: str) -> str:
    streamed = "".join(pieces)
    return whole.removeprefix(streamed) if whole.startswith(streamed) else ""


def _call_deltas(response: NormalizedResponse) -> list[Delta]:
    return [
        Delta(
            tool_call=ToolCallDelta(
                index=index, id=call.id, name=call.name, arguments=call.arguments
            )
        )
        for index, call in enumerate(response.tool_calls)
    ]


def is_event_stream(response: httpx.Response, wire: Wire) -> bool:
    """Tell whether a success is an event stream; some servers stream unasked, others never."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return response.is_success and kind == wire.accept


def read_answer(
    response: httpx.Response, body: bytes, wire: Wire, request: ChatRequest, now: float
) -> AnswerResult:
    """Return the answer in a complete body, or the error of its status or content."""
    if is_event_stream(response, wire):
        return _read_buffered_answer(body, wire, request)
    payload = json_or_none(body.removeprefix(_BOM))
    if response.is_success and payload is None and body.lstrip().startswith(_EVENT_STREAM_STARTS):
        # Events with another content type.
        return _read_buffered_answer(body, wire, request)
    if not response.is_success:
        return Failure(wire.refusal(make_refused_answer(response, body, request.model, now)))
    if payload is None:
        kind = response.headers.get("content-type", "none")
        detail = f"content type {kind}"
        return Failure(BadPayload(problem="not_json", status=response.status_code, detail=detail))
    answer = wire.normalize_response(payload, request)
    if not isinstance(payload, dict):
        return answer
    return answer.map(lambda response: msgspec.structs.replace(response, raw=payload))


def make_refused_answer(
    response: httpx.Response, body: bytes, model: str, now: float
) -> RefusedAnswer:
    """Return the JSON of an error response, else the beginning of its text."""
    payload = json_or_none(body.removeprefix(_BOM))
    error_body = body[:_MAX_ERROR_BYTES].decode("utf-8", "replace") if payload is None else payload
    status, headers = response.status_code, response.headers
    return RefusedAnswer(status=status, headers=headers, payload=error_body, model=model, now=now)


def _read_buffered_answer(body: bytes, wire: Wire, request: ChatRequest) -> AnswerResult:
    reader = EventReader(wire, request)
    reader.feed(body)
    return reader.finish()[1]


def answer_deltas(answer: AnswerResult, separator: str = "") -> Sequence[Delta]:
    """Return a complete answer as deltas, for a server that did not stream as asked.

    ``separator`` goes before the text, after the part of the answer that came before.
    """
    if isinstance(answer, Failure):
        return ()
    response = answer.unwrap()
    thoughts = response.reasoning or response.reasoning_content or ""
    text_delta = Delta(text=separator + (response.content or ""), reasoning=thoughts)
    text_deltas = [text_delta] if text_delta.text or text_delta.reasoning else []
    return [*text_deltas, *_call_deltas(response)]
