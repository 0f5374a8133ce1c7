"""Models, put together from a provider, its wire, an account and the way there."""

from __future__ import annotations

import configparser
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ...adapters.http.dial import DialRules
from ...adapters.http.transport import FastTransport, TransportTimes
from ...adapters.models.aws import SIGNING_PAIR_ENV, aws_account
from ...adapters.models.catalogue.registry import Registry, discover_providers, normalise_name
from ...adapters.models.catalogue.settings import declare_providers
from ...adapters.models.client.client import ModelClient
from ...adapters.models.client.exchange import ModelLimits
from ...adapters.models.client.provider_caller import ModelDeps
from ...adapters.models.declaration.provider import Account, Provider
from ...adapters.models.wires.preview import load_wire
from ...kernel.boundary import describe_crash
from ...kernel.models.chat import check_chat_request
from ...kernel.planner.health.retry import MODEL_RETRIES, retry_delay
from ...kernel.text.display import one_line
from ...kernel.text.redaction import redact
from ...kernel.trust import Origin, may_meet_address
from ...ports.errors import BackendCrashed, NotConfigured, WebError
from ..calls.open_backends import OpenModel
from ..calls.session import Session
from ..file_locations import FileLocations
from ..planning.metering import note_reply
from ..settings.entries import DEFAULT, Entry
from ..settings.schema import Settings
from ..settings.services import PLAIN_HTTP, PlainHttp, plain_http_rule
from ..settings.vendors import FOLDER
from ..wiring.egress import dial_rules
from .model_calls import plug_model

PROFILE = "AWS_PROFILE"
_AWS_KEY_NAMES = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
_REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")


def with_profile(variables: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables, and what the profile they name adds to them; they come first."""
    name = variables.get(PROFILE, "").strip()
    if not name:
        return variables
    folder = FileLocations(variables).home_folder / ".aws"
    config = _aws_file(variables, "AWS_CONFIG_FILE", folder / "config")
    shared = _aws_file(variables, "AWS_SHARED_CREDENTIALS_FILE", folder / "credentials")
    # The file of credentials says "prod", the one of settings "profile prod".
    section = _read_aws_section(config, name if name == "default" else f"profile {name}")
    section |= _read_aws_section(shared, name)
    added = dict(variables)
    if not any(variables.get(key.upper(), "").strip() for key in _AWS_KEY_NAMES[:2]):
        added |= {key.upper(): section[key] for key in _AWS_KEY_NAMES if section.get(key)}
    if section.get("region") and not any(
        variables.get(each, "").strip() for each in _REGION_VARIABLES
    ):
        added["AWS_REGION"] = section["region"]
    return added


def _aws_file(variables: Mapping[str, str], name: str, usual: Path) -> Path:
    named = variables.get(name, "").strip()
    return Path(named).expanduser() if named else usual


def _read_aws_section(file: Path, name: str) -> dict[str, str]:
    """Return what a section of a file says; nothing where there is none, or it cannot be read."""
    parser = configparser.RawConfigParser(strict=False, default_section="")
    try:
        parser.read_string(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, configparser.Error):
        return {}
    return dict(parser[name]) if parser.has_section(name) else {}


# Models, put together from a provider, its wire, an account and the way there.

_PROVIDERS_BLOCK = "providers"
# Dollars for a million tokens, and for a call.
PRICES = ("input_price", "output_price", "cached_price", "call_price")
_PRICE_PATHS = tuple((name,) for name in PRICES)
_KEY_SETTING = "api_key"
# A model may think for minutes before its first word; the deadline of the call is the limit.
_MODEL_TRANSPORT_TIMES = TransportTimes(connect=10.0, head=None, idle=None)


def known_providers(settings: Settings) -> Result[Registry, NotConfigured]:
    """Return every provider: ours, those of installed packages, and what the settings declare."""
    return declare_providers(_declared_providers(settings), discover_providers().registry)


def provider_names(settings: Settings) -> list[str]:
    """Name every provider; none where the settings cannot be read."""
    return known_providers(settings).map(lambda registry: [*registry.providers]).value_or([])


def find_provider(name: str, settings: Settings) -> Result[Provider, WebError]:
    """Return the provider with that name or alias, or what is wrong with the settings, or it."""
    known = known_providers(settings)
    return known if isinstance(known, Failure) else known.unwrap().find(name)


def provider_account(provider: Provider, settings: Settings) -> Result[Account, NotConfigured]:
    """Return the account that the user has with a provider, or what is missing for one.

    Only where there is none may a working folder bring one, for the provider's official address.
    The two are never mixed: what a folder brought meets nothing of the user's.
    """
    own: Mapping[str, str] = settings.variables.texts(lambda entry: not entry.origin.foreign)
    if provider.login.read is aws_account:
        own = with_profile(own)
    account = provider.account(own)
    if isinstance(account, Success) and account.unwrap().secrets():
        return account
    brought = _folder_model_account(provider, settings, own)
    if brought is not None:
        return Success(brought)
    named = own.get(PROFILE, "").strip() if provider.login.read is aws_account else ""
    return (
        account.alt(lambda missing: _explain_keyless_profile(missing, named)) if named else account
    )


def _folder_model_account(
    provider: Provider, settings: Settings, own: Mapping[str, str]
) -> Account | None:
    """Return the account that a folder's keys give at the official address, if they give any."""
    brought = settings.variables.texts(lambda entry: entry.origin.foreign)
    keys = {name: text for name, text in brought.items() if name in FOLDER.keys}
    account = provider.account(keys).value_or(None)
    if account is None or not account.secrets():
        return None
    foreign = Origin(layer="dotenv", foreign=True)
    if not may_meet_address(foreign, _provider_address_origin(provider, settings)):
        return None
    # Whatever variables the user has that lead elsewhere: the folder's keys do not go there.
    with_own = provider.account({**own, **keys}).value_or(account)
    return account if with_own.base_url == account.base_url else None


def _provider_address_origin(provider: Provider, settings: Settings) -> Origin:
    """Return where the address in a provider's block came from; without one it is official."""
    owners = discover_providers().registry.owners
    addresses = (
        entry.origin
        for path, entry in settings.entries.below((_PROVIDERS_BLOCK,)).items()
        if path[1:] == ("base_url",)
        and owners.get(normalise_name(path[0]), normalise_name(path[0])) == provider.name
    )
    return next(addresses, DEFAULT)


def _explain_keyless_profile(missing: NotConfigured, profile: str) -> NotConfigured:
    """Tell where keys are to be had if a profile has none, rather than what is wrong with it."""
    if not set(SIGNING_PAIR_ENV) <= set(missing.settings):
        return missing
    command = f"aws configure export-credentials --profile {profile} --format env"
    reason = f"The AWS profile {profile!r} has no keys of its own; `{command}` may print some"
    return replace(missing, reason=reason)


def _declared_providers(settings: Settings) -> Mapping[str, object]:
    """Return the block ``providers`` as it was written."""
    block: dict[str, object] = {}
    for path, entry in settings.entries.below((_PROVIDERS_BLOCK,)).items():
        if path[-1] == PLAIN_HTTP or path[1:] in _PRICE_PATHS:
            # About the way there, or the bill, not about the provider.
            continue
        held = block
        for name in path[:-1]:
            # Each part of a path above a value is a block.
            held = held.setdefault(name, {})  # type: ignore[assignment]
        held[path[-1]] = _provider_setting_value(path[-1], entry)
    return block


def _provider_setting_value(name: str, entry: Entry) -> object:
    # A key of digits alone stays the key that it is; commas part several, as in a variable.
    return ",".join(entry.texts) if name == _KEY_SETTING and entry.texts else entry.value


def open_model(
    provider: str,
    settings: Settings,
    session: Session,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
) -> Result[OpenModel, WebError]:
    """Return the client of the provider with that name or alias, or say what is not usable.

    What is registered in the session stands around each call. A key is only ever sent over https,
    or to this machine.
    """
    declared_provider = find_provider(provider, settings)
    if isinstance(declared_provider, Failure):
        return declared_provider
    declared = declared_provider.unwrap()
    account = provider_account(declared, settings)
    if isinstance(account, Failure):
        return account
    opened = make_settled_model(
        declared, account.unwrap(), settings, transport=transport, limits=limits
    )
    return opened.map(
        lambda client: plug_model(client, session, declared.api_mode, client.base_url)
    )


def make_settled_model(  # noqa: PLR0913  each is a setting of its own, most by name
    provider: Provider,
    account: Account,
    settings: Settings,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
    again: bool = True,
) -> Result[ModelClient, WebError]:
    """Return the client of a provider, within what the settings allow its endpoint.

    Without ``again`` it asks once: whoever asks it knows somebody else.
    """
    way = dial_rules(settings, is_user_written=is_own_address(provider, account, settings))
    return provider_model(
        provider,
        account,
        transport=transport or model_transport(way),
        limits=limits,
        opening=plain_http_rule("providers", provider.name, settings),
        again=again,
    )


def is_own_address(provider: Provider, account: Account, settings: Settings) -> bool:
    """Tell whether the user wrote a provider's address down, and no file of a working folder."""
    own = settings.variables.texts(lambda entry: not entry.origin.foreign)
    trusted = provider.account(own).map(lambda known: known.base_url).value_or(None)
    return account.base_url == trusted and account.base_url != _shipped_provider_address(
        provider, settings
    )


def _shipped_provider_address(provider: Provider, settings: Settings) -> str:
    """Return the address that a provider comes with; one of the settings' own has none."""
    declared = settings.entries.names((_PROVIDERS_BLOCK, provider.name))
    shipped = (
        discover_providers().registry.find(provider.name).value_or(None if declared else provider)
    )
    return "" if shipped is None else shipped.login.base_url


def provider_model(  # noqa: PLR0913  each is a setting of its own, most by name
    provider: Provider,
    account: Account,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
    opening: PlainHttp | None = None,
    again: bool = True,
) -> Result[ModelClient, WebError]:
    """Return the client of a provider of your own, for the account that is given.

    ``opening`` says whether a key may go there over plain http, which is refused by default.
    Without ``again`` nothing is tried twice.
    """
    allowed = opening or PlainHttp(allowed=False, setting="opening=PlainHttp(allowed=True)")
    checked = allowed.check(account.base_url, with_key=bool(account.secrets()))
    if isinstance(checked, Failure):
        return Failure(checked.failure())
    settled = provider.settle(provider, account.base_url)
    way = dial_rules(None, is_user_written=account.base_url != provider.login.base_url)
    around = model_deps(transport or model_transport(way))
    around = around if again else replace(around, retry=lambda _error, _attempt: None)
    wire = load_wire(settled.api_mode)
    return Success(ModelClient(wire, settled, account, deps=around, limits=limits))


def model_transport(rules: DialRules) -> FastTransport:
    """Return the transport of a model's client, over that way out."""
    return FastTransport(times=_MODEL_TRANSPORT_TIMES, rules=rules)


def model_deps(transport: httpx.AsyncBaseTransport) -> ModelDeps:
    """Return what every client is given: the way there, the clock, and the kernel's decisions."""
    return ModelDeps(
        transport=transport,
        now=time.time,
        redact=_redact_model_line,
        check=check_chat_request,
        retry=_model_retry_delay,
        crash_error=_model_crash_error,
        on_headers=note_reply,
    )


def _redact_model_line(text: str, secrets: Sequence[str]) -> str:
    return one_line(redact(text, secrets))


def _model_retry_delay(error: WebError, attempt: int) -> float | None:
    return retry_delay(error, attempt, random.random(), MODEL_RETRIES)  # noqa: S311  to spread, not to hide


def _model_crash_error(error: Exception) -> WebError:
    crash = describe_crash(error)
    return BackendCrashed(error=crash.error, where=crash.where)
