"""The declaration of a wire: how one model API writes requests and answers. Pure, no state."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import httpx
import msgspec
from msgspec.structs import replace
from returns.result import Result

from webseam.adapters.values.json_values import as_mapping
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.models import (
    ChatRequest,
    Delta,
    Effort,
    FinishReason,
    Message,
    NormalizedResponse,
    Tool,
)
from webseam.ports.receipts import CacheStats

from ..messages.tool_calls import allows_no_tool, is_openai_function, tool_name
from .provider import ApiMode, Headers, Provider
from .rules import EFFORT_LEVELS

Json: TypeAlias = dict[str, object]
AnswerResult: TypeAlias = Result[NormalizedResponse, WebError]
EventsResult: TypeAlias = Result[Sequence["StreamEvent"], WebError]
# Advice for fields that an API does not support.
_FIELD_ADVICE = {
    "json_mode": "give output_schema",
    "thinking_budget": "give reasoning_effort",
    "verbosity": "say it in the instructions",
}
_OPTIONAL_FIELDS = (
    "json_mode", "seed", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs",
    "service_tier", "verbosity", "thinking_budget", "safety_settings", "cached_content",
    "background", "previous_response_id",
)  # fmt: skip
# The client keeps these itself, or sends them with every request.
_CLIENT_FIELDS = frozenset({"model", "messages", "deadline", "n", "extra_body"})
# What asks for the first field anyway.
_IMPLYING_FIELDS = {
    "logprobs": "top_logprobs", "json_mode": "output_schema", "store": "background",
}  # fmt: skip
_PROBE_MESSAGES: tuple[Message, ...] = ({"role": "user", "content": "."},)
_DEFAULT_REQUEST = ChatRequest(model="m", messages=_PROBE_MESSAGES)
# Fields that tell a model how much to think, in the spellings of all wires.
_EFFORT_FIELDS = frozenset({
    "effort", "maxReasoningEffort", "reasoning_effort", "thinkingLevel", "thinking_level",
})  # fmt: skip
_BUDGET_FIELDS = frozenset({"budget_tokens", "thinkingBudget", "thinking_budget"})
# Fields with texts and schemas of the caller.
_PROMPT_FIELDS = frozenset({"input", "messages", "response_format", "text", "tools"})
# Fields of a tool that every wire sends or translates.
_PLAIN_TOOL_FIELDS = frozenset({"type", "function", "name", "description", "parameters"})


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """Messages in a wire's format. ``system`` is the prompt that it wants outside of them."""

    system: object = None
    messages: list[Json]


class WireRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP POST without base URL and key. ``path`` begins with a slash."""

    path: str
    body: Json
    headers: Headers = ()


class RefusedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with an error status. ``payload`` is its JSON, else its text."""

    status: int
    headers: httpx.Headers
    payload: object
    model: str
    now: float


class StreamEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a stream; ``failed`` is set where the framing marks it as an error."""

    name: str = ""
    data: str = ""
    failed: bool = False


class Frames(Protocol):
    """Turns bytes into events; any split of the bytes gives the same events."""

    def feed(self, piece: bytes, /) -> EventsResult:
        """Take the next bytes and return the events they complete."""

    def finish(self) -> EventsResult:
        """Take the end of the bytes; return the last events, or a failure for a truncated one."""


class Fold(Protocol):
    """Turns events into an answer; never raises."""

    @property
    def done(self) -> bool:
        """Whether the answer has ended, with success or failure; later events are ignored."""

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return the deltas in it."""

    def finish(self) -> AnswerResult:
        """Return the answer; ``ConnectionLost`` if the stream ended too early."""


class ConvertMessages(Protocol):
    """Converts messages of OpenAI's chat API into a wire's format."""

    def __call__(
        self, messages: Sequence[Message], provider: Provider, model: str, /
    ) -> Conversation:
        """Return the converted messages; no text and no tool result is lost, the input stays."""


class ConvertTools(Protocol):
    """Converts tools of OpenAI's chat API into a wire's format."""

    def __call__(self, tools: Sequence[Tool], provider: Provider, model: str, /) -> list[Json]:
        """Return the converted tools; those that are not functions stay unchanged."""


class BuildRequest(Protocol):
    """Builds the complete request from a chat request and the provider's declaration."""

    def __call__(
        self, request: ChatRequest, provider: Provider, /, *, stream: bool = False
    ) -> WireRequest:
        """Return path, headers and the complete JSON body."""


class NormalizeResponse(Protocol):
    """Turns any JSON into an answer or a typed failure; ``request`` has the tools' own names."""

    def __call__(self, payload: object, request: ChatRequest | None = None, /) -> AnswerResult:
        """Return the answer, the error of ``validate_response``, or that of an unread answer."""


ContinueAnswer: TypeAlias = Callable[[ChatRequest, NormalizedResponse], ChatRequest | None]
JoinAnswers: TypeAlias = Callable[[NormalizedResponse, NormalizedResponse], NormalizedResponse]


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """One API mode: the seven functions, its refusals, and its streams.

    ``continued`` makes the request that continues a paused answer; ``joined`` merges both answers,
    ``separated`` returns what ``joined`` puts between their texts.
    ``leave_out`` removes refused fields that are not at the top of a body. ``takes`` returns the
    optional fields that the API supports for a request. ``pending`` returns the path to poll for an
    answer that is not ready; blank for one that is. ``unsent_history`` names what of earlier turns
    a provider does not take.
    """

    api_mode: ApiMode
    convert_messages: ConvertMessages
    convert_tools: ConvertTools
    build_request: BuildRequest
    normalize_response: NormalizeResponse
    validate_response: Callable[[object], WebError | None]
    cache_stats: Callable[[object], CacheStats | None]
    map_finish_reason: Callable[[object], FinishReason]
    refusal: Callable[[RefusedAnswer], WebError]
    frames: Callable[[], Frames]
    fold: Callable[[ChatRequest | None], Fold]
    continued: ContinueAnswer = lambda _request, _response: None
    joined: JoinAnswers = lambda _first, second: second
    separated: Callable[[ChatRequest, NormalizedResponse], str] = lambda _request, _response: ""
    leave_out: Callable[[Json, Sequence[str]], Json] | None = None
    takes: Callable[[ChatRequest, Provider], frozenset[str]] = lambda _request, _provider: (
        frozenset()
    )
    unsent_history: Callable[[ChatRequest, Provider], tuple[str, ...]] = lambda _request, _p: ()
    pending: Callable[[object, Provider], str] = lambda _payload, _provider: ""
    accept: Literal["text/event-stream", "application/vnd.amazon.eventstream"] = "text/event-stream"


def find_refused_field(request: ChatRequest, wire: Wire, provider: Provider) -> InvalidQuery | None:
    """Return the error for the first field that this wire does not support, or None."""
    if allows_no_tool(request):
        reason = "allows only tools that the request does not have"
        return InvalidQuery(field="tool_choice", reason=reason)
    supported = wire.takes(request, provider) - provider.fields.drop
    field = next((name for name in given_optional_fields(request) if name not in supported), None)
    if field is None:
        return None
    advice = _FIELD_ADVICE.get(field)
    if field == "thinking_budget":
        with_effort = replace(request, thinking_budget=None, reasoning_effort="high")
        unsent = find_unsent_fields(with_effort, wire, provider)
        advice = None if "reasoning_effort" in unsent else advice
    instead = f"; {advice} instead" if advice else ""
    title = provider.title or provider.name
    return InvalidQuery(field=field, reason=f"is not supported by {title} for this model{instead}")


def find_unsent_fields(request: ChatRequest, wire: Wire, provider: Provider) -> tuple[str, ...]:
    """Return the fields that a request sets and that change nothing in what is sent.

    Providers and wires decide what a model accepts, so the requests with and without each field are
    compared: whatever dropped it, it is found here.
    """
    names = [
        name
        for name in ChatRequest.__struct_fields__
        if name not in _CLIENT_FIELDS
        and _is_field_set(request, name)
        and not _is_field_set(request, _IMPLYING_FIELDS.get(name, "n"))
    ]
    # Messages and schemas decide about no other field, and may be long.
    tools = tuple(map(_drop_tool_schema, request.tools))
    probe = replace(request, messages=_PROBE_MESSAGES, tools=tools)
    sent = wire.build_request(probe, provider) if names else None

    def changes_nothing(name: str, values: Sequence[object]) -> bool:
        others = (replace(probe, **{name: value}) for value in values)
        return all(wire.build_request(other, provider) == sent for other in others)

    def is_same_tool(tool: Tool, others: Sequence[Tool]) -> bool:
        alone = wire.build_request(replace(probe, tools=(tool,)), provider)
        probes = (replace(probe, tools=(other,)) for other in others)
        return all(wire.build_request(other, provider) == alone for other in probes)

    unsent = [
        name
        for name in names
        if any(changes_nothing(name, values) for values in _other_values(probe, name))
    ]
    if sent is not None and request.reasoning_effort is not None:
        is_unchanged = "reasoning_effort" in unsent
        unsent = [name for name in unsent if name != "reasoning_effort"]
        if _is_effort_lost(request.reasoning_effort, sent.body, is_unchanged=is_unchanged):
            unsent.append("reasoning_effort")
    unsent += [
        f"tools[{index}].{field}"
        for index, tool in enumerate(tools)
        for field, others in _other_tool_fields(tool)
        if is_same_tool(tool, others)
    ]
    return tuple(unsent)


def _is_effort_lost(effort: Effort, body: Mapping[str, object], *, is_unchanged: bool) -> bool:
    """Tell whether a model is not told an effort; ``is_unchanged`` says that it changes nothing.

    A model that cannot stop thinking is told to think least, and one that is forced to call a tool
    may be told not to think.
    """
    is_off = as_mapping(body.get("thinking")).get("type") == "disabled"
    if effort == "none":
        return asks_to_think(body) or (is_unchanged and not is_off)
    return is_unchanged or is_off


def asks_to_think(body: Mapping[str, object]) -> bool:
    """Tell whether a body has an effort or a budget for thinking."""
    for name, value in body.items():
        if name in _EFFORT_FIELDS and isinstance(value, str) and value != "none":
            return True
        if name in _BUDGET_FIELDS and isinstance(value, int) and value > 0:
            return True
        if isinstance(value, Mapping) and name not in _PROMPT_FIELDS and asks_to_think(value):
            return True
    return False


def _drop_tool_schema(tool: Tool) -> Tool:
    if not is_openai_function(tool):
        return tool
    function = as_mapping(tool.get("function")) or tool
    short = {**function, "name": tool_name(tool), "parameters": {}}
    if "function" not in tool:
        return {**short, "type": "function"}
    return {**tool, "type": "function", "function": short}


def _other_tool_fields(tool: Tool) -> Iterator[tuple[str, Sequence[Tool]]]:
    """Yield each further field of a function, and the function with other values of it."""
    if not is_openai_function(tool):
        return
    function = as_mapping(tool.get("function"))
    for name, value in tool.items():
        if name not in _PLAIN_TOOL_FIELDS and value not in (None, "", [], {}):
            yield name, [{**tool, name: other} for other in other_field_values(value)]
    for name, value in function.items():
        if name not in _PLAIN_TOOL_FIELDS and value not in (None, "", [], {}):
            others = other_field_values(value)
            yield name, [{**tool, "function": {**function, name: other}} for other in others]


def other_field_values(value: object) -> Sequence[object]:
    """Return other values for a field of any type; a text that is sent changes with one of them."""
    if isinstance(value, str):
        return None, f"{value} {value}"
    return None, not value if isinstance(value, bool) else None


def _other_values(request: ChatRequest, name: str) -> Iterator[Sequence[object]]:
    """Yield groups of other values of a field; one of each group changes what is sent.

    To leave a field out is not enough: its value may be the one that is sent anyway.
    """
    value, default = getattr(request, name), getattr(_DEFAULT_REQUEST, name)
    if name in ("stop", "include"):
        # Some of the texts may be sent and others not.
        for index, item in enumerate(value):
            before, after = value[:index], value[index + 1 :]
            yield (*before, *after), (*before, item * 2, *after)
    elif name == "tools":
        yield (default,)
        yield from _drop_each_odd_tool(value)
    elif name == "reasoning_effort" and value != "none":
        yield None, *(level for level in EFFORT_LEVELS if level not in (value, "none"))
    else:
        yield default, _other_scalar(value, default)


def _drop_each_odd_tool(tools: tuple[Tool, ...]) -> Iterator[Sequence[object]]:
    """Yield the tools without one: a wire may send each name once, and no function without one."""
    names = [tool_name(tool) for tool in tools]
    for index, name in enumerate(names):
        if not name or name in names[:index]:
            yield (tools[:index] + tools[index + 1 :],)


def _other_scalar(value: object, default: object) -> object:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else default


def _is_field_set(request: ChatRequest, name: str) -> bool:
    # By identity: 0 is a value, and equal to False.
    value = getattr(request, name)
    return value is not getattr(_DEFAULT_REQUEST, name) and value not in ((), "")


def given_optional_fields(request: ChatRequest) -> Iterator[str]:
    """Yield the names of the optional fields that a request sets."""
    return (name for name in _OPTIONAL_FIELDS if _is_field_set(request, name))


def wire_named_fields(request: ChatRequest, names: Mapping[str, str]) -> dict[str, object]:
    """Return the fields that are set, under a wire's names for them."""
    values = {name: getattr(request, name) for name in given_optional_fields(request)}
    return {
        wire_name: list(values[name]) if isinstance(values[name], tuple) else values[name]
        for name, wire_name in names.items()
        if name in values
    }
