"""The health of models and X: the provider, its key and whether the key works."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from functools import partial

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.provider_registry import discover_providers
from webseam.adapters.features.models.x_search import PROVIDER_NAME as XAI
from webseam.ports.errors import DeadlineExceeded, NotConfigured, UnsupportedCapability, WebError

from ...health.health_parts import (
    ExaminableProvider,
    HealthPart,
    ProviderHealth,
    ProviderTrial,
    backend_problem,
)
from ...health.probes import PROBE_SECONDS, probe_backends
from ...settings.changes import Changes, SetupTarget, changed_settings
from ...settings.schema import Settings
from ...settings.settings_root import SettingsRoot
from ...wiring.backend_rows import Root
from ...wiring.backend_table import find_backend_row
from .clients import find_provider, named_provider_account, provider_account
from .provider_choice import choose_model, choose_provider, ready_providers


def providers_in_use(settings: Settings) -> tuple[str, ...]:
    """Name the providers that are set up with a key, xAI for X among them."""
    doors = ready_providers(settings).map(lambda ready: ready.doors).value_or(())
    x_names = (XAI,) if isinstance(named_provider_account(XAI, settings), Success) else ()
    return tuple(dict.fromkeys((*(provider.name for provider in doors), *x_names)))


async def try_provider(name: str, root: SettingsRoot) -> ProviderTrial:
    """Ask a provider which models the account has: that costs nothing, and needs the key."""
    from .relevance import list_live_models  # noqa: PLC0415  HTTP, only when it is used

    began = time.monotonic()
    error: WebError | None = None
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            listed = await list_live_models(name, root)
        error = listed.failure() if isinstance(listed, Failure) else None
    except TimeoutError:
        error = DeadlineExceeded(deadline=PROBE_SECONDS, backend=name)
    # A provider without a model list was not tried, so it has not failed.
    unlisted = isinstance(error, UnsupportedCapability)
    seconds = round(time.monotonic() - began, 3)
    return ProviderTrial(seconds=seconds, error=None if unlisted else error)


def models_part(settings: Settings, tried: Mapping[str, ProviderTrial]) -> HealthPart:
    """Return the health of the provider that ``webseam model ask`` chooses."""
    ready = ready_providers(settings)
    doors = ready.map(lambda door: door.doors).value_or(())
    for door in doors:
        if (error := _provider_trial_error(tried, door.name)) is not None:
            origin = provider_key_origin(door, settings)
            return _failing_provider_part("Models", door.name, error, origin)
    if isinstance(chosen := choose_provider(None, settings), Failure):
        # An unreadable route or an unknown name counts as broken.
        routed = bool(settings.model_route)
        broken = routed or isinstance(ready, Failure) or bool(ready.unwrap().broken)
        names = [] if routed else [door.name for door in doors]
        return _unchosen_model_part(chosen.failure(), names, broken=broken)
    provider = chosen.unwrap()
    if isinstance(account := provider_account(provider, settings), Failure):
        return _account_part(provider.name, account.failure())
    if isinstance(model := choose_model(provider), Failure):
        message, fix = model.failure().message, f"webseam setup model {provider.name}"
        clause = f"{provider.name} is set up, but not which of its models answers"
        return HealthPart("Models", "care", "no model", message, fix, clause)
    trial = tried.get(provider.name)
    duration = "" if trial is None else f", {trial.seconds:.2f} s"
    has_key = provider.login.needs_key
    origin = f"; key from {provider_key_origin(provider, settings)}" if has_key else ""
    word = "set up" if trial is None else "work"
    clause = f"questions go to {provider.name}" if trial is None else "models work"
    detail = f"{provider.name}, {model.unwrap()}{duration}{origin}"
    return HealthPart("Models", "good", word, detail, clause=clause)


def _account_part(name: str, error: NotConfigured) -> HealthPart:
    beginning, fix = f"model_route begins with {name}", f"webseam setup model {name}"
    detail = f"{beginning}. {error.message}"
    clause = f"models do not work: {beginning}, which is not set up"
    return HealthPart("Models", "bad", "not set up", detail, fix, clause, subject="models")


def _unchosen_model_part(error: WebError, names: list[str], *, broken: bool) -> HealthPart:
    if names:
        fix = f"webseam setup model {names[0]} --use"
        clause = "several models are set up, and none is chosen to answer"
        return HealthPart("Models", "care", "several", f"{', '.join(names)}: {fix}", fix, clause)
    if not broken:
        fix = "webseam setup model"
        return HealthPart("Models", "off", "not set up", fix, fix, f"no model is set up ({fix})")
    return _broken_settings_part("Models", "models do not work", error)


def _broken_settings_part(name: str, problem: str, error: WebError) -> HealthPart:
    clause, subject = f"{problem}: {error.message.rstrip('.')}", problem.partition(" ")[0]
    return HealthPart(name, "bad", "wrong", error.message, "webseam config show", clause, subject)


def provider_part(
    provider: Provider, settings: Settings, tried: Mapping[str, ProviderTrial]
) -> HealthPart:
    """Return the health of one named provider."""
    name = provider.name
    if isinstance(account := provider_account(provider, settings), Failure):
        message, fix = account.failure().message, f"webseam setup {name}"
        return HealthPart(name, "off", "not set up", message, fix, f"{name} is not set up")
    error = _provider_trial_error(tried, name)
    origin = provider_key_origin(provider, settings)
    if error is not None:
        return _failing_provider_part(name, name, error, origin)
    trial = tried.get(name)
    duration = "" if trial is None else f"{trial.seconds:.2f} s; "
    has_key = bool(account.unwrap().secrets())
    detail = f"{duration}key from {origin}" if has_key else duration.rstrip("; ")
    word, clause = ("set up", "is set up") if trial is None else ("works", "works")
    return HealthPart(name, "good", word, detail, clause=f"{name} {clause}")


def x_part(settings: Settings, tried: Mapping[str, ProviderTrial]) -> HealthPart:
    """Return whether X can be searched."""
    if isinstance(xai := find_provider(XAI, settings), Failure):
        return _broken_settings_part("X", "X does not work", xai.failure())
    provider = xai.unwrap()
    if isinstance(provider_account(provider, settings), Failure):
        fix = "webseam setup x"
        return HealthPart("X", "off", "not set up", fix, fix)
    trial, error = tried.get(XAI), _provider_trial_error(tried, XAI)
    origin = provider_key_origin(provider, settings)
    if error is not None:
        return _failing_provider_part("X", "x", error, origin)
    detail = f"key from {origin}" + ("" if trial is None else f", {trial.seconds:.2f} s")
    word, clause = ("set up", "is set up") if trial is None else ("works", "works")
    return HealthPart("X", "good", word, detail, clause=f"X {clause}")


def provider_key_origin(provider: Provider, settings: Settings) -> str:
    """Return where a provider's key came from: a variable, or a line of a file."""
    if (variable := settings.variables.first_entry(*provider.login.env)) is not None:
        return str(variable.origin)
    return str(settings.entries.origin(("providers", provider.name, "api_key")))


def _provider_trial_error(tried: Mapping[str, ProviderTrial], name: str) -> WebError | None:
    return tried[name].error if name in tried else None


def _failing_provider_part(label: str, name: str, error: WebError, origin: str) -> HealthPart:
    subject = "X" if label == "X" else name
    problem, detail = backend_problem(error, name), f"{error.message} The key is from {origin}."
    clause = f"{subject} does not work: {problem.reason}"
    return HealthPart(label, "bad", problem.word, detail, problem.fix, clause, subject)


def provider_trial_words(target: SetupTarget) -> str:
    """Return a description of the trial call."""
    if target.block == "providers":
        return f"asking {target.service.name} for its list of models, which costs nothing"
    request = "one search" if target.service.search is not None else "one page"
    return f"asking {target.service.name} for {request}, which it may count"


def try_provider_setup(target: SetupTarget, changes: Changes, root: Root) -> WebError | None:
    """Return the error of a call with ``changes``; None when it works."""
    if isinstance(settings := changed_settings(root.settings, target, changes), Failure):
        error: WebError = settings.failure()
        return error
    changed_root = replace(root, settings=settings.unwrap())
    if target.block == "providers":
        return asyncio.run(try_provider(target.service.name, changed_root)).error
    return asyncio.run(_probe_search_backend(target.service.name, changed_root))


async def _probe_search_backend(name: str, root: Root) -> WebError | None:
    if (row := find_backend_row(name, root)) is None or row.problem is not None:
        return None if row is None else row.problem
    (diagnosis,) = await probe_backends([row], root)
    return None if diagnosis.probe is None else diagnosis.probe.error


def model_health_parts(root: Root, tried: Mapping[str, ProviderTrial]) -> Iterator[HealthPart]:
    """Yield the parts of models and of X."""
    yield models_part(root.settings, tried)
    yield x_part(root.settings, tried)


def find_examinable_provider(name: str, settings: Settings) -> Result[ExaminableProvider, WebError]:
    """Return the provider with that name or alias, or the error of the settings."""

    def make_examinable(provider: Provider) -> ExaminableProvider:
        return ExaminableProvider(
            name=provider.name,
            has_account=lambda: isinstance(provider_account(provider, settings), Success),
            examine=partial(provider_part, provider, settings),
        )

    return find_provider(name, settings).map(make_examinable)


PROVIDER_HEALTH = ProviderHealth(
    words={"x": x_part, "model": models_part, "models": models_part},
    in_use=providers_in_use,
    find=find_examinable_provider,
    trial=try_provider,
    failures=lambda: [failure.reason for failure in discover_providers().failures],
)
