"""What goes on the wire, and what comes back from an ordinary fetch."""

from typing import TypeAlias

import pytest
from returns.result import Result, Success

import webseam
from webseam.adapters.pages.fetch.connect import FetchLimits
from webseam.adapters.pages.settings import PagePreference
from webseam.composition.planning.open_backends import close_after
from webseam.composition.wiring.pages import pages_backend, wire_page_fetcher
from webseam.ports import DeadlineExceeded, InvalidUrl, TooManyRedirects, UrlDenied, WebError
from webseam.ports.pages import Fetched

from .support import Site, always, opening, page, run, serving

Outcome: TypeAlias = Result[Fetched, WebError]


async def fetch_from(
    site: Site, path: str = "/", host: str = "127.0.0.2", user_agent: str = "webseam"
) -> tuple[Outcome, int]:
    async with serving(site, "127.0.0.2") as port:
        policy = opening(f"127.0.0.2/32:{port}")
        fetcher = wire_page_fetcher(policy, resolve=always("127.0.0.2"), user_agent=user_agent)
        return await fetcher.fetch(f"http://{host}:{port}{path}"), port


def test_a_request_says_what_it_wants_and_nothing_about_who_asks() -> None:
    site = Site(page(b"x"))

    _, port = run(fetch_from(site, "/ab?ü=1#part", "Bücher.example.com"))

    assert site.heads == [
        b"GET /ab?%C3%BC=1 HTTP/1.1\r\n"
        b"Host: xn--bcher-kva.example.com:" + str(port).encode() + b"\r\n"
        b"User-Agent: webseam\r\n"
        b"Accept: text/html,application/xhtml+xml,text/markdown;q=0.9,application/xml;q=0.8,"
        b"text/plain;q=0.8,application/pdf;q=0.7,*/*;q=0.1\r\n"
        b"Accept-Encoding: gzip, deflate\r\n"
        b"Connection: close\r\n\r\n"
    ]


def test_pages_see_name_version_and_contact_and_the_type_that_is_preferred() -> None:
    async def ask(prefer: PagePreference, contact: str | None) -> dict[str, str]:
        site = Site(page(b"x"))
        async with serving(site, "127.0.0.2") as port:
            policy = opening(f"127.0.0.2/32:{port}")
            backend = pages_backend(policy, prefer=prefer, contact=contact)
            await close_after(backend, backend.extract(f"http://127.0.0.2:{port}/"))
        lines = site.heads[0].decode().split("\r\n")[1:-2]
        return dict(line.split(": ", 1) for line in lines)

    plain, signed = run(ask("html", None)), run(ask("markdown", "https://a.example/bot"))
    assert plain["User-Agent"] == f"webseam/{webseam.__version__}"
    assert signed["User-Agent"] == f"webseam/{webseam.__version__} (+https://a.example/bot)"
    for headers, first, second in (
        (plain, "text/html", "text/markdown"),
        (signed, "text/markdown", "text/html"),
    ):
        types = [one.partition(";q=") for one in headers["Accept"].split(",")]
        weights = {name: float(weight or 1) for name, _, weight in types}
        assert weights[first] > weights[second] > weights["*/*"]


def test_a_user_agent_cannot_smuggle_a_header() -> None:
    site = Site(page(b"x"))

    run(fetch_from(site, user_agent="me\r\nX-Evil: 1 ☃"))

    assert b"User-Agent: meX-Evil: 1 \r\n" in site.heads[0]


def test_a_page_comes_back_with_what_its_head_says_about_it() -> None:
    site = Site(page(b"<p>hi", "Last-Modified: yesterday", "Set-Cookie: a=b", "X-Robots-Tag: all"))

    fetched, port = run(fetch_from(site, "/x"))

    assert fetched == Success(
        Fetched(
            url=f"http://127.0.0.2:{port}/x",
            final_url=f"http://127.0.0.2:{port}/x",
            status=200,
            content_type="text/html",
            headers={"last-modified": "yesterday", "x-robots-tag": "all"},
            body=b"<p>hi",
            hops=0,
        )
    )


def test_the_environments_proxy_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fetch() -> tuple[Outcome, int]:
        proxy = Site(page(b"from the proxy"))
        async with serving(proxy, "127.0.0.3") as port:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
                monkeypatch.setenv(name, f"http://127.0.0.3:{port}")
            fetched, _ = await fetch_from(Site(page(b"from the site")))
            return fetched, proxy.connections

    fetched, through_proxy = run(fetch())

    assert isinstance(fetched, Success)
    assert fetched.unwrap().body == b"from the site"
    assert through_proxy == 0


def test_a_url_that_is_denied_or_no_url_opens_nothing() -> None:
    site = Site(page(b"x"))

    denied, _ = run(fetch_from(site, host="127.0.0.1"))
    no_url, _ = run(fetch_from(site, path="\\", host="exa mple.com"))

    refusal = denied.failure()
    assert isinstance(refusal, UrlDenied)
    assert refusal.hop == 0
    assert isinstance(no_url.failure(), InvalidUrl | UrlDenied)
    assert site.connections == 0


def test_redirects_stop_at_the_limit() -> None:
    async def fetch(limit: int) -> Outcome:
        site = Site(page(b"", "Location: ?" + "x", status="302 Found"))
        async with serving(site, "127.0.0.2") as port:
            policy = opening(f"127.0.0.2/32:{port}")
            fetcher = wire_page_fetcher(policy, FetchLimits(redirects=limit))
            return await fetcher.fetch(f"http://127.0.0.2:{port}/")

    none, circle = run(fetch(0)).failure(), run(fetch(5)).failure()

    assert isinstance(none, TooManyRedirects)
    assert (none.hops, none.circle) == (0, False)
    assert isinstance(circle, TooManyRedirects)
    assert circle.circle


def test_the_deadline_covers_everything_and_the_url_in_an_error_is_redacted() -> None:
    async def fetch() -> Outcome:
        async with serving(Site(None), "127.0.0.2") as port:
            fetcher = wire_page_fetcher(opening(f"127.0.0.2/32:{port}"), FetchLimits(deadline=0.05))
            return await fetcher.fetch(f"http://127.0.0.2:{port}/?token=abc")

    error = run(fetch()).failure()

    assert isinstance(error, DeadlineExceeded)
    assert error.deadline == 0.05
    assert error.url is not None
    assert error.url.endswith("/?token=***")
