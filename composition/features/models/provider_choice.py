"""The choice of the provider and the model that answer a question."""

from __future__ import annotations

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.provider_registry import Registry
from webseam.kernel.planner.routes import read_model_route
from webseam.ports.errors import InvalidSetting, NotConfigured, WebError

from ...settings import remedies
from ...settings.schema import Settings
from .clients import known_providers, provider_account


class ReadyProviders(msgspec.Struct, frozen=True, kw_only=True):
    """The providers that are set up with a key, and the errors of others."""

    providers: tuple[Provider, ...] = ()
    broken: tuple[NotConfigured, ...] = ()

    @property
    def doors(self) -> tuple[Provider, ...]:
        """One provider for each key; of several with the same key, the first."""
        first_by_key = {
            provider.login.env or provider.name: provider for provider in reversed(self.providers)
        }
        return tuple(reversed(first_by_key.values()))


def ready_providers(settings: Settings) -> Result[ReadyProviders, NotConfigured]:
    """Return the providers that a question could go to without being named.

    They have a key: many others on this machine would need none.
    """
    if isinstance(registry := known_providers(settings), Failure):
        return registry
    ready: list[Provider] = []
    for item in registry.unwrap().providers.values():
        account = provider_account(item, settings)
        if isinstance(account, Failure):
            continue
        # A provider of one's own may have a key in the settings, and ask for none.
        if item.login.needs_key or account.unwrap().key.reveal():
            ready.append(item)
    broken = tuple(registry.unwrap().broken.values())
    return Success(ReadyProviders(providers=tuple(ready), broken=broken))


def choose_provider(name: str | None, settings: Settings) -> Result[Provider, WebError]:
    """Return the named provider, else the first of the route with its model, else the only one."""
    if isinstance(registry := known_providers(settings), Failure):
        return registry
    if name is not None:
        return registry.unwrap().find(name)
    if settings.model_route:
        return _first_route_provider(registry.unwrap(), settings)
    return _only_ready_provider(settings)


def _only_ready_provider(settings: Settings) -> Result[Provider, WebError]:
    if isinstance(ready := ready_providers(settings), Failure):
        return ready
    doors = ready.unwrap().doors
    if len(doors) == 1:
        return Success(doors[0])
    if not doors and ready.unwrap().broken:
        return Failure(ready.unwrap().broken[0])
    names = ", ".join(provider.name for provider in doors)
    if doors:
        reason = f"Several providers are set up: {names}"
        remedy = remedies.provider_choice_remedy(doors[0].name)
        return Failure(NotConfigured(reason=reason, remedy=remedy))
    return Failure(NotConfigured(reason="No model is set up", remedy=remedies.MODEL_REMEDY))


def answering_provider(settings: Settings) -> Result[Provider, WebError]:
    """Return the default provider with an account, or the error."""
    if isinstance(chosen := choose_provider(None, settings), Failure):
        return chosen
    account = provider_account(chosen.unwrap(), settings)
    return account if isinstance(account, Failure) else chosen


def _first_route_provider(registry: Registry, settings: Settings) -> Result[Provider, WebError]:
    origin = str(settings.entries.origin(("model_route",)))
    steps = read_model_route(settings.model_route).alt(
        lambda reason: InvalidSetting(setting="model_route", place=origin, reason=reason)
    )
    if isinstance(steps, Failure):
        return steps
    step = steps.unwrap()[0]
    return registry.find(step.provider).map(
        lambda provider: msgspec.structs.replace(provider, model=step.model or provider.model)
    )


def choose_model(provider: Provider, model_name: str | None = None) -> Result[str, NotConfigured]:
    """Return the model that answers: the one that was named, else the provider's."""
    model = model_name or provider.model or provider.auxiliary_model
    if model is not None:
        return Success(model)
    reason = f"No model of {provider.name} is chosen"
    remedy = (
        f"Name one with --model, or set providers.{provider.name}.model; "
        f"`webseam models {provider.name} --live` lists them."
    )
    return Failure(NotConfigured(reason=reason, remedy=remedy, backend=provider.name))
