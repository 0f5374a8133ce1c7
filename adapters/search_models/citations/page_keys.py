"""When two addresses that a model cites are the same page."""

import re
from ipaddress import IPv6Address
from string import ascii_letters, digits
from urllib.parse import SplitResult, quote, urlsplit

from ....ports.targets import remove_dot_segments
from ....ports.web import URL_PATTERN

_URL = re.compile(URL_PATTERN)
_MAX_URL_CHARS = 8192
_PORTS = {"http": ":80", "https": ":443"}
# What links are marked with on their way; OpenAI adds utm_source=openai to each.
_TRACKING = re.compile(
    r"utm_\w*|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|igshid|srsltid|mc_[ce]id|_hs(?:enc|mi)"
)
_ESCAPE = re.compile(r"%([0-9a-f]{2})?", re.IGNORECASE)
_ASCII = "".join(map(chr, range(0x80)))
_UNRESERVED = frozenset(f"{ascii_letters}{digits}-._~")
_POST = re.compile(r"/(?:i/(?:web/)?|[^/]+/)?status(?:es)?/(\d+)(?:/.*)?")


def is_address(url: str) -> bool:
    """Tell whether ``url`` can be a row's: absolute, http or https, nothing hidden in it."""
    if len(url) > _MAX_URL_CHARS or _URL.match(url) is None:
        return False
    try:
        # Refuses names that are others in disguise, such as one with a sign that means a slash.
        parts = urlsplit(url)
        if parts.netloc.startswith("["):
            IPv6Address(parts.hostname or "")
    except ValueError:
        return False
    return True


def page_key(url: str) -> str:
    """Return the spelling that every address of one page shares. Idempotent.

    >>> page_key("HTTPS://www.Example.com:443/a/?utm_source=openai&b=1#top")
    'https://example.com/a?b=1'
    >>> page_key("https://twitter.com/someone/status/42?s=20")
    'https://x.com/i/status/42'
    """
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = _host(parts.netloc.lower().removesuffix(_PORTS.get(scheme, ":")))
    path = remove_dot_segments(_escapes(parts.path))
    post = _POST.fullmatch(path) if host == "x.com" else None
    if post is not None:
        return f"https://x.com/i/status/{post[1]}"
    return f"{scheme}://{host}{path.rstrip('/')}{_rest(parts)}"


def url_host(url: str) -> str:
    """Return the host of an address, which stands for a title that nobody gave.

    >>> url_host("https://Tides.example:8080/today")
    'tides.example'
    """
    return urlsplit(url).hostname or ""


def post_title(url: str) -> str:
    """Name a post on X by its author, else by its number; nothing for any other page.

    >>> post_title("https://x.com/harbour/status/42"), post_title("https://x.com/i/status/42")
    ('@harbour', 'X post 42')
    """
    parts = urlsplit(url)
    post = _POST.fullmatch(parts.path) if _host(parts.netloc.lower()) == "x.com" else None
    if post is None:
        return ""
    author = parts.path.split("/")[1]
    return f"X post {post[1]}" if author in ("i", "status", "statuses") else f"@{author}"


def _host(netloc: str) -> str:
    # More than one, or taking it off once would not be the last time.
    while netloc.startswith("www."):
        netloc = netloc.removeprefix("www.")
    return {"twitter.com": "x.com", "mobile.twitter.com": "x.com"}.get(netloc, netloc)


def _rest(parts: SplitResult) -> str:
    parameters = [
        each
        for each in parts.query.split("&")
        if each and not _TRACKING.fullmatch(each.partition("=")[0].lower())
    ]
    query = f"?{_escapes('&'.join(parameters))}" if parameters else ""
    # A fragment is a place in the page, but for those that are a page of their own.
    return query + (f"#{parts.fragment}" if parts.fragment.startswith("!") else "")


def _escapes(text: str) -> str:
    # Beyond ASCII both spellings are met: /wiki/Köln and /wiki/K%C3%B6ln.
    return _ESCAPE.sub(_escape, quote(text, safe=_ASCII, errors="replace"))


def _escape(escape: re.Match[str]) -> str:
    if escape[1] is None:
        # Left alone, it could become one with what follows.
        return "%25"
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()
