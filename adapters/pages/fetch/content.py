"""Judge content types and statuses before the body arrives, and the body by its first bytes."""

import re
from contextlib import suppress

import httpx

from webseam.ports import errors

from ...http.error_mapping import PAYMENT_REQUIRED, parse_retry_after
from ...http.payment_terms import read_payment_terms
from ..detection import PACKED_KINDS, VAGUE_TYPES, kind_of_type, sniff_media_type, wide_codec

# Types with the name of text that are an endless stream or have no prose.
_NO_PROSE_TYPES = frozenset({
    "application/javascript", "text/css", "text/ecmascript", "text/event-stream", "text/javascript",
})  # fmt: skip
_CONTAINER_TYPES = frozenset({
    "application/zip", "application/x-ole-storage", "application/x-tar", "application/gzip",
    "application/x-bzip2", "application/x-xz", "application/x-7z-compressed", "application/vnd.rar",
})  # fmt: skip
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_CONTROL_BYTE_PATTERN = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SNIFFED_BYTES = 1024
_CHARSET_PATTERN = re.compile(rb"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.ASCII)
_UNKNOWN_TYPE = "application/octet-stream"
NOT_MODIFIED = 304
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
# Statuses under which a site may show a bot check instead of a page.
CHALLENGE_STATUSES = frozenset({202, 401, 403, 405, 429, 503})
MAX_CHALLENGE_BYTES = 64 * 1024
NO_BODY_STATUSES = frozenset({204, 205})
_RETRY_LATER_STATUSES = frozenset({408, 425})
_TOO_MANY_REQUESTS, _LINKEDIN_REFUSAL = 429, 999
# Headers that bot protection services put on their challenge pages.
_CHALLENGE_HEADERS = (
    ("cf-mitigated", "challenge"), ("x-amzn-waf-action", "challenge"),
    ("x-amzn-waf-action", "captcha"), ("x-vercel-mitigated", "challenge"),
)  # fmt: skip
_CHALLENGE_MARKS = (
    b"/cdn-cgi/challenge-platform/", b"cf-chl-", b"_cf_chl_opt", b"geo.captcha-delivery.com",
    b"px-captcha", b"/_incapsula_resource", b"ddos-guard", b"awswafcookiedomainlist",
    b"<title>just a moment...</title>", b"<title>attention required! | cloudflare</title>",
)  # fmt: skip


def media_type_essence(content_type: str) -> str:
    """Return the type without its parameters, in lower case.

    >>> media_type_essence("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def is_readable_type(kind: str) -> bool:
    """Tell whether a page of that type can be read; a vague type may be.

    >>> is_readable_type("text/html"), is_readable_type("image/svg+xml"), is_readable_type("")
    (True, False, True)
    """
    if kind in VAGUE_TYPES:
        return True
    return kind not in _NO_PROSE_TYPES and kind_of_type(kind) is not None


def disguised_type(body: bytes, content_type: str) -> str | None:
    """Return the real type of a body whose first bytes contradict its declared type.

    >>> (disguised_type(b"GIF89a", "text/html"),
    ...  disguised_type(b"%PDF-1.7", "application/pdf"))
    ('image/gif', None)
    """
    kind = media_type_essence(content_type)
    proven = sniff_media_type(body)
    if proven is not None:
        return None if _allows_proven_type(proven, kind) else proven
    if not _is_packed_type(kind) and _has_non_text_bytes(body, content_type.lower()):
        return _UNKNOWN_TYPE
    return None


def _allows_proven_type(media_type: str, declared_type: str) -> bool:
    """Tell whether a declared type allows the type that the bytes prove."""
    proven_kind = kind_of_type(media_type)
    if media_type == "application/pdf" or proven_kind == "rtf":
        return declared_type in VAGUE_TYPES or kind_of_type(declared_type) == proven_kind
    # Office documents and books are zip files; Outlook messages are compound files.
    return media_type in _CONTAINER_TYPES and (
        declared_type in VAGUE_TYPES or _is_packed_type(declared_type)
    )


def _is_packed_type(kind: str) -> bool:
    return kind_of_type(kind) in PACKED_KINDS


def _has_non_text_bytes(body: bytes, content_type: str) -> bool:
    """Tell whether the start has bytes that no text has.

    UTF-16 and UTF-32 have zero bytes. A body with a vague type must also have no control bytes.
    """
    if body.startswith(_BYTE_ORDER_MARKS) or "utf-16" in content_type or "utf-32" in content_type:
        return False
    if wide_codec(body):
        return False
    is_vague = media_type_essence(content_type) in VAGUE_TYPES - {""}
    return b"\x00" in body[:_SNIFFED_BYTES] or (
        is_vague and _CONTROL_BYTE_PATTERN.search(body, 0, _SNIFFED_BYTES) is not None
    )


def status_refusal(status: int, headers: httpx.Headers, now: float) -> errors.WebError | None:
    """Return the error for a status; None when there is a page to read."""
    if is_challenge_head(status, headers):
        return errors.BlockedByRemote(status=status)
    if httpx.codes.is_success(status):
        return errors.EmptyContent(reason="no_body") if status in NO_BODY_STATUSES else None
    if status == _TOO_MANY_REQUESTS:
        return errors.RateLimited(retry_after=parse_retry_after(headers, now))
    if httpx.codes.is_server_error(status) or status in _RETRY_LATER_STATUSES:
        wait = parse_retry_after(headers, now)
        return errors.UpstreamUnavailable(status=status, retry_after=wait)
    if status != PAYMENT_REQUIRED:
        return errors.HttpStatus(status=status)
    return read_payment_terms(headers) or errors.PaymentRequired()


def is_html_type(content_type: str) -> bool:
    """Tell whether a page was sent as HTML."""
    return kind_of_type(media_type_essence(content_type)) == "html"


def decode_fetched_html(body: bytes, content_type: str) -> str:
    """Return HTML as text: as UTF-8 if it is, else by its header or by its own declaration."""
    heads = (content_type.encode(), body[:_SNIFFED_BYTES])
    declared = [match[1].decode() for head in heads if (match := _CHARSET_PATTERN.search(head))]
    codecs = [(wide_codec(body) or "utf-8", "strict"), *((name, "replace") for name in declared)]
    for codec, errors_mode in codecs:
        # The bytes may be of another codec; a declared one may not exist, or not be one for text.
        with suppress(LookupError, ValueError):
            return body.decode(codec, errors_mode).removeprefix("\ufeff")
    return body.decode("utf-8", "replace")


def type_refusal(headers: httpx.Headers, more: frozenset[str]) -> errors.UnsupportedContent | None:
    """Return the error for an unreadable type; ``more`` types are accepted as well."""
    kind = media_type_essence(headers.get("content-type", ""))
    is_accepted = is_readable_type(kind) or kind in more
    return None if is_accepted else errors.UnsupportedContent(content_type=kind[:100])


def is_challenge_head(status: int, headers: httpx.Headers) -> bool:
    """Tell by the status and headers whether the site shows a bot check."""
    if status == _LINKEDIN_REFUSAL:
        return True
    return any(headers.get(name, "").lower() == value for name, value in _CHALLENGE_HEADERS)


def is_challenge_body(body: bytes) -> bool:
    """Tell by the start of an error page whether it is a bot check."""
    lowered = body.lower()
    return any(mark in lowered for mark in _CHALLENGE_MARKS)
