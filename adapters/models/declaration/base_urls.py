"""Parts of a base URL that somebody typed: what cannot be read is empty, never an exception."""

from urllib.parse import urlsplit


def host_of(base_url: str) -> str:
    """Return the host in small letters.

    >>> host_of("https://API.example/v1"), host_of("http://[::1]:80/"), host_of("http://[bad/")
    ('api.example', '::1', '')
    """
    try:
        return urlsplit(base_url).hostname or ""
    except ValueError:
        return ""


def port_of(base_url: str) -> int | None:
    """Return the port if one is written.

    >>> port_of("http://box:11434/v1"), port_of("http://box/v1"), port_of("http://box:http/v1")
    (11434, None, None)
    """
    try:
        return urlsplit(base_url).port
    except ValueError:
        return None


def path_of(base_url: str) -> str:
    """Return the path, without the slash at its end.

    >>> path_of("https://api.example/v1/"), path_of("https://api.example/")
    ('/v1', '')
    """
    try:
        return urlsplit(base_url).path.rstrip("/")
    except ValueError:
        return ""
