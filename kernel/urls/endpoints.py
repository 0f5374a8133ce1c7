"""Endpoints that the user configured: where a key may be sent, and where not."""

import ipaddress
from urllib.parse import urlsplit

from returns.result import Failure, Result, Success

from ...ports.errors import InvalidUrl
from ..text.redaction import redact_url
from .spelling import check_url


def check_endpoint(url: object, *, with_key: bool) -> Result[str, InvalidUrl]:
    """Return ``url`` if it can be called; with a key it must be https or on this machine.

    >>> check_endpoint("http://api.example/search", with_key=True).failure().reason
    'a key is only sent over https or to this machine'
    """
    checked = check_url(url)
    if isinstance(checked, Failure):
        return checked
    endpoint = checked.unwrap()
    parts = urlsplit(endpoint)
    if with_key and parts.scheme.lower() != "https" and not is_loopback(parts.hostname or ""):
        reason = "a key is only sent over https or to this machine"
        return Failure(InvalidUrl(reason=reason, url=redact_url(endpoint)))
    return Success(endpoint)


def is_loopback(host: str) -> bool:
    """Tell whether a host name or literal address is this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("localhost.example.com")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
