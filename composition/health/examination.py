"""Examine the setup for `webseam doctor`: backends, models, stores, plugins and packages."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Protocol

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidSetting, UnknownProvider, WebError

from ..feature_table import SharedPart, load, load_each
from ..plugins.plugin_choice import load_plugins
from ..settings.schema import StoreSettings
from ..wiring.backend_choice import canonical_backend_name, choose_backend_rows
from ..wiring.backend_rows import BOTH_CAPABILITIES, BackendRow, Root
from ..wiring.backend_table import all_backend_rows
from ..wiring.store_setup import is_ledger_shared, open_key_store, open_rate_store
from ..wiring.target_health import backend_health_text, read_target_health
from ..wiring.unknown_backends import broken_backends, unknown_backend_error
from .answering import BackendStates, answering_part, backend_health_part, failing_backend_parts
from .health_parts import PROVIDERS, ExaminableProvider, HealthPart, ProviderTrial
from .probes import Diagnosis, diagnose_backend_row, probe_backends

_PROBE_CALLS_PER_MINUTE = 60_000.0


def plugin_health_parts(root: Root) -> Iterator[HealthPart]:
    """Yield a part for the enabled plugins; nothing when none is enabled."""
    if isinstance(loaded := load_plugins(root), Failure):
        message, fix = loaded.failure().message, "webseam plugins list"
        clause = "a required plugin cannot be loaded"
        yield HealthPart("Plugins", "bad", "required", message, fix, clause, subject="plugins")
        return
    reports = loaded.unwrap().reports
    if broken := loaded.unwrap().broken:
        first, word = broken[0].key, f"{len(broken)} of {len(reports)} off"
        detail = "; ".join(f"{report.key}: {report.problem}" for report in broken)
        fix, clause = f"webseam plugins info {first}", f"the plugin {first} cannot be loaded"
        yield HealthPart("Plugins", "bad", word, detail, fix, clause, subject="plugins")
    elif reports:
        names = ", ".join(report.key for report in reports)
        yield HealthPart("Plugins", "good", "run", names)


def package_health_parts() -> Iterator[HealthPart]:
    """Yield a part for installed packages that cannot be loaded, with the reasons."""
    broken = broken_backends()
    reasons = [f"{name}: {why}" for name, why in broken.items()]
    reasons += load(PROVIDERS).failures()
    if reasons:
        first = next(iter(broken), "a provider of models")
        word, clause = f"{len(reasons)} broken", f"{first} cannot be loaded"
        yield HealthPart("Packages", "bad", word, "; ".join(reasons), clause=clause, subject=first)


def store_health_parts(settings: StoreSettings) -> Iterator[HealthPart]:
    """Ping each shared server; yield nothing when none is set."""
    if settings.postgres:
        uses = "keys, spending, health" if is_ledger_shared(settings) else "keys"
        latency = _ping_postgres(settings)
        yield _store_part("PostgreSQL", uses, "stores.postgres", latency)
    if settings.valkey:
        latency = asyncio.run(_ping_valkey(settings))
        yield _store_part("Valkey", "answers, rates", "stores.valkey", latency)


def _store_part(name: str, uses: str, setting: str, latency: Result[float, WebError]) -> HealthPart:
    if isinstance(latency, Failure):
        clause = f"the server of {setting} does not answer"
        message = latency.failure().message
        return HealthPart(name, "bad", "away", message, clause=clause, subject=name)
    return HealthPart(name, "good", "answers", f"{uses}, {latency.unwrap() * 1000:.0f} ms")


def _ping_postgres(settings: StoreSettings) -> Result[float, WebError]:
    if isinstance(opened := open_key_store(settings), Failure):
        return opened
    started = time.monotonic()
    with closing(opened.unwrap()) as keys:
        return keys.records().map(lambda _: time.monotonic() - started)


async def _ping_valkey(settings: StoreSettings) -> Result[float, WebError]:
    if isinstance(opened := open_rate_store(settings), Failure):
        return opened
    rates, started = opened.unwrap(), time.monotonic()
    assert rates is not None  # noqa: S101  it is set
    slot = await rates.take("doctor", _PROBE_CALLS_PER_MINUTE)
    await rates.aclose()
    return slot.map(lambda _: time.monotonic() - started)


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """The health of every part, the examined backends, and the number of unused backends."""

    parts: tuple[HealthPart, ...]
    backends: tuple[Diagnosis, ...]
    unused: int


class HealthParts(Protocol):
    """Examine what a feature brings; ``trials`` are the calls to providers, by their name."""

    def __call__(self, root: Root, trials: Mapping[str, ProviderTrial], /) -> Iterable[HealthPart]:
        """Return the parts, none for what is not in use."""


HEALTH = SharedPart[HealthParts]("health")


def examine_health(root: Root, *, live: bool, include_all: bool = False) -> Examination:
    """Examine all parts; make real calls only if ``live``."""
    rows = sorted(all_backend_rows(root), key=lambda row: (row.candidate.rank, row.candidate.name))
    examined = rows if include_all else _backends_to_examine(rows, root)
    providers = load(PROVIDERS).in_use(root.settings) if live else ()
    states, trials = _diagnose_backends(examined, root, providers, live=live)
    answering = [answering_part(kind, root, states) for kind in BOTH_CAPABILITIES]
    parts = (
        *answering,
        *(part for parts in load_each(HEALTH) for part in parts(root, trials)),
        *store_health_parts(root.settings.stores),
        *plugin_health_parts(root),
        *package_health_parts(),
        *failing_backend_parts(examined, states, answering),
    )
    backends = tuple(states.diagnoses.values())
    unused = sum(not row.candidate.ready and not row.is_begun for row in rows)
    return Examination(parts=parts, backends=backends, unused=unused)


def _diagnose_backends(
    rows: Sequence[BackendRow], root: Root, provider_names: Sequence[str], *, live: bool
) -> tuple[BackendStates, Mapping[str, ProviderTrial]]:
    """Return the state of each backend, and the trials of providers if ``live``."""
    health = read_target_health(root.settings.stores, root.files, rows)
    trials: Mapping[str, ProviderTrial] = {}
    if live:
        backends, trials = asyncio.run(_probe_everything(rows, root, provider_names))
    else:
        backends = [
            diagnose_backend_row(row, backend_health_text(row.candidate.name, health))
            for row in rows
        ]
    diagnoses = {diagnosis.name: diagnosis for diagnosis in backends}
    return BackendStates(diagnoses=diagnoses, health=health), trials


def _backends_to_examine(rows: Sequence[BackendRow], root: Root) -> list[BackendRow]:
    """Return the backends that are set up, and the ones that a default call uses."""
    names = {
        row.candidate.name
        for capability in BOTH_CAPABILITIES
        for row in choose_backend_rows(capability, root)
        .map(lambda selected: selected[1])
        .value_or(())
    }
    return [row for row in rows if row.candidate.name in names or _is_set_up_by_user(row)]


def _is_set_up_by_user(row: BackendRow) -> bool:
    # A search model costs more than a search service, so only a call that names it uses it.
    is_general = row.abilities is None or row.candidate.general
    is_ready = bool(row.candidate.ready) and is_general and not row.candidate.embedded
    return is_ready or row.is_begun or isinstance(row.problem, InvalidSetting)


async def _probe_everything(
    rows: Sequence[BackendRow], root: Root, provider_names: Sequence[str]
) -> tuple[list[Diagnosis], Mapping[str, ProviderTrial]]:
    names, providers = tuple(dict.fromkeys(provider_names)), load(PROVIDERS)
    backends, trials = await asyncio.gather(
        probe_backends(rows, root), asyncio.gather(*(providers.trial(name, root) for name in names))
    )
    return backends, dict(zip(names, trials, strict=True))


def examine_named(names: Sequence[str], root: Root, *, live: bool) -> Result[Examination, WebError]:
    """Examine named backends and model providers, ``x`` and ``model``.

    A name may mean both a backend and a provider; the provider counts if it has an account.
    """
    rows = {row.candidate.name: row for row in all_backend_rows(root)}
    canonical = (canonical_backend_name(name.lower(), root) or name for name in names)
    proper = list(dict.fromkeys(canonical))
    health = load(PROVIDERS)
    providers = {name: health.find(name, root.settings) for name in proper}
    for name in proper:
        broken = providers[name].failure() if isinstance(providers[name], Failure) else None
        if name in rows or name in health.words or broken is None:
            continue
        if isinstance(broken, UnknownProvider):
            return Failure(unknown_backend_error(name, (*rows, *health.words)))
        return Failure(broken)
    named_rows = [rows[name] for name in proper if name in rows]
    loaded = [
        provider.unwrap()
        for name, provider in providers.items()
        if isinstance(provider, Success) and (name not in rows or provider.unwrap().has_account())
    ]
    words = [name for name in proper if name in health.words]
    return Success(_examine_named_parts(named_rows, loaded, words, root, live=live))


def _examine_named_parts(
    rows: Sequence[BackendRow],
    providers: Sequence[ExaminableProvider],
    words: Sequence[str],
    root: Root,
    *,
    live: bool,
) -> Examination:
    settings, models = root.settings, load(PROVIDERS)
    tried = [item.name for item in providers if live and item.has_account()]
    tried += models.in_use(settings) if live and words else ()
    states, trials = _diagnose_backends(rows, root, tried, live=live)
    parts = [backend_health_part(row, states) for row in rows]
    parts += [provider.examine(trials) for provider in providers]
    parts += [models.words[word](settings, trials) for word in words]
    return Examination(parts=tuple(parts), backends=tuple(states.diagnoses.values()), unused=0)
