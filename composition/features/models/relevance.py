"""Embeddings and reranking, put together from settings: which provider, which model."""

import random
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.features.models.client.exchange import JsonCalls, ModelLimits
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.embedding_apis import (
    EMBEDDERS,
    EMBEDDING_APIS,
    OPENAI_API,
    ModelEmbedder,
)
from webseam.adapters.features.models.model_lists import list_models
from webseam.adapters.features.models.rerank import RERANKERS, ModelReranker
from webseam.adapters.features.models.word_vectors import (
    LocalEmbedder,
    LocalReranker,
    is_wordllama_installed,
)
from webseam.kernel.planner.retry import MODEL_RETRIES, retry_delay
from webseam.ports.errors import NotConfigured, WebError

from ...planning.open_backends import close_after
from ...settings.schema import Settings
from ...settings.services import plain_http_rule
from ...settings.settings_root import SettingsRoot
from .clients import (
    find_provider,
    model_deps,
    provider_account,
    provider_transport,
    unset_setting_failure,
)
from .settings import EmbeddingSettings, RerankSettings

LOCAL_PROVIDER = "local"
OpenReranker: TypeAlias = ModelReranker | LocalReranker
OpenEmbedder: TypeAlias = ModelEmbedder | LocalEmbedder


def open_embedder(
    root: SettingsRoot,
    *,
    provider: str | None = None,
    model: str | None = None,
    seconds: float | None = None,
) -> Result[OpenEmbedder, WebError]:
    """Return the embedder of the settings, or the one that ``provider`` and ``model`` name.

    ``local`` is this machine, with ``webseam[rerank]``. ``seconds`` limits a call.
    """
    block = root.settings.of(EmbeddingSettings)
    name = provider or block.provider
    if name is None:
        return unset_setting_failure("embeddings", "provider", "No provider of embeddings is set")
    if name == LOCAL_PROVIDER:
        return _make_local_model(LocalEmbedder, "Embedding")
    if isinstance(declared := _relevance_provider(name, EMBEDDERS, root.settings), Failure):
        return declared
    default_model = declared.unwrap().model
    chosen = model or (block.model if name == block.provider else None) or default_model
    if chosen is None:
        return unset_setting_failure("embeddings", "model", f"No embedding model of {name} is set")
    calls = open_provider_calls(declared.unwrap(), root, seconds)
    api = EMBEDDING_APIS.get(name, OPENAI_API)
    return calls.map(lambda opened: ModelEmbedder(opened, chosen, block.dimensions, api))


def open_reranker(
    root: SettingsRoot, *, provider: str | None = None, model: str | None = None
) -> Result[OpenReranker, WebError]:
    """Return the reranker of the settings, or the one that ``provider`` and ``model`` name."""
    block = root.settings.of(RerankSettings)
    name = provider or block.provider
    if name is None:
        return unset_setting_failure("rerank", "provider", "No provider of reranking is set")
    if name == LOCAL_PROVIDER:
        return _make_local_model(LocalReranker, "Ranking")
    if isinstance(reranker := _relevance_provider(name, RERANKERS, root.settings), Failure):
        return reranker
    chosen = model or (block.model if name == block.provider else None) or reranker.unwrap().model
    if chosen is None:
        return unset_setting_failure("rerank", "model", f"No reranking model of {name} is set")
    calls = open_provider_calls(reranker.unwrap(), root)
    return calls.map(lambda opened: ModelReranker(opened, chosen))


Local = TypeVar("Local")


def _make_local_model(make: Callable[[], Local], work: str) -> Result[Local, WebError]:
    if is_wordllama_installed():
        return Success(make())
    reason = f"{work} on this machine needs a package that is not installed"
    remedy = "Run: pip install 'webseam[rerank]'"
    return Failure(NotConfigured(reason=reason, remedy=remedy))


async def list_live_models(name: str, root: SettingsRoot) -> Result[tuple[str, ...], WebError]:
    """Return the models that a provider lists for the user's account."""
    if isinstance(declared := find_provider(name, root.settings), Failure):
        return declared
    if isinstance(calls := open_provider_calls(declared.unwrap(), root), Failure):
        return calls
    return await close_after(calls.unwrap(), list_models(declared.unwrap(), calls.unwrap()))


def open_provider_calls(
    provider: Provider, root: SettingsRoot, seconds: float | None = None
) -> Result[JsonCalls, WebError]:
    """Return the calls of a provider for the account in the settings; a key goes over https."""
    if isinstance(user_account := provider_account(provider, root.settings), Failure):
        return user_account
    account = user_account.unwrap()
    http_rule = plain_http_rule("providers", provider.name, root.settings)
    checked = http_rule.check(account.base_url, with_key=bool(account.secrets()))
    if isinstance(checked, Failure):
        return Failure(checked.failure())
    settled = provider.settle(provider, account.base_url)
    # The words of the index answer if this fails, so its attempts are none of the search's.
    transport = provider_transport(provider, account, root)
    deps = replace(model_deps(transport), retry=_retry_delay_outside_call)
    limits = None if seconds is None else ModelLimits(seconds=seconds)
    return Success(JsonCalls(settled, account, deps, limits))


def _retry_delay_outside_call(error: WebError, attempt: int) -> float | None:
    return retry_delay(error, attempt, random.random(), MODEL_RETRIES)  # noqa: S311  no secret


def _relevance_provider(
    name: str, dedicated: tuple[Provider, ...], settings: Settings
) -> Result[Provider, WebError]:
    """Return a dedicated provider of that name, else a provider of chat models."""
    for provider in dedicated:
        if provider.name == name:
            return Success(provider)
    # A chat model cannot embed or rank.
    return find_provider(name, settings).map(lambda provider: replace(provider, model=None))
