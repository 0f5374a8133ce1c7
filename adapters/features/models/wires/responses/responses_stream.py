"""The stream of the Responses API: its last event has the answer, the others have deltas.

https://platform.openai.com/docs/api-reference/responses-streaming (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import as_list, as_mapping, json_or_none, text
from webseam.ports.errors import BadPayload, ConnectionLost
from webseam.ports.models import ChatRequest, Delta, ToolCallDelta

from ...declaration.wire import AnswerResult, Json, StreamEvent
from ...refusal_errors import embedded_refusal
from ..answer_fold import AnswerFold
from . import responses_answers
from .replay import is_commentary, message_items

_FINAL_EVENTS = frozenset(
    {"response.completed", "response.incomplete", "response.failed", "response.done"}
)
_TEXT_EVENTS = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THOUGHT_EVENTS = frozenset(
    {"response.reasoning_summary_text.delta", "response.reasoning_text.delta"}
)
_ARGUMENT_EVENTS = frozenset(
    {"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"}
)
_CALL_TYPES = frozenset({"function_call", "custom_tool_call"})


class ResponsesFold(AnswerFold):
    """Folds the events of one streamed answer; never raises."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        super().__init__(request)
        self._declared = responses_answers.declared_tool_names(request)
        self._answer: Mapping[str, object] | None = None
        self._items: dict[int | None, Mapping[str, object]] = {}
        self._calls: dict[int | None, int] = {}
        self._commentary: set[int | None] = set()
        self._texts: list[str] = []
        self._has_answer = False
        # Commentary and later thoughts, until it is known whether the commentary is the answer.
        self._held_thoughts: list[str] = []
        self._last_thought: tuple[object] | None = None

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return its deltas."""
        data = event.data.strip()
        if self.done or data in ("", "[DONE]"):
            return ()
        payload = json_or_none(data)
        kind = text(as_mapping(payload).get("type")) or event.name
        if "error" in (kind, event.name) or event.failed:
            return self._fail_stream(embedded_refusal(data if payload is None else payload))
        if not isinstance(payload, Mapping):
            return self._fail_stream(BadPayload(problem="not_json"))
        if kind in _FINAL_EVENTS:
            self.done = True
            self._answer = as_mapping(payload.get("response"))
            return ()
        return self._fold_event(kind, payload)

    def _streamed_answer(self) -> AnswerResult:
        if self._answer is None:
            return Failure(ConnectionLost())
        answer: Json = dict(self._answer)
        if not as_list(answer.get("output")):
            # Some servers omit the items in the last event; take them from earlier events.
            items = [self._items[key] for key in sorted(self._items, key=lambda index: index or 0)]
            answer["output"] = items if message_items(items) else [*self._message(), *items]
        return responses_answers.normalize_response(answer, self._request)

    def _fold_event(self, kind: str, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, piece = payload.get("output_index"), text(payload.get("delta"))
        position = index if isinstance(index, int) else None
        if kind == "response.output_item.added":
            return self._start_item(position, as_mapping(payload.get("item")))
        if kind == "response.output_item.done":
            self._items[position] = as_mapping(payload.get("item"))
        elif kind in _TEXT_EVENTS:
            return self._deltas(position, piece)
        elif kind in _THOUGHT_EVENTS and piece:
            part = payload.get("summary_index"), payload.get("content_index")
            return self._thought_deltas((position, kind, part), piece)
        elif kind in _ARGUMENT_EVENTS and position in self._calls:
            return (Delta(tool_call=ToolCallDelta(index=self._calls[position], arguments=piece)),)
        return ()

    def _start_item(self, position: int | None, item: Mapping[str, object]) -> Sequence[Delta]:
        if is_commentary(item):
            self._commentary.add(position)
        name = responses_answers.callers_function_name(text(item.get("name")), self._declared)
        if text(item.get("type")) not in _CALL_TYPES or not responses_answers.is_callers_call(
            item, name, self._request
        ):
            return ()
        if self._request is not None and name not in self._declared:
            # Perplexity's own searches look like calls; only the complete answer tells them apart.
            return ()
        index = self._calls[position] = len(self._calls)
        arguments = text(item.get("arguments")) or text(item.get("input"))
        call = ToolCallDelta(
            index=index,
            id=responses_answers.item_call_id(item),
            name=name,
            arguments=arguments,
        )
        return (Delta(tool_call=call),)

    def _deltas(self, position: int | None, piece: str) -> Sequence[Delta]:
        if position in self._commentary:
            if not piece:
                return ()
            if not self._has_answer:
                # Without an answer it is the answer, which only the end tells.
                self._held_thoughts.append(self._separate_thought(position, piece))
                return ()
            return self._thought_deltas(position, piece)
        self._texts.append(piece)
        if not piece:
            return ()
        self._has_answer = True
        if not self._held_thoughts:
            return (Delta(text=piece),)
        thoughts = "".join(self._held_thoughts)
        self._held_thoughts.clear()
        return Delta(reasoning=thoughts), Delta(text=piece)

    def _thought_deltas(self, part: object, piece: str) -> Sequence[Delta]:
        separated = self._separate_thought(part, piece)
        if self._held_thoughts:
            self._held_thoughts.append(separated)
            return ()
        return (Delta(reasoning=separated),)

    def _separate_thought(self, part: object, piece: str) -> str:
        """Put a blank line between two parts, as in a complete answer."""
        is_next = self._last_thought not in (None, (part,))
        self._last_thought = (part,)
        return f"\n\n{piece}" if is_next else piece

    def _message(self) -> list[Json]:
        part = {"type": "output_text", "text": "".join(self._texts)}
        return [{"type": "message", "content": [part]}] if part["text"] else []
