"""Joining addresses that users typed with the paths of an API, and splitting URLs."""

from urllib.parse import SplitResult, urlsplit


def join_path(base: str, path: str) -> str:
    """Append a path to an address that may already end with the start of the path.

    Users give an address with its version, without it, or with the whole endpoint. A query stays
    at the end.

    >>> [join_path(f"https://a.example{end}", "/v1/search") for end in ("", "/v1", "/v1/search")]
    ['https://a.example/v1/search', 'https://a.example/v1/search', 'https://a.example/v1/search']
    >>> join_path("https://a.example/?team=1#top", "/v1/search")
    'https://a.example/v1/search?team=1'
    """
    address, mark, query = split_base_url(base)
    return _append_url_path(address, path) + mark + query


def split_base_url(base: str) -> tuple[str, str, str]:
    """Return an address without its final slash, the question mark, and the query.

    >>> split_base_url("https://a.example/v1/?team=1")
    ('https://a.example/v1', '?', 'team=1')
    """
    address, mark, query = base.partition("#")[0].partition("?")
    return address.rstrip("/"), mark, query


def url_path(url: str) -> str:
    """Return the path of an address, which begins with a slash.

    >>> url_path("https://a.example/v1")
    '/v1'
    >>> url_path("https://a.example")
    '/'
    """
    return "/" + url.partition("://")[2].partition("/")[2]


def _append_url_path(address: str, path: str) -> str:
    steps = path.split("/")
    for count in range(len(steps), 1, -1):
        if url_path(address).endswith("/".join(steps[:count])):
            return "/".join([address, *steps[count:]])
    return address + path


def split_host(url: str) -> tuple[str, SplitResult]:
    """Return the host in lower case and the parts of a URL; all empty if it is malformed.

    >>> split_host("https://A.example/x")[0]
    'a.example'
    >>> split_host("https://[")[0]
    ''
    """
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").lower(), parts
    except ValueError:
        return "", urlsplit("")
