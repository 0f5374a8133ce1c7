"""The files of the page, and what a browser may do with them: nothing but ask this gateway."""

from importlib.resources import files

from ....adapters.gateway.refusal import Reply

# Nothing from elsewhere, nothing inline, no text that becomes HTML, no frame around it.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_HEADERS = (
    ("content-security-policy", _POLICY),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-cache"),
)
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/playground/style.css": ("style.css", "text/css; charset=utf-8"),
    "/playground/script.js": ("script.js", "text/javascript; charset=utf-8"),
}


def playground_asset(path: str, search: str) -> Reply | None:
    """Return a file of the page; None when it is none.

    ``/`` with a query is a search: clients of SearXNG ask there.
    """
    if path not in _FILES or (path == "/" and search):
        return None
    name, media_type = _FILES[path]
    body = files(__package__).joinpath(name).read_bytes()
    return Reply(body=body, media_type=media_type, headers=_HEADERS)
