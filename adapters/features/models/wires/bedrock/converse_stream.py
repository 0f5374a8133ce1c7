"""Answers of Converse, and its stream folded into one answer.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import (
    as_count,
    as_list,
    as_mapping,
    as_objects,
    json_or_none,
    text,
)
from webseam.ports.errors import BadPayload, ConnectionLost, ModelFailed, WebError
from webseam.ports.models import ChatRequest, Delta, FinishReason, NormalizedResponse, ToolCallDelta
from webseam.ports.receipts import CacheStats, Usage

from ...claude import claude_tool_calls, content_blocks
from ...declaration.wire import AnswerResult, Json, StreamEvent
from ...messages.tool_calls import callers_tool_name
from ...usage import token_cache_stats
from .. import answer_fold, unread_answers, unread_fields
from ..stream_pieces import join_base64, join_unknown
from .bedrock_refusals import bedrock_stream_error
from .converse_thinking import CONVERSE_BLOCKS_FIELD, bedrock_to_claude_block

_FINISH_REASONS: dict[str, FinishReason] = {
    "tool_use": "tool_calls", "max_tokens": "length", "model_context_window_exceeded": "length",
    "content_filtered": "content_filter", "guardrail_intervened": "content_filter",
}  # fmt: skip
# The model's output cannot be parsed; a retry may succeed.
_FAILED_STOP_REASONS = frozenset({"malformed_model_output", "malformed_tool_use"})
_PLAIN_BLOCK_KEYS = frozenset({"text", "toolUse"})
_KEPT_BODY_FIELDS = (
    "additionalModelResponseFields", "trace", "serviceTier", "performanceConfig", "metrics",
)  # fmt: skip
_READ_COUNTS = frozenset({
    "inputTokens", "outputTokens", "totalTokens", "cacheReadInputTokens", "cacheWriteInputTokens",
})  # fmt: skip
_KNOWN_BODY = unread_fields.known(
    "stopReason",
    "__type",
    "usage",
    *_KEPT_BODY_FIELDS,
    output=unread_fields.known(message=unread_fields.known("role", "content")),
)
_KNOWN_PLAIN_BLOCK = unread_fields.known(
    "text", toolUse=unread_fields.known("toolUseId", "name", "input", "type")
)
# Blocks that are an answer without words.
_ANSWERING_BLOCK_KEYS = frozenset({"audio", "document", "image", "toolResult", "video"})
# Stop reasons that the finish reason tells; of the others ``provider_data`` keeps the name.
_TOLD_STOP_REASONS = ("", "end_turn", "stop_sequence", *_FINISH_REASONS)
_KNOWN_STARTS = frozenset({"toolUse", "toolResult"})
_KNOWN_DELTAS = frozenset({"text", "toolUse", "toolResult", "reasoningContent", "citation"})


def map_finish_reason(raw: object) -> FinishReason:
    """Return one of four reasons for a ``stopReason``; an unknown one is ``stop``."""
    return _FINISH_REASONS.get(raw, "stop") if isinstance(raw, str) else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return the error if ``payload`` is not an answer, else None."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    if "output" not in payload and payload.get("__type"):
        return bedrock_stream_error(text(payload["__type"]), payload)
    message = as_mapping(as_mapping(payload.get("output")).get("message"))
    if not isinstance(message.get("content"), list):
        return BadPayload(problem="shape", path="$.output.message.content")
    reason = text(payload.get("stopReason"))
    if reason in _FAILED_STOP_REASONS:
        return ModelFailed(code=reason)
    if as_objects(message["content"]) or reason not in ("", "tool_use"):
        return None
    return BadPayload(problem="shape", path="$.output.message.content", detail="it is empty")


def cache_stats(payload: object) -> CacheStats | None:
    """Return the tokens read from and written to the cache, or None."""
    return token_cache_stats(read_bedrock_usage(as_mapping(payload).get("usage")))


def read_bedrock_usage(counts: object) -> Usage | None:
    """Return the token counts; ``inputTokens`` excludes cache reads and writes."""
    if not isinstance(counts, Mapping) or not counts:
        return None
    cached = as_count(counts.get("cacheReadInputTokens"))
    written = as_count(counts.get("cacheWriteInputTokens"))
    prompt_tokens = as_count(counts.get("inputTokens")) + cached + written
    written_tokens = as_count(counts.get("outputTokens"))
    return Usage(
        input_tokens=prompt_tokens,
        output_tokens=written_tokens,
        total_tokens=max(prompt_tokens + written_tokens, as_count(counts.get("totalTokens"))),
        cached_tokens=cached,
        cache_write_tokens=written,
    )


def normalize_response(payload: object, request: ChatRequest | None = None, /) -> AnswerResult:
    """Return the answer in any JSON, or a typed failure; the model comes from the request."""
    error = validate_response(payload)
    if error is not None:
        return Failure(error)
    body = as_mapping(payload)
    content_items = as_mapping(as_mapping(body["output"])["message"])["content"]
    items = as_objects(content_items)
    blocks = [block for item in items if (block := bedrock_to_claude_block(item)) is not None]
    finish = map_finish_reason(body.get("stopReason"))
    calls, answers = claude_tool_calls.read_claude_tool_calls(blocks, request)
    content = "\n".join((*filter(None, [content_blocks.join_claude_text(blocks)]), *answers))
    if finish in ("stop", "tool_calls"):
        finish = "tool_calls" if calls else "stop"
    usage = read_bedrock_usage(body.get("usage"))
    response = NormalizedResponse(
        content=content or None,
        finish_reason=finish,
        tool_calls=calls,
        reasoning=claude_tool_calls.read_claude_thoughts(blocks),
        usage=usage,
        cache=token_cache_stats(usage),
        model=None if request is None else request.model,
        provider_data=_provider_data(body, items, blocks),
    )
    is_kept = any(item.keys() & _ANSWERING_BLOCK_KEYS for item in items)
    path = "$.output.message.content"
    return unread_answers.refuse_empty_answer(response, path, is_kept=is_kept)


def _provider_data(
    body: Mapping[str, object],
    items: Sequence[Mapping[str, object]],
    blocks: Sequence[Mapping[str, object]],
) -> Mapping[str, object] | None:
    extras: dict[str, object] = {}
    thoughts = [block for block in blocks if block["type"] in content_blocks.THINKING_TYPES]
    if thoughts:
        extras["reasoning_details"] = thoughts
    if any(not set(item) <= _PLAIN_BLOCK_KEYS for item in items):
        extras[CONVERSE_BLOCKS_FIELD] = [dict(item) for item in items]
    extras.update({name: body[name] for name in _KEPT_BODY_FIELDS if body.get(name)})
    counts = as_mapping(body.get("usage"))
    if not counts.keys() <= _READ_COUNTS:
        extras["usage"] = counts
    if text(body.get("stopReason")) not in _TOLD_STOP_REASONS:
        extras["stop_reason"] = body["stopReason"]
    unread: dict[str, object] = {}
    unread_fields.find_unread_fields(body, _KNOWN_BODY, "$", unread)
    content = as_mapping(as_mapping(body["output"])["message"])["content"]
    if CONVERSE_BLOCKS_FIELD not in extras:
        path = "$.output.message.content"
        unread_fields.find_unread_fields(items, _KNOWN_PLAIN_BLOCK, path, unread)
    for index, item in enumerate(as_list(content)):
        if unread_fields.says_something(item) and not isinstance(item, Mapping):
            unread[f"$.output.message.content[{index}]"] = item
    extras.update(unread_fields.keep_unread_fields(unread))
    return extras or None


class BlockBuilder:
    """One streamed block; its fields show its type."""

    def __init__(self) -> None:
        self.call: Json | None = None
        self.result: Json | None = None
        self.result_blocks: list[Mapping[str, object]] = []
        self.arguments: list[str] = []
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.signatures: list[str] = []
        self.redacted_pieces: list[str] = []
        self.citations: list[object] = []
        # Blocks of other types, such as images.
        self.unknown: Json = {}

    @property
    def is_text(self) -> bool:
        """Whether the block is text so far."""
        return self.call is None and not (self.thoughts or self.signatures or self.redacted_pieces)

    def complete_block(self) -> Json:
        """Return the complete block; truncated arguments stay a text."""
        block = self._known_block()
        if not self.unknown:
            return block
        return self.unknown if block == {"text": ""} else {**block, **self.unknown}

    def _known_block(self) -> Json:
        if self.call is not None:
            argument_text = "".join(self.arguments)
            parsed = json_or_none(argument_text) if argument_text else {}
            arguments = parsed if isinstance(parsed, Mapping) else argument_text
            return {"toolUse": {**self.call, "input": arguments}}
        if self.result is not None:
            return {"toolResult": {**self.result, "content": self.result_blocks}}
        if self.redacted_pieces:
            return {"reasoningContent": {"redactedContent": join_base64(self.redacted_pieces)}}
        if not self.is_text:
            signature = {"signature": "".join(self.signatures)} if self.signatures else {}
            thought = "".join(self.thoughts)
            return {"reasoningContent": {"reasoningText": {"text": thought, **signature}}}
        if self.citations:
            content = [{"text": "".join(self.texts)}]
            return {"citationsContent": {"content": content, "citations": self.citations}}
        return {"text": "".join(self.texts)}


class ConverseFold(answer_fold.AnswerFold):
    """Folds the events of one streamed answer; never raises."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        super().__init__(request)
        self._body: Json = {}
        self._blocks: dict[int, BlockBuilder] = {}
        self._call_numbers: dict[int, int] = {}
        self._last_text: int | None = None
        self._last_thought: int | None = None
        self._answer_blocks: set[int] = set()
        self._handlers = {
            "contentBlockStart": self._start_block,
            "contentBlockDelta": self._extend_block,
            "contentBlockStop": self._stop_block,
            "messageStop": self._store_stop,
            "metadata": self._store_metadata,
        }

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return its deltas."""
        if self.done:
            return ()
        payload = json_or_none(event.data)
        if event.failed:
            return self._fail_stream(bedrock_stream_error(event.name, payload))
        if not isinstance(payload, Mapping):
            return self._fail_stream(BadPayload(problem="not_json"))
        handler = self._handlers.get(event.name)
        return () if handler is None else handler(payload)

    def _streamed_answer(self) -> AnswerResult:
        if "stopReason" not in self._body:
            return Failure(ConnectionLost())
        content = [self._blocks[index].complete_block() for index in sorted(self._blocks)]
        blocks = [block for block in content if block != {"text": ""}]
        body = {**self._body, "output": {"message": {"content": blocks}}}
        return normalize_response(body, self._request)

    def _store_stop(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        self._store_fields(payload)
        self._body.setdefault("stopReason", payload.get("stopReason"))
        return ()

    def _store_metadata(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        self._store_fields(payload)
        self.done = "stopReason" in self._body
        return ()

    def _store_fields(self, payload: Mapping[str, object]) -> None:
        # ``p`` is padding against eavesdroppers.
        self._body.update(
            {name: payload[name] for name in payload if payload[name] and name != "p"}
        )

    def _start_block(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, start = self._block_index(payload), as_mapping(payload.get("start"))
        call, result = as_mapping(start.get("toolUse")), as_mapping(start.get("toolResult"))
        piece = self._blocks.setdefault(index, BlockBuilder())
        if result:
            piece.result = dict(result)
        for name in start.keys() - _KNOWN_STARTS:
            piece.unknown[name] = start[name]
        if not call:
            return ()
        piece.call = dict(call)
        return self._call_deltas(
            index, name=text(call.get("name")), call_id=text(call.get("toolUseId"))
        )

    def _extend_block(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, delta = self._block_index(payload), as_mapping(payload.get("delta"))
        piece = self._blocks.setdefault(index, BlockBuilder())
        if not delta.keys() <= _KNOWN_DELTAS:
            for name in delta.keys() - _KNOWN_DELTAS:
                piece.unknown[name] = join_unknown(piece.unknown.get(name), delta[name])
        if isinstance(delta.get("citation"), Mapping):
            piece.citations.append(delta["citation"])
        if piece.result is not None:
            piece.result_blocks += as_objects(delta.get("toolResult"))
        text_piece = text(delta.get("text"))
        piece.texts.append(text_piece)
        thinking = as_mapping(delta.get("reasoningContent"))
        thought, signature = (
            self._add_thought(piece, thinking),
            text(thinking.get("signature")),
        )
        arguments = text(as_mapping(delta.get("toolUse")).get("input"))
        if arguments:
            piece.call = piece.call or {}
            piece.arguments.append(arguments)
            return self._call_deltas(index, arguments=arguments)
        text_piece = self._separate_text(index, text_piece)
        if thought and index != self._last_thought:
            # As in a complete answer, a blank line separates thoughts.
            thought = thought if self._last_thought is None else f"\n\n{thought}"
            self._last_thought = index
        made = Delta(text=text_piece, reasoning=thought, signature=signature)
        return [made] if text_piece or thought or signature else ()

    def _stop_block(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        """Return an encrypted thought: its pieces are of no use alone."""
        block = self._blocks.get(self._block_index(payload))
        pieces = [] if block is None else block.redacted_pieces
        return [Delta(redacted=join_base64(pieces))] if pieces else ()

    def _add_thought(self, piece: BlockBuilder, thinking: Mapping[str, object]) -> str:
        thought = text(thinking.get("text"))
        piece.thoughts += filter(None, [thought])
        piece.signatures += filter(None, [text(thinking.get("signature"))])
        piece.redacted_pieces += filter(None, [text(thinking.get("redactedContent"))])
        return thought

    def _separate_text(self, index: int, text_piece: str) -> str:
        """Start a new line after other types of blocks, as in a complete answer."""
        if not text_piece or index == self._last_text:
            return text_piece
        last_text = index if self._last_text is None else self._last_text
        self._last_text = index
        between = (block for i, block in self._blocks.items() if last_text < i < index)
        return text_piece if all(block.is_text for block in between) else f"\n{text_piece}"

    def _call_deltas(
        self, index: int, *, name: str = "", call_id: str = "", arguments: str = ""
    ) -> Sequence[Delta]:
        call = self._blocks[index].call or {}
        if call.get("type") == "server_tool_use":
            return ()
        if claude_tool_calls.is_schema_answer_call(text(call.get("name")), self._request):
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
        index = payload.get("contentBlockIndex")
        return index if isinstance(index, int) else max(self._blocks, default=0)
