"""Links of pages, and pages by their links, as far as ours goes.

Links are those in the text of a page: what a reader leaves out, menus for one, leads nowhere.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urldefrag, urljoin, urlsplit

from ...adapters.dialect.asks import CrawlPlan, Page
from ...kernel.urls.spelling import canonical_url

ReadPage = Callable[[str], Awaitable[Page]]
_LINK = re.compile(
    r"(?<!!)\[[^\]]*\]\(<?([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+\"[^\"]*\")?\)"
)
_BARE = re.compile(r"<(https?://[^\s<>]+)>")
_AT_ONCE = 4
_LONGEST_PATTERN = 200
_LONGEST_PATH = 256
_MOST_REPEATS = 2


def links_of(page: Page) -> list[str]:
    """Return where a page leads to, in order and once each, without fragments."""
    if page.result is None:
        return []
    content, base = page.result.content, page.result.final_url
    places = (match[1] for pattern in (_LINK, _BARE) for match in pattern.finditer(content))
    joined = (_joined(base, place) for place in places)
    return list(dict.fromkeys(link for link in joined if link is not None))


def _joined(base: str, place: str) -> str | None:
    try:
        link = urldefrag(urljoin(base, place)).url
        parts = urlsplit(link)
    except ValueError:
        return None
    return link if parts.scheme in ("http", "https") and parts.hostname else None


def belongs(link: str, plan: CrawlPlan) -> bool:
    """Tell whether a link is of the site that a plan begins with, on a path that it wants."""
    own, other = urlsplit(plan.url).hostname or "", urlsplit(link).hostname or ""
    own = own.removeprefix("www.")
    here = other.removeprefix("www.") == own or (plan.subdomains and other.endswith(f".{own}"))
    path = urlsplit(link).path or "/"
    wanted = not plan.include or any(_matches(each, path) for each in plan.include)
    return here and wanted and not any(_matches(each, path) for each in plan.exclude)


def unusable_pattern(patterns: Sequence[str]) -> str | None:
    """Return a pattern that is no simple one, None when all are.

    Patterns of callers run here, and Python's engine can be kept busy for ever by some: only those
    without repeats inside of groups are taken.
    """
    return next((each for each in patterns if _is_wild(each)), None)


def _is_wild(pattern: str) -> bool:
    nested = re.search(r"[+*?}]\)|\)[+*?{]", pattern)
    if (
        len(pattern) > _LONGEST_PATTERN
        or nested
        or pattern.count("*") + pattern.count("+") > _MOST_REPEATS
    ):
        return True
    try:
        re.compile(pattern)
    except re.error:
        return True
    return False


def _matches(pattern: str, path: str) -> bool:
    return re.search(pattern, path[:_LONGEST_PATH]) is not None


async def crawl(
    plan: CrawlPlan, read: ReadPage, done: Callable[[Page], None] = lambda _page: None
) -> list[Page]:
    """Read from a page on, nearest first, until the limit; ``done`` is told of each page."""
    pages: list[Page] = []
    known = {canonical_url(plan.url)}
    level = [plan.url]
    for _ in range(plan.depth + 1):
        batch = level[: plan.limit - len(pages)]
        found = await read_pages(batch, read, done)
        pages += found
        level = []
        for link in (link for page in found for link in links_of(page) if belongs(link, plan)):
            spelling = canonical_url(link)
            if spelling not in known:
                known.add(spelling)
                level.append(link)
        if not level or len(pages) >= plan.limit:
            break
    return pages


async def read_pages(
    urls: Sequence[str],
    read: ReadPage,
    done: Callable[[Page], None] = lambda _page: None,
    *,
    at_once: int = _AT_ONCE,
) -> list[Page]:
    """Read pages, some at once; one outcome for each, in their order."""
    gate = asyncio.Semaphore(at_once)

    async def one(url: str) -> Page:
        async with gate:
            page = await read(url)
        done(page)
        return page

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(url)) for url in urls]
    return [task.result() for task in tasks]
