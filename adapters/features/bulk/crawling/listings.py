"""Read files that list pages, even broken ones: sitemaps, feeds, plain lists."""

import codecs
import gzip
import html
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from returns.result import Failure, Result, Success
from turbohtml import parse
from turbohtml.extract import feed

from webseam.ports.errors import ParseFailed, ResponseTooLarge, WebError

from ...documents.formats.office.package import BrokenFileError, TooLargeError
from ...documents.formats.office.xml_elements import parse_xml_elements

_FEED_ROOT_PATTERN: Final = re.compile(r"<(?![?!])(?:\w+:)?(\w*)")
_FEED_ROOTS: Final = frozenset({"rss", "feed", "RDF"})
_FEED_END_PATTERN: Final = re.compile(r"</(?:\w+:)?(?:rss|feed|RDF)\s*>")
_ENTRY_END_PATTERN: Final = re.compile(r"</(?:\w+:)?(?:item|entry)\s*>")
_TRUNCATED_FLAW: Final = "it is broken: it ends too soon; the readable part is used"


class _JsonFeed(msgspec.Struct, frozen=True):
    items: list[object]


def drop_truncated_entry(text: str) -> tuple[str, str]:
    """Return a feed without a truncated last entry, and a description of the flaw, if any."""
    root = _FEED_ROOT_PATTERN.search(text)
    if root is None or root[1] not in _FEED_ROOTS or _FEED_END_PATTERN.search(text) is not None:
        return text, ""
    ends = [match.end() for match in _ENTRY_END_PATTERN.finditer(text)]
    return text[: ends[-1] if ends else 0], _TRUNCATED_FLAW


def json_feed_links(content: bytes) -> list[str] | None:
    """Return the pages of a JSON feed (https://www.jsonfeed.org/version/1.1/, read 2026-11-16)."""
    try:
        items = msgspec.json.decode(content, type=_JsonFeed).items
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    entries = [item for item in items if isinstance(item, dict)]
    links = (
        entry.get("url") or entry.get("external_url") or _entry_id_url(entry) for entry in entries
    )
    return [link for link in links if isinstance(link, str)]


def _entry_id_url(entry: dict[object, object]) -> str | None:
    """Return the id of an entry if it is a URL, as the format recommends."""
    name = entry.get("id")
    is_address = isinstance(name, str) and name.startswith(("http://", "https://"))
    return str(name) if is_address else None


_BLANK_BYTES: Final = b" \t\r\n"
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_XML_ENCODING_PATTERN: Final = re.compile(
    rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.-]{1,40})["']"""
)
_XML_DECLARATION_PATTERN: Final = re.compile(r"\A\s*+<\?xml[^>]{0,200}\?>")


def site_list_to_utf8(content: bytes) -> bytes:
    """Return a list as UTF-8, without a byte order mark and leading blanks."""
    if content.startswith(_UTF16_MARKS):
        # The text is UTF-8 from here on, so drop an XML declaration that says UTF-16.
        return (
            _XML_DECLARATION_PATTERN.sub("", content.decode("utf-16", "replace"), count=1)
            .encode()
            .lstrip()
        )
    return content.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK_BYTES)


def decode_site_list(content: bytes) -> str:
    """Return bytes as text in their declared encoding; UTF-8 if that is unknown."""
    declared = _XML_ENCODING_PATTERN.match(content)
    try:
        return content.decode(declared[1].decode() if declared else "utf-8", "replace")
    # The encoding is unknown, not one for text, or cannot replace invalid bytes.
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")


_SITEMAP_ROOT_PATTERN: Final = re.compile(r"<(?![?!])(?:([\w.-]+):)?([\w.-]+)")
SITEMAP_INDEX: Final = "sitemapindex"
_SITEMAP_ROOTS: Final = frozenset({"urlset", SITEMAP_INDEX})
_ENTITY_PATTERN: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_UNKNOWN_ENTITY_PATTERN: Final = re.compile(r"&[\w.-]+;")
_REPLACEMENT_CHAR: Final = "\N{REPLACEMENT CHARACTER}"
_COMMENT_START, _COMMENT_END = "<!--", "-->"


class SitemapFragments(NamedTuple):
    """The addresses of a sitemap; ``flaw`` says what could not be read, if anything."""

    root: str
    addresses: list[str]
    flaw: str


def read_sitemap_fragments(text: str) -> SitemapFragments | None:
    """Read as much of a malformed sitemap as possible; None if it is not a sitemap.

    A sitemap may have a bare ``&`` or an undeclared entity, or lack its end.
    """
    start = _SITEMAP_ROOT_PATTERN.search(text)
    if start is None or start[2] not in _SITEMAP_ROOTS:
        return None
    prefix = f"{start[1]}:" if start[1] else ""
    uncommented = "".join(_strip_xml_comments(text))
    loc = rf"<{re.escape(prefix)}loc(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[([^\]<]*)\]\]>|([^<]*))\s*(</)?"
    locations = list(map(_loc_address, re.finditer(loc, uncommented)))
    addresses = [address for address in locations if address]
    unreadable = locations.count(None)
    total = len(addresses) + unreadable
    flaws = [f"{unreadable:,} of {total:,} addresses cannot be read"] if unreadable else []
    if f"</{prefix}{start[2]}" not in uncommented:
        flaws.append("it ends too soon")
    flaw = f"it is broken: {', and '.join(flaws)}; the readable part is used" if flaws else ""
    return SitemapFragments(start[2], addresses, flaw)


def _strip_xml_comments(text: str) -> Iterator[str]:
    offset = 0
    while (begin := text.find(_COMMENT_START, offset)) >= 0:
        yield text[offset:begin]
        end = text.find(_COMMENT_END, begin)
        if end < 0:
            return
        offset = end + len(_COMMENT_END)
    yield text[offset:]


def _loc_address(match: re.Match[str]) -> str | None:
    """Return an address, or an empty text; None if it cannot be read."""
    if match[3] is None or _REPLACEMENT_CHAR in match[0]:
        return None
    if match[1] is not None:
        return match[1].strip()
    if _UNKNOWN_ENTITY_PATTERN.search(_ENTITY_PATTERN.sub("", match[2])):
        return None
    return _ENTITY_PATTERN.sub(lambda entity: html.unescape(entity[0]), match[2]).strip()


MAX_LIST_BYTES: Final = 50 * 1024 * 1024
MAX_LIST_URLS: Final = 50_000
_GZIP_MAGIC: Final = b"\x1f\x8b"
_READ_BYTES: Final = 65_536
_EXCESS_FLAW: Final = f"it lists more than {MAX_LIST_URLS:,} pages; these are the first"
# An empty sitemap is still a sitemap.
_EMPTY_SITEMAP_PATTERN: Final = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)\b")
_CUT_GZIP_FLAW: Final = "it is packed, and cut off; the readable part is used"


class SiteList(msgspec.Struct, frozen=True, kw_only=True):
    """The pages and further sitemaps that a file lists; ``flaw`` says what was left out."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    flaw: str = ""


def read_site_list(body: bytes) -> Result[SiteList, WebError]:
    """Read a sitemap, an index of sitemaps, a feed, or a plain list of URLs."""
    if not body.startswith(_GZIP_MAGIC):
        return _read_unpacked(site_list_to_utf8(body))
    content, is_complete = _unpack_gzip(body)
    if len(content) > MAX_LIST_BYTES:
        return Failure(ResponseTooLarge(what="decoded", limit=MAX_LIST_BYTES))
    if is_complete:
        return _read_unpacked(site_list_to_utf8(content))
    if not content:
        return Failure(ParseFailed(reason="corrupt", detail="it is not a complete gzip file"))
    # Drop the last line: a truncated URL would be another URL.
    rest = site_list_to_utf8(content)
    complete = rest if rest.startswith(b"<") else rest.rpartition(b"\n")[0]
    return _read_unpacked(complete).map(
        lambda listed: msgspec.structs.replace(listed, flaw=listed.flaw or _CUT_GZIP_FLAW)
    )


def _read_unpacked(content: bytes) -> Result[SiteList, WebError]:
    if content.startswith(b"{"):
        return _make_site_list(json_feed_links(content))
    return _read_xml(content) if content.startswith(b"<") else _read_plain_urls(content)


def _read_xml(content: bytes) -> Result[SiteList, WebError]:
    listed = _read_sitemap(content)
    if listed is not None and (listed.pages or listed.sitemaps):
        return Success(listed)
    text = decode_site_list(content)
    fragments = read_sitemap_fragments(text) if listed is None else None
    if fragments is not None:
        return Success(_fragments_to_site_list(fragments))
    complete, flaw = (text, "") if listed is not None else drop_truncated_entry(text)
    channel = feed(complete) or parse(complete).feed()
    links = None if channel is None else [entry.link for entry in channel.entries if entry.link]
    if links is None and listed is not None and _EMPTY_SITEMAP_PATTERN.search(content):
        return Success(listed)
    return _make_site_list(links, flaw)


def _make_site_list(pages: Sequence[str] | None, flaw: str = "") -> Result[SiteList, WebError]:
    if pages is None:
        return Failure(ParseFailed(reason="corrupt", detail="it is neither a sitemap nor a feed"))
    flaw = _EXCESS_FLAW if len(pages) > MAX_LIST_URLS else flaw
    return Success(SiteList(pages=tuple(pages[:MAX_LIST_URLS]), flaw=flaw))


def _fragments_to_site_list(fragments: SitemapFragments) -> SiteList:
    addresses = tuple(fragments.addresses[:MAX_LIST_URLS])
    flaw = _EXCESS_FLAW if len(addresses) < len(fragments.addresses) else fragments.flaw
    if fragments.root == SITEMAP_INDEX:
        return SiteList(sitemaps=addresses, flaw=flaw)
    return SiteList(pages=addresses, flaw=flaw)


def _unpack_gzip(body: bytes) -> tuple[bytes, bool]:
    """Return the unpacked content, at most one byte over the limit, and whether it is complete.

    Return nothing of damaged content: any URL in it may be wrong.
    """
    pieces: list[bytes] = []
    remaining = MAX_LIST_BYTES + 1
    file = gzip.GzipFile(fileobj=io.BytesIO(body))
    try:
        while remaining > 0 and (piece := file.read1(min(remaining, _READ_BYTES))):
            pieces.append(piece)
            remaining -= len(piece)
    except EOFError:
        return b"".join(pieces), False
    except (OSError, zlib.error):
        return b"", False
    return b"".join(pieces), True


def _read_sitemap(content: bytes) -> SiteList | None:
    """Return the entries of a sitemap; None if it is not XML."""
    pages: list[str] = []
    sitemaps: list[str] = []
    is_cut = False
    chunks = (content[at : at + _READ_BYTES] for at in range(0, len(content), _READ_BYTES))
    try:
        for node in parse_xml_elements(chunks, "url", "sitemap"):
            location = node.find("loc")
            address = "" if location is None else location.inner_text().strip()
            is_cut = len(pages) + len(sitemaps) >= MAX_LIST_URLS
            if is_cut:
                break
            if address:
                (pages if node.name == "url" else sitemaps).append(address)
    except (BrokenFileError, TooLargeError):
        return None
    flaw = _EXCESS_FLAW if is_cut else ""
    return SiteList(pages=tuple(pages), sitemaps=tuple(sitemaps), flaw=flaw)


def _read_plain_urls(content: bytes) -> Result[SiteList, WebError]:
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines()]
    urls = [line for line in lines if line.startswith(("http://", "https://"))]
    return _make_site_list(urls if urls or not any(lines) else None)
