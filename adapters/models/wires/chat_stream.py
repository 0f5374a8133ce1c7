"""The stream of a chat completions API, put together into the answer it would have been."""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from ....ports.errors import BadPayload, ConnectionLost, WebError
from ....ports.models import ChatRequest, Delta, NormalizedResponse
from ..refusals import told_error
from ..thinking import ThinkSplitter
from ..values import listed, mapping, objects, parse, text
from ..wire import Json, StreamEvent
from .chat_answers import normalize_response, read_content
from .chat_details import merged_details
from .chat_fragments import CallParts

_END = "[DONE]"
# Said again and again, or once at the end: the last that says anything counts.
_REPEATED = ("id", "model", "usage", "citations", "search_results")
_GROWING = ("reasoning", "reasoning_content", "refusal")


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
        self._content: list[object] = []
        self._splitter = ThinkSplitter()
        self._calls = CallParts()

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one chunk and return what it adds."""
        data = event.data.strip()
        if self.done or data in ("", _END):
            # A blank event keeps a connection awake and says nothing.
            self.done = self.done or data == _END
            return ()
        chunk = parse(data)
        if event.failed or event.name == "error":
            return self._fail(told_error(data if chunk is None else chunk))
        if not isinstance(chunk, Mapping):
            return self._fail(BadPayload(problem="not_json"))
        if chunk.get("error"):
            return self._fail(told_error(chunk))
        self._around.update({name: chunk[name] for name in _REPEATED if chunk.get(name)})
        # Groq tells its usage in a place of its own.
        self._count(mapping(chunk.get("x_groq")).get("usage"))
        choices = [c for c in objects(chunk.get("choices")) if c.get("index", 0) in (0, None)]
        return self._choose(choices[0]) if choices else ()

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer, or why there is none."""
        if self._failure is not None:
            return Failure(self._failure)
        if self._finish is None and not self.done:
            return Failure(ConnectionLost())
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
        if choice.get("error"):
            return self._fail(told_error(choice))
        given = choice.get("delta")
        delta = mapping(given if isinstance(given, Mapping) else choice.get("message"))
        said, thought = self._speak(delta.get("content"))
        # Kimi tells it with the choice.
        self._count(choice.get("usage"))
        if choice.get("finish_reason") not in (None, ""):
            self._finish = choice["finish_reason"]
            held = self._splitter.finish()
            said, thought = said + held[0], thought + held[1]
        self._keep(delta)
        thought = text(delta.get("reasoning_content")) or text(delta.get("reasoning")) or thought
        deltas = [Delta(text=said, reasoning=thought)] if said or thought else []
        calls = [self._calls.add(call) for call in objects(delta.get("tool_calls"))]
        return [*deltas, *(Delta(tool_call=call) for call in calls)]

    def _speak(self, content: object) -> tuple[str, str]:
        if isinstance(content, str):
            self._content.append(content)
            return self._splitter.feed(content)
        self._content += listed(content)
        return read_content(content)

    def _whole_content(self) -> object:
        """Return all that was said as one text; as parts where some came as parts (Mistral)."""
        pieces = [piece for piece in self._content if isinstance(piece, str)]
        return "".join(pieces) if len(pieces) == len(self._content) else self._content

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping) and usage:
            self._around["usage"] = usage

    def _keep(self, delta: Mapping[str, object]) -> None:
        for name in _GROWING:
            piece = text(delta.get(name))
            if piece:
                self._message[name] = text(self._message.get(name)) + piece
        more = objects(delta.get("annotations"))
        if more:
            self._message["annotations"] = [*objects(self._message.get("annotations")), *more]
        details = objects(delta.get("reasoning_details"))
        if details:
            held = objects(self._message.get("reasoning_details"))
            self._message["reasoning_details"] = merged_details(held, details)
