"""Check the URLs of rows, and bring URLs to a canonical spelling."""

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from webseam.ports.targets import FILE_HOST, MAX_URL_CHARS, remove_dot_segments, tidy_url
from webseam.ports.text import lazy_pattern
from webseam.ports.web import URL_PATTERN

_URL_LAW_PATTERN = lazy_pattern(URL_PATTERN)
_FILE_URL_PREFIX = f"http://{FILE_HOST}/"
# One URL a line: a plain host name, no port, any path; always within the URL law.
_PLAIN_LABEL = r"[a-z0-9-]{1,63}+"
_PLAIN_URLS_PATTERN = re.compile(
    rf"(?:https?+://{_PLAIN_LABEL}\.{_PLAIN_LABEL}(?:\.{_PLAIN_LABEL}){{0,8}}+"
    r"(?![^/\n])[^\n]{0,7000}+\n)*+"
)
_VISIBLE_ASCII = bytes(range(0x21, 0x7F))
_ESCAPE_PATTERN = lazy_pattern(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DEFAULT_PORT_SUFFIXES = {"http": ":80", "https": ":443"}


def is_web_url(url: str) -> bool:
    """Tell whether ``url`` keeps the URL law: absolute, http or https, no hidden characters."""
    if len(url) > MAX_URL_CHARS or _URL_LAW_PATTERN.match(url) is None:
        return False
    host = url.partition("://")[2]
    return not host.startswith("[") or _is_ipv6_address(host[1:].partition("]")[0])


def is_document_url(url: object) -> bool:
    """Tell whether a URL addresses a document of the index.

    >>> is_document_url("http://file.localhost/notes.md"), is_document_url("https://example.com/")
    (True, False)
    """
    return isinstance(url, str) and url.startswith(_FILE_URL_PREFIX)


def are_web_urls(urls: Sequence[str]) -> bool:
    """Tell whether each of ``urls`` keeps the URL law; plain ones are checked in one match.

    >>> are_web_urls(["https://a.example/x", "https://b.example:8080"])
    True
    """
    return _are_plain_urls(urls) or all(map(is_web_url, urls))


def canonical_url(url: str) -> str:
    """Return the canonical spelling, equal for two spellings of one page. Idempotent.

    >>> canonical_url("HTTPS://Example.com:443/x/../%7ea?b=%2f#top")
    'https://example.com/~a?b=%2F'
    """
    parts = urlsplit(tidy_url(url))
    scheme = parts.scheme.lower()
    host = parts.netloc.lower().removesuffix(_DEFAULT_PORT_SUFFIXES.get(scheme, ":"))
    query = f"?{_normalise_escapes(parts.query)}" if parts.query else ""
    path = remove_dot_segments(_normalise_escapes(parts.path))
    return f"{scheme}://{host}{path or '/'}{query}"


def _are_plain_urls(urls: Sequence[str]) -> bool:
    """Tell whether all URLs match the plain form; a False proves nothing."""
    lines = "\n".join(urls) + "\n"
    # A line break inside a URL would look like two URLs, so count them: one for each URL.
    if not lines.isascii() or lines.encode().translate(None, _VISIBLE_ASCII) != b"\n" * len(urls):
        return False
    return _PLAIN_URLS_PATTERN.fullmatch(lines) is not None


def _normalise_escapes(text: str) -> str:
    return _ESCAPE_PATTERN.sub(_escape_replacement, text)


def _escape_replacement(escape: re.Match[str]) -> str:
    if escape[1] is None:
        # Escape a lone percent sign: unescaped, it could join what follows (%4%31 is not %41).
        return "%25"
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED_CHARS else escape[0].upper()


def _is_ipv6_address(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
