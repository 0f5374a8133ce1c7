"""Embeddings and reranking, put together from settings: which provider, which model."""

import random
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import httpx
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ...adapters.models.client.exchange import JsonCalls, ModelLimits
from ...adapters.models.declaration.provider import Provider
from ...adapters.models.embedding_apis import EMBEDDERS, EMBEDDING_APIS, OPENAI_API, ModelEmbedder
from ...adapters.models.listing import list_models
from ...adapters.models.rerank import RERANKERS, ModelReranker
from ...adapters.models.word_vectors import LocalEmbedder, LocalReranker, is_wordllama_installed
from ...kernel.planner.retry import MODEL_RETRIES, planner_retry_delay
from ...ports.errors import NotConfigured, WebError
from ..open_backends import close_after
from ..settings.schema import Settings
from ..settings.services import plain_http_setting_rule
from ..wiring.egress import egress_dial_rules
from .clients import (
    find_provider,
    is_own_provider_url,
    model_deps,
    model_transport,
    unset_model_error,
    user_provider_account,
)

LOCAL = "local"
OpenReranker: TypeAlias = ModelReranker | LocalReranker
OpenEmbedder: TypeAlias = ModelEmbedder | LocalEmbedder


def open_model_embedder(
    settings: Settings,
    *,
    provider: str | None = None,
    model: str | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
    seconds: float | None = None,
) -> Result[OpenEmbedder, WebError]:
    """Return the embedder of the settings, or the one that ``provider`` and ``model`` name.

    ``local`` is this machine, with ``webseam[rerank]``. ``seconds`` limits a call.
    """
    block = settings.embeddings
    name = provider or block.provider
    if name is None:
        return unset_model_error("embeddings", "provider", "No provider of embeddings is set")
    if name == LOCAL:
        return _make_local_embedder(LocalEmbedder, "Embedding")
    if isinstance(declared := _relevance_provider(name, EMBEDDERS, settings), Failure):
        return declared
    default_model = declared.unwrap().model
    chosen = model or (block.model if name == block.provider else None) or default_model
    if chosen is None:
        return unset_model_error("embeddings", "model", f"No embedding model of {name} is set")
    calls = open_provider_calls(declared.unwrap(), settings, transport, seconds)
    api = EMBEDDING_APIS.get(name, OPENAI_API)
    return calls.map(lambda opened: ModelEmbedder(opened, chosen, block.dimensions, api))


def open_reranker(
    settings: Settings,
    *,
    provider: str | None = None,
    model: str | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[OpenReranker, WebError]:
    """Return the reranker of the settings, or the one that ``provider`` and ``model`` name."""
    block = settings.rerank
    name = provider or block.provider
    if name is None:
        return unset_model_error("rerank", "provider", "No provider of reranking is set")
    if name == LOCAL:
        return _make_local_embedder(LocalReranker, "Ranking")
    if isinstance(reranker := _relevance_provider(name, RERANKERS, settings), Failure):
        return reranker
    chosen = model or (block.model if name == block.provider else None) or reranker.unwrap().model
    if chosen is None:
        return unset_model_error("rerank", "model", f"No reranking model of {name} is set")
    calls = open_provider_calls(reranker.unwrap(), settings, transport)
    return calls.map(lambda opened: ModelReranker(opened, chosen))


Local = TypeVar("Local")


def _make_local_embedder(make: Callable[[], Local], work: str) -> Result[Local, WebError]:
    if is_wordllama_installed():
        return Success(make())
    reason = f"{work} on this machine needs a package that is not installed"
    remedy = "Run: pip install 'webseam[rerank]'"
    return Failure(NotConfigured(reason=reason, remedy=remedy))


async def list_live_models(
    name: str, settings: Settings, transport: httpx.AsyncBaseTransport | None = None
) -> Result[tuple[str, ...], WebError]:
    """Return the models that a provider lists for the user's account."""
    if isinstance(declared := find_provider(name, settings), Failure):
        return declared
    if isinstance(calls := open_provider_calls(declared.unwrap(), settings, transport), Failure):
        return calls
    return await close_after(calls.unwrap(), list_models(declared.unwrap(), calls.unwrap()))


def open_provider_calls(
    provider: Provider,
    settings: Settings,
    transport: httpx.AsyncBaseTransport | None,
    seconds: float | None = None,
) -> Result[JsonCalls, WebError]:
    """Return the calls of a provider for the account in the settings; a key goes over https."""
    if isinstance(account := user_provider_account(provider, settings), Failure):
        return account
    base_url, with_key = account.unwrap().base_url, bool(account.unwrap().secrets())
    checked = plain_http_setting_rule("providers", provider.name, settings).check(
        base_url, with_key=with_key
    )
    if isinstance(checked, Failure):
        return Failure(checked.failure())
    settled = provider.settle(provider, base_url)
    rules = egress_dial_rules(
        settings, is_user_written=is_own_provider_url(provider, account.unwrap(), settings)
    )
    # The words of the index answer if this fails, so its attempts are none of the search's.
    deps = replace(model_deps(transport or model_transport(rules)), retry=_retry_delay_alone)
    limits = None if seconds is None else ModelLimits(seconds=seconds)
    return Success(JsonCalls(settled, account.unwrap(), deps, limits))


def _retry_delay_alone(error: WebError, attempt: int) -> float | None:
    return planner_retry_delay(error, attempt, random.random(), MODEL_RETRIES)  # noqa: S311  no secret


def _relevance_provider(
    name: str, dedicated: tuple[Provider, ...], settings: Settings
) -> Result[Provider, WebError]:
    """Return a dedicated provider of that name, else a provider of chat models."""
    for provider in dedicated:
        if provider.name == name:
            return Success(provider)
    # A chat model cannot embed or rank.
    return find_provider(name, settings).map(lambda provider: replace(provider, model=None))
