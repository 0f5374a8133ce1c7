"""Tunnels: a proxy is asked with CONNECT to pass bytes on to a server."""

import asyncio
import contextlib
import socket

from .exceptions import ProxyRefused
from .exchange import Exchange

_READ_BYTES = 4096
_SUCCESSES = range(200, 300)


async def open_tunnel(
    connected: socket.socket, host: str, port: int, credentials: str = ""
) -> None:
    """Have the proxy connect us to a server, and close the socket unless it does."""
    with contextlib.ExitStack() as unless_fine:
        unless_fine.callback(connected.close)
        request = connect_request(host, port, credentials)
        await asyncio.get_running_loop().sock_sendall(connected, request)
        status = await _status(connected)
        # RFC 9110, 9.3.6: any 2xx means that the tunnel is there.
        if status not in _SUCCESSES:
            message = f"the proxy refused with status {status}"
            raise ProxyRefused(message, status)
        unless_fine.pop_all()


def connect_request(host: str, port: int, credentials: str = "") -> bytes:
    """Write the request: its target is host and port alone (RFC 9112, 3.2.3)."""
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    proof = f"Proxy-Authorization: {credentials}\r\n" if credentials else ""
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{proof}\r\n".encode("ascii")


async def _status(opened: socket.socket) -> int:
    """Read the head of the proxy's answer; in TLS the server waits, so what follows is dropped."""
    loop = asyncio.get_running_loop()
    exchange = Exchange(loop, lambda: None)
    while not exchange.head.done():
        data = await loop.sock_recv(opened, _READ_BYTES)
        if not data:
            message = "the proxy hung up"
            raise ProxyRefused(message)
        exchange.feed(data)
    return (await exchange.head).status
