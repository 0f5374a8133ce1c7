"""Chat completions: OpenAI's older API, which nearly every provider supports.

https://platform.openai.com/docs/api-reference/chat (fields as of 2026-11-14)
"""

from collections.abc import Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, json_or_none, text
from webseam.adapters.values.think_tags import ThinkSplitter
from webseam.ports.errors import BadPayload, ConnectionLost
from webseam.ports.models import ChatRequest, Delta, Tool

from ...declaration import rules, wire
from ...declaration.provider import Provider
from ...messages.tool_calls import allowed_tools
from ...messages.turns import instructions_with_schema
from ...refusal_errors import embedded_refusal, model_refusal
from ..answer_fold import AnswerFold
from ..server_sent_events import ServerSentEvents
from ..stream_pieces import join_base64, join_unknown
from . import completion_answers, completion_content, completion_usage
from .completion_calls import StreamedCalls, delta_calls
from .messages import add_cache_marks, convert_messages, merge_instructions

_APPENDED_DETAIL_FIELDS = frozenset({"text", "summary", "data"})
# Fields of a chunk that are read elsewhere, or left out on purpose.
_SKIPPED_CHUNK_FIELDS = frozenset({
    "choices", "error", "base_resp", *completion_answers.LEFT_OUT_BODY_FIELDS,
})  # fmt: skip


class StreamedReasoning:
    """The reasoning details of one streamed answer; fragments of one detail are joined."""

    def __init__(self) -> None:
        self._details: list[wire.Json] = []
        self._pieces: list[dict[str, list[str]]] = []

    def add_detail(self, detail: Mapping[str, object]) -> None:
        """Add one fragment, or the first of a new detail."""
        key = (detail.get("index"), detail.get("type"))
        last = self._details[-1] if self._details else {}
        if key[0] is None or key != (last.get("index"), last.get("type")):
            self._details.append(dict(detail))
            self._pieces.append({})
            return
        for name, value in detail.items():
            if name in _APPENDED_DETAIL_FIELDS:
                first = [text(last.get(name))]
                self._pieces[-1].setdefault(name, first).append(text(value))
            elif value is not None:
                last[name] = value

    def complete_details(self) -> list[wire.Json]:
        """Return the complete details."""
        joined = ({name: "".join(texts[name]) for name in texts} for texts in self._pieces)
        return [{**detail, **texts} for detail, texts in zip(self._details, joined, strict=True)]


class StreamedAudio:
    """The audio of one streamed answer: its words, and its data in pieces of base64."""

    def __init__(self) -> None:
        self._fields: wire.Json = {}
        self._pieces: dict[str, list[str]] = {}

    def add_piece(self, audio: Mapping[str, object]) -> None:
        """Add the next piece."""
        for name, value in audio.items():
            if name in ("data", "transcript"):
                self._pieces.setdefault(name, []).append(text(value))
            elif value is not None:
                self._fields[name] = value

    def complete_audio(self) -> wire.Json:
        """Return the complete audio; nothing if there was none."""
        texts = {name: "".join(pieces) for name, pieces in self._pieces.items()}
        if "data" in texts:
            texts["data"] = join_base64(self._pieces["data"])
        return {**self._fields, **texts}


class StreamedChoice:
    """One choice of a streamed answer."""

    def __init__(self) -> None:
        self.finish_reason: object = None
        self._is_started = False
        self._appended_texts: dict[str, list[str]] = {}
        self._appended_lists: dict[str, list[object]] = {}
        self._unread_fields: wire.Json = {}
        self._unread_message_fields: wire.Json = {}
        self._logprobs: dict[str, list[object]] = {}
        self._reasoning = StreamedReasoning()
        self._audio = StreamedAudio()
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._wordless_parts: list[object] = []
        self._splitter = ThinkSplitter()
        self._calls = StreamedCalls()

    def add_piece(self, choice: Mapping[str, object]) -> Sequence[Delta]:
        """Add the next piece and return its deltas."""
        # ``message`` is the complete answer; MiniMax repeats it after the deltas.
        message = {} if self._is_started else choice.get("message")
        self._is_started = True
        piece = choice.get("delta")
        delta = as_mapping(piece if isinstance(piece, Mapping) else message)
        content = delta.get("content")
        if isinstance(content, str):
            text_piece, thought_piece = self._splitter.feed(content)
        else:
            text_piece, thought_piece = completion_content.read_chat_content(content)
            self._wordless_parts += completion_content.wordless_parts(content)
        has_ended = choice.get("finish_reason") not in (None, "")
        if has_ended:
            self.finish_reason = choice["finish_reason"]
        if not choice.keys() <= completion_answers.KNOWN_CHOICE_FIELDS:
            _add_unknown(self._unread_fields, choice, completion_answers.KNOWN_CHOICE_FIELDS)
        self._store_fields(delta)
        for name, items in as_mapping(choice.get("logprobs")).items():
            self._logprobs.setdefault(name, []).extend(as_list(items))
        reasoning = text(delta.get("reasoning_content")) or text(delta.get("reasoning"))
        deltas = self._text_deltas(text_piece, thought_piece, reasoning, has_ended=has_ended)
        calls = [self._calls.add_fragment(call) for call in delta_calls(delta)]
        return [*deltas, *(Delta(tool_call=call) for call in calls)]

    def finish_text(self) -> Sequence[Delta]:
        """Return the buffered rest of the text."""
        return self._text_deltas("", "", has_ended=True)

    def complete_choice(self) -> wire.Json:
        """Return the complete choice, in the format of an answer without streaming."""
        # Text and thoughts are parts, so that the answer equals the streamed deltas.
        content = [
            {"type": "text", "text": "".join(self._texts)},
            {"type": "thinking", "thinking": "".join(self._thoughts)},
            *self._wordless_parts,
        ]
        texts = {name: "".join(pieces) for name, pieces in self._appended_texts.items()}
        message: wire.Json = {
            **self._unread_message_fields,
            "role": "assistant",
            "content": content
            if any((*self._texts, *self._thoughts, *self._wordless_parts))
            else "",
            **texts,
            **self._appended_lists,
        }
        message["reasoning_details"] = self._reasoning.complete_details()
        message["audio"] = self._audio.complete_audio()
        if self._calls.parts:
            message["tool_calls"] = self._calls.complete_calls()
        return {
            **self._unread_fields,
            "message": message,
            "finish_reason": self.finish_reason,
            "logprobs": self._logprobs,
        }

    def _text_deltas(
        self, text_piece: str, thought_piece: str, apart: str = "", *, has_ended: bool
    ) -> Sequence[Delta]:
        """Record and return the new text, with the buffered rest if the answer has ended."""
        rest = self._splitter.finish() if has_ended else ("", "")
        text_piece, thought_piece = text_piece + rest[0], thought_piece + rest[1]
        self._texts.append(text_piece)
        self._thoughts.append(thought_piece)
        reasoning = apart or thought_piece
        return [Delta(text=text_piece, reasoning=reasoning)] if text_piece or reasoning else []

    def _store_fields(self, delta: Mapping[str, object]) -> None:
        for name in ("reasoning", "reasoning_content", "refusal"):
            piece = text(delta.get(name))
            if piece:
                self._appended_texts.setdefault(name, []).append(piece)
        for name in ("annotations", "citations", "images", "executed_tools"):
            items = as_list(delta.get(name))
            if items:
                self._appended_lists.setdefault(name, []).extend(items)
        for detail in as_objects(delta.get("reasoning_details")):
            self._reasoning.add_detail(detail)
        if audio := as_mapping(delta.get("audio")):
            self._audio.add_piece(audio)
        if not delta.keys() <= completion_answers.KNOWN_MESSAGE_FIELDS:
            _add_unknown(
                self._unread_message_fields, delta, completion_answers.KNOWN_MESSAGE_FIELDS
            )


def _add_unknown(
    found: wire.Json, piece: Mapping[str, object], known_names: frozenset[str]
) -> None:
    for name, value in piece.items():
        if name not in known_names and value is not None:
            found[name] = join_unknown(found.get(name), value)


class ChatFold(AnswerFold):
    """Folds the chunks of one streamed answer; never raises."""

    def __init__(self, request: ChatRequest | None = None) -> None:
        super().__init__(request)
        self._body: wire.Json = {}
        # By index: the pieces of the first are streamed, the others are read at the end.
        self._choices: dict[object, StreamedChoice] = {}
        self._first: StreamedChoice | None = None
        self._groq_fields: object = None

    def feed(self, event: wire.StreamEvent, /) -> Sequence[Delta]:
        """Take one chunk and return its deltas."""
        data = event.data.strip()
        if self.done or not data:
            # A blank event is a keep-alive.
            return ()
        if data == "[DONE]":
            self.done = True
            return () if self._first is None else self._first.finish_text()
        chunk = json_or_none(data)
        if event.failed or event.name == "error":
            return self._fail_stream(embedded_refusal(data if chunk is None else chunk))
        if not isinstance(chunk, Mapping):
            return self._fail_stream(BadPayload(problem="not_json"))
        error = completion_answers.find_chat_error(chunk)
        if error is not None and not self._is_limit_reached():
            return self._fail_stream(error)
        for name, value in chunk.items():
            # Most come in every chunk or once at the end; the last value counts.
            if value and name not in _SKIPPED_CHUNK_FIELDS:
                self._body[name] = value
        if "x_groq" in chunk:
            self._groq_fields = join_unknown(self._groq_fields, chunk["x_groq"])
            self._body["x_groq"] = self._groq_fields
            # Groq puts its usage there.
            self._store_usage(as_mapping(chunk["x_groq"]).get("usage"))
        choices = as_objects(chunk.get("choices"))
        if len(choices) == 1:
            return self._fold_choice(choices[0])
        return [delta for choice in choices for delta in self._fold_choice(choice)]

    def _streamed_answer(self) -> wire.AnswerResult:
        if not self._choices and not self.done:
            return Failure(ConnectionLost())
        if not self._choices:
            return Failure(BadPayload(problem="shape", path="$.choices"))
        reasons = [choice.finish_reason for choice in self._choices.values()]
        if all(reason is None for reason in reasons) and not self.done:
            return Failure(ConnectionLost())
        choices = [choice.complete_choice() for choice in self._choices.values()]
        return completion_answers.normalize_response(
            {**self._body, "choices": choices}, self._request
        )

    def _is_limit_reached(self) -> bool:
        """Tell whether a limit ended the answer; OpenRouter reports it once more, as an error."""
        reason = None if self._first is None else self._first.finish_reason
        return completion_answers.map_finish_reason(reason) == "length"

    def _fold_choice(self, piece: Mapping[str, object]) -> Sequence[Delta]:
        if piece.get("error") and not self._is_limit_reached():
            return self._fail_stream(embedded_refusal(piece))
        # Kimi puts its usage into the choice.
        self._store_usage(piece.get("usage"))
        index = piece.get("index") or 0
        choice = self._choices.get(index if isinstance(index, int) else 0)
        if choice is None:
            choice = self._choices[index if isinstance(index, int) else 0] = StreamedChoice()
            self._first = self._first or choice
        deltas = choice.add_piece(piece)
        return deltas if choice is self._first else ()

    def _store_usage(self, usage: object) -> None:
        if isinstance(usage, Mapping) and usage:
            self._body["usage"] = usage


_FIELD_NAMES = {
    name: name
    for name in (
        "frequency_penalty",
        "presence_penalty",
        "logprobs",
        "top_logprobs",
        "service_tier",
        "verbosity",
    )
}


def chat_optional_fields(_request: ChatRequest, provider: Provider) -> frozenset[str]:
    """Return the supported optional fields; JSON mode needs some structured output."""
    json_mode = {"json_mode"} if provider.fields.structured_output != "none" else set()
    budget = {"thinking_budget"} if provider.changes.thinking_budget is not None else set()
    return frozenset({*_FIELD_NAMES, "seed", *json_mode, *budget})


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[wire.Json]:
    """Return the tools as the provider accepts them; the format is already its own."""
    return [dict(tool) for tool in rules.provider_tools(tools, provider, model)]


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> wire.WireRequest:
    """Return path, headers and the complete body."""
    has_schema_field = provider.fields.structured_output == "json_schema"
    instructions = instructions_with_schema(request, has_schema_field=has_schema_field)
    history = merge_instructions(request.messages, instructions)
    messages = convert_messages(history, provider, request.model).messages
    if request.cache and provider.history.cache_marks:
        messages = add_cache_marks(messages)
    body: wire.Json = {"model": request.model, "messages": messages}
    body |= _sampling_fields(request, provider) | _tool_fields(request, provider)
    body |= rules.reasoning_fields(request, provider, lambda effort: {"reasoning_effort": effort})
    body |= _response_format(request, provider) | wire.wire_named_fields(request, _FIELD_NAMES)
    if request.top_logprobs is not None:
        # The API accepts the number only together with ``logprobs``.
        body["logprobs"] = True
    body.update(rules.prompt_cache_field(request, provider))
    if stream:
        body["stream"] = True
        if provider.fields.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return wire.WireRequest(
        path=provider.http.path or "/chat/completions",
        headers=provider.http.request_headers(request),
        body=rules.finish_model_body(body, request, provider),
    )


def _sampling_fields(request: ChatRequest, provider: Provider) -> wire.Json:
    values = {
        "temperature": rules.declared_temperature(request, provider),
        "top_p": rules.sent_top_p(request, provider),
        "stop": list(request.stop) or None,
        provider.fields.seed_field: request.seed,
        provider.fields.max_tokens_field: rules.declared_max_tokens(request, provider),
    }
    return {name: value for name, value in values.items() if value is not None}


def _tool_fields(request: ChatRequest, provider: Provider) -> wire.Json:
    # Without tools omit all three fields: several servers refuse an empty list.
    if not request.tools:
        return {}
    values = {
        "tools": convert_tools(request.tools, provider, request.model),
        "tool_choice": _tool_choice(request.tool_choice),
        "parallel_tool_calls": request.parallel_tool_calls,
    }
    return {name: value for name, value in values.items() if value is not None}


def _tool_choice(tool_choice: str | Mapping[str, object] | None) -> object:
    allowed = allowed_tools(tool_choice)
    if allowed is None:
        return tool_choice
    tools = [_tool_reference(tool) for tool in allowed.tools]
    return {"type": "allowed_tools", "allowed_tools": {"mode": allowed.mode, "tools": tools}}


def _tool_reference(tool: Mapping[str, object]) -> wire.Json:
    kind, name = text(tool.get("type")) or "function", text(tool.get("name"))
    return {"type": kind, kind: {"name": name}} if name else dict(tool)


def _response_format(request: ChatRequest, provider: Provider) -> wire.Json:
    schema = request.output_schema
    if schema is None and request.json_mode:
        return {"response_format": {"type": "json_object"}}
    if schema is None or provider.fields.structured_output not in ("json_schema", "json_object"):
        return {}
    if provider.fields.structured_output == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": rules.output_schema_fields(schema),
        }
    }


CHAT_COMPLETIONS = wire.Wire(
    api_mode="chat_completions",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=completion_answers.normalize_response,
    validate_response=completion_answers.validate_response,
    cache_stats=completion_usage.cache_stats,
    map_finish_reason=completion_answers.map_finish_reason,
    refusal=model_refusal,
    frames=ServerSentEvents,
    fold=ChatFold,
    takes=chat_optional_fields,
)
