"""``async with webseam.open()``: a Result from every call, whatever is set."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import httpx
import pytest
from returns.result import Failure

import webseam
from webseam import Policy, RateLimited, Web, WebSearchQuery
from webseam.composition.plugins.report import LoadedPlugins
from webseam.ports import (
    BadPayload,
    InvalidQuery,
    InvalidSetting,
    Middleware,
    MiddlewareFailed,
    UrlDenied,
)
from webseam.ports.backends import EVERY_FILTER
from webseam.ports.middleware import Callbacks
from webseam.testing import FakeBackend, FakeCompressor, ScriptedTransport

Value = TypeVar("Value")
ROWS = [{"title": "Tides", "url": "https://tides.example/", "snippet": "High and low."}]
URL = "https://tides.example/page"


def run(web: Web, work: Callable[[Web], Awaitable[Value]]) -> Value:
    async def inside() -> Value:
        async with web as opened:
            return await work(opened)

    return asyncio.run(inside())


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_a_search_gives_rows_and_a_receipt() -> None:
    backend = FakeBackend(rows=ROWS, abilities=EVERY_FILTER)

    outcome = run(
        webseam.open(backend=backend), lambda web: web.search("tide tables", max_results=5)
    ).unwrap()

    assert [row.title for row in outcome.rows] == ["Tides"]
    assert backend.searched == [WebSearchQuery(query="tide tables", max_results=5)]


@pytest.mark.parametrize(
    "query",
    [
        {"query": "q", "country": "DE", "include_domains": ["a.example"]},
        WebSearchQuery(query="q", country="DE", include_domains=("a.example",)),
    ],
)
def test_a_query_may_be_a_dict_or_a_struct_with_filters_beside_it(query: WebSearchQuery) -> None:
    backend = FakeBackend(rows=ROWS, abilities=EVERY_FILTER)

    run(webseam.open(backend=backend), lambda web: web.search(query, language="de"))

    expected = WebSearchQuery(
        query="q", country="DE", include_domains=("a.example",), language="de"
    )
    assert backend.searched == [expected]


def test_nothing_raises_when_the_backend_does() -> None:
    web = webseam.open(backend=FakeBackend(raises=RuntimeError("boom")))

    assert run(web, lambda web: web.search("q")).failure().kind == "backend_crashed"


def test_invalid_query_is_refused_by_its_field() -> None:
    web = webseam.open(backend=FakeBackend())

    result = run(web, lambda web: web.search(7))  # type: ignore[arg-type]

    assert result.failure().message.startswith("query: must be text")


@pytest.mark.parametrize("url", [[URL], None, b"https://tides.example/"])
def test_extract_takes_one_url_and_says_so(url: str) -> None:
    error = run(webseam.open(backend=FakeBackend()), lambda web: web.extract(url)).failure()

    assert isinstance(error, InvalidQuery)
    assert error.message.startswith("url: must be the URL of one page, got a value of type ")


def test_settings_that_are_wrong_are_told_by_every_call() -> None:
    web = webseam.open(settings={"cache.minuts": 5})

    async def both(web: Web) -> list[object]:
        results = [await web.search("q"), await web.extract(URL), await web.more("h")]
        return [result.failure() for result in results]

    assert {type(error) for error in run(web, both)} == {InvalidSetting}


def test_a_long_page_is_cut_and_more_goes_on() -> None:
    text = "\n\n".join(f"Paragraph {number} about tides." for number in range(400))

    async def read(web: Web) -> str:
        page = (await web.extract(URL, char_limit=1000)).unwrap()
        handle, pieces = page.receipt.handle, ""
        cursor: int | None = 0
        assert len(page.content) <= 1000
        assert handle is not None
        while cursor is not None:
            piece = (await web.more(handle, cursor, char_limit=3000)).unwrap()
            pieces, cursor = pieces + piece.text, piece.next_cursor
        return pieces

    assert run(webseam.open(backend=FakeBackend(document=text)), read) == text


def test_the_setting_for_long_pages_counts() -> None:
    web = webseam.open(
        backend=FakeBackend(document="words " * 1000), settings={"extract_char_limit": 500}
    )

    page = run(web, lambda web: web.extract(URL)).unwrap()

    assert len(page.content) <= 500


def test_a_compressor_and_a_policy_are_given_once() -> None:
    compressor = FakeCompressor("short")
    policy = Policy(deny_domains=("denied.example",))
    rows = [*ROWS, {"title": "No", "url": "https://denied.example/"}]
    web = webseam.open(
        backend=FakeBackend(rows=rows, document="x" * 6000), compressor=compressor, policy=policy
    )

    async def work(web: Web) -> tuple[str, int, object]:
        page = (await web.extract(URL)).unwrap()
        outcome = (await web.search("q")).unwrap()
        refused = await web.extract("https://denied.example/page")
        return page.content, len(outcome.rows), refused.failure()

    content, rows_left, refused = run(web, work)

    assert (content, rows_left) == ("short", 1)
    assert isinstance(refused, UrlDenied)


def test_a_policy_holds_for_what_is_opened_too() -> None:
    web = webseam.open(backend="pages", policy=Policy(allow_domains=("example.com",)))

    refused = run(web, lambda web: web.extract("https://tides.example/")).failure()

    assert isinstance(refused, UrlDenied)
    assert refused.rule == "unlisted_domain"


def test_requests_go_through_the_transport_that_is_lent_and_it_stays_open() -> None:
    class Lent(ScriptedTransport):
        closed = False

        async def aclose(self) -> None:
            self.closed = True

    body = {"web": {"results": [{"title": "T", "url": "https://a.example/", "description": "D"}]}}
    transport = Lent([httpx.Response(200, json=body)])
    web = webseam.open(
        backend="brave",
        transport=transport,
        environment={"BRAVE_API_KEY": "k-123456"},
        settings={"cache.enabled": False},
    )

    outcome = run(web, lambda web: web.search("q")).unwrap()

    assert (outcome.rows[0].url, outcome.receipt.backend) == ("https://a.example/", "brave")
    assert transport.requests[0].headers["x-subscription-token"] == "k-123456"
    assert not transport.closed


def test_a_backend_that_only_searches_leaves_pages_to_others() -> None:
    web = webseam.open(backend="brave", environment={"BRAVE_API_KEY": "k-123456"})

    refused = run(web, lambda web: web.extract("http://127.0.0.1/"))

    assert isinstance(refused.failure(), UrlDenied)


def test_a_backend_that_there_is_not_is_told_of() -> None:
    web = webseam.open(backend="brve")

    assert run(web, lambda web: web.search("q")).failure().kind == "unknown_backend"


def test_rows_may_be_kept_beside_bad_ones() -> None:
    rows = [*ROWS, {"title": "bad", "url": "javascript:1"}]
    web = webseam.open(backend=FakeBackend(rows=rows), rows="quarantine")

    outcome = run(web, lambda web: web.search("q")).unwrap()

    assert (len(outcome.rows), len(outcome.rejected)) == (1, 1)


def test_many_calls_at_once_open_everything_once() -> None:
    backend = FakeBackend(rows=ROWS, abilities=EVERY_FILTER)

    async def many(web: Web) -> int:
        return len(await asyncio.gather(*[web.search(f"q{number}") for number in range(50)]))

    assert run(webseam.open(backend=backend), many) == 50


def test_an_agent_gets_the_tools_and_json() -> None:
    async def work(web: Web) -> tuple[list[str], str]:
        tools = (await web.tools()).unwrap()
        return [tool.name for tool in tools.tools], await web.call("web_search", {"query": "q"})

    names, text = run(webseam.open(backend=FakeBackend(rows=ROWS)), work)

    assert {"web_search", "web_extract", "web_more"} <= set(names)
    assert '"success":true' in text


def test_an_agent_is_told_of_settings_that_are_wrong_in_json() -> None:
    web = webseam.open(settings={"nonsense": 1})

    assert '"kind":"invalid_setting"' in run(web, lambda web: web.call("web_search", {}))


# With plugins around the calls.


def plugged(monkeypatch: pytest.MonkeyPatch, callback: Callable[..., object]) -> None:
    middleware = (Middleware(kind="tool_execution", callback=callback, plugin="p"),)
    loaded = LoadedPlugins(callbacks=Callbacks(middleware=middleware))
    name = "webseam.composition.tools.toolbox.load_plugins"
    monkeypatch.setattr(
        name, lambda *_: webseam.parse_target("https://a.example/").map(lambda _: loaded)
    )


def changed(change: Callable[[str], object]) -> Callable[..., object]:
    async def callback(
        *, next_call: Callable[..., Awaitable[str]], args: object, **_: object
    ) -> object:
        return change(await next_call(args))

    return callback


def test_plugins_see_the_calls_and_results_stay_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, changed(lambda text: text))
    web = webseam.open(backend=FakeBackend(rows=ROWS, document="A page."))

    async def work(web: Web) -> tuple[str, str]:
        result, page = await web.search("q"), await web.extract(URL)
        return result.unwrap().rows[0].snippet, page.unwrap().content

    assert run(web, work) == ("High and low.", "A page.")


def test_changes_of_a_plugin_are_in_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(
        monkeypatch,
        changed(lambda text: text.replace("High", "[redacted]").replace("A page", "No page")),
    )
    web = webseam.open(backend=FakeBackend(rows=ROWS, document="A page."))

    async def work(web: Web) -> tuple[str, str]:
        result, page = await web.search("q"), await web.extract(URL)
        return result.unwrap().rows[0].snippet, page.unwrap().content

    assert run(web, work) == ("[redacted] and low.", "No page.")


@pytest.mark.parametrize(
    "reply",
    ["just words", {"success": True, "data": {"web": [{"title": "x", "url": "javascript:1"}]}}],
)
def test_result_broken_by_a_plugin_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, reply: object
) -> None:
    plugged(monkeypatch, changed(lambda _: reply))
    web = webseam.open(backend=FakeBackend(rows=ROWS))

    assert isinstance(run(web, lambda web: web.search("q")).failure(), MiddlewareFailed)


def test_a_failure_stays_the_one_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, changed(lambda text: text))
    web = webseam.open(backend=FakeBackend(search=Failure(RateLimited(retry_after=2.0))))

    error = run(web, lambda web: web.search("q")).failure()

    assert isinstance(error, RateLimited)
    assert not isinstance(error, BadPayload)
