"""Links of pages, and pages by their links, as far as ours goes.

Links are those in the text of a page: what a reader leaves out, menus for one, leads nowhere.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

from ....adapters.dialect.forms import page_links
from ....adapters.dialect.gateway_requests import CrawlPlan, Page
from ....kernel.urls.spelling import canonical_url

ReadPage = Callable[[str], Awaitable[Page]]
_MAX_CONCURRENT_PAGES = 4
_MAX_PATH_CHARS = 256


def is_in_plan(link: str, plan: CrawlPlan) -> bool:
    """Tell whether a link is of the site that a plan begins with, on a path that it wants."""
    own, other = urlsplit(plan.url).hostname or "", urlsplit(link).hostname or ""
    own = own.removeprefix("www.")
    here = other.removeprefix("www.") == own or (plan.subdomains and other.endswith(f".{own}"))
    path = urlsplit(link).path or "/"
    folder = urlsplit(plan.url).path.rpartition("/")[0] + "/"
    if plan.below and not path.startswith(folder):
        return False
    wanted = not plan.include or any(_matches(each, path) for each in plan.include)
    return here and wanted and not any(_matches(each, path) for each in plan.exclude)


def _matches(pattern: str, path: str) -> bool:
    return re.search(pattern, path[:_MAX_PATH_CHARS]) is not None


async def crawl_site(
    plan: CrawlPlan, reader: ReadPage, done: Callable[[Page], None] = lambda _page: None
) -> list[Page]:
    """Read from a page on, nearest first, until the limit; ``done`` is told of each page."""
    pages: list[Page] = []
    known = {canonical_url(plan.url)}
    level = [plan.url]
    for _ in range(plan.depth + 1):
        batch = level[: plan.limit - len(pages)]
        found = await read_pages(batch, reader, done)
        pages += found
        level = []
        links = (
            link for page in found if page.result is not None for link in page_links(page.result)
        )
        for link in (link for link in links if is_in_plan(link, plan)):
            spelling = canonical_url(link)
            if spelling not in known:
                known.add(spelling)
                level.append(link)
        if not level or len(pages) >= plan.limit:
            break
    return pages


async def read_pages(
    urls: Sequence[str],
    reader: ReadPage,
    done: Callable[[Page], None] = lambda _page: None,
    *,
    at_once: int = _MAX_CONCURRENT_PAGES,
) -> list[Page]:
    """Read pages, some at once; one outcome for each, in their order."""
    gate = asyncio.Semaphore(at_once)

    async def one(url: str) -> Page:
        async with gate:
            page = await reader(url)
        done(page)
        return page

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(url)) for url in urls]
    return [task.result() for task in tasks]
