"""Everything looked at: who answers what, from what is set up, remembered or tried just now."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.models.declaration.provider import Provider
from ...ports.errors import InvalidSetting, UnknownProvider, WebError
from ..settings.schema import Settings
from ..wiring.backends.backend_choice import canonical_backend_name, choose_rows
from ..wiring.backends.backend_rows import BOTH_CAPABILITIES, BackendRow, Root
from ..wiring.backends.backend_table import all_rows
from ..wiring.backends.unknown_backends import unknown_backend_error
from ..wiring.models.clients import find_provider, provider_account
from ..wiring.planner.target_health import health_text, read_target_health
from .answering import BackendStates, answering_part, backend_part, other_parts
from .health_parts import HealthPart
from .local_parts import index_part, package_parts, plugin_parts
from .probes import Diagnosis, diagnose_backend, probe_all
from .providers import (
    ProviderTrial,
    models_part,
    provider_part,
    providers_in_use,
    try_provider,
    x_part,
)
from .store_parts import store_parts

_OWN_WORDS = {"x": x_part, "model": models_part, "models": models_part}


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """Every part, every backend that was looked at, and how many are not set up."""

    parts: tuple[HealthPart, ...]
    backends: tuple[Diagnosis, ...]
    unused: int


def examine_setup(root: Root, *, live: bool, include_all: bool = False) -> Examination:
    """Look at everything; nobody is asked anything unless ``live``."""
    rows = sorted(all_rows(root), key=lambda row: (row.candidate.rank, row.candidate.name))
    wanted = rows if include_all else _concerned(rows, root)
    health = read_target_health(root.settings.stores)
    tried: Mapping[str, ProviderTrial] = {}
    if live:
        backends, tried = asyncio.run(_try_all(wanted, root, providers_in_use(root.settings)))
    else:
        backends = [
            diagnose_backend(row, health_text(row.candidate.name, health)) for row in wanted
        ]
    look = BackendStates(diagnoses={one.name: one for one in backends}, health=health)
    answering = [answering_part(capability, root, look) for capability in BOTH_CAPABILITIES]
    parts = (
        *answering,
        models_part(root.settings, tried),
        x_part(root.settings, tried),
        index_part(root),
        *store_parts(root.settings.stores),
        *plugin_parts(root.settings),
        *package_parts(),
        *other_parts(wanted, look, answering),
    )
    return Examination(parts=parts, backends=tuple(backends), unused=sum(map(_is_unused, rows)))


def _is_unused(row: BackendRow) -> bool:
    return not row.candidate.ready and not row.begun


def _concerned(rows: Sequence[BackendRow], root: Root) -> list[BackendRow]:
    """Return those that are set up, and those that are asked when nobody is named."""
    names = {
        row.candidate.name
        for capability in BOTH_CAPABILITIES
        for row in choose_rows(capability, root).map(lambda way: way[1]).value_or(())
    }
    return [row for row in rows if row.candidate.name in names or _is_meant(row)]


def _is_meant(row: BackendRow) -> bool:
    """Tell whether somebody set it up, wholly or in part."""
    # A model that searches costs more than a search, and is asked by name alone.
    usual = row.abilities is None or row.candidate.general
    ready = bool(row.candidate.ready) and usual and not row.candidate.embedded
    return ready or row.begun or isinstance(row.problem, InvalidSetting)


async def _try_all(
    rows: Sequence[BackendRow], root: Root, whose: Sequence[str]
) -> tuple[list[Diagnosis], Mapping[str, ProviderTrial]]:
    names = tuple(dict.fromkeys(whose))
    backends, tried = await asyncio.gather(
        probe_all(rows, root),
        asyncio.gather(*(try_provider(name, root.settings) for name in names)),
    )
    return backends, dict(zip(names, tried, strict=True))


def examine_named(names: Sequence[str], root: Root, *, live: bool) -> Result[Examination, WebError]:
    """Look at those that were named: backends, providers of models, ``x``, ``model``.

    One name may be both a backend's and a provider's; the provider is meant, too, if it has an
    account.
    """
    rows = {row.candidate.name: row for row in all_rows(root)}
    proper = list(
        dict.fromkeys(canonical_backend_name(name.lower(), root) or name for name in names)
    )
    providers = {name: find_provider(name, root.settings) for name in proper}
    for name in proper:
        broken = providers[name].failure() if isinstance(providers[name], Failure) else None
        if name in rows or name in _OWN_WORDS or broken is None:
            continue
        if isinstance(broken, UnknownProvider):
            return Failure(unknown_backend_error(name, (*rows, *_OWN_WORDS)))
        return Failure(broken)
    here = [rows[name] for name in proper if name in rows]
    services = [
        one.unwrap()
        for name, one in providers.items()
        if isinstance(one, Success)
        and (name not in rows or _has_account(one.unwrap(), root.settings))
    ]
    return Success(_named(here, services, [n for n in proper if n in _OWN_WORDS], root, live=live))


def _named(
    rows: Sequence[BackendRow],
    providers: Sequence[Provider],
    words: Sequence[str],
    root: Root,
    *,
    live: bool,
) -> Examination:
    settings = root.settings
    health = read_target_health(settings.stores)
    tried: Mapping[str, ProviderTrial] = {}
    if live:
        whose = [*(each.name for each in providers if _has_account(each, settings))]
        whose += providers_in_use(settings) if words else ()
        backends, tried = asyncio.run(_try_all(rows, root, whose))
    else:
        backends = [diagnose_backend(row, health_text(row.candidate.name, health)) for row in rows]
    look = BackendStates(diagnoses={one.name: one for one in backends}, health=health)
    parts = [backend_part(row, look) for row in rows]
    parts += [provider_part(each, settings, tried) for each in providers]
    parts += [_OWN_WORDS[word](settings, tried) for word in words]
    return Examination(parts=tuple(parts), backends=tuple(backends), unused=0)


def _has_account(provider: Provider, settings: Settings) -> bool:
    return isinstance(provider_account(provider, settings), Success)
