"""Sitemaps and feeds, fetched: the pages that they and those they lead to list.

A sitemap among others that cannot be read is an entry with its error, and the others are read.
"""

from __future__ import annotations

from functools import partial
from typing import Final
from urllib.parse import urljoin

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.bulk.crawling.listings import MAX_LIST_URLS, SiteList, read_site_list
from ....adapters.bulk.crawling.polite_fetcher import PoliteFetcher
from ....kernel.bulk.url_lists import ListEntry
from ....ports.errors import (
    CallRefused,
    InvalidQuery,
    SourceUnreadable,
    UrlDenied,
    WebError,
)
from ....ports.errors.error_fields import PAGES_READER
from .plan_draft import STOPPED
from .sources import Source

_MAX_SITEMAPS: Final = 1000
_MAX_SITEMAP_DEPTH: Final = 3
_TOO_MANY: Final = SourceUnreadable(
    reason=f"it has more than {_MAX_SITEMAPS:,} sitemaps or {_MAX_SITEMAP_DEPTH} levels"
)


class SiteLists:
    """Reads lists through a fetcher that takes larger files than pages are."""

    def __init__(self, fetcher: PoliteFetcher) -> None:
        """Ask nobody yet."""
        self._fetcher = fetcher

    async def expand(self, source: Source) -> Result[list[ListEntry], WebError]:
        """Return the pages that a list names, each once, and the lists that cannot be read."""
        first = await self._list(source.name) if source.is_remote else _local(source)
        if isinstance(first, Failure):
            return first
        found = _Found(source.name)
        level = found.add(source.name, first.unwrap())
        for _ in range(_MAX_SITEMAP_DEPTH):
            further: list[str] = []
            for url in level:
                child = await self._list(url) if found.has_room() else Failure(_TOO_MANY)
                if isinstance(child, Failure) and child.failure() is STOPPED:
                    return child
                further += found.take(url, child)
            level = further
        for url in level:
            found.take(url, Failure(_TOO_MANY))
        return found.entries()

    async def of_site(self, url: str) -> list[str]:
        """Return the pages that the sitemaps of a host list, as far as they can be read."""
        judged, robots = self._fetcher.judge(url), self._fetcher.robots
        if isinstance(judged, Failure) or robots is None:
            return []
        target = judged.unwrap()
        root = f"{target.scheme}://{target.authority}/"
        pages: list[str] = []
        for place in (await robots.host_rules(target)).sitemaps or ("sitemap.xml",):
            listed = await self.expand(Source(kind="site", name=_joined(root, place)))
            pages += [entry.url or "" for entry in listed.value_or([]) if entry.error is None]
        return pages[:MAX_LIST_URLS]

    async def _list(self, url: str) -> Result[SiteList, WebError]:
        visited = await self._fetcher.fetch(url)
        if visited is None:
            return Failure(STOPPED)
        if visited.error is not None:
            return Failure(_named(visited.error, url))
        return read_site_list(visited.hops[-1].body).alt(partial(_named, url=url))


class _Found:
    """What lists have named so far: pages in their order, and lists that cannot be read."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._seen = {name}
        self._read = 0
        self._pages: dict[str, WebError | None] = {}

    def has_room(self) -> bool:
        """Count a list that is to be read, and tell whether it may be."""
        self._read += 1
        return self._read <= _MAX_SITEMAPS

    def take(self, url: str, listed: Result[SiteList, WebError]) -> list[str]:
        """Take a list or why there is none; return the lists that nobody named before."""
        if isinstance(listed, Failure):
            self._pages[url] = listed.failure()
            return []
        return self.add(url, listed.unwrap())

    def add(self, url: str, listed: SiteList) -> list[str]:
        """Take the pages of a list; likewise."""
        self._pages |= dict.fromkeys(_joined(url, page) for page in listed.pages)
        if listed.flaw:
            self._pages[url] = SourceUnreadable(reason=f"{url}: {listed.flaw}")
        new = dict.fromkeys(_joined(url, place) for place in listed.sitemaps)
        further = [place for place in new if place not in self._seen]
        self._seen.update(further)
        return further

    def entries(self) -> Result[list[ListEntry], WebError]:
        """Return all that was found, unless it is nothing but lists that cannot be read."""
        errors = [error for error in self._pages.values() if error is not None]
        if errors and len(errors) == len(self._pages):
            return Failure(errors[0])
        return Success(
            [
                ListEntry(source=self._name, offset=number, url=url, error=error)
                for number, (url, error) in enumerate(self._pages.items())
            ]
        )


def _joined(base: str, place: str) -> str:
    try:
        return urljoin(base, place)
    except ValueError:
        return place


def _local(source: Source) -> Result[SiteList, WebError]:
    try:
        return read_site_list(source.path.read_bytes()).alt(partial(_named, url=source.name))
    except OSError as error:
        reason = f"{source.name} cannot be read: {error.strerror}"
        return Failure(InvalidQuery(field="input", reason=reason))


def _named(error: WebError, url: str) -> WebError:
    """Return why a list of pages cannot be read, with its name: there may be many of them."""
    if isinstance(error, UrlDenied | CallRefused):
        return error
    known = msgspec.structs.replace(error, backend=PAGES_READER, url=url)
    return SourceUnreadable(reason=f"{url}: {known.message.rstrip('.')}", url=url)
