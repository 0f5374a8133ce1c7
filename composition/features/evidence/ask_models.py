"""The models that answer questions and check the answers, from the settings."""

from __future__ import annotations

import asyncio
import secrets
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.backends import Closeable
from webseam.ports.errors import NotConfigured, WebError
from webseam.ports.evidence import Answerer, SupportChecker
from webseam.ports.models import Reranker

from ...wiring.backend_rows import Root
from ..models.settings import RerankSettings
from .settings import AskSettings

Check: TypeAlias = Literal["words", "model", "rerank"]


class AskOverrides(msgspec.Struct, frozen=True, kw_only=True):
    """The options that replace settings for one caller; None keeps the setting."""

    provider: str | None = None
    model: str | None = None
    check: Check | None = None
    extractive: bool = False


class AskModels(msgspec.Struct, frozen=True, kw_only=True):
    """The models of an answer, None for each that is not set; ``provider`` answers."""

    answerer: Answerer | None = None
    provider: str | None = None
    reranker: Reranker | None = None
    checker: SupportChecker | None = None
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
    check = requested.check or settings.of(AskSettings).check
    if settings.of(RerankSettings).provider is not None or check == "rerank":
        if isinstance(ranking := _add_reranker(models, root, check), Failure):
            return ranking
        models = ranking.unwrap()
    return Success(msgspec.structs.replace(models, checker=_make_support_checker(models, check)))


def _open_answer_model(root: Root, overrides: AskOverrides) -> Result[AskModels, WebError]:
    settings, block = root.settings, root.settings.of(AskSettings)
    name = overrides.provider or block.provider
    if name is None or overrides.extractive:
        return Success(AskModels())
    # HTTP and providers, on first use.
    from webseam.adapters.features.evidence import ModelAnswerer  # noqa: PLC0415
    from webseam.kernel.planner.routes import ModelStep  # noqa: PLC0415

    from ..models.model_routes import ModelRoute, open_model_route  # noqa: PLC0415
    from ..models.provider_choice import choose_model, choose_provider  # noqa: PLC0415

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


def _add_reranker(models: AskModels, root: Root, check: Check) -> Result[AskModels, WebError]:
    from ..models.relevance import LOCAL_PROVIDER, open_reranker  # noqa: PLC0415  HTTP, on first use

    if check == "rerank" and root.settings.of(RerankSettings).provider == LOCAL_PROVIDER:
        reason = "Word vectors tell what a text is about, not whether it carries a claim"
        return Failure(NotConfigured(settings=("ask.check", "rerank.provider"), reason=reason))
    opened = open_reranker(root)
    return opened.map(
        lambda reranker: msgspec.structs.replace(
            models, reranker=reranker, opened=(*models.opened, reranker)
        )
    )


def _make_support_checker(models: AskModels, check: Check) -> SupportChecker | None:
    if check == "words":
        return None
    from webseam.kernel.features.evidence.support_judges import ModelJudge, RerankJudge  # noqa: PLC0415  on first use

    if check == "model" and models.answerer is not None:
        return ModelJudge(models.answerer, lambda: secrets.token_hex(8))
    if check == "rerank" and models.reranker is not None:
        return RerankJudge(models.reranker)
    return None
