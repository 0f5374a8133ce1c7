"""The certificate, the reference limits, and the ports with broken HTTP or TLS."""

import asyncio
import contextlib
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from .conversation import reset_connection

TLS_HOST: Final = "pinned.example.com"
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
_PRIVATE_KEY: Final = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc+PCH9TzWqFcmhQ9
puIgC7J9bqDB2KI/4BLvTFVlQpmhRANCAAQUvdjBjkbsAhwOTYLkYSD2vQoLN5n4
pf/9U6HtA1cW81xzfLZzUJfbZDMaFz2xjGxuc2tJIZGt9Y1qoEUT0HHz
-----END PRIVATE KEY-----
"""
MIB: Final = 1 << 20
# The limits under which each fault's expected kinds hold; small, so that a suite is quick.
# Seconds: connecting (with TLS), the head, silence within a body, the whole call.
REFERENCE_LIMITS: Final = {
    "connect_s": 1.0, "headers_s": 1.5, "idle_s": 1.0, "deadline_s": 4.0, "max_redirects": 5,
    "max_header_bytes": 64 * 1024, "max_wire_bytes": 1 * MIB, "max_decoded_bytes": 2 * MIB,
    "max_codings": 2, "max_url_chars": 8192,
}  # fmt: skip
_CANARY_BODY = b"<p>INTERNAL-SECRET!!</p>"


def fault_server_tls(named: Callable[[str | None], None]) -> ssl.SSLContext:
    """Return a TLS context for the server; ``named`` gets the SNI name of each client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # ssl can only read a certificate from a file.
    with TemporaryDirectory() as folder:
        pem = Path(folder, "server.pem")
        pem.write_text(_PRIVATE_KEY + CERTIFICATE, encoding="ascii")
        context.load_cert_chain(pem)
    context.sni_callback = lambda _connection, name, _context: named(name)
    return context


PortHandler: TypeAlias = Callable[[StreamReader, StreamWriter], Coroutine[None, None, None]]


async def never_answer_fault(reader: StreamReader, _writer: StreamWriter) -> None:
    """Read everything and send nothing."""
    while await reader.read(65536):
        pass


async def close_at_once_fault(_reader: StreamReader, _writer: StreamWriter) -> None:
    """Close before a byte is read."""


async def reset_at_once_fault(_reader: StreamReader, writer: StreamWriter) -> None:
    """Reset before a byte is read."""
    reset_connection(writer)


async def answer_tls_in_clear_fault(reader: StreamReader, writer: StreamWriter) -> None:
    """Answer a TLS hello in plain HTTP."""
    await reader.read(512)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()


async def close_after_tls_hello_fault(reader: StreamReader, _writer: StreamWriter) -> None:
    """Read a TLS hello and close."""
    await reader.read(512)


async def serve_canary(reader: StreamReader, writer: StreamWriter) -> None:
    """Answer as the canary, an internal service that no client may reach."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2):
            await reader.readuntil(b"\r\n\r\n")
    length = len(_CANARY_BODY)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % length
    writer.write(head + b"Connection: close\r\n\r\n" + _CANARY_BODY)
    await writer.drain()


PORT_HANDLERS: dict[str, PortHandler] = {
    "accept_hang": never_answer_fault, "accept_close": close_at_once_fault,
    "accept_reset": reset_at_once_fault, "tls_plain": answer_tls_in_clear_fault,
    "tls_close": close_after_tls_hello_fault,
}  # fmt: skip
