"""Addresses that somebody typed, put together with the paths of an API."""


def joined(base: str, path: str) -> str:
    """Put a path behind an address that may end with the path's beginning already.

    People name an address with its version, without it, or with the whole endpoint. What stands
    behind a question mark stays at the end.

    >>> [joined(f"https://a.example{end}", "/v1/search") for end in ("", "/v1", "/v1/search")]
    ['https://a.example/v1/search', 'https://a.example/v1/search', 'https://a.example/v1/search']
    >>> joined("https://a.example/?team=1#top", "/v1/search")
    'https://a.example/v1/search?team=1'
    """
    place, question, query = parted(base)
    return _behind(place, path) + question + query


def parted(base: str) -> tuple[str, str, str]:
    """Return an address without the slash at its end, the question mark, and the query.

    >>> parted("https://a.example/v1/?team=1")
    ('https://a.example/v1', '?', 'team=1')
    """
    place, question, query = base.partition("#")[0].partition("?")
    return place.rstrip("/"), question, query


def path_of(place: str) -> str:
    """Return the path of an address, which begins with a slash.

    >>> path_of("https://a.example/v1"), path_of("https://a.example")
    ('/v1', '/')
    """
    return "/" + place.partition("://")[2].partition("/")[2]


def _behind(place: str, path: str) -> str:
    steps = path.split("/")
    for count in range(len(steps), 1, -1):
        if path_of(place).endswith("/".join(steps[:count])):
            return "/".join([place, *steps[count:]])
    return place + path
