"""Parts of a base URL from settings; a URL that cannot be parsed gives an empty value."""

from urllib.parse import urlsplit


def api_host(base_url: str) -> str:
    """Return the host in lower case.

    >>> api_host("https://API.example/v1")
    'api.example'
    >>> api_host("http://[::1]:80/")
    '::1'
    >>> api_host("http://[bad/")
    ''
    """
    try:
        return urlsplit(base_url).hostname or ""
    except ValueError:
        return ""


def api_port(base_url: str) -> int | None:
    """Return the port in the URL, or None.

    >>> api_port("http://box:11434/v1")
    11434
    >>> api_port("http://box/v1")
    >>> api_port("http://box:http/v1")
    """
    try:
        return urlsplit(base_url).port
    except ValueError:
        return None


def api_path(base_url: str) -> str:
    """Return the path, without the slash at its end.

    >>> api_path("https://api.example/v1/")
    '/v1'
    >>> api_path("https://api.example/")
    ''
    """
    try:
        return urlsplit(base_url).path.rstrip("/")
    except ValueError:
        return ""
