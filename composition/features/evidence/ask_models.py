"""The models that choose answers and rank passages, from the settings."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.backends import Closeable
from webseam.ports.errors import WebError
from webseam.ports.evidence import Answerer
from webseam.ports.models import Reranker

from ...wiring.backend_rows import Root
from ..models.settings import RerankSettings
from .settings import AskSettings


class AskOverrides(msgspec.Struct, frozen=True, kw_only=True):
    """The options that replace settings for one caller; None keeps the setting."""

    provider: str | None = None
    model: str | None = None
    extractive: bool = False


class AskModels(msgspec.Struct, frozen=True, kw_only=True):
    """The models of an answer, None for each that is not set; ``provider`` answers."""

    answerer: Answerer | None = None
    provider: str | None = None
    reranker: Reranker | None = None
    opened: tuple[Closeable, ...] = ()

    async def aclose(self) -> None:
        """Close the connections of all."""
        await asyncio.gather(*(resource.aclose() for resource in self.opened))


def open_ask_models(
    root: Root, overrides: AskOverrides | None = None
) -> Result[AskModels, WebError]:
    """Return the models of settings and overrides, or the missing setting.

    ``ask.provider`` answers; without it the answer is made of the pages' own sentences.
    """
    requested, settings = overrides or AskOverrides(), root.settings
    if isinstance(answering := _open_answer_model(root, requested), Failure):
        return answering
    models = answering.unwrap()
    if settings.of(RerankSettings).provider is None:
        return Success(models)
    return _add_reranker(models, root)


def _open_answer_model(root: Root, overrides: AskOverrides) -> Result[AskModels, WebError]:
    settings, block = root.settings, root.settings.of(AskSettings)
    name = overrides.provider or block.provider
    if name is None or overrides.extractive:
        return Success(AskModels())
    # HTTP and providers, on first use.
    from webseam.adapters.features.evidence import ModelAnswerer
    from webseam.kernel.planner.routes import ModelStep

    from ..models.model_routes import ModelRoute, open_model_route
    from ..models.provider_choice import choose_model, choose_provider

    if isinstance(provider := choose_provider(name, settings), Failure):
        return provider
    default_model = block.model if name == block.provider else None
    model = choose_model(provider.unwrap(), overrides.model or default_model)
    if isinstance(model, Failure):
        return model
    # A route of one model, because routes apply the budgets.
    route = ModelRoute(task="ask", steps=(ModelStep(name),), model=model.unwrap())
    return open_model_route(route, root).map(
        lambda chat: AskModels(
            answerer=ModelAnswerer(chat, model.unwrap(), seconds=block.seconds),
            provider=provider.unwrap().name,
            opened=(chat,),
        )
    )


def _add_reranker(models: AskModels, root: Root) -> Result[AskModels, WebError]:
    from ..models.relevance import open_reranker  # HTTP, on first use

    opened = open_reranker(root)
    return opened.map(
        lambda reranker: msgspec.structs.replace(
            models, reranker=reranker, opened=(*models.opened, reranker)
        )
    )
