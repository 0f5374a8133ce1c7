"""Sitemaps and feeds: the pages that they list, and the sitemaps that they lead to.

https://www.sitemaps.org/protocol.html (read 2026-11-15): 50 MiB and 50,000 URLs a file.
"""

import gzip
import io
import re
import zlib
from collections.abc import Sequence
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import ParseFailed, ResponseTooLarge, WebError
from ...pages.formats.office.package import BrokenFileError, TooLargeError
from ...pages.formats.office.xml_elements import parse_elements
from .feeds import feed_links, json_feed_links, whole_entries
from .list_decoding import decode_list, strip_list_mark
from .malformed_sitemaps import INDEX, Fragments, read_fragments

MAX_LIST_BYTES: Final = 50 * 1024 * 1024
MAX_LIST_URLS: Final = 50_000
_GZIP: Final = b"\x1f\x8b"
_READ_BYTES: Final = 65_536
_CUT: Final = f"it lists more than {MAX_LIST_URLS:,} pages; these are the first"
# A sitemap that lists nothing is one all the same.
_EMPTY: Final = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)\b")
_TORN: Final = "it is packed, and cut off; what can be read is taken"


class SiteList(msgspec.Struct, frozen=True, kw_only=True):
    """The pages and the further sitemaps that a file names, in its order.

    ``flaw`` says what of it is not taken, and why; empty where all is.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    flaw: str = ""


def read_list(body: bytes) -> Result[SiteList, WebError]:
    """Read a sitemap, an index of sitemaps, a feed, or a plain list of URLs."""
    if not body.startswith(_GZIP):
        return _read(strip_list_mark(body))
    content, is_whole = _unpacked(body)
    if len(content) > MAX_LIST_BYTES:
        return Failure(ResponseTooLarge(what="decoded", limit=MAX_LIST_BYTES))
    if is_whole:
        return _read(strip_list_mark(content))
    if not content:
        return Failure(ParseFailed(reason="corrupt", detail="it is no whole gzip file"))
    # A line may be cut off, and an address in it be another one.
    rest = strip_list_mark(content)
    known = rest if rest.startswith(b"<") else rest.rpartition(b"\n")[0]
    return _read(known).map(_torn)


def _read(content: bytes) -> Result[SiteList, WebError]:
    if content.startswith(b"{"):
        return _listed(json_feed_links(content))
    return _from_xml(content) if content.startswith(b"<") else _from_lines(content)


def _torn(listed: SiteList) -> SiteList:
    return msgspec.structs.replace(listed, flaw=listed.flaw or _TORN)


def _from_xml(content: bytes) -> Result[SiteList, WebError]:
    listed = _from_sitemap(content)
    if listed is not None and (listed.pages or listed.sitemaps):
        return Success(listed)
    text = decode_list(content)
    broken = read_fragments(text) if listed is None else None
    if broken is not None:
        return Success(_joined(broken))
    whole, flaw = (text, "") if listed is not None else whole_entries(text)
    links = feed_links(whole)
    if links is None and listed is not None and _EMPTY.search(content):
        return Success(listed)
    return _listed(links, flaw)


def _listed(pages: Sequence[str] | None, flaw: str = "") -> Result[SiteList, WebError]:
    if pages is None:
        return Failure(ParseFailed(reason="corrupt", detail="it is no sitemap and no feed"))
    flaw = _CUT if len(pages) > MAX_LIST_URLS else flaw
    return Success(SiteList(pages=tuple(pages[:MAX_LIST_URLS]), flaw=flaw))


def _joined(broken: Fragments) -> SiteList:
    taken = tuple(broken.addresses[:MAX_LIST_URLS])
    flaw = _CUT if len(taken) < len(broken.addresses) else broken.flaw
    if broken.root == INDEX:
        return SiteList(sitemaps=taken, flaw=flaw)
    return SiteList(pages=taken, flaw=flaw)


def _unpacked(body: bytes) -> tuple[bytes, bool]:
    """Return what can be unpacked, a little over the limit at most, and whether that is all.

    Nothing of what is damaged: any address in it may be another one.
    """
    pieces: list[bytes] = []
    room = MAX_LIST_BYTES + 1
    file = gzip.GzipFile(fileobj=io.BytesIO(body))
    try:
        while room > 0 and (piece := file.read1(min(room, _READ_BYTES))):
            pieces.append(piece)
            room -= len(piece)
    except EOFError:
        return b"".join(pieces), False
    except (OSError, zlib.error):
        return b"", False
    return b"".join(pieces), True


def _from_sitemap(content: bytes) -> SiteList | None:
    """Return what a sitemap lists; None where it is no XML."""
    pages: list[str] = []
    sitemaps: list[str] = []
    is_cut = False
    chunks = (content[at : at + _READ_BYTES] for at in range(0, len(content), _READ_BYTES))
    try:
        for node in parse_elements(chunks, "url", "sitemap"):
            place = node.first("loc")
            address = "" if place is None else place.words().strip()
            is_cut = len(pages) + len(sitemaps) >= MAX_LIST_URLS
            if is_cut:
                break
            if address:
                (pages if node.name == "url" else sitemaps).append(address)
    except (BrokenFileError, TooLargeError):
        return None
    return SiteList(pages=tuple(pages), sitemaps=tuple(sitemaps), flaw=_CUT if is_cut else "")


def _from_lines(content: bytes) -> Result[SiteList, WebError]:
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines()]
    urls = [line for line in lines if line.startswith(("http://", "https://"))]
    return _listed(urls if urls or not any(lines) else None)
