"""Providers from settings: a few lines declare a new provider or change an existing one.

A new name is an OpenAI-compatible server::

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

from webseam.ports.errors import NotConfigured
from webseam.ports.models import ChatRequest, Effort

from .declaration import provider
from .declaration.base_urls import api_host
from .declaration.rules import clamp_effort
from .provider_registry import Registry, disable_provider, normal_provider_name, register_providers
from .providers.custom import CUSTOM

_NonEmptyText: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
# A token and a field value, RFC 9110 sections 5.6.2 and 5.5.
_HEADER_NAME_PATTERN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE_PATTERN = re.compile(r"[!-~]([ -~]*[!-~])?")
# Settings are flat for users; this maps each one to a group of ``Provider``.
SETTING_GROUPS: Mapping[str, str] = {
    **dict.fromkeys(("base_url", "api_key", "env", "key_header"), "login"),
    **dict.fromkeys(("model", "auxiliary_model", "aliases", "title", "api_mode"), ""),
    **dict.fromkeys(("path", "headers"), "http"),
    **dict.fromkeys(("temperature", "max_tokens", "max_tokens_field", "efforts"), "fields"),
    **dict.fromkeys(("structured_output", "drop"), "fields"),
    "extra_body": "changes",
}
_PROVIDERS_BLOCK = "providers"
_API_KEY_SETTING = "api_key"
_PROVIDER_NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9.-]*")
# These are copied into the provider unchanged.
_COPIED_KEYS = frozenset(SETTING_GROUPS) - {
    _API_KEY_SETTING,
    "env",
    "key_header",
    "headers",
    "extra_body",
}


class ProviderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that every provider has; None means not set."""

    base_url: _NonEmptyText | None = None
    api_key: _NonEmptyText | None = None
    env: _NonEmptyText | tuple[_NonEmptyText, ...] | None = None
    key_header: _NonEmptyText | None = None
    model: _NonEmptyText | None = None
    auxiliary_model: _NonEmptyText | None = None
    aliases: tuple[_NonEmptyText, ...] | None = None
    title: _NonEmptyText | None = None
    api_mode: provider.ApiMode | None = None
    path: _NonEmptyText | None = None
    headers: Mapping[str, str] | None = None
    temperature: Literal["caller", "omit"] | float | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    efforts: tuple[Effort, ...] | None = None
    structured_output: Literal["json_schema", "json_object", "none"] | None = None
    extra_body: Mapping[str, object] | None = None
    drop: frozenset[_NonEmptyText] | None = None

    def __repr__(self) -> str:
        # Three of the fields may hold a key.
        return "ProviderSettings(...)"


_SETTING_TYPES = {field.name: field.type for field in msgspec.structs.fields(ProviderSettings)}


def read_provider_setting(name: str, value: object) -> Result[object, str]:
    """Return the checked value of a setting, or what is wrong with it."""
    renamed = provider.HERMES_API_MODES.get(str(value), value) if name == "api_mode" else value
    try:
        converted = msgspec.convert(renamed, _SETTING_TYPES[name])
    except msgspec.ValidationError as error:
        return Failure(_expected_value(str(error), _SETTING_TYPES[name]))
    problem = _SETTING_CHECKS[name](converted) if name in _SETTING_CHECKS else ""
    return Failure(problem) if problem else Success(converted)


def _expected_value(error: str, field_type: object) -> str:
    """Return what is expected, without the given value: it may be a misplaced key."""
    if error.startswith("Invalid enum value"):
        or_number = " or a number" if float in get_args(field_type) else ""
        return f"it must be one of {', '.join(_choices(field_type))}{or_number}"
    return error.replace(" | null", "")


def _choices(field_type: object) -> Iterator[str]:
    for part in get_args(field_type):
        yield from (part,) if isinstance(part, str) else _choices(part)


def _url_problem(url: object) -> str:
    is_valid = str(url).startswith(("https://", "http://")) and api_host(str(url))
    return "" if is_valid else "it must begin with https:// or http:// and name a host"


def _path_problem(path: object) -> str:
    return "" if str(path).startswith("/") else "it must begin with a slash"


def _header_name_problem(name: object) -> str:
    return "" if _HEADER_NAME_PATTERN.fullmatch(str(name)) else "it must be the name of a header"


def _headers_problem(headers: object) -> str:
    pairs = headers.items() if isinstance(headers, Mapping) else ()
    is_valid = all(
        _HEADER_NAME_PATTERN.fullmatch(name) and _HEADER_VALUE_PATTERN.fullmatch(value)
        for name, value in pairs
    )
    return "" if is_valid else "a header's name is a word, and its value is one line of plain ASCII"


_SETTING_CHECKS = {
    "base_url": _url_problem, "headers": _headers_problem, "path": _path_problem,
    "key_header": _header_name_problem,
}  # fmt: skip


def declare_providers(block: object, registry: Registry) -> Result[Registry, NotConfigured]:
    """Register the providers in the block ``providers:``; a wrong one is only disabled.

    An empty block changes nothing; a value that is not a block is a failure.
    """
    if block is None:
        return Success(registry)
    if not isinstance(block, Mapping):
        return _wrong_value(_PROVIDERS_BLOCK, "it must hold a block for each provider, by its name")
    for name, fields in block.items():
        declared = declare_provider(str(name), fields, registry)
        if isinstance(declared, Failure):
            registry = disable_provider(str(name), declared.failure(), registry)
        else:
            registry = register_providers([declared.unwrap()], registry)
    return Success(registry)


def declare_provider(
    name: str, block: object, registry: Registry
) -> Result[provider.Provider, NotConfigured]:
    """Return the provider that settings describe, or the setting that is wrong.

    A registered provider keeps its other fields; a new one starts as an OpenAI-compatible server.
    """
    setting = f"{_PROVIDERS_BLOCK}.{name}"
    if not _PROVIDER_NAME_PATTERN.fullmatch(normal_provider_name(name)):
        return _wrong_value(setting, "a name has letters, digits, points and hyphens")
    if not isinstance(block, Mapping):
        return _wrong_value(setting, "it must hold settings such as base_url:")
    registered = registry.find(name).value_or(None)
    if registered is None and block.get("base_url") is None:
        return _wrong_value(f"{setting}.base_url", "a provider of your own needs its address")
    base = registered or _new_provider(
        normal_provider_name(name), with_key=block.get("env") is not None
    )
    settings = {str(key): value for key, value in block.items() if value is not None}
    return _apply_settings(base, settings, setting)


def _new_provider(name: str, *, with_key: bool) -> provider.Provider:
    """Return an OpenAI-compatible server without the environment variables of ``custom``."""
    return replace(
        CUSTOM,
        name=name,
        aliases=(),
        title="",
        login=replace(CUSTOM.login, env=(), base_url_env=None, needs_key=with_key),
    )


def _apply_settings(
    base: provider.Provider, settings: Mapping[str, object], setting: str
) -> Result[provider.Provider, NotConfigured]:
    unknown = next(
        (key for key in settings if key not in SETTING_GROUPS and key not in base.changes.options),
        None,
    )
    if unknown is not None:
        return _unknown_key(unknown, base, setting)
    fields: dict[str, Any] = {}
    extras: list[provider.ExtraBody] = []
    for key, value in settings.items():
        if key in base.changes.options:
            outcome = base.changes.options[key](value).map(extras.append)
        else:
            outcome = read_provider_setting(key, value).map(partial(fields.__setitem__, key))
        if isinstance(outcome, Failure):
            return _wrong_value(f"{setting}.{key}", outcome.failure())
    return Success(_merge_settings(base, ProviderSettings(**fields), extras))


def _merge_settings(
    base: provider.Provider, settings: ProviderSettings, extras: Sequence[provider.ExtraBody]
) -> provider.Provider:
    groups: dict[str, dict[str, Any]] = {group: {} for group in SETTING_GROUPS.values()}
    for name in _COPIED_KEYS:
        if (value := getattr(settings, name)) is not None:
            groups[SETTING_GROUPS[name]][name] = value
    body = dict(settings.extra_body or {})
    extra_body = _chain_bodies(base.changes.extra_body, [*extras, lambda _request: body])
    added_headers = {name.lower(): value for name, value in (settings.headers or {}).items()}
    headers = tuple({**dict(base.http.headers), **added_headers}.items())
    # What the user says holds for every model, so it precedes all rules for some models.
    limits = {name: getattr(settings, name) for name in ("temperature", "max_tokens", "efforts")}
    groups["fields"]["models"] = (provider.ModelRule(contains="", **limits), *base.fields.models)
    groups["changes"]["reasoning"] = _clamp_own_reasoning(base.changes.reasoning, settings.efforts)
    return replace(
        base,
        **groups[""],
        login=replace(_merge_login(base.login, settings), **groups["login"]),
        http=replace(base.http, headers=headers, **groups["http"]),
        fields=replace(base.fields, **groups["fields"]),
        changes=replace(base.changes, extra_body=extra_body, **groups["changes"]),
    )


def _clamp_own_reasoning(
    reasoning: provider.ExtraBody | None, efforts: provider.Efforts | None
) -> provider.ExtraBody | None:
    """Return a provider's own fields for thinking, with no level that the user left out."""
    if reasoning is None or efforts is None:
        return reasoning
    return lambda request: reasoning(
        replace(request, reasoning_effort=clamp_effort(request.reasoning_effort, efforts))
    )


def _merge_login(base: provider.Login, settings: ProviderSettings) -> provider.Login:
    env = settings.env if settings.env is not None else base.env
    return replace(
        base,
        env=(env,) if isinstance(env, str) else env,
        prove=provider.key_in(settings.key_header) if settings.key_header else base.prove,
        read=_make_account_reader(base.read, settings.api_key) if settings.api_key else base.read,
    )


def _chain_bodies(
    first: provider.ExtraBody, extras: Sequence[provider.ExtraBody]
) -> provider.ExtraBody:
    def extra_body(request: ChatRequest) -> Mapping[str, object]:
        added = dict(first(request))
        for extra in extras:
            added.update(extra(request))
        return added

    return extra_body


def _make_account_reader(reader: provider.ReadAccount, key: str) -> provider.ReadAccount:
    """Return a reader that uses ``key`` if the environment has none."""

    def read_with_key(
        login: provider.Login, title: str, environment: provider.Environment
    ) -> provider.AccountResult:
        with_setting_key = replace(login, env=(*login.env, _API_KEY_SETTING))
        return reader(with_setting_key, title, {**environment, _API_KEY_SETTING: key})

    return read_with_key


def _unknown_key(key: str, base: provider.Provider, setting: str) -> Failure[NotConfigured]:
    near = difflib.get_close_matches(key, [*SETTING_GROUPS, *base.changes.options], n=1)
    hint = f"{setting}.{near[0]}" if near else setting
    return Failure(NotConfigured(settings=(hint,), reason=f"There is no setting {setting}.{key}"))


def _wrong_value(setting: str, fault: str) -> Failure[NotConfigured]:
    return Failure(NotConfigured(settings=(setting,), reason=f"{setting} cannot be used: {fault}"))
