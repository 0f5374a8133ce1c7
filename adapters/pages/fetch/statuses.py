"""What a page's status says, for someone who reads pages and has no key to be refused."""

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
from ...http.error_mapping import retry_after
from .content import is_readable, media_type_essence

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
        return RateLimited(retry_after=retry_after(headers, now))
    if httpx.codes.is_server_error(status) or status in _TRY_LATER:
        return UpstreamUnavailable(status=status, retry_after=retry_after(headers, now))
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
