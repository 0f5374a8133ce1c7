"""Providers by name and alias; the last one registered under a name wins."""

import difflib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import NotConfigured, UnknownProvider

from ...import_errors import explain_import_error
from . import providers as providers_package
from .declaration.provider import Provider

_MAX_SUGGESTIONS = 3
_MIN_SIMILARITY = 0.6
PROVIDERS_GROUP = "webseam.providers"


class Registry(msgspec.Struct, frozen=True, kw_only=True):
    """Providers by name, and the owner of each name and alias.

    A provider with an existing name replaces that provider, also under its aliases. Providers in
    ``broken`` have unusable settings; finding one of them returns its failure.
    """

    providers: Mapping[str, Provider] = msgspec.field(default_factory=dict)
    owners: Mapping[str, str] = msgspec.field(default_factory=dict)
    broken: Mapping[str, NotConfigured] = msgspec.field(default_factory=dict)

    def find(self, name: str) -> Result[Provider, UnknownProvider | NotConfigured]:
        """Return the provider with this name or alias, or a failure with similar names."""
        normalised = normal_provider_name(name)
        owner = self.owners.get(normalised, normalised)
        if owner in self.broken:
            return Failure(self.broken[owner])
        if owner in self.providers:
            return Success(self.providers[owner])
        near = difflib.get_close_matches(
            normalised, self.owners, n=_MAX_SUGGESTIONS, cutoff=_MIN_SIMILARITY
        )
        return Failure(UnknownProvider(name=name, near=tuple(near)))


def register_providers(providers: Iterable[Provider], registry: Registry | None = None) -> Registry:
    """Return the registry with ``providers`` added in their order."""
    by_name = dict(registry.providers) if registry else {}
    owners = dict(registry.owners) if registry else {}
    for entry in providers:
        owner = normal_provider_name(entry.name)
        by_name[owner] = entry
        owners.update({normal_provider_name(name): owner for name in (entry.name, *entry.aliases)})
    return Registry(providers=by_name, owners=owners, broken=registry.broken if registry else {})


def disable_provider(name: str, error: NotConfigured, registry: Registry) -> Registry:
    """Return the registry with one provider marked as broken."""
    owner = registry.owners.get(normal_provider_name(name), normal_provider_name(name))
    rest = {key: provider for key, provider in registry.providers.items() if key != owner}
    broken = {**registry.broken, owner: error}
    return msgspec.structs.replace(registry, providers=rest, broken=broken)


def normal_provider_name(name: str) -> str:
    """Return a name in the spelling that is compared.

    >>> normal_provider_name(" Azure_OpenAI ")
    'azure-openai'
    """
    return name.strip().lower().replace("_", "-")


class DiscoveredProviders(msgspec.Struct, frozen=True, kw_only=True):
    """The registry of all providers, and the errors of those that could not be loaded."""

    registry: Registry
    failures: tuple[NotConfigured, ...] = ()


@cache
def discover_providers() -> DiscoveredProviders:
    """Return all providers; those of installed packages come last and may replace built-in ones."""
    return load_providers(built_in_providers(), entry_points(group=PROVIDERS_GROUP))


def load_providers(
    built_in: Iterable[Provider], points: Iterable[EntryPoint]
) -> DiscoveredProviders:
    """Return built-in providers and those of entry points; a broken one does not affect others."""
    loaded = {
        point.name: _load_entry_point(point)
        for point in sorted(points, key=lambda point: point.name)
    }
    installed = [provider for outcome in loaded.values() for provider in outcome.value_or(())]
    failures = {
        name: outcome.failure() for name, outcome in loaded.items() if isinstance(outcome, Failure)
    }
    registry = register_providers([*built_in, *installed])
    for name, failure in failures.items():
        # Finding it then returns the reason; a built-in provider of the same name stays.
        if normal_provider_name(name) not in registry.owners:
            registry = disable_provider(name, failure, registry)
    return DiscoveredProviders(registry=registry, failures=tuple(failures.values()))


def built_in_providers() -> Iterator[Provider]:
    """Yield the providers of every file in ``providers/``, in the order of file names."""
    for file in sorted(
        pkgutil.iter_modules(providers_package.__path__), key=lambda file: file.name
    ):
        module = import_module(f"{providers_package.__name__}.{file.name}")
        for value in vars(module).values():
            # A module may define a provider or a tuple of them.
            candidates = value if isinstance(value, tuple) else (value,)
            yield from (provider for provider in candidates if isinstance(provider, Provider))


def _load_entry_point(point: EntryPoint) -> Result[tuple[Provider, ...], NotConfigured]:
    try:
        value = point.load()
    except Exception as error:  # noqa: BLE001  a third-party package may raise anything
        return _unusable_failure(point, explain_import_error(error))
    candidates = value if isinstance(value, list | tuple) else (value,)
    if not candidates or not all(isinstance(candidate, Provider) for candidate in candidates):
        return _unusable_failure(point, "it is not a Provider")
    return Success(tuple(candidates))


def _unusable_failure(point: EntryPoint, problem: str) -> Failure[NotConfigured]:
    reason = f"The provider {point.name!r} of an installed package cannot be used: {problem}"
    return Failure(NotConfigured(reason=reason, settings=(f"{PROVIDERS_GROUP}: {point.value}",)))
