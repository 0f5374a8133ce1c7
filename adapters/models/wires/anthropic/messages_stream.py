"""The stream of the Messages API, put together into the answer it would have been.

https://platform.claude.com/docs/en/build-with-claude/streaming (2026-11-15)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from .....ports.errors import BadPayload, ConnectionLost, WebError
from .....ports.models.chat import ChatRequest, Delta, NormalizedResponse, ToolCallDelta
from ....values.json_values import (
    as_count,
    as_list,
    as_mapping,
    as_objects,
    json_or_none,
    text,
    write_json,
)
from ...claude.claude_tool_calls import is_schema_answer_call
from ...declaration.wire import Json, StreamEvent
from ...messages.tool_calls import callers_tool_name
from ...refusals.errors import embedded_error
from .messages_answers import normalize_response

_GROWING = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "compaction_delta": "content",
}
_STARTED = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "tool_use"}


class MessagesFold:
    """One answer as it is being written. It never raises, whatever comes."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        """Begin with nothing said."""
        self.done = False
        self._request = request
        self._failure: WebError | None = None
        self._message: Json = {}
        self._usage: Json = {}
        self._blocks: dict[int, Json] = {}
        self._arguments: dict[int, list[str]] = {}
        self._before = 0
        self._last_text: int | None = None
        self._takers = {
            "message_start": self._start,
            "content_block_start": self._open,
            "content_block_delta": self._grow,
            "message_delta": self._end,
        }

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return what it adds."""
        data = event.data.strip()
        if self.done or not data:
            return ()
        if data == "[DONE]":
            # Not of this API, but some hosts end every stream so.
            self.done = True
            return ()
        payload = json_or_none(data)
        if not isinstance(payload, Mapping):
            error = (
                embedded_error(data) if event.name == "error" else BadPayload(problem="not_json")
            )
            return self._fail(error)
        kind = text(payload.get("type")) or event.name
        if "error" in (kind, event.name) or event.failed:
            return self._fail(embedded_error(payload.get("error") or payload))
        self.done = kind == "message_stop"
        taker = self._takers.get(kind)
        return () if taker is None else taker(payload)

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer, or why there is none."""
        if self._failure is not None:
            return Failure(self._failure)
        if not self.done and self._message.get("stop_reason") is None:
            return Failure(ConnectionLost())
        content = [self._whole(index) for index in sorted(self._blocks)]
        whole = {**self._message, "content": content, "usage": self._usage}
        return normalize_response(whole, self._request)

    def _fail(self, error: WebError) -> Sequence[Delta]:
        self.done = True
        self._failure = error
        return ()

    def _start(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        message = as_mapping(payload.get("message"))
        known = self._message.get("id")
        if known and message.get("id") != known:
            # Two answers in one stream: a proxy mixed them up, and neither can be trusted.
            return self._fail(BadPayload(problem="shape", path="$.message.id"))
        self._message.update(message)
        self._usage.update(as_mapping(message.get("usage")))
        # What code called before the model goes on is there from the start; the rest is counted
        # from 0 all the same.
        begun = as_objects(message.get("content"))
        deltas = [delta for at, block in enumerate(begun) for delta in self._begin(at, block)]
        self._before = len(begun)
        return deltas

    def _end(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        self._message.update(as_mapping(payload.get("delta")))
        # Counts are of the whole answer so far: one that is left out, or 0, takes nothing back.
        for name, value in as_mapping(payload.get("usage")).items():
            if value is not None and (value != 0 or not as_count(self._usage.get(name))):
                self._usage[name] = value
        return ()

    def _open(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        return self._begin(self._index(payload), as_mapping(payload.get("content_block")))

    def _begin(self, index: int, opened: Mapping[str, object]) -> Sequence[Delta]:
        block = self._blocks[index] = dict(opened)
        if block.get("type") == "tool_use":
            held = as_mapping(block.get("input"))
            name, own = text(block.get("name")), text(block.get("id"))
            return self._call(index, name=name, own=own, arguments=write_json(held) if held else "")
        return self._say(index, text(block.get("text")), text(block.get("thinking")))

    def _grow(self, payload: Mapping[str, object]) -> Sequence[Delta]:
        index, delta = self._index(payload), as_mapping(payload.get("delta"))
        kind = text(delta.get("type"))
        # Some hosts leave out the event that begins a block.
        block = self._blocks.setdefault(index, {"type": _STARTED.get(kind, "")})
        if kind == "input_json_delta":
            piece = text(delta.get("partial_json"))
            self._arguments.setdefault(index, []).append(piece)
            return self._call(index, arguments=piece) if piece else ()
        if kind == "citations_delta":
            block["citations"] = [*as_list(block.get("citations")), delta.get("citation")]
        name = _GROWING.get(kind, "")
        if not name:
            return ()
        piece = text(delta.get(name))
        block[name] = text(block.get(name)) + piece
        return self._say(index, *(piece if name == what else "" for what in ("text", "thinking")))

    def _say(self, index: int, words: str, thought: str) -> Sequence[Delta]:
        if words:
            # As in the whole answer: a text that does not follow another begins a line.
            apart = self._last_text is not None and self._between(self._last_text, index)
            self._last_text = index
            words = f"\n{words}" if apart else words
        return [Delta(text=words, reasoning=thought)] if words or thought else ()

    def _between(self, last: int, index: int) -> bool:
        inside = (block for at, block in self._blocks.items() if last < at < index)
        return any(block.get("type") != "text" for block in inside)

    def _call(
        self, index: int, *, name: str = "", own: str = "", arguments: str = ""
    ) -> Sequence[Delta]:
        block = self._blocks[index]
        if block.get("type") != "tool_use":
            return ()
        if is_schema_answer_call(text(block.get("name")), self._request):
            return [Delta(text=arguments)] if arguments else ()
        number = [at for at in sorted(self._blocks) if self._is_call(at)].index(index)
        known = callers_tool_name(name, self._request) if name else ""
        piece = ToolCallDelta(index=number, id=own, name=known, arguments=arguments)
        return [Delta(tool_call=piece)]

    def _is_call(self, index: int) -> bool:
        block = self._blocks[index]
        named = text(block.get("name"))
        return block.get("type") == "tool_use" and not is_schema_answer_call(named, self._request)

    def _index(self, payload: Mapping[str, object]) -> int:
        index = payload.get("index")
        if isinstance(index, int):
            return index + self._before
        return max(self._blocks, default=0)

    def _whole(self, index: int) -> Json:
        """Return a block with the arguments that came in pieces; a broken text stays a text."""
        written = "".join(self._arguments.get(index, ()))
        if not written:
            return self._blocks[index]
        held = json_or_none(written)
        return {**self._blocks[index], "input": held if isinstance(held, Mapping) else written}
