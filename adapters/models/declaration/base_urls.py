"""Parts of a base URL from settings; a URL that cannot be parsed gives an empty value."""

from urllib.parse import urlsplit


def declared_api_host(base_url: str) -> str:
    """Return the host in lower case.

    >>> declared_api_host("https://API.example/v1"), declared_api_host("http://[::1]:80/"), declared_api_host("http://[bad/")
    ('api.example', '::1', '')
    """
    try:
        return urlsplit(base_url).hostname or ""
    except ValueError:
        return ""


def declared_api_port(base_url: str) -> int | None:
    """Return the port in the URL, or None.

    >>> declared_api_port("http://box:11434/v1"), declared_api_port("http://box/v1"), declared_api_port("http://box:http/v1")
    (11434, None, None)
    """
    try:
        return urlsplit(base_url).port
    except ValueError:
        return None


def declared_api_path(base_url: str) -> str:
    """Return the path, without the slash at its end.

    >>> declared_api_path("https://api.example/v1/"), declared_api_path("https://api.example/")
    ('/v1', '')
    """
    try:
        return urlsplit(base_url).path.rstrip("/")
    except ValueError:
        return ""
