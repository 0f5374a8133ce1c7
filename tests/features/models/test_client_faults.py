"""Every fault of the catalogue, met by the client: a result, and nothing of the key in it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

import msgspec
import pytest
from returns.result import Failure, Result, Success

from tests.features.models.clients import KEY, PROVIDER, REQUEST
from tests.http.driving import LIMITS, run, transport_to, url_of
from webseam.adapters.features.models.client.client import ModelClient
from webseam.adapters.features.models.client.exchange import ModelLimits
from webseam.adapters.features.models.client.provider_caller import ModelDeps
from webseam.adapters.features.models.declaration.provider import Account
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.adapters.http.transport import FastTransport
from webseam.composition.features.models.clients import model_deps
from webseam.ports import Delta, NormalizedResponse, WebError
from webseam.ports.secrets import Secret
from webseam.testing import FAULTS, FaultyServer

Value = TypeVar("Value")

NAMES = tuple(FAULTS)
_AT_ONCE = 40


class Met(NamedTuple):
    completed: dict[str, Result[NormalizedResponse, WebError]]
    streamed: dict[str, list[object]]
    all_closed: bool


async def meet() -> Met:
    async with FaultyServer() as server, transport_to(server) as transport:
        around = msgspec.structs.replace(model_deps(transport), retry=lambda *_: None)

        async def complete(name: str) -> Result[NormalizedResponse, WebError]:
            return await model(server, name, around).complete(REQUEST)

        async def stream(name: str) -> list[object]:
            return [item async for item in model(server, name, around).stream(REQUEST)]

        completed, streamed = await asyncio.gather(each(complete), each(stream))
        return Met(completed, streamed, await closed(server, transport))


def model(server: FaultyServer, name: str, around: ModelDeps) -> ModelClient:
    # What the wire adds to the address goes into its query, so that the fault is met at its path.
    account = Account(base_url=f"{url_of(server, name)}?to=", key=Secret(KEY))
    limits = ModelLimits(bytes=LIMITS.bytes, stream_bytes=LIMITS.bytes, seconds=LIMITS.seconds)
    return ModelClient(load_wire("chat_completions"), PROVIDER, account, deps=around, limits=limits)


async def each(call: Callable[[str], Awaitable[Value]]) -> dict[str, Value]:
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(name: str) -> Value:
        async with turns:
            return await call(name)

    return dict(zip(NAMES, await asyncio.gather(*map(one, NAMES)), strict=True))


async def closed(server: FaultyServer, transport: FastTransport) -> bool:
    await transport.aclose()
    return await server.idle()


@pytest.fixture(scope="session")
def met() -> Met:
    return run(meet())


def test_every_fault_ends_in_a_result(met: Met) -> None:
    for result in met.completed.values():
        assert isinstance(result, Success | Failure)
    for items in met.streamed.values():
        *pieces, last = items
        assert all(isinstance(piece, Delta) for piece in pieces)
        assert isinstance(last, Success | Failure)


def test_no_fault_is_taken_for_an_answer(met: Met) -> None:
    answered = [name for name, result in met.completed.items() if isinstance(result, Success)]

    assert answered == []


def test_no_failure_shows_the_key(met: Met) -> None:
    assert KEY not in repr(met.completed)
    assert KEY not in repr(met.streamed)


def test_nothing_stays_open(met: Met) -> None:
    assert met.all_closed
