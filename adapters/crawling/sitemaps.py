"""Sitemaps and feeds: the pages that they list, and the sitemaps that they lead to.

https://www.sitemaps.org/protocol.html (read 2026-11-15): 50 MiB and 50,000 URLs a file.
"""

import gzip
import io
import re
import zlib
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
    """The pages and the further sitemaps that a file names, in its order."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def read_list(body: bytes) -> Result[SiteList, WebError]:
    """Read a sitemap, an index of sitemaps, a feed, or a plain list of URLs."""
    unpacked = _unpacked(body)
    if isinstance(unpacked, Failure):
        return unpacked
    content = unpacked.unwrap()
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return Success(SiteList(pages=_lines(content)))
    listed = _from_sitemap(content)
    if listed is not None and (listed.pages or listed.sitemaps):
        return Success(listed)
    text = content.decode("utf-8", "replace")
    channel = feed(text) or parse(text).feed()
    links = [entry.link for entry in channel.entries] if channel is not None else []
    if channel is None and (listed is None or not _EMPTY.search(content)):
        return Failure(ParseFailed(reason="corrupt", detail="it is no sitemap and no feed"))
    return Success(SiteList(pages=tuple(link for link in links if link)[:MOST_URLS]))


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
    chunks = (content[at : at + _CHUNK] for at in range(0, len(content), _CHUNK))
    try:
        for node in elements(chunks, "url", "sitemap"):
            place = node.first("loc")
            if place is not None:
                (pages if node.name == "url" else sitemaps).append(place.words().strip())
            if len(pages) + len(sitemaps) >= MOST_URLS:
                break
    except (BrokenFileError, TooLargeError):
        return None
    return SiteList(pages=tuple(filter(None, pages)), sitemaps=tuple(filter(None, sitemaps)))


def _lines(content: bytes) -> tuple[str, ...]:
    lines = (line.strip() for line in content.decode("utf-8-sig", "replace").splitlines())
    return tuple(line for line in lines if line.startswith(("http://", "https://")))[:MOST_URLS]
