"""Faults that need a port of their own: below HTTP, in the connection or in TLS."""

from .certificate import NAME
from .fault import Group

SOCKET = Group("socket")
TLS = Group("tls")

SOCKET.add("refused", "connect_failed", "Listen to nobody.", port="refused", path="/")
SOCKET.add(
    "accept_hang", "timeout", "Accept, never read, never answer.", port="accept_hang", path="/"
)
SOCKET.add(
    "accept_close", "connection_lost", "Accept and close at once.", port="accept_close", path="/"
)
SOCKET.add(
    "accept_reset",
    "connection_lost connect_failed",
    "Accept and reset at once.",
    port="accept_reset",
    path="/",
)


def _tls(name: str, expect: str, behaviour: str, port: str = "tls", host: str = NAME) -> None:
    path = "/ok" if port == "tls" else "/"
    TLS.add(name, expect, behaviour, port=port, path=path, scheme="https", host=host)


TLS.add(
    "tls_ok",
    "ok",
    f"Speak good TLS for {NAME}; the server's ca_pem is to be trusted.",
    port="tls",
    path="/ok",
    scheme="https",
    host=NAME,
    check=f"SNI seen by the server is {NAME} although the client dialled an address",
)
_tls("tls_untrusted", "tls_failed", "Show a certificate that nobody trusts.")
_tls(
    "tls_wrong_name", "tls_failed", "Show a certificate for another name.", host="other.example.com"
)
_tls("tls_plain_http", "tls_failed", "Speak plain HTTP on a TLS port.", "tls_plain")
_tls("tls_hang", "timeout", "Accept and never say hello.", "accept_hang")
_tls(
    "tls_close",
    "tls_failed connection_lost connect_failed",
    "Close after the client's hello.",
    "tls_close",
)
TLS.add(
    "tls_downgrade",
    "url_denied",
    "Redirect from https to http on the same host.",
    port="tls",
    path="/_downgrade",
    scheme="https",
    host=NAME,
    check="a secure page may not hand over to clear text unless the user allows it",
)
