"""Providers by name: the last one registered under a name or an alias has it."""

import difflib
from collections.abc import Iterable, Mapping

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import UnknownProvider
from .provider import Provider

_MOST_NEAR = 3
_NEAR_ENOUGH = 0.6


class Registry(msgspec.Struct, frozen=True, kw_only=True):
    """What is registered: providers by their names, and whose each name and alias is.

    A provider that takes another one's name takes its place, for all that one's aliases too.
    """

    providers: Mapping[str, Provider] = msgspec.field(default_factory=dict)
    owners: Mapping[str, str] = msgspec.field(default_factory=dict)

    def find(self, name: str) -> Result[Provider, UnknownProvider]:
        """Return the provider that goes by ``name``, or say which names are near it."""
        wanted = spelled(name)
        owner = self.owners.get(wanted)
        if owner is not None:
            return Success(self.providers[owner])
        near = difflib.get_close_matches(wanted, self.owners, n=_MOST_NEAR, cutoff=_NEAR_ENOUGH)
        return Failure(UnknownProvider(name=name, near=tuple(near)))


def registered(providers: Iterable[Provider], before: Registry | None = None) -> Registry:
    """Return what is registered after ``providers``, in their order, were added."""
    held = dict(before.providers) if before else {}
    owners = dict(before.owners) if before else {}
    for provider in providers:
        own = spelled(provider.name)
        held[own] = provider
        owners.update({spelled(name): own for name in (provider.name, *provider.aliases)})
    return Registry(providers=held, owners=owners)


def spelled(name: str) -> str:
    """Return a name in the one spelling that is compared.

    >>> spelled(" Azure_OpenAI ")
    'azure-openai'
    """
    return name.strip().lower().replace("_", "-")
