"""Open models, search models, X and compressors, with the user's settings by default."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

import httpx
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.client.exchange import ModelLimits
from webseam.adapters.features.models.search.backend import SearchModelBackend
from webseam.adapters.features.models.search.declaration import SearchModel
from webseam.ports.errors import WebError

from ...planning.open_backends import OpenModel
from ...plugins.plugin_choice import plugin_session
from ...session import Session
from ...settings.schema import Settings
from ...settings.settings_root import SettingsRoot
from ...wiring import compressors
from ...wiring.root import read_settings_root
from . import clients as models, x_search_setup
from .search_model_rows import open_search_model


def chat_model(
    provider: str | Sequence[str],
    *,
    settings: Settings | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
    around: Session | None = None,
) -> Result[OpenModel, WebError]:
    """Return the client of the provider with that name or alias, or the missing setting.

    A list, such as ``["anthropic/claude-sonnet-4-5", "openai/gpt-5-mini"]``, is a route: it asks
    each model in turn until one answers, within the budgets of the settings. The client of one
    provider has no budget. Without ``settings`` the user's settings are loaded; without ``around``
    the user's plugins wrap each call. A key is only sent over https or to this machine.
    """

    def open_model_or_route(root: SettingsRoot) -> Result[OpenModel, WebError]:
        if isinstance(provider, str):
            return models.open_model(provider, root, limits)
        from .model_routes import ModelRoute, open_model_route, read_route_steps  # noqa: PLC0415  not at every start

        if isinstance(steps := read_route_steps(provider, "route", None), Failure):
            return Failure(steps.failure())
        route = ModelRoute(task="model", steps=steps.unwrap(), callers=True)
        return open_model_route(route, root, limits).map(lambda model: model)

    return _resolve_root(settings, transport, around).bind(open_model_or_route)


def search_model_backend(
    declared: SearchModel | str,
    settings: Settings | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[SearchModelBackend, WebError]:
    """Return the backend of a search model, or the missing setting; plugins wrap its calls."""
    return _resolve_root(settings, transport).bind(partial(open_search_model, declared))


def x_searcher(
    settings: Settings | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    around: Session | None = None,
    chance: Callable[[], float] = random.random,
) -> Result[x_search_setup.XSearch, WebError]:
    """Return an open search of X with the account in the settings, or the missing setting.

    Without ``settings`` the user's settings are loaded; without ``around`` the user's plugins wrap
    each call. A key is only sent over https or to this machine. ``chance`` spreads the waits
    before another attempt.
    """
    root = _resolve_root(settings, transport, around)
    return root.bind(partial(x_search_setup.open_x_search, chance=chance))


def open_compressor(
    settings: Settings,
    kind: compressors.Kind | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[compressors.OpenedCompressor, WebError]:
    """Return the compressor of that kind or of the settings; plugins wrap its model calls."""
    root = _resolve_root(settings, transport)
    return root.bind(lambda opened: compressors.open_compressor(opened, kind))


def _resolve_root(
    settings: Settings | None,
    transport: httpx.AsyncBaseTransport | None,
    session: Session | None = None,
) -> Result[SettingsRoot, WebError]:
    """Return the root of the settings or of the user's; plugins make the session by default."""
    read = read_settings_root() if settings is None else Success(SettingsRoot(settings=settings))
    return read.map(
        lambda root: replace(
            root,
            transport=transport,
            session=lambda: plugin_session(root) if session is None else Success(session),
        )
    )
