"""Nobody gets through the proxy to a place that no page has named."""

import asyncio

import pytest

from tests.features.browser.proxying import asking, send, status_of
from webseam.adapters.features.browser.request_guard import ExpectedHosts, url_host_port

from .support import PUBLIC, ScriptedNames, Site, make_reach, opening, page, proxying, run, serving


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://A.Example/x", ("a.example", 80)),
        ("https://a.example", ("a.example", 443)),
        ("wss://a.example:8443/socket", ("a.example", 8443)),
        ("ws://u:p@[::1]/", ("::1", 80)),
        ("blob:https://a.example/1", None),
        ("data:text/plain,x", None),
        ("http://a.example:port/", None),
        ("http://[half", None),
        ("", None),
    ],
)
def test_a_place_is_a_host_and_a_port(url: str, place: tuple[str, int] | None) -> None:
    assert url_host_port(url) == place


@pytest.mark.parametrize("line", ["GET http://{}:{}/ HTTP/1.1", "CONNECT {}:{} HTTP/1.1"])
def test_unexpected_host_is_refused_without_a_name_lookup(line: str) -> None:
    async def session() -> tuple[int, list[str], int]:
        names, site = ScriptedNames([[PUBLIC]]), Site(page(b"x"))
        async with serving(site, PUBLIC) as port:
            reach = make_reach(opening(f"{PUBLIC}/32:{port}"), names)
            expected = ExpectedHosts()
            expected.add(f"http://other.example:{port}/")
            async with proxying(reach, expected=expected) as proxy:
                answer = await send(proxy, asking(proxy, line.format("mine.example", port)))
        return status_of(answer), names.asked, site.connections

    assert run(session()) == (403, [], 0)


def test_a_place_that_is_named_a_moment_later_is_let_through() -> None:
    async def session() -> tuple[bool, bool]:
        expected = ExpectedHosts()
        waiting = asyncio.ensure_future(expected.is_expected("https://a.example:443/"))
        await asyncio.sleep(0)
        expected.add("https://b.example/")
        await asyncio.sleep(0)
        early = waiting.done()
        expected.add("wss://a.example/socket")
        return early, await waiting

    assert run(session()) == (False, True)


def test_data_url_is_no_expected_host() -> None:
    assert run(ExpectedHosts().is_expected("data:,x")) is False
