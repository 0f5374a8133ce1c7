"""Content types: what can be read, judged before the body comes and again by its first bytes."""

import re

from ..formats.magic import media_type_of
from ..formats.media import VAGUE

_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/json",
        "application/ld+json",
        "application/markdown",
        "application/ndjson",
        "application/pdf",
        "application/rss+xml",
        "application/toml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/x-ndjson",
        "application/x-pdf",
        "application/x-yaml",
        "application/xhtml+xml",
        "application/xml",
        "application/yaml",
    }
)
# Text by name, but a stream without an end or nothing to read.
_NOT_PAGES = frozenset({"text/event-stream", "text/css", "text/javascript", "text/ecmascript"})
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOOK_AT = 1024
_UNKNOWN = "application/octet-stream"


def essence(content_type: str) -> str:
    """Return the type without its parameters, in lower case.

    >>> essence("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def is_readable(kind: str) -> bool:
    """Tell whether a page of that type can be read; where the type says nothing, it may be.

    >>> is_readable("text/html"), is_readable("image/svg+xml"), is_readable("")
    (True, False, True)
    """
    if kind in VAGUE or kind in _TYPES:
        return True
    if kind.startswith("text/"):
        return kind not in _NOT_PAGES
    return kind.startswith("application/") and kind.endswith(("+xml", "+json"))


def lie_in(body: bytes, content_type: str) -> str | None:
    """Return what the body really is when its first bytes say otherwise than its type does.

    >>> lie_in(b"GIF89a", "text/html"), lie_in(b"%PDF-1.7", "application/pdf")
    ('image/gif', None)
    """
    kind = essence(content_type)
    proven = media_type_of(body)
    if proven is not None:
        return None if _is_told(proven, kind) else proven
    if kind not in _BINARY and _is_no_text(body, content_type.lower()):
        return _UNKNOWN
    return None


def _is_told(media_type: str, kind: str) -> bool:
    if media_type == "application/pdf":
        return kind in VAGUE or kind in _PDF
    # A document of an office is a zip; whether this one is, the reader finds out.
    return media_type == "application/zip" and (kind in VAGUE or kind in _BINARY)


def _is_no_text(body: bytes, content_type: str) -> bool:
    """Tell whether there are bytes early on that no text has.

    A zero byte is in UTF-16 and UTF-32. Of what is called nothing but bytes, more is asked.
    """
    if body.startswith(_WIDE_MARKS) or "utf-16" in content_type or "utf-32" in content_type:
        return False
    called_bytes = essence(content_type) in VAGUE - {""}
    return b"\x00" in body[:_LOOK_AT] or (
        called_bytes and _NO_TEXT.search(body, 0, _LOOK_AT) is not None
    )


_PDF = frozenset({"application/pdf", "application/x-pdf"})
_BINARY = frozenset(kind for kind in _TYPES if "openxmlformats" in kind or kind in _PDF)
