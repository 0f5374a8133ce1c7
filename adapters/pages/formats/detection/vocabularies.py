"""Which vocabulary XML is written in, by its first tags."""

import re
from typing import Final

from .media import Kind

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
