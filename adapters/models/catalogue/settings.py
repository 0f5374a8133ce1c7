"""Providers out of settings: a few lines declare one, or change one that is known.

A name that is not known yet is an OpenAI-compatible server::

    providers:
      mine:
        base_url: https://llm.example/v1
        env: MINE_API_KEY
        model: small-1
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured
from ....ports.models.chat import ChatRequest, Effort
from ..declaration.base_urls import url_host
from ..declaration.provider import (
    Account,
    ApiMode,
    ExtraBody,
    Headers,
    Login,
    Provider,
    ReadAccount,
    key_in,
)
from ..providers.custom import CUSTOM
from .registry import Registry, disable_provider, normalise_name, register_providers

_Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
# A token and a field value, RFC 9110 sections 5.6.2 and 5.5.
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[!-~]([ -~]*[!-~])?")


class ProviderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that every provider has; None is not set."""

    base_url: _Text | None = None
    api_key: _Text | None = None
    env: _Text | tuple[_Text, ...] | None = None
    key_header: _Text | None = None
    model: _Text | None = None
    auxiliary_model: _Text | None = None
    aliases: tuple[_Text, ...] | None = None
    title: _Text | None = None
    api_mode: ApiMode | None = None
    path: _Text | None = None
    headers: Mapping[str, str] | None = None
    temperature: Literal["caller", "omit"] | float | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    efforts: tuple[Effort, ...] | None = None
    structured_output: Literal["json_schema", "json_object", "none"] | None = None
    extra_body: Mapping[str, object] | None = None
    drop: frozenset[_Text] | None = None

    def __repr__(self) -> str:
        # A key may stand in three of them.
        return "ProviderSettings(...)"


_TYPES = {field.name: field.type for field in msgspec.structs.fields(ProviderSettings)}
# Settings are flat for the people who write them: which group of a provider each belongs to.
FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("base_url", "api_key", "env", "key_header"), "login"),
    **dict.fromkeys(("model", "auxiliary_model", "aliases", "title", "api_mode"), ""),
    **dict.fromkeys(("path", "headers"), "http"),
    **dict.fromkeys(("temperature", "max_tokens", "max_tokens_field", "efforts"), "fields"),
    **dict.fromkeys(("structured_output", "drop"), "fields"),
    "extra_body": "changes",
}


# What Hermes calls it.
_OTHER_NAMES = {"codex_responses": "responses"}


def read_field(name: str, value: object) -> Result[object, str]:
    """Return the value that a field may have, or what is wrong with it."""
    known = _OTHER_NAMES.get(str(value), value) if name == "api_mode" else value
    try:
        converted = msgspec.convert(known, _TYPES[name])
    except msgspec.ValidationError as error:
        return Failure(_said(str(error), _TYPES[name]))
    wrong = _WRONG[name](converted) if name in _WRONG else ""
    return Failure(wrong) if wrong else Success(converted)


def _said(error: str, hint: object) -> str:
    """Say what is expected, without what was given: a key may have slipped into any field."""
    if error.startswith("Invalid enum value"):
        number = " or a number" if float in get_args(hint) else ""
        return f"it must be one of {', '.join(_choices(hint))}{number}"
    return error.replace(" | null", "")


def _choices(hint: object) -> Iterator[str]:
    for part in get_args(hint):
        yield from (part,) if isinstance(part, str) else _choices(part)


def _wrong_url(url: object) -> str:
    fine = str(url).startswith(("https://", "http://")) and url_host(str(url))
    return "" if fine else "it must begin with https:// or http:// and name a host"


def _wrong_path(path: object) -> str:
    return "" if str(path).startswith("/") else "it must begin with a slash"


def _wrong_name(name: object) -> str:
    return "" if _HEADER_NAME.fullmatch(str(name)) else "it must be the name of a header"


def _wrong_headers(headers: object) -> str:
    pairs = headers.items() if isinstance(headers, Mapping) else ()
    fine = all(_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(v) for name, v in pairs)
    return "" if fine else "a header's name is a word, and its value is one line of plain ASCII"


_WRONG = {
    "base_url": _wrong_url,
    "headers": _wrong_headers,
    "key_header": _wrong_name,
    "path": _wrong_path,
}

_BLOCK = "providers"
_KEY = "api_key"
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
# These go into the provider as they are; the others need a hand.
_PLAIN = frozenset(FIELDS) - {_KEY, "env", "key_header", "headers", "extra_body"}


def declare_providers(block: object, registry: Registry) -> Result[Registry, NotConfigured]:
    """Register what the block ``providers:`` declares; one that is wrong disables itself alone.

    An empty block changes nothing; what is no block at all is a failure.
    """
    if block is None:
        return Success(registry)
    if not isinstance(block, Mapping):
        return _wrong(_BLOCK, "it must hold a block for each provider, by its name")
    for name, fields in block.items():
        declared = declare_provider(str(name), fields, registry)
        if isinstance(declared, Failure):
            registry = disable_provider(str(name), declared.failure(), registry)
        else:
            registry = register_providers([declared.unwrap()], registry)
    return Success(registry)


def declare_provider(
    name: str, block: object, registry: Registry
) -> Result[Provider, NotConfigured]:
    """Return the provider that settings describe, or say which field is wrong.

    One that the registry knows keeps what is not set; another starts as a compatible server.
    """
    where = f"{_BLOCK}.{name}"
    if not _NAME.fullmatch(normalise_name(name)):
        return _wrong(where, "a name has letters, digits, points and hyphens")
    if not isinstance(block, Mapping):
        return _wrong(where, "it must hold settings such as base_url:")
    known = registry.find(name).value_or(None)
    if known is None and block.get("base_url") is None:
        return _wrong(f"{where}.base_url", "a provider of your own needs its address")
    base = known or _newcomer(normalise_name(name), with_key=block.get("env") is not None)
    settings = {str(key): value for key, value in block.items() if value is not None}
    return _changed(base, settings, where)


def _newcomer(name: str, *, with_key: bool) -> Provider:
    """Return a compatible server; the variables of ``custom`` are not for it."""
    return replace(
        CUSTOM,
        name=name,
        aliases=(),
        title="",
        login=replace(CUSTOM.login, env=(), base_url_env=None, needs_key=with_key),
    )


def _changed(
    base: Provider, settings: Mapping[str, object], where: str
) -> Result[Provider, NotConfigured]:
    stranger = next(
        (key for key in settings if key not in FIELDS and key not in base.changes.options), None
    )
    if stranger is not None:
        return _unknown(stranger, base, where)
    fields: dict[str, Any] = {}
    extras: list[ExtraBody] = []
    for key, value in settings.items():
        if key in base.changes.options:
            outcome = base.changes.options[key](value).map(extras.append)
        else:
            outcome = read_field(key, value).map(partial(fields.__setitem__, key))
        if isinstance(outcome, Failure):
            return _wrong(f"{where}.{key}", outcome.failure())
    return Success(_with_settings(base, ProviderSettings(**fields), extras))


def _with_settings(
    base: Provider, settings: ProviderSettings, extras: Sequence[ExtraBody]
) -> Provider:
    values = {name: getattr(settings, name) for name in _PLAIN}
    groups: dict[str, dict[str, Any]] = {group: {} for group in FIELDS.values()}
    for name, value in values.items():
        if value is not None:
            groups[FIELDS[name]][name] = value
    body = dict(settings.extra_body or {})
    extra_body = _adding(base.changes.extra_body, [*extras, lambda _request: body])
    headers = _joined(base.http.headers, settings.headers or {})
    return replace(
        base,
        **groups[""],
        login=replace(_login(base.login, settings), **groups["login"]),
        http=replace(base.http, headers=headers, **groups["http"]),
        fields=replace(base.fields, **groups["fields"]),
        changes=replace(base.changes, extra_body=extra_body, **groups["changes"]),
    )


def _login(base: Login, settings: ProviderSettings) -> Login:
    env = settings.env if settings.env is not None else base.env
    return replace(
        base,
        env=(env,) if isinstance(env, str) else env,
        prove=key_in(settings.key_header) if settings.key_header else base.prove,
        read=_with_key(base.read, settings.api_key) if settings.api_key else base.read,
    )


def _joined(headers: Headers, more: Mapping[str, str]) -> Headers:
    return tuple({**dict(headers), **{name.lower(): more[name] for name in more}}.items())


def _adding(first: ExtraBody, more: Sequence[ExtraBody]) -> ExtraBody:
    def extra_body(request: ChatRequest) -> Mapping[str, object]:
        added = dict(first(request))
        for one in more:
            added.update(one(request))
        return added

    return extra_body


def _with_key(reader: ReadAccount, key: str) -> ReadAccount:
    """Return a reader that takes ``key`` where the environment has none, which comes first."""

    def read_with_key(
        login: Login, title: str, environment: Mapping[str, str]
    ) -> Result[Account, NotConfigured]:
        named = replace(login, env=(*login.env, _KEY))
        return reader(named, title, {**environment, _KEY: key})

    return read_with_key


def _unknown(key: str, base: Provider, where: str) -> Failure[NotConfigured]:
    near = difflib.get_close_matches(key, [*FIELDS, *base.changes.options], n=1)
    meant = f"{where}.{near[0]}" if near else where
    return Failure(NotConfigured(settings=(meant,), reason=f"There is no setting {where}.{key}"))


def _wrong(setting: str, why: str) -> Failure[NotConfigured]:
    return Failure(NotConfigured(settings=(setting,), reason=f"{setting} cannot be used: {why}"))
