"""Decide what a body is: its own first bytes first, then its type, then its file name."""

import codecs
import re
from typing import Final

from returns.result import Failure, Result, Success

from .....ports.errors import UnsupportedContent
from ....pages.detection.magic import has_late_pdf_mark, sniff_media_type
from ....pages.detection.media import (
    PACKED_KINDS,
    VAGUE_TYPES,
    ZIPPED_KINDS,
    Kind,
    kind_of_suffix,
    kind_of_type,
)
from ..archives import is_compressed, is_tar
from ..compound import compound_kind
from ..draft import Source
from ..mail.outlook import is_outlook
from ..office.package import office_kind

_FEED: Final = re.compile(rb"<(?:rss|feed|rdf:RDF|RDF)[\s>]")
_PAPER: Final = re.compile(
    rb"<(?:us-patent-(?:grant|application))[\s>]"
    rb"|<!DOCTYPE\s+article\b|<article\b[^>]*(?:article-type|dtd-version)|<journal-meta>"
)
_BOOK: Final = re.compile(
    rb"<TEI(?:\.2)?[\s>]"
    rb"|//DTD (?:Simplified )?DocBook |<\w+\s[^>]*docbook\.org/ns/docbook"
)
_WORKBOOK: Final = re.compile(
    rb"<(?:\w{1,20}:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet"
)
_SIGNS: Final[tuple[tuple[re.Pattern[bytes], Kind], ...]] = (
    (_FEED, "feed"),
    (_BOOK, "book"),
    (_PAPER, "article"),
    (_WORKBOOK, "xls"),
)


def xml_vocabulary(head: bytes) -> Kind | None:
    """Return how to read XML that begins so, None where it is shown as it is.

    >>> xml_vocabulary(b"<rss version='2.0'>"), xml_vocabulary(b"<ports>")
    ('feed', None)
    """
    return next((kind for sign, kind in _SIGNS if sign.search(head)), None)


# Decide what a body is: its own first bytes first, then its type, then its file name.

_UNKNOWN: Final = "application/octet-stream"
_MAX_SHOWN_TYPE_CHARS: Final = 100
_TEXTS: Final[tuple[Kind, ...]] = (
    "markdown", "json", "xml", "csv", "feed", "notebook", "code", "subtitles", "mail", "mhtml",
    "mailbox",
)  # fmt: skip
# A type that is right and says too little, and the endings that say more.
_MORE_EXACT: Final = frozenset({("json", "notebook")} | {("text", ending) for ending in _TEXTS})
_SNIFFED_BYTES: Final = 1445  # as far as browsers look
# As browsers have it, but for the line break inside of a cell that spreadsheets and Word write.
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# A stray one happens, in old pages as in logs and exports; one in a hundred bytes is no text.
_RARE: Final = 100
_CONTROLS: Final = bytes({*range(9), *range(14, 32)} - {0x1B})
_HTML: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<!--(?:(?!-->).)*+-->\s*+|<\?xml[^>]*+>\s*+)*+"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|p|h1|table|article)\b(?!:)",
    re.IGNORECASE | re.DOTALL,
)
# "1 0 obj", with any blanks between, or only a table of objects that are packed together.
_OBJECT: Final = re.compile(rb"\d[\s\x00]+obj\b|startxref|/ObjStm")
# Where a zip file has its directory: before a comment of at most 65,535 bytes.
_END: Final = b"PK\x05\x06"
_TARS: Final = frozenset(
    {"application/x-tar", "application/gzip", "application/x-bzip2", "application/x-xz"}
)
# A workbook that is packed as today and written as of old: its parts would be listed.
_COMPOUND: Final = frozenset({"doc", "ppt", "xls", "outlook"})
_CALLED_OFFICE: Final[dict[Kind, Kind]] = {"doc": "text", "xls": "csv", "outlook": "text"}
_BY_MARK: Final[dict[str, Kind]] = {
    "application/rtf": "rtf",
    "application/vnd.ms-excel": "xls",
}
_END_WITHIN: Final = 22 + 65_535
_SAVED_PAGE: Final = re.compile(
    rb"^(?:Snapshot-Content-Location|From: <Saved by )", re.IGNORECASE | re.MULTILINE
)
_MAIL: Final = re.compile(
    rb"(?:(?:Return-Path|Received|Delivered-To|From|To|Cc|Date|Subject|Message-ID|MIME-Version|Sender"
    rb"|Reply-To|In-Reply-To|References|Authentication-Results|DKIM-Signature|ARC-[\w-]{1,60}"
    rb"|List-[\w-]{1,60}|X-[\w-]{1,60}|Content-[\w-]{1,60}): [^\n]*\n(?:[ \t][^\n]*\n)*){3}",
    re.IGNORECASE,
)
_LINES: Final[tuple[tuple[re.Pattern[bytes], Kind], ...]] = (
    (_MAIL, "mail"),
    (re.compile(rb"From [^\n]{1,200}\d\d:\d\d[^\n]{0,60}\n[\w-]+: "), "mailbox"),
)
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE\s|[A-Za-z])")


def sniff_kind(source: Source) -> Result[Kind, UnsupportedContent]:
    """Return how to read a body; what is no text, whatever it is called, is refused by its name."""
    proven, declared = sniff_media_type(source.body), _told_kind(source)
    if proven is not None:
        return _proven_kind(proven, declared, source.body)
    if declared == "pdf" and (has_late_pdf_mark(source.body) or _has_lost_its_mark(source.body)):
        return Success("pdf")
    if declared is None:
        return _unsupported(source.media_type or _UNKNOWN)
    kind = _misnamed(source, declared) if declared in PACKED_KINDS else declared
    if kind is None or _is_binary(source, kind):
        return _unsupported(_UNKNOWN)
    return Success(_refined(kind, source))


def _has_lost_its_mark(body: bytes) -> bool:
    """Tell whether a PDF is all there but for its first line."""
    return b"%%EOF" in body[-_SNIFFED_BYTES:] and _OBJECT.search(body) is not None


def _misnamed(source: Source, declared: Kind) -> Kind | None:
    """Return what a text is that is called a document; None where it is nothing we can tell.

    Pages of errors come under any name, and many a program writes a table in HTML, or one with
    tabs, and calls it Excel's so that this opens it.
    """
    looks = _look(source.body)
    return _CALLED_OFFICE.get(declared) if looks == "text" else looks


def _proven_kind(
    proven: str, declared: Kind | None, body: bytes
) -> Result[Kind, UnsupportedContent]:
    match proven:
        case "application/pdf":
            # The mark alone, and then not one object: noise with a name.
            return Success("pdf") if _OBJECT.search(body) else _unsupported(_UNKNOWN)
        case "application/zip":
            return _zipped_kind(declared, body)
        case "application/x-ole-storage" if is_outlook(body):
            return Success("outlook")
        case "application/x-ole-storage":
            # One that was cut short has lost its directory; its name still says what it was.
            kind = compound_kind(body) or (declared if declared in _COMPOUND else None)
            return Success(kind) if kind else _unsupported(proven)
    kind = _packed_kind(body) if proven in _TARS else _BY_MARK.get(proven)
    return Success(kind) if kind else _unsupported(proven)


def _packed_kind(body: bytes) -> Kind | None:
    if is_tar(body):
        return "archive"
    return "compressed" if is_compressed(body) else None


def _zipped_kind(declared: Kind | None, body: bytes) -> Result[Kind, UnsupportedContent]:
    # A document that was cut short has lost its directory; its type still says what it was.
    kind = office_kind(body) or (declared if declared in ZIPPED_KINDS else None)
    if kind is not None:
        return Success(kind)
    return Success("archive") if _END in body[-_END_WITHIN:] else _unsupported("application/zip")


def _told_kind(source: Source) -> Kind | None:
    """Return what the type says, and where it says little, what the file's ending says."""
    media_type, ending = source.media_type, kind_of_suffix(source.suffix)
    if media_type in VAGUE_TYPES:
        return ending or (None if media_type else _look(source.body))
    declared = kind_of_type(media_type)
    return ending if (declared, ending) in _MORE_EXACT else declared


def _look(body: bytes) -> Kind:
    """Return what a body without any type looks like."""
    head = body[:_SNIFFED_BYTES].removeprefix(codecs.BOM_UTF8)
    if _HTML.match(head):
        return "html"
    if _MARKUP.match(head):
        return "xml"
    return _look_at_lines(head)


def _look_at_lines(head: bytes) -> Kind:
    """Return what a text without any type looks like that is no markup."""
    for sign, kind in _LINES:
        if sign.match(head):
            return kind
    return "json" if head.lstrip()[:1] in (b"{", b"[") else "text"


def _refined(declared: Kind, source: Source) -> Kind:
    """Return the special kind inside a general one: a feed or a page that is called XML."""
    head = source.body[:_SNIFFED_BYTES]
    if declared == "xml" and (special := xml_vocabulary(head)):
        return special
    if declared == "text" and head.removeprefix(b"\xef\xbb\xbf").startswith(b"WEBVTT"):
        return "subtitles"
    if declared == "mail" and _SAVED_PAGE.search(head):
        return "mhtml"
    if declared in ("xml", "feed") and _HTML.match(head):
        return "html"
    return declared


def _is_binary(source: Source, declared: Kind) -> bool:
    """Tell whether a body that is called text holds bytes that no text holds."""
    body, charset = source.body, source.content_type.lower()
    if "utf-16" in charset:
        return False
    if declared == "html":
        # To look for one is many times as fast as to count them, and nearly no page has any.
        return b"\x00" in body and body.count(b"\x00") * _RARE > len(body)
    if _BINARY.search(body, 0, _SNIFFED_BYTES) is None and b"\x00" not in body:
        return False
    return (len(body) - len(body.translate(None, _CONTROLS))) * _RARE > len(body)


def _unsupported(media_type: str) -> Result[Kind, UnsupportedContent]:
    return Failure(UnsupportedContent(content_type=media_type[:_MAX_SHOWN_TYPE_CHARS]))
