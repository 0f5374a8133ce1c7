"""URLs of rows, which nobody asked for: which keep the law, and when two of them are the same."""

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from ...ports.targets import FILE_HOST, MAX_URL_CHARS, remove_dot_segments
from ...ports.web import URL_PATTERN

_URL = re.compile(URL_PATTERN)
_FILES = f"http://{FILE_HOST}/"
# A line each: a plain host name, no port, any path; well within what the law allows.
_PLAIN_LABEL = r"[a-z0-9-]{1,63}+"
_PLAIN_URLS = re.compile(
    rf"(?:https?+://{_PLAIN_LABEL}\.{_PLAIN_LABEL}(?:\.{_PLAIN_LABEL}){{0,8}}+"
    r"(?![^/\n])[^\n]{0,7000}+\n)*+"
)
_VISIBLE_ASCII = bytes(range(0x21, 0x7F))
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def is_web_url(url: str) -> bool:
    """Tell whether ``url`` keeps the URL law: absolute, http or https, nothing hidden in it."""
    if len(url) > MAX_URL_CHARS or _URL.match(url) is None:
        return False
    host = url.partition("://")[2]
    return not host.startswith("[") or _is_ipv6(host[1:].partition("]")[0])


def is_document(url: object) -> bool:
    """Tell whether a URL is the address of a document of the index.

    >>> is_document("http://file.localhost/notes.md"), is_document("https://example.com/")
    (True, False)
    """
    return isinstance(url, str) and url.startswith(_FILES)


def are_web_urls(urls: Sequence[str]) -> bool:
    """Tell whether each of ``urls`` keeps the URL law; plain ones are looked at all at once.

    >>> are_web_urls(["https://a.example/x", "https://b.example:8080"])
    True
    """
    return _are_plain_urls(urls) or all(map(is_web_url, urls))


def canonical_url(url: str) -> str:
    """Return the spelling under which two names of one page are equal. Idempotent.

    >>> canonical_url("HTTPS://Example.com:443/x/../%7ea?b=%2f#top")
    'https://example.com/~a?b=%2F'
    """
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = parts.netloc.lower().removesuffix(_DEFAULT_PORTS.get(scheme, ":"))
    query = f"?{_normal_escapes(parts.query)}" if parts.query else ""
    path = remove_dot_segments(_normal_escapes(parts.path))
    return f"{scheme}://{host}{path or '/'}{query}"


def _are_plain_urls(urls: Sequence[str]) -> bool:
    """Tell whether all are as plain as nearly every URL is; a no only means: look closer."""
    page = "\n".join(urls) + "\n"
    # A line break inside a URL would make two of it: there must be one for each, nothing else.
    if not page.isascii() or page.encode().translate(None, _VISIBLE_ASCII) != b"\n" * len(urls):
        return False
    return _PLAIN_URLS.fullmatch(page) is not None


def _normal_escapes(text: str) -> str:
    return _ESCAPE.sub(_normal_escape, text)


def _normal_escape(escape: re.Match[str]) -> str:
    if escape[1] is None:
        # Left alone, it could become one with what follows: %4%31 is not %41.
        return "%25"
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
