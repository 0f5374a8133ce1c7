"""The HTTP requests of a service; apart from its declaration, which loads no HTTP client."""

import functools
from typing import TypeAlias
from urllib.parse import urlencode

import httpx
import msgspec

from ...ports.errors import InvalidQuery, NotConfigured, WebError
from ..http.body import ACCEPT_ENCODING
from ..http.error_mapping import http_network_error
from ..http.request_writing import RequestHead, WrittenRequest, write_http_head
from ..user_agent import USER_AGENT
from ..values.urls import join_path
from .calls import Access, ServiceCall

_Pairs: TypeAlias = tuple[tuple[str, str], ...]
_DEFAULT_HEADERS = (
    ("accept", "application/json"),
    ("accept-encoding", ACCEPT_ENCODING),
    ("user-agent", USER_AGENT),
)
_MAX_CACHED_HEADS = 64


class RequestWriter:
    """Writes the requests of one service, and caches the heads that it uses often."""

    def __init__(self) -> None:
        self._cached_head = functools.lru_cache(_MAX_CACHED_HEADS)(_service_call_head)

    def write(self, call: ServiceCall, access: Access) -> WrittenRequest | WebError:
        """Return the request, or an error if a part of it cannot be sent."""
        try:
            content, kind = _service_call_content(call)
            origin = access.base_url if access.overridden or not call.base else call.base
            # Parameters make a different URL each time, so caching would not help.
            write_head = _service_call_head if call.parameters else self._cached_head
            headers = (*call.headers, ("content-type", kind)) if kind else call.headers
            head = write_head(call.method, origin, call.path, call.parameters, headers)
        except httpx.HTTPError as error:
            return http_network_error(error, "")
        except (UnicodeError, httpx.InvalidURL):
            return InvalidQuery(field="query", reason="cannot be written as a request")
        if head is None:
            return NotConfigured(reason="The key has characters that no header can carry")
        return WrittenRequest(head, content)


def _service_call_content(call: ServiceCall) -> tuple[bytes, str]:
    if call.body is not None:
        return msgspec.json.encode(call.body), "application/json"
    if call.form is not None:
        return urlencode(call.form).encode(), "application/x-www-form-urlencoded"
    return b"", ""


def _service_call_head(
    method: str, origin: str, path: str, parameters: _Pairs, headers: _Pairs
) -> RequestHead | None:
    """Return the request head for a call; None when a header cannot be sent."""
    if not all(value.isascii() and value.isprintable() for _, value in headers):
        return None
    url = httpx.URL(join_path(origin, path))
    if parameters:
        url = url.copy_merge_params(parameters)
    # Every header except the length, so that httpx has none to add.
    call_names = {name for name, _ in headers}
    defaults = [header for header in _DEFAULT_HEADERS if header[0] not in call_names]
    host = ("host", url.netloc.decode("ascii"))
    return write_http_head(method, url, [host, *defaults, *headers])
