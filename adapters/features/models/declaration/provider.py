"""The declaration of a provider: its account, its fields, and its differences from others."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import force_setattr, replace
from returns.result import Failure, Result, Success

from webseam.adapters.user_agent import USER_AGENT
from webseam.ports.errors import NotConfigured
from webseam.ports.models import ChatRequest, Effort, Message, Tool
from webseam.ports.planning import TokenPrice
from webseam.ports.secrets import Secret

_API_KEY_PATTERN = re.compile(r"[^\s\"'{}]+")
AGENT = ("user-agent", USER_AGENT)
TITLE = ("x-title", "webseam")


def _hide(key: object) -> object:
    return Secret(key) if isinstance(key, str) else key


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A key and its base URL. ``parts`` holds other values that a signature needs, by name.

    A key that is given as a text becomes a ``Secret``.
    """

    base_url: str
    key: Secret = msgspec.field(default_factory=lambda: Secret(""))
    parts: Mapping[str, Secret] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        # A plain text is a key, too; here it is hidden.
        force_setattr(self, "key", _hide(self.key))
        force_setattr(self, "parts", {name: _hide(part) for name, part in self.parts.items()})

    def secrets(self) -> tuple[str, ...]:
        """Return every value that must never be shown."""
        return tuple(secret.reveal() for secret in (self.key, *self.parts.values()) if secret)

    def for_each_key(self) -> tuple["Account", ...]:
        """Return one account for each key in a comma-separated list.

        A key with blanks, quotes or braces in it is not a list.
        """
        keys = [part.strip() for part in self.key.reveal().split(",") if part.strip()]
        if len(keys) <= 1 or not all(_API_KEY_PATTERN.fullmatch(key) for key in keys):
            return (self,)
        return tuple(replace(self, key=Secret(key)) for key in keys)


Headers: TypeAlias = tuple[tuple[str, str], ...]


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is ready to be sent except for its credentials; ``content`` is final."""

    url: str
    headers: Headers
    content: bytes
    method: str = "POST"


# Returns the headers that authenticate the caller; ``now`` is in seconds since 1970.
Prove: TypeAlias = Callable[[Outgoing, Account, float], Headers]
Environment: TypeAlias = Mapping[str, str]
AccountResult: TypeAlias = Result[Account, NotConfigured]
# Takes the login, the provider's title, and the environment.
ReadAccount: TypeAlias = Callable[["Login", str, Environment], AccountResult]


def bearer(_outgoing: Outgoing, account: Account, _now: float) -> Headers:
    """Return the key as ``Authorization: Bearer``; no header without a key."""
    return (("authorization", f"Bearer {account.key.reveal()}"),) if account.key else ()


def key_in(header: str) -> Prove:
    """Return a function that sends the bare key in ``header``, such as ``x-api-key``."""
    return lambda _outgoing, account, _now: ((header, account.key.reveal()),) if account.key else ()


def read_account(login: "Login", title: str, environment: Environment) -> AccountResult:
    """Read key and base URL from the environment; a blank variable counts as absent."""
    keys = (environment.get(name, "").strip() for name in login.env)
    key = next((value for value in keys if value), "")
    if login.needs_key and not key:
        return missing_key_failure(title, *(login.env or ("env",)))
    override = environment.get(login.base_url_env or "", "").strip()
    base = (override or login.base_url).rstrip("/")
    if not base:
        return missing_setting_failure(f"{title} has no base URL", login.base_url_env or "base_url")
    return Success(Account(base_url=base, key=Secret(key)))


def make_account_reader(change: Callable[[Account], Account]) -> ReadAccount:
    """Return ``read_account`` with a change to the account."""
    return lambda login, title, environment: read_account(login, title, environment).map(change)


def missing_key_failure(title: str, *settings: str, remedy: str = "") -> Failure[NotConfigured]:
    """Return the error for a provider without a key, with the settings that give one."""
    return missing_setting_failure(f"{title} has no key", *settings, remedy=remedy)


def missing_setting_failure(
    reason: str, *settings: str, remedy: str = ""
) -> Failure[NotConfigured]:
    """Return the error for a missing setting; the caller adds the provider's name."""
    return Failure(NotConfigured(reason=reason, settings=settings, remedy=remedy))


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """Where an account comes from.

    ``env`` lists the variables that may hold the key; the first that is set counts. A provider that
    works without a key has ``needs_key=False``. ``base_url_env`` overrides ``base_url``. ``read``
    makes the account where that takes more than these, ``prove`` makes the headers with the key.
    ``read`` also gets the variables in ``signing_env``, which sign a call, and in ``place_env``,
    which change its destination (an endpoint, a region, a file of profiles). A working folder that
    the user has not trusted may set the former and not the latter.
    """

    env: tuple[str, ...] = ()
    needs_key: bool = True
    base_url: str = ""
    base_url_env: str | None = None
    signing_env: tuple[str, ...] = ()
    place_env: tuple[str, ...] = ()
    read: ReadAccount = read_account
    prove: Prove = bearer


def are_sendable_headers(headers: Iterable[tuple[str, str]]) -> bool:
    """Tell whether HTTP can carry the values of these headers."""
    return all(value.isascii() and value.isprintable() for _, value in headers)


# The caller's, never, the caller's while thinking is off, or always this number.
TemperatureRule: TypeAlias = Literal["caller", "omit", "unthinking"] | float
Efforts: TypeAlias = tuple[Effort, ...]


class ModelRule(msgspec.Struct, frozen=True, kw_only=True):
    """Rules for models with ``contains`` in their name; a field that is None sets no rule.

    ``efforts`` lists the levels of such a model; ``()`` means that it has none.
    """

    contains: str
    temperature: TemperatureRule | None = None
    max_tokens: int | None = None
    efforts: Efforts | None = None


class FieldRules(msgspec.Struct, frozen=True, kw_only=True):
    """Rules for request fields; in ``models`` the first matching rule that sets a field wins.

    Bundled rules about names of models fill in only what is None here.
    ``drop`` lists fields that are removed from every body. ``structured_output`` says where the
    answer's schema goes: "none" puts it into the prompt. ``stream_usage`` asks for token counts in
    a stream.
    """

    temperature: TemperatureRule | None = None
    max_tokens: int | None = None
    max_tokens_field: str = "max_tokens"
    seed_field: str = "seed"
    efforts: Efforts | None = None
    models: tuple[ModelRule, ...] = ()
    drop: frozenset[str] = frozenset()
    structured_output: Literal["json_schema", "json_object", "tool", "none"] = "json_schema"
    prompt_cache_key: bool = False
    stream_usage: bool = True


ApiMode: TypeAlias = Literal[
    "chat_completions", "responses", "anthropic_messages", "bedrock_converse", "gemini_generate"
]
# Hermes's names of API modes.
HERMES_API_MODES: Mapping[str, ApiMode] = {"codex_responses": "responses"}
ExtraBody: TypeAlias = Callable[[ChatRequest], Mapping[str, object]]
# A provider's own setting: turns a value into fields of the body, or says what is wrong with it.
Option: TypeAlias = Callable[[object], Result[ExtraBody, str]]


# These two get the model's name too.
ChangeMessages: TypeAlias = Callable[[Sequence[Message], str], Sequence[Message]]
ChangeTools: TypeAlias = Callable[[Sequence[Tool], str], Sequence[Tool]]


class HttpDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Path and headers of a call: ``path`` replaces the wire's path, ``query`` follows it.

    ``headers`` go with every call; ``request_headers`` makes those of one request.
    """

    path: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    headers: Headers = ()
    request_headers: Callable[[ChatRequest], Headers] = lambda _request: ()


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Functions that change a request: each returns a copy, or fields to add to the body.

    ``reasoning`` replaces the wire's fields for effort; ``thinking_budget`` returns the fields for
    a number of thinking tokens. ``options`` are settings that only this provider has.
    """

    prepare_messages: ChangeMessages = lambda messages, _model: messages
    sanitize_tools: ChangeTools = lambda tools, _model: tools
    extra_body: ExtraBody = lambda _request: {}
    reasoning: ExtraBody | None = None
    thinking_budget: Callable[[int], Mapping[str, object]] | None = None
    options: Mapping[str, Option] = msgspec.field(default_factory=dict)


class HistoryRules(msgspec.Struct, frozen=True, kw_only=True):
    """Rules for earlier turns.

    Models with one of ``developer_models`` in their name get the first system message as a
    developer message. ``reasoning_fields`` are the fields with thoughts that are sent back: strict
    servers refuse unknown ones. ``tool_call_extras`` sends thought signatures back with their calls
    (Gemini). ``reserved_tools`` are names that a client's function may not have. ``cache_marks``
    allows ``cache_control`` in content parts (for chat completions; Messages always allows it).
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
    """Facts for the Responses wire.

    They say whether instructions may go with a previous response, whether encrypted reasoning is
    requested and replayed, whether only that of the newest turn, and whether each item needs its
    type. ``chat_provider`` speaks Chat Completions at an address that may not have this API.
    """

    chained_instructions: bool = True
    encrypted_reasoning: bool = False
    newest_reasoning_only: bool = False
    typed_items: bool = False
    chat_provider: str = ""


class MessagesFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts for the Messages wire: replayed thinking blocks, API version, beta features."""

    thinking_replay: Literal["signed", "unsigned", "as_given", "none"] = "signed"
    api_version: str | None = None
    betas: tuple[str, ...] = ()


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider of models. ``Provider(name=..., login=Login(...))`` is a complete one.

    A request is built in this order: ``changes`` to messages and tools; common fields, by the rules
    in ``fields``; the provider's fields for effort and other additions; removal of ``fields.drop``;
    the caller's ``extra_body``. ``model`` is the default model, ``auxiliary_model`` the one for
    small work such as compressing. ``settle`` is called once with the base URL in use, because
    another host under the same name may support less. ``prices`` has list prices by model name.
    ``api_mode`` may be Hermes's name for one.
    """

    name: str
    aliases: tuple[str, ...] = ()
    title: str = ""
    site: str = ""
    api_mode: ApiMode = "chat_completions"
    model: str | None = None
    auxiliary_model: str | None = None
    settle: Callable[["Provider", str], "Provider"] = lambda provider, _base_url: provider

    login: Login = Login()
    http: HttpDetails = HttpDetails()
    fields: FieldRules = FieldRules()
    changes: Changes = Changes()
    history: HistoryRules = HistoryRules()
    responses: ResponsesFacts = ResponsesFacts()
    messages: MessagesFacts = MessagesFacts()
    prices: Mapping[str, TokenPrice] = {}

    def __post_init__(self) -> None:
        if self.api_mode in HERMES_API_MODES:
            force_setattr(self, "api_mode", HERMES_API_MODES[self.api_mode])

    def __repr__(self) -> str:
        # A user's headers and body fields may be secret.
        return f"Provider({self.name!r})"

    def account(self, environment: Environment) -> AccountResult:
        """Return the account from the environment, or the error that names the missing setting."""
        account = self.login.read(self.login, self.title or self.name, environment)
        return account.alt(lambda missing: replace(missing, backend=self.name))
