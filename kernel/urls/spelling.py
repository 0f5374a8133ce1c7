"""Check the URLs of rows, and bring URLs to a canonical spelling."""

import ipaddress
import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from webseam.ports.targets import FILE_HOST, MAX_URL_CHARS, comparable_host, tidy_url
from webseam.ports.text import lazy_pattern
from webseam.ports.web import URL_PATTERN

from .url_parsing import url_wire_path, url_wire_text

_URL_LAW_PATTERN = lazy_pattern(URL_PATTERN)
_FILE_URL_PREFIX = f"http://{FILE_HOST}/"
# One URL a line: a plain host name, no port, any path; always within the URL law.
_PLAIN_LABEL = r"[a-z0-9-]{1,63}+"
_PLAIN_URLS_PATTERN = re.compile(
    rf"(?:https?+://{_PLAIN_LABEL}\.{_PLAIN_LABEL}(?:\.{_PLAIN_LABEL}){{0,8}}+"
    r"(?![^/\n])[^\n]{0,7000}+\n)*+"
)
_VISIBLE_ASCII = bytes(range(0x21, 0x7F))
# Scheme, authority, path with query, and fragment.
_URL_PARTS_PATTERN = lazy_pattern(r"([^:/?#]*):?(?://([^/?#]*))?([^#]*)(?:#(.*))?", re.DOTALL)
# A fragment that names a page of an app, and not a position in a page: #/orders/2, #!about.
_ROUTE_STARTS = ("/", "!")
_DEFAULT_PORT_SUFFIXES = {"http": ":80", "https": ":443"}


def is_web_url(url: str) -> bool:
    """Tell whether ``url`` keeps the URL law: absolute, http or https, no hidden characters."""
    if len(url) > MAX_URL_CHARS or _URL_LAW_PATTERN.match(url) is None:
        return False
    host = url.partition("://")[2]
    return not host.startswith("[") or _is_ipv6_address(host[1:].partition("]")[0])


def complete_web_url(text: str) -> str:
    """Put https:// before a host name, as a browser does; return other texts unchanged.

    A host has a dot, so that a misspelt word stays what it is.

    >>> complete_web_url("example.com/tides"), complete_web_url("localhost")
    ('https://example.com/tides', 'localhost')
    """
    host = text.partition("/")[0].partition(":")[0]
    if "." not in host or not is_web_url(f"https://{text}"):
        return text
    return f"https://{text}"


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


class PageAddress(NamedTuple):
    """The parts of a URL that make a page; ``path`` has the query, ``route`` the mark before it."""

    scheme: str
    host: str
    path: str
    route: str


def canonical_url(url: str) -> str:
    """Return the canonical spelling, equal for two spellings of one page. Idempotent.

    Two URLs are one page only if the same bytes are requested for them: this is the URL that
    ``parse_target`` requests. A fragment that names a route of an app stays, because the app shows
    another page for it.

    >>> canonical_url("HTTPS://Example.com:443/x/../%7ea?b=%2f#top")
    'https://example.com/~a?b=%2F'
    >>> canonical_url("https://Bücher.example./ü#!/orders/2")
    'https://xn--bcher-kva.example/%C3%BC#!/orders/2'
    """
    page = page_address(url)
    return f"{page.scheme}://{page.host}{page.path}{page.route}"


def page_address(url: str) -> PageAddress:
    """Return the parts of the canonical URL."""
    # The pattern matches every text.
    parts = cast("re.Match[str]", _URL_PARTS_PATTERN.fullmatch(tidy_url(url)))
    scheme, authority, tail, fragment = parts.groups(default="")
    scheme = scheme.lower()
    return PageAddress(
        scheme, _canonical_authority(authority, scheme), url_wire_path(tail), _route(fragment)
    )


def drop_route(url: str) -> str:
    """Return the canonical URL without a route: what a server is asked for.

    >>> drop_route("https://a.example/app#/orders/2")
    'https://a.example/app'
    """
    page = page_address(url)
    return f"{page.scheme}://{page.host}{page.path}"


def url_host(url: str) -> str:
    """Return the host of a URL in the spelling in which hosts are compared, without its port.

    >>> url_host("https://Bücher.example:8080/x"), url_host("http://[::1]:80/")
    ('xn--bcher-kva.example', '::1')
    """
    host = page_address(url).host
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


def _canonical_authority(authority: str, scheme: str) -> str:
    authority = authority.removesuffix(_DEFAULT_PORT_SUFFIXES.get(scheme, ":"))
    if authority.startswith("["):
        address, _, port = authority[1:].partition("]")
        try:
            return f"[{ipaddress.IPv6Address(address)}]{port}"
        except ValueError:
            return authority.lower()
    name, colon, port = authority.partition(":")
    return f"{comparable_host(name)}{colon}{port}"


def _route(fragment: str) -> str:
    """Return a fragment with its mark if it names a route, else nothing."""
    return f"#{url_wire_text(fragment)}" if fragment.startswith(_ROUTE_STARTS) else ""


def _are_plain_urls(urls: Sequence[str]) -> bool:
    """Tell whether all URLs match the plain form; a False proves nothing."""
    lines = "\n".join(urls) + "\n"
    # A line break inside a URL would look like two URLs, so count them: one for each URL.
    if not lines.isascii() or lines.encode().translate(None, _VISIBLE_ASCII) != b"\n" * len(urls):
        return False
    return _PLAIN_URLS_PATTERN.fullmatch(lines) is not None


def _is_ipv6_address(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
