"""The stream of the Responses API: its last event holds the answer, the others tell it early.

https://platform.openai.com/docs/api-reference/responses-streaming (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from .....ports.errors import BadPayload, ConnectionLost, WebError
from .....ports.models.chat import ChatRequest, Delta, NormalizedResponse, ToolCallDelta
from ....values.json_values import as_list, as_mapping, json_or_none, text
from ...declaration.wire import Json, StreamEvent
from ...refusals.errors import embedded_error
from .replay import is_aside, message_items
from .responses_answers import (
    caller_name,
    declared_names,
    is_caller_call,
    item_call_id,
    normalize_response,
)

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed", "response.done"})
_TEXT = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHT = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_ARGUMENTS = frozenset(
    {"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"}
)
_CALLS = frozenset({"function_call", "custom_tool_call"})


class ResponsesFold:
    """One answer as it is being written. It never raises, whatever comes."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        """Begin with no item."""
        self.done = False
        self._request = request
        self._declared = declared_names(request)
        self._failure: WebError | None = None
        self._answer: Mapping[str, object] | None = None
        self._items: dict[int | None, Mapping[str, object]] = {}
        self._calls: dict[int | None, int] = {}
        self._asides: set[int | None] = set()
        self._said = ""

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return what it adds."""
        data = event.data.strip()
        if self.done or data in ("", "[DONE]"):
            return ()
        payload = json_or_none(data)
        kind = text(as_mapping(payload).get("type")) or event.name
        if "error" in (kind, event.name) or event.failed:
            return self._fail(embedded_error(data if payload is None else payload))
        if not isinstance(payload, Mapping):
            return self._fail(BadPayload(problem="not_json"))
        if kind in _LAST:
            self.done = True
            self._answer = as_mapping(payload.get("response"))
            return ()
        return self._piece(kind, payload)

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer, or why there is none."""
        if self._failure is not None:
            return Failure(self._failure)
        if self._answer is None:
            return Failure(ConnectionLost())
        answer: Json = dict(self._answer)
        if not as_list(answer.get("output")):
            # Some servers leave the items out of the last event: they were told before.
            items = [self._items[key] for key in sorted(self._items, key=lambda place: place or 0)]
            answer["output"] = items if message_items(items) else [*self._spoken(), *items]
        return normalize_response(answer, self._request)

    def _fail(self, error: WebError) -> Sequence[Delta]:
        self.done = True
        self._failure = error
        return ()

    def _piece(self, kind: str, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, piece = payload.get("output_index"), text(payload.get("delta"))
        place = index if isinstance(index, int) else None
        if kind == "response.output_item.added":
            return self._begin(place, as_mapping(payload.get("item")))
        if kind == "response.output_item.done":
            self._items[place] = as_mapping(payload.get("item"))
        elif kind in _TEXT:
            return self._speak(place, piece)
        elif kind in _THOUGHT and piece:
            return (Delta(reasoning=piece),)
        elif kind in _ARGUMENTS and place in self._calls:
            return (Delta(tool_call=ToolCallDelta(index=self._calls[place], arguments=piece)),)
        return ()

    def _begin(self, place: int | None, item: Mapping[str, object]) -> Sequence[Delta]:
        if is_aside(item):
            self._asides.add(place)
        name = caller_name(text(item.get("name")), self._declared)
        if item.get("type") not in _CALLS or not is_caller_call(item, name, self._request):
            return ()
        if self._request is not None and name not in self._declared:
            # Perplexity's own searches begin like calls; whether it is one shows in the end.
            return ()
        index = self._calls[place] = len(self._calls)
        arguments = text(item.get("arguments")) or text(item.get("input"))
        call = ToolCallDelta(index=index, id=item_call_id(item), name=name, arguments=arguments)
        return (Delta(tool_call=call),)

    def _speak(self, place: int | None, piece: str) -> Sequence[Delta]:
        if place in self._asides:
            return (Delta(reasoning=piece),) if piece else ()
        self._said += piece
        return (Delta(text=piece),) if piece else ()

    def _spoken(self) -> list[Json]:
        part = {"type": "output_text", "text": self._said}
        return [{"type": "message", "content": [part]}] if self._said else []
