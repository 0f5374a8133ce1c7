"""A wire's request as HTTP: the JSON written once, the proof made over those very bytes."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import InvalidQuery, NotConfigured, WebError
from ...http.decoding import ACCEPT_ENCODING
from ...values.urls import joined
from ..declaration.account import Account, Outgoing
from ..declaration.provider import Provider
from ..declaration.wire import WireRequest


def _plain(value: object) -> object:
    """Write any mapping as an object."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)


def write_request(
    built: WireRequest, provider: Provider, account: Account, accept: str
) -> Result[Outgoing, WebError]:
    """Return the request but for its proof, or say what in it cannot be sent.

    Of a request's own words only the session goes into headers.
    """
    try:
        content = _ENCODER.encode(built.body)
    # Halves of surrogate pairs are a ValueError, circles a RecursionError.
    except (TypeError, ValueError, RecursionError):
        reason = "holds something that cannot be written as JSON"
        return Failure(InvalidQuery(field="messages", reason=reason))
    if not _can_be_sent(built.headers):
        reason = "holds characters that no header can carry"
        return Failure(InvalidQuery(field="session", reason=reason))
    query = f"?{urlencode(provider.http.query)}" if provider.http.query else ""
    headers = {
        "accept": accept,
        "accept-encoding": ACCEPT_ENCODING,
        "user-agent": "webseam",
        "content-type": "application/json",
    }
    for name, value in (*provider.http.headers, *built.headers):
        headers[name.lower()] = value
    url = joined(account.base_url, built.path) + query
    return Success(Outgoing(url=url, headers=tuple(headers.items()), content=content))


def prove(
    outgoing: Outgoing, provider: Provider, account: Account, now: float
) -> Result[httpx.Request, WebError]:
    """Return the request as it is sent, with the proof of who is calling."""
    proof = provider.login.prove(outgoing, account, now)
    headers = [*outgoing.headers, *proof]
    if not _can_be_sent(headers):
        reason = "The key or a header has characters that no header can carry"
        return Failure(NotConfigured(reason=reason, settings=provider.login.env or ("headers",)))
    try:
        url = httpx.URL(outgoing.url)
    except (httpx.InvalidURL, UnicodeError):
        reason = "The base URL cannot be used"
        return Failure(
            NotConfigured(reason=reason, settings=(provider.login.base_url_env or "base_url",))
        )
    host = ("host", url.netloc.decode("ascii"))
    length = ("content-length", str(len(outgoing.content)))
    stream = httpx.ByteStream(outgoing.content)
    return Success(httpx.Request("POST", url, headers=[host, *headers, length], stream=stream))


def _can_be_sent(headers: Iterable[tuple[str, str]]) -> bool:
    return all(value.isascii() and value.isprintable() for _, value in headers)
