"""Chat completions: OpenAI's older API, which nearly every provider speaks.

https://platform.openai.com/docs/api-reference/chat (fields as of 2026-11-14)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from .....ports.errors import BadPayload, ConnectionLost, WebError
from .....ports.models.chat import ChatRequest, Delta, NormalizedResponse, Tool
from ....values.json_values import as_list, as_mapping, as_objects, json_or_none, text
from ....values.think_tags import ThinkSplitter
from ...declaration.provider import Provider
from ...declaration.rules import (
    cache_key_field,
    effort_of,
    finish_body,
    provider_tools,
    schema_fields,
    sent_instructions,
    sent_max_tokens,
    sent_temperature,
    sent_top_p,
)
from ...declaration.wire import Json, StreamEvent, Wire, WireRequest, wire_named_fields
from ...messages.tool_calls import allowed_tools
from ...refusals.errors import embedded_error, refusal_error
from ..server_sent_events import ServerSentEvents
from .completion_answers import (
    cache_stats,
    find_error,
    map_finish_reason,
    normalize_response,
    read_content,
    validate_response,
)
from .completion_calls import CallParts, delta_calls
from .messages import convert_messages, with_cache_marks, with_instructions

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


# Chat completions: OpenAI's older API, which nearly every provider speaks.

_PATH = "/chat/completions"
_NAMES = {
    name: name
    for name in (
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "logprobs",
        "top_logprobs",
        "service_tier",
        "verbosity",
    )
}


def optional_fields(_request: ChatRequest, provider: Provider) -> frozenset[str]:
    """Return the optional fields; who has no schema may still have JSON mode."""
    json_mode = {"json_mode"} if provider.fields.structured_output != "none" else set()
    budget = {"thinking_budget"} if provider.changes.thinking_budget is not None else set()
    return frozenset({*_NAMES, *json_mode, *budget})


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return the tools as the provider takes them; they are its format already."""
    return [dict(tool) for tool in provider_tools(tools, provider, model)]


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body."""
    instructed = with_instructions(request.messages, sent_instructions(request, provider))
    messages = convert_messages(instructed, provider, request.model).messages
    if request.cache and provider.history.cache_marks:
        messages = with_cache_marks(messages)
    body: Json = {"model": request.model, "messages": messages}
    for more in (_sampling, _tools, _reasoning, _format):
        body.update(more(request, provider))
    body.update(wire_named_fields(request, _NAMES))
    if request.top_logprobs is not None:
        # The API takes the number only beside the switch.
        body["logprobs"] = True
    body.update(cache_key_field(request, provider))
    if stream:
        body["stream"] = True
        if provider.fields.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return WireRequest(
        path=provider.http.path or _PATH,
        headers=provider.http.request_headers(request),
        body=finish_body(body, request, provider),
    )


def _sampling(request: ChatRequest, provider: Provider) -> Json:
    values = {
        "temperature": sent_temperature(request, provider),
        "top_p": sent_top_p(request, provider),
        "stop": list(request.stop) or None,
        provider.fields.max_tokens_field: sent_max_tokens(request, provider),
    }
    return {name: value for name, value in values.items() if value is not None}


def _tools(request: ChatRequest, provider: Provider) -> Json:
    # Without tools all three fields stay away: several servers refuse an empty list.
    if not request.tools:
        return {}
    values = {
        "tools": convert_tools(request.tools, provider, request.model),
        "tool_choice": _choice(request.tool_choice),
        "parallel_tool_calls": request.parallel_tool_calls,
    }
    return {name: value for name, value in values.items() if value is not None}


def _choice(wanted: str | Mapping[str, object] | None) -> object:
    allowed = allowed_tools(wanted)
    if allowed is None:
        return wanted
    listed = [_allowed(tool) for tool in allowed.tools]
    return {"type": "allowed_tools", "allowed_tools": {"mode": allowed.mode, "tools": listed}}


def _allowed(tool: Mapping[str, object]) -> Json:
    kind, name = text(tool.get("type")) or "function", text(tool.get("name"))
    return {"type": kind, kind: {"name": name}} if name else dict(tool)


def _reasoning(request: ChatRequest, provider: Provider) -> Mapping[str, object]:
    budget = provider.changes.thinking_budget
    if budget is not None and request.thinking_budget is not None:
        return budget(request.thinking_budget)
    if provider.changes.reasoning is not None:
        return provider.changes.reasoning(request)
    effort = effort_of(request, provider)
    return {} if effort is None else {"reasoning_effort": effort}


def _format(request: ChatRequest, provider: Provider) -> Json:
    wanted = request.output_schema
    if wanted is None and request.json_mode:
        return {"response_format": {"type": "json_object"}}
    if wanted is None or provider.fields.structured_output not in ("json_schema", "json_object"):
        return {}
    if provider.fields.structured_output == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {"response_format": {"type": "json_schema", "json_schema": schema_fields(wanted)}}


CHAT_COMPLETIONS = Wire(
    api_mode="chat_completions",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=normalize_response,
    validate_response=validate_response,
    cache_stats=cache_stats,
    map_finish_reason=map_finish_reason,
    refusal=refusal_error,
    frames=ServerSentEvents,
    fold=ChatFold,
    takes=optional_fields,
)
