"""What a provider is: everything special about it, declared once. The wires read it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace
from returns.result import Result

from ....ports.errors import NotConfigured
from ....ports.models.chat import ChatRequest, Message, Tool
from ....ports.planning.prices import TokenPrice
from .account import Account, Login
from .fields import FieldRules

AGENT = ("user-agent", "webseam")
TITLE = ("x-title", "webseam")

ApiMode: TypeAlias = Literal[
    "chat_completions", "responses", "anthropic_messages", "bedrock_converse", "gemini_generate"
]
Headers: TypeAlias = tuple[tuple[str, str], ...]
ExtraBody: TypeAlias = Callable[[ChatRequest], Mapping[str, object]]
# A setting of the provider's own: the part of the body that a value stands for, or what is wrong.
Option: TypeAlias = Callable[[object], Result[ExtraBody, str]]


def same_messages(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Leave the messages as they are."""
    return messages


def same_tools(tools: Sequence[Tool], _model: str) -> Sequence[Tool]:
    """Leave the tools as they are."""
    return tools


def nothing_more(_request: ChatRequest) -> Mapping[str, object]:
    """Add nothing to the body."""
    return {}


def no_headers(_request: ChatRequest) -> Headers:
    """Add no headers."""
    return ()


def as_declared(provider: "Provider", _base_url: str) -> "Provider":
    """Be the same wherever the base URL leads."""
    return provider


class HttpDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What is around the body: ``path`` and ``query`` replace and follow the wire's own.

    ``headers`` go with every call, ``request_headers`` with the one they are made for.
    """

    path: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    headers: Headers = ()
    request_headers: Callable[[ChatRequest], Headers] = no_headers


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Functions that change a request: each returns a copy, or a part of the body to add.

    ``reasoning`` replaces the wire's own way to ask for effort; ``thinking_budget`` is how a number
    of tokens to think with is asked for, where that can be. ``options`` are what the user may set
    beyond the settings that every provider has.
    """

    prepare_messages: Callable[[Sequence[Message], str], Sequence[Message]] = same_messages
    sanitize_tools: Callable[[Sequence[Tool], str], Sequence[Tool]] = same_tools
    extra_body: ExtraBody = nothing_more
    reasoning: ExtraBody | None = None
    thinking_budget: Callable[[int], Mapping[str, object]] | None = None
    options: Mapping[str, Option] = msgspec.field(default_factory=dict)


class HistoryRules(msgspec.Struct, frozen=True, kw_only=True):
    """How earlier turns are sent.

    For models with one of ``developer_models`` in their name the first system message is a
    developer's. ``reasoning_fields`` are the thoughts of earlier turns that go back: strict servers
    refuse fields they lack. ``tool_call_extras`` sends thought signatures back with their calls
    (Gemini). A client's function may not have one of the ``reserved_tools``' names. ``cache_marks``
    lets content parts carry ``cache_control`` (chat completions; Messages always may).
    """

    developer_models: tuple[str, ...] = ("gpt-5", "codex")
    reasoning_fields: frozenset[str] = frozenset(
        {"reasoning", "reasoning_content", "reasoning_details"}
    )
    images_in_tool_results: bool = True
    tool_call_extras: bool = False
    reserved_tools: frozenset[str] = frozenset()
    cache_marks: bool = False


class ResponsesFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the Responses wire asks: whether instructions may go with a previous response.

    Also whether encrypted reasoning is asked for and replayed, and each item needs its type.
    """

    chained_instructions: bool = True
    encrypted_reasoning: bool = False
    typed_items: bool = False


class MessagesFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the Messages wire asks: which thinking blocks go back, its version, beta features."""

    thinking_replay: Literal["signed", "unsigned", "as_given", "none"] = "signed"
    api_version: str | None = None
    betas: tuple[str, ...] = ()


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider of models. ``Provider(name=..., login=Login(...))`` is a whole one.

    What goes into a request, in this order: ``changes`` to messages and tools; the usual fields, by
    the rules in ``fields``; the provider's own way to ask for effort and what else it adds; what
    ``fields.drop`` takes out; the caller's own ``extra_body``. ``model`` answers when none is
    named, ``auxiliary_model`` does small work such as compressing. ``settle`` is asked once, with
    the base URL that is really used: another host under the same name may know less. ``prices``
    are the list prices of its models, by their names.
    """

    name: str
    aliases: tuple[str, ...] = ()
    title: str = ""
    site: str = ""
    api_mode: ApiMode = "chat_completions"
    model: str | None = None
    auxiliary_model: str | None = None
    settle: Callable[["Provider", str], "Provider"] = as_declared

    login: Login = Login()
    http: HttpDetails = HttpDetails()
    fields: FieldRules = FieldRules()
    changes: Changes = Changes()
    history: HistoryRules = HistoryRules()
    responses: ResponsesFacts = ResponsesFacts()
    messages: MessagesFacts = MessagesFacts()
    prices: Mapping[str, TokenPrice] = {}

    def __repr__(self) -> str:
        # What a user puts into headers or the body may be secret.
        return f"Provider({self.name!r})"

    def account(self, environment: Mapping[str, str]) -> Result[Account, NotConfigured]:
        """Return the account that the environment gives, or what is missing for one."""
        account = self.login.read(self.login, self.title or self.name, environment)
        return account.alt(lambda missing: replace(missing, backend=self.name))
