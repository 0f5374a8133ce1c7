"""Sitemaps and feeds: the pages that they list, and the sitemaps that they lead to.

https://www.sitemaps.org/protocol.html (read 2026-11-15): 50 MiB and 50,000 URLs a file.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterable
from itertools import islice
from typing import Final

import msgspec
from returns.result import Failure, Result, Success
from turbohtml import parse
from turbohtml.extract import feed

from ...ports.errors import ParseFailed, ResponseTooLarge, WebError
from ..pages.formats.office.package import BrokenFileError, TooLargeError
from ..pages.formats.office.xml import elements

MOST_BYTES: Final = 50 * 1024 * 1024
MOST_URLS: Final = 50_000
_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 65_536
# A sitemap that lists nothing is one all the same.
_EMPTY: Final = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)\b")


class SiteList(msgspec.Struct, frozen=True, kw_only=True):
    """The pages and the further sitemaps that a file names, in its order.

    ``is_cut`` says that it names more than are taken.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    is_cut: bool = False


def read_list(body: bytes) -> Result[SiteList, WebError]:
    """Read a sitemap, an index of sitemaps, a feed, or a plain list of URLs."""
    unpacked = _unpacked(body)
    if isinstance(unpacked, Failure):
        return unpacked
    content = unpacked.unwrap()
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"{":
        return _from_json(content)
    if start != b"<":
        return _from_lines(content)
    listed = _from_sitemap(content)
    if listed is not None and (listed.pages or listed.sitemaps):
        return Success(listed)
    text = content.decode("utf-8", "replace")
    channel = feed(text) or parse(text).feed()
    links = [entry.link for entry in channel.entries] if channel is not None else []
    if channel is None and (listed is None or not _EMPTY.search(content)):
        return _no_list()
    return Success(_listed(link for link in links if link))


def _listed(pages: Iterable[str]) -> SiteList:
    first = tuple(islice(pages, MOST_URLS + 1))
    return SiteList(pages=first[:MOST_URLS], is_cut=len(first) > MOST_URLS)


def _no_list() -> Failure[WebError]:
    return Failure(ParseFailed(reason="corrupt", detail="it is no sitemap and no feed"))


def _unpacked(body: bytes) -> Result[bytes, WebError]:
    if not body.startswith(_GZIP):
        return Success(body)
    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(body)).read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        return Failure(ParseFailed(reason="corrupt", detail="it is no whole gzip file"))
    if len(content) > MOST_BYTES:
        return Failure(ResponseTooLarge(what="decoded", limit=MOST_BYTES))
    return Success(content)


def _from_sitemap(content: bytes) -> SiteList | None:
    pages: list[str] = []
    sitemaps: list[str] = []
    is_cut = False
    chunks = (content[at : at + _CHUNK] for at in range(0, len(content), _CHUNK))
    try:
        for node in elements(chunks, "url", "sitemap"):
            place = node.first("loc")
            address = "" if place is None else place.words().strip()
            is_cut = len(pages) + len(sitemaps) >= MOST_URLS
            if is_cut:
                break
            if address:
                (pages if node.name == "url" else sitemaps).append(address)
    except (BrokenFileError, TooLargeError):
        return None
    return SiteList(pages=tuple(pages), sitemaps=tuple(sitemaps), is_cut=is_cut)


def _from_lines(content: bytes) -> Result[SiteList, WebError]:
    lines = [line.strip() for line in content.decode("utf-8-sig", "replace").splitlines()]
    urls = [line for line in lines if line.startswith(("http://", "https://"))]
    return Success(_listed(urls)) if urls or not any(lines) else _no_list()


class _Item(msgspec.Struct, frozen=True):
    url: str = ""
    external_url: str = ""


class _JsonFeed(msgspec.Struct, frozen=True):
    items: list[_Item]


def _from_json(content: bytes) -> Result[SiteList, WebError]:
    """Read a JSON feed (https://www.jsonfeed.org/version/1.1/, read 2026-11-16)."""
    try:
        items = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"), type=_JsonFeed).items
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _no_list()
    return Success(_listed(filter(None, (item.url or item.external_url for item in items))))
