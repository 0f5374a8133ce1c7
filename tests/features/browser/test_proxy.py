"""The guarding proxy, spoken to by hand: who may use it, where it leads, how much it carries."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from tests.features.browser.proxying import asking, send, status_of
from webseam.adapters.features.browser.browser_command import PROXY_HOST
from webseam.adapters.features.browser.proxy import GuardingProxy, TransferBudget
from webseam.adapters.features.browser.request_guard import ExpectedHosts, RenderGuard
from webseam.adapters.pages.fetch.connect import FetchLimits
from webseam.ports.errors import UrlDenied

from .support import (
    CANARY,
    PUBLIC,
    OpenProxy,
    Site,
    always,
    make_reach,
    opening,
    page,
    proxying,
    run,
    serving,
)


@asynccontextmanager
async def serving_behind_proxy(
    site: Site, host: str = PUBLIC
) -> AsyncIterator[tuple[int, OpenProxy]]:
    """Serve a site, and a proxy that may reach its port on the public address."""
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(serving(site, host))
        reach = make_reach(opening(f"{PUBLIC}/32:{port}"))
        yield port, await stack.enter_async_context(proxying(reach))


def with_proxy(
    reach: RenderGuard,
    talk: Callable[[OpenProxy], Awaitable[bytes]],
    allowance: TransferBudget | None = None,
) -> bytes:
    async def session() -> bytes:
        async with proxying(reach, allowance) as proxy:
            return await talk(proxy)

    return run(session())


@pytest.mark.parametrize(
    "header",
    ["", "Proxy-Authorization: Basic", "Proxy-Authorization: Basic d2Vic2VhbTp3cm9uZw==\r\n"],
)
def test_nobody_uses_it_without_the_password(header: str) -> None:
    async def talk(proxy: OpenProxy) -> bytes:
        return await send(proxy, f"GET http://a.example/ HTTP/1.1\r\n{header}\r\n\r\n".encode())

    reach = make_reach(opening())

    answer = with_proxy(reach, talk)

    assert status_of(answer) == 407
    assert b'Proxy-Authenticate: Basic realm="webseam"' in answer


@pytest.mark.parametrize("turns", range(6))
def test_connection_to_an_ending_proxy_is_closed(turns: int) -> None:
    async def session() -> bytes:
        async with proxying(make_reach(opening())) as proxy:
            caller = socket.create_connection((PROXY_HOST, proxy.port))
            for _ in range(turns):
                await asyncio.sleep(0)
        with caller:
            caller.settimeout(60)
            try:
                return await asyncio.to_thread(caller.recv, 1)
            except ConnectionError:
                return b""

    assert run(session()) == b""
    # A socket that was let in and forgotten would be told of here.
    gc.collect()


def test_each_rendering_has_another_password() -> None:
    reach = make_reach(opening())

    passwords = {
        GuardingProxy(reach, TransferBudget(1, 1), ExpectedHosts()).password for _ in range(10)
    }

    assert len(passwords) == 10


@pytest.mark.parametrize(
    "line",
    [
        "GET http://127.0.0.1:{port}/ HTTP/1.1",
        "GET http://127.1:{port}/ HTTP/1.1",
        "GET http://[::ffff:127.0.0.1]:{port}/ HTTP/1.1",
        "GET http://localhost:{port}/ HTTP/1.1",
        "GET http://user@127.0.0.2:{port}/ HTTP/1.1",
        "GET http://169.254.169.254/latest/meta-data/ HTTP/1.1",
        "CONNECT 127.0.0.1:{port} HTTP/1.1",
        "CONNECT [::1]:{port} HTTP/1.1",
        "CONNECT metadata.google.internal:80 HTTP/1.1",
        "CONNECT 127.0.0.2:22 HTTP/1.1",
        "CONNECT 127.0.0.2:99999 HTTP/1.1",
    ],
)
def test_a_target_that_the_policy_refuses_is_never_dialled(line: str) -> None:
    async def session() -> tuple[int, int]:
        canary = Site(page(b"SECRET"))
        async with serving_behind_proxy(canary, CANARY) as (port, proxy):
            answer = await send(proxy, asking(proxy, line.format(port=port)))
        return status_of(answer), canary.connections

    assert run(session()) == (403, 0)


@pytest.mark.parametrize("answers", [[CANARY], [PUBLIC, CANARY], ["::1"], ["::ffff:127.0.0.2"]])
@pytest.mark.parametrize(
    "line", ["GET http://x.example.com:{} HTTP/1.1", "CONNECT x.example.com:{} HTTP/1.1"]
)
def test_one_bad_address_of_a_name_refuses_it_and_is_told(answers: list[str], line: str) -> None:
    async def session() -> tuple[int, int, list[str]]:
        refused: list[UrlDenied] = []
        canary = Site(page(b"SECRET"))
        async with serving(canary, CANARY) as port:
            policy = opening(f"{PUBLIC}/32:{port}")
            reach = make_reach(policy, always(*answers), on_refused=refused.append)
            async with proxying(reach) as proxy:
                answer = await send(proxy, asking(proxy, line.format(port)))
        return status_of(answer), canary.connections, [denied.stage for denied in refused]

    assert run(session()) == (403, 0, ["dns"])


def test_a_request_goes_to_the_checked_address_under_its_own_name() -> None:
    async def session() -> tuple[bytes, list[bytes]]:
        site = Site(page(b"public page"))
        async with serving_behind_proxy(site) as (port, proxy):
            line = f"GET http://a.example.com:{port}/p HTTP/1.1"
            answer = await send(proxy, asking(proxy, line, "Accept: */*"))
        assert site.heads[0].count(str(port).encode()) == 1
        return answer, [site.heads[0].replace(f":{port}".encode(), b"")]

    answer, heads = run(session())

    assert answer == page(b"public page")
    assert heads == [
        b"GET /p HTTP/1.1\r\nhost: a.example.com\r\naccept: */*\r\nconnection: close\r\n\r\n"
    ]


def test_a_tunnel_carries_bytes_both_ways() -> None:
    async def session() -> bytes:
        site = Site(page(b"through the tunnel"))
        async with serving_behind_proxy(site) as (port, proxy):
            line = f"CONNECT a.example.com:{port} HTTP/1.1"
            inside = b"GET / HTTP/1.1\r\nhost: anything\r\n\r\n"
            return await send(proxy, asking(proxy, line, body=inside))

    answer = run(session())

    assert answer == b"HTTP/1.1 200 Connection Established\r\n\r\n" + page(b"through the tunnel")


class Collector(Site):
    """Takes all that it is sent until the other side ends, and never answers."""

    async def _answer(self, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        self.heads.append(await reader.read())


def test_a_second_request_on_a_connection_is_not_passed_on() -> None:
    async def session() -> tuple[bytes, bytes]:
        site = Collector(None)
        async with serving_behind_proxy(site) as (port, proxy):
            first = asking(
                proxy,
                f"POST http://{PUBLIC}:{port}/ HTTP/1.1",
                "Content-Length: 4",
                body=b"body",
            )
            second = asking(proxy, f"GET http://{CANARY}:{port}/second HTTP/1.1")
            answer = await send(proxy, first + second)
        return answer, site.heads[0].partition(b"\r\n\r\n")[2]

    assert run(session()) == (b"", b"body")


def test_request_without_a_target_host_is_a_bad_request() -> None:
    async def talk(proxy: OpenProxy) -> bytes:
        return await send(proxy, asking(proxy, "GET / HTTP/1.1"))

    assert status_of(with_proxy(make_reach(opening()), talk)) == 400


def test_a_head_without_end_is_a_bad_one() -> None:
    async def talk(proxy: OpenProxy) -> bytes:
        return await send(proxy, b"GET http://a.example/ HTTP/1.1\r\nX: " + b"x" * 200_000)

    answer = with_proxy(make_reach(opening()), talk)

    # The rest of it is not read, so the answer may be lost with the connection.
    assert answer in (
        b"",
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    )


def test_a_name_without_an_address_is_a_bad_gateway() -> None:
    async def talk(proxy: OpenProxy) -> bytes:
        return await send(proxy, asking(proxy, "CONNECT nowhere.example.com:443 HTTP/1.1"))

    assert status_of(with_proxy(make_reach(opening(), always()), talk)) == 502


def test_a_site_that_does_not_answer_is_remembered() -> None:
    async def session() -> tuple[int, dict[str, str]]:
        async with serving(Site(None), PUBLIC) as port:
            pass
        reach = make_reach(opening(f"{PUBLIC}/32:{port}"), limits=FetchLimits(connect=2.0))
        async with proxying(reach) as proxy:
            answer = await send(proxy, asking(proxy, f"CONNECT {PUBLIC}:{port} HTTP/1.1"))
        troubles = {place.partition(":")[0]: why.kind for place, why in reach.unreachable.items()}
        return status_of(answer), troubles

    assert run(session()) == (502, {PUBLIC: "connect_failed"})


def test_no_more_connections_than_allowed_are_made() -> None:
    async def session() -> tuple[list[int], int]:
        site = Site(page(b"x"))
        async with serving(site, PUBLIC) as port:
            reach = make_reach(opening(f"{PUBLIC}/32:{port}"))
            async with proxying(reach, TransferBudget(2, 1000)) as proxy:
                line = f"GET http://{PUBLIC}:{port}/ HTTP/1.1"
                found = [status_of(await send(proxy, asking(proxy, line))) for _ in range(4)]
        return found, site.connections

    assert run(session()) == ([200, 200, 503, 503], 2)


def test_no_more_bytes_than_allowed_are_carried() -> None:
    async def session() -> tuple[int, bool, int]:
        site = Site(page(b"x" * 300_000))
        async with serving(site, PUBLIC) as port:
            reach = make_reach(opening(f"{PUBLIC}/32:{port}"))
            allowance = TransferBudget(5, 100_000)
            async with proxying(reach, allowance) as proxy:
                line = f"GET http://{PUBLIC}:{port}/ HTTP/1.1"
                first = await send(proxy, asking(proxy, line))
                second = await send(proxy, asking(proxy, line))
        return len(first), allowance.is_overdrawn, status_of(second)

    carried, overdrawn, afterwards = run(session())

    assert carried <= 100_000
    assert (overdrawn, afterwards) == (True, 503)


def test_sent_bytes_count_towards_the_transfer_budget() -> None:
    async def session() -> tuple[bytes, bool]:
        site = Collector(None)
        async with serving(site, PUBLIC) as port:
            allowance = TransferBudget(5, 1000)
            reach = make_reach(opening(f"{PUBLIC}/32:{port}"))
            async with proxying(reach, allowance) as proxy:
                line = f"CONNECT {PUBLIC}:{port} HTTP/1.1"
                answer = await send(proxy, asking(proxy, line, body=b"x" * 5000))
        return answer, allowance.is_overdrawn

    assert run(session()) == (b"HTTP/1.1 200 Connection Established\r\n\r\n", True)


def test_strangers_cannot_take_every_place() -> None:
    async def session() -> list[bytes]:
        async with proxying(make_reach(opening())) as proxy:
            strangers = [await asyncio.open_connection(PROXY_HOST, proxy.port) for _ in range(80)]
            turned_away = [await reader.read() for reader, _ in strangers[64:]]
            for _, writer in strangers:
                writer.close()
        return turned_away

    assert run(session()) == [b""] * 16


class Silent(Site):
    """Never answers, and tells when somebody has come."""

    def __init__(self) -> None:
        super().__init__(None)
        self.visited = asyncio.Event()

    async def _answer(self, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        self.visited.set()
        await reader.read()


async def is_refused(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(PROXY_HOST, port)
    except ConnectionRefusedError:
        return True
    writer.close()
    return False


def test_it_is_gone_when_the_rendering_is_over() -> None:
    async def session() -> tuple[bytes, bool]:
        site = Silent()
        async with serving_behind_proxy(site) as (port, proxy):
            line = f"GET http://{PUBLIC}:{port}/ HTTP/1.1"
            task = asyncio.ensure_future(send(proxy, asking(proxy, line)))
            await site.visited.wait()
        return await task, await is_refused(proxy.port)

    assert run(session()) == (b"", True)
