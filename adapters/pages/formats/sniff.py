"""Decide what a body is: its own first bytes first, then its type, then its file name."""

import re
from typing import Final

from returns.result import Failure, Result, Success

from ....ports.errors import UnsupportedContent
from .draft import Source
from .magic import has_late_pdf_mark, media_type_of
from .media import VAGUE, Kind, kind_of_suffix, kind_of_type
from .office.package import office_kind

_UNKNOWN: Final = "application/octet-stream"
_MOST_SHOWN: Final = 100
_OFFICE: Final = ("docx", "xlsx", "pptx")
_PACKED: Final = ("pdf", *_OFFICE)
# A type that is right and says too little, and the endings that say more.
_MORE_EXACT: Final = frozenset(
    {("json", "notebook")}
    | {
        ("text", ending)
        for ending in ("markdown", "json", "xml", "csv", "feed", "notebook", "code")
    }
)
_LOOK_AT: Final = 1445  # as far as browsers look
_BINARY: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
# A stray zero happens in old pages, and browsers read on; one in a hundred bytes is not a page.
_ZEROS_IN_HTML: Final = 100
_HTML: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<!--(?:(?!-->).)*+-->\s*+|<\?xml[^>]*+>\s*+)*+"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|p|h1|table|article)\b",
    re.IGNORECASE | re.DOTALL,
)
_FEED: Final = re.compile(rb"<(?:rss|feed|rdf:RDF|RDF)[\s>]")
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|[A-Za-z])")


def kind_of(source: Source) -> Result[Kind, UnsupportedContent]:
    """Return how to read a body; what is no text, whatever it is called, is refused by its name."""
    proven, declared = media_type_of(source.body), _told_kind(source)
    if proven is not None:
        return _proven_kind(proven, declared, source.body)
    if declared == "pdf" and has_late_pdf_mark(source.body):
        return Success("pdf")
    if declared is None:
        return _unsupported(source.media_type or _UNKNOWN)
    if declared in _PACKED or _is_binary(source, declared):
        return _unsupported(_UNKNOWN)
    return Success(_refined(declared, source))


def _proven_kind(
    proven: str, declared: Kind | None, body: bytes
) -> Result[Kind, UnsupportedContent]:
    if proven == "application/pdf":
        # The mark alone, and then not one object: noise with a name.
        return Success("pdf") if b" obj" in body else _unsupported(_UNKNOWN)
    if proven != "application/zip":
        return _unsupported(proven)
    # A document that was cut short has lost its directory; its type still says what it was.
    office = office_kind(body) or (declared if declared in _OFFICE else None)
    return _unsupported(proven) if office is None else Success(office)


def _told_kind(source: Source) -> Kind | None:
    """Return what the type says, and where it says little, what the file's ending says."""
    media_type, ending = source.media_type, kind_of_suffix(source.suffix)
    if media_type in VAGUE:
        return ending or (None if media_type else _look(source.body))
    declared = kind_of_type(media_type)
    return ending if (declared, ending) in _MORE_EXACT else declared


def _look(body: bytes) -> Kind:
    """Return what a body without any type looks like."""
    head = body[:_LOOK_AT]
    if _HTML.match(head):
        return "html"
    if _MARKUP.match(head):
        return "xml"
    return "json" if head.lstrip()[:1] in (b"{", b"[") else "text"


def _refined(declared: Kind, source: Source) -> Kind:
    """Return the special kind inside a general one: a feed or a page that is called XML."""
    head = source.body[:_LOOK_AT]
    if declared == "xml" and _FEED.search(head):
        return "feed"
    if declared in ("xml", "feed") and _HTML.match(head):
        return "html"
    return declared


def _is_binary(source: Source, declared: Kind) -> bool:
    """Tell whether a body that is called text holds bytes that no text holds."""
    body, charset = source.body, source.content_type.lower()
    if body.startswith(_WIDE_MARKS) or "utf-16" in charset:
        return False
    if declared == "html":
        return body.count(b"\x00") * _ZEROS_IN_HTML > len(body)
    return _BINARY.search(body, 0, _LOOK_AT) is not None or b"\x00" in body


def _unsupported(media_type: str) -> Result[Kind, UnsupportedContent]:
    return Failure(UnsupportedContent(content_type=media_type[:_MOST_SHOWN]))
