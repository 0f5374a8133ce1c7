"""Clients for tests: the real one, with attempts that follow each other at once."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import httpx
import msgspec

from webseam.adapters.features.models.client.client import ModelClient
from webseam.adapters.features.models.client.exchange import ModelLimits
from webseam.adapters.features.models.declaration.provider import Account, Login, Provider
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.composition.features.models.clients import model_deps
from webseam.ports import ChatRequest, Delta, WebError
from webseam.ports.models import StreamItem
from webseam.ports.secrets import Secret

Value = TypeVar("Value")

KEY = "CANARY-0123456789"
PROVIDER = Provider(
    name="acme",
    title="Acme",
    login=Login(env=("ACME_API_KEY",)),
)
REQUEST = ChatRequest(model="m", messages=({"role": "user", "content": "hello"},))


def run(call: Coroutine[Any, Any, Value]) -> Value:
    return asyncio.run(call)


def at_once(error: WebError, attempt: int) -> float | None:
    return 0.0 if error.retryable and attempt < 3 else None


def client(
    transport: httpx.AsyncBaseTransport,
    *,
    base_url: str = "https://acme.example/v1",
    provider: Provider = PROVIDER,
    limits: ModelLimits | None = None,
    key: str = KEY,
    retry: Callable[[WebError, int], float | None] = at_once,
) -> ModelClient:
    around = msgspec.structs.replace(model_deps(transport), retry=retry)
    return ModelClient(
        load_wire(provider.api_mode),
        provider,
        Account(base_url=base_url, key=Secret(key)),
        deps=around,
        limits=limits,
    )


async def streamed(model: ModelClient, request: ChatRequest = REQUEST) -> list[StreamItem]:
    return [item async for item in model.stream(request)]


def text_of(items: Sequence[StreamItem]) -> str:
    return "".join(item.text for item in items if isinstance(item, Delta))
