"""Where a call goes: a service's address, as its users write it, and a path behind it."""

from collections.abc import Sequence

import msgspec

from .service import Access, Service


def joined(base: str, path: str) -> str:
    """Put a path behind an address that may end with the path's beginning already.

    People name an address with its version, without it, or with the whole endpoint. What stands
    behind a question mark stays at the end.

    >>> [joined(f"https://a.example{given}", "/v1/search") for given in ("", "/v1", "/v1/search")]
    ['https://a.example/v1/search', 'https://a.example/v1/search', 'https://a.example/v1/search']
    >>> joined("https://a.example/?team=1#top", "/v1/search")
    'https://a.example/v1/search?team=1'
    """
    place, question, query = _parted(base)
    return _behind(place, path) + question + query


def settled(access: Access, service: Service) -> Access:
    """Return an access at the root of what the user named, which may be any endpoint.

    The address that the service has anyway is no other one.
    """
    if not access.overridden:
        return access
    root = _root(access.base_url, service.endpoints)
    return msgspec.structs.replace(
        access, base_url=root, overridden=_site(root) != _site(service.base_url)
    )


def _root(base: str, endpoints: Sequence[str]) -> str:
    """Return an address without the endpoint that it ends with, if it does.

    >>> _root("https://a.example/proxy/v1/news?team=1", ("/v1/search", "/v1/news"))
    'https://a.example/proxy?team=1'
    """
    place, question, query = _parted(base)
    for endpoint in sorted(endpoints, key=len, reverse=True):
        if _path(place).endswith(endpoint):
            return place.removesuffix(endpoint) + question + query
    return base


def _behind(place: str, path: str) -> str:
    steps = path.split("/")
    for count in range(len(steps), 1, -1):
        if _path(place).endswith("/".join(steps[:count])):
            return "/".join([place, *steps[count:]])
    return place + path


def _parted(base: str) -> tuple[str, str, str]:
    place, question, query = base.partition("#")[0].partition("?")
    return place.rstrip("/"), question, query


def _path(place: str) -> str:
    return "/" + place.partition("://")[2].partition("/")[2]


def _site(base: str) -> str:
    scheme, _, rest = _parted(base)[0].lower().partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"
