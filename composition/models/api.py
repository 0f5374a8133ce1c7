"""Open models, search models, X and compressors, with the user's settings by default."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import httpx
from returns.result import Failure, Result, Success

from ...adapters.models.client.exchange import ModelLimits
from ...adapters.models.search.backend import SearchModelBackend
from ...adapters.models.search.declaration import SearchModel
from ...ports.errors import WebError
from ..open_backends import OpenModel
from ..plugins.plugin_choice import plugin_session
from ..session import Session
from ..settings.loader import load_settings
from ..settings.schema import Settings
from ..wiring import compressors
from . import clients as models, search_model_rows as search_models, x_search_setup

Opened = TypeVar("Opened")


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

    def opened(known: Settings, session: Session) -> Result[OpenModel, WebError]:
        if isinstance(provider, str):
            return models.open_model(provider, known, session, transport=transport, limits=limits)
        from .model_routes import ModelRoute, open_model_route, read_route_models  # noqa: PLC0415

        if isinstance(steps := read_route_models(provider, "route", None), Failure):
            return Failure(steps.failure())
        route = ModelRoute(task="model", steps=steps.unwrap(), callers=True)
        planned = open_model_route(route, known, session, transport=transport, limits=limits)
        return planned.map(lambda model: model)

    return _open_model_with_session(settings, around, opened)


def search_model_backend(
    declared: SearchModel | str,
    settings: Settings | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[SearchModelBackend, WebError]:
    """Return the backend of a search model, or the missing setting; plugins wrap its calls."""
    return _open_model_with_session(
        settings,
        None,
        lambda known, session: search_models.open_search_model(
            declared, known, session, transport=transport
        ),
    )


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
    return _open_model_with_session(
        settings,
        around,
        lambda known, session: x_search_setup.open_x_search(
            known, session, transport=transport, chance=chance
        ),
    )


def open_compressor(
    settings: Settings,
    kind: compressors.Kind | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[compressors.OpenedCompressor, WebError]:
    """Return the compressor of that kind or of the settings; plugins wrap its model calls."""
    session = partial(plugin_session, None, settings)
    return compressors.open_compressor(settings, session, kind, transport=transport)


def _open_model_with_session(
    settings: Settings | None,
    session: Session | None,
    opening: Callable[[Settings, Session], Result[Opened, WebError]],
) -> Result[Opened, WebError]:
    loaded: Result[Settings, WebError] = (
        Success(settings) if settings is not None else load_settings()
    )

    def surrounded(known: Settings) -> Result[Opened, WebError]:
        plugins = plugin_session(settings=known) if session is None else Success(session)
        return plugins.bind(lambda surrounding: opening(known, surrounding))

    return loaded.bind(surrounded)
