"""Which dialect a call is in: by its prefix, or at the root by method, path and body."""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import msgspec

from ....adapters.dialect.declaration import Dialect, Endpoint


class EndpointMatch(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint that a path leads to; ``rest`` is what its star stands for."""

    dialect: Dialect
    endpoint: Endpoint
    prefix: str
    path: str
    rest: str = ""


class DialectTable:
    """The endpoints of all dialects, by method and path."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        """Know the paths of ``dialects``."""
        self.dialects: Mapping[str, Dialect] = {dialect.name: dialect for dialect in dialects}

    def find(self, method: str, path: str) -> list[EndpointMatch]:
        """Return who may be meant: one dialect under its prefix, or those that share a path."""
        first, _, rest = path[1:].partition("/")
        dialect = self.dialects.get(first)
        if dialect is not None:
            return _matches(dialect, f"/{first}", method, f"/{rest}")
        return [
            match
            for each in self.dialects.values()
            for match in _matches(each, "", method, path)
            if match.endpoint.root is not None
        ]

    def methods(self, path: str) -> tuple[str, ...]:
        """Return the methods that a path knows."""
        every = ("GET", "POST", "DELETE", "PUT")
        return tuple(method for method in every if self.find(method, path))


def _matches(dialect: Dialect, prefix: str, method: str, path: str) -> list[EndpointMatch]:
    return [
        EndpointMatch(dialect=dialect, endpoint=endpoint, prefix=prefix, path=path, rest=rest)
        for endpoint in dialect.endpoints
        if endpoint.method == method and (rest := star_value(endpoint.path, path)) is not None
    ][:1]


def star_value(template: str, path: str) -> str | None:
    """Return what stands for the star of a template, None when a path is another.

    A slash at the end makes no difference: to send a caller elsewhere loses its body.

    >>> star_value("/search", "/search/"), star_value("/crawl/*/errors", "/crawl/7/errors")
    ('', '7')
    >>> star_value("/r/**", "/r/http://a/b")
    'http://a/b'
    >>> star_value("/crawl/*", "/crawl/7/errors") is None
    True
    """
    before, star, after = template.partition("*")
    if not star:
        return "" if path.rstrip("/") == template.rstrip("/") else None
    if after == "*":
        return path.removeprefix(before) if path.startswith(before) else None
    trimmed = path.rstrip("/")
    if not trimmed.startswith(before) or not trimmed.endswith(after):
        return None
    middle = trimmed[len(before) : len(trimmed) - len(after)]
    return unquote(middle) if middle and "/" not in middle else None


def key_in_path(path: str) -> tuple[str, str]:
    """Return the key that stands in a path, and the path without it.

    Some clients can send no header, but keep a prefix.

    >>> key_in_path("/k/secret/searxng/search"), key_in_path("/search")
    (('secret', '/searxng/search'), ('', '/search'))
    """
    if not path.startswith("/k/"):
        return "", path
    key, _, rest = path[3:].partition("/")
    return unquote(key), f"/{rest}"
