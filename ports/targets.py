"""Parse a URL once, so that the checked URL is the requested one."""

import re
from typing import Final, Literal, TypeAlias

import msgspec

from .secrets import Secret
from .text import lazy_pattern

MAX_URL_CHARS = 8192
# The host of local files in results: every row must have an http URL, and this host never leaves
# the machine (RFC 6761, section 6.3).
FILE_HOST = "file.localhost"
# Dot segments are removed before a path is judged or requested.
_DOT_SEGMENT_PATTERN: Final = lazy_pattern(r"(?i)/(?:\.|%2e){1,2}(?:/|$)")
_BLANKS: Final = " \t\n\f\r"
_EMPTY_PORT_PATTERN: Final = lazy_pattern(r"\A([A-Za-z][A-Za-z0-9+.-]*+://[^/?#]+):(?=[/?#]|\Z)")
_SAME_SEGMENTS: Final = frozenset({".", "%2e"})
_PARENT_SEGMENTS: Final = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})
_ESCAPE_PATTERN: Final = lazy_pattern(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED_CHARS: Final = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
)


class Proxy(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy's address. ``setting`` is the variable or setting that names it, for errors.

    ``credentials`` is the value of the ``Proxy-Authorization`` header, or empty.
    """

    host: str
    port: int
    credentials: Secret
    setting: str


Scheme: TypeAlias = Literal["http", "https"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The target of one request. ``host`` is lower-case ASCII without brackets or a last dot.

    ``literal`` tells an address from a name; ``path`` is path and query as sent. ``asked`` is the
    original text, which backends and results get.
    """

    scheme: Scheme
    host: str
    port: int
    path: str
    literal: bool
    asked: str

    @property
    def authority(self) -> str:
        """Host and port as in a Host header, without the default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL in canonical spelling."""
        return f"{self.scheme}://{self.authority}{self.path}"


DEFAULT_PORTS: dict[Scheme, int] = {"http": 80, "https": 443}


def tidy_url(url: str) -> str:
    r"""Return a URL without blanks around it and without a colon that no port follows.

    Browsers drop both. RFC 3986, 3.2.3, allows the colon; the URL law in web.py does not.

    >>> tidy_url(" https://example.com:/x\n"), tidy_url("https://[::1]:?q"), tidy_url("http://:/")
    ('https://example.com/x', 'https://[::1]?q', 'http://:/')
    """
    return _EMPTY_PORT_PATTERN.sub(r"\1", url.strip(_BLANKS))


def comparable_host(text: str) -> str:
    """Return the one spelling in which hosts are compared: lower-case ASCII, no last dot.

    A host that is refused in a request is mapped as a browser maps it (UTS 46): a filter
    must know which site it is.

    >>> comparable_host("Bücher.Example."), comparable_host("ⓑücher.example")
    ('xn--bcher-kva.example', 'xn--bcher-kva.example')
    """
    if text.isascii():
        return text.lower().removesuffix(".")
    import idna  # noqa: PLC0415  few hosts need it

    try:
        mapped = idna.uts46_remap(text, std3_rules=False, transitional=False).removesuffix(".")
        labels = [
            label if label.isascii() else idna.alabel(label).decode("ascii")
            for label in mapped.split(".")
        ]
    except (idna.IDNAError, UnicodeError):
        return text.lower().removesuffix(".")
    return ".".join(labels)


def normalise_escapes(text: str) -> str:
    """Return a part of a URL in which each character is escaped in one way, or not at all.

    RFC 3986, 6.2.2: ``%7e`` is ``~``, and ``%2f`` is ``%2F``. A lone percent sign is escaped.
    Idempotent.

    >>> normalise_escapes("/%7eme/%2f/100%")
    '/~me/%2F/100%25'
    """
    return _ESCAPE_PATTERN.sub(_normalised_escape, text) if "%" in text else text


def _normalised_escape(escape: re.Match[str]) -> str:
    if escape[1] is None:
        # Unescaped, it could join what follows: %4%31 is not %41.
        return "%25"
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED_CHARS else escape[0].upper()


def remove_dot_segments(path: str) -> str:
    """Return a path without ``.`` and ``..`` segments, including percent-encoded ones.

    RFC 3986, 5.2.4, and https://url.spec.whatwg.org/#path-state (read 2026-11-17).

    >>> (remove_dot_segments("/a/./b/%2E%2e/c/.."), remove_dot_segments("/../x"),
    ...  remove_dot_segments("/a/.../b"))
    ('/a/', '/x', '/a/.../b')
    """
    return _resolve_dot_segments(path) if _DOT_SEGMENT_PATTERN.search(path) else path


def _resolve_dot_segments(path: str) -> str:
    segments: list[str] = []
    lowered = path.lower().split("/")[1:]
    for name, segment in zip(lowered, path.split("/")[1:], strict=True):
        if name in _PARENT_SEGMENTS:
            del segments[-1:]
        elif name not in _SAME_SEGMENTS:
            segments.append(segment)
    if lowered[-1] in _SAME_SEGMENTS | _PARENT_SEGMENTS:
        segments.append("")
    return "/" + "/".join(segments)
