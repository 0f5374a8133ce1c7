"""The stream of Converse, put together into the answer it would have been.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (2026-11-15)
"""

import base64
from collections.abc import Mapping, Sequence

from returns.result import Failure, Result, Success

from .....ports.errors import BadPayload, ConnectionLost, ModelFailed, WebError
from .....ports.models.chat import (
    ChatRequest,
    Delta,
    FinishReason,
    NormalizedResponse,
    ToolCallDelta,
)
from .....ports.receipts import CacheStats, Usage
from ....values.json_values import as_count, as_mapping, as_objects, json_or_none, text
from ...claude.claude_tool_calls import (
    is_schema_answer_call,
    read_claude_thoughts,
    read_claude_tool_calls,
)
from ...claude.content_blocks import THINKING_TYPES, join_text_blocks
from ...declaration.wire import Json, StreamEvent
from ...messages.tool_calls import callers_tool_name
from ...usage import cache_usage
from .bedrock_refusals import stream_error
from .converse_thinking import BLOCKS, to_messages

_FINISH: dict[str, FinishReason] = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
}
# The model wrote what cannot be read: another try may do better.
_BROKEN = frozenset({"malformed_model_output", "malformed_tool_use"})
_PLAIN = frozenset({"text", "toolUse"})
_KEPT = ("additionalModelResponseFields", "trace")


def map_finish_reason(raw: object) -> FinishReason:
    """Return the one of four reasons that a ``stopReason`` means; what nobody knows is ``stop``."""
    return _FINISH.get(raw, "stop") if isinstance(raw, str) else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return why ``payload`` is not an answer, None if it is one."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    if "output" not in payload and payload.get("__type"):
        return stream_error(text(payload["__type"]), payload)
    message = as_mapping(as_mapping(payload.get("output")).get("message"))
    if not isinstance(message.get("content"), list):
        return BadPayload(problem="shape", path="$.output.message.content")
    reason = text(payload.get("stopReason"))
    if reason in _BROKEN:
        return ModelFailed(code=reason)
    if as_objects(message["content"]) or reason not in ("", "tool_use"):
        return None
    return BadPayload(problem="shape", path="$.output.message.content", detail="it is empty")


def cache_stats(payload: object) -> CacheStats | None:
    """Return what the cache did; None when it did nothing."""
    return cache_usage(read_usage(as_mapping(payload).get("usage")))


def read_usage(counts: object) -> Usage | None:
    """Return the tokens; ``inputTokens`` leaves out what the cache gave or took."""
    if not isinstance(counts, Mapping) or not counts:
        return None
    cached, written = (
        as_count(counts.get(f"cache{what}InputTokens")) for what in ("Read", "Write")
    )
    prompt_tokens = as_count(counts.get("inputTokens")) + cached + written
    written_tokens = as_count(counts.get("outputTokens"))
    return Usage(
        input_tokens=prompt_tokens,
        output_tokens=written_tokens,
        total_tokens=max(prompt_tokens + written_tokens, as_count(counts.get("totalTokens"))),
        cached_tokens=cached,
        cache_write_tokens=written,
    )


def normalize_response(
    payload: object, request: ChatRequest | None = None, /
) -> Result[NormalizedResponse, WebError]:
    """Return the answer in any JSON, or a typed failure; the model is named by the request."""
    refused = validate_response(payload)
    if refused is not None:
        return Failure(refused)
    body = as_mapping(payload)
    items = as_objects(as_mapping(as_mapping(body["output"])["message"])["content"])
    blocks = [block for item in items if (block := to_messages(item)) is not None]
    finish = map_finish_reason(body.get("stopReason"))
    calls, answers = read_claude_tool_calls(blocks, request)
    content = "\n".join((*filter(None, [join_text_blocks(blocks)]), *answers))
    if finish in ("stop", "tool_calls"):
        finish = "tool_calls" if calls else "stop"
    return Success(
        NormalizedResponse(
            content=content or None,
            finish_reason=finish,
            tool_calls=calls,
            reasoning=read_claude_thoughts(blocks),
            usage=read_usage(body.get("usage")),
            cache=cache_stats(body),
            model=None if request is None else request.model,
            provider_data=_kept(body, items, blocks),
        )
    )


def _kept(
    body: Mapping[str, object],
    items: Sequence[Mapping[str, object]],
    blocks: Sequence[Mapping[str, object]],
) -> Mapping[str, object] | None:
    """Return what a replay needs, and what guardrails and models say beside the answer."""
    extras: dict[str, object] = {}
    thoughts = [block for block in blocks if block["type"] in THINKING_TYPES]
    if thoughts:
        extras["reasoning_details"] = thoughts
    if any(not set(item) <= _PLAIN for item in items):
        extras[BLOCKS] = [dict(item) for item in items]
    extras.update({name: body[name] for name in _KEPT if body.get(name)})
    return extras or None


# The stream of Converse, put together into the answer it would have been.


class BlockBuilder:
    """One block as it grows: what kind it is shows in what came for it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.call: Json | None = None
        self.result: Json | None = None
        self.arguments = ""
        self.said = ""
        self.thought = ""
        self.signature = ""
        self.redacted: list[str] = []
        self.citations: list[object] = []

    @property
    def speaks(self) -> bool:
        """Whether it is text, as far as can be seen."""
        return self.call is None and not (self.thought or self.signature or self.redacted)

    def whole(self) -> Json:
        """Return the block; arguments that were cut off stay the text they are."""
        if self.call is not None:
            held = json_or_none(self.arguments) if self.arguments else {}
            arguments = held if isinstance(held, Mapping) else self.arguments
            return {"toolUse": {**self.call, "input": arguments}}
        if self.result is not None:
            return {"toolResult": self.result}
        if self.redacted:
            return {"reasoningContent": {"redactedContent": _joined(self.redacted)}}
        if not self.speaks:
            signed = {"signature": self.signature} if self.signature else {}
            return {"reasoningContent": {"reasoningText": {"text": self.thought, **signed}}}
        if self.citations:
            content = [{"text": self.said}]
            return {"citationsContent": {"content": content, "citations": self.citations}}
        return {"text": self.said}


def _joined(pieces: Sequence[str]) -> str:
    """Return base64 in pieces as one: each of them may have its own padding."""
    if len(pieces) == 1:
        return pieces[0]
    try:
        return base64.b64encode(b"".join(base64.b64decode(piece) for piece in pieces)).decode()
    except ValueError:
        return "".join(pieces)


class ConverseFold:
    """One answer as it is being written. It never raises, whatever comes."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        """Begin with nothing said."""
        self.done = False
        self._request = request
        self._failure: WebError | None = None
        self._body: Json = {}
        self._pieces: dict[int, BlockBuilder] = {}
        self._last_text: int | None = None
        self._takers = {
            "contentBlockStart": self._open,
            "contentBlockDelta": self._grow,
            "messageStop": self._stop,
            "metadata": self._close,
        }

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return what it adds."""
        if self.done:
            return ()
        payload = json_or_none(event.data)
        if event.failed:
            return self._fail(stream_error(event.name, payload))
        if not isinstance(payload, Mapping):
            return self._fail(BadPayload(problem="not_json"))
        taker = self._takers.get(event.name)
        return () if taker is None else taker(payload)

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer, or why there is none."""
        if self._failure is not None:
            return Failure(self._failure)
        if "stopReason" not in self._body:
            return Failure(ConnectionLost())
        content = [self._pieces[index].whole() for index in sorted(self._pieces)]
        blocks = [block for block in content if block != {"text": ""}]
        whole = {**self._body, "output": {"message": {"content": blocks}}}
        return normalize_response(whole, self._request)

    def _fail(self, error: WebError) -> Sequence[Delta]:
        self.done = True
        self._failure = error
        return ()

    def _stop(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        self._body["stopReason"] = payload.get("stopReason")
        self._body.update(
            {"additionalModelResponseFields": payload.get("additionalModelResponseFields")}
        )
        return ()

    def _close(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        """Take the counts, which come last."""
        self._body.update({name: payload[name] for name in ("usage", "trace") if payload.get(name)})
        self.done = "stopReason" in self._body
        return ()

    def _open(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, start = self._index(payload), as_mapping(payload.get("start"))
        call, result = as_mapping(start.get("toolUse")), as_mapping(start.get("toolResult"))
        piece = self._pieces.setdefault(index, BlockBuilder())
        if result:
            piece.result = {**result, "content": []}
        if not call:
            return ()
        piece.call = dict(call)
        return self._called(index, name=text(call.get("name")), own=text(call.get("toolUseId")))

    def _grow(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, delta = self._index(payload), as_mapping(payload.get("delta"))
        piece = self._pieces.setdefault(index, BlockBuilder())
        if isinstance(delta.get("citation"), Mapping):
            piece.citations.append(delta["citation"])
        if piece.result is not None:
            held = (*as_objects(piece.result["content"]), *as_objects(delta.get("toolResult")))
            piece.result = {**piece.result, "content": list(held)}
        words = text(delta.get("text"))
        piece.said += words
        thought = self._think(piece, as_mapping(delta.get("reasoningContent")))
        arguments = text(as_mapping(delta.get("toolUse")).get("input"))
        if arguments:
            piece.call = piece.call or {}
            piece.arguments += arguments
            return self._called(index, arguments=arguments)
        words = self._apart(index, words)
        return [Delta(text=words, reasoning=thought)] if words or thought else ()

    def _think(self, piece: BlockBuilder, thinking: Mapping[str, object]) -> str:
        thought = text(thinking.get("text"))
        piece.thought += thought
        piece.signature += text(thinking.get("signature"))
        piece.redacted += filter(None, [text(thinking.get("redactedContent"))])
        return thought

    def _apart(self, index: int, words: str) -> str:
        """Begin a line where other blocks stand between, as in the whole answer."""
        last = self._last_text
        if not words:
            return ""
        self._last_text = index
        between = (at for at in self._pieces if last is not None and last < at < index)
        return f"\n{words}" if any(not self._pieces[at].speaks for at in between) else words

    def _called(
        self, index: int, *, name: str = "", own: str = "", arguments: str = ""
    ) -> Sequence[Delta]:
        call = self._pieces[index].call or {}
        if call.get("type") == "server_tool_use":
            return ()
        if is_schema_answer_call(text(call.get("name")), self._request):
            return [Delta(text=arguments)] if arguments else ()
        number = [at for at in sorted(self._pieces) if self._is_call(at)].index(index)
        known = callers_tool_name(name, self._request) if name else ""
        return [
            Delta(tool_call=ToolCallDelta(index=number, id=own, name=known, arguments=arguments))
        ]

    def _is_call(self, index: int) -> bool:
        call = self._pieces[index].call
        if call is None or call.get("type") == "server_tool_use":
            return False
        return not is_schema_answer_call(text(call.get("name")), self._request)

    def _index(self, payload: Mapping[str, object]) -> int:
        index = payload.get("contentBlockIndex")
        return index if isinstance(index, int) else max(self._pieces, default=0)
