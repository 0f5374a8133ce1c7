"""What a provider is: everything special about it, declared once. The wires read it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured
from ....ports.models.chat import ChatRequest, Effort, Message, Tool
from ....ports.planning import TokenPrice
from ....ports.secrets import Secret


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A key and where it is good. ``parts`` holds whatever else a signature takes, by name."""

    base_url: str
    key: Secret = msgspec.field(default_factory=lambda: Secret(""))
    parts: Mapping[str, Secret] = msgspec.field(default_factory=dict)

    def secrets(self) -> tuple[str, ...]:
        """Return every value that must never be shown."""
        held = (self.key, *self.parts.values())
        return tuple(secret.reveal() for secret in held if secret)

    def for_each_key(self) -> tuple["Account", ...]:
        """Return one account for each key: several keys stand between commas.

        What has blanks or quotes between its commas is not a list of keys.
        """
        keys = [part.strip() for part in self.key.reveal().split(",") if part.strip()]
        if len(keys) <= 1 or not all(_KEY.fullmatch(key) for key in keys):
            return (self,)
        return tuple(msgspec.structs.replace(self, key=Secret(key)) for key in keys)


_KEY = re.compile(r"[^\s\"'{}]+")


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is ready to be sent but for its proof: these very bytes will go out."""

    url: str
    headers: tuple[tuple[str, str], ...]
    content: bytes
    method: str = "POST"


# Returns the headers that prove who is calling; ``now`` is in seconds since 1970.
Prove: TypeAlias = Callable[[Outgoing, Account, float], tuple[tuple[str, str], ...]]
# Takes the login, the provider's title for people, and the environment.
ReadAccount: TypeAlias = Callable[["Login", str, Mapping[str, str]], Result[Account, NotConfigured]]


def bearer(_outgoing: Outgoing, account: Account, _now: float) -> tuple[tuple[str, str], ...]:
    """Send the key as ``Authorization: Bearer``; without a key, nothing."""
    return (("authorization", f"Bearer {account.key.reveal()}"),) if account.key else ()


def key_in(header: str) -> Prove:
    """Send the bare key in a header of its own, such as ``x-api-key``."""

    def prove(_outgoing: Outgoing, account: Account, _now: float) -> tuple[tuple[str, str], ...]:
        return ((header, account.key.reveal()),) if account.key else ()

    return prove


def read_account(
    login: "Login", title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Take key and base URL from the environment; blank counts as absent."""
    keys = (environment.get(name, "").strip() for name in login.env)
    key = next((value for value in keys if value), "")
    if login.needs_key and not key:
        return keyless_error(title, *(login.env or ("env",)))
    override = environment.get(login.base_url_env or "", "").strip()
    base = (override or login.base_url).rstrip("/")
    if not base:
        return unset_error(f"{title} has no base URL", login.base_url_env or "base_url")
    return Success(Account(base_url=base, key=Secret(key)))


def keyless_error(title: str, *settings: str, remedy: str = "") -> Failure[NotConfigured]:
    """Say that a provider has no key, and what would give it one."""
    return unset_error(f"{title} has no key", *settings, remedy=remedy)


def unset_error(reason: str, *settings: str, remedy: str = "") -> Failure[NotConfigured]:
    """Say what is missing, and which settings mend it; the caller adds whose it is."""
    return Failure(NotConfigured(reason=reason, settings=settings, remedy=remedy))


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """What an account is made of.

    ``env`` are the variables that may hold the key, the first that is set counts; a provider that
    works without one has ``needs_key=False``. ``base_url_env`` overrides ``base_url``. ``read``
    makes the account where that takes more than these, ``prove`` the headers that show the key.
    ``signing_env`` and ``place_env`` are variables that ``read`` takes besides: what signs a call,
    and what leads it elsewhere (an endpoint, a region, a file of profiles). A working folder that
    the user has not trusted may give the former and not the latter.
    """

    env: tuple[str, ...] = ()
    needs_key: bool = True
    base_url: str = ""
    base_url_env: str | None = None
    signing_env: tuple[str, ...] = ()
    place_env: tuple[str, ...] = ()
    read: ReadAccount = read_account
    prove: Prove = bearer


def can_be_sent(headers: Iterable[tuple[str, str]]) -> bool:
    """Tell whether headers hold nothing but what HTTP can carry."""
    return all(value.isascii() and value.isprintable() for _, value in headers)


# The usual fields of a request: which of them a provider takes, and with which values.

# The caller's, none at all, the caller's while thinking is switched off, or always this one.
TemperatureRule: TypeAlias = Literal["caller", "omit", "unthinking"] | float
Efforts: TypeAlias = tuple[Effort, ...]


class ModelRule(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for the models whose name has ``contains`` in it; None says nothing about it.

    ``efforts`` are the levels such a model knows; ``()`` means that it takes none at all.
    """

    contains: str
    temperature: TemperatureRule | None = None
    max_tokens: int | None = None
    efforts: Efforts | None = None


class FieldRules(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into the usual fields; of ``models`` the first rule with a word on one wins.

    ``drop`` are fields that are taken out of every body. ``structured_output`` says where the
    answer's schema goes: "none" leaves it to words. ``stream_usage`` asks for counts in a stream.
    """

    temperature: TemperatureRule = "caller"
    max_tokens: int | None = None
    max_tokens_field: str = "max_tokens"
    efforts: Efforts | None = None
    models: tuple[ModelRule, ...] = ()
    drop: frozenset[str] = frozenset()
    structured_output: Literal["json_schema", "json_object", "tool", "none"] = "json_schema"
    prompt_cache_key: bool = False
    stream_usage: bool = True


# What a provider is: everything special about it, declared once. The wires read it.

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
