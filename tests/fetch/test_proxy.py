"""A proxy that the settings name: it is asked for everything, and the policy still decides."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress

import pytest
from returns.result import Result, Success

from webseam.adapters.pages.fetch.connect import FetchLimits
from webseam.composition.features.testing.faulty_server import FaultyServer
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.kernel.policy import Policy, PolicySettings, make_policy
from webseam.ports import (
    ConnectFailed,
    DnsNotFound,
    ProtocolError,
    ResponseTooLarge,
    Timeout,
    TlsFailed,
    UrlDenied,
    WebError,
)
from webseam.ports.pages import Fetched

from .support import LIMITS, ScriptedNames, Site, closed_port, page, run, serving, trusting

PROXY = "127.0.0.5"
TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"
MOVED = "HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n"


class TunnelSite(Site):
    """A proxy that answers CONNECT with ``reply``, and then passes bytes to one place."""

    def __init__(self, reply: bytes, where: tuple[str, int]) -> None:
        super().__init__(reply)
        self._where = where

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await super()._answer(reader, writer)
        theirs, ours = await asyncio.open_connection(*self._where)
        await asyncio.gather(pass_on(reader, ours), pass_on(theirs, writer))


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


class ByRequest(Site):
    """A proxy that answers each request line with bytes of its own."""

    def __init__(self, replies: dict[str, bytes]) -> None:
        super().__init__(None)
        self._replies = replies

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(self._replies[line_of(self.heads[-1]).split()[1]])
        await writer.drain()


def line_of(head: bytes) -> str:
    return head.split(b"\r\n")[0].decode()


def behind(port: int, *ports: int, host: str = PROXY) -> Policy:
    settings = PolicySettings(ports=(80, 443, *ports), proxy=f"http://{host}:{port}")
    return make_policy(settings).unwrap()


def fetch_through(site: Site, url: str, limits: FetchLimits = LIMITS) -> Result[Fetched, WebError]:
    """Fetch through a proxy, with a name server that nobody may ask."""

    async def fetch() -> Result[Fetched, WebError]:
        names = ScriptedNames([["127.0.0.1"]])
        async with serving(site, PROXY) as port:
            fetched = await wire_page_fetcher(behind(port), limits, resolve=names).fetch(url)
        assert names.asked == []
        return fetched

    return run(fetch())


def test_a_plain_page_is_asked_for_by_its_whole_url() -> None:
    site = Site(page(b"found"))

    fetched = fetch_through(site, "http://A.example.com/b?c=d#e").unwrap()

    assert (fetched.body, fetched.final_url) == (b"found", "http://a.example.com/b?c=d")
    lines = site.heads[0].decode().split("\r\n")
    assert lines[:2] == ["GET http://a.example.com/b?c=d HTTP/1.1", "Host: a.example.com"]


@pytest.mark.parametrize("reply", [TUNNEL, b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"])
def test_a_secure_page_comes_through_a_tunnel_with_tls_on_its_own_name(reply: bytes) -> None:
    async def fetch() -> tuple[Fetched, list[bytes], int, Sequence[str | None], list[str]]:
        names = ScriptedNames([["127.0.0.1"]])
        async with FaultyServer() as server:
            tls = server.ports["tls"]
            site = TunnelSite(reply, (server.host, tls))
            async with serving(site, PROXY) as port:
                fetcher = wire_page_fetcher(
                    behind(port, tls), LIMITS, resolve=names, context=trusting(server)
                )
                fetched = await fetcher.fetch(server.url("tls_ok", "pinned.example.com"))
            return fetched.unwrap(), site.heads, tls, list(server.sni), names.asked

    fetched, heads, tls, sni, outcome = run(fetch())

    place = f"pinned.example.com:{tls}"
    assert fetched.status == 200
    assert heads == [f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode()]
    assert (set(sni), outcome) == ({"pinned.example.com"}, [])


def test_a_certificate_for_another_name_is_refused_in_the_tunnel() -> None:
    async def fetch() -> WebError:
        async with FaultyServer() as server:
            tls = server.ports["tls"]
            async with serving(TunnelSite(TUNNEL, (server.host, tls)), PROXY) as port:
                fetcher = wire_page_fetcher(behind(port, tls), LIMITS, context=trusting(server))
                return (await fetcher.fetch(server.url("tls_ok", "other.example.com"))).failure()

    assert isinstance(run(fetch()), TlsFailed)


@pytest.mark.parametrize(
    "status", ["407 Proxy Authentication Required", "502 Bad Gateway", "302 Found"]
)
def test_a_tunnel_that_is_refused_is_a_failure_to_connect(status: str) -> None:
    site = Site(f"HTTP/1.1 {status}\r\nContent-Length: 3\r\n\r\nno!".encode())

    error = fetch_through(site, "https://a.example.com/").failure()

    reason = f"the proxy refused with status {status[:3]}"
    failed = ConnectFailed(reason=reason, url="https://a.example.com/", attempts=error.attempts)
    assert error == failed
    assert line_of(site.heads[0]) == "CONNECT a.example.com:443 HTTP/1.1"


def test_an_address_in_brackets_stays_in_them() -> None:
    site = Site(b"HTTP/1.1 403 No\r\n\r\n")

    fetch_through(site, "https://[2606:4700::1111]/")

    assert line_of(site.heads[0]) == "CONNECT [2606:4700::1111]:443 HTTP/1.1"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (b"", ConnectFailed),
        (b"HTTP/1.1 200", ConnectFailed),
        (b"SSH-2.0-x\r\n\r\n", ProtocolError),
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000, ResponseTooLarge),
        (TUNNEL, ConnectFailed),
    ],
    ids=["nothing", "a part", "another protocol", "a flood", "a tunnel to nowhere"],
)
def test_a_proxy_that_talks_nonsense_is_a_typed_failure(reply: bytes, kind: type[WebError]) -> None:
    assert isinstance(fetch_through(Site(reply), "https://a.example.com/").failure(), kind)


def test_a_proxy_that_never_answers_is_a_timeout_of_connecting() -> None:
    limits = FetchLimits(connect=0.05)

    error = fetch_through(Site(None), "https://a.example.com/", limits).failure()

    assert isinstance(error, Timeout)
    assert error.phase == "connect"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_down_cannot_be_reached(scheme: str) -> None:
    with closed_port(PROXY) as port:
        fetcher = wire_page_fetcher(behind(port), LIMITS)
        error = run(fetcher.fetch(f"{scheme}://a.example.com/")).failure()

    assert isinstance(error, ConnectFailed)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("http://10.0.0.1/", "private"),
        ("https://127.0.0.1/", "loopback"),
        ("http://169.254.169.254/", "metadata"),
        ("http://metadata.google.internal/", "metadata"),
        ("http://wiki/", "local_name"),
        ("http://a.example.com:22/", "port"),
    ],
)
def test_denied_url_is_not_sent_to_the_proxy(url: str, rule: str) -> None:
    site = Site(page(b"secret"))

    refusal = fetch_through(site, url).failure()

    assert isinstance(refusal, UrlDenied)
    assert (refusal.rule, site.heads) == (rule, [])


def test_redirects_are_followed_through_the_proxy() -> None:
    first, second = "http://a.example.com/", "http://b.example.com/c"
    site = ByRequest({first: MOVED.format(second).encode(), second: page(b"found")})

    assert fetch_through(site, first).unwrap().final_url == second
    assert site.connections == 2


def test_redirects_are_judged_before_the_proxy_hears_of_them() -> None:
    site = Site(MOVED.format("http://10.0.0.1/").encode())

    refusal = fetch_through(site, "http://a.example.com/").failure()

    assert isinstance(refusal, UrlDenied)
    assert (refusal.rule, refusal.hop, len(site.heads)) == ("private", 1, 1)


def test_the_name_of_the_proxy_is_the_only_one_looked_up() -> None:
    async def fetch() -> tuple[bytes, list[str]]:
        names = ScriptedNames([[PROXY]])
        async with serving(Site(page(b"found")), PROXY) as port:
            fetcher = wire_page_fetcher(behind(port, host="proxy"), LIMITS, resolve=names)
            fetched = await fetcher.fetch("http://a.example.com/")
        return fetched.unwrap().body, names.asked

    assert run(fetch()) == (b"found", ["proxy"])


def test_a_proxy_whose_name_is_unknown_is_named() -> None:
    async def nobody(_host: str, _port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    fetcher = wire_page_fetcher(behind(3128, host="proxy"), LIMITS, resolve=nobody)

    error = run(fetcher.fetch("http://a.example.com/")).failure()

    assert error == DnsNotFound(host="proxy", url=error.url, attempts=error.attempts)
    assert error.url == "http://a.example.com/"


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fetch() -> tuple[Result[Fetched, WebError], int]:
        stranger = Site(page(b"another"))
        async with serving(stranger, "127.0.0.6") as elsewhere:
            for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
                monkeypatch.setenv(name, f"http://127.0.0.6:{elsewhere}")
            for name in ("NO_PROXY", "no_proxy"):
                monkeypatch.delenv(name, raising=False)
            async with serving(Site(page(b"found")), PROXY) as port:
                settings = PolicySettings(allow_private=(f"{PROXY}/32:{port}",))
                direct = wire_page_fetcher(make_policy(settings).unwrap(), LIMITS)
                assert (await direct.fetch(f"http://{PROXY}:{port}/")).unwrap().body == b"found"
                fetched = await wire_page_fetcher(behind(port), LIMITS).fetch(
                    "http://a.example.com/"
                )
        return fetched, stranger.connections

    fetched, strangers = run(fetch())

    assert isinstance(fetched, Success)
    assert strangers == 0
