"""What a page's status means, and when an error page is really a bot check."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import httpx
import pytest
from returns.result import Result

from webseam.adapters.http.body import read_body_start
from webseam.adapters.http.error_mapping import BodyTooLarge
from webseam.adapters.pages.fetch.connect import MEBIBYTE
from webseam.adapters.pages.fetch.content import MAX_CHALLENGE_BYTES
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.ports import BlockedByRemote, WebError
from webseam.ports.pages import Fetched

from .support import Site, opening, page, run, serving


def kind_of(reply: bytes) -> str:
    async def fetch() -> Result[Fetched, WebError]:
        async with serving(Site(reply), "127.0.0.2") as port:
            fetcher = wire_page_fetcher(opening(f"127.0.0.2/32:{port}"))
            return await fetcher.fetch(f"http://127.0.0.2:{port}/")

    return run(fetch()).failure().kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("300 Multiple Choices", "http_status"),
        ("304 Not Modified", "http_status"),
        ("400 Bad Request", "http_status"),
        ("401 Unauthorized", "http_status"),
        ("402 Payment Required", "payment_required"),
        ("403 Forbidden", "http_status"),
        ("404 Not Found", "http_status"),
        ("408 Request Timeout", "upstream_unavailable"),
        ("410 Gone", "http_status"),
        ("418 I'm a teapot", "http_status"),
        ("425 Too Early", "upstream_unavailable"),
        ("429 Too Many Requests", "rate_limited"),
        ("500 Internal Server Error", "upstream_unavailable"),
        ("503 Service Unavailable", "upstream_unavailable"),
        ("599 Odd", "upstream_unavailable"),
        ("999 Request denied", "blocked_by_remote"),
    ],
)
def test_a_status_has_its_kind(status: str, kind: str) -> None:
    assert kind_of(page(b"", status=status)) == kind


def test_an_error_page_that_unpacks_to_nothing_is_left_at_the_wire_limit() -> None:
    """Empty gzip members come to no text at all, however many there are."""
    member = gzip.compress(b"", mtime=0) * 4096
    sent = 0

    class Members(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            nonlocal sent
            while sent < 64 * MEBIBYTE:
                sent += len(member)
                yield member

    headers = {"content-encoding": "gzip"}
    response = httpx.Response(403, headers=headers, stream=Members())

    with pytest.raises(BodyTooLarge):
        asyncio.run(read_body_start(response, MAX_CHALLENGE_BYTES, wire=MEBIBYTE))

    assert sent <= MEBIBYTE + len(member)


@pytest.mark.parametrize(
    "reply",
    [
        page(b"wait", "CF-Mitigated: challenge", status="403 Forbidden"),
        page(b"wait", "cf-mitigated: Challenge"),
        page(b"", "x-amzn-waf-action: captcha", status="405 Method Not Allowed"),
        page(b"", "x-amzn-waf-action: challenge", status="202 Accepted"),
        page(b"<title>Just a moment...</title>", status="503 Service Unavailable"),
        page(b"<script src=/cdn-cgi/challenge-platform/h/b>", status="403 Forbidden"),
        page(b"<div id=px-captcha>", status="429 Too Many Requests"),
        page(
            gzip.compress(b"<script>window._cf_chl_opt={}"),
            "Content-Encoding: gzip",
            status="403 Forbidden",
        ),
        page(b"px-captcha" + b" " * 200_000, status="403 Forbidden"),
    ],
)
def test_a_bot_check_is_told_from_a_plain_refusal(reply: bytes) -> None:
    assert kind_of(reply) == BlockedByRemote().kind


@pytest.mark.parametrize(
    "reply",
    [
        page(b"please log in", status="403 Forbidden"),
        page(b"<p>px-captcha", status="404 Not Found"),
        page(b"px-captcha", "Content-Encoding: gzip", status="403 Forbidden"),
        page(b" " * 200_000 + b"px-captcha", status="403 Forbidden"),
    ],
)
def test_an_error_page_that_shows_no_bot_check_is_just_its_status(reply: bytes) -> None:
    assert kind_of(reply) == "http_status"


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        ((), "bad_redirect"),
        (("Location: /a", "Location: /b"), "bad_redirect"),
        (("Location: ",), "bad_redirect"),
        (("Location: http://[",), "bad_redirect"),
        (("Location: http://localhost/",), "url_denied"),
        (("Location: /", "Location: /"), "too_many_redirects"),
    ],
)
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temp", "308 Perm"])
def test_a_redirect_must_say_where_to_and_say_it_once(
    status: str, headers: tuple[str, ...], kind: str
) -> None:
    assert kind_of(page(b"", *headers, status=status)) == kind
