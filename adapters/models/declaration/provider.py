"""What a provider is: everything special about it, declared once. The wires read it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from returns.result import Result

from ....ports.models import ChatRequest, Effort, Message, Tool
from ..schemas.moonshot import moonshot_tools
from .account import Authorize, ReadAccount, bearer, read_account

AGENT = ("user-agent", "webseam")
TITLE = ("x-title", "webseam")


# What a provider is: everything special about it, declared once. The wires read it.

ApiMode: TypeAlias = Literal[
    "chat_completions", "responses", "anthropic_messages", "bedrock_converse", "gemini_generate"
]
Headers: TypeAlias = tuple[tuple[str, str], ...]
# The caller's, none at all, or always this one.
TemperatureRule: TypeAlias = Literal["caller", "omit"] | float
Efforts: TypeAlias = tuple[Effort, ...]
ExtraBody: TypeAlias = Callable[[ChatRequest], Mapping[str, object]]
# A setting of the provider's own: the part of the body that a value stands for, or what is wrong.
Option: TypeAlias = Callable[[object], Result[ExtraBody, str]]


class ModelRule(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for the models whose name has ``contains`` in it; None says nothing about it.

    ``efforts`` are the levels such a model knows; ``()`` means that it takes none at all.
    """

    contains: str
    temperature: TemperatureRule | None = None
    max_tokens: int | None = None
    efforts: Efforts | None = None


def same_messages(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Leave the messages as they are."""
    return messages


def nothing_more(_request: ChatRequest) -> Mapping[str, object]:
    """Add nothing to the body."""
    return {}


def no_headers(_request: ChatRequest) -> Headers:
    """Add no headers."""
    return ()


def as_declared(provider: "Provider", _base_url: str) -> "Provider":
    """Be the same wherever the base URL leads."""
    return provider


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider of models. ``Provider(name=..., base_url=..., env=(...,))`` is a whole one.

    Who and where: ``env`` are the variables that may hold the key, the first that is set counts;
    ``base_url_env`` overrides ``base_url``; ``path`` and ``query`` replace and follow the wire's
    own. A provider that works without a key has ``needs_key=False``. ``settle`` is asked once, with
    the base URL that is really used: another host under the same name may know less.

    What goes into a request, in this order: ``prepare_messages`` and ``sanitize_tools`` change
    copies; ``temperature``, ``max_tokens``, ``efforts`` and ``models`` (the first rule that has a
    word on it wins) set the usual fields; ``reasoning`` replaces the wire's own way to ask for
    effort; ``extra_body`` adds to the body; ``drop`` takes fields out; the caller's own
    ``extra_body`` comes last. ``options`` are what the user may set of it, beyond the usual.

    The rest are facts about the API that a wire needs to know.
    """

    name: str
    aliases: tuple[str, ...] = ()
    title: str = ""
    site: str = ""
    api_mode: ApiMode = "chat_completions"

    env: tuple[str, ...] = ()
    base_url: str = ""
    base_url_env: str | None = None
    path: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    needs_key: bool = True
    settle: Callable[["Provider", str], "Provider"] = as_declared
    account: ReadAccount = read_account
    auth: Authorize = bearer
    headers: Headers = ()
    request_headers: Callable[[ChatRequest], Headers] = no_headers

    temperature: TemperatureRule = "caller"
    max_tokens: int | None = None
    max_tokens_field: str = "max_tokens"
    efforts: Efforts | None = None
    models: tuple[ModelRule, ...] = ()
    prepare_messages: Callable[[Sequence[Message], str], Sequence[Message]] = same_messages
    sanitize_tools: Callable[[Sequence[Tool], str], Sequence[Tool]] = moonshot_tools
    extra_body: ExtraBody = nothing_more
    reasoning: ExtraBody | None = None
    drop: frozenset[str] = frozenset()
    options: Mapping[str, Option] = msgspec.field(default_factory=dict)
    # Which model answers when none is named, and which one does small work such as compressing.
    model: str | None = None
    auxiliary_model: str | None = None

    # First message system -> developer for models with one of these in their name.
    developer_models: tuple[str, ...] = ("gpt-5", "codex")
    # Where the answer's schema goes; "none" leaves it out.
    structured_output: Literal["json_schema", "json_object", "tool", "none"] = "json_schema"
    prompt_cache_key: bool = False
    # Whether content parts may carry cache_control marks (chat completions; Messages always may).
    cache_marks: bool = False
    # The reasoning of earlier turns that is sent back; strict servers refuse fields they lack.
    reasoning_fields: frozenset[str] = frozenset(
        {"reasoning", "reasoning_content", "reasoning_details"}
    )
    images_in_tool_results: bool = True
    stream_usage: bool = True
    # Thought signatures on tool calls (Gemini): replayed here, refused elsewhere.
    tool_call_extras: bool = False
    # Names a client's function may not have, because the provider's own tools do.
    reserved_tools: frozenset[str] = frozenset()
    # Responses: whether instructions may go with previous_response_id; whether encrypted
    # reasoning is asked for and replayed; whether each input item needs its type.
    chained_instructions: bool = True
    encrypted_reasoning: bool = False
    typed_items: bool = False
    # Messages: which thinking blocks are sent back, the version header's value, beta features.
    thinking_replay: Literal["signed", "unsigned", "as_given", "none"] = "signed"
    api_version: str | None = None
    betas: tuple[str, ...] = ()

    def __repr__(self) -> str:
        # What a user puts into headers or the body may be secret.
        return f"Provider({self.name!r})"
