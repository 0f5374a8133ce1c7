"""Sitemaps and feeds: fetch them, and list the pages that they and their nested lists name.

An unreadable nested sitemap becomes an entry with its error; the other sitemaps are still read.
"""

from __future__ import annotations

from functools import partial
from typing import Final
from urllib.parse import urljoin

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.crawling.listings import MAX_LIST_URLS, SiteList, read_site_list
from webseam.adapters.features.bulk.crawling.polite_fetcher import PoliteFetcher
from webseam.kernel.features.bulk.url_lists import ListEntry
from webseam.ports.errors import CallRefused, InvalidQuery, SourceUnreadable, UrlDenied, WebError
from webseam.ports.errors.error_fields import PAGES_READER

from .plan_draft import RUN_STOPPED
from .sources import Source

_MAX_SITEMAPS: Final = 1000
_MAX_SITEMAP_DEPTH: Final = 3
_TOO_MANY_LISTS_ERROR: Final = SourceUnreadable(
    reason=f"it has more than {_MAX_SITEMAPS:,} sitemaps or {_MAX_SITEMAP_DEPTH} levels"
)


class SiteLists:
    """Reads sitemaps and feeds through a fetcher that accepts larger files than pages."""

    def __init__(self, fetcher: PoliteFetcher) -> None:
        self._fetcher = fetcher

    async def expand_list_source(self, source: Source) -> Result[list[ListEntry], WebError]:
        """Return the pages that a list names, each once, and the unreadable lists."""
        first = (
            await self._fetch_list(source.name)
            if source.is_remote
            else _read_local_site_list(source)
        )
        if isinstance(first, Failure):
            return first
        listed = _ListedPages(source.name)
        level = listed.add_list(source.name, first.unwrap())
        for _ in range(_MAX_SITEMAP_DEPTH):
            next_level: list[str] = []
            for url in level:
                has_room = listed.count_list()
                child = await self._fetch_list(url) if has_room else Failure(_TOO_MANY_LISTS_ERROR)
                if isinstance(child, Failure) and child.failure() is RUN_STOPPED:
                    return child
                next_level += listed.add_list_or_error(url, child)
            level = next_level
        for url in level:
            listed.add_list_or_error(url, Failure(_TOO_MANY_LISTS_ERROR))
        return listed.listed_entries()

    async def list_site_pages(self, url: str) -> list[str]:
        """Return the pages in a host's sitemaps; skip unreadable ones."""
        verdict, robots = self._fetcher.judge_page_url(url), self._fetcher.robots
        if isinstance(verdict, Failure) or robots is None:
            return []
        target = verdict.unwrap()
        root = f"{target.scheme}://{target.authority}/"
        pages: list[str] = []
        for location in (await robots.host_rules(target)).sitemaps or ("sitemap.xml",):
            source = Source(kind="site", name=_join_url(root, location))
            listed = await self.expand_list_source(source)
            pages += [entry.url or "" for entry in listed.value_or([]) if entry.error is None]
        return pages[:MAX_LIST_URLS]

    async def _fetch_list(self, url: str) -> Result[SiteList, WebError]:
        if (visited := await self._fetcher.fetch_page(url)) is None:
            return Failure(RUN_STOPPED)
        if visited.error is not None:
            return Failure(_locate_error(visited.error, url))
        return read_site_list(visited.hops[-1].body).alt(partial(_locate_error, url=url))


class _ListedPages:
    """The listed pages so far, in order, and the unreadable lists."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._visited = {name}
        self._lists_read = 0
        self._pages: dict[str, WebError | None] = {}

    def count_list(self) -> bool:
        """Count a list to read; return whether the limit allows it."""
        self._lists_read += 1
        return self._lists_read <= _MAX_SITEMAPS

    def add_list_or_error(self, url: str, listed: Result[SiteList, WebError]) -> list[str]:
        """Add a list or its error; return the nested lists that are new."""
        if isinstance(listed, Failure):
            self._pages[url] = listed.failure()
            return []
        return self.add_list(url, listed.unwrap())

    def add_list(self, url: str, listed: SiteList) -> list[str]:
        """Add the pages of a list; return the nested lists that are new."""
        self._pages |= dict.fromkeys(_join_url(url, page) for page in listed.pages)
        if listed.flaw:
            self._pages[url] = SourceUnreadable(reason=f"{url}: {listed.flaw}")
        nested = dict.fromkeys(_join_url(url, list_url) for list_url in listed.sitemaps)
        further = [list_url for list_url in nested if list_url not in self._visited]
        self._visited.update(further)
        return further

    def listed_entries(self) -> Result[list[ListEntry], WebError]:
        """Return all entries, or the first error when every list failed."""
        errors = [error for error in self._pages.values() if error is not None]
        if errors and len(errors) == len(self._pages):
            return Failure(errors[0])
        entries = [
            ListEntry(source=self._name, offset=number, url=url, error=error)
            for number, (url, error) in enumerate(self._pages.items())
        ]
        return Success(entries)


def _join_url(base: str, location: str) -> str:
    try:
        return urljoin(base, location)
    except ValueError:
        return location


def _read_local_site_list(source: Source) -> Result[SiteList, WebError]:
    try:
        content = source.path.read_bytes()
    except OSError as error:
        reason = f"{source.name} cannot be read: {error.strerror}"
        return Failure(InvalidQuery(field="input", reason=reason))
    return read_site_list(content).alt(partial(_locate_error, url=source.name))


def _locate_error(error: WebError, url: str) -> WebError:
    """Return the error of a list with the URL of the list, because a run may read many."""
    if isinstance(error, UrlDenied | CallRefused):
        return error
    located = msgspec.structs.replace(error, backend=PAGES_READER, url=url)
    return SourceUnreadable(reason=f"{url}: {located.message.rstrip('.')}", url=url)
