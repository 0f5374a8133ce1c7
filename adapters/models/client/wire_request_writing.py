"""A wire's request as HTTP: the JSON written once, with all but the proof of who calls."""

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import InvalidQuery, WebError
from ...http.decoding import ACCEPT_ENCODING
from ...values.urls import join_path
from ..declaration.account import Account, Outgoing, can_be_sent
from ..declaration.provider import Headers, Provider
from ..declaration.wire import WireRequest


def _plain(value: object) -> object:
    """Write any mapping as an object."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)


def write_request(
    wire_request: WireRequest, provider: Provider, account: Account, accept: str
) -> Result[Outgoing, WebError]:
    """Return the request but for its proof, or say what in it cannot be sent.

    Of a request's own words only the session goes into headers.
    """
    try:
        content = _ENCODER.encode(wire_request.body)
    # Halves of surrogate pairs are a ValueError, circles a RecursionError.
    except (TypeError, ValueError, RecursionError):
        reason = "holds something that cannot be written as JSON"
        return Failure(InvalidQuery(field="messages", reason=reason))
    if not can_be_sent(wire_request.headers):
        reason = "holds characters that no header can carry"
        return Failure(InvalidQuery(field="session", reason=reason))
    headers = _headers(provider, wire_request.headers, accept) | {
        "content-type": "application/json"
    }
    url = _url(provider, account, wire_request.path)
    return Success(Outgoing(url=url, headers=tuple(headers.items()), content=content))


def fetch_request(path: str, provider: Provider, account: Account) -> Result[Outgoing, WebError]:
    """Return the request that only asks for what is at a path, but for its proof."""
    headers = _headers(provider, (), "application/json")
    url = _url(provider, account, path)
    return Success(Outgoing(url=url, headers=tuple(headers.items()), content=b"", method="GET"))


def _headers(provider: Provider, more: Headers, accept: str) -> dict[str, str]:
    headers = {"accept": accept, "accept-encoding": ACCEPT_ENCODING, "user-agent": "webseam"}
    for name, value in (*provider.http.headers, *more):
        headers[name.lower()] = value
    return headers


def _url(provider: Provider, account: Account, path: str) -> str:
    url = join_path(account.base_url, path)
    if not provider.http.query:
        return url
    return f"{url}{'&' if '?' in path else '?'}{urlencode(provider.http.query)}"
