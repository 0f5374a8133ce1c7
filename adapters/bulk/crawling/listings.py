"""Files that list pages: sitemaps, feeds, lines; also broken ones."""

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

from ....ports.errors import ParseFailed, ResponseTooLarge, WebError
from ...documents.formats.office.package import BrokenFileError, TooLargeError
from ...documents.formats.office.xml_elements import parse_elements

_ROOT: Final = re.compile(r"<(?![?!])(?:\w+:)?(\w*)")
_ROOTS: Final = frozenset({"rss", "feed", "RDF"})
_ROOT_END: Final = re.compile(r"</(?:\w+:)?(?:rss|feed|RDF)\s*>")
_ENTRY_END: Final = re.compile(r"</(?:\w+:)?(?:item|entry)\s*>")
_TOO_SOON: Final = "it is broken: it ends too soon; what can be read is taken"


class _JsonFeed(msgspec.Struct, frozen=True):
    items: list[object]


def whole_entries(text: str) -> tuple[str, str]:
    """Return a feed without an entry that is cut off, and what is wrong with it, if anything."""
    root = _ROOT.search(text)
    if root is None or root[1] not in _ROOTS or _ROOT_END.search(text) is not None:
        return text, ""
    ends = [found.end() for found in _ENTRY_END.finditer(text)]
    return text[: ends[-1] if ends else 0], _TOO_SOON


def feed_links(text: str) -> list[str] | None:
    """Return the pages of a feed of RSS or Atom, None where it is none."""
    channel = feed(text) or parse(text).feed()
    if channel is None:
        return None
    return [entry.link for entry in channel.entries if entry.link]


def json_feed_links(content: bytes) -> list[str] | None:
    """Return the pages of a JSON feed (https://www.jsonfeed.org/version/1.1/, read 2026-11-16)."""
    try:
        items = msgspec.json.decode(content, type=_JsonFeed).items
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    entries = [item for item in items if isinstance(item, dict)]
    links = (entry.get("url") or entry.get("external_url") or _own(entry) for entry in entries)
    return [link for link in links if isinstance(link, str)]


def _own(entry: dict[object, object]) -> str | None:
    """Return the name of an entry where that is an address, as the format would have it."""
    name = entry.get("id")
    is_address = isinstance(name, str) and name.startswith(("http://", "https://"))
    return str(name) if is_address else None


# What is written in a list, in whatever encoding it says of itself.

_BLANK: Final = b" \t\r\n"
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.-]{1,40})["']""")
_DECLARATION: Final = re.compile(r"\s*<\?xml[^>]{0,200}\?>")


def strip_list_mark(content: bytes) -> bytes:
    """Return a list without what stands before its first sign, and never in UTF-16."""
    if content.startswith(_WIDE):
        # A declaration would be wrong from here on.
        return _DECLARATION.sub("", content.decode("utf-16", "replace"), count=1).encode().lstrip()
    return content.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK)


def decode_list(content: bytes) -> str:
    """Return plain bytes as text; what is in no encoding that is known is read as UTF-8."""
    declared = _DECLARED.match(content)
    try:
        return content.decode(declared[1].decode() if declared else "utf-8", "replace")
    # Nobody knows it, it is none for text, or it cannot leave out what is wrong.
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")


# Sitemaps that are no XML: a bare ``&``, an entity that nobody declared, an end that is missing.

_MALFORMED_SITEMAPS_ROOT: Final = re.compile(r"<(?![?!])(?:([\w.-]+):)?([\w.-]+)")
INDEX: Final = "sitemapindex"
_MALFORMED_SITEMAPS_ROOTS: Final = frozenset({"urlset", INDEX})
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_UNKNOWN: Final = re.compile(r"&[\w.-]+;")
_NO_TEXT: Final = "\N{REPLACEMENT CHARACTER}"
_COMMENT, _COMMENT_END = "<!--", "-->"


class Fragments(NamedTuple):
    """The addresses of a sitemap; ``flaw`` is what could not be read, if anything."""

    root: str
    addresses: list[str]
    flaw: str


def read_fragments(text: str) -> Fragments | None:
    """Read a sitemap as far as that goes; None where it is none."""
    start = _MALFORMED_SITEMAPS_ROOT.search(text)
    if start is None or start[2] not in _MALFORMED_SITEMAPS_ROOTS:
        return None
    prefix = f"{start[1]}:" if start[1] else ""
    bare = "".join(_uncommented(text))
    found = [_address(place) for place in _places(bare, prefix)]
    addresses = [address for address in found if address]
    lost = sum(address is None for address in found)
    flaws = [f"{lost:,} of {len(addresses) + lost:,} addresses cannot be read"] if lost else []
    if f"</{prefix}{start[2]}" not in bare:
        flaws.append("it ends too soon")
    flaw = f"it is broken: {', and '.join(flaws)}; what can be read is taken" if flaws else ""
    return Fragments(start[2], addresses, flaw)


def _uncommented(text: str) -> Iterator[str]:
    place = 0
    while (begin := text.find(_COMMENT, place)) >= 0:
        yield text[place:begin]
        end = text.find(_COMMENT_END, begin)
        if end < 0:
            return
        place = end + len(_COMMENT_END)
    yield text[place:]


def _places(text: str, prefix: str) -> Iterator[re.Match[str]]:
    place = (
        rf"<{re.escape(prefix)}loc(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[([^\]<]*)\]\]>|([^<]*))\s*(</)?"
    )
    return re.finditer(place, text)


def _address(place: re.Match[str]) -> str | None:
    """Return an address, empty where there is none; None where it cannot be read."""
    if place[3] is None or _NO_TEXT in place[0]:
        return None
    if place[1] is not None:
        return place[1].strip()
    known = _ENTITY.sub("", place[2])
    return None if _UNKNOWN.search(known) else _ENTITY.sub(_letter, place[2]).strip()


def _letter(entity: re.Match[str]) -> str:
    return html.unescape(entity[0])


# Sitemaps and feeds: the pages that they list, and the sitemaps that they lead to.

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
