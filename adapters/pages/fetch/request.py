"""The request, as bytes. It says nothing about who asks: no cookie, no key, no referrer."""

from ....ports.targets import Target
from ...http.decoding import ACCEPT_ENCODING

_ACCEPT = (
    "text/html,application/xhtml+xml,application/xml;q=0.9,text/markdown;q=0.9,text/plain;q=0.8,"
    "application/pdf;q=0.7,*/*;q=0.1"
)


def request_bytes(target: Target, user_agent: str, *, whole_url: bool = False) -> bytes:
    """Write the GET request for a target, on a connection of its own.

    A target is plain ASCII without a blank; the user agent is made so. A proxy that passes the
    request on wants the whole URL in it.
    """
    agent = "".join(char for char in user_agent if " " <= char <= "~")
    lines = (
        f"GET {target.url if whole_url else target.path} HTTP/1.1",
        f"Host: {target.authority}",
        f"User-Agent: {agent}",
        f"Accept: {_ACCEPT}",
        f"Accept-Encoding: {ACCEPT_ENCODING}",
        "Connection: close",
        "",
        "",
    )
    return "\r\n".join(lines).encode("ascii")
