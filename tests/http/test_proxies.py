"""A proxy on loopback before the transport: tunnels with TLS in them, requests passed on."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Sequence

import httpx
import pytest
from returns.result import Failure, Result, Success

from webseam.adapters.http.body import read_body
from webseam.adapters.http.dial import DialRules, make_dialer
from webseam.adapters.http.error_mapping import network_error
from webseam.adapters.http.request_writing import HttpOrigin
from webseam.adapters.http.transport import FastTransport
from webseam.adapters.server_shutdown import close_server
from webseam.ports import ConnectFailed, NotConfigured, UrlDenied, WebError
from webseam.ports.secrets import Secret
from webseam.ports.targets import Proxy
from webseam.testing import FAULTS, FaultyServer

from .driving import TIMES, run
from .servers import OK, Server, closing

CREDENTIALS = "Basic bWU6c2VjcmV0"
TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"


class ConnectProxy:
    """A proxy that tunnels: it answers CONNECT, then passes bytes to ``where``."""

    def __init__(self, where: tuple[str, int], reply: bytes = TUNNEL) -> None:
        self.heads: list[bytes] = []
        self._where, self._reply = where, reply
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._attend, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            await close_server(server)
            for writer in self._writers:
                writer.transport.abort()
            if self._tasks:
                await asyncio.wait(self._tasks)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.append(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            self.heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(self._reply)
            if self._reply is TUNNEL:
                theirs, ours = await asyncio.open_connection(*self._where)
                self._writers.append(ours)
                await asyncio.gather(_pass_on(reader, ours), _pass_on(theirs, writer))
        writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


def through(port: int, credentials: str = "") -> DialRules:
    proxy = Proxy(
        host="127.0.0.1", port=port, credentials=Secret(credentials), setting="HTTPS_PROXY"
    )
    return DialRules(proxy=lambda _origin: Success(proxy))


async def get(url: str, transport: FastTransport) -> Result[bytes, WebError]:
    try:
        response = await transport.handle_async_request(httpx.Request("GET", url))
        async with contextlib.aclosing(response):
            return Success(await read_body(response, 1 << 20))
    except httpx.HTTPError as error:
        return Failure(network_error(error, ""))


def over(way: DialRules, context: ssl.SSLContext | None = None) -> FastTransport:
    return FastTransport(times=TIMES, dial=make_dialer(TIMES.connect, context, way))


def test_https_goes_through_a_tunnel_with_tls_inside(faulty_server: FaultyServer) -> None:
    context = ssl.create_default_context(cadata=faulty_server.ca_pem)
    url = httpx.URL(faulty_server.url("tls_ok", FAULTS["tls_ok"].host))
    proxy = ConnectProxy(("127.0.0.1", faulty_server.ports["tls"]))

    async def main() -> Result[bytes, WebError]:
        async with proxy.open() as port:
            way = through(port, CREDENTIALS)
            async with closing(over(way, context)) as transport:
                return await get(str(url), transport)

    answer = run(main())

    place = f"{url.host}:{url.port}".encode()
    assert isinstance(answer, Success)
    assert proxy.heads == [
        b"CONNECT %b HTTP/1.1\r\nHost: %b\r\nProxy-Authorization: %b\r\n\r\n"
        % (place, place, CREDENTIALS.encode())
    ]


def test_plain_requests_are_passed_on_with_their_whole_url() -> None:
    async def main() -> tuple[list[Result[bytes, WebError]], Server]:
        async with Server(OK) as proxy:
            way = through(proxy.port, CREDENTIALS)
            async with closing(over(way)) as transport:
                urls = ("http://api.example/v1?q=1", "http://api.example:8080/x")
                return [await get(url, transport) for url in urls], proxy

    answers, proxy = run(main())

    lines = [request.split(b"\r\n")[:2] for request in proxy.requests]
    proof = b"Proxy-Authorization: " + CREDENTIALS.encode()
    assert all(isinstance(answer, Success) for answer in answers)
    assert lines == [
        [b"GET http://api.example/v1?q=1 HTTP/1.1", proof],
        [b"GET http://api.example:8080/x HTTP/1.1", proof],
    ]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_wants_other_credentials_names_its_setting(scheme: str) -> None:
    refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"

    error = _failure(f"{scheme}://api.example/", refusal)

    assert isinstance(error, NotConfigured)
    assert error.settings == ("HTTPS_PROXY",)
    assert CREDENTIALS not in error.message


def test_a_proxy_that_refuses_or_hangs_up_is_a_failed_connection_that_names_it() -> None:
    refused = _failure("https://api.example/", b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
    silent = _failure("https://api.example/", b"")

    assert refused == ConnectFailed(
        reason="the proxy refused with status 403; HTTPS_PROXY names it"
    )
    assert silent == ConnectFailed(reason="the proxy hung up; HTTPS_PROXY names it")


def test_a_proxy_that_is_not_there_is_named() -> None:
    async def main() -> Result[bytes, WebError]:
        async with ConnectProxy(("127.0.0.1", 1)).open() as port:
            pass
        async with closing(over(through(port))) as transport:
            return await get("https://api.example/", transport)

    assert run(main()).failure() == ConnectFailed(
        reason="the proxy that HTTPS_PROXY names does not answer"
    )


def test_a_proxy_that_cannot_be_used_is_said_before_anything_is_dialled() -> None:
    problem = NotConfigured(settings=("ALL_PROXY",), reason="Not this one")
    way = DialRules(proxy=lambda _origin: Failure(problem))

    async def main() -> Result[bytes, WebError]:
        async with closing(over(way)) as transport:
            return await get("https://api.example/", transport)

    assert run(main()).failure() == problem


@pytest.mark.parametrize("proxied", [False, True])
def test_an_address_that_is_refused_is_never_dialled(*, proxied: bool) -> None:
    """Through a proxy only an address that is written out can be judged here."""
    seen: list[tuple[HttpOrigin, Sequence[str]]] = []
    denial = UrlDenied(rule="private", stage="address", url="http://10.0.0.1/")

    def judge(origin: HttpOrigin, addresses: Sequence[str]) -> WebError:
        seen.append((origin, addresses))
        return denial

    async def main() -> Result[bytes, WebError]:
        async with ConnectProxy(("127.0.0.1", 1)).open() as port:
            way = (
                DialRules(judge=judge, proxy=through(port).proxy)
                if proxied
                else DialRules(judge=judge)
            )
            async with closing(over(way)) as transport:
                return await get("http://10.0.0.1/", transport)

    assert run(main()).failure() == denial
    assert seen == [(HttpOrigin("http", "10.0.0.1", 80), ["10.0.0.1"])]


def test_the_dialled_address_is_one_of_those_that_were_judged() -> None:
    judged: list[str] = []

    def judge(_origin: HttpOrigin, addresses: Sequence[str]) -> None:
        judged.extend(addresses)

    async def main() -> Result[bytes, WebError]:
        async with Server(OK) as server, closing(over(DialRules(judge=judge))) as transport:
            return await get(f"http://a.example:{server.port}/", transport)

    assert isinstance(run(main()), Success)
    assert judged == ["127.0.0.1"]


def _failure(url: str, reply: bytes) -> WebError:
    async def main() -> Result[bytes, WebError]:
        proxy = ConnectProxy(("127.0.0.1", 1), reply)
        async with (
            proxy.open() as port,
            closing(over(through(port, CREDENTIALS))) as transport,
        ):
            return await get(url, transport)

    return run(main()).failure()
