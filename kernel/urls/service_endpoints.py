"""Check configured endpoints: a key goes only over https or to this machine."""

import ipaddress

from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidUrl

from ..text.redaction import redact_url
from .url_parsing import parse_target


def check_endpoint_url(
    url: object, *, with_key: bool, plain_http: bool = False, setting: str = ""
) -> Result[str, InvalidUrl]:
    """Return ``url`` if it can be called; with a key it must be https or on this machine.

    The user may allow ``plain_http`` for an endpoint; ``setting`` names how, for the error.

    >>> check_endpoint_url("http://api.example/search", with_key=True).failure().reason
    'a key is only sent over https or to this machine'
    """
    parsed = parse_target(url)
    if isinstance(parsed, Failure):
        # No policy denies an address in settings, so it is an invalid URL.
        refusal = parsed.failure()
        return Failure(InvalidUrl(reason=refusal.reason, url=refusal.url))
    target = parsed.unwrap()
    is_clear_text = target.scheme != "https" and not is_loopback(target.host)
    if with_key and is_clear_text and not plain_http:
        hint = f"; {setting} allows it for this endpoint" if setting else ""
        reason = f"a key is only sent over https or to this machine{hint}"
        return Failure(InvalidUrl(reason=reason, url=redact_url(target.asked)))
    return Success(target.asked)


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
