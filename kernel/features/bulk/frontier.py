"""Decide which links a crawl follows: on the site, included, each once, and no traps.

A trap is a site that generates pages without end: calendars, parameters, repeating paths. Links are
limited by their shape, so that each trap costs a bounded number of pages.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qsl, urlsplit

import msgspec
from returns.result import Result, Success

from webseam.ports.errors import WebError

from ...laws.field_checks import refuse_field
from ...urls.spelling import is_web_url
from .url_lists import crawl_host, crawl_page_url

# Each reason why a link was not fetched. ``pages`` and ``depth`` are the limits of the crawl, and
# ``links`` that of a page.
LeftOut: TypeAlias = Literal[
    "elsewhere", "unwanted", "known", "trap", "no_url", "nofollow", "pages", "depth", "links"
]
_MAX_URL_CHARS: Final = 1000
_MAX_PATH_SEGMENTS: Final = 16
_MAX_SEGMENT_REPEATS: Final = 2
_MAX_QUERY_KEYS: Final = 6
_DIGITS_PATTERN: Final = re.compile(r"[0-9]+")
# A session id or digest, alone or in groups; and the value in ";name=value".
_HEX_PATTERN: Final = re.compile(r"\b[0-9a-f]{8,}(?:-[0-9a-f]{4,})*\b", re.IGNORECASE)
_PARAMETER_PATTERN: Final = re.compile(r"(;[^/;=]*)=[^/;]*")


class CrawlRules(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a crawl; ``alike`` bounds URLs that differ only in numbers and values."""

    start: str
    same_host: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    alike: int = 100


def check_crawl_patterns(patterns: Iterable[str], name: str) -> Result[tuple[str, ...], WebError]:
    """Return the patterns, or the first that is no regular expression."""
    checked = tuple(patterns)
    for pattern in checked:
        try:
            re.compile(pattern)
        except re.error as error:
            return refuse_field(name, f"{pattern!r} is no regular expression: {error}")
    return Success(checked)


class Frontier:
    """The URLs that a crawl has visited, and why the others were left out."""

    def __init__(self, rules: CrawlRules) -> None:
        """Start with no visited URLs."""
        self._rules = rules
        self._hosts = {_crawl_site_host(crawl_page_url(rules.start))}
        self._visited: set[str] = set()
        self._pages: dict[str, str] = {}
        self._shapes: Counter[str] = Counter()
        self._unfollowed: set[str] = set()
        self.left_out: Counter[LeftOut] = Counter()

    def adopt_host(self, url: str) -> None:
        """Add the host that the first page redirected to, unless ``same_host`` is set."""
        if is_web_url(url) and not self._rules.same_host:
            self._hosts.add(_crawl_site_host(crawl_page_url(url)))

    def mark_visited(self, url: str) -> None:
        """Mark a URL as visited, such as a redirect target."""
        if is_web_url(url):
            self._visited.add(crawl_page_url(url))

    def mark_unfollowed(self, urls: Iterable[str]) -> None:
        """Remember links that a page asks not to follow; another page may lead to them."""
        pages = [crawl_page_url(url) for url in urls if is_web_url(url)]
        self._unfollowed.update(page for page in pages if self._is_on_site(_crawl_site_host(page)))

    def count_left_out(self) -> dict[str, int]:
        """Return how many links were left out, by reason."""
        counts: Counter[LeftOut] = Counter(self.left_out)
        counts["nofollow"] += len(self._unfollowed - self._visited)
        return {str(reason): count for reason, count in counts.items() if count}

    def find_same_page(self, url: str, *names: str) -> str | None:
        """Return the earlier URL of a page with one of these names, or None; store the names."""
        pages = [crawl_page_url(name) for name in names if is_web_url(name)]
        earlier = next((self._pages[page] for page in pages if page in self._pages), None)
        for page in pages:
            self._pages.setdefault(page, earlier or url)
        return earlier

    def admit_link(self, url: str, *, listed: bool = False) -> bool:
        """Tell whether to follow a link, and mark it as visited.

        URLs that a sitemap ``listed`` are real pages, so any number of them may be alike.
        """
        reason = self._exclusion_reason(url, listed=listed)
        if reason is not None:
            self.left_out[reason] += 1
            return False
        self.mark_visited(url)
        self._shapes[crawl_url_shape(url)] += 1
        return True

    def _exclusion_reason(self, url: str, *, listed: bool) -> LeftOut | None:
        if not is_web_url(url):
            return "no_url"
        page = crawl_page_url(url)
        if not self._is_on_site(_crawl_site_host(page)):
            return "elsewhere"
        if page in self._visited:
            return "known"
        if not self._is_selected(url):
            return "unwanted"
        is_repeated_shape = not listed and self._shapes[crawl_url_shape(url)] >= self._rules.alike
        return "trap" if is_repeated_shape or is_crawl_trap(url) else None

    def _is_on_site(self, host: str) -> bool:
        if host in self._hosts:
            return True
        return not self._rules.same_host and any(host.endswith(f".{site}") for site in self._hosts)

    def _is_selected(self, url: str) -> bool:
        include, exclude = self._rules.include, self._rules.exclude
        is_included = not include or any(re.search(pattern, url) for pattern in include)
        return is_included and not any(re.search(pattern, url) for pattern in exclude)


def _crawl_site_host(url: str) -> str:
    return crawl_host(url).removeprefix("www.")


def is_crawl_trap(url: str) -> bool:
    """Tell whether a URL looks generated: too long, too deep, or with repeating segments.

    >>> is_crawl_trap("https://a.example/x/y/x/y/x/y")
    True
    >>> is_crawl_trap("https://a.example/2026/11/15/bread")
    False
    """
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    return (
        len(url) > _MAX_URL_CHARS
        or len(segments) > _MAX_PATH_SEGMENTS
        or max(Counter(segments).values(), default=0) > _MAX_SEGMENT_REPEATS
        or len(parse_qsl(parts.query, keep_blank_values=True)) > _MAX_QUERY_KEYS
    )


def crawl_url_shape(url: str) -> str:
    """Return a URL without its numbers and parameter values.

    >>> crawl_url_shape("https://a.example/day/2026-11-15?view=week&page=2")
    'a.example/day/0-0-0?page&view'
    >>> crawl_url_shape("https://a.example/s;id=x1/da39a3ee5e6b4b0d")
    'a.example/s;id/0?'
    """
    parts = urlsplit(url)
    keys = sorted({key for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    path = _DIGITS_PATTERN.sub(
        "0", _HEX_PATTERN.sub("0", _PARAMETER_PATTERN.sub(r"\1", parts.path))
    )
    return f"{crawl_host(url)}{path}?{'&'.join(keys)}"
