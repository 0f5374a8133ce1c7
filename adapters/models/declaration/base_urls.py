"""Parts of a base URL from settings; a URL that cannot be parsed gives an empty value."""

from urllib.parse import urlsplit


def url_host(base_url: str) -> str:
    """Return the host in lower case.

    >>> url_host("https://API.example/v1"), url_host("http://[::1]:80/"), url_host("http://[bad/")
    ('api.example', '::1', '')
    """
    try:
        return urlsplit(base_url).hostname or ""
    except ValueError:
        return ""


def url_port(base_url: str) -> int | None:
    """Return the port in the URL, or None.

    >>> url_port("http://box:11434/v1"), url_port("http://box/v1"), url_port("http://box:http/v1")
    (11434, None, None)
    """
    try:
        return urlsplit(base_url).port
    except ValueError:
        return None


def url_path(base_url: str) -> str:
    """Return the path, without the slash at its end.

    >>> url_path("https://api.example/v1/"), url_path("https://api.example/")
    ('/v1', '')
    """
    try:
        return urlsplit(base_url).path.rstrip("/")
    except ValueError:
        return ""
