"""What can be set up, by its name: a service, a provider of models, X."""

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.models.declaration.provider import Provider
from ....adapters.service.declaration import Option, Service, ServiceAddress, api_key
from ....adapters.x_search.xai import PROVIDER as XAI
from ....ports.errors import InvalidQuery, UnknownProvider, WebError
from ...settings.changes import SetupTarget
from ...settings.json_services import custom_services
from ...settings.schema import Settings
from ...wiring.backends.services import installed_services
from ...wiring.backends.unknown_backends import unknown_backend_error
from ...wiring.models.clients import known_providers
from ...wiring.models.provider_choice import choose_model
from ...wiring.models.search_model_rows import find_search_model, own_search_model
from .dialogue import find_named_service

SEARCH, MODEL, X = KINDS = ("search", "model", "x")


class SetupTargets(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set up."""

    services: Mapping[str, Service]
    providers: Mapping[str, Service]
    settings: Settings

    def provider(self, name: str) -> Result[SetupTarget, WebError]:
        """Return the provider of models that goes by a name."""
        known = known_providers(self.settings)
        if isinstance(known, Failure):
            return known
        provider = known.unwrap().find(name)
        if isinstance(provider, Failure):
            return provider
        return Success(SetupTarget(service=_asked_of(provider.unwrap()), block="providers"))

    def find(self, words: list[str]) -> Result[SetupTarget | None, WebError]:
        """Return what words name; None where a kind alone was named, or nothing."""
        kind, rest = (words[0], words[1:]) if words and words[0] in KINDS else ("", words)
        if len(rest) > 1:
            reason = f"takes one name at a time, not {len(rest)}"
            return Failure(InvalidQuery(field="setup", reason=reason))
        name = XAI if kind == X else "".join(rest).lower()
        if not name:
            return Success(None)
        if kind in (MODEL, X):
            return self.provider(name).map(lambda target: target)
        return self._anything(name, services_only=kind == SEARCH).map(lambda target: target)

    def _anything(self, name: str, *, services_only: bool) -> Result[SetupTarget, WebError]:
        """Return a service, else a provider: the names of a few are both."""
        service = find_named_service(name, self.services)
        if service is not None:
            return Success(SetupTarget(service=service))
        model = find_search_model(name)
        provider = self.provider(name if model is None else model.provider.name)
        if services_only or (
            isinstance(provider, Failure) and isinstance(provider.failure(), UnknownProvider)
        ):
            return Failure(unknown_backend_error(name, {*self.services, *self.providers, *KINDS}))
        return provider


def read_setup_targets(settings: Settings) -> Result[SetupTargets, WebError]:
    """Return everything that can be set up, unless the settings describe a service wrongly."""
    described = custom_services(settings)
    if isinstance(described, Failure):
        return described
    known = known_providers(settings)
    if isinstance(known, Failure):
        return known
    own = {name: one.service for name, one in described.unwrap().items()}
    model = own_search_model()
    providers = {name: _asked_of(each) for name, each in known.unwrap().providers.items()}
    return Success(
        SetupTargets(
            services={**installed_services(), **own, model.name: model},
            providers=providers,
            settings=settings,
        )
    )


def _asked_of(provider: Provider) -> Service:
    """Return what a provider wants to be told, as a service declares it."""
    login = provider.login
    key = api_key(*login.env, required=login.needs_key)
    model = Option(
        name="model",
        title="Model",
        required=False,
        help=f"webseam models {provider.name} --live lists them",
    )
    unchosen = isinstance(choose_model(provider), Failure)
    own_address = () if login.base_url else (login.base_url_env or "",)
    return Service(
        name=provider.name,
        title=provider.title or provider.name,
        site=provider.site,
        address=ServiceAddress(base_url=login.base_url, env=tuple(filter(None, own_address))),
        options=(key, model) if unchosen else (key,),
    )
