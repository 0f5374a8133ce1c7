"""Driving the transport at the faulty server: as an API's client, and as one that takes any body."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx
from returns.result import Failure, Result, Success

from webseam import json_backend
from webseam.adapters.http.body import read_body
from webseam.adapters.http.dial import make_dialer
from webseam.adapters.http.error_mapping import network_error, status_error
from webseam.adapters.http.transport import FastTransport, TransportTimes
from webseam.adapters.services.sender import ServiceLimits
from webseam.kernel import WebDeps, web_search
from webseam.kernel.deps import RowPolicy
from webseam.ports import DeadlineExceeded, SearchOutcome, WebError
from webseam.testing import FAULTS, REFERENCE_LIMITS, FaultyServer, loopback_only

Value = TypeVar("Value")

KEY = "CANARY-0123456789"
# The reference limits in bytes; more patient in seconds, for machines that are busy.
TIMES = TransportTimes(connect=3.0, head=3.0, idle=2.5)
LIMITS = ServiceLimits(
    bytes=int(REFERENCE_LIMITS["max_decoded_bytes"]), seconds=2 * REFERENCE_LIMITS["deadline_s"]
)


class LoopbackLoop(asyncio.SelectorEventLoop):
    """An event loop in which every name is a name of this machine."""

    async def getaddrinfo(self, _host: Any, port: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", port))]


def run(call: Coroutine[Any, Any, Value]) -> Value:
    """Run in a loop in which names lead here, under the guard; nothing may try to leave."""
    with loopback_only() as tried, asyncio.Runner(loop_factory=LoopbackLoop) as runner:
        value = runner.run(call)
    assert tried == []
    return value


@asynccontextmanager
async def transport_to(
    server: FaultyServer, *, trusting: bool = True
) -> AsyncIterator[FastTransport]:
    """Give a transport under the reference limits that trusts the server's certificate, or not."""
    context = ssl.create_default_context(cadata=server.ca_pem if trusting else None)
    transport = FastTransport(times=TIMES, dial=make_dialer(TIMES.connect, context))
    try:
        yield transport
    finally:
        await transport.aclose()


def url_of(server: FaultyServer, name: str) -> str:
    return server.url(name, FAULTS[name].host or None)


async def search(
    server: FaultyServer, name: str, transport: httpx.AsyncBaseTransport, rows: RowPolicy = "strict"
) -> Result[SearchOutcome, WebError]:
    """Search at a fault, as the client of a JSON API does."""
    backend = json_backend(
        search_url=url_of(server, name), key=KEY, transport=transport, limits=LIMITS
    ).unwrap()
    return await web_search({"query": "q"}, WebDeps(backend=backend, rows=rows))


async def fetch(url: str, transport: httpx.AsyncBaseTransport) -> Result[bytes, WebError]:
    """Fetch a body of any type, under the limits of the reference."""
    request = httpx.Request("GET", url)
    try:
        async with asyncio.timeout(LIMITS.seconds):
            response = await transport.handle_async_request(request)
            try:
                body = await read_body(response, LIMITS.bytes)
            finally:
                await response.aclose()
    except TimeoutError:
        return Failure(DeadlineExceeded(deadline=LIMITS.seconds))
    except httpx.HTTPError as error:
        return Failure(network_error(error, request.url.host))
    refused = status_error(response.status_code, response.headers, "", 0.0)
    return Success(body) if refused is None else Failure(refused)


def kind_of(result: Result[Any, WebError]) -> str:
    return result.failure().kind if isinstance(result, Failure) else "ok"
