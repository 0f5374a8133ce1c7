"""``pages`` through the whole house: a real server, the guard, a worker process, the kernel."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from returns.result import Failure, Result, Success

from webseam import pages_backend
from webseam.adapters.pages.backend import Fetch, PagesBackend
from webseam.adapters.pages.settings import Rendering
from webseam.composition.planning.open_backends import close_after
from webseam.kernel import WebDeps, web_extract, web_search
from webseam.kernel.policy import Policy, PolicySettings, make_policy
from webseam.ports import EmptyContent, UnsupportedCapability, UrlDenied, WebError, WebExtractResult
from webseam.ports.pages import Fetched, ReadPage
from webseam.testing import FaultyServer

URL = "https://a.example/"


def opened(server: FaultyServer) -> Policy:
    ports = tuple(f"127.0.0.1/32:{server.ports[name]}" for name in ("main", "refused"))
    return make_policy(PolicySettings(allow_private=ports)).unwrap()


def extract(url: str, policy: Policy) -> Result[WebExtractResult, WebError]:
    async def ask() -> Result[WebExtractResult, WebError]:
        backend = pages_backend(policy)
        deps = WebDeps(backend=backend, policy=policy)
        return await close_after(backend, web_extract(url, deps))

    return asyncio.run(ask())


def test_a_page_is_fetched_read_and_described(faulty_server: FaultyServer) -> None:
    url = faulty_server.url("redirect_3_ok")

    page = extract(url, opened(faulty_server)).unwrap()

    assert page.url == url
    assert page.final_url == faulty_server.url("ok")
    assert page.title == "Fine page"
    assert "The quick brown fox jumps over the lazy dog. MARKER-OK" in page.content
    assert page.metadata["content_type"] == "text/html; charset=utf-8"
    assert page.metadata["language"] == "en"
    assert page.receipt.backend == "pages"


def test_a_page_on_this_machine_is_refused_by_default(faulty_server: FaultyServer) -> None:
    failure = extract(faulty_server.url("ok"), Policy()).failure()

    assert isinstance(failure, UrlDenied)
    assert failure.rule == "loopback"
    assert faulty_server.hits == {}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("js_shell", "empty_content"),
        ("empty_200", "empty_content"),
        ("challenge_403", "blocked_by_remote"),
        ("status_404", "http_status"),
        ("image", "unsupported_content"),
        ("type_lie", "unsupported_content"),
        ("redirect_canary", "url_denied"),
        ("gzip_bomb", "response_too_large"),
        ("refused", "connect_failed"),
    ],
)
def test_answer_without_a_page_is_a_typed_failure(
    faulty_server: FaultyServer, fault: str, kind: str
) -> None:
    failure = extract(faulty_server.url(fault), opened(faulty_server)).failure()

    assert failure.kind == kind
    assert failure.backend == "pages"
    assert faulty_server.canary_hits == 0


@pytest.mark.parametrize("fault", ["plain_text", "json_page", "charset_utf16_bom", "no_type"])
def test_pages_of_other_kinds_are_read_too(faulty_server: FaultyServer, fault: str) -> None:
    assert "MARKER-OK" in extract(faulty_server.url(fault), opened(faulty_server)).unwrap().content


def test_pages_cannot_be_searched() -> None:
    deps = WebDeps(backend=pages_backend())

    assert asyncio.run(web_search({"query": "q"}, deps)).failure() == UnsupportedCapability(
        backend="pages", capability="search"
    )


class FakeConverter:
    """Reads a body as its text; a blank one needs a browser."""

    async def convert(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        if not body:
            return Failure(EmptyContent(reason="needs_browser"))
        return Success(ReadPage(title=content_type, content=body.decode() + url))

    def warm(self) -> None:
        """Nothing to start."""

    async def aclose(self) -> None:
        """Nothing to end."""


def giving(body: bytes, asked: list[str]) -> Fetch:
    async def fetch(url: str) -> Result[Fetched, WebError]:
        asked.append(body.decode() or "shell")
        return Success(
            Fetched(
                url=url, final_url=url, status=200, content_type="t", headers={}, body=body, hops=0
            )
        )

    return fetch


@pytest.mark.parametrize(
    ("rendering", "body", "asked"),
    [
        ("never", b"", ["shell"]),
        ("auto", b"", ["shell", "rendered"]),
        ("auto", b"plain", ["plain"]),
        ("always", b"plain", ["rendered"]),
    ],
)
def test_a_browser_is_used_only_as_it_was_asked_for(
    rendering: Rendering, body: bytes, asked: list[str]
) -> None:
    seen: list[str] = []
    backend = PagesBackend(
        giving(body, seen), FakeConverter(), giving(b"rendered", seen), rendering
    )

    asyncio.run(web_extract(URL, WebDeps(backend=backend)))

    assert seen == asked


def test_a_fetch_that_fails_is_not_tried_with_a_browser() -> None:
    async def fetch(_url: str) -> Result[Fetched, WebError]:
        return Failure(UrlDenied(rule="port", stage="parse"))

    def never(_url: str) -> Awaitable[Result[Fetched, WebError]]:
        raise AssertionError

    render: Callable[[str], Awaitable[Result[Fetched, WebError]]] = never
    backend = PagesBackend(fetch, FakeConverter(), render, "auto")

    assert isinstance(asyncio.run(backend.extract(URL)).failure(), UrlDenied)


def test_a_content_type_is_cleaned_like_content() -> None:
    async def fetch(url: str) -> Result[Fetched, WebError]:
        kind = "text/html\x9b31m;\u200b charset=x"
        return Success(
            Fetched(
                url=url, final_url=url, status=200, content_type=kind, headers={}, body=b"x", hops=0
            )
        )

    backend = PagesBackend(fetch, FakeConverter())
    page = asyncio.run(web_extract(URL, WebDeps(backend=backend))).unwrap()

    assert page.metadata == {"content_type": "text/html31m; charset=x"}
