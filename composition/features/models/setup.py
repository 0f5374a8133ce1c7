"""The questions of ``webseam setup`` and the targets that it can set up."""

import re
from collections.abc import Mapping
from math import inf

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.x_search import PROVIDER_NAME as XAI
from webseam.adapters.services.declaration import Option, Service, ServiceAddress, api_key
from webseam.kernel.policy.trust import Origin
from webseam.ports.errors import InvalidQuery, UnknownProvider, WebError
from webseam.ports.text import nearest_name

from ...settings.changes import Changes, SetupTarget
from ...settings.json_services import custom_json_services
from ...settings.schema import Settings
from ...settings.services import BASE_URL_OPTION, ServiceSettings, service_settings
from ...terminal.console import Console, ask_yes_no
from ...wiring.service_backends import installed_services
from ...wiring.unknown_backends import unknown_backend_error
from .clients import known_providers
from .provider_choice import choose_model
from .search_model_rows import custom_model_service, find_search_model

_NO_SERVICE_SETTINGS = ServiceSettings(accesses=())
_COMMON_PROVIDERS = ("openai", "anthropic", "gemini", "mistral", "openrouter", "xai", "ollama")
SEARCH, MODEL, X = KINDS = ("search", "model", "x")


def ask_setup_service(
    console: Console, services: Mapping[str, Service], settings: Settings
) -> Service:
    """List the services, free ones first, and ask until the answer names one."""
    width = max(map(len, services))
    groups = _service_groups(services)
    for title, members in groups.items():
        console.print_line(f"\n{title}")
        for service in members:
            state = service_settings(service, settings).value_or(_NO_SERVICE_SETTINGS)
            about = f"{service.title}{_price_text(service)}{_state_text(state)}"
            console.print_line(f"  {service.name:<{width}}  {about}")
    first = next(service.name for members in groups.values() for service in members)
    while True:
        name = console.ask_line(f"\nWhich service? [{first}] ").lower() or first
        if (chosen := find_named_service(name, services)) is not None:
            return chosen
        near = nearest_name(name, services)
        console.print_line(f"There is no {name!r}." + (f" Did you mean {near}?" if near else ""))


def _service_groups(services: Mapping[str, Service]) -> dict[str, list[Service]]:
    """Return the services under titles, in the order in which webseam would ask them."""
    free: list[Service] = []
    with_key: list[Service] = []
    special: list[Service] = []
    own: list[Service] = []
    for service in sorted(services.values(), key=_service_order):
        if not service.address.base_url:
            own.append(service)
        elif service.offer.scope == "special":
            special.append(service)
        elif "search" in service.offer.keyless:
            free.append(service)
        else:
            with_key.append(service)
    groups = {
        "Free, no key needed; a key lifts the limits": free,
        "With a key, by price": with_key,
        "Free, for one kind of source": special,
        "On a server of your own": own,
    }
    return {title: members for title, members in groups.items() if members}


def _service_order(service: Service) -> tuple[float, int, str]:
    """Order by price, then by rank; services that ask for no key stay in the order of rank."""
    price = service.offer.price
    dollars = None if price is None or "search" in service.offer.keyless else price.search
    return (inf if dollars is None else dollars), service.offer.rank, service.name


def _price_text(service: Service) -> str:
    dollars = None if service.offer.price is None else service.offer.price.search
    with_key = "with a key " if "search" in service.offer.keyless else ""
    return "" if dollars is None else f", {with_key}${dollars * 1000:g} for 1,000 searches"


def find_named_service(name: str, services: Mapping[str, Service]) -> Service | None:
    """Return the service with a name or alias, or None."""
    aliases = {
        alias: service
        for service in services.values()
        for alias in (service.name.replace("_", "-"), *service.aliases)
    }
    return {**aliases, **services}.get(name)


def ask_setup_provider(console: Console, providers: Mapping[str, Service]) -> Service:
    """Ask until the answer names a provider of models."""
    common = ", ".join(name for name in _COMMON_PROVIDERS if name in providers)
    console.print_line(f"\nMany use {common}.")
    console.print_line("webseam models lists all of them, and servers of your own.")
    while True:
        if (name := console.ask_line("\nWhose models? ").lower()) in providers:
            return providers[name]
        near = nearest_name(name, providers)
        console.print_line(f"There is no {name!r}." + (f" Did you mean {near}?" if near else ""))


def ask_setup_options(console: Console, target: SetupTarget, settings: Settings) -> Changes:
    """Ask for each option; what is left empty stays as it is."""
    service = target.service
    origins = setup_option_origins(target, settings)
    if service.site:
        console.print_line(f"\n{service.title}: {service.site}")
    answers: dict[tuple[str, ...], str] = {}
    for option in (*_address_options(service), *service.options):
        if answer := _ask_option_value(console, option, origins.get(option.name)):
            answers[target.option_path(option.name)] = answer
    return answers


def setup_option_origins(target: SetupTarget, settings: Settings) -> Mapping[str, Origin]:
    """Return the origin of each option that is set."""
    if target.block == "services":
        return service_settings(target.service, settings).value_or(_NO_SERVICE_SETTINGS).origins
    entries = {
        option.name: settings.variables.first_entry(*option.env)
        or settings.entries.get(target.option_path(option.name))
        for option in target.service.options
    }
    return {name: entry.origin for name, entry in entries.items() if entry is not None}


def ask_default_service(console: Console, service: Service, settings: Settings) -> bool:
    """Ask whether this service is to answer from now on."""
    if settings.backend == service.name:
        return False
    instead = f" instead of {settings.backend}" if settings.backend else ""
    return ask_yes_no(console, f"Use {service.title} from now on{instead}? [Y/n] ", default=True)


def ask_default_provider(console: Console, service: Service) -> bool:
    """Ask whether this provider is to answer questions to a model from now on."""
    question = f"Let {service.title} answer webseam model ask from now on? [Y/n] "
    return ask_yes_no(console, question, default=True)


def _state_text(state: ServiceSettings) -> str:
    if any(origin.layer != "default" for origin in state.origins.values()):
        return " (set up in part)" if state.missing else " (set up)"
    return ""


def _address_options(service: Service) -> tuple[Option, ...]:
    """Return the address option of a self-hosted service; others have an address."""
    if service.address.base_url:
        return ()
    hint = "such as http://localhost:8080"
    return (Option(name=BASE_URL_OPTION, title="Address", pattern=r"https?://\S+", help=hint),)


def _ask_option_value(console: Console, option: Option, origin: Origin | None) -> str:
    has_value = origin is not None and (origin.layer != "default" or bool(option.default))
    if origin is not None and origin.layer in ("environment", "dotenv"):
        console.print_line(f"({origin} wins over what is written to the file.)")
    question = _question_text(option, has_value=has_value)
    while True:
        answer = console.ask_secret(question) if option.secret else console.ask_line(question)
        if not answer and option.required and not has_value:
            console.print_line("It is needed. Ctrl-C leaves everything as it was.")
        elif not answer or _accept_answer(console, option, answer):
            return answer


def _question_text(option: Option, *, has_value: bool) -> str:
    notes = [note for note in (option.help, _empty_note(option, has_value=has_value)) if note]
    return option.title + (f" ({'; '.join(notes)})" if notes else "") + ": "


def _empty_note(option: Option, *, has_value: bool) -> str:
    if has_value and option.default:
        return f"empty: {option.default}"
    if has_value:
        return "empty: keep it"
    return "" if option.required else "may be empty"


def _accept_answer(console: Console, option: Option, answer: str) -> bool:
    if not option.pattern or re.fullmatch(option.pattern, answer):
        return True
    return ask_yes_no(console, "That does not look like one. Keep it anyway? [y/N] ", default=False)


class SetupCatalogue(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set up."""

    services: Mapping[str, Service]
    providers: Mapping[str, Service]
    settings: Settings

    def provider(self, name: str) -> Result[SetupTarget, WebError]:
        """Return the provider of models that goes by a name."""
        if isinstance(registry := known_providers(self.settings), Failure):
            return registry
        if isinstance(provider := registry.unwrap().find(name), Failure):
            return provider
        return Success(SetupTarget(service=_provider_service(provider.unwrap()), block="providers"))

    def find(self, words: list[str]) -> Result[SetupTarget | None, WebError]:
        """Return the target that words name; None for a kind alone or no words."""
        kind, rest = (words[0], words[1:]) if words and words[0] in KINDS else ("", words)
        names = [XAI, *rest] if kind == X else rest
        if len(names) > 1:
            reason = (
                f"takes one name at a time, not {len(names)}; it asks for the key, or reads it from"
                f" standard input: webseam setup {names[0]} < key.txt"
            )
            return Failure(InvalidQuery(field="setup", reason=reason))
        if not (name := "".join(names).lower()):
            return Success(None)
        if kind in (MODEL, X):
            return self.provider(name).map(lambda target: target)
        return self._find_target(name, services_only=kind == SEARCH).map(lambda target: target)

    def _find_target(self, name: str, *, services_only: bool) -> Result[SetupTarget, WebError]:
        if (service := find_named_service(name, self.services)) is not None:
            return Success(SetupTarget(service=service))
        model = find_search_model(name)
        provider = self.provider(name if model is None else model.provider.name)
        if services_only or (
            isinstance(provider, Failure) and isinstance(provider.failure(), UnknownProvider)
        ):
            return Failure(unknown_backend_error(name, {*self.services, *self.providers, *KINDS}))
        return provider


def read_setup_targets(settings: Settings) -> Result[SetupCatalogue, WebError]:
    """Return everything that can be set up, unless the settings describe a service wrongly."""
    if isinstance(described := custom_json_services(settings), Failure):
        return described
    if isinstance(registry := known_providers(settings), Failure):
        return registry
    custom = {name: description.service for name, description in described.unwrap().items()}
    model = custom_model_service()
    providers = {
        name: _provider_service(provider) for name, provider in registry.unwrap().providers.items()
    }
    services = {**installed_services(), **custom, model.name: model}
    return Success(SetupCatalogue(services=services, providers=providers, settings=settings))


def _provider_service(provider: Provider) -> Service:
    login = provider.login
    key = api_key(*login.env, required=login.needs_key)
    hint = f"webseam models {provider.name} --live lists them"
    model = Option(name="model", title="Model", required=False, help=hint)
    needs_model = isinstance(choose_model(provider), Failure)
    own_address = () if login.base_url else (login.base_url_env or "",)
    return Service(
        name=provider.name,
        title=provider.title or provider.name,
        site=provider.site,
        address=ServiceAddress(base_url=login.base_url, env=tuple(filter(None, own_address))),
        options=(key, model) if needs_model else (key,),
    )
