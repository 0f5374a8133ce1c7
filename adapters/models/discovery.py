"""Where providers come from: the files in ``providers/``, and packages that are installed.

Neither is listed anywhere. A file is found by being there; a package by its entry points in the
group ``webseam.providers``, each of which is a ``Provider`` or several of them.
"""

import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured
from . import providers as shelf
from .provider import Provider
from .registry import Registry, registered

GROUP = "webseam.providers"


class Discovered(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found, and what could not be loaded of it."""

    registry: Registry
    failures: tuple[NotConfigured, ...] = ()


@cache
def discover() -> Discovered:
    """Return all providers; those of installed packages come last, so they may replace ours."""
    return discovered(built_in_providers(), entry_points(group=GROUP))


def discovered(built_in: Iterable[Provider], points: Iterable[EntryPoint]) -> Discovered:
    """Return built-in providers and those of entry points; one that breaks leaves the rest."""
    loaded = [_load(point) for point in sorted(points, key=lambda point: point.name)]
    found = [provider for one in loaded for provider in one.value_or(())]
    failures = tuple(one.failure() for one in loaded if isinstance(one, Failure))
    return Discovered(registry=registered([*built_in, *found]), failures=failures)


def built_in_providers() -> Iterator[Provider]:
    """Yield the providers of every file in ``providers/``, by the files' names."""
    for file in sorted(pkgutil.iter_modules(shelf.__path__), key=lambda file: file.name):
        module = import_module(f"{shelf.__name__}.{file.name}")
        yield from (value for value in vars(module).values() if isinstance(value, Provider))


def _load(point: EntryPoint) -> Result[tuple[Provider, ...], NotConfigured]:
    try:
        given = point.load()
    except Exception as error:  # noqa: BLE001  a package of somebody else's may raise anything
        return _unusable(point, f"it cannot be imported ({type(error).__name__})")
    several = given if isinstance(given, list | tuple) else (given,)
    if not several or not all(isinstance(one, Provider) for one in several):
        return _unusable(point, "it is not a Provider")
    return Success(tuple(several))


def _unusable(point: EntryPoint, why: str) -> Failure[NotConfigured]:
    reason = f"The provider {point.name!r} of an installed package cannot be used: {why}"
    return Failure(NotConfigured(reason=reason, setting=f"{GROUP}: {point.value}"))
