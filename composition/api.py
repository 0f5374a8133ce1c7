"""What the library offers to open, with what the user set up where nothing else is given."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ..adapters.models.client.exchange import ModelLimits
from ..adapters.models.search.backend import SearchModelBackend
from ..adapters.models.search.declaration import SearchModel
from ..kernel.planner.selection import Capability
from ..ports.errors import WebError
from .calls.open_backends import OpenBackend, OpenModel
from .calls.session import Session
from .models import (
    clients as models,
    compressors,
    search_model_rows as search_models,
    x_search_setup,
)
from .plugins.plugin_choice import enabled_around
from .settings.loader import load_settings
from .settings.schema import Settings
from .wiring.backends import backend_choice
from .wiring.backends.backend_rows import Root
from .wiring.root import make_root

Opened = TypeVar("Opened")


def configured_backend(
    capability: Capability,
    *,
    named: str | None = None,
    route: Sequence[str] = (),
    cached: bool = True,
) -> Result[OpenBackend, WebError]:
    """Return the backend that settings and environment choose for a task, open.

    The same one that the command line would use; close it with ``aclose``. With a ``route``, such
    as ``["brave", "searxng+exa"]``, each of it is asked in turn, and those with a + together.
    """

    def opened(root: Root) -> Result[OpenBackend, WebError]:
        plugins = partial(enabled_around, None, root.settings)
        plugged = msgspec.structs.replace(root, session=plugins)
        chosen = backend_choice.choose_backend(
            capability, plugged, backend_name=named, route=route, cached=cached
        )
        return chosen.map(lambda answering: answering.backend)

    return make_root().bind(opened)


def chat_model(
    provider: str | Sequence[str],
    *,
    settings: Settings | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    limits: ModelLimits | None = None,
    around: Session | None = None,
) -> Result[OpenModel, WebError]:
    """Return the client of the provider with that name or alias, or say what is not usable.

    A list, such as ``["anthropic/claude-sonnet-4-5", "openai/gpt-5-mini"]``, is a route: each is
    asked in turn until one answers, within the budgets of the settings. The client of one provider
    by its name knows no budget. Without ``settings`` they are read from where they are; without
    ``around``, the plugins that the user enabled stand around each call. A key is only ever sent
    over https, or to this machine.
    """

    def opened(known: Settings, session: Session) -> Result[OpenModel, WebError]:
        if isinstance(provider, str):
            return models.open_model(provider, known, session, transport=transport, limits=limits)
        # The planner and its ledger, for those who need it.
        from .models.model_routes import ModelRoute, open_model_route, written_route  # noqa: PLC0415

        steps = written_route(provider, "route", None)
        if isinstance(steps, Failure):
            return Failure(steps.failure())
        route = ModelRoute(task="model", steps=steps.unwrap(), callers=True)
        planned = open_model_route(route, known, session, transport=transport, limits=limits)
        return planned.map(lambda model: model)

    return _with_session(settings, around, opened)


def search_model_backend(
    declared: SearchModel | str,
    settings: Settings | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[SearchModelBackend, WebError]:
    """Return the backend over a search model, given itself or by its name, or what is not set.

    Without ``settings`` they are read from where they are. Plugins stand around its model's calls.
    """
    return _with_session(
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
    """Return what searches X with the account in the settings, or what is not set.

    Without ``settings`` they are read from where they are; without ``around``, the plugins that the
    user enabled stand around each call of the model. A key is only ever sent over https, or to this
    machine. ``chance`` spreads the waits before another attempt.
    """
    return _with_session(
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
    """Return the compressor of that kind, else the one of the settings, or what is not set.

    The plugins that the user enabled stand around the calls of one on a model.
    """
    session = partial(enabled_around, None, settings)
    return compressors.open_compressor(settings, session, kind, transport=transport)


def _with_session(
    settings: Settings | None,
    session: Session | None,
    opening: Callable[[Settings, Session], Result[Opened, WebError]],
) -> Result[Opened, WebError]:
    loaded: Result[Settings, WebError] = (
        Success(settings) if settings is not None else load_settings()
    )

    def surrounded(known: Settings) -> Result[Opened, WebError]:
        plugins = enabled_around(settings=known) if session is None else Success(session)
        return plugins.bind(lambda surrounding: opening(known, surrounding))

    return loaded.bind(surrounded)
