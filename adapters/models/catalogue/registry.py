"""Providers by name: the last one registered under a name or an alias has it."""

import difflib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured, UnknownProvider
from ...import_errors import why_not_loaded
from .. import providers as shelf
from ..declaration.provider import Provider

_MAX_SUGGESTIONS = 3
_MIN_SIMILARITY = 0.6


class Registry(msgspec.Struct, frozen=True, kw_only=True):
    """What is registered: providers by their names, and whose each name and alias is.

    A provider that takes another one's name takes its place, for all that one's aliases too. Those
    in ``broken`` have settings that cannot be used: to ask for one of them is that failure, and the
    others go on.
    """

    providers: Mapping[str, Provider] = msgspec.field(default_factory=dict)
    owners: Mapping[str, str] = msgspec.field(default_factory=dict)
    broken: Mapping[str, NotConfigured] = msgspec.field(default_factory=dict)

    def find(self, name: str) -> Result[Provider, UnknownProvider | NotConfigured]:
        """Return the provider that goes by ``name``, or say which names are near it."""
        wanted = normalise_name(name)
        owner = self.owners.get(wanted, wanted)
        if owner in self.broken:
            return Failure(self.broken[owner])
        if owner in self.providers:
            return Success(self.providers[owner])
        near = difflib.get_close_matches(
            wanted, self.owners, n=_MAX_SUGGESTIONS, cutoff=_MIN_SIMILARITY
        )
        return Failure(UnknownProvider(name=name, near=tuple(near)))


def register_providers(providers: Iterable[Provider], registry: Registry | None = None) -> Registry:
    """Return what is registered after ``providers``, in their order, were added."""
    held = dict(registry.providers) if registry else {}
    owners = dict(registry.owners) if registry else {}
    for provider in providers:
        own = normalise_name(provider.name)
        held[own] = provider
        owners.update({normalise_name(name): own for name in (provider.name, *provider.aliases)})
    return Registry(providers=held, owners=owners, broken=registry.broken if registry else {})


def disable_provider(name: str, error: NotConfigured, registry: Registry) -> Registry:
    """Return the registry without a provider whose settings cannot be used."""
    own = registry.owners.get(normalise_name(name), normalise_name(name))
    rest = {each: registry.providers[each] for each in registry.providers if each != own}
    broken = {**registry.broken, own: error}
    return msgspec.structs.replace(registry, providers=rest, broken=broken)


def normalise_name(name: str) -> str:
    """Return a name in the one spelling that is compared.

    >>> normalise_name(" Azure_OpenAI ")
    'azure-openai'
    """
    return name.strip().lower().replace("_", "-")


GROUP = "webseam.providers"


class DiscoveredProviders(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found, and what could not be loaded of it."""

    registry: Registry
    failures: tuple[NotConfigured, ...] = ()


@cache
def discover_providers() -> DiscoveredProviders:
    """Return all providers; those of installed packages come last, so they may replace ours."""
    return load_providers(built_in_providers(), entry_points(group=GROUP))


def load_providers(
    built_in: Iterable[Provider], points: Iterable[EntryPoint]
) -> DiscoveredProviders:
    """Return built-in providers and those of entry points; one that breaks leaves the rest."""
    loaded = {point.name: _load(point) for point in sorted(points, key=lambda point: point.name)}
    installed = [provider for one in loaded.values() for provider in one.value_or(())]
    failures = {name: one.failure() for name, one in loaded.items() if isinstance(one, Failure)}
    registry = register_providers([*built_in, *installed])
    for name, failure in failures.items():
        # Whoever asks for it learns why; one of ours by the same name stays.
        if normalise_name(name) not in registry.owners:
            registry = disable_provider(name, failure, registry)
    return DiscoveredProviders(registry=registry, failures=tuple(failures.values()))


def built_in_providers() -> Iterator[Provider]:
    """Yield the providers of every file in ``providers/``, by the files' names."""
    for file in sorted(pkgutil.iter_modules(shelf.__path__), key=lambda file: file.name):
        module = import_module(f"{shelf.__name__}.{file.name}")
        for value in vars(module).values():
            # A provider, or a table of them.
            named = value if isinstance(value, tuple) else (value,)
            yield from (provider for provider in named if isinstance(provider, Provider))


def _load(point: EntryPoint) -> Result[tuple[Provider, ...], NotConfigured]:
    try:
        value = point.load()
    except Exception as error:  # noqa: BLE001  a package of somebody else's may raise anything
        return _unusable(point, why_not_loaded(error))
    several = value if isinstance(value, list | tuple) else (value,)
    if not several or not all(isinstance(one, Provider) for one in several):
        return _unusable(point, "it is not a Provider")
    return Success(tuple(several))


def _unusable(point: EntryPoint, why: str) -> Failure[NotConfigured]:
    reason = f"The provider {point.name!r} of an installed package cannot be used: {why}"
    return Failure(NotConfigured(reason=reason, settings=(f"{GROUP}: {point.value}",)))
