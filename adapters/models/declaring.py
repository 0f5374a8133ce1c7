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
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured
from ...ports.models import ChatRequest
from .account import Account, ReadAccount, key_in
from .provider import ExtraBody, Headers, Provider
from .provider_settings import FIELDS, ProviderSettings, read_field
from .providers.custom import CUSTOM
from .registry import Registry, registered, spelled

_BLOCK = "providers"
_KEY = "api_key"
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
# These go into the provider as they are; the others need a hand.
_PLAIN = frozenset(FIELDS) - {_KEY, "env", "key_header", "headers", "extra_body"}


def declare_all(block: object, registry: Registry) -> Result[Registry, NotConfigured]:
    """Register what the block ``providers:`` declares, or say which field is wrong.

    An empty block changes nothing.
    """
    if block is None:
        return Success(registry)
    if not isinstance(block, Mapping):
        return _wrong(_BLOCK, "it must hold a block for each provider, by its name")
    for name, given in block.items():
        declared = declare(str(name), given, registry)
        if isinstance(declared, Failure):
            return declared
        registry = registered([declared.unwrap()], registry)
    return Success(registry)


def declare(name: str, given: object, registry: Registry) -> Result[Provider, NotConfigured]:
    """Return the provider that settings describe, or say which field is wrong.

    One that the registry knows keeps what is not set; another starts as a compatible server.
    """
    where = f"{_BLOCK}.{name}"
    if not _NAME.fullmatch(spelled(name)):
        return _wrong(where, "a name has letters, digits, points and hyphens")
    if not isinstance(given, Mapping):
        return _wrong(where, "it must hold settings such as base_url:")
    known = registry.find(name).value_or(None)
    if known is None and given.get("base_url") is None:
        return _wrong(f"{where}.base_url", "a provider of your own needs its address")
    base = known or _newcomer(spelled(name), with_key=given.get("env") is not None)
    said = {str(key): value for key, value in given.items() if value is not None}
    return _changed(base, said, where)


def _newcomer(name: str, *, with_key: bool) -> Provider:
    """Return a compatible server; the variables of ``custom`` are not for it."""
    return replace(
        CUSTOM, name=name, aliases=(), title="", env=(), base_url_env=None, needs_key=with_key
    )


def _changed(
    base: Provider, said: Mapping[str, object], where: str
) -> Result[Provider, NotConfigured]:
    stranger = next((key for key in said if key not in FIELDS and key not in base.options), None)
    if stranger is not None:
        return _unknown(stranger, base, where)
    fields: dict[str, Any] = {}
    extras: list[ExtraBody] = []
    for key, value in said.items():
        if key in base.options:
            read = base.options[key](value).map(extras.append)
        else:
            read = read_field(key, value).map(partial(fields.__setitem__, key))
        if isinstance(read, Failure):
            return _wrong(f"{where}.{key}", read.failure())
    return Success(_with_settings(base, ProviderSettings(**fields), extras))


def _with_settings(
    base: Provider, settings: ProviderSettings, extras: Sequence[ExtraBody]
) -> Provider:
    given = {name: getattr(settings, name) for name in _PLAIN}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    env = settings.env if settings.env is not None else base.env
    body = dict(settings.extra_body or {})
    return replace(
        base,
        **changes,
        env=(env,) if isinstance(env, str) else env,
        headers=_joined(base.headers, settings.headers or {}),
        extra_body=_adding(base.extra_body, [*extras, lambda _request: body]),
        auth=key_in(settings.key_header) if settings.key_header else base.auth,
        account=_with_key(base.account, settings.api_key) if settings.api_key else base.account,
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


def _with_key(read: ReadAccount, key: str) -> ReadAccount:
    """Return a reader that takes ``key`` where the environment has none, which comes first."""

    def read_with_key(
        provider: Provider, environment: Mapping[str, str]
    ) -> Result[Account, NotConfigured]:
        named = replace(provider, env=(*provider.env, _KEY))
        return read(named, {**environment, _KEY: key})

    return read_with_key


def _unknown(key: str, base: Provider, where: str) -> Failure[NotConfigured]:
    near = difflib.get_close_matches(key, [*FIELDS, *base.options], n=1)
    meant = f"{where}.{near[0]}" if near else where
    return Failure(NotConfigured(setting=meant, reason=f"There is no setting {where}.{key}"))


def _wrong(setting: str, why: str) -> Failure[NotConfigured]:
    return Failure(NotConfigured(setting=setting, reason=f"{setting} cannot be used: {why}"))
