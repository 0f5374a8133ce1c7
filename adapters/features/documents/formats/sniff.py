"""The kind and the charset of a body."""

import codecs
import re
from typing import Final

from returns.result import Failure, Result, Success

from webseam.adapters.pages.detection import (
    PACKED_KINDS,
    VAGUE_TYPES,
    ZIPPED_KINDS,
    Kind,
    has_late_pdf_mark,
    kind_of_suffix,
    kind_of_type,
    sniff_media_type,
)
from webseam.ports.errors import UnsupportedContent

from .archives import is_compressed_file, is_tar_archive
from .compound import compound_kind
from .draft import Source
from .mail.outlook import is_outlook
from .office.package import office_kind

_FEED_PATTERN: Final = re.compile(rb"<(?:rss|feed|rdf:RDF|RDF)[\s>]")
_PAPER_PATTERN: Final = re.compile(
    rb"<(?:us-patent-(?:grant|application))[\s>]"
    rb"|<!DOCTYPE\s+article\b|<article\b[^>]*(?:article-type|dtd-version)|<journal-meta>"
)
_BOOK_PATTERN: Final = re.compile(
    rb"<TEI(?:\.2)?[\s>]"
    rb"|//DTD (?:Simplified )?DocBook |<\w+\s[^>]*docbook\.org/ns/docbook"
)
_WORKBOOK_PATTERN: Final = re.compile(
    rb"<(?:\w{1,20}:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet"
)
_XML_SIGNS: Final = (
    (_FEED_PATTERN, "feed"),
    (_BOOK_PATTERN, "book"),
    (_PAPER_PATTERN, "article"),
    (_WORKBOOK_PATTERN, "xls"),
)


def xml_vocabulary_kind(head: bytes) -> Kind | None:
    """Return the kind of an XML vocabulary by its first bytes; None for XML shown unchanged.

    >>> xml_vocabulary_kind(b"<rss version='2.0'>")
    'feed'
    >>> xml_vocabulary_kind(b"<ports>")
    """
    return next((kind for sign, kind in _XML_SIGNS if sign.search(head)), None)


_UNKNOWN_TYPE: Final = "application/octet-stream"
_MAX_SHOWN_TYPE_CHARS: Final = 100
_TEXT_KINDS: Final[tuple[Kind, ...]] = (
    "markdown", "json", "xml", "csv", "feed", "notebook", "code", "subtitles", "mail", "mhtml",
    "mailbox",
)  # fmt: skip
# A correct but general type, and the file endings that are more exact.
_REFINING_SUFFIXES: Final = frozenset(
    {("json", "notebook")} | {("text", ending) for ending in _TEXT_KINDS}
)
_SNIFF_BYTES: Final = 1445  # as far as browsers look
# As in browsers, except for the vertical tab that spreadsheets and Word write inside a cell.
_CONTROL_BYTE_PATTERN: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Old pages, logs and exports have a stray control byte; one in a hundred bytes means binary.
_MIN_BYTES_PER_CONTROL: Final = 100
_CONTROL_BYTES: Final = bytes({*range(9), *range(14, 32)} - {0x1B})
_HTML_PATTERN: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<!--(?:(?!-->).)*+-->\s*+|<\?xml[^>]*+>\s*+)*+"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|p|h1|table|article)\b(?!:)",
    re.IGNORECASE | re.DOTALL,
)
# "1 0 obj", with any blanks between, or a table of packed objects.
_PDF_OBJECT_PATTERN: Final = re.compile(rb"\d[\s\x00]+obj\b|startxref|/ObjStm")
# The directory of a zip file ends before a comment of at most 65,535 bytes.
_ZIP_END: Final = b"PK\x05\x06"
_TAR_TYPES: Final = frozenset(
    {"application/x-tar", "application/gzip", "application/x-bzip2", "application/x-xz"}
)
_COMPOUND_KINDS: Final = frozenset({"doc", "ppt", "xls", "outlook"})
_MISNAMED_TEXT_KINDS: Final[dict[Kind, Kind]] = {"doc": "text", "xls": "csv", "outlook": "text"}
_PROVEN_KINDS: Final = {"application/rtf": "rtf", "application/vnd.ms-excel": "xls"}
_ZIP_END_BYTES: Final = 22 + 65_535
_SAVED_PAGE_PATTERN: Final = re.compile(
    rb"^(?:Snapshot-Content-Location|From: <Saved by )", re.IGNORECASE | re.MULTILINE
)
_MAIL_PATTERN: Final = re.compile(
    rb"(?:(?:Return-Path|Received|Delivered-To|From|To|Cc|Date|Subject|Message-ID|MIME-Version|Sender"
    rb"|Reply-To|In-Reply-To|References|Authentication-Results|DKIM-Signature|ARC-[\w-]{1,60}"
    rb"|List-[\w-]{1,60}|X-[\w-]{1,60}|Content-[\w-]{1,60}): [^\n]*\n(?:[ \t][^\n]*\n)*){3}",
    re.IGNORECASE,
)
_TEXT_SIGNS: Final[tuple[tuple[re.Pattern[bytes], Kind], ...]] = (
    (_MAIL_PATTERN, "mail"),
    (re.compile(rb"From [^\n]{1,200}\d\d:\d\d[^\n]{0,60}\n[\w-]+: "), "mailbox"),
)
_MARKUP_PATTERN: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE\s|[A-Za-z])")


def sniff_file_kind(source: Source) -> Result[Kind, UnsupportedContent]:
    """Return the kind of a body; a body that we cannot read is ``UnsupportedContent``."""
    proven, declared = sniff_media_type(source.body), _declared_file_kind(source)
    if proven is not None:
        return _proven_file_kind(proven, declared, source.body)
    if declared == "pdf" and (has_late_pdf_mark(source.body) or _is_headless_pdf(source.body)):
        return Success("pdf")
    if declared is None:
        return _unsupported_file(source.media_type or _UNKNOWN_TYPE)
    kind = _misnamed_file_kind(source, declared) if declared in PACKED_KINDS else declared
    if kind is None or _has_binary_file_bytes(source):
        return _unsupported_file(_UNKNOWN_TYPE)
    return Success(_refine_file_kind(kind, source))


def _is_headless_pdf(body: bytes) -> bool:
    """Tell whether a PDF lacks nothing but its first line."""
    return b"%%EOF" in body[-_SNIFF_BYTES:] and _PDF_OBJECT_PATTERN.search(body) is not None


def _misnamed_file_kind(source: Source, declared: Kind) -> Kind | None:
    """Return the kind of a text that is declared a document; None where we cannot tell.

    Error pages come under any name, and many programs write a table as HTML or with tabs and
    name it ``.xls`` so that Excel opens it.
    """
    kind = _guess_file_kind(source.body)
    return _MISNAMED_TEXT_KINDS.get(declared) if kind == "text" else kind


def _proven_file_kind(
    proven: str, declared: Kind | None, body: bytes
) -> Result[Kind, UnsupportedContent]:
    match proven:
        case "application/pdf":
            # A mark without any object is noise.
            return (
                Success("pdf")
                if _PDF_OBJECT_PATTERN.search(body)
                else _unsupported_file(_UNKNOWN_TYPE)
            )
        case "application/zip":
            return _zipped_file_kind(declared, body)
        case "application/x-ole-storage" if is_outlook(body):
            return Success("outlook")
        case "application/x-ole-storage":
            # A truncated file has lost its directory; its name still tells the kind.
            kind = compound_kind(body) or (declared if declared in _COMPOUND_KINDS else None)
            return Success(kind) if kind else _unsupported_file(proven)
    kind = _packed_file_kind(body) if proven in _TAR_TYPES else _PROVEN_KINDS.get(proven)
    return Success(kind) if kind else _unsupported_file(proven)


def _packed_file_kind(body: bytes) -> Kind | None:
    if is_tar_archive(body):
        return "archive"
    return "compressed" if is_compressed_file(body) else None


def _zipped_file_kind(declared: Kind | None, body: bytes) -> Result[Kind, UnsupportedContent]:
    # A truncated document has lost its directory; its type still tells the kind.
    kind = office_kind(body) or (declared if declared in ZIPPED_KINDS else None)
    if kind is not None:
        return Success(kind)
    is_archive = _ZIP_END in body[-_ZIP_END_BYTES:]
    return Success("archive") if is_archive else _unsupported_file("application/zip")


def _declared_file_kind(source: Source) -> Kind | None:
    """Return the kind of the declared type, or of the file's ending where that is more exact."""
    media_type, ending = source.media_type, kind_of_suffix(source.suffix)
    if media_type in VAGUE_TYPES:
        return ending or (None if media_type else _guess_file_kind(source.body))
    declared = kind_of_type(media_type)
    return ending if (declared, ending) in _REFINING_SUFFIXES else declared


def _guess_file_kind(body: bytes) -> Kind:
    """Return the kind that a body without a type looks like."""
    head = body[:_SNIFF_BYTES].removeprefix(codecs.BOM_UTF8)
    if _HTML_PATTERN.match(head):
        return "html"
    if _MARKUP_PATTERN.match(head):
        return "xml"
    for sign, kind in _TEXT_SIGNS:
        if sign.match(head):
            return kind
    return "json" if head.lstrip()[:1] in (b"{", b"[") else "text"


def _refine_file_kind(declared: Kind, source: Source) -> Kind:
    """Return a more special kind: a feed or a page that is declared as XML."""
    head = source.body[:_SNIFF_BYTES]
    if declared == "xml" and (special := xml_vocabulary_kind(head)):
        return special
    if declared == "text" and head.removeprefix(b"\xef\xbb\xbf").startswith(b"WEBVTT"):
        return "subtitles"
    if declared == "mail" and _SAVED_PAGE_PATTERN.search(head):
        return "mhtml"
    if declared in ("xml", "feed") and _HTML_PATTERN.match(head):
        return "html"
    return declared


def _has_binary_file_bytes(source: Source) -> bool:
    """Tell whether a body that is declared as text has more control bytes than text has."""
    body, charset = source.body, source.content_type.lower()
    if "utf-16" in charset:
        return False
    # Searching is many times faster than counting, and nearly no text has such a byte.
    if _CONTROL_BYTE_PATTERN.search(body, 0, _SNIFF_BYTES) is None and b"\x00" not in body:
        return False
    return (len(body) - len(body.translate(None, _CONTROL_BYTES))) * _MIN_BYTES_PER_CONTROL > len(
        body
    )


def _unsupported_file(media_type: str) -> Result[Kind, UnsupportedContent]:
    return Failure(UnsupportedContent(content_type=media_type[:_MAX_SHOWN_TYPE_CHARS]))
