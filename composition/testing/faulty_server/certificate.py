"""A key pair made for this server; it protects nothing. The certificate signs itself."""

import ssl
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

NAME: Final = "pinned.example.com"

CERTIFICATE: Final = """\
-----BEGIN CERTIFICATE-----
MIIBtTCCAVugAwIBAgIEATUlBTAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJwaW5u
ZWQuZXhhbXBsZS5jb20wIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
MB0xGzAZBgNVBAMMEnBpbm5lZC5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABBS92MGORuwCHA5NguRhIPa9Cgs3mfil//1Toe0DVxbzXHN8tnNQ
l9tkMxoXPbGMbG5za0khka31jWqgRRPQcfOjgYYwgYMwHQYDVR0RBBYwFIIScGlu
bmVkLmV4YW1wbGUuY29tMBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQD
AgGGMB0GA1UdDgQWBBR+N96HsgBTNew6EOmabE+97fHK+jAfBgNVHSMEGDAWgBR+
N96HsgBTNew6EOmabE+97fHK+jAKBggqhkjOPQQDAgNIADBFAiEAyrvCsAavtBVp
BAyrXl9PX3a/LFw8LdFUtZh5v4Sh930CIF1EyNij9dAg9ssIuikhc1odJRMFOJMY
pRWnGCbg2J6k
-----END CERTIFICATE-----
"""
_KEY: Final = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc+PCH9TzWqFcmhQ9
puIgC7J9bqDB2KI/4BLvTFVlQpmhRANCAAQUvdjBjkbsAhwOTYLkYSD2vQoLN5n4
pf/9U6HtA1cW81xzfLZzUJfbZDMaFz2xjGxuc2tJIZGt9Y1qoEUT0HHz
-----END PRIVATE KEY-----
"""


def server_context(named: Callable[[str | None], None]) -> ssl.SSLContext:
    """Return a TLS context for the server; ``named`` hears each name that a client asks for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # ssl reads a certificate from a file only.
    with TemporaryDirectory() as folder:
        pem = Path(folder, "server.pem")
        pem.write_text(_KEY + CERTIFICATE, encoding="ascii")
        context.load_cert_chain(pem)
    context.sni_callback = lambda _connection, name, _context: named(name)
    return context
