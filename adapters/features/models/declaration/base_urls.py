"""Parts of a base URL from settings; a URL that cannot be parsed gives an empty value."""

from urllib.parse import urlsplit


def api_host(base_url: str) -> str:
    """Return the host in lower case."""
    try:
        return urlsplit(base_url).hostname or ""
    except ValueError:
        return ""


def api_port(base_url: str) -> int | None:
    """Return the port in the URL, or None."""
    try:
        return urlsplit(base_url).port
    except ValueError:
        return None


def api_path(base_url: str) -> str:
    """Return the path, without the slash at its end."""
    try:
        return urlsplit(base_url).path.rstrip("/")
    except ValueError:
        return ""
