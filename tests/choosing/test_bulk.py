"""Many pages: one outcome for each, in order, and no more at once than allowed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from returns.result import Failure, Success

from webseam.adapters.stores.cache_table import CacheStore
from webseam.composition.tools.batch import extract_tool_pages
from webseam.composition.wiring.cache import with_cache
from webseam.kernel import WebDeps, web_extract_many
from webseam.ports import BackendAbout, BackendCrashed, HttpStatus
from webseam.testing import FakeBackend

URLS = [f"https://a.example/{number}" for number in range(10)]


def test_outcomes_come_in_the_order_of_their_urls_whatever_finishes_first() -> None:
    running = most = 0

    async def answer(url: str) -> object:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(20 - int(url[-1])):
            await asyncio.sleep(0)
        running -= 1
        return (
            Failure(HttpStatus(status=404))
            if url.endswith("3")
            else Success({"url": url, "content": url})
        )

    seen: list[str] = []
    deps = WebDeps(backend=FakeBackend(extract=answer))

    pages = asyncio.run(
        extract_tool_pages(URLS, deps, at_once=3, done=lambda url, _page: seen.append(url))
    )

    assert [isinstance(page, Failure) for page in pages] == [url.endswith("3") for url in URLS]
    assert [page.unwrap().url for page in pages if isinstance(page, Success)] == [
        url for url in URLS if not url.endswith("3")
    ]
    assert most == 3
    assert sorted(seen) == URLS


class Batch(FakeBackend):
    """A backend that takes four pages at once."""

    def __init__(self) -> None:
        super().__init__(name="batch")
        self.about = BackendAbout(name="batch", batch=4)
        self.asked: list[tuple[str, ...]] = []
        self.short = False

    async def extract_many(self, urls: Sequence[str], /) -> object:
        self.asked.append(tuple(urls))
        pages = [Success({"url": url, "content": f"text of {url}"}) for url in urls]
        return pages[: len(pages) - self.short]


def test_a_batch_is_as_large_as_the_backend_takes() -> None:
    backend = Batch()

    asyncio.run(extract_tool_pages(URLS, WebDeps(backend=backend)))

    assert sorted(map(len, backend.asked)) == [2, 4, 4]


def test_a_cache_asks_only_for_the_pages_it_does_not_know(tmp_path: Path) -> None:
    backend = Batch()
    cached = with_cache(backend, CacheStore(tmp_path / "c.sqlite"))
    deps = WebDeps(backend=cached)

    async def play() -> None:
        first = await web_extract_many(URLS[:2], deps)
        second = await web_extract_many(URLS[:4], deps)
        third = await web_extract_many(URLS[:4], deps)
        await cached.aclose()
        assert backend.asked == [tuple(URLS[:2]), tuple(URLS[2:4])]
        assert [page.unwrap().receipt.cached for page in first] == [False, False]
        assert [page.unwrap().receipt.cached for page in second] == [True, True, False, False]
        assert all(page.unwrap().receipt.cached for page in third)
        assert [page.unwrap().content for page in third] == [f"text of {url}" for url in URLS[:4]]

    asyncio.run(play())
    assert cached.about == backend.about


def test_a_cache_passes_on_that_a_batch_was_cut_short(tmp_path: Path) -> None:
    backend = Batch()
    backend.short = True
    cached = with_cache(backend, CacheStore(tmp_path / "c.sqlite"))

    async def play() -> None:
        pages = await web_extract_many(URLS[:2], WebDeps(backend=cached))
        await cached.aclose()
        assert [type(page.failure()) for page in pages] == [BackendCrashed] * 2

    asyncio.run(play())
