"""Rows of search models: the account, the model and how to open it."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import pkgutil
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.declaration.provider import Account, Provider
from webseam.adapters.features.models.search import vendors as search_models
from webseam.adapters.features.models.search.backend import ModelChoice, SearchModelBackend
from webseam.adapters.features.models.search.declaration import SearchModel
from webseam.adapters.features.models.search.vendors import custom
from webseam.adapters.services.declaration import Option, Service, ServiceAddress, api_key
from webseam.kernel.planner.selection import Capability, SelectionCandidate
from webseam.kernel.text.redaction import KeyEchoes
from webseam.kernel.urls.service_endpoints import check_endpoint_url
from webseam.ports.errors import InvalidSetting, InvalidUrl, NotConfigured, UnknownBackend, WebError
from webseam.ports.secrets import Secret

from ...settings import services
from ...settings.schema import Settings
from ...settings.settings_root import SettingsRoot
from ...wiring.backend_rows import BOTH_CAPABILITIES, BackendRow, Root
from ...wiring.service_backends import load_bundled, load_entry_point
from .clients import is_own_provider_url, known_providers, provider_account

if TYPE_CHECKING:
    from webseam.adapters.features.models.client.client import ModelClient

ENTRY_POINT_GROUP = "webseam.search_models"
CUSTOM_NAME = "custom"
DEFAULT_SEARCH_SECONDS = 120.0
# After every service: a model costs more than a search.
_SEARCH_MODEL_RANK = 600
# After the four services that Hermes asks first.
_CUSTOM_RANK = 45
_CUSTOM_URL_SETTING = "custom_base_url"
# A configured address may end with this path; strip it.
_CHAT_PATH = "/chat/completions"


def installed_search_models() -> dict[str, SearchModel]:
    """Return every search model by name; one of a package replaces ours."""
    modules = pkgutil.iter_modules(search_models.__path__)
    shipped = (_shipped_search_model(module.name) for module in modules)
    packaged = (
        load_entry_point(point, SearchModel) for point in entry_points(group=ENTRY_POINT_GROUP)
    )
    return {model.name: model for model in (*shipped, *packaged) if isinstance(model, SearchModel)}


def broken_search_models() -> dict[str, str]:
    """Return the entry points that cannot be loaded, with the reason."""
    points = entry_points(group=ENTRY_POINT_GROUP)
    loaded = {point.name: load_entry_point(point, SearchModel) for point in points}
    return {name: problem for name, problem in loaded.items() if isinstance(problem, str)}


def find_search_model(name: str) -> SearchModel | None:
    """Return the search model of that name; None when there is none."""
    points = entry_points(group=ENTRY_POINT_GROUP, name=name)
    loaded = (load_entry_point(point, SearchModel) for point in points)
    packaged = next((model for model in loaded if isinstance(model, SearchModel)), None)
    return packaged or _shipped_search_model(name)


def _shipped_search_model(name: str) -> SearchModel | None:
    return load_bundled(search_models, name, "SEARCH_MODEL", SearchModel)


class SearchAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The provider after the settings, the account and the model of a search."""

    provider: Provider
    account: Account
    choice: ModelChoice


def custom_model_service() -> Service:
    """Return the options of the custom search model as a service."""
    return Service(
        name=CUSTOM_NAME,
        title=custom.SEARCH_MODEL.title,
        address=ServiceAddress(env=("CUSTOM_SEARCH_BASE_URL",)),
        options=(
            api_key("CUSTOM_SEARCH_API_KEY", required=False),
            Option(
                name="model",
                title="Model",
                env=("CUSTOM_SEARCH_MODEL",),
                required=False,
                default=custom.SEARCH_MODEL.model,
            ),
        ),
    )


def search_model_rows(root: Root) -> list[BackendRow]:
    """Return the rows of all search models."""
    return [search_model_row(model, root) for model in installed_search_models().values()]


def search_model_row(declared: SearchModel, root: Root) -> BackendRow:
    """Return the row of a search model, as the settings leave it."""
    lookup = search_model_account(declared, root.settings)
    is_custom = declared.name == CUSTOM_NAME
    can: tuple[Capability, ...] = BOTH_CAPABILITIES if declared.reads_pages else ("search",)
    account = lookup.unwrap() if isinstance(lookup, Success) else None
    address = None if account is None else account.account.base_url
    model = None if account is None else account.choice.model
    numbers = services.service_numbers(declared.name, root.settings)
    failures = (outcome for outcome in (lookup, numbers) if isinstance(outcome, Failure))
    problem = next((failure.failure() for failure in failures), None)
    return BackendRow(
        candidate=SelectionCandidate(
            name=declared.name,
            can=can,
            # A model reads a page only on request.
            ready=() if account is None else ("search",),
            general=is_custom,
            paid=True,
            own_address=is_custom,
            rank=_CUSTOM_RANK if is_custom else _SEARCH_MODEL_RANK,
        ),
        title=declared.title,
        open=lambda: open_search_model(declared, root),
        address=address,
        cache_identity="" if account is None else f"{address} (model {model})",
        request_settings=lambda: () if account is None else _request_settings(account, root),
        abilities=declared.abilities,
        model=model,
        problem=problem,
        numbers=numbers.value_or({}),
        is_begun=is_custom and account is None and bool(root.settings.custom_api_key),
        risk=""
        if account is None or not _is_plain_http(account.account)
        else services.PLAIN_HTTP_RISK,
    )


def _request_settings(account: SearchAccount, root: Root) -> object:
    """Return the keys of the account, and the settings of its provider."""
    block = root.settings.entries.entries_below(("providers", account.provider.name))
    provider = {" ".join(path): entry.value for path, entry in block.items()}
    return account.account.secrets(), provider


def open_search_model(
    declared: SearchModel | str, root: SettingsRoot
) -> Result[SearchModelBackend, WebError]:
    """Return the backend of a search model, or the missing setting; plugins wrap its calls."""
    from ...wiring.egress import dial_rules
    from .clients import model_transport, provider_model
    from .model_calls import plug_model  # HTTP, on first use

    if isinstance(opened := root.session(), Failure):
        return opened
    session = opened.unwrap()
    settings = root.settings
    search_model = find_search_model(declared) if isinstance(declared, str) else declared
    if search_model is None:
        capable = tuple(sorted(installed_search_models()))
        return Failure(UnknownBackend(name=str(declared), capable=capable))
    if isinstance(outcome := search_model_account(search_model, settings), Failure):
        return outcome
    account = outcome.unwrap()

    def backend(client: ModelClient) -> SearchModelBackend:
        model = plug_model(client, session, account.provider.api_mode, account.account.base_url)
        return SearchModelBackend(search_model, model, account.choice, model.aclose)

    is_own = _is_own_url(search_model, account, settings)
    rules = dial_rules(settings, is_user_written=is_own)
    return provider_model(
        account.provider,
        account.account,
        transport=root.transport or model_transport(rules),
        opening=_http_rule(search_model, settings),
    ).map(backend)


def search_model_account(
    declared: SearchModel, settings: Settings
) -> Result[SearchAccount, WebError]:
    """Return the account of a search model, or the setting that is missing or invalid."""
    is_custom = declared.name == CUSTOM_NAME
    provider = Success(declared.provider) if is_custom else _resolve_provider(declared, settings)
    if isinstance(provider, Failure):
        return provider
    # A search has one turn, so encrypted reasoning is not needed.
    declared_provider = provider.unwrap()
    responses = msgspec.structs.replace(declared_provider.responses, encrypted_reasoning=False)
    unsealed = msgspec.structs.replace(declared_provider, responses=responses)
    account = _custom_account(settings) if is_custom else provider_account(unsealed, settings)
    if isinstance(account, Failure):
        error: WebError = account.failure()
        return Failure(msgspec.structs.replace(error, backend=declared.name))
    if (address_error := _check_address(account.unwrap(), declared, settings)) is not None:
        return Failure(address_error)
    is_keyless = is_custom and not account.unwrap().secrets()
    accounts = account.unwrap().for_each_key()
    secrets = [secret for key_account in accounts for secret in key_account.secrets()]
    choice = ModelChoice(
        model=_model_name(declared, settings),
        seconds=settings.explicit_timeout or DEFAULT_SEARCH_SECONDS,
        missing_key="custom_api_key or CUSTOM_SEARCH_API_KEY" if is_keyless else "",
        echoes=KeyEchoes(secrets).redact,
    )
    return Success(SearchAccount(provider=unsealed, account=account.unwrap(), choice=choice))


def _resolve_provider(declared: SearchModel, settings: Settings) -> Result[Provider, WebError]:
    if not settings.entries.names_below(("providers",)):
        return Success(declared.provider)
    # A search model of a package may have a provider that is not registered.
    if isinstance(registry := known_providers(settings), Failure):
        return registry
    if (broken := registry.unwrap().broken.get(declared.provider.name)) is not None:
        return Failure(broken)
    return Success(registry.unwrap().find(declared.provider.name).value_or(declared.provider))


def _custom_account(settings: Settings) -> Result[Account, NotConfigured]:
    if not (base := (settings.custom_base_url or "").strip().rstrip("/").removesuffix(_CHAT_PATH)):
        reason = "The search model of your own has no address"
        named = (_CUSTOM_URL_SETTING, "CUSTOM_SEARCH_BASE_URL")
        return Failure(NotConfigured(settings=named, reason=reason))
    return Success(Account(base_url=base, key=Secret(settings.custom_api_key.reveal().strip())))


def _is_plain_http(account: Account) -> bool:
    with_key = bool(account.secrets())
    return isinstance(check_endpoint_url(account.base_url, with_key=with_key), Failure)


def _http_rule(declared: SearchModel, settings: Settings) -> services.PlainHttp:
    if declared.name == CUSTOM_NAME:
        return services.custom_plain_http(settings)
    return services.plain_http_rule("providers", declared.provider.name, settings)


def _is_own_url(declared: SearchModel, account: SearchAccount, settings: Settings) -> bool:
    """Tell whether the user set the address, not a file of a working folder."""
    if declared.name == CUSTOM_NAME:
        return not settings.entries.origin((_CUSTOM_URL_SETTING,)).foreign
    return is_own_provider_url(account.provider, account.account, settings)


def _check_address(account: Account, declared: SearchModel, settings: Settings) -> WebError | None:
    """Return why an address cannot be called, and which setting sets it."""
    http_rule = _http_rule(declared, settings)
    if http_rule.problem is not None:
        return msgspec.structs.replace(http_rule.problem, backend=declared.name)
    checked = http_rule.check(account.base_url, with_key=bool(account.secrets()))
    error: InvalidUrl | InvalidSetting | None = (
        checked.failure() if isinstance(checked, Failure) else None
    )
    if error is None and ("?" in account.base_url or "#" in account.base_url):
        error = InvalidUrl(reason="it goes on after its path, where the path of a call belongs")
    if error is None:
        return None
    if declared.name != CUSTOM_NAME:
        setting = (
            declared.provider.login.base_url_env or f"providers.{declared.provider.name}.base_url"
        )
        reason = f"{error.reason}; {setting} sets it"
        return msgspec.structs.replace(error, reason=reason, backend=declared.name)
    origin, reason = str(settings.entries.origin((_CUSTOM_URL_SETTING,))), error.reason
    return InvalidSetting(
        setting=_CUSTOM_URL_SETTING, place=origin, reason=reason, backend=CUSTOM_NAME
    )


def _model_name(declared: SearchModel, settings: Settings) -> str:
    if declared.name == CUSTOM_NAME:
        return settings.custom_model or declared.model
    name = f"WEBSEAM_{declared.name}_MODEL".upper()
    path = ("services", declared.name, "model")
    entry = settings.variables.first_entry(name) or settings.entries.get(path)
    texts = [text.strip() for text in entry.texts if text.strip()] if entry is not None else []
    return texts[0] if texts else declared.model
