"""The stream of a chat completions API, put together into the answer it would have been.

https://platform.openai.com/docs/api-reference/chat-streaming (2026-11-15); what others add to it
is said where it is read.
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from .....ports.errors import BadPayload, ConnectionLost, WebError
from .....ports.models.chat import ChatRequest, Delta, NormalizedResponse
from ....values.json_values import as_list, as_mapping, as_objects, json_or_none, text
from ....values.think_tags import ThinkSplitter
from ...declaration.wire import Json, StreamEvent
from ...refusals.errors import embedded_error
from .completion_answers import find_error, normalize_response, read_content
from .completion_calls import CallParts, delta_calls

_GROWING = frozenset({"text", "summary", "data"})


def merged_details(
    details: Sequence[Mapping[str, object]], more: Sequence[Mapping[str, object]]
) -> list[Json]:
    """Add streamed fragments to the details they continue: same index, same type."""
    merged = [dict(detail) for detail in details]
    for detail in more:
        key = (detail.get("index"), detail.get("type"))
        last = merged[-1] if merged else {}
        if key[0] is not None and key == (last.get("index"), last.get("type")):
            _grow(last, detail)
        else:
            merged.append(dict(detail))
    return merged


def _grow(held: Json, more: Mapping[str, object]) -> None:
    for name, value in more.items():
        if name in _GROWING:
            held[name] = text(held.get(name)) + text(value)
        elif value is not None:
            held[name] = value


_END = "[DONE]"
# Said again and again, or once at the end: the last that says anything counts.
_REPEATED = ("id", "model", "usage", "citations", "search_results", "web_search", "search_info")
_GROWING_TEXTS = ("reasoning", "reasoning_content", "refusal")
_LISTED = ("annotations", "citations", "images", "executed_tools")


class ChatFold:
    """One answer as it is being written. It never raises, whatever comes."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        """Begin with nothing said."""
        self.done = False
        self._request = request
        self._failure: WebError | None = None
        self._around: Json = {}
        self._message: Json = {"role": "assistant"}
        self._finish: object = None
        self._begun = False
        self._said: list[str] = []
        self._thought: list[str] = []
        self._splitter = ThinkSplitter()
        self._calls = CallParts()

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one chunk and return what it adds."""
        data = event.data.strip()
        if self.done or not data:
            # A blank event keeps a connection awake and says nothing.
            return ()
        if data == _END:
            self.done = True
            return self._told("", "", ended=True)
        chunk = json_or_none(data)
        if event.failed or event.name == "error":
            return self._fail(embedded_error(data if chunk is None else chunk))
        if not isinstance(chunk, Mapping):
            return self._fail(BadPayload(problem="not_json"))
        failed = find_error(chunk)
        # After its end nothing takes an answer back: OpenRouter tells a cap twice, so.
        if failed is not None and self._finish is None:
            return self._fail(failed)
        self._around.update({name: chunk[name] for name in _REPEATED if chunk.get(name)})
        # Groq tells its usage in a place of its own.
        self._count(as_mapping(chunk.get("x_groq")).get("usage"))
        choices = [c for c in as_objects(chunk.get("choices")) if c.get("index", 0) in (0, None)]
        return self._choose(choices[0]) if choices else ()

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer, or why there is none."""
        if self._failure is not None:
            return Failure(self._failure)
        if self._finish is None and not self.done:
            return Failure(ConnectionLost())
        if not self._begun:
            return Failure(BadPayload(problem="shape", path="$.choices"))
        message: Json = {**self._message, "content": self._whole_content()}
        if self._calls.parts:
            message["tool_calls"] = self._calls.whole()
        choice = {"message": message, "finish_reason": self._finish}
        return normalize_response({**self._around, "choices": [choice]}, self._request)

    def _fail(self, error: WebError) -> Sequence[Delta]:
        self.done = True
        self._failure = error
        return ()

    def _choose(self, choice: Mapping[str, object]) -> Sequence[Delta]:
        if choice.get("error") and self._finish is None:
            return self._fail(embedded_error(choice))
        # A message is the whole answer at once, or after its pieces (MiniMax) the same again.
        whole = {} if self._begun else choice.get("message")
        self._begun = True
        piece = choice.get("delta")
        delta = as_mapping(piece if isinstance(piece, Mapping) else whole)
        words, thought = self._speak(delta.get("content"))
        # Kimi tells it with the choice.
        self._count(choice.get("usage"))
        ended = choice.get("finish_reason") not in (None, "")
        if ended:
            self._finish = choice["finish_reason"]
        self._keep(delta)
        apart = text(delta.get("reasoning_content")) or text(delta.get("reasoning"))
        deltas = self._told(words, thought, apart, ended=ended)
        calls = [self._calls.add(call) for call in delta_calls(delta)]
        return [*deltas, *(Delta(tool_call=call) for call in calls)]

    def _speak(self, content: object) -> tuple[str, str]:
        return self._splitter.feed(content) if isinstance(content, str) else read_content(content)

    def _told(self, words: str, thought: str, apart: str = "", *, ended: bool) -> Sequence[Delta]:
        """Note what the caller is told now, with what was held back if this is the end."""
        held = self._splitter.finish() if ended else ("", "")
        words, thought = words + held[0], thought + held[1]
        self._said.append(words)
        self._thought.append(thought)
        reasoning = apart or thought
        return [Delta(text=words, reasoning=reasoning)] if words or reasoning else []

    def _whole_content(self) -> object:
        """Return what the pieces were, already told apart: the answer is what was streamed."""
        return [
            {"type": "text", "text": "".join(self._said)},
            {"type": "thinking", "thinking": "".join(self._thought)},
        ]

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping) and usage:
            self._around["usage"] = usage

    def _keep(self, delta: Mapping[str, object]) -> None:
        for name in _GROWING_TEXTS:
            piece = text(delta.get(name))
            if piece:
                self._message[name] = text(self._message.get(name)) + piece
        for name in _LISTED:
            more = as_list(delta.get(name))
            if more:
                self._message[name] = [*as_list(self._message.get(name)), *more]
        details = as_objects(delta.get("reasoning_details"))
        if details:
            held = as_objects(self._message.get("reasoning_details"))
            self._message["reasoning_details"] = merged_details(held, details)
