"""What a wire is: how one model API spells requests and answers. Pure functions, no state."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import httpx
import msgspec
from returns.result import Result

from ....ports.errors import InvalidQuery, WebError
from ....ports.models.chat import (
    ChatRequest,
    Delta,
    FinishReason,
    Message,
    NormalizedResponse,
    Tool,
)
from ....ports.receipts import CacheStats
from ..messages.tool_calls import allows_nothing
from .provider import ApiMode, Headers, Provider

Json: TypeAlias = dict[str, object]


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """Messages in the words of a wire. ``system`` is what it wants outside of them, else None."""

    system: object = None
    messages: list[Json]


class WireRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP POST, still without base URL and key. ``path`` begins with a slash."""

    path: str
    body: Json
    headers: Headers = ()


class RefusedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer whose status is no success. ``payload`` is its JSON, else its text."""

    status: int
    headers: httpx.Headers
    payload: object
    model: str
    now: float


class StreamEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event off a stream; ``failed`` is set where the framing itself says it is an error."""

    name: str = ""
    data: str = ""
    failed: bool = False


class Frames(Protocol):
    """Bytes to events: any split of the bytes gives the same events."""

    def feed(self, piece: bytes, /) -> Result[Sequence[StreamEvent], WebError]:
        """Take the next bytes and return the events they complete."""
        ...

    def finish(self) -> Result[Sequence[StreamEvent], WebError]:
        """Take the end of the bytes; return what it completes, or what was cut short."""
        ...


class Fold(Protocol):
    """Events to an answer. It never raises, whatever comes."""

    @property
    def done(self) -> bool:
        """Whether the answer is over, well or badly; what follows is not looked at."""
        ...

    def feed(self, event: StreamEvent, /) -> Sequence[Delta]:
        """Take one event and return what it adds for a reader."""
        ...

    def finish(self) -> Result[NormalizedResponse, WebError]:
        """Return the answer; one that was cut off before its end is ``ConnectionLost``."""
        ...


class ConvertMessages(Protocol):
    """Messages of OpenAI's chat API into the words of a wire."""

    def __call__(
        self, messages: Sequence[Message], provider: Provider, model: str, /
    ) -> Conversation:
        """Return them converted: the input is not changed, no text and no tool result is lost."""
        ...


class ConvertTools(Protocol):
    """Tools of OpenAI's chat API into the words of a wire."""

    def __call__(self, tools: Sequence[Tool], provider: Provider, model: str, /) -> list[Json]:
        """Return them converted; what is no function is passed on as given."""
        ...


class BuildRequest(Protocol):
    """The whole request, out of what is asked and what the provider declares."""

    def __call__(
        self, request: ChatRequest, provider: Provider, /, *, stream: bool = False
    ) -> WireRequest:
        """Return path, headers and the complete JSON body."""
        ...


class NormalizeResponse(Protocol):
    """Any JSON into an answer or a typed failure. ``request`` undoes what was renamed for it."""

    def __call__(
        self, payload: object, request: ChatRequest | None = None, /
    ) -> Result[NormalizedResponse, WebError]:
        """Return the answer; an answer that ``validate_response`` refuses is that failure."""
        ...


def never_continued(_request: ChatRequest, _response: NormalizedResponse) -> ChatRequest | None:
    """Take every answer for a whole one."""
    return None


def no_fields(_request: ChatRequest, _provider: Provider) -> frozenset[str]:
    """Take none of the optional fields."""
    return frozenset()


def never_pending(_payload: object, _provider: Provider) -> str:
    """Take every answer for one that is ready."""
    return ""


def take_second(_first: NormalizedResponse, second: NormalizedResponse) -> NormalizedResponse:
    """Let the later answer stand for both."""
    return second


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """One API mode: the seven functions, how it says no, and how its streams are read.

    ``continued`` is the request that goes on from an answer which only paused; ``joined`` makes one
    answer of both. ``leave_out`` takes refused fields out of a body where they are not at its top.
    ``takes`` are the optional fields of a request that the API has for it. ``pending`` is the path
    at which an answer that is still being worked on will be; blank for one that is ready.
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
    continued: Callable[[ChatRequest, NormalizedResponse], ChatRequest | None] = never_continued
    joined: Callable[[NormalizedResponse, NormalizedResponse], NormalizedResponse] = take_second
    leave_out: Callable[[Json, Sequence[str]], Json] | None = None
    takes: Callable[[ChatRequest, Provider], frozenset[str]] = no_fields
    pending: Callable[[object, Provider], str] = never_pending
    accept: Literal["text/event-stream", "application/vnd.amazon.eventstream"] = "text/event-stream"


# Fields of a request that not every API has: which are set, and the first that is refused.

# What to do instead, where there is a way.
_INSTEAD = {
    "json_mode": "give output_schema",
    "thinking_budget": "give reasoning_effort",
    "verbosity": "say it in the instructions",
}
_OPTIONAL = (
    "json_mode",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "logprobs",
    "top_logprobs",
    "service_tier",
    "verbosity",
    "thinking_budget",
    "safety_settings",
    "cached_content",
    "background",
)


def refused_field(request: ChatRequest, wire: Wire, provider: Provider) -> InvalidQuery | None:
    """Return why a request cannot be sent over this wire; None if each of its fields can."""
    if allows_nothing(request):
        reason = "allows only tools that the request does not have"
        return InvalidQuery(field="tool_choice", reason=reason)
    fields = wire.takes(request, provider) - provider.fields.drop
    field = next((name for name in set_fields(request) if name not in fields), None)
    if field is None:
        return None
    instead = f"; {_INSTEAD[field]} instead" if field in _INSTEAD else ""
    who = provider.title or provider.name
    return InvalidQuery(field=field, reason=f"is not taken by {who} for this model{instead}")


def set_fields(request: ChatRequest) -> Iterator[str]:
    """Yield the names of the optional fields that a request sets."""
    for name in _OPTIONAL:
        if getattr(request, name) not in (None, False, ()):
            yield name


def named_fields(request: ChatRequest, names: Mapping[str, str]) -> dict[str, object]:
    """Return the fields that are set, under the names that a wire has for them."""
    values = {names[name]: getattr(request, name) for name in set_fields(request) if name in names}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }
