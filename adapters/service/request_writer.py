"""A service's call as a request: where it goes, what it carries, and whether it can be sent."""

from collections.abc import Sequence
from urllib.parse import urlencode

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, NotConfigured, WebError
from ..http.decoding import ACCEPT_ENCODING
from ..http.error_mapping import network_error
from ..http.request_writing import Letterhead, WrittenRequest, write_letterhead
from ..values.urls import join_path, split_base_url, url_path
from .declaration import Service
from .operations import Access, ServiceCall


def resolve_access(access: Access, service: Service) -> Access:
    """Return an access at the root of what the user named, which may be any endpoint.

    The address that the service has anyway is no other one.
    """
    if not access.overridden:
        return access
    root = _root(access.base_url, service.address.endpoints)
    return msgspec.structs.replace(
        access, base_url=root, overridden=_site(root) != _site(service.address.base_url)
    )


def _root(base: str, endpoints: Sequence[str]) -> str:
    """Return an address without the endpoint that it ends with, if it does.

    >>> _root("https://a.example/proxy/v1/news?team=1", ("/v1/search", "/v1/news"))
    'https://a.example/proxy?team=1'
    """
    place, question, query = split_base_url(base)
    for endpoint in sorted(endpoints, key=len, reverse=True):
        if url_path(place).endswith(endpoint):
            return place.removesuffix(endpoint) + question + query
    return base


def _site(base: str) -> str:
    scheme, _, rest = split_base_url(base)[0].lower().partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


_HEADERS = (
    ("accept", "application/json"),
    ("accept-encoding", ACCEPT_ENCODING),
    ("user-agent", "webseam"),
)
_MAX_LETTERHEADS = 64


class RequestWriter:
    """Writes the requests of one service, and keeps the letterheads that it uses often."""

    def __init__(self) -> None:
        """Begin with an empty drawer."""
        self._kept: dict[tuple[object, ...], Letterhead] = {}

    def write(self, call: ServiceCall, access: Access) -> Result[WrittenRequest, WebError]:
        """Write the request, or say what in it cannot be sent. The JSON is msgspec's."""
        try:
            content, kind = _content(call)
            head = self._head(call, access, kind)
        except httpx.HTTPError as error:
            return Failure(network_error(error, ""))
        except (UnicodeError, httpx.InvalidURL):
            return Failure(InvalidQuery(field="query", reason="cannot be written as a request"))
        if head is None:
            reason = "The key has characters that no header can carry"
            return Failure(NotConfigured(reason=reason))
        return Success(WrittenRequest(head, content))

    def _head(self, call: ServiceCall, access: Access, kind: str) -> Letterhead | None:
        """Return the letterhead for a call; None when one of its headers cannot be sent."""
        origin = access.base_url if access.overridden or not call.base else call.base
        # With parameters the address is another one each time.
        if call.parameters:
            return _letterhead(call, origin, kind)
        key = (call.method, origin, call.path, call.headers, kind)
        head = self._kept.get(key) or _letterhead(call, origin, kind)
        if head is not None and key not in self._kept:
            if len(self._kept) >= _MAX_LETTERHEADS:
                self._kept.clear()
            self._kept[key] = head
        return head


def _content(call: ServiceCall) -> tuple[bytes, str]:
    if call.body is not None:
        return msgspec.json.encode(call.body), "application/json"
    if call.form is not None:
        return urlencode(call.form).encode(), "application/x-www-form-urlencoded"
    return b"", ""


def _letterhead(call: ServiceCall, origin: str, kind: str) -> Letterhead | None:
    if not all(value.isascii() and value.isprintable() for _, value in call.headers):
        return None
    url = httpx.URL(join_path(origin, call.path))
    if call.parameters:
        url = url.copy_merge_params(call.parameters)
    return write_letterhead(call.method, url, _headers(call, url, kind))


def _headers(call: ServiceCall, url: httpx.URL, kind: str) -> list[tuple[str, str]]:
    """Return every header but the length: all are ours, so that httpx has none to work out."""
    own = {name for name, _ in call.headers}
    ours = [line for line in _HEADERS if line[0] not in own]
    host = ("host", url.netloc.decode("ascii"))
    return [host, *ours, *call.headers, *([("content-type", kind)] if kind else [])]
