"""The stream of the Messages API, folded into one answer.

https://platform.claude.com/docs/en/build-with-claude/streaming (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import (
    as_list,
    as_mapping,
    as_objects,
    json_or_none,
    text,
    write_json,
)
from webseam.ports.errors import BadPayload, ConnectionLost
from webseam.ports.models import ChatRequest, Delta, ToolCallDelta

from ...claude.claude_tool_calls import is_schema_answer_call
from ...declaration.wire import AnswerResult, Json, StreamEvent
from ...messages.tool_calls import callers_tool_name
from ...refusal_errors import embedded_refusal
from ..answer_fold import AnswerFold
from ..stream_pieces import join_unknown
from .messages_answers import normalize_response, paused_blocks

_DELTA_FIELDS = {
    "text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature",
    "compaction_delta": "content",
}  # fmt: skip
_KNOWN_DELTA_SIZE = 2
# Fields of an event that are not fields of the message.
_EVENT_FIELDS = frozenset({"type", "delta", "usage"})
_BLOCK_TYPES = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "tool_use"}


class MessagesFold(AnswerFold):
    """Folds the events of one streamed answer; never raises."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        super().__init__(request)
        self._message: Json = {}
        self._usage: Json = {}
        self._blocks: dict[int, Json] = {}
        self._arguments: dict[int, list[str]] = {}
        self._citations: dict[int, list[object]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}
        self._call_numbers: dict[int, int] = {}
        self._answer_blocks: set[int] = set()
        self._first_block_count = 0
        # The last block with text, and whether a block of another type came after it.
        self._last_text: int | None = None
        self._is_interrupted = False
        # The last block with thoughts.
        self._last_thought: int | None = None
        # Take the blocks of a paused answer for those before this part.
        for block in paused_blocks(self._request):
            if block.get("type") == "thinking" and block.get("thinking"):
                self._last_thought = -1
            if block.get("type") != "text":
                self._is_interrupted = True
            elif block.get("text"):
                self._last_text, self._is_interrupted = -1, False
        self._handlers = {
            "message_start": self._start_message,
            "content_block_start": self._start_block,
            "content_block_delta": self._extend_block,
            "message_delta": self._update_message,
        }

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return its deltas."""
        data = event.data.strip()
        if self.done or not data:
            return ()
        if data == "[DONE]":
            # Not part of this API, but some hosts end every stream with it.
            self.done = True
            return ()
        payload = json_or_none(data)
        if not isinstance(payload, Mapping):
            is_error = event.name == "error"
            error = embedded_refusal(data) if is_error else BadPayload(problem="not_json")
            return self._fail_stream(error)
        kind = text(payload.get("type")) or event.name
        if "error" in (kind, event.name) or event.failed:
            return self._fail_stream(embedded_refusal(payload.get("error") or payload))
        self.done = kind == "message_stop"
        handler = self._handlers.get(kind)
        return () if handler is None else handler(payload)

    def _streamed_answer(self) -> AnswerResult:
        if not self.done and self._message.get("stop_reason") is None:
            return Failure(ConnectionLost())
        blocks = [self._complete_block(index) for index in sorted(self._blocks)]
        content: Sequence[object] = blocks or [*as_list(self._message.get("content"))]
        body = {**self._message, "content": content, "usage": self._usage}
        return normalize_response(body, self._request)

    def _start_message(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        message = as_mapping(payload.get("message"))
        existing_id = self._message.get("id")
        if existing_id and message.get("id") != existing_id:
            # A proxy mixed two answers in one stream; neither can be trusted.
            return self._fail_stream(BadPayload(problem="shape", path="$.message.id"))
        self._message.update(message)
        self._usage.update(as_mapping(message.get("usage")))
        # ``message_start`` may hold blocks of earlier code calls; later events still count from 0.
        first_blocks = as_objects(message.get("content"))
        deltas = [
            delta for i, block in enumerate(first_blocks) for delta in self._add_block(i, block)
        ]
        self._first_block_count = len(first_blocks)
        return deltas

    def _update_message(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        delta = as_mapping(payload.get("delta"))
        for fields in (delta, payload):
            for name, value in fields.items():
                if value is not None and name not in _EVENT_FIELDS:
                    self._message[name] = value
        # Counts are cumulative: a later one replaces an earlier one, a missing one does not.
        usage = as_mapping(payload.get("usage"))
        self._usage.update({name: usage[name] for name in usage if usage[name] is not None})
        return ()

    def _start_block(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        return self._add_block(self._block_index(payload), as_mapping(payload.get("content_block")))

    def _add_block(self, index: int, start: Mapping[str, object]) -> Sequence[Delta]:
        block = self._blocks[index] = dict(start)
        self._is_interrupted |= block.get("type") != "text"
        if block.get("type") == "tool_use":
            name, call_id = text(block.get("name")), text(block.get("id"))
            arguments = write_json(block["input"]) if as_mapping(block.get("input")) else ""
            return self._call_deltas(index, name=name, call_id=call_id, arguments=arguments)
        if block.get("type") == "redacted_thinking" and (data := text(block.get("data"))):
            return [Delta(redacted=data)]
        return self._text_deltas(index, text(block.get("text")), text(block.get("thinking")))

    def _extend_block(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, delta = self._block_index(payload), as_mapping(payload.get("delta"))
        kind = text(delta.get("type"))
        # Some hosts omit the event that starts a block.
        if index not in self._blocks:
            self._add_block(index, {"type": _BLOCK_TYPES.get(kind, "")})
        block = self._blocks[index]
        if kind == "input_json_delta":
            piece = text(delta.get("partial_json"))
            self._arguments.setdefault(index, []).append(piece)
            return self._call_deltas(index, arguments=piece) if piece else ()
        if kind == "citations_delta":
            self._citations.setdefault(index, []).append(delta.get("citation"))
            return ()
        name = _DELTA_FIELDS.get(kind, "")
        # A delta has its type and one more field; any other is kept with the block.
        if not name or len(delta) > _KNOWN_DELTA_SIZE:
            for field in delta.keys() - {"type", name}:
                block[field] = join_unknown(block.get(field), delta[field])
        if not name:
            return ()
        piece = text(delta.get(name))
        first = [text(block.get(name))]
        self._pieces.setdefault((index, name), first).append(piece)
        if name == "signature":
            return [Delta(signature=piece)] if piece else ()
        return self._text_deltas(
            index, *(piece if name == field else "" for field in ("text", "thinking"))
        )

    def _text_deltas(self, index: int, text_piece: str, thought: str) -> Sequence[Delta]:
        if text_piece:
            # As in a complete answer, a text that follows another type of block starts a new line.
            is_next = self._last_text is not None and index > self._last_text
            text_piece = f"\n{text_piece}" if is_next and self._is_interrupted else text_piece
            self._is_interrupted &= index == self._last_text
            self._last_text = index
        if thought and index != self._last_thought:
            # As in a complete answer, a blank line separates thoughts.
            thought = thought if self._last_thought is None else f"\n\n{thought}"
            self._last_thought = index
        return [Delta(text=text_piece, reasoning=thought)] if text_piece or thought else ()

    def _call_deltas(
        self, index: int, *, name: str = "", call_id: str = "", arguments: str = ""
    ) -> Sequence[Delta]:
        block = self._blocks[index]
        if block.get("type") != "tool_use":
            return ()
        if is_schema_answer_call(text(block.get("name")), self._request):
            return self._answer_deltas(index, arguments)
        number = self._call_numbers.setdefault(index, len(self._call_numbers))
        name = callers_tool_name(name, self._request) if name else ""
        piece = ToolCallDelta(index=number, id=call_id, name=name, arguments=arguments)
        return [Delta(tool_call=piece)]

    def _answer_deltas(self, index: int, piece: str) -> Sequence[Delta]:
        """Return a piece of an answer that comes as a call; it starts a new line after a text."""
        if not piece:
            return ()
        is_first = index not in self._answer_blocks
        has_text = self._last_text is not None or bool(self._answer_blocks)
        self._answer_blocks.add(index)
        return [Delta(text=f"\n{piece}" if is_first and has_text else piece)]

    def _block_index(self, payload: Mapping[str, object]) -> int:
        index = payload.get("index")
        if isinstance(index, int):
            return index + self._first_block_count
        return max(self._blocks, default=0)

    def _complete_block(self, index: int) -> Json:
        """Return a block with its streamed texts; arguments that are not JSON stay a text."""
        block = dict(self._blocks[index])
        for name in _DELTA_FIELDS.values():
            if (index, name) in self._pieces:
                block[name] = "".join(self._pieces[index, name])
        if index in self._citations:
            block["citations"] = [*as_list(block.get("citations")), *self._citations[index]]
        argument_text = "".join(self._arguments.get(index, ()))
        if argument_text:
            parsed = json_or_none(argument_text)
            block["input"] = parsed if isinstance(parsed, Mapping) else argument_text
        return block
