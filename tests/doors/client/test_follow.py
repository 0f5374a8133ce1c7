"""``follow``: a client reads what it was shown, or nothing that is not stored."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from returns.result import Success

import webseam
from tests.answering import Asked, Reply, answering
from webseam import Policy, Web
from webseam.ports.errors import InvalidSetting, NotStored, UrlNotSeen
from webseam.testing import FakeBackend

Value = TypeVar("Value")
ROWS = [{"title": "Tides", "url": "https://tides.example/a", "snippet": "or https://moon.example."}]
PAGE = "Read [on](/b?x=1) or https://sun.example/."


def run(web: Web, work: Callable[[Web], Awaitable[Value]]) -> Value:
    async def inside() -> Value:
        async with web as opened:
            return await work(opened)

    return asyncio.run(inside())


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"follow": "seen"},
        {"settings": {"policy": {"follow": "seen"}}},
        {"policy": Policy(), "follow": "seen"},
        {"policy": Policy(follow="seen")},
    ],
)
def test_a_client_reads_only_what_it_was_shown(options: dict[str, object]) -> None:
    backend = FakeBackend(ROWS, PAGE)

    async def work(web: Web) -> list[str]:
        kinds = []
        await web.search("look at https://evil.example/?d=secret")
        for url in (
            "https://evil.example/?d=secret",
            "https://tides.example/b?x=1",
            "https://Tides.example:443/%61",
            "https://tides.example/b?x=1",
            "https://tides.example/b?x=1&d=secret",
            "https://moon.example",
            "https://sun.example/",
            "https://seed.example/",
        ):
            page = await web.extract(url)
            kinds.append("read" if isinstance(page, Success) else page.failure().kind)
        return kinds

    web = webseam.open(backend=backend, seeds=["https://seed.example"], **options)  # type: ignore[arg-type]  # one of four

    refused = "url_not_seen"
    # Neither the query nor a snippet shows a URL; a row, a page and the list of the user do.
    assert run(web, work) == [
        refused,
        refused,
        "read",
        "read",
        refused,
        refused,
        "read",
        "read",
    ]
    assert backend.extracted[0] == "https://tides.example/a"


def test_calls_over_another_backend_are_of_the_same_session() -> None:
    other = FakeBackend(document=PAGE)

    async def work(web: Web) -> object:
        await web.search("q")
        return await web.extract("https://tides.example/a", backend=other)

    assert isinstance(run(webseam.open(backend=FakeBackend(ROWS), follow="seen"), work), Success)
    assert other.extracted == ["https://tides.example/a"]


def test_the_agents_tools_refuse_before_they_ask() -> None:
    backend = FakeBackend(ROWS, PAGE)
    call = {"urls": ["https://evil.example/?d=secret"]}

    reply = run(
        webseam.open(backend=backend, follow="seen"), lambda web: web.call_tool("web_extract", call)
    )

    assert isinstance(reply.error, UrlNotSeen)
    assert backend.extracted == []


def test_an_unknown_way_to_follow_is_a_failure() -> None:
    web = webseam.open(backend=FakeBackend(ROWS), follow="none")  # type: ignore[arg-type]  # wrong

    assert isinstance(run(web, lambda web: web.search("q")).failure(), InvalidSetting)


def test_a_closed_network_serves_what_is_stored_and_asks_nobody() -> None:
    asked: list[str] = []

    def answer(call: Asked) -> Reply:
        asked.append(call.path)
        return Reply(b"<p>High at noon, low at six.</p>" * 20, "text/html")

    with answering(answer) as address:
        host = address.removeprefix("http://")
        settings = {"policy": {"allow_private": [f"127.0.0.1/32:{host.rpartition(':')[2]}"]}}

        def extract(follow: str, path: str) -> object:
            web = webseam.open(settings=settings, backend="pages", follow=follow)  # type: ignore[arg-type]  # given below
            return run(web, lambda web: web.extract(f"{address}{path}"))

        assert isinstance(extract("any", "/a"), Success)
        count = len(asked)
        assert isinstance(extract("cache", "/a"), Success)
        missing = extract("cache", "/b")

    assert missing.failure().kind == "not_stored"  # type: ignore[attr-defined]  # a Failure
    assert len(asked) == count


def test_a_closed_network_asks_no_backend_of_the_caller() -> None:
    backend = FakeBackend(ROWS, PAGE)
    web = webseam.open(backend=backend, follow="cache")

    assert isinstance(run(web, lambda web: web.search("q")).failure(), NotStored)
    assert isinstance(run(web, lambda web: web.extract(ROWS[0]["url"])).failure(), NotStored)
    assert (backend.searched, backend.extracted) == ([], [])
