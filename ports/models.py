"""Define the ports of models: chat, compression, embeddings, rerank."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Annotated, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Result

from .attempts import BackendAttempt
from .errors import WebError
from .receipts import CacheStats, Usage

FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter"]
# A model that lacks an effort gets the next weaker one that it has.
Effort: TypeAlias = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
# A message or a tool in the format of OpenAI's chat API; see docs/models.md.
Message: TypeAlias = Mapping[str, object]
Tool: TypeAlias = Mapping[str, object]


class OutputSchema(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON schema that the answer's text must follow.

    In a strict schema, open objects are closed and optional fields may be null; an ``as_given``
    schema is sent unchanged.
    """

    schema: Mapping[str, object]
    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\Z")] = "answer"
    strict: bool = True
    as_given: bool = False


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model call, checked on every call; None leaves a field to the provider.

    ``instructions`` precede the system messages. ``store`` lets the provider store the answer, and
    ``previous_response_id`` continues a stored one (both Responses only). ``cache`` marks the
    prompt for caching where the API needs marks; ``session`` is a stable name that keeps a
    conversation on one cache. ``include`` requests more in the answer (Responses). ``extra_body``
    is merged into the JSON body last, so it wins. ``deadline`` is in seconds for the whole call.

    Not every API has the fields from ``json_mode`` on; a request with an unsupported field is
    refused before anything is sent. ``background`` lets the provider work after the connection
    closes; the answer is polled.
    """

    model: Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]
    messages: Annotated[tuple[Message, ...], Meta(min_length=1)]
    tools: tuple[Tool, ...] = ()
    tool_choice: str | Mapping[str, object] | None = None
    parallel_tool_calls: bool | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    stop: tuple[str, ...] = ()
    reasoning_effort: Effort | None = None
    output_schema: OutputSchema | None = None
    instructions: str | None = None
    store: bool = False
    previous_response_id: str | None = None
    include: tuple[str, ...] = ()
    cache: bool = False
    session: str | None = None
    extra_body: Mapping[str, object] = msgspec.field(default_factory=dict)
    deadline: Annotated[float, Meta(gt=0)] | None = None
    n: Literal[1] | None = None
    json_mode: bool = False
    seed: int | None = None
    frequency_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None
    logprobs: bool = False
    top_logprobs: Annotated[int, Meta(ge=0, le=20)] | None = None
    service_tier: Annotated[str, Meta(min_length=1, max_length=50)] | None = None
    verbosity: Literal["low", "medium", "high"] | None = None
    thinking_budget: Annotated[int, Meta(ge=0)] | None = None
    safety_settings: tuple[Mapping[str, object], ...] = ()
    cached_content: Annotated[str, Meta(min_length=1)] | None = None
    background: bool = False


class WritingRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller wants of a text: further instructions, a length, a form.

    ``turns`` are the earlier messages of the conversation.
    """

    instructions: str = ""
    turns: tuple[Message, ...] = ()
    max_tokens: int | None = None
    output_schema: OutputSchema | None = None


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call of the model; ``arguments`` is JSON text as the model wrote it.

    ``provider_data`` must be sent back with the call, e.g. a thought signature.
    """

    id: str
    name: str
    arguments: str
    provider_data: Mapping[str, object] | None = None


class NormalizedResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A model's answer in one shape for all wires.

    ``content`` is None if the model wrote no text. ``reasoning`` and ``reasoning_content`` are two
    different fields of providers and are replayed unchanged; for display, use the first that is
    set. ``provider_data`` must be sent back with the turn. ``cache`` is None if the cache was not
    used. ``raw`` is the answer's JSON if it came as one document, with citations. ``attempts`` are
    those of the route, or of a single model if it was asked more than once.
    """

    content: str | None
    finish_reason: FinishReason
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    reasoning_content: str | None = None
    usage: Usage | None = None
    cache: CacheStats | None = None
    id: str | None = None
    model: str | None = None
    provider_data: Mapping[str, object] | None = None
    raw: Mapping[str, object] | None = None
    attempts: tuple[BackendAttempt, ...] = ()


class ToolCallDelta(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of the tool call number ``index``; join the ``arguments`` of all pieces.

    ``id`` and ``name`` are complete so far if they are set; the last ones count.
    """

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """The next piece of a streamed answer.

    ``signature`` is that of the reasoning before it; ``redacted`` is a whole encrypted thought.
    """

    text: str = ""
    reasoning: str = ""
    signature: str = ""
    redacted: str = ""
    tool_call: ToolCallDelta | None = None


# Any number of deltas, then exactly one result.
StreamItem: TypeAlias = Delta | Result[NormalizedResponse, WebError]


class ChatModel(Protocol):
    """A model that answers. Neither method raises; cancelling closes the connection."""

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the complete answer, or the error."""

    def stream(self, request: ChatRequest, /) -> AsyncIterator[StreamItem]:
        """Yield the answer in pieces, and once at the end the result of ``complete``.

        A failure invalidates earlier deltas: only the result counts.
        """


class Compressed(msgspec.Struct, frozen=True, kw_only=True):
    """A shorter text, the usage of the model that made it, if any, and the attempts."""

    text: str
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()


CompressionResult: TypeAlias = Result[str, WebError] | Result[Compressed, WebError]


class Compressor(Protocol):
    """A function that shortens a page, usually with a model. Its output is not trusted."""

    async def __call__(self, text: str, instruction: str, /) -> CompressionResult:
        """Return a shorter text that keeps what ``instruction`` asks for.

        A ``Compressed`` adds usage and attempts for the receipt.
        """


class Condenser(Protocol):
    """A function, plain or async, that keeps the passages of a text that matter to a question."""

    def __call__(self, text: str, question: str, most: int, /) -> str | Awaitable[str]:
        """Return at most ``most`` characters of ``text``, in their order."""


# Some models embed a question differently from a document.
TextRole: TypeAlias = Literal["query", "document"]


class Embeddings(msgspec.Struct, frozen=True, kw_only=True):
    """One vector for each text, in order. ``tokens`` is the provider's count, 0 if unknown."""

    vectors: tuple[tuple[float, ...], ...]
    model: str
    tokens: int = 0


class Embedder(Protocol):
    """A function from texts to vectors; the kernel does not trust it."""

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        """Return one vector for each text, in order."""


class RankedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The index of a document in the request, and its score; more is better."""

    index: int
    score: float


class Reranker(Protocol):
    """A function that orders documents by a question; the kernel does not trust it."""

    async def __call__(
        self, query: str, documents: Sequence[str], /
    ) -> Result[Sequence[RankedDocument], WebError]:
        """Return each document once, best first."""
