"""One address is read once, in a list and among callers at once, and paid once."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from returns.result import Failure, Result, Success

from webseam.adapters.features.gateway.asks import Page
from webseam.adapters.stores.cache_table import CacheStore
from webseam.composition.features.gateway.request_performer import read_all_pages
from webseam.composition.tools.batch import extract_tool_pages
from webseam.composition.wiring.cache import with_cache
from webseam.kernel import WebDeps, web_extract, web_extract_many, web_search
from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import BackendAbout, Served
from webseam.ports.errors import WebError
from webseam.ports.web import WebExtractResult
from webseam.testing import FakeBackend

from .shelf import lent

A, B, C = (f"https://{name}.example/" for name in "abc")
PAID = BackendAttempt(backend="pages-shop", outcome="answered", cost=0.005)


class Shop(FakeBackend):
    """A backend whose pages and rows cost money, and that waits for its cue."""

    def __init__(self, batch: int) -> None:
        super().__init__()
        self.about = BackendAbout(name="pages-shop", batch=batch)
        self.calls: list[tuple[str, ...]] = []
        self.cue = asyncio.Event()
        self.asked: asyncio.Queue[tuple[str, ...]] = asyncio.Queue()

    async def extract(self, url: str, /) -> Result[Served, WebError]:
        return (await self.extract_many((url,)))[0]

    async def extract_many(self, urls: Sequence[str], /) -> tuple[Result[Served, WebError], ...]:
        self.calls.append(tuple(urls))
        self.asked.put_nowait(tuple(urls))
        await self.cue.wait()
        return tuple(
            Success(Served(answer={"url": url, "content": url}, by="pages-shop", attempts=(PAID,)))
            for url in urls
        )


async def settle(shop: Shop, *, calls: int) -> None:
    """Wait for new calls of the shop, and then for callers that wait for the same pages."""
    for _ in range(calls):
        await shop.asked.get()
    for _ in range(100):
        await asyncio.sleep(0)


def deps_of(backend: FakeBackend, home: Path) -> WebDeps:
    store = lent(CacheStore(home / "cache"))
    return WebDeps(backend=with_cache(backend, store))


def costs(pages: Sequence[Result[WebExtractResult, WebError]]) -> list[tuple[str, float | None]]:
    attempts = [page.unwrap().receipt.attempts[0] for page in pages]
    return [(attempt.why, attempt.cost) for attempt in attempts]


@pytest.mark.parametrize("batch", [1, 5])
def test_a_page_that_many_ask_for_at_once_is_read_and_paid_once(tmp_path: Path, batch: int) -> None:
    async def scene() -> None:
        shop = Shop(batch)
        deps = deps_of(shop, tmp_path)
        calls = [asyncio.create_task(web_extract_many((A,), deps)) for _ in range(20)]
        await settle(shop, calls=1)
        shop.cue.set()
        pages = [page for call in calls for page in await call]

        assert shop.calls == [(A,)]
        assert sorted(costs(pages)) == [("first", 0.005), *[("shared", 0.0)] * 19]

    asyncio.run(scene())


def test_lists_that_overlap_share_what_both_have(tmp_path: Path) -> None:
    async def scene() -> None:
        shop = Shop(5)
        deps = deps_of(shop, tmp_path)
        first = asyncio.create_task(web_extract_many((A, B), deps))
        await settle(shop, calls=1)
        second = asyncio.create_task(web_extract_many((B, C), deps))
        await settle(shop, calls=1)
        alone = asyncio.create_task(web_extract(C, deps))
        await settle(shop, calls=0)
        shop.cue.set()

        assert [page.unwrap().content for page in await first] == [A, B]
        assert [page.unwrap().content for page in await second] == [B, C]
        assert costs(await second) == [("shared", 0.0), ("first", 0.005)]
        assert (await alone).unwrap().content == C
        assert shop.calls == [(A, B), (C,)]

    asyncio.run(scene())


def test_a_caller_that_leaves_a_list_takes_nobody_s_page_away(tmp_path: Path) -> None:
    async def scene() -> None:
        shop = Shop(5)
        deps = deps_of(shop, tmp_path)
        first = asyncio.create_task(web_extract_many((A, B), deps))
        await settle(shop, calls=1)
        second = asyncio.create_task(web_extract_many((B,), deps))
        await settle(shop, calls=0)
        first.cancel()
        await settle(shop, calls=0)
        shop.cue.set()

        assert [page.unwrap().content for page in await second] == [B]
        assert shop.calls == [(A, B)]

    asyncio.run(scene())


def test_an_address_that_stands_twice_in_a_list_is_read_once_by_every_door() -> None:
    async def scene() -> None:
        for batch in (1, 5):
            shop = Shop(batch)
            shop.cue.set()
            told: list[str] = []

            def note(url: str, _page: object, told: list[str] = told) -> None:
                told.append(url)

            pages = await extract_tool_pages((A, B, A), WebDeps(backend=shop), done=note)

            assert sorted(url for call in shop.calls for url in call) == [A, B]
            assert [page.unwrap().content for page in pages] == [A, B, A]
            assert costs(pages)[2] == ("shared", 0.0)
            assert sorted(told) == [A, A, B]

    asyncio.run(scene())


def test_the_gateway_reads_an_address_once() -> None:
    asked: list[str] = []

    async def read(url: str) -> Page:
        asked.append(url)
        return Page(url=url)

    done: list[Page] = []
    pages = asyncio.run(read_all_pages((A, B, A), read, done.append))

    assert ([page.url for page in pages], sorted(asked), len(done)) == ([A, B, A], [A, B], 3)


def test_a_search_that_another_call_shares_has_no_cost_of_its_own(tmp_path: Path) -> None:
    async def scene() -> None:
        backend = FakeBackend(rows=[{"title": "t", "url": A, "snippet": "s"}])
        outcomes = await asyncio.gather(
            *[web_search("q", deps_of_same) for deps_of_same in [deps_of(backend, tmp_path)] * 5]
        )

        assert len(backend.searched) == 1
        assert {len(outcome.unwrap().rows) for outcome in outcomes} == {1}

    asyncio.run(scene())


def test_a_failure_is_shared_as_it_is(tmp_path: Path) -> None:
    async def scene() -> None:
        backend = FakeBackend(search=Failure(ValueError))
        deps = deps_of(backend, tmp_path)
        outcomes = await asyncio.gather(web_search("q", deps), web_search("q", deps))

        assert [outcome.failure().kind for outcome in outcomes] == ["backend_crashed"] * 2

    asyncio.run(scene())
