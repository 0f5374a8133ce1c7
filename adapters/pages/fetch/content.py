"""Content types: what can be read, judged before the body comes and again by its first bytes."""

import re

import httpx

from ....ports.errors import (
    BlockedByRemote,
    EmptyContent,
    HttpStatus,
    RateLimited,
    UnsupportedContent,
    UpstreamUnavailable,
    WebError,
)
from ...http.error_mapping import parse_retry_after
from ..detection.magic import sniff_media_type, wide_codec
from ..detection.media import PACKED_KINDS, VAGUE_TYPES, kind_of_type

# Text by name, but a stream without an end or nothing to read.
_NOT_PAGES = frozenset(
    {
        "application/javascript",
        "text/css",
        "text/ecmascript",
        "text/event-stream",
        "text/javascript",
    }
)
_CONTAINERS = frozenset(
    {
        "application/zip",
        "application/x-ole-storage",
        "application/x-tar",
        "application/gzip",
        "application/x-bzip2",
        "application/x-xz",
        "application/x-7z-compressed",
        "application/vnd.rar",
    }
)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SNIFFED_BYTES = 1024
_UNKNOWN = "application/octet-stream"


def media_type_essence(content_type: str) -> str:
    """Return the type without its parameters, in lower case.

    >>> media_type_essence("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def is_readable(kind: str) -> bool:
    """Tell whether a page of that type can be read; where the type says nothing, it may be.

    >>> is_readable("text/html"), is_readable("image/svg+xml"), is_readable("")
    (True, False, True)
    """
    if kind in VAGUE_TYPES:
        return True
    return kind not in _NOT_PAGES and kind_of_type(kind) is not None


def disguised_type(body: bytes, content_type: str) -> str | None:
    """Return what the body really is when its first bytes say otherwise than its type does.

    >>> disguised_type(b"GIF89a", "text/html"), disguised_type(b"%PDF-1.7", "application/pdf")
    ('image/gif', None)
    """
    kind = media_type_essence(content_type)
    proven = sniff_media_type(body)
    if proven is not None:
        return None if _is_told(proven, kind) else proven
    if not _is_packed(kind) and _is_no_text(body, content_type.lower()):
        return _UNKNOWN
    return None


def _is_told(media_type: str, kind: str) -> bool:
    """Tell whether a type allows for what the bytes are; what they hold, the reader finds out."""
    proven = kind_of_type(media_type)
    if media_type == "application/pdf" or proven == "rtf":
        return kind in VAGUE_TYPES or kind_of_type(kind) == proven
    # A document of an office or a book is a zip file, and an Outlook message a compound file.
    return media_type in _CONTAINERS and (kind in VAGUE_TYPES or _is_packed(kind))


def _is_packed(kind: str) -> bool:
    return kind_of_type(kind) in PACKED_KINDS


def _is_no_text(body: bytes, content_type: str) -> bool:
    """Tell whether there are bytes early on that no text has.

    A zero byte is in UTF-16 and UTF-32. Of what is called nothing but bytes, more is asked.
    """
    if body.startswith(_WIDE_MARKS) or "utf-16" in content_type or "utf-32" in content_type:
        return False
    if wide_codec(body):
        return False
    called_bytes = media_type_essence(content_type) in VAGUE_TYPES - {""}
    return b"\x00" in body[:_SNIFFED_BYTES] or (
        called_bytes and _NO_TEXT.search(body, 0, _SNIFFED_BYTES) is not None
    )


# What a page's status says, for someone who reads pages and has no key to be refused.

NOT_MODIFIED = 304
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Statuses under which a site may show a bot check instead of a page.
MAYBE_CHALLENGE = frozenset({202, 401, 403, 405, 429, 503})
CHALLENGE_BYTES = 64 * 1024
NO_BODY = frozenset({204, 205})
_TRY_LATER = frozenset({408, 425})
_TOO_MANY_REQUESTS = 429
_LINKEDIN_REFUSES = 999
# Headers with which the big gatekeepers mark their own pages.
_CHALLENGE_HEADERS = (
    ("cf-mitigated", "challenge"),
    ("x-amzn-waf-action", "challenge"),
    ("x-amzn-waf-action", "captcha"),
    ("x-vercel-mitigated", "challenge"),
)
_CHALLENGE_WORDS = (
    b"/cdn-cgi/challenge-platform/",
    b"cf-chl-",
    b"_cf_chl_opt",
    b"geo.captcha-delivery.com",
    b"px-captcha",
    b"/_incapsula_resource",
    b"ddos-guard",
    b"awswafcookiedomainlist",
    b"<title>just a moment...</title>",
    b"<title>attention required! | cloudflare</title>",
)


def status_refusal(status: int, headers: httpx.Headers, now: float) -> WebError | None:
    """Return the error that a status stands for, None when there is a page to read."""
    if is_marked_challenge(status, headers):
        return BlockedByRemote(status=status)
    if status in NO_BODY:
        return EmptyContent(reason="no_body")
    if httpx.codes.is_success(status):
        return None
    if status == _TOO_MANY_REQUESTS:
        return RateLimited(retry_after=parse_retry_after(headers, now))
    if httpx.codes.is_server_error(status) or status in _TRY_LATER:
        return UpstreamUnavailable(status=status, retry_after=parse_retry_after(headers, now))
    return HttpStatus(status=status)


def type_refusal(headers: httpx.Headers, more: frozenset[str]) -> UnsupportedContent | None:
    """Refuse what is not to be read, by its type alone; ``more`` types are read as well."""
    kind = media_type_essence(headers.get("content-type", ""))
    readable = is_readable(kind) or kind in more
    return None if readable else UnsupportedContent(content_type=kind[:100])


def is_marked_challenge(status: int, headers: httpx.Headers) -> bool:
    """Tell by the head alone whether the site shows a bot check."""
    if status == _LINKEDIN_REFUSES:
        return True
    return any(headers.get(name, "").lower() == value for name, value in _CHALLENGE_HEADERS)


def shows_challenge(body: bytes) -> bool:
    """Tell by the start of an error page whether it is a bot check."""
    lower = body.lower()
    return any(words in lower for words in _CHALLENGE_WORDS)
