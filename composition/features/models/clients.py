"""Model clients made of a provider, its wire, an account and a transport."""

from __future__ import annotations

import configparser
import time
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import httpx
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.aws import SIGNING_PAIR_ENV, aws_account
from webseam.adapters.features.models.client.client import ModelClient
from webseam.adapters.features.models.client.exchange import ModelLimits
from webseam.adapters.features.models.client.provider_caller import ModelDeps
from webseam.adapters.features.models.declaration.provider import Account, ApiMode, Provider
from webseam.adapters.features.models.provider_registry import (
    Registry,
    discover_providers,
    normal_provider_name,
)
from webseam.adapters.features.models.provider_settings import declare_providers
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.adapters.http.dial import DialRules
from webseam.adapters.http.transport import FastTransport, TransportTimes
from webseam.kernel.boundary import describe_crash
from webseam.kernel.features.models.chat import check_chat_request
from webseam.kernel.planner.retry import MODEL_RETRIES
from webseam.kernel.policy.trust import Origin, may_secret_meet_address
from webseam.kernel.text.display import one_line
from webseam.kernel.text.redaction import redact
from webseam.ports.errors import BackendCrashed, NotConfigured, WebError

from ...planning.metering import (
    begin_request,
    meter_reply,
    note_retry,
    note_sent_request,
    retry_delay_in_call,
    send_note,
)
from ...planning.open_backends import OpenModel
from ...settings.entries import DEFAULT_ORIGIN
from ...settings.file_locations import FileLocations
from ...settings.schema import Settings
from ...settings.services import PLAIN_HTTP_OPTION, PlainHttp, plain_http_rule
from ...settings.settings_root import SettingsRoot
from ...settings.vendors import FOLDER
from ...wiring.egress import dial_rules
from .model_calls import plug_model

AWS_PROFILE_VARIABLE = "AWS_PROFILE"
_AWS_KEY_NAMES = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
_AWS_REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
_PROVIDERS_BLOCK = "providers"
# Dollars per million tokens, and per call.
PRICE_SETTINGS = ("input_price", "output_price", "cached_price", "call_price")
_KEY_SETTING = "api_key"


def add_aws_profile(variables: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables plus those of the AWS profile they name; variables win."""
    if not (name := variables.get(AWS_PROFILE_VARIABLE, "").strip()):
        return variables
    folder = FileLocations(variables).home_folder / ".aws"
    config = _aws_file(variables, "AWS_CONFIG_FILE", folder / "config")
    shared = _aws_file(variables, "AWS_SHARED_CREDENTIALS_FILE", folder / "credentials")
    # The credentials file has a section "prod", the config file "profile prod".
    section = _read_aws_section(config, name if name == "default" else f"profile {name}")
    section |= _read_aws_section(shared, name)
    added = dict(variables)
    if not any(variables.get(key.upper(), "").strip() for key in _AWS_KEY_NAMES[:2]):
        added |= {key.upper(): section[key] for key in _AWS_KEY_NAMES if section.get(key)}
    has_region = any(variables.get(region, "").strip() for region in _AWS_REGION_VARIABLES)
    if section.get("region") and not has_region:
        added["AWS_REGION"] = section["region"]
    return added


def _aws_file(variables: Mapping[str, str], name: str, default_path: Path) -> Path:
    path_text = variables.get(name, "").strip()
    return Path(path_text).expanduser() if path_text else default_path


def _read_aws_section(file: Path, name: str) -> dict[str, str]:
    """Return a section of a file; empty if it is missing or cannot be read."""
    parser = configparser.RawConfigParser(strict=False, default_section="")
    try:
        parser.read_string(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, configparser.Error):
        return {}
    return dict(parser[name]) if parser.has_section(name) else {}


_PRICE_PATHS = tuple((name,) for name in PRICE_SETTINGS)


def known_providers(settings: Settings) -> Result[Registry, NotConfigured]:
    """Return every provider: ours, those of installed packages, and what the settings declare."""
    return declare_providers(_declared_providers(settings), discover_providers().registry)


def provider_names(settings: Settings) -> list[str]:
    """Name every provider; none where the settings cannot be read."""
    return known_providers(settings).map(lambda registry: [*registry.providers]).value_or([])


def find_provider(name: str, settings: Settings) -> Result[Provider, WebError]:
    """Return the provider with that name or alias, or the error of the settings."""
    registry = known_providers(settings)
    return registry if isinstance(registry, Failure) else registry.unwrap().find(name)


def unset_setting_failure(block: str, key: str, reason: str) -> Failure[WebError]:
    """Return an error that names a missing setting and its variable."""
    names = (f"{block}.{key}", f"WEBSEAM_{block.upper()}_{key.upper()}")
    return Failure(NotConfigured(settings=names, reason=reason))


def named_provider_account(name: str, settings: Settings) -> Result[Account, WebError]:
    """Return the user's account with the provider of a name or alias, or the missing setting."""
    if isinstance(provider := find_provider(name, settings), Failure):
        return provider
    return provider_account(provider.unwrap(), settings)


def provider_account(provider: Provider, settings: Settings) -> Result[Account, NotConfigured]:
    """Return the user's account with a provider, or the missing setting.

    Without one, the keys of a working folder count for the official address. They are never mixed.
    """
    texts: Mapping[str, str] = settings.variables.texts(lambda entry: not entry.origin.foreign)
    if provider.login.read is aws_account:
        texts = add_aws_profile(texts)
    if isinstance(account := provider.account(texts), Success) and account.unwrap().secrets():
        return account
    if (brought := _folder_provider_account(provider, settings, texts)) is not None:
        return Success(brought)
    profile = (
        texts.get(AWS_PROFILE_VARIABLE, "").strip() if provider.login.read is aws_account else ""
    )
    return account.alt(lambda missing: _no_aws_keys_error(missing, profile)) if profile else account


def _folder_provider_account(
    provider: Provider, settings: Settings, texts: Mapping[str, str]
) -> Account | None:
    """Return the account of a folder's keys at the official address, or None."""
    brought = settings.variables.texts(lambda entry: entry.origin.foreign)
    keys = {name: text for name, text in brought.items() if name in FOLDER.keys}
    if (account := provider.account(keys).value_or(None)) is None or not account.secrets():
        return None
    foreign = Origin(layer="dotenv", foreign=True)
    if not may_secret_meet_address(foreign, _provider_address_origin(provider, settings)):
        return None
    # Never send a folder's keys to an address that the user's variables set.
    with_own = provider.account({**texts, **keys}).value_or(account)
    return account if with_own.base_url == account.base_url else None


def _provider_address_origin(provider: Provider, settings: Settings) -> Origin:
    """Return the origin of a provider's address; DEFAULT for the official one."""
    owners = discover_providers().registry.owners
    addresses = (
        entry.origin
        for path, entry in settings.entries.entries_below((_PROVIDERS_BLOCK,)).items()
        if path[1:] == ("base_url",)
        and owners.get(normal_provider_name(path[0]), normal_provider_name(path[0]))
        == provider.name
    )
    return next(addresses, DEFAULT_ORIGIN)


def _no_aws_keys_error(missing: NotConfigured, profile: str) -> NotConfigured:
    """Return the error with a command that prints the keys of a profile."""
    if not set(SIGNING_PAIR_ENV) <= set(missing.settings):
        return missing
    command = f"aws configure export-credentials --profile {profile} --format env"
    reason = f"The AWS profile {profile!r} has no keys of its own; `{command}` may print some"
    return replace(missing, reason=reason)


def _declared_providers(settings: Settings) -> Mapping[str, object]:
    block: dict[str, object] = {}
    for path, entry in settings.entries.entries_below((_PROVIDERS_BLOCK,)).items():
        if path[-1] == PLAIN_HTTP_OPTION or path[1:] in _PRICE_PATHS:
            continue
        parent = block
        for name in path[:-1]:
            parent = parent.setdefault(name, {})  # type: ignore[assignment]
        # Use the text: a key of digits is not a number. Commas separate several keys.
        is_key = path[-1] == _KEY_SETTING and entry.texts
        parent[path[-1]] = ",".join(entry.texts) if is_key else entry.value
    return block


def open_model(
    provider: str, root: SettingsRoot, limits: ModelLimits | None = None
) -> Result[OpenModel, WebError]:
    """Return the client of a provider with plugins; keys only go over https or to this machine."""
    if isinstance(session := root.session(), Failure):
        return session
    if isinstance(declared_provider := find_provider(provider, root.settings), Failure):
        return declared_provider
    declared = declared_provider.unwrap()
    if isinstance(account := provider_account(declared, root.settings), Failure):
        return account
    return make_settled_model(declared, account.unwrap(), root, limits).map(
        lambda client: plug_model(client, session.unwrap(), declared.api_mode, client.base_url)
    )


def make_settled_model(
    provider: Provider, account: Account, root: SettingsRoot, limits: ModelLimits | None = None
) -> Result[ModelClient, WebError]:
    """Return the client of a provider under the settings."""
    return provider_model(
        provider,
        account,
        transport=provider_transport(provider, account, root),
        limits=limits,
        opening=plain_http_rule("providers", provider.name, root.settings),
    )


def provider_transport(
    provider: Provider,
    account: Account,
    root: SettingsRoot,
    times: TransportTimes | None = None,
) -> httpx.AsyncBaseTransport:
    """Return the transport of the root, or one that dials a provider as the settings allow."""
    if root.transport is not None:
        return root.transport
    is_user_written = is_own_provider_url(provider, account, root.settings)
    rules = dial_rules(root.settings, is_user_written=is_user_written)
    return FastTransport(times=times, rules=rules, on_write=note_sent_request)


def is_own_provider_url(provider: Provider, account: Account, settings: Settings) -> bool:
    """Tell whether the user set the address, not a file of a working folder."""
    texts = settings.variables.texts(lambda entry: not entry.origin.foreign)
    trusted = provider.account(texts).map(lambda user: user.base_url).value_or(None)
    shipped = _shipped_provider_url(provider, settings)
    return account.base_url == trusted and account.base_url != shipped


def _shipped_provider_url(provider: Provider, settings: Settings) -> str:
    """Return the shipped address of a provider; empty for one of the settings."""
    declared = settings.entries.names_below((_PROVIDERS_BLOCK, provider.name))
    registered = discover_providers().registry.find(provider.name)
    shipped = registered.value_or(None if declared else provider)
    return "" if shipped is None else shipped.login.base_url


def provider_model(
    provider: Provider,
    account: Account,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
    opening: PlainHttp | None = None,
) -> Result[ModelClient, WebError]:
    """Return the client of an account; ``opening`` says whether a key may go over plain http."""
    allowed = opening or PlainHttp(allowed=False, setting="opening=PlainHttp(allowed=True)")
    checked = allowed.check(account.base_url, with_key=bool(account.secrets()))
    if isinstance(checked, Failure):
        return Failure(checked.failure())
    settled = provider.settle(provider, account.base_url)
    if settled.api_mode not in (modes := get_args(ApiMode)):
        reason = f"No API is called {settled.api_mode!r}; there are {', '.join(modes)}"
        return Failure(NotConfigured(reason=reason, settings=("api_mode",), backend=settled.name))
    rules = dial_rules(None, is_user_written=account.base_url != provider.login.base_url)
    deps = model_deps(transport or model_transport(rules))
    wire = load_wire(settled.api_mode)
    return Success(ModelClient(wire, settled, account, deps=deps, limits=limits))


def model_transport(rules: DialRules) -> FastTransport:
    """Return the transport of a model client."""
    return FastTransport(rules=rules, on_write=note_sent_request)


def model_deps(transport: httpx.AsyncBaseTransport) -> ModelDeps:
    """Return the dependencies of every model client."""
    return ModelDeps(
        transport=transport,
        now=time.time,
        redact=lambda text, secrets: one_line(redact(text, secrets)),
        check=check_chat_request,
        retry=lambda error, attempt: retry_delay_in_call(error, attempt, MODEL_RETRIES),
        crash_error=_crash_error,
        begin=begin_request,
        on_retry=note_retry,
        on_send=send_note(transport),
        on_headers=meter_reply,
    )


def _crash_error(error: Exception) -> WebError:
    crash = describe_crash(error)
    return BackendCrashed(error=crash.error, where=crash.where)
