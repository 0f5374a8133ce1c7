"""Files as places on the web: each has an http URL, because every result row must have one.

``.localhost`` always means this machine (RFC 6761), so such a URL leads nowhere else.
"""

from pathlib import Path
from urllib.parse import unquote

FILE_SITE = "http://file.localhost"


def file_url(path: Path) -> str:
    """Return the URL under which a file stands in results.

    >>> file_url(Path("/notes/to do.md"))
    'http://file.localhost/notes/to%20do.md'
    """
    return FILE_SITE + path.absolute().as_uri().removeprefix("file://")


def file_path(url: str) -> Path | None:
    """Return the file that a URL stands for; None when it is a page of the web.

    >>> str(file_path("http://file.localhost/notes/to%20do.md"))
    '/notes/to do.md'
    """
    if not url.startswith(f"{FILE_SITE}/"):
        return None
    path = unquote(url.removeprefix(FILE_SITE), "utf-8", "surrogateescape")
    # A drive letter, as in /C:/notes, has no slash in front of it.
    return Path(path[1:] if path[2:3] == ":" else path)


def is_web_address(text: str) -> bool:
    """Tell whether a user means a page of the web, not a file."""
    return text.lower().startswith(("http://", "https://")) and file_path(text) is None
