"""Everything looked at: who answers what, from what is set up, remembered or tried just now."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidSetting, UnknownProvider, WebError
from ..features import load_parts
from ..plugins.plugin_choice import load_plugins
from ..settings.schema import Settings, StoreSettings
from ..wiring.backends.backend_choice import canonical_backend_name, choose_rows
from ..wiring.backends.backend_rows import BOTH_CAPABILITIES, BackendRow, Root
from ..wiring.backends.backend_table import all_rows
from ..wiring.backends.unknown_backends import broken_backends, unknown_backend_error
from ..wiring.store_setup import open_keys, open_rates, shares_ledger
from ..wiring.target_health import health_text, read_target_health
from .answering import BackendStates, answering_part, backend_part, other_parts
from .health_parts import HealthPart, ProviderHealth, ProviderTrial, provider_health
from .probes import Diagnosis, diagnose_backend, probe_all


def plugin_parts(settings: Settings) -> Iterator[HealthPart]:
    """Say which plugins that should run do not; nothing where none is enabled."""
    loaded = load_plugins(None, settings)
    if isinstance(loaded, Failure):
        yield HealthPart(
            name="Plugins",
            state="bad",
            word="required",
            detail=loaded.failure().message,
            fix="webseam plugins list",
            clause="a required plugin cannot be loaded",
            subject="plugins",
        )
        return
    reports = loaded.unwrap().reports
    broken = loaded.unwrap().broken
    if broken:
        yield HealthPart(
            name="Plugins",
            state="bad",
            word=f"{len(broken)} of {len(reports)} off",
            detail="; ".join(f"{report.key}: {report.problem}" for report in broken),
            fix=f"webseam plugins info {broken[0].key}",
            clause=f"the plugin {broken[0].key} cannot be loaded",
            subject="plugins",
        )
    elif reports:
        names = ", ".join(report.key for report in reports)
        yield HealthPart(name="Plugins", state="good", word="run", detail=names)


def package_parts() -> Iterator[HealthPart]:
    """Name what installed packages announce and cannot bring, with what is missing."""
    broken = broken_backends()
    reasons = [f"{name}: {why}" for name, why in broken.items()]
    reasons += provider_health().failures()
    if reasons:
        first = next(iter(broken), "a provider of models")
        yield HealthPart(
            name="Packages",
            state="bad",
            word=f"{len(reasons)} broken",
            detail="; ".join(reasons),
            clause=f"{first} cannot be loaded",
            subject=first,
        )


# The servers that several machines share: which there are, and whether they answer.

_NOBODY = "doctor"
_A_MINUTE = 60_000.0


def store_parts(settings: StoreSettings) -> Iterator[HealthPart]:
    """Ask each shared server something small; nothing where none is set."""
    if settings.postgres:
        what = "keys, spending, health" if shares_ledger(settings) else "keys"
        yield _part("PostgreSQL", what, "stores.postgres", _ask_postgres(settings))
    if settings.valkey:
        latency = asyncio.run(_ask_valkey(settings))
        yield _part("Valkey", "answers, rates", "stores.valkey", latency)


def _part(name: str, what: str, setting: str, latency: Result[float, WebError]) -> HealthPart:
    if isinstance(latency, Failure):
        return HealthPart(
            name=name,
            state="bad",
            word="away",
            detail=latency.failure().message,
            clause=f"the server of {setting} does not answer",
            subject=name,
        )
    return HealthPart(
        name=name, state="good", word="answers", detail=f"{what}, {latency.unwrap() * 1000:.0f} ms"
    )


def _ask_postgres(settings: StoreSettings) -> Result[float, WebError]:
    opened = open_keys(settings)
    if isinstance(opened, Failure):
        return opened
    began = time.monotonic()
    with closing(opened.unwrap()) as keys:
        return keys.records().map(lambda _: time.monotonic() - began)


async def _ask_valkey(settings: StoreSettings) -> Result[float, WebError]:
    opened = open_rates(settings)
    if isinstance(opened, Failure):
        return opened
    rates, began = opened.unwrap(), time.monotonic()
    assert rates is not None  # noqa: S101  it is set
    slot = await rates.take(_NOBODY, _A_MINUTE)
    await rates.aclose()
    return slot.map(lambda _: time.monotonic() - began)


# Everything looked at: who answers what, from what is set up, remembered or tried just now.


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
        of_models = provider_health()
        in_use = of_models.in_use(root.settings)
        backends, tried = asyncio.run(_try_all(wanted, root, in_use, of_models))
    else:
        backends = [
            diagnose_backend(row, health_text(row.candidate.name, health)) for row in wanted
        ]
    look = BackendStates(diagnoses={one.name: one for one in backends}, health=health)
    answering = [answering_part(capability, root, look) for capability in BOTH_CAPABILITIES]
    parts = (
        *answering,
        *(part for parts in load_parts("health") for part in parts(root, tried)),
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
    rows: Sequence[BackendRow], root: Root, whose: Sequence[str], providers: ProviderHealth
) -> tuple[list[Diagnosis], Mapping[str, ProviderTrial]]:
    names = tuple(dict.fromkeys(whose))
    backends, tried = await asyncio.gather(
        probe_all(rows, root),
        asyncio.gather(*(providers.trial(name, root.settings) for name in names)),
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
    health = provider_health()
    providers = {name: health.find(name, root.settings) for name in proper}
    for name in proper:
        broken = providers[name].failure() if isinstance(providers[name], Failure) else None
        if name in rows or name in health.words or broken is None:
            continue
        if isinstance(broken, UnknownProvider):
            return Failure(unknown_backend_error(name, (*rows, *health.words)))
        return Failure(broken)
    here = [rows[name] for name in proper if name in rows]
    services = [
        one.unwrap()
        for name, one in providers.items()
        if isinstance(one, Success)
        and (name not in rows or health.has_account(one.unwrap(), root.settings))
    ]
    return Success(
        _named(here, services, [n for n in proper if n in health.words], root, live=live)
    )


def _named(
    rows: Sequence[BackendRow],
    providers: Sequence[Any],
    words: Sequence[str],
    root: Root,
    *,
    live: bool,
) -> Examination:
    settings, of_models = root.settings, provider_health()
    health = read_target_health(settings.stores)
    tried: Mapping[str, ProviderTrial] = {}
    if live:
        whose = [*(each.name for each in providers if of_models.has_account(each, settings))]
        whose += of_models.in_use(settings) if words else ()
        backends, tried = asyncio.run(_try_all(rows, root, whose, of_models))
    else:
        backends = [diagnose_backend(row, health_text(row.candidate.name, health)) for row in rows]
    look = BackendStates(diagnoses={one.name: one for one in backends}, health=health)
    parts = [backend_part(row, look) for row in rows]
    parts += [of_models.part(provider, settings, tried) for provider in providers]
    parts += [of_models.words[word](settings, tried) for word in words]
    return Examination(parts=tuple(parts), backends=tuple(backends), unused=0)
